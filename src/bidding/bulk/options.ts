import { type InputIssue, InvalidRequestError } from '../../errors/local.js';
import type { PlaceOptions } from '../request.js';
import type { ClosesOf } from './closes.js';
import type { BulkProgress, BulkWarning } from './progress.js';

/** How a batch is placed. */
export interface PlaceAllOptions<R> {
  /**
   * Name of the batch, 1 to 120 letters, digits, `.`, `_`, `:` or `-`: one name, one set of bids. The same rows under
   * the same name are the same bids, however often they are placed; under another name they are new ones.
   */
  readonly batchId: string;
  /**
   * Rows under way at once; 16 when left out. That fills the service's quota at replies of up to eight seconds, and it
   * is how many bids are in doubt when the line breaks.
   */
  readonly concurrency?: number | undefined;
  /**
   * Rows that may be read before they are settled. `all`: the source is read to its end and checked before the first
   * bid leaves; the default for arrays, sets and `readBidsCsv`. Other sources may never end: 500 when left out.
   */
  readonly readAhead?: number | 'all' | undefined;
  /**
   * What a row that is wrong does to the others. `stop`: with `readAhead: 'all'` nothing at all is sent, else nothing
   * more; `report`: the others are placed. `stop` for what is read to its end first, else `report`, when left out.
   */
  readonly onInvalid?: 'stop' | 'report' | undefined;
  /** `refuse`: sends nothing where a row would leave too late, by the plan. `warn` when left out. */
  readonly ifLate?: 'warn' | 'refuse' | undefined;
  /**
   * Where closes come from that no row tells: looked up in hundreds (A11), left unknown, or your own function. Looked up
   * when left out.
   */
  readonly closes?: 'look_up' | 'as_given' | ClosesOf | undefined;
  /** Bids although an earlier bid of the same buyer on the same lot is in doubt, in this batch or before it. */
  readonly overInDoubt?: boolean | undefined;
  /** Stops the batch: no further row is begun, and those under way are settled. As `stop()` does. */
  readonly signal?: AbortSignal | undefined;
  /** For each row's own call: timeout, deadline and attempts, lane, and a signal that aborts what is under way. */
  readonly place?: Omit<PlaceOptions, 'idempotencyKey' | 'overInDoubt'> | undefined;
  /** Told whenever a row settles, and of each new phase. What it throws is logged, and harms nothing. */
  readonly onProgress?: ((progress: BulkProgress<R>) => void) | undefined;
  /** Told at once of what a person should know; warnings are logged, too. */
  readonly onWarning?: ((warning: BulkWarning) => void) | undefined;
}

/** The same, checked, with what was left out. */
export interface BulkSettings<R>
  extends Omit<PlaceAllOptions<R>, 'concurrency' | 'readAhead' | 'onInvalid' | 'ifLate' | 'closes'> {
  readonly concurrency: number;
  readonly readAhead: number;
  readonly onInvalid: 'stop' | 'report';
  readonly ifLate: 'warn' | 'refuse';
  readonly closes: 'look_up' | 'as_given' | ClosesOf;
  readonly overInDoubt: boolean;
}

/** @throws InvalidRequestError naming each option that can't work. */
export function bulkSettings<R>(source: unknown, options: PlaceAllOptions<R>): BulkSettings<R> {
  const issues = [...optionIssues(options), ...sourceIssues(source)];
  if (issues.length > 0) throw new InvalidRequestError(issues, { call: 'bidding.placeAll' });
  const { concurrency = 16, ifLate = 'warn', closes = 'look_up', overInDoubt = false } = options;
  const readAhead = options.readAhead ?? (isSureToEnd(source) ? 'all' : 500);
  const isWhole = readAhead === 'all';
  return {
    ...options,
    concurrency,
    readAhead: isWhole ? Number.POSITIVE_INFINITY : readAhead,
    onInvalid: options.onInvalid ?? (isWhole ? 'stop' : 'report'),
    ifLate,
    closes,
    overInDoubt,
  };
}

interface Rule {
  readonly isGood: (value: unknown) => boolean;
  readonly hint: string;
}

const rules: Readonly<Record<keyof PlaceAllOptions<unknown>, Rule>> = {
  batchId: {
    isGood: (value) => typeof value === 'string' && /^[A-Za-z0-9._:-]{1,120}$/.test(value),
    hint: 'must be 1 to 120 letters, digits, ".", "_", ":" or "-": the name of this set of bids, and of no other',
  },
  concurrency: { isGood: isCount, hint: 'must be a whole number from 1' },
  readAhead: {
    isGood: (value) => value === 'all' || isCount(value),
    hint: 'must be a whole number from 1, or "all"',
  },
  onInvalid: {
    isGood: (value) => value === 'stop' || value === 'report',
    hint: 'must be "stop" or "report"',
  },
  ifLate: { isGood: (value) => value === 'warn' || value === 'refuse', hint: 'must be "warn" or "refuse"' },
  closes: {
    isGood: (value) => value === 'look_up' || value === 'as_given' || typeof value === 'function',
    hint: 'must be "look_up", "as_given" or a function',
  },
  overInDoubt: { isGood: (value) => typeof value === 'boolean', hint: 'must be true or false' },
  signal: { isGood: (value) => value instanceof AbortSignal, hint: 'must be an AbortSignal' },
  place: { isGood: isCallOptions, hint: 'must be an object, without a key: each row has its own' },
  onProgress: { isGood: isFunction, hint: 'must be a function' },
  onWarning: { isGood: isFunction, hint: 'must be a function' },
};

function optionIssues(options: unknown): InputIssue[] {
  if (typeof options !== 'object' || options === null) {
    return [{ path: 'options', message: 'must be an object with a batchId' }];
  }
  const known = Object.keys(rules).join(', ');
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(rules, name));
  return [
    ...unknown.map((path) => ({ path, message: `is not an option; known options: ${known}` })),
    ...Object.entries(rules).flatMap(([path, { isGood, hint }]) => {
      const value: unknown = Reflect.get(options, path);
      const isLeftOut = value === undefined && path !== 'batchId';
      return isLeftOut || isGood(value) ? [] : [{ path, message: hint }];
    }),
  ];
}

function sourceIssues(source: unknown): InputIssue[] {
  const isSource =
    typeof source === 'object' &&
    source !== null &&
    (Symbol.iterator in source || Symbol.asyncIterator in source);
  const hint = fileHint(source);
  if (isSource && hint === undefined) return [];
  const message = `must be an iterable or async iterable of rows${hint === undefined ? '' : `; ${hint}`}`;
  return [{ path: 'rows', message }];
}

/** A file is no row, however it is given. Bytes can be iterated, and would come as rows that are numbers. */
function fileHint(source: unknown): string | undefined {
  if (source instanceof Uint8Array) return 'for the bytes of a file: readBidsCsv(bytes)';
  if (typeof source === 'string' && source.includes('\n'))
    return 'for the text of a file: readBidsCsv([text])';
  return typeof source === 'string' || source instanceof URL ? 'for a file: readBidsCsv(path)' : undefined;
}

/** Our own reader of files says so by itself. */
function isSureToEnd(source: unknown): boolean {
  if (Array.isArray(source) || source instanceof Set) return true;
  return typeof source === 'object' && source !== null && 'isFinite' in source && source.isFinite === true;
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1;
}

function isCallOptions(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !('idempotencyKey' in value);
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
