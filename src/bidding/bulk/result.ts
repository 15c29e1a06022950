import { ApiError } from '../../errors/api.js';
import { VehicleAuctionError } from '../../errors/base.js';
import type { InputIssue } from '../../errors/local.js';
import type {
  AcceptedBid,
  BidOutcome,
  RefusedBid,
  RejectedBidOutcome,
  UnknownBid,
  UnsentBid,
} from '../outcome.js';
import type { Candidate } from './candidate.js';
import type { UnreadableRow } from './row.js';

/**
 * What became of a row: the outcome of its bid, or `invalid` where the row itself is wrong and this run sent nothing of it,
 * or `error` where placing it threw.
 */
export type BulkStatus = BulkResult<unknown>['status'];

/** One row, settled. Every row that was read gets exactly one. */
export type BulkResult<R> = PlacedRow<R> | InvalidRow<R> | FailedRow<R>;

interface ResultFacts {
  readonly batchId: string;
  /** Its place in the source, from 1. */
  readonly position: number;
  /** Line of its file, from 1, where it comes from one. */
  readonly line?: number;
  readonly rowId?: string;
  /** Every code of the service, the first reason first. */
  readonly codes: readonly string[];
  /** What happened, as a sentence. */
  readonly what: string;
  /** What to do next, as a sentence. */
  readonly nextStep: string;
}

/** A row whose bid has an outcome; its `status` is that of the outcome, and tells which one it is. */
export type PlacedRow<R> =
  | RowWith<R, AcceptedBid>
  | RowWith<R, RejectedBidOutcome>
  | RowWith<R, RefusedBid>
  | RowWith<R, UnsentBid>
  | RowWith<R, UnknownBid>;

/** A row whose bid has this outcome. */
export interface RowWith<R, O extends BidOutcome> extends ResultFacts {
  readonly status: O['status'];
  /** The row as it was given. */
  readonly row: R;
  readonly rowId: string;
  readonly outcome: O;
  readonly idempotencyKey: string;
  /** Stands for what was bid; absent where this run placed nothing. */
  readonly bidCheck?: string;
  /** True where a result file or the journal said so already, and nothing was placed. */
  readonly earlier: boolean;
  readonly error?: undefined;
  readonly issues?: undefined;
}

/** A row that is wrong. This run sent nothing of it. */
export interface InvalidRow<R> extends ResultFacts {
  readonly status: 'invalid';
  readonly row: R | UnreadableRow;
  /** Everything that is wrong with it. */
  readonly issues: readonly InputIssue[];
  readonly idempotencyKey?: undefined;
  readonly outcome?: undefined;
  readonly error?: undefined;
}

/** A row whose placing threw; `error.outcome` says what is known of the effect. */
export interface FailedRow<R> extends ResultFacts {
  readonly status: 'error';
  readonly row: R;
  readonly rowId: string;
  readonly error: unknown;
  readonly idempotencyKey: string;
  readonly outcome?: undefined;
  readonly issues?: undefined;
}

/** A result of what `place` resolved with. */
export function placed<R>(candidate: Candidate<R>, outcome: BidOutcome): PlacedRow<R> {
  return placedRow(candidate, outcome, { bidCheck: candidate.bidCheck, earlier: false });
}

/** A result that stands in a file or in the journal already. */
export function settledEarlier<R>(candidate: Candidate<R>, outcome: BidOutcome): PlacedRow<R> {
  return placedRow(candidate, outcome, { bidCheck: candidate.bidCheck, earlier: true });
}

/** A row that this run has not begun. */
export function unplaced<R>(candidate: Candidate<R>, outcome: UnsentBid | UnknownBid): PlacedRow<R> {
  return placedRow(candidate, outcome, { earlier: false });
}

/** The outcome of a bid that was not even begun. */
export function unsentOutcome(
  { key, lotId, bid, bidderReference }: Candidate<unknown>,
  { what, nextStep }: Pick<UnsentBid, 'what' | 'nextStep'>,
): UnsentBid {
  return {
    call: 'bidding.place',
    status: 'not_sent',
    lot: lotId,
    amount: bid.amount,
    ...(bidderReference !== undefined && { bidderReference }),
    idempotencyKey: key,
    codes: [],
    replayed: false,
    attempts: 0,
    what,
    nextStep,
  };
}

/** A result of what `place` threw. */
export function failed<R>(candidate: Candidate<R>, error: unknown): FailedRow<R> {
  const known = error instanceof VehicleAuctionError;
  return {
    ...factsOf(candidate),
    status: 'error',
    row: candidate.row,
    idempotencyKey: candidate.key,
    error,
    codes: error instanceof ApiError ? error.codes : [],
    what: known
      ? withoutStep(error)
      : error instanceof Error
        ? error.message
        : 'Something that is no Error was thrown.',
    nextStep: known ? error.nextStep : 'It is not known what was sent: reconcile the key of this row.',
  };
}

export function invalid<R>(
  row: R | UnreadableRow,
  issues: readonly InputIssue[],
  { batchId, position, line, rowId }: Pick<ResultFacts, 'batchId' | 'position' | 'line' | 'rowId'>,
  nextStep = 'This run sent nothing of this row; correct it, then run the batch again.',
): InvalidRow<R> {
  return {
    batchId,
    position,
    ...(line !== undefined && { line }),
    ...(rowId !== undefined && { rowId }),
    status: 'invalid',
    row,
    issues,
    codes: [],
    what: `${issues.map(({ path, message }) => `${path} ${message}`).join('; ')}.`,
    nextStep,
  };
}

/** Whether a bid may have been recorded and nobody has taken the risk of that, so that nothing must overtake it. */
export function isInDoubt<R>(result: PlacedRow<R> | FailedRow<R>): boolean {
  if (result.status !== 'error') return result.status === 'unknown' && !isAbandoned(result);
  const { error } = result;
  return !(error instanceof VehicleAuctionError) || error.outcome === 'unknown';
}

/** Whether its owner has given it up while its outcome was unknown. */
export function isAbandoned<R>({ outcome }: BulkResult<R>): boolean {
  return outcome?.status === 'unknown' && outcome.abandoned !== undefined;
}

type RunFacts = Pick<RowWith<unknown, BidOutcome>, 'bidCheck' | 'earlier'>;

/** Case by case, so that the status of a row tells its outcome. */
function placedRow<R>(candidate: Candidate<R>, outcome: BidOutcome, run: RunFacts): PlacedRow<R> {
  switch (outcome.status) {
    case 'accepted':
      return rowWith(candidate, outcome, run);
    case 'rejected':
      return rowWith(candidate, outcome, run);
    case 'refused':
      return rowWith(candidate, outcome, run);
    case 'not_sent':
      return rowWith(candidate, outcome, run);
    case 'unknown':
      return rowWith(candidate, outcome, run);
  }
}

function rowWith<R, O extends BidOutcome>(candidate: Candidate<R>, outcome: O, run: RunFacts): RowWith<R, O> {
  const { codes, what, nextStep, idempotencyKey } = outcome;
  const { row } = candidate;
  const status: O['status'] = outcome.status;
  return { ...factsOf(candidate), status, row, outcome, idempotencyKey, codes, what, nextStep, ...run };
}

/** The step stands beside it. */
function withoutStep({ message, nextStep }: VehicleAuctionError): string {
  return message.endsWith(` ${nextStep}`) ? message.slice(0, -nextStep.length - 1) : message;
}

function factsOf<R>({ batchId, position, line, rowId }: Candidate<R>) {
  return { batchId, position, ...(line !== undefined && { line }), rowId };
}
