import { bids } from '../../api/bids.js';
import { limitsFor } from '../../core/limits.js';
import { type InputIssue, InvalidRequestError } from '../../errors/local.js';
import type { BidParts } from '../parts.js';
import type { PlaceOptions } from '../types.js';
import type { PlaceAllOptions } from './types.js';

/** Options of a batch, checked and complete. */
export interface BatchSettings<R> {
  readonly batchId: string;
  readonly concurrency: number;
  readonly onInvalid: 'stop' | 'report';
  /** The source ends for certain, so it is read to its end before the first bid. */
  readonly isFinite: boolean;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: PlaceAllOptions<R>['onProgress'];
  /** What each row is placed with. */
  readonly place: PlaceOptions;
}

const CONCURRENCY = 100;

/** How much longer than a single call a row may take by default, ms: it may wait for the quota behind the others. */
const QUOTA_WAIT_MS = 120_000;

const known = [
  'batchId',
  'concurrency',
  'onInvalid',
  'allowUnresolved',
  'confirm',
  'signal',
  'place',
  'onProgress',
];
const knownLimits = ['timeout', 'deadline', 'maxAttempts', 'lane'];

/** @throws InvalidRequestError naming every option that can't work */
export function batchSettings<R>(
  { limits }: Pick<BidParts, 'limits'>,
  source: unknown,
  options: PlaceAllOptions<R>,
): BatchSettings<R> {
  const issues = [...sourceIssues(source), ...optionIssues(options, limits)];
  if (issues.length > 0) {
    throw new InvalidRequestError(issues, { call: 'bids.placeAll', operation: 'bids.placeAll' });
  }
  const { batchId, concurrency = CONCURRENCY, allowUnresolved, confirm, signal, place, onProgress } = options;
  const isFinite = isSureToEnd(source);
  return {
    batchId,
    concurrency,
    onInvalid: options.onInvalid ?? (isFinite ? 'stop' : 'report'),
    isFinite,
    signal,
    onProgress,
    place: {
      deadline: Math.max(limits.deadline, place?.timeout ?? 0) + QUOTA_WAIT_MS,
      ...place,
      allowUnresolved,
      confirm,
    },
  };
}

function optionIssues(options: unknown, limits: BidParts['limits']): InputIssue[] {
  if (typeof options !== 'object' || options === null) {
    return [{ path: 'options', message: 'must be an object with a batchId' }];
  }
  const given: Readonly<Record<string, unknown>> = { ...options };
  const issues = unknownNames(given, known, '');
  const check = (path: string, isGood: boolean, message: string) => {
    if (!isGood) issues.push({ path, message });
  };
  const { batchId, concurrency, onInvalid, allowUnresolved, confirm, signal, place, onProgress } = given;
  const isBatchId = typeof batchId === 'string' && /^[A-Za-z0-9._:-]{1,120}$/.test(batchId);
  check('batchId', isBatchId, 'must be 1 to 120 letters, digits, ".", "_", ":" or "-"');
  const isCount = concurrency === undefined || (Number.isInteger(concurrency) && Number(concurrency) >= 1);
  check('concurrency', isCount, 'must be a whole number from 1');
  check('onInvalid', [undefined, 'stop', 'report'].includes(textOr(onInvalid)), 'must be "stop" or "report"');
  // A word such as "no" would count as a yes.
  for (const [path, value] of Object.entries({ allowUnresolved, confirm })) {
    check(path, value === undefined || typeof value === 'boolean', 'must be true or false');
  }
  check('onProgress', onProgress === undefined || typeof onProgress === 'function', 'must be a function');
  if (place !== undefined && (typeof place !== 'object' || place === null)) {
    return [...issues, { path: 'place', message: 'must be an object' }];
  }
  return [
    ...issues,
    ...unknownNames({ ...place }, knownLimits, 'place.'),
    ...limitIssues({ ...place, signal }, limits),
  ];
}

function unknownNames(given: object, names: readonly string[], prefix: string): InputIssue[] {
  return Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => ({
      path: `${prefix}${name}`,
      message: `is not an option; known options: ${names.join(', ')}`,
    }));
}

/** What a call would say of these limits. */
function limitIssues(given: object, limits: BidParts['limits']): InputIssue[] {
  const entries = Object.entries(given).filter(([name]) => [...knownLimits, 'signal'].includes(name));
  try {
    limitsFor(limits, Object.fromEntries(entries), bids.operations.submit);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    return error.issues.map(({ path, message }) => ({
      path: path === 'options.signal' ? 'signal' : path.replace('options.', 'place.'),
      message,
    }));
  }
}

function textOr(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}

function sourceIssues(source: unknown): InputIssue[] {
  const isIterable =
    typeof source === 'object' &&
    source !== null &&
    (Symbol.iterator in source || Symbol.asyncIterator in source);
  // Bytes can be iterated too, and would come as rows that are numbers.
  const isFile = typeof source === 'string' || source instanceof URL || source instanceof Uint8Array;
  if (isIterable && !isFile) return [];
  const hint = isFile ? '; for a CSV file use readBids of vehicle-auction-sdk/csv' : '';
  return [{ path: 'rows', message: `must be an iterable or async iterable of rows${hint}` }];
}

function isSureToEnd(source: unknown): boolean {
  if (Array.isArray(source) || source instanceof Set) return true;
  return typeof source === 'object' && source !== null && 'isFinite' in source && source.isFinite === true;
}
