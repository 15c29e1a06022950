import { AbortedError } from '../errors/connection.js';
import {
  CallbackTimeoutError,
  type InputIssue,
  InvalidRequestError,
  WaitError,
  type WaitFailure,
} from '../errors/local.js';
import type { CallOptions } from '../ports/caller.js';
import { checkMethodOptions, type KnownOptions } from '../runtime/injected.js';
import { LinkedSignal, Stopped, sleep } from '../runtime/timers.js';
import { ask } from '../runtime/user-code.js';
import { gapMs, isTransient, type Pace, pollOptions, retryPause } from './pace.js';

/** Limits of a wait. Times are in milliseconds. */
export interface WaitOptions {
  /** Ends the wait at once, with an `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit of the whole wait; defaults to 10 minutes. */
  readonly deadline?: number | undefined;
  /** Interval between the first two reads; defaults to 1 second. It grows while nothing changes. */
  readonly minInterval?: number | undefined;
  /** Longest interval between two reads; defaults to 15 seconds. */
  readonly maxInterval?: number | undefined;
}

/** Status of a wait after a read: not reached yet, reached, or the reason why it can't be reached. */
export type WaitStatus =
  | 'waiting'
  | 'reached'
  | { readonly reason: Exclude<WaitFailure, 'deadline'>; readonly what: string };

/** A wait: how to read the value and judge it. */
export interface Waiting<T> {
  /** Names the wait in errors, such as `documents.waitUntilReady`. */
  readonly call: string;
  read(options: CallOptions): Promise<T>;
  readonly judge: (value: T) => WaitStatus | Promise<WaitStatus>;
}

const DEADLINE_MS = 600_000;
const MIN_INTERVAL_MS = 1_000;
const MAX_INTERVAL_MS = 15_000;
const GROWTH = 1.5;
const ENDED = 'Waiting longer does not help; read the record and decide.';
const UNKNOWN = 'Read the record and ask the bank what this state means.';
/** Minimum time limit of the last read. */
const LAST_READ_MS = 1_000;

/**
 * Reads until the status is `reached`, and returns that value. Reads in the `poll` lane, so it never delays a bid, and
 * retries reads that fail temporarily.
 *
 * @throws WaitError if its deadline passes, or if `judge` finds that the value can't be reached
 */
export function wait<T>(pace: Pace, waiting: Waiting<T>, options: WaitOptions = {}): Promise<T> {
  const { call } = waiting;
  checkWaitOptions(call, options);
  return pace.during(call, () => readUntil(pace, waiting, options));
}

async function readUntil<T>(pace: Pace, waiting: Waiting<T>, options: WaitOptions): Promise<T> {
  const { call, read, judge } = waiting;
  const { deadline = DEADLINE_MS, minInterval = MIN_INTERVAL_MS } = options;
  const maxInterval = options.maxInterval ?? Math.max(MAX_INTERVAL_MS, minInterval);
  const { clock } = pace;
  const end = clock.monotonic() + deadline;
  const stop = new LinkedSignal(options.signal, pace.over);
  let last: { readonly value: T; readonly text: string } | undefined;
  let failure: unknown;
  let failures = 0;
  let interval = minInterval;
  try {
    for (;;) {
      try {
        const limit = Math.max(end - clock.monotonic(), LAST_READ_MS);
        const asking = { clock, limit, signal: stop.signal };
        const options = { ...pollOptions(stop.signal), deadline: Math.min(limit, pace.deadline) };
        const value = await ask(() => read(options), { ...asking, name: 'read' });
        failures = 0;
        failure = undefined;
        const status = await ask(() => judge(value), { ...asking, name: 'until' });
        if (status === 'reached') return value;
        if (status !== 'waiting') {
          const nextStep = status.reason === 'ended' ? ENDED : UNKNOWN;
          const details = { ...callContext(call), what: status.what, nextStep };
          throw new WaitError(status.reason, { value, state: stateField(value) }, details);
        }
        const text = comparableJson(value);
        interval = text === last?.text ? Math.min(interval * GROWTH, maxInterval) : minInterval;
        last = { value, text };
      } catch (error) {
        if (pace.over.aborted) throw closed(call);
        if (error instanceof Stopped) throw aborted(call, stop.signal.reason);
        const isLate = error instanceof CallbackTimeoutError;
        if (stop.signal.aborted || !(isLate || isTransient(error))) throw error;
        failure = error;
        failures += 1;
      }
      const left = end - clock.monotonic();
      if (left <= 0) break;
      const pause = failures === 0 ? interval : retryPause(failure, failures, pace);
      await sleep(clock, Math.min(Math.max(pause, gapMs(pace)), left), stop.signal);
      if (pace.over.aborted) throw closed(call);
      if (stop.signal.aborted) throw aborted(call, stop.signal.reason);
    }
    const state = stateField(last?.value);
    throw new WaitError(
      'deadline',
      { value: last?.value, state },
      {
        ...callContext(call),
        what: `The expected state was not reached within ${deadline} ms${state === undefined ? '' : `; the state is "${state}"`}.`,
        nextStep: 'It can still be reached: wait again with a longer deadline.',
        ...(failure !== undefined && { cause: failure }),
      },
    );
  } finally {
    stop.fire();
  }
}

