import type { Clock } from '../ports/clock.js';
import { follow } from '../quota/follow.js';
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
 * runs before `limit()` is called, and no signal is made before somebody asks for it: that costs more than a signature.
 */
export class Deadline implements Stop {
  readonly #sources: StopSources;
  readonly #unfollow: (() => void) | undefined;
  #controller: AbortController | undefined;
  #listener: (() => void) | undefined;
  #rejectRace: ((reason: unknown) => void) | undefined;
  #cancelTimer: (() => void) | undefined;
  isStopped = false;
  reason: unknown;

  constructor(sources: StopSources) {
    this.#sources = sources;
    const { signal } = sources;
    if (signal === undefined) return;
    const stop = () => this.stop(new Stopped('aborted', signal.reason));
    if (signal.aborted) stop();
    else this.#unfollow = follow(signal, stop);
  }

  /** Fires when the time is over; its reason is a `Stopped`. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.isStopped) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  listen(listener: (() => void) | undefined): void {
    this.#listener = listener;
  }

  /** Settles with `work`, or at once with `Stopped`, whichever comes first. One race at a time. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#rejectRace = reject;
      if (this.isStopped) reject(this.reason);
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
      wait === Number.POSITIVE_INFINITY ? undefined : clock.after(wait, () => this.stop(new Stopped(fired)));
  }

  /** Stops now, and fires the signal. */
  stop(reason: unknown): void {
    if (this.isStopped) return;
    this.isStopped = true;
    this.reason = reason;
    this.#listener?.();
    this.#controller?.abort(reason);
    this.#rejectRace?.(reason);
  }

  /** Removes the timer and the listeners. Nothing refers to what was waited for any more: a reply is garbage at once. */
  end(): void {
    this.#cancelTimer?.();
    this.#unfollow?.();
    this.#cancelTimer = undefined;
    this.#rejectRace = undefined;
    this.#listener = undefined;
  }
}

/** Settles with `work`; `Stopped` ends the wait early, and fires the signal that `work` is given. */
export async function within<T>(
  sources: StopSources,
  work: Promise<T> | ((signal: AbortSignal) => Promise<T>),
): Promise<T> {
  const deadline = new Deadline(sources);
  try {
    deadline.limit();
    return await deadline.race(typeof work === 'function' ? work(deadline.signal) : work);
  } finally {
    deadline.end();
  }
}

/** Waits; `Stopped` ends the wait early. */
export async function pause(sources: StopSources, ms: number): Promise<void> {
  let cancel: () => void = () => undefined;
  try {
    await within(
      sources,
      new Promise<void>((resolve) => {
        cancel = sources.clock.after(ms, resolve);
      }),
    );
  } finally {
    cancel();
  }
}

/** Settles with `work`; a `Stopped` then names what was being waited for. */
export async function waitingFor<T>(during: Wait, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Stopped ? new Stopped(error.kind, error.reason, during) : error;
  }
}
