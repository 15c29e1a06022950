import { isFields } from '../../api/check.js';
import { unknownName } from '../../api/nearest.js';
import type { ClientLimits } from '../../core/caller.js';
import { limitsFor } from '../../core/caller.js';
import { type InputIssue, InvalidRequestError } from '../../errors/local.js';
import { thrownMessage } from '../../errors/thrown.js';
import { bids } from '../../generated/bids.js';
import type { DeriveKey } from '../../intents/derived-key.js';
import { fromPaise, isAmount, toPaise } from '../../money/paise.js';
import type { BidPorts } from '../ports.js';
import { momentHint, momentOf, type PreparedBid, prepareBid } from '../prepare.js';
import type { BidToPlace, PlaceOptions } from '../types.js';
import { invalidRow, type RowFacts } from './results.js';
import type { BidRow, InvalidRow, PlaceAllOptions, UnreadableRow } from './types.js';

/** Rows of a batch before they begin: options, reading, checks, and order. */

/** Options of a batch, checked and complete. */
export interface BatchSettings<R> extends Pick<PlaceAllOptions<R>, 'batchId' | 'signal' | 'onProgress'> {
  readonly concurrency: number;
  readonly onInvalid: 'stop' | 'report';
  /** True if the source is finite: all rows are read and checked before the first bid. */
  readonly readsAhead: boolean;
  readonly dryRun: boolean;
  /** Options of each row's call. */
  readonly place: PlaceOptions;
}

const CONCURRENCY = 100;

/** @throws InvalidRequestError naming every option that can't work */
export function batchSettings<R>(
  limits: ClientLimits,
  source: unknown,
  options: PlaceAllOptions<R>,
): BatchSettings<R> {
  const issues = [...sourceIssues(source), ...optionIssues(options, limits)];
  if (issues.length > 0) {
    throw new InvalidRequestError(issues, { call: 'bids.placeAll', operation: 'bids.placeAll' });
  }
  const { batchId, concurrency = CONCURRENCY, allowUnresolved, confirm, signal, place, onProgress } = options;
  const { dryRun = false } = options;
  const isSure = isSureToEnd(source);
  return {
    batchId,
    concurrency,
    onInvalid: options.onInvalid ?? (isSure ? 'stop' : 'report'),
    readsAhead: isSure || dryRun,
    dryRun,
    signal,
    onProgress,
    place: { ...place, allowUnresolved, confirm },
  };
}

type Rule = readonly [isGood: (value: unknown) => boolean, hint: string];

const yesOrNo: Rule = [(value) => typeof value === 'boolean', 'must be true or false'];

/** All are optional except `batchId`. `signal` and `place` are checked like those of a call. */
const rules: Readonly<Record<keyof PlaceAllOptions<unknown>, Rule | undefined>> = {
  batchId: [
    (value) => typeof value === 'string' && /^[A-Za-z0-9._:-]{1,120}$/.test(value),
    'must be 1 to 120 letters, digits, ".", "_", ":" or "-"',
  ],
  concurrency: [(value) => Number.isInteger(value) && Number(value) >= 1, 'must be a whole number from 1'],
  dryRun: yesOrNo,
  onInvalid: [(value) => value === 'stop' || value === 'report', 'must be "stop" or "report"'],
  allowUnresolved: yesOrNo,
  confirm: yesOrNo,
  signal: undefined,
  place: [isFields, 'must be an object'],
  onProgress: [(value) => typeof value === 'function', 'must be a function'],
};

const rowOptions = ['timeout', 'deadline', 'maxAttempts', 'lane'];

function optionIssues(options: unknown, limits: ClientLimits): InputIssue[] {
  if (!isFields(options)) return [{ path: 'options', message: 'must be an object with a batchId' }];
  const given: Readonly<Record<string, unknown>> = { ...options };
  const known = Object.keys(rules);
  const issues: InputIssue[] = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((path) => ({ path, message: unknownName(path, known, 'option') }));
  for (const [path, rule] of Object.entries(rules)) {
    const isLeftOut = given[path] === undefined && path !== 'batchId';
    if (rule !== undefined && !isLeftOut && !rule[0](given[path])) issues.push({ path, message: rule[1] });
  }
  const place = isFields(given['place']) ? given['place'] : {};
  for (const name of Object.keys(place).filter((one) => !rowOptions.includes(one))) {
    issues.push({
      path: `place.${name}`,
      message: `is not an option of each row; known options: ${rowOptions.join(', ')}`,
    });
  }
  if (issues.length > 0) return issues;
  try {
    limitsFor(
      limits,
      Object.fromEntries([...Object.entries(place), ['signal', given['signal']]]),
      bids.submit,
    );
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    for (const issue of error.issues) {
      const path = issue.path.replace('options.signal', 'signal').replace('options', 'place');
      issues.push({ ...issue, path });
    }
  }
  return issues;
}