function aborted(call: string, cause: unknown): AbortedError {
  return new AbortedError({
    ...callContext(call),
    outcome: 'unknown',
    reason: 'aborted',
    what: 'The wait was aborted.',
    nextStep: 'Call it again to continue waiting.',
    cause,
  });
}

function closed(call: string): AbortedError {
  return new AbortedError({
    ...callContext(call),
    outcome: 'unknown',
    reason: 'closed',
    what: 'The client was closed during the wait.',
    nextStep: 'Make a new client to continue waiting.',
  });
}

/** The context of an error of a method that makes several calls. */
export function callContext(call: string) {
  return { call, operation: call };
}

/** JSON of a value, to detect changes between two reads. */
function comparableJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
}

const waitOptions: KnownOptions<WaitOptions> = {
  signal: true,
  deadline: true,
  minInterval: true,
  maxInterval: true,
};

function checkWaitOptions(call: string, options: WaitOptions): void {
  checkMethodOptions(call, options, waitOptions);
  const issues: InputIssue[] = [];
  for (const name of ['deadline', 'minInterval', 'maxInterval'] as const) {
    const value = options[name];
    if (value !== undefined && !(Number.isFinite(value) && value > 0)) {
      issues.push({ path: `options.${name}`, message: 'must be a positive number of milliseconds' });
    }
  }
  if (issues.length > 0) throw new InvalidRequestError(issues, callContext(call));
}

/** Meaning of a record's states for a wait. */
export interface StateRule {
  /** States that end the wait successfully, such as `ready`. */
  readonly reached: readonly string[];
  /** States before it. Defaults to the state of the first read. */
  readonly before?: readonly string[];
  /** States from which it can no longer be reached. */
  readonly ended?: readonly string[];
}

/** Judges by state. A state that the rule does not name ends the wait. */
export function byState(rule: StateRule): (value: { readonly state: string }) => WaitStatus {
  let first: string | undefined;
  return ({ state }) => {
    if (rule.reached.includes(state)) return 'reached';
    const what = `The state became "${state}", not "${rule.reached.join('" or "')}"`;
    if (rule.ended?.includes(state) === true) return { reason: 'ended', what: `${what}.` };
    first ??= state;
    const before = rule.before ?? [first];
    if (before.includes(state)) return 'waiting';
    return { reason: 'unknown_state', what: `${what}; the API doesn't describe it.` };
  };
}

function stateField(value: unknown): string | undefined {
  const state: unknown = Object(value).state;
  return typeof state === 'string' ? state : undefined;
}

/**
 * Reads repeatedly until a value satisfies a condition.
 *
 * @param read makes one read; pass its options on, so that it queues in the `poll` lane and ends with the wait
 * @param until returns true for the expected value
 */
export function waitFor<T>(
  pace: Pace,
  read: (options: CallOptions) => Promise<T>,
  until: (value: T) => boolean | Promise<boolean>,
  options?: WaitOptions,
): Promise<T> {
  for (const [path, given] of Object.entries({ read, until })) {
    if (typeof given !== 'function') {
      throw new InvalidRequestError([{ path, message: 'must be a function' }], callContext('waitFor'));
    }
  }
  const judge = async (value: T): Promise<WaitStatus> => ((await until(value)) ? 'reached' : 'waiting');
  return wait(pace, { call: 'waitFor', read, judge }, options);
}
