import type { Clock } from '../ports/clock.js';
import type { WarnAbout } from '../runtime/user-code.js';

/** Minimum interval between equal warnings, ms. */
const NOTICE_EVERY_MS = 60_000;

/** Warns each logger of the same thing once a minute at most. */
export class Notices {
  readonly #clock: Clock;
  /** Time at which each logger may get the same warning again, on the monotonic clock. */
  readonly #noticed = new WeakMap<WarnAbout, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  to(loggers: readonly WarnAbout[], message: string, fields: () => Readonly<Record<string, unknown>>): void {
    const now = this.#clock.monotonic();
    for (const warn of new Set(loggers)) {
      const noticed = this.#noticed.get(warn) ?? new Map<string, number>();
      this.#noticed.set(warn, noticed);
      if (now < (noticed.get(message) ?? Number.NEGATIVE_INFINITY)) continue;
      noticed.set(message, now + NOTICE_EVERY_MS);
      warn(message, fields);
    }
  }
}
