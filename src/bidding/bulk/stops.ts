import { AbortedError } from '../../errors/connection.js';
import { JournalError } from '../../errors/journal.js';
import { ConfigurationError } from '../../errors/local.js';
import type { BulkStop } from './progress.js';

export const bySignal: BulkStop = {
  by: 'signal',
  what: 'The batch was stopped, so no further row was begun.',
};

export const byInvalidRows: BulkStop = {
  by: 'invalid_rows',
  what: 'A row of the batch is wrong, so no further one was begun.',
};

export const byLateness: BulkStop = {
  by: 'late',
  what: 'Not every row of the batch could leave before its lot closes, so none was begun.',
};

/** The source of the rows threw. */
export function bySource(error: unknown): BulkStop {
  return { by: 'source', what: `The rows could not be read on: ${messageOf(error)}`, error };
}

/** The client can't do what a batch needs of it. */
export function byFailure(error: unknown): BulkStop {
  return { by: 'failure', what: `The batch could not go on: ${messageOf(error)}`, error };
}

/**
 * Where placing a row threw this, no other row could be placed either: the batch ends, nothing is burnt, and the same
 * batch again goes on. Undefined where it is the matter of that row alone.
 */
export function stopBecauseOf(error: unknown): BulkStop | undefined {
  if (error instanceof JournalError && error.fault !== 'lease_lost') {
    return { by: 'journal', what: 'The journal failed, and without it nothing is sent.', error };
  }
  // Place answers an abort with an outcome: this is the client itself, which is closed.
  if (error instanceof AbortedError && error.outcome === 'not_sent') {
    return { by: 'closed', what: 'The client was closed, so no further row was begun.', error };
  }
  return error instanceof ConfigurationError ? byFailure(error) : undefined;
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'no reason given';
}
