import { codeFacts } from '../../api/codes.js';
import { AbortedError } from '../../errors/connection.js';
import { JournalError } from '../../errors/journal.js';
import { ConfigurationError } from '../../errors/local.js';
import type { RefusedBid } from '../outcome.js';
import type { BulkStop } from './progress.js';
import type { BulkResult } from './result.js';

export const bySignal: BulkStop = {
  by: 'signal',
  what: 'The batch was stopped, so no further row was begun.',
};

export const byInvalidRows: BulkStop = {
  by: 'invalid_rows',
  what: 'A row of the batch is wrong, so no further one was begun.',
};

/** The same, of a source that was read to its end first. */
export const byInvalidRowsAhead: BulkStop = {
  by: 'invalid_rows',
  what: 'A row of the batch is wrong, so none was begun.',
};

export const byLateness: BulkStop = {
  by: 'late',
  what: 'Not every row of the batch could leave before it is due (its lot closes, or its placeBy passes), so none was begun.',
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
 * Where a row came to this, no other row could be placed either: the batch ends, nothing is burnt, and the same batch
 * again goes on. Undefined where it is the matter of that row alone.
 */
export function stopBecauseOf({
  error,
  outcome,
}: Pick<BulkResult<unknown>, 'error' | 'outcome'>): BulkStop | undefined {
  if (outcome?.status === 'refused') return stopOfRefusal(outcome);
  if (error instanceof JournalError && error.fault !== 'lease_lost') {
    return { by: 'journal', what: 'The journal failed, and without it nothing is sent.', error };
  }
  // Place answers an abort with an outcome: this is the client itself, which is closed.
  if (error instanceof AbortedError && error.outcome === 'not_sent') {
    return { by: 'closed', what: 'The client was closed, so no further row was begun.', error };
  }
  return error instanceof ConfigurationError ? byFailure(error) : undefined;
}

/** The batch itself came to this, beside its rows. */
export function stopOf(error: unknown): BulkStop {
  return stopBecauseOf({ error }) ?? byFailure(error);
}

/** The credentials, the client or its partner are turned away: whatever is bid with them. */
function stopOfRefusal({ httpStatus, codes }: RefusedBid): BulkStop | undefined {
  const ofTheClient = codes.find((code) => codeFacts(code)?.everywhere === true);
  if (httpStatus !== 401 && ofTheClient === undefined) return undefined;
  const why = ofTheClient ?? `status ${httpStatus}`;
  return {
    by: 'refused',
    what: `The service turns this client away, whatever it bids (${why}), so no further row was begun.`,
  };
}

/** Whether it is told although nobody may wait for the batch: what somebody has asked for needs no telling. */
export function isWorthALine({ by }: BulkStop): boolean {
  return by === 'source' || by === 'failure' || by === 'journal' || by === 'refused';
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'no reason given';
}
