import { follow } from '../clock/clock.js';
import type { Clock } from '../ports/clock.js';
import type { Stop } from './transport/transport.js';

/** Why an attempt or a wait ended early. */
export type StopKind = 'aborted' | 'attempt_timeout' | 'deadline' | 'too_late';

/** What a call waits for besides the reply. */
export type Wait = 'quota' | 'credentials' | 'file' | 'journal' | 'key' | 'retry';

/** What a stopped wait or attempt rejects with, inside the SDK only. */
export class Stopped extends Error {
  readonly kind: StopKind;
  /** The abort reason of the caller's signal. */
  readonly reason: unknown;
  /** What the call was waiting for, where it was not the reply. */
  readonly during: Wait | undefined;

  constructor(kind: StopKind, reason?: unknown, during?: Wait) {
    super(kind);
    this.kind = kind;
    this.reason = reason;
    this.during = during;
  }
}

export interface StopSources {
  readonly clock: Clock;
  /** The caller's. */
  readonly signal: AbortSignal | undefined;
  /** On the monotonic clock, in ms. */
  readonly deadlineAt: number;
}

/**
 * Ends one attempt or one wait in time: abort, timeout and the call's deadline share one timer and one signal. No timer
 * runs before `limit()` is called, and no signal is made before it is asked for: that costs more than a signature.
 */
export class Deadline implements Stop {
  readonly #sources: StopSources;
  readonly #unfollow: (() => void) | undefined;
  #controller: AbortController | undefined;
  #rejectRace: ((reason: unknown) => void) | undefined;
  #cancelTimer: (() => void) | undefined;
  /** What is waited for now, besides the reply. */
  during: Wait | undefined;
  /** Why it is over; undefined before. */
  reason: Stopped | undefined;
  onStop: (() => void) | undefined;

  constructor(sources: StopSources, during?: Wait) {
    this.#sources = sources;
    this.during = during;
    const { signal } = sources;
    if (signal === undefined) return;
    const stop = () => this.stop('aborted', signal.reason);
    if (signal.aborted) stop();
    else this.#unfollow = follow(signal, stop);
  }

  /** Fires when the time is over; its reason is a `Stopped`. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.reason !== undefined) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  /** Settles with `work`, or at once with `Stopped`, whichever comes first. One race at a time. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#rejectRace = reject;
      if (this.reason !== undefined) reject(this.reason);
      work.then(resolve, reject);
    });
  }

  /** From now on at most `ms` milliseconds, and never past the call's deadline. */
  limit(ms = Number.POSITIVE_INFINITY, kind: 'attempt_timeout' | 'too_late' = 'attempt_timeout'): void {
    this.#cancelTimer?.();
    const { clock, deadlineAt } = this.#sources;
    const left = Math.max(0, deadlineAt - clock.monotonic());
    const fired: StopKind = ms < left ? kind : 'deadline';
    const wait = Math.max(0, Math.min(ms, left));
    this.#cancelTimer =
      wait === Number.POSITIVE_INFINITY ? undefined : clock.after(wait, () => this.stop(fired));
  }

  /** Stops now, and fires the signal. */
  stop(kind: StopKind, reason?: unknown): void {
    if (this.reason !== undefined) return;
    this.reason = new Stopped(kind, reason, this.during);
    this.onStop?.();
    this.#controller?.abort(this.reason);
    this.#rejectRace?.(this.reason);
  }

  /** Removes the timer and the listeners. Nothing refers to what was waited for any more: a reply is garbage at once. */
  end(): void {
    this.#cancelTimer?.();
    this.#unfollow?.();
    this.#cancelTimer = undefined;
    this.#rejectRace = undefined;
    this.onStop = undefined;
  }
}

/** Settles with `work`; `Stopped` ends the wait early, and fires the signal that `work` is given. */
export async function within<T>(
  sources: StopSources,
  during: Wait,
  work: Promise<T> | ((signal: AbortSignal) => Promise<T>),
): Promise<T> {
  const deadline = new Deadline(sources, during);
  try {
    deadline.limit();
    return await deadline.race(typeof work === 'function' ? work(deadline.signal) : work);
  } finally {
    deadline.end();
  }
}

/** Waits before another attempt or lookup; `Stopped` ends the wait early. */
export async function pause(sources: StopSources, ms: number): Promise<void> {
  let cancel: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    cancel = sources.clock.after(ms, resolve);
  });
  await within(sources, 'retry', over).finally(cancel);
}

/** Settles with `work`, or at once with the reason of the signal when that fires. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const unfollow = follow(signal, () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
    work.then(resolve, reject).finally(unfollow);
  });
}
