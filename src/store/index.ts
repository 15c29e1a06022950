export type {
  BidColumns,
  EvidenceTable,
  IntentQuery,
  IntentRow,
  IntentState,
  IntentTable,
  SaveTime,
  StoredIntent,
} from './intents.js';
export type { OwnedTable, Ownership, StoreProcess } from './owner.js';
export { type SqlStoreOptions, sqlStore } from './sql.js';
export type { SqlDriver, SqlQuery, SqlRow, SqlValue } from './sql-driver.js';
export type { Exposure, ExposureQuery } from './stakes.js';
export type {
  DepartureEntry,
  DepartureLog,
  DeparturePage,
  Store,
  StoreTransaction,
} from './store.js';
export type {
  AccountRow,
  AuditRow,
  AuditTable,
  CursorRow,
  CursorTable,
  StoredAuditRow,
  StoredCursor,
  StoredWebhookEvent,
  WebhookEventRow,
  WebhookEventTable,
  WebhookProgress,
  WebhookState,
} from './tables.js';
