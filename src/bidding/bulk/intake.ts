import type { InputIssue } from '../../errors/local.js';
import { isAmount } from '../../money/amount.js';
import { fromPaise, toPaise } from '../../money/paise.js';
import { lotIdOf } from '../checked-bid.js';
import { momentHint, momentOf } from '../moment.js';
import type { BidToPlace } from '../request.js';
import type { Candidate } from './candidate.js';
import { earlierIssues, isSettledEarlier, rememberedOutcome } from './earlier.js';
import { bidCheck, bulkKey } from './key.js';
import { type InvalidRow, invalid, type PlacedRow, settledEarlier } from './result.js';
import type { BulkRow, UnreadableRow } from './row.js';
import { copyRow, type RowCopy } from './row-copy.js';

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

  take(given: R | UnreadableRow): Taken<R> {
    this.#position += 1;
    const copied = copyRow(given);
    const facts = { batchId: this.#rules.batchId, position: this.#position, ...copied.names };
    if (copied.copy === undefined) return { result: invalid(given, copied.issues, facts) };
    const { row, copy } = copied;
    const issues = [...rowIssues(copy), ...this.#rules.check(copy.bid)];
    const repeated = this.#repeated(copy.rowId, facts);
    if (repeated !== undefined) issues.push(repeated);
    if (issues.length > 0 || !isAmount(copy.bid.amount)) {
      return { result: invalid(row, this.#named(issues.length > 0 ? issues : [notAnAmount]), facts) };
    }
    const candidate = this.#candidate(row, copy, facts);
    const { issues: further, nextStep } = earlierIssues(candidate, this.#rules.batchId);
    further.unshift(...this.#twin(candidate));
    if (further.length > 0) return { result: invalid(row, this.#named(further), facts, nextStep) };
    const outcome = rememberedOutcome(candidate);
    return outcome !== undefined && isSettledEarlier(outcome)
      ? { result: settledEarlier(candidate, outcome) }
      : { candidate };
  }

  #named(issues: readonly InputIssue[]): InputIssue[] {
    return issues.map(({ path, message }) => ({ path: this.#rules.nameOf(path), message }));
  }

  #candidate(row: R, copy: RowCopy, facts: Facts & { batchId: string }): Candidate<R> {
    const { batchId, clientId, dealerId } = this.#rules;
    const { rowId, bid, bidType } = copy;
    const key = bulkKey(clientId, batchId, rowId);
    const paise = toPaise(bid.amount);
    const content = {
      lotId: lotIdOf(bid.lot) ?? '',
      paise,
      bidderReference: bid.bidderReference,
      dealerId: bid.dealerId ?? dealerId,
    };
    return {
      ...facts,
      ...content,
      row,
      rowId,
      key,
      bidCheck: bidCheck(key, content),
      bid: { ...bid, amount: fromPaise(paise), intentId: key },
      bidType,
      closesAt: closeOf(copy),
      placeBy: momentOf(bid.placeBy),
      ...(copy.earlierResult !== undefined && { earlier: copy.earlierResult }),
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

function rowIssues({ rowId, closesAt }: RowCopy): InputIssue[] {
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

/** The close that a row tells of: its own word, then the lot's, then its event's. */
function closeOf({ bid: { lot, event }, closesAt }: RowCopy): number | undefined {
  const told = [
    closesAt,
    typeof lot === 'object' && 'effective_close_at' in lot ? lot.effective_close_at : undefined,
    typeof lot === 'object' && 'ends_at' in lot ? lot.ends_at : undefined,
    event?.ends_at,
  ];
  return told.map(momentOf).find((moment) => moment !== undefined);
}

function forgetOldest(seen: Map<string, string>, limit: number): void {
  for (const [oldest] of seen) {
    if (seen.size <= limit) return;
    seen.delete(oldest);
  }
}
