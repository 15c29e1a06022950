import type { InputIssue } from '../../errors/local.js';
import type { BidOutcome } from '../outcome.js';
import type { Candidate } from './candidate.js';

/** Whether a row was settled for good: such a row is not placed again. */
export function isSettledEarlier({ status }: { readonly status: string }): boolean {
  return status === 'accepted' || status === 'rejected';
}

/** Where a row and what an earlier run wrote down about it don't belong together. */
export interface EarlierIssues {
  readonly issues: InputIssue[];
  /** What to do about it, where that is something of its own. */
  readonly nextStep?: string | undefined;
}

/**
 * Where a row and its result file don't belong together. With the wrong batch id, or as another client, every row would
 * be bid again; and an edited row would be taken for what it was before.
 */
export function earlierIssues(
  { key, bidCheck, earlier }: Pick<Candidate<unknown>, 'key' | 'bidCheck' | 'earlier'>,
  batchId: string,
): EarlierIssues {
  if (earlier === undefined || earlier.status === '') return { issues: [] };
  if (earlier.batchId !== batchId) {
    return wrong('batch_id', `is ${JSON.stringify(earlier.batchId)}, and this batch is ${batchId}`);
  }
  if (earlier.idempotencyKey !== '' && earlier.idempotencyKey.toLowerCase() !== key) {
    return wrong('idempotency_key', 'is of another row or another API client, which would bid anew');
  }
  if (earlier.bidCheck !== '' && earlier.bidCheck.toLowerCase() !== bidCheck) {
    const { issue, nextStep } = edited(earlier.status);
    return { issues: [issue], nextStep };
  }
  return isSettledEarlier(earlier) && earlier.bidCheck === ''
    ? wrong('bid_check', `is missing, so nobody can tell what was ${earlier.status}`)
    : { issues: [] };
}

/** A row that bids something else than was bid under its id before. */
export function edited(status: string): { readonly issue: InputIssue; readonly nextStep: string } {
  const message = 'was edited after its bid was placed: a changed bid needs a row id of its own';
  const nextStep = `This run sent nothing of this row; the earlier bid under this row id is ${status.replace('_', ' ')}. Put the row back as it was, and give the changed bid a row id of its own.`;
  return { issue: { path: 'row', message }, nextStep };
}

/**
 * The outcome that a result file tells of; undefined where there is none, or none that would still stand: a row that was
 * not sent may have been since.
 */
export function rememberedOutcome({
  key,
  lotId,
  bid,
  bidderReference,
  earlier,
}: Candidate<unknown>): BidOutcome | undefined {
  const status = lasting.find((one) => one === earlier?.status);
  if (earlier === undefined || status === undefined) return undefined;
  const { bidId, codes, attempts, what, nextStep } = earlier;
  return {
    call: 'bidding.place',
    status,
    lot: lotId,
    amount: bid.amount,
    ...(bidderReference !== undefined && { bidderReference }),
    idempotencyKey: key,
    codes,
    replayed: false,
    attempts,
    what,
    nextStep,
    ...(bidId !== '' && { bidId }),
  };
}

const lasting = ['accepted', 'rejected', 'refused', 'unknown'] as const;

function wrong(path: string, message: string): EarlierIssues {
  return { issues: [{ path, message }] };
}
