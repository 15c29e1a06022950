import { type CallbackTimeoutDetails, CallbackTimeoutError } from '../errors/local.js';
import { loggedError } from '../errors/thrown.js';
import type { Clock } from '../ports/clock.js';
import { Deadline } from './timers.js';

/**
 * Functions that users give are called from here, in one of two ways:
 *
 * | | `notify`: report something to them | `ask`: get a result from them |
 * |---|---|---|
 * | used for | `onProgress`, `onError`, `onReport`, a logger | policies, sinks, handlers, providers, sources |
 * | a throw, a rejection | is logged with its stack, and changes nothing | is thrown to the caller |
 * | a hang | is not noticed: it is never awaited | a `CallbackTimeoutError` once the limit has passed |
 * | an abort | does not concern it | ends the wait at once, with `Stopped` |
 */

/** Logs the failure of a callback. */
export type WarnAbout = (message: string, fields: () => Readonly<Record<string, unknown>>) => void;

/**
 * Calls a function that only listens. Never throws and never waits.
 *
 * @param name as users know it, such as `onProgress`
 */
export function notify(name: string, call: () => unknown, warn: WarnAbout): void {
  const failed = (error: unknown) => {
    try {
      warn(`${name} failed; its failure changes nothing`, () => ({ error: loggedError(error) }));
    } catch {
      // A logger that fails has nowhere to report to.
    }
  };
  try {
    const result = call();
    if (isThenable(result)) Promise.resolve(result).catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Limits of a call to a user function. */
export interface AskOptions {
  /** Name in the public API, such as `policy`. */
  readonly name: string;
  readonly clock: Clock;
  /** Timeout, ms; Infinity for none. */
  readonly limit: number;
  /** Ends the wait at once. */
  readonly signal?: AbortSignal | undefined;
  /** Further facts of the `CallbackTimeoutError`. */
  readonly details?: CallbackTimeoutDetails | undefined;
}

/**
 * Calls a function and waits for its answer. A signal that has fired before keeps it from being called.
 *
 * @param call gets a signal that fires when its answer is no longer waited for
 * @throws CallbackTimeoutError once the limit has passed
 * @throws Stopped once the signal fires
 */
export async function ask<T>(
  call: (waiting: { readonly signal: AbortSignal }) => T | PromiseLike<T>,
  { name, clock, limit, signal, details }: AskOptions,
): Promise<T> {
  const deadline = new Deadline({ clock, signal, deadlineAt: Number.POSITIVE_INFINITY }, 'callback');
  try {
    if (deadline.reason !== undefined) throw deadline.reason;
    const answer = call(deadline);
    if (!isThenable(answer)) return answer;
    deadline.limit(limit);
    return await deadline.race(Promise.resolve(answer));
  } catch (error) {
    if (error === deadline.reason && deadline.reason?.kind === 'attempt_timeout') {
      throw new CallbackTimeoutError(name, limit, details);
    }
    throw error;
  } finally {
    deadline.end();
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  );
}
