import type { InputIssue } from '../../errors/local.js';
import { isAmount } from '../../money/amount.js';
import { fromPaise, toPaise } from '../../money/paise.js';
import { lotIdOf } from '../checked-bid.js';
import { momentHint, momentOf } from '../moment.js';
import type { BidToPlace } from '../request.js';
import type { Candidate } from './candidate.js';
import { earlierIssues, earlierOutcome, isSettledEarlier } from './earlier.js';
import { bidCheck, bulkKey } from './key.js';
import { type InvalidRow, invalid, type PlacedRow, settledEarlier } from './result.js';
import type { BulkRow, UnreadableRow } from './row.js';

export interface IntakeRules {
  readonly batchId: string;
  readonly clientId: string;
  /** The client's own; a row may name another. */
  readonly dealerId: string | undefined;
  /** What `place` would refuse before it sends anything. */
  check(bid: BidToPlace): readonly InputIssue[];
  /** So many row ids are remembered, to know repeats by. */
  readonly remembered: number;
  /** How whoever wrote the rows calls a field. */
  nameOf(field: string): string;
  /** Whether two rows may bid the same. */
  readonly twins: 'refused' | 'taken';
}

/** A row, checked: one to place, or one that is settled by itself. */
export type Taken<R> =
  | { readonly candidate: Candidate<R>; readonly result?: undefined }
  | { readonly result: InvalidRow<R> | PlacedRow<R>; readonly candidate?: undefined };

/** Checks rows one by one, without a network, and gives each its key. */
export class Intake<R extends BulkRow> {
  readonly #rules: IntakeRules;
  /** Row ids with where they stood; the oldest first. */
  readonly #seen = new Map<string, string>();
  readonly #bids = new Map<string, string>();
  #position = 0;

  constructor(rules: IntakeRules) {
    this.#rules = rules;
  }

