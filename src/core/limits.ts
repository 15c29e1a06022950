import type { Operation } from '../api/operation.js';
import { type InputIssue, InvalidRequestError } from '../errors/local.js';
import type { CallOptions } from './caller.js';
import { contextOf } from './context.js';

/** How long, and how often, a call may try. */
export interface CallLimits {
  /** Milliseconds for one attempt, the body of its reply included. */
  readonly timeout: number;
  /** Milliseconds for the whole call. */
  readonly deadline: number;
  readonly maxAttempts: number;
}

export const defaultLimits: CallLimits = { timeout: 15_000, deadline: 60_000, maxAttempts: 3 };

const callOptions = ['signal', 'timeout', 'deadline', 'maxAttempts'];
const mutationOptions = [...callOptions, 'idempotencyKey'];

/** The limits of one call: the client's, unless its options say otherwise. @throws InvalidRequestError */
export function limitsFor(limits: CallLimits, options: CallOptions, operation: Operation): CallLimits {
  const known = operation.effect === 'read' ? callOptions : mutationOptions;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const message = `must be an object with any of ${known.join(', ')}`;
    throw new InvalidRequestError([{ path: 'options', message }], contextOf(operation));
  }
  const issues = optionIssues(options, known);
  const { timeout = limits.timeout, deadline = limits.deadline, maxAttempts = limits.maxAttempts } = options;
  for (const { path, message } of limitIssues({ timeout, deadline, maxAttempts })) {
    issues.push({ path: `options.${path}`, message });
  }
  if (issues.length > 0) throw new InvalidRequestError(issues, contextOf(operation));
  return { timeout, deadline, maxAttempts };
}

function optionIssues(options: object, known: readonly string[]): InputIssue[] {
  const issues = Object.keys(options)
    .filter((key) => !known.includes(key))
    .map((key) => ({
      path: `options.${key}`,
      message: `is not an option here; known options: ${known.join(', ')}`,
    }));
  if ('signal' in options && options.signal !== undefined && !isSignal(options.signal)) {
    issues.push({
      path: 'options.signal',
      message: 'must be an AbortSignal (of an AbortController, its `signal`)',
    });
  }
  return issues;
}

/** By its shape, because a signal of another realm (a test runner's) fails `instanceof`. */
function isSignal(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value;
}

/** What is wrong with limits. */
export function limitIssues({ timeout, deadline, maxAttempts }: CallLimits): InputIssue[] {
  const issues: InputIssue[] = [];
  for (const [path, value] of Object.entries({ timeout, deadline })) {
    if (!(Number.isFinite(value) && value > 0))
      issues.push({ path, message: 'must be a positive number of milliseconds' });
  }
  if (!(Number.isInteger(maxAttempts) && maxAttempts >= 1)) {
    issues.push({ path: 'maxAttempts', message: 'must be a whole number from 1' });
  }
  return issues;
}
