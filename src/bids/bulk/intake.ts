import { v5 } from 'uuid';
import { type InputIssue, InvalidRequestError } from '../../errors/local.js';
import { fromPaise, isAmount, toPaise } from '../../money/paise.js';
import { momentHint, momentOf, prepareBid } from '../check.js';
import { bidTerms } from '../limits.js';
import type { BidParts } from '../parts.js';
import type { BidToPlace, LotOrId } from '../types.js';
import type { BatchSettings } from './options.js';
import type { Candidate } from './queue.js';
import { invalidRow, messageOf } from './results.js';
import type { BidRow, InvalidRow, UnreadableRow } from './types.js';

/** How many row ids of a stream are remembered. A repeat of an older one is still the same bid, by its key. */
const REMEMBERED_IDS = 100_000;

/** Any UUID will do as long as it stays: with another one, every row of every batch would be a new bid. */
const ROW_NAMESPACE = '2f4c1d0e-7b0a-5c55-9a53-64b8ad9f0c17';

/** The idempotency key of a row. It is the same in every process and on every host. */
export function rowKey(account: string, batchId: string, rowId: string): string {
  return v5(JSON.stringify([account, batchId, rowId]), ROW_NAMESPACE);
}

/** Copies and checks rows, and gives each its key. Nothing is sent for that. */
export class Intake<R extends BidRow> {
  readonly #parts: BidParts;
  readonly #settings: BatchSettings<R>;
  /** Row ids, the oldest first, and which rows they were on. */
  readonly #ids = new Map<string, string>();
  readonly #remembered: number;
  #position = 0;

  /** @param remembered how many row ids of a source that may not end are compared */
  constructor(parts: BidParts, settings: BatchSettings<R>, remembered = REMEMBERED_IDS) {
    this.#parts = parts;
    this.#settings = settings;
    this.#remembered = settings.readsAhead ? Number.POSITIVE_INFINITY : remembered;
  }

  /** Rows that were read. */
  get rows(): number {
    return this.#position;
  }

