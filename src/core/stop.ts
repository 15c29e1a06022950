import type { Clock } from '../ports/clock.js';
import { follow } from '../quota/follow.js';

/** Why an attempt or a wait ended before its time. */
export type StopKind = 'aborted' | 'attempt_timeout' | 'deadline' | 'too_late';

/** What a stopped wait or attempt rejects with, inside the core only. */
export class Stopped extends Error {
  readonly kind: StopKind;
  /** The abort reason of the caller's signal. */
  readonly reason: unknown;

  constructor(kind: StopKind, reason?: unknown) {
    super(kind);
    this.kind = kind;
    this.reason = reason;
  }
}

export interface StopSources {
  readonly clock: Clock;
  /** The caller's. */
  readonly signal: AbortSignal | undefined;
  /** On the monotonic clock, in ms. */
  readonly deadlineAt: number;
}

/** One stretch of a call, an attempt or a wait, that can be stopped at any moment. */
export class Stretch {
  readonly #controller = new AbortController();
  readonly #sources: StopSources;
  #rejectRace: (reason: unknown) => void = () => undefined;
  #unfollow: () => void = () => undefined;
  #cancelTimer: () => void = () => undefined;

  /** Limited by the call's deadline only, until `limit()` says more. */
  constructor(sources: StopSources) {
    this.#sources = sources;
    this.#follow(sources.signal);
    this.#arm(Number.POSITIVE_INFINITY);
  }

  /** Fires when the stretch is stopped; its reason is a `Stopped`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Settles with `work`, or at once with `Stopped`, whichever comes first. One race at a time. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#rejectRace = reject;
      if (this.signal.aborted) reject(this.signal.reason);
      work.then(resolve, reject);
    });
  }

  /** From now on at most this many ms, too; `too_late` where something may only leave until then. */
  limit(ms: number, kind: 'attempt_timeout' | 'too_late' = 'attempt_timeout'): void {
    this.#arm(ms, kind);
  }

  /** From now on only the call's deadline limits the time: for bodies that are streamed to the caller. */
  liftTimeout(): void {
    this.#arm(Number.POSITIVE_INFINITY);
  }

  /** Stops it now; whoever works under its signal hears of it. */
  stop(reason: unknown): void {
    this.#controller.abort(reason);
    this.#rejectRace(reason);
  }

  /** Ends the stretch: timers and listeners go. */
  end(): void {
    this.#cancelTimer();
    this.#unfollow();
  }

  #arm(timeout: number, limited: StopKind = 'attempt_timeout'): void {
    this.#cancelTimer();
    const { clock, deadlineAt } = this.#sources;
    const left = Math.max(0, deadlineAt - clock.monotonic());
    const kind: StopKind = timeout < left ? limited : 'deadline';
    const ms = Math.max(0, Math.min(timeout, left));
    if (ms !== Number.POSITIVE_INFINITY) {
      this.#cancelTimer = clock.after(ms, () => this.stop(new Stopped(kind)));
    }
  }

  #follow(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    const stop = () => this.stop(new Stopped('aborted', signal.reason));
    if (signal.aborted) stop();
    else this.#unfollow = follow(signal, stop);
  }
}

/** Waits; `Stopped` ends it early. */
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

/** Settles with `work`; `Stopped` ends the wait for it early. */
export async function within<T>(sources: StopSources, work: Promise<T>): Promise<T> {
  const stretch = new Stretch(sources);
  try {
    return await stretch.race(work);
  } finally {
    stretch.end();
  }
}
