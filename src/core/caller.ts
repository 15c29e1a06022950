import { isFields } from '../api/check.js';
import { unknownName } from '../api/nearest.js';
import type { Lane, Route } from '../api/operation.js';
import type { CallContext } from '../errors/base.js';
import { type InputIssue, InvalidRequestError, shownValue } from '../errors/local.js';
import type { FileStream, MutationOptions } from '../ports/caller.js';

/** @internal The same object: at run time every web stream has these methods. */
export function fileStream(stream: ReadableStream<Uint8Array>): FileStream {
  return stream as FileStream;
}

/** Limits of a call. */
export interface CallLimits {
  /** Milliseconds for one attempt, the body of its reply included. */
  readonly timeout: number;
  /** Milliseconds for the whole call. */
  readonly deadline: number;
  /** Infinite for a bid without `maxAttempts`. */
  readonly maxAttempts: number;
}

/** The limits of a client, which are the defaults of every call. */
export interface ClientLimits extends Omit<CallLimits, 'maxAttempts'> {
  /** Undefined if the client sets none; then the kind of call decides. */
  readonly maxAttempts: number | undefined;
}

/** The call that an error belongs to. */
export function contextOf(route: Route): Required<Pick<CallContext, 'call' | 'operation' | 'route'>> {
  return { call: route.name, operation: route.id, route: `${route.method} ${route.path}` };
}

export const defaultLimits: ClientLimits = { timeout: 15_000, deadline: 90_000, maxAttempts: undefined };

/** Default attempts of a read or a command. */
const MAX_ATTEMPTS = 3;

/** The client's limits for one kind of call. A bid is tried until its deadline. */
export function limitsOfRoute(limits: ClientLimits, effect: Route['effect']): CallLimits {
  const { maxAttempts = effect === 'bid' ? Number.POSITIVE_INFINITY : MAX_ATTEMPTS } = limits;
  return { timeout: limits.timeout, deadline: limits.deadline, maxAttempts };
}

const baseOptions = ['signal', 'timeout', 'deadline', 'maxAttempts', 'lane'];
const knownOptions: Readonly<Record<Route['effect'], readonly string[]>> = {
  read: [...baseOptions, 'extraQuery', 'strict'],
  bid: [...baseOptions, 'idempotencyKey'],
  command: [...baseOptions, 'idempotencyKey', 'extraQuery', 'extraBody'],
};

const lanes: readonly Lane[] = ['bid', 'command', 'read', 'poll'];

/** Options that a method reads before the call. */
const ownOptions: Readonly<Record<string, readonly string[]>> = {
  'documents.upload': ['waitUntilReady'],
};

/** The limits of one call: the client's, unless its options say otherwise. @throws InvalidRequestError */
export function limitsFor(limits: ClientLimits, options: MutationOptions, route: Route): CallLimits {
  const known = [...knownOptions[route.effect], ...(ownOptions[route.name] ?? [])];
  if (!isFields(options)) {
    const message = `must be an object with any of ${known.join(', ')}`;
    throw new InvalidRequestError([{ path: 'options', message }], contextOf(route));
  }
  const issues = optionIssues(options, route, known);
  const { timeout = limits.timeout } = options;
  const deadline = options.deadline ?? deadlineFor(limits.deadline, options.timeout);
  for (const issue of limitIssues({ timeout, deadline, maxAttempts: options.maxAttempts })) {
    issues.push({ ...issue, path: `options.${issue.path}` });
  }
  if (issues.length > 0) throw new InvalidRequestError(issues, contextOf(route));
  const maxAttempts = options.maxAttempts ?? limits.maxAttempts;
  return limitsOfRoute({ timeout, deadline, maxAttempts }, route.effect);
}

/** A `timeout` longer than the deadline extends the deadline; one that is no number is reported by itself. */
export function deadlineFor(deadline: number, timeout: unknown): number {
  return typeof timeout === 'number' && Number.isFinite(timeout) ? Math.max(deadline, timeout) : deadline;
}

function optionIssues(options: MutationOptions, { effect }: Route, known: readonly string[]): InputIssue[] {
  const issues = Object.keys(options)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: `options.${key}`, message: notHere(key, effect, known) }));
  const { signal, lane } = options;
  if (signal !== undefined && !isSignal(signal)) {
    issues.push({
      path: 'options.signal',
      message: 'must be an AbortSignal (of an AbortController, its `signal`)',
    });
  }
  if (options.strict !== undefined && typeof options.strict !== 'boolean') {
    issues.push({ path: 'options.strict', message: 'must be true or false' });
  }
  if (lane !== undefined && !lanes.includes(lane)) {
    const path = 'options.lane';
    issues.push({ path, message: `must be one of ${lanes.join(', ')}`, ...shownValue(path, lane) });
  }
  return issues;
}

function notHere(key: string, effect: Route['effect'], known: readonly string[]): string {
  if (effect === 'bid' && (key === 'extraBody' || key === 'extraQuery')) {
    return 'cannot be used on bids: a bid has exactly the documented fields';
  }
  return unknownName(key, known, 'option');
}

/** Checks the shape, because a signal of another realm (a test runner's) fails `instanceof`. */
function isSignal(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'aborted' in value &&
    'addEventListener' in value &&
    'removeEventListener' in value
  );
}

/** Lists the problems of limits. */
export function limitIssues({ timeout, deadline, maxAttempts }: ClientLimits): InputIssue[] {
  const issues: InputIssue[] = [];
  for (const [path, value] of Object.entries({ timeout, deadline })) {
    if (!(Number.isFinite(value) && value > 0))
      issues.push({ path, message: 'must be a positive number of milliseconds', ...shownValue(path, value) });
  }
  if (maxAttempts !== undefined && !(Number.isInteger(maxAttempts) && maxAttempts >= 1)) {
    const path = 'maxAttempts';
    issues.push({ path, message: 'must be a whole number from 1', ...shownValue(path, maxAttempts) });
  }
  return issues;
}
