import { type StopSources, within } from '../core/stop.js';
import { JournalError } from '../errors/journal.js';
import type { Clock } from '../ports/clock.js';
import { follow } from '../quota/follow.js';

/** How long a journal is waited for where a call has come to its end, ms. */
const PATIENCE_MS = 5_000;

/** The patience of one call: a journal that has used it up isn't waited for again. */
export class Patience {
  readonly #clock: Clock;
  #leftMs = PATIENCE_MS;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** As `patiently`, with what is left. */
  async with<T>(work: Promise<T>): Promise<T> {
    const from = this.#clock.monotonic();
    try {
      return await patiently(this.#clock, work, this.#leftMs);
    } finally {
      this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.monotonic() - from));
    }
  }
}

/**
 * Settles with `work`, which goes on by itself where a journal takes longer than `ms`: what is known must reach the
 * caller.
 *
 * @throws JournalError where it takes too long
 */
export async function patiently<T>(clock: Clock, work: Promise<T>, ms: number = PATIENCE_MS): Promise<T> {
  let cancel: () => void = () => undefined;
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(ms, () => reject(tooLate(ms)));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}

/**
 * Settles with `work`, which keeps to its limits by itself where it can, and tells what it came to; with `Stopped` where
 * it has not ended a while after them.
 */
export async function notLongAfter<T>(sources: StopSources, work: Promise<T>): Promise<T> {
  const { clock, signal, deadlineAt } = sources;
  const late = new AbortController();
  let cancel: () => void = () => undefined;
  const aborted = () => {
    cancel = clock.after(PATIENCE_MS, () => late.abort(signal?.reason));
  };
  if (signal?.aborted === true) aborted();
  const unfollow = signal === undefined || signal.aborted ? undefined : follow(signal, aborted);
  try {
    return await within({ clock, signal: late.signal, deadlineAt: deadlineAt + PATIENCE_MS }, work);
  } finally {
    cancel();
    unfollow?.();
  }
}

function tooLate(ms: number): JournalError {
  return new JournalError({
    fault: 'unavailable',
    what: `The journal has not answered for ${ms / 1_000} s.`,
    nextStep: 'See what keeps it; it may still be written.',
  });
}
