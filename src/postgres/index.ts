export { JournalError, type JournalFault, LeaseLostError } from '../errors/journal.js';
export { ConfigurationError } from '../errors/local.js';
export type { PostgresOptions } from './options.js';
export type { PostgresConnection, PostgresPool, PostgresResult } from './pool.js';
export { type PostgresJournal, type PostgresJournalOptions, postgresJournal } from './postgres-journal.js';
