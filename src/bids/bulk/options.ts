import { type CallLimits, limitsFor } from '../../core/caller.js';
import { isFields } from '../../core/request/fields.js';
import { type InputIssue, InvalidRequestError } from '../../errors/local.js';
import { bids } from '../../routes/bids.js';
import type { PlaceOptions } from '../types.js';
import type { PlaceAllOptions } from './types.js';

/** Options of a batch, checked and complete. */
export interface BatchSettings<R> {
  readonly batchId: string;
  readonly concurrency: number;
  readonly onInvalid: 'stop' | 'report';
  /** The source is read to its end and checked before the first bid, because it ends for certain. */
  readonly readsAhead: boolean;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: PlaceAllOptions<R>['onProgress'];
  /** What each row is placed with. */
  readonly place: PlaceOptions;
}

const CONCURRENCY = 100;

/** How much longer than a single call a row may take by default, ms: it may wait for the quota after the others. */
const QUOTA_WAIT_MS = 120_000;

/** @throws InvalidRequestError naming every option that can't work */
export function batchSettings<R>(
  limits: CallLimits,
  source: unknown,
  options: PlaceAllOptions<R>,
): BatchSettings<R> {
  const issues = [...sourceIssues(source), ...optionIssues(options, limits)];
  if (issues.length > 0) {
    throw new InvalidRequestError(issues, { call: 'bids.placeAll', operation: 'bids.placeAll' });
  }
  const { batchId, concurrency = CONCURRENCY, allowUnresolved, confirm, signal, place, onProgress } = options;
  const readsAhead = isSureToEnd(source);
  const deadline = Math.max(limits.deadline, place?.timeout ?? 0) + QUOTA_WAIT_MS;
  return {
    batchId,
    concurrency,
    onInvalid: options.onInvalid ?? (readsAhead ? 'stop' : 'report'),
    readsAhead,
    signal,
    onProgress,
    place: { ...place, deadline: place?.deadline ?? deadline, allowUnresolved, confirm },
  };
}

type Rule = readonly [isGood: (value: unknown) => boolean, hint: string];

const yesOrNo: Rule = [(value) => typeof value === 'boolean', 'must be true or false'];

/** All may be left out, except `batchId`; `signal` and `place` are checked as those of a call. */
const rules: Readonly<Record<keyof PlaceAllOptions<unknown>, Rule | undefined>> = {
  batchId: [
    (value) => typeof value === 'string' && /^[A-Za-z0-9._:-]{1,120}$/.test(value),
    'must be 1 to 120 letters, digits, ".", "_", ":" or "-"',
  ],
  concurrency: [(value) => Number.isInteger(value) && Number(value) >= 1, 'must be a whole number from 1'],
  onInvalid: [(value) => value === 'stop' || value === 'report', 'must be "stop" or "report"'],
  allowUnresolved: yesOrNo,
  confirm: yesOrNo,
  signal: undefined,
  place: [isFields, 'must be an object'],
  onProgress: [(value) => typeof value === 'function', 'must be a function'],
};

const callOptions = ['timeout', 'deadline', 'maxAttempts', 'lane'];

function optionIssues(options: unknown, limits: CallLimits): InputIssue[] {
  if (!isFields(options)) return [{ path: 'options', message: 'must be an object with a batchId' }];
  const issues = unknownNames(options, Object.keys(rules), '');
  for (const [path, rule] of Object.entries(rules)) {
    const value: unknown = Reflect.get(options, path);
    const isLeftOut = value === undefined && path !== 'batchId';
    if (rule !== undefined && !isLeftOut && !rule[0](value)) issues.push({ path, message: rule[1] });
  }
  const place: unknown = Reflect.get(options, 'place');
  const given = isFields(place) ? place : {};
  issues.push(...unknownNames(given, callOptions, 'place.'));
  try {
    const own = Object.entries(given).filter(([name]) => callOptions.includes(name));
    const signal: unknown = Reflect.get(options, 'signal');
    limitsFor(limits, Object.fromEntries([...own, ['signal', signal]]), bids.submit);
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    for (const { path, message } of error.issues) {
      const isSignal = path === 'options.signal';
      issues.push({ path: isSignal ? 'signal' : path.replace('options', 'place'), message });
    }
  }
  return issues;
}

function unknownNames(given: object, known: readonly string[], prefix: string): InputIssue[] {
  const message = `is not an option here; known options: ${known.join(', ')}`;
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  return unknown.map((name) => ({ path: `${prefix}${name}`, message }));
}

function sourceIssues(source: unknown): InputIssue[] {
  // Bytes can be iterated too, and would come as rows that are numbers.
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
