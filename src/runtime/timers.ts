import type { Clock } from '../ports/clock.js';

/** The longest timer of a runtime, 24 days, ms. A longer one would fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, Math.min(ms, MAX_TIMEOUT_MS));
    return () => clearTimeout(timer);
  },
};

/** The machine's own time, with timers that keep no process alive. */
export const backgroundClock: Clock = {
  ...systemClock,
  after: (ms, callback) => {
    const timer: unknown = setTimeout(callback, Math.min(ms, MAX_TIMEOUT_MS));
    // Browsers and Workers number their timers.
    if (
      typeof timer === 'object' &&
      timer !== null &&
      'unref' in timer &&
      typeof timer.unref === 'function'
    ) {
      timer.unref();
    }
    return () => clearTimeout(timer as Parameters<typeof clearTimeout>[0]);
  },
};

/** Resolves in a later turn of the event loop, when what is due now has run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}

const followers = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `listener` once when a signal fires, at once if it has fired already; the returned function ends that. A signal
 * carries one listener for all its followers: a hundred bids under the signal of one batch are no leak and cause no
 * warning.
 */
export function onceAborted(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return nothing;
  if (signal.aborted) {
    listener();
    return nothing;
  }
  let all = followers.get(signal);
  if (all === undefined) {
    all = new Set();
    followers.set(signal, all);
    signal.addEventListener('abort', callAll, { once: true });
  }
  const listeners = all;
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    // The last one takes the signal's own listener with it.
    if (listeners.size === 0 && followers.get(signal) === listeners) {
      followers.delete(signal);
      signal.removeEventListener('abort', callAll);
    }
  };
}

function nothing(): void {}

function callAll(this: AbortSignal): void {
  const all = followers.get(this) ?? [];
  followers.delete(this);
  for (const listener of all) listener();
}

/** Why an attempt or a wait ended early. */
export type StopKind = 'aborted' | 'closed' | 'attempt_timeout' | 'deadline' | 'too_late';

/** What a call waits for, other than the reply. */
export type Wait = 'quota' | 'credentials' | 'file' | 'journal' | 'key' | 'retry' | 'callback';

/** Rejection of a wait or an attempt that was stopped, inside the SDK only. */
export class Stopped extends Error {
  readonly kind: StopKind;
  /** The abort reason of the caller's signal. */
  readonly reason: unknown;
  /** What the call was waiting for; undefined for the reply. */
  readonly during: Wait | undefined;

  constructor(kind: StopKind, reason?: unknown, during?: Wait) {
    super(kind);
    this.kind = kind;
    this.reason = reason;
    this.during = during;
  }
}

/** Signals by which a closing client ends its work. */
export interface Closing {
  /** Ends work that has sent nothing; undefined for work that continues while the client closes. */
  readonly unsent: AbortSignal | undefined;
  /** Ends all work. */
  readonly all: AbortSignal;
}

export interface StopSources {
  readonly clock: Clock;
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;
  /** On the monotonic clock, in ms. */
  readonly deadlineAt: number;
  /** Signals of the client. */
  readonly closing?: Closing | undefined;
  /** True if something may have been sent: the work then continues while the client closes. */
  readonly mayHaveLeft?: boolean | undefined;
}

/**
 * Ends one attempt or one wait in time: abort, timeout and the call's deadline share one timer and one signal. No timer
 * runs before `limit()` is called, and no signal is made before it is asked for: that costs more than a signature.
 */
export class Deadline {
  readonly #sources: StopSources;
  readonly #unfollow: (() => void) | undefined;
  readonly #unfollowAll: (() => void) | undefined;
  readonly #unfollowUnsent: (() => void) | undefined;
  #controller: AbortController | undefined;
  #rejectRace: ((reason: unknown) => void) | undefined;
  #cancelTimer: (() => void) | undefined;
  /** What is waited for now, other than the reply. */
  during: Wait | undefined;
  /** Why it stopped; undefined before. */
  reason: Stopped | undefined;
  /** Called when it stops. */
  onStop: (() => void) | undefined;

