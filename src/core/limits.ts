import { type InputIssue, InvalidRequestError } from '../errors/local.js';
import type { CallOptions } from './caller.js';

/** How long, and how often, a call may try. */
export interface CallLimits {
  /** Milliseconds for one attempt, the body of its reply included. */
  readonly timeout: number;
  /** Milliseconds for the whole call. */
  readonly deadline: number;
  readonly maxAttempts: number;
}

export const defaultLimits: CallLimits = { timeout: 15_000, deadline: 60_000, maxAttempts: 3 };

/** The limits of one call: the client's, unless its options say otherwise. @throws InvalidRequestError */
export function limitsFor(limits: CallLimits, options: CallOptions, operation: string): CallLimits {
  if (options.signal !== undefined && !(options.signal instanceof AbortSignal)) {
    throw new InvalidRequestError([{ path: 'options.signal', message: 'must be an AbortSignal' }], {
      operation,
    });
  }
  // The client's own limits were checked when it was made.
  if (options.timeout === undefined && options.deadline === undefined && options.maxAttempts === undefined)
    return limits;
  const { timeout = limits.timeout, deadline = limits.deadline, maxAttempts = limits.maxAttempts } = options;
  const issues = limitIssues({ timeout, deadline, maxAttempts }).map(({ path, message }) => ({
    path: `options.${path}`,
    message,
  }));
  if (issues.length > 0) throw new InvalidRequestError(issues, { operation });
  return { timeout, deadline, maxAttempts };
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