  take(given: R | UnreadableRow): Candidate<R> | InvalidRow<R> {
    const { batchId } = this.#settings;
    this.#position += 1;
    const copied = copyOf(given);
    const facts = { batchId, position: this.#position, ...copied.names };
    if (copied.copy === undefined) return invalidRow(given, facts, copied.issues);
    const issues = rowIssues(copied.copy);
    const { rowId } = copied.copy;
    if (typeof rowId === 'string') issues.push(...this.#repeated(rowId, facts));
    const checked = this.#checked(copied.copy);
    if ('issues' in checked) issues.push(...checked.issues);
    if ('issues' in checked || issues.length > 0) return invalidRow(given, facts, issues);
    return { row: copied.row, rowId, position: facts.position, ...copied.names, ...checked };
  }

  /** Checks a row as `place` would, and derives what the batch needs. */
  #checked({ rowId, bid: given, closesAt: told, isClosedAuction }: RowCopy) {
    const { pipeline, limits, riskLimits, recording } = this.#parts;
    const { batchId, place } = this.#settings;
    const { ledger } = recording;
    const key = rowKey(ledger.parts.account, batchId, rowId);
    // One spelling of an amount: 465000 and 465000.00 are the same bid, and its bytes must not differ.
    const bid = isAmount(given.amount) ? { ...given, amount: fromPaise(toPaise(given.amount)) } : given;
    try {
      const prepared = prepareBid(pipeline, limits, bid, { ...place, idempotencyKey: key });
      const terms = { placeBy: 0, allowUnresolved: false, confirm: false, row: { batchId, rowId } };
      const { intended, columns } = bidTerms(prepared.call, terms, { riskLimits, ledger });
      const { lot, buyer, paise } = columns;
      const closesAt = momentOf(told);
      return {
        key,
        bid,
        intended,
        paise,
        closesAt,
        dueAt: prepared.placeBy ?? prepared.closesAt ?? closesAt ?? Number.POSITIVE_INFINITY,
        chain: isClosedAuction ? `${lot} ${buyer}` : lot,
      };
    } catch (error) {
      if (!(error instanceof InvalidRequestError)) throw error;
      return { issues: error.issues };
    }
  }

  #repeated(rowId: string, { position, line }: { readonly position: number; readonly line?: number }) {
    const before = this.#ids.get(rowId);
    if (before !== undefined) return [{ path: 'rowId', message: `is that of ${before} too` }];
    this.#ids.set(rowId, line === undefined ? `row ${position}` : `line ${line}`);
    const [oldest] = this.#ids.keys();
    if (this.#ids.size > this.#remembered && oldest !== undefined) this.#ids.delete(oldest);
    return [];
  }
}

/** The fields of a row. Its own objects may be reused for the next row, or change while it waits. */
interface RowCopy {
  readonly rowId: string;
  readonly bid: BidToPlace;
  readonly closesAt: BidRow['closesAt'];
  readonly isClosedAuction: boolean;
}

/** How a row is identified, as far as it can be read. */
interface Names {
  line?: number;
  rowId?: string;
}

type Copied<R> = { readonly names: Names } & (
  | { readonly row: R; readonly copy: RowCopy }
  | { readonly issues: readonly InputIssue[]; readonly copy?: undefined }
);

/** Reads each field of a row once, by name, because a record may be an object of a class. Never throws. */
function copyOf<R extends BidRow>(row: R | UnreadableRow): Copied<R> {
  const names: Names = {};
  let field = 'row';
  try {
    if (typeof row !== 'object' || row === null) {
      return { names, issues: [{ path: 'row', message: 'must be an object' }] };
    }
    field = 'line';
    const { line } = row;
    if (typeof line === 'number') names.line = line;
    field = 'rowId';
    const { rowId } = row;
    if (typeof rowId === 'string') names.rowId = rowId;
    if (isUnreadable(row)) {
      field = 'issues';
      const issues = row.issues.map(({ path, message }) => ({ path: `${path}`, message: `${message}` }));
      return { names, issues };
    }
    const read = <K extends keyof BidRow>(name: K): BidRow[K] => {
      field = name;
      return row[name];
    };
    const event = eventOf(read('event'));
    const bid = {
      lot: lotOf(read('lot')),
      event,
      amount: read('amount'),
      dealerId: read('dealerId'),
      clientBidTime: read('clientBidTime'),
      placeBy: dateCopied(read('placeBy')),
    };
    const bidderReference = read('bidderReference');
    const copy: RowCopy = {
      rowId: read('rowId'),
      bid: bidderReference === undefined ? bid : { ...bid, bidderReference },
      closesAt: dateCopied(read('closesAt')),
      isClosedAuction: event?.bid_type === 'closed',
    };
    return { names, row, copy };
  } catch (error) {
    return { names, issues: [{ path: field, message: `could not be read: ${messageOf(error)}` }] };
  }
}

function isUnreadable(row: BidRow | UnreadableRow): row is UnreadableRow {
  return 'issues' in row && !('amount' in row);
}

function lotOf(lot: LotOrId): LotOrId {
  if (typeof lot !== 'object' || lot === null) return lot;
  if ('lot_id' in lot) {
    const { lot_id, effective_close_at } = lot;
    return { lot_id, ...(effective_close_at !== undefined && { effective_close_at }) };
  }
  const { id, starting_price } = lot;
  const endsAt = 'ends_at' in lot ? lot.ends_at : undefined;
  return { id, starting_price, ...(endsAt !== undefined && { ends_at: endsAt }) };
}

function eventOf(event: BidRow['event']): BidRow['event'] {
  if (typeof event !== 'object' || event === null) return undefined;
  const { bid_increment, ends_at, bid_type } = event;
  return {
    bid_increment,
    ...(ends_at !== undefined && { ends_at }),
    ...(bid_type !== undefined && { bid_type }),
  };
}

function dateCopied<T>(moment: T): T | Date {
  return moment instanceof Date ? new Date(moment.getTime()) : moment;
}

/** Visible ASCII: what looks the same is the same, on every machine and in every spreadsheet. */
const rowIdShape = /^[\x21-\x7e](?:[\x20-\x7e]{0,118}[\x21-\x7e])?$/;

function rowIssues({ rowId, closesAt }: RowCopy): InputIssue[] {
  const issues: InputIssue[] = [];
  if (typeof rowId !== 'string' || !rowIdShape.test(rowId)) {
    issues.push({
      path: 'rowId',
      message: 'must be 1 to 120 visible ASCII characters, with spaces inside only',
    });
  } else if (/^\d(?:\.\d+)?E[+-]?\d+$/i.test(rowId)) {
    issues.push({ path: 'rowId', message: 'looks like a long number that a spreadsheet has shortened' });
  }
  if (closesAt !== undefined && momentOf(closesAt) === undefined) {
    issues.push({ path: 'closesAt', message: momentHint });
  }
  return issues;
}