  take(row: R | UnreadableRow): Taken<R> {
    this.#position += 1;
    const facts = { batchId: this.#rules.batchId, ...factsOf(row, this.#position) };
    if (isUnreadable(row)) return { result: invalid(row, row.issues, facts) };
    if (typeof row !== 'object' || row === null) {
      return { result: invalid(row, [{ path: 'row', message: 'must be an object' }], facts) };
    }
    const bid = bidOf(row);
    const issues = [...rowIssues(row), ...this.#rules.check(bid)];
    const repeated = this.#repeated(row.rowId, facts);
    if (repeated !== undefined) issues.push(repeated);
    if (issues.length > 0 || !isAmount(bid.amount)) {
      return { result: invalid(row, this.#named(issues.length > 0 ? issues : [notAnAmount]), facts) };
    }
    const candidate = this.#candidate(row, bid, facts);
    const further = [...this.#twin(candidate), ...earlierIssues(candidate, this.#rules.batchId)];
    if (further.length > 0) return { result: invalid(row, this.#named(further), facts) };
    const { earlierResult } = row;
    return earlierResult !== undefined && isSettledEarlier(earlierResult)
      ? { result: settledEarlier(candidate, earlierOutcome(candidate.key, earlierResult)) }
      : { candidate };
  }

  #named(issues: readonly InputIssue[]): InputIssue[] {
    return issues.map(({ path, message }) => ({ path: this.#rules.nameOf(path), message }));
  }

  #candidate(row: R, given: BidToPlace, facts: Facts & { batchId: string }): Candidate<R> {
    const { batchId, clientId, dealerId } = this.#rules;
    const key = bulkKey(clientId, batchId, row.rowId);
    const paise = toPaise(given.amount);
    const content = {
      lotId: lotIdOf(given.lot) ?? '',
      paise,
      bidderReference: given.bidderReference,
      dealerId: given.dealerId ?? dealerId,
    };
    const bidType = (['open', 'closed'] as const).find((type) => type === row.event?.bid_type);
    return {
      ...facts,
      ...content,
      row,
      rowId: row.rowId,
      key,
      bidCheck: bidCheck(key, content),
      bid: { ...given, amount: fromPaise(paise), intentId: key },
      bidType,
      closesAt: closeOf(row),
      placeBy: momentOf(row.placeBy),
    };
  }

  #repeated(rowId: unknown, { position, line }: Facts): InputIssue | undefined {
    if (typeof rowId !== 'string') return undefined;
    const before = this.#seen.get(rowId);
    if (before !== undefined) return { path: 'rowId', message: `is that of ${before} too` };
    this.#seen.set(rowId, line === undefined ? `row ${position}` : `line ${line}`);
    forgetOldest(this.#seen, this.#rules.remembered);
    return undefined;
  }

  #twin(candidate: Candidate<R>): InputIssue[] {
    if (this.#rules.twins === 'taken') return [];
    const { lotId, paise, bidderReference, dealerId, rowId } = candidate;
    const content = JSON.stringify([lotId, `${paise}`, bidderReference, dealerId]);
    const other = this.#bids.get(content);
    if (other === undefined) {
      this.#bids.set(content, rowId);
      return [];
    }
    return [{ path: 'rowId', message: `bids the same as row ${other}: same lot, same buyer, same amount` }];
  }
}

interface Facts {
  readonly position: number;
  readonly line?: number;
  readonly rowId?: string;
}

const notAnAmount: InputIssue = { path: 'amount', message: 'must be a decimal string in INR' };

/** Visible ASCII: what looks the same is the same, on every machine and in every spreadsheet. */
const rowIdShape = /^[\x21-\x7e](?:[\x20-\x7e]{0,118}[\x21-\x7e])?$/;

function rowIssues({ rowId, closesAt }: BulkRow): InputIssue[] {
  const issues: InputIssue[] = [];
  if (typeof rowId !== 'string' || !rowIdShape.test(rowId)) {
    issues.push({ path: 'rowId', message: 'must be 1 to 120 visible ASCII characters, spaces inside only' });
  } else if (/^\d(?:\.\d+)?E[+-]?\d+$/i.test(rowId)) {
    issues.push({ path: 'rowId', message: 'looks like a long number that a spreadsheet has shortened' });
  }
  if (closesAt !== undefined && momentOf(closesAt) === undefined) {
    issues.push({ path: 'closesAt', message: momentHint });
  }
  return issues;
}

/** Copied, so that a source may use one object for all its rows. */
function bidOf({
  lot,
  event,
  amount,
  dealerId,
  clientBidTime,
  placeBy,
  bidderReference,
}: BulkRow): BidToPlace {
  return {
    lot,
    amount,
    ...(event !== undefined && { event }),
    ...(dealerId !== undefined && { dealerId }),
    ...(clientBidTime !== undefined && { clientBidTime }),
    ...(placeBy !== undefined && { placeBy }),
    ...(bidderReference !== undefined && { bidderReference }),
  };
}

/** The close that a row tells of: its own word, then the lot's, then its event's. */
function closeOf({ lot, event, closesAt }: BulkRow): number | undefined {
  const told = [
    closesAt,
    typeof lot === 'object' && 'effective_close_at' in lot ? lot.effective_close_at : undefined,
    typeof lot === 'object' && 'ends_at' in lot ? lot.ends_at : undefined,
    event?.ends_at,
  ];
  return told.map(momentOf).find((moment) => moment !== undefined);
}

function isUnreadable(row: BulkRow | UnreadableRow): row is UnreadableRow {
  return typeof row === 'object' && row !== null && 'issues' in row && !('amount' in row);
}

function factsOf(row: BulkRow | UnreadableRow, position: number): Facts {
  const { line, rowId } = Object(row);
  return {
    position,
    ...(typeof line === 'number' && { line }),
    ...(typeof rowId === 'string' && { rowId }),
  };
}

function forgetOldest(seen: Map<string, string>, limit: number): void {
  for (const [oldest] of seen) {
    if (seen.size <= limit) return;
    seen.delete(oldest);
  }
}