  constructor(sources: StopSources, during?: Wait) {
    this.#sources = sources;
    this.during = during;
    const { signal, closing } = sources;
    if (signal !== undefined) this.#unfollow = onceAborted(signal, () => this.stop('aborted', signal.reason));
    if (closing === undefined) return;
    this.#unfollowAll = onceAborted(closing.all, () => this.stop('closed'));
    this.#unfollowUnsent = onceAborted(closing.unsent, () => {
      if (sources.mayHaveLeft !== true) this.stop('closed');
    });
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
  race<T>(work: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#rejectRace = reject;
      if (this.reason !== undefined) reject(this.reason);
      work.then(resolve, reject);
    });
  }

  /** Limits the wait to `ms` milliseconds from now, and never past the call's deadline. */
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

  /** Removes the timer and the listeners. It no longer refers to a result, so a reply can be collected at once. */
  end(): void {
    this.#cancelTimer?.();
    this.#unfollow?.();
    this.#unfollowAll?.();
    this.#unfollowUnsent?.();
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
  let cancel = nothing;
  const over = new Promise<void>((resolve) => {
    cancel = sources.clock.after(ms, resolve);
  });
  await within(sources, 'retry', over).finally(cancel);
}

/** Resolves after `ms`, or at once when the signal fires. Never rejects. */
export function sleep(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let cancel = nothing;
    const unfollow = onceAborted(signal, () => {
      cancel();
      resolve();
    });
    if (signal?.aborted === true || ms === Number.POSITIVE_INFINITY) return;
    // Rounded up: a timer of whole milliseconds would fire a fraction too early.
    cancel = clock.after(Math.ceil(ms), () => {
      unfollow();
      resolve();
    });
  });
}

/** Settles with `work`, or at once with the reason of the signal when that fires. */
export function unlessAborted<T>(work: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const unfollow = onceAborted(signal, () => reject(signal?.reason));
    work.then(
      (value) => {
        unfollow();
        resolve(value);
      },
      (error: unknown) => {
        unfollow();
        reject(error);
      },
    );
  });
}

/** Settles with `work`, or with what `late` returns or throws once `ms` have passed. The work itself goes on. */
export function withTimeout<T, L>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  work: PromiseLike<T>,
  late: () => L,
): Promise<T | L> {
  return new Promise<T | L>((resolve, reject) => {
    const cancel =
      ms === Number.POSITIVE_INFINITY
        ? nothing
        : clock.after(ms, () => {
            try {
              resolve(late());
            } catch (error) {
              reject(error);
            }
          });
    work.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}

/** A signal that fires with the first of others, or by hand. Call `release()` or `fire()` when its work is over. */
export class LinkedSignal {
  readonly #controller = new AbortController();
  readonly #unfollow: (() => void)[] = [];
  readonly signal: AbortSignal = this.#controller.signal;

  constructor(...sources: readonly (AbortSignal | undefined)[]) {
    for (const source of sources) {
      this.#unfollow.push(onceAborted(source, () => this.fire(source?.reason)));
    }
  }

  /** Fires, unless it has fired before. */
  fire(reason?: unknown): void {
    this.release();
    this.#controller.abort(reason);
  }

  /** Stops following the other signals. */
  release(): void {
    for (const unfollow of this.#unfollow) unfollow();
  }
}

/** Wakes those who wait for a change. A change while nobody waits is kept for the next wait. */
export class Wakeup {
  #fired = false;
  readonly #waiting = new Set<LinkedSignal>();

  fire(): void {
    this.#fired = true;
    for (const waiting of this.#waiting) waiting.fire();
  }

  /** Resolves at the next change, after `ms`, or when the signal fires. */
  async wait(clock: Clock, ms = Number.POSITIVE_INFINITY, signal?: AbortSignal): Promise<void> {
    if (!this.#fired) {
      const waiting = new LinkedSignal(signal);
      this.#waiting.add(waiting);
      await sleep(clock, ms, waiting.signal);
      this.#waiting.delete(waiting);
      waiting.release();
    }
    this.#fired = false;
  }
}

/** Wakes all who wait for a condition when something has changed. */
export class Changes {
  #wake = nothing;
  #next = this.#renewed();

  notify(): void {
    this.#wake();
    this.#next = this.#renewed();
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.#next;
  }

  #renewed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