function sourceIssues(source: unknown): InputIssue[] {
  // Bytes are iterable, too, and would yield numbers as rows.
  const isFile = typeof source === 'string' || source instanceof URL || source instanceof Uint8Array;
  const hint = isFile ? '; for a CSV file use readBids of vehicle-auction-sdk/csv' : '';
  const isObject = typeof source === 'object' && source !== null;
  if (isObject && !isFile && (Symbol.iterator in source || Symbol.asyncIterator in source)) return [];
  return [{ path: 'rows', message: `must be an iterable or async iterable of rows${hint}` }];
}

function isSureToEnd(source: unknown): boolean {
  if (Array.isArray(source) || source instanceof Set) return true;
  return typeof source === 'object' && source !== null && 'isFinite' in source && source.isFinite === true;
}

/**
 * Number of row ids of a stream to remember. A repeat of an older one is still the same bid, because its key is the
 * same.
 */
const REMEMBERED_IDS = 100_000;

/** Never change this: under another namespace every row of every batch would be a new bid. */
const ROW_NAMESPACE = '2f4c1d0e-7b0a-5c55-9a53-64b8ad9f0c17';

/** The idempotency key of a row. It is the same in every process and on every host. */
export function rowKey(deriveKey: DeriveKey, account: string, batchId: string, rowId: string): string {
  return deriveKey(ROW_NAMESPACE, [account, batchId, rowId]);
}

/** A valid row, frozen when it was read, because its source may reuse its objects. */
export interface Candidate<R> {
  readonly facts: RowFacts<R>;
  readonly bid: PreparedBid;
  /** Earliest known limit for sending it, Unix ms in server time; infinite if none is known. */
  readonly dueAt: number;
  /** Rows of one group are placed one after the other. */
  readonly group: string;
}

/** Checks and freezes rows, and gives each its key. Sends nothing. */
export class RowChecker<R extends BidRow> {
  readonly #parts: BidPorts;
  readonly #settings: BatchSettings<R>;
  /** Row ids, oldest first, with the rows that had them. */
  readonly #ids = new Map<string, string>();
  readonly #remembered: number;
  #position = 0;

  /** @param remembered number of row ids to compare if the source may not end */
  constructor(parts: BidPorts, settings: BatchSettings<R>, remembered = REMEMBERED_IDS) {
    this.#parts = parts;
    this.#settings = settings;
    this.#remembered = settings.readsAhead ? Number.POSITIVE_INFINITY : remembered;
  }

  /** Rows that were read. */
  get rows(): number {
    return this.#position;
  }

