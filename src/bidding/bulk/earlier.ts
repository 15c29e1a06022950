import type { InputIssue } from '../../errors/local.js';
import type { AcceptedBid, RejectedBidOutcome } from '../outcome.js';
import type { Candidate } from './candidate.js';
import type { EarlierResult } from './row.js';

/** Whether a result file says that a row is settled for good: such a row is not placed again. */
export function isSettledEarlier({ status }: EarlierResult): boolean {
  return status === 'accepted' || status === 'rejected';
}

/**
 * Where a row and what an earlier run wrote down about it don't belong together. With the wrong batch id, or as another
 * client, every row would be bid again; and an edited row would be taken for what it was before.
 */
export function earlierIssues<R>(candidate: Candidate<R>, batchId: string): InputIssue[] {
  const earlier = earlierOf(candidate);
  if (earlier === undefined || earlier.status === '') return [];
  if (earlier.batchId !== batchId) {
    return [issue('batch_id', `is ${JSON.stringify(earlier.batchId)}, and this batch is ${batchId}`)];
  }
  if (earlier.idempotencyKey !== '' && earlier.idempotencyKey.toLowerCase() !== candidate.key) {
    return [issue('idempotency_key', 'is of another row or another API client, which would bid anew')];
  }
  if (earlier.bidCheck !== '' && earlier.bidCheck.toLowerCase() !== candidate.bidCheck) {
    return [issue('row', 'was edited after its bid was placed: a changed bid needs a row id of its own')];
  }
  return isSettledEarlier(earlier) && earlier.bidCheck === ''
    ? [issue('bid_check', `is missing, so nobody can tell what was ${earlier.status}`)]
    : [];
}

/** The outcome that a result file tells of. */
export function earlierOutcome(key: string, earlier: EarlierResult): AcceptedBid | RejectedBidOutcome {
  const { bidId, codes, attempts, what, nextStep } = earlier;
  return {
    status: earlier.status === 'accepted' ? 'accepted' : 'rejected',
    idempotencyKey: key,
    codes,
    replayed: false,
    attempts,
    what,
    nextStep,
    ...(bidId !== '' && { bidId }),
  };
}

function earlierOf<R>({ row }: Candidate<R>): EarlierResult | undefined {
  return Object(row).earlierResult;
}

function issue(path: string, message: string): InputIssue {
  return { path, message };
}
