import { codeFacts } from '../../api/codes.js';
import { VehicleAuctionError } from '../../errors/base.js';
import { AbortedError } from '../../errors/connection.js';
import { ConfigurationError } from '../../errors/local.js';
import { StoreError } from '../../errors/store.js';
import type { Ledger } from '../../intents/ledger.js';
import type { BidOutcome, UnsentReason } from '../types.js';
import { messageOf } from './results.js';
import type { BatchStop } from './types.js';

/** Why a batch ends before its rows do. Running the same batch again continues where it ended. */

export const bySignal: BatchStop = { reason: 'signal', what: 'The batch was stopped.' };

export function byInvalidRows(readsAhead: boolean): BatchStop {
  const extent = readsAhead ? 'nothing was sent' : 'nothing more was sent';
  return { reason: 'invalid_rows', what: `A row of the batch is wrong, so ${extent}.` };
}

export function bySource(error: unknown): BatchStop {
  return { reason: 'source', what: `The rows could not be read: ${messageOf(error)}`, error };
}

/** The stop that an error of one row means for all others; undefined where it concerns that row alone. */
export function stopByError(error: unknown): BatchStop | undefined {
  if (error instanceof StoreError) {
    return { reason: 'store', what: `The store failed, and what can't be recorded is not sent.`, error };
  }
  if (error instanceof AbortedError && error.outcome === 'not_sent') {
    return { reason: 'closed', what: 'The client was closed.', error };
  }
  if (error instanceof ConfigurationError || !(error instanceof VehicleAuctionError)) return byFailure(error);
  return undefined;
}

export function byFailure(error: unknown): BatchStop {
  return { reason: 'failure', what: `The batch could not go on: ${messageOf(error)}`, error };
}

/** The stop that the outcome of one row means for all others; undefined where it concerns that row alone. */
export async function stopByOutcome(
  outcome: BidOutcome,
  ledger: Pick<Ledger, 'read'>,
): Promise<BatchStop | undefined> {
  if (outcome.status === 'not_sent' && outcome.reason === 'halted') {
    return { reason: 'halted', what: 'Bidding is halted with bids.halt().' };
  }
  if (outcome.status === 'refused') return turnedAway(outcome.httpStatus, outcome.codes);
  if (outcome.status !== 'unknown' || outcome.attempts === 0) return undefined;
  try {
    // A bare 401 leaves a bid in doubt, because lookups are turned away too.
    const intent = await ledger.read(outcome.idempotencyKey);
    const last = intent?.content.log.findLast((event) => event.type === 'result');
    return last?.type === 'result' ? turnedAway(last.status, []) : undefined;
  } catch (error) {
    return stopByError(error);
  }
}

/** The credentials, the client or its partner are refused, not one bid. */
function turnedAway(httpStatus: number | undefined, codes: readonly string[]): BatchStop | undefined {
  const code = codes.find((one) => codeFacts(one)?.everywhere === true);
  if (httpStatus !== 401 && code === undefined) return undefined;
  const why = code ?? `HTTP ${httpStatus}`;
  return { reason: 'refused', what: `The service refuses every bid of this client (${why}).` };
}

/** Why a row was not sent that the batch ended before. */
export function unsentReasonOf({ reason }: BatchStop): UnsentReason {
  if (reason === 'halted') return 'halted';
  return reason === 'store' || reason === 'failure' ? 'failure' : 'aborted';
}

/** Whether it is logged, in case no code awaits the summary: what was asked for is not. */
export function isUnexpected({ reason }: BatchStop): boolean {
  return reason === 'source' || reason === 'failure' || reason === 'store' || reason === 'refused';
}