  take(row: R | UnreadableRow, deriveKey: DeriveKey): Candidate<R> | InvalidRow<R> {
    this.#position += 1;
    let facts = { batchId: this.#settings.batchId, position: this.#position, row };
    try {
      if (typeof row !== 'object' || row === null) {
        return invalidRow(facts, [{ path: 'row', message: 'must be an object' }]);
      }
      const { line, rowId } = row;
      const named = {
        ...(typeof line === 'number' && { line }),
        ...(typeof rowId === 'string' && { rowId }),
      };
      facts = { ...facts, ...named };
      if (isUnreadable(row)) {
        const issues = row.issues.map(({ path, message }) => ({ path: `${path}`, message: `${message}` }));
        return invalidRow<R>(facts, issues);
      }
      const found = this.#candidateOf({ ...facts, row, ...named, rowId: rowId ?? '' }, deriveKey);
      return Array.isArray(found) ? invalidRow(facts, found) : found;
    } catch (error) {
      // A row may be an object of a class whose fields throw.
      return invalidRow(facts, [{ path: 'row', message: `could not be read: ${thrownMessage(error)}` }]);
    }
  }

  /** Reads each field once, by name, and checks the bid as `place` would. */
  #candidateOf(facts: RowFacts<R>, deriveKey: DeriveKey): Candidate<R> | InputIssue[] {
    const { batchId, place } = this.#settings;
    const { row, rowId } = facts;
    const { event, bidderReference, lot, amount, dealerId, clientBidTime, placeBy } = row;
    const closesAt = momentOf(row.closesAt);
    const issues = rowIdIssues(rowId);
    if (issues.length === 0) issues.push(...this.#repeated(facts));
    if (row.closesAt !== undefined && closesAt === undefined) {
      issues.push({ path: 'closesAt', message: momentHint });
    }
    const fields: BidToPlace = {
      lot,
      event,
      // Normalises the amount: 465000 and 465000.00 are the same bid, so their bytes must not differ.
      amount: isAmount(amount) ? fromPaise(toPaise(amount)) : amount,
      dealerId,
      clientBidTime,
      placeBy,
      ...(bidderReference !== undefined && { bidderReference }),
    };
    const { account } = this.#parts.recording.ledger.parts;
    const options = { ...place, idempotencyKey: rowKey(deriveKey, account, batchId, rowId) };
    try {
      const bid = prepareBid(this.#parts, fields, options, { row: { batchId, rowId }, closesAt });
      if (issues.length > 0) return issues;
      const isClosedAuction = event?.bid_type === 'closed';
      return {
        facts,
        bid,
        dueAt: Math.min(bid.placeBy ?? Number.POSITIVE_INFINITY, bid.closesAt ?? Number.POSITIVE_INFINITY),
        group: isClosedAuction ? `${bid.columns.lot} ${bid.columns.buyer}` : bid.columns.lot,
      };
    } catch (error) {
      if (!(error instanceof InvalidRequestError)) throw error;
      return [...issues, ...error.issues];
    }
  }

  #repeated({ rowId, position, line }: RowFacts<R>): InputIssue[] {
    const before = this.#ids.get(rowId);
    if (before !== undefined) return [{ path: 'rowId', message: `is already used by ${before}` }];
    this.#ids.set(rowId, line === undefined ? `row ${position}` : `line ${line}`);
    const [oldest] = this.#ids.keys();
    if (this.#ids.size > this.#remembered && oldest !== undefined) this.#ids.delete(oldest);
    return [];
  }
}

function isUnreadable(row: BidRow | UnreadableRow): row is UnreadableRow {
  return 'issues' in row && !('amount' in row);
}

/** Visible ASCII, so that ids that look the same are the same on every machine and in every spreadsheet. */
const rowIdShape = /^[\x21-\x7e](?:[\x20-\x7e]{0,118}[\x21-\x7e])?$/;

function rowIdIssues(rowId: unknown): InputIssue[] {
  if (typeof rowId !== 'string' || !rowIdShape.test(rowId)) {
    const message = 'must be 1 to 120 visible ASCII characters, with spaces inside only';
    return [{ path: 'rowId', message }];
  }
  if (!/^\d(?:\.\d+)?E[+-]?\d+$/i.test(rowId)) return [];
  return [{ path: 'rowId', message: 'looks like a long number that a spreadsheet has shortened' }];
}

interface RowGroup<R> {
  /** By ascending amount. */
  readonly rows: Candidate<R>[];
  dueAt: number;
  /** True while one of its rows is being placed. */
  isBusy: boolean;
}

/**
 * Rows that have not begun. In an open auction a higher bid shuts out lower ones, so the rows of one group (a lot)
 * begin one after the other, by ascending amount. The group that is due first goes first. Rows that have begun wait in
 * the lane of the quota, which has its own order.
 */
export class RowQueue<R> {
  readonly #groups = new Map<string, RowGroup<R>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(row: Candidate<R>): void {
    const group = this.#groups.get(row.group) ?? { rows: [], dueAt: row.dueAt, isBusy: false };
    const { paise } = row.bid.columns;
    group.rows.splice(group.rows.findLastIndex(({ bid }) => bid.columns.paise <= paise) + 1, 0, row);
    group.dueAt = Math.min(group.dueAt, row.dueAt);
    this.#groups.set(row.group, group);
    this.#size += 1;
  }

  /** All waiting rows. */
  get waiting(): readonly Candidate<R>[] {
    return [...this.#groups.values()].flatMap(({ rows }) => rows);
  }

  /** The next row that may begin. Its group waits until the row is released. */
  take(): Candidate<R> | undefined {
    let next: RowGroup<R> | undefined;
    for (const group of this.#groups.values()) {
      if (!group.isBusy && (next === undefined || group.dueAt < next.dueAt)) next = group;
    }
    const row = next?.rows.shift();
    if (next === undefined || row === undefined) return undefined;
    next.isBusy = true;
    this.#size -= 1;
    return row;
  }

  release({ group: name }: Candidate<R>): void {
    const group = this.#groups.get(name);
    if (group === undefined) return;
    group.isBusy = false;
    if (group.rows.length === 0) this.#groups.delete(name);
  }

  /** Removes and returns all waiting rows. */
  drain(): Candidate<R>[] {
    this.#size = 0;
    return [...this.#groups.values()].flatMap(({ rows }) => rows.splice(0));
  }
}

/** Reads the rows of a source one at a time. Closing it ends the wait for a row that may never come. */
export class RowReader<T> {
  readonly #source: Iterable<T> | AsyncIterable<T>;
  #iterator: Iterator<T> | AsyncIterator<T> | undefined;
  #isClosed = false;
  #wake: () => void = () => undefined;

  constructor(source: Iterable<T> | AsyncIterable<T>) {
    this.#source = source;
  }

  /**
   * The next row; `done` at the end of the source and once the reader is closed. Rejects with the error of the source.
   */
  next(): Promise<IteratorResult<T, unknown>> {
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve({ done: true, value: undefined });
      if (this.#isClosed) return this.#wake();
      const source = this.#source;
      this.#iterator ??=
        Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
      Promise.resolve(this.#iterator.next()).then(resolve, reject);
    });
  }

  /** Stops reading. The source is closed without waiting for it: it may be stuck. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#wake();
    new Promise((resolve) => resolve(this.#iterator?.return?.())).catch(() => undefined);
  }
}
