import type { SandboxClock } from './clock.js';

/** A rolling window of one minute for each of those who are counted. */
export class RateLimit {
  readonly #clock: SandboxClock;
  readonly #perMinute: number | false;
  readonly #arrivals = new Map<string, number[]>();

  constructor(clock: SandboxClock, perMinute: number | false) {
    this.#clock = clock;
    this.#perMinute = perMinute;
  }

  /** Counts a request of somebody, unless it is one too many: then the seconds after which there is room. */
  take(who: string): number | undefined {
    if (this.#perMinute === false) return undefined;
    const now = this.#clock.monotonic();
    let recent = this.#arrivals.get(who);
    if (recent === undefined) {
      recent = [];
      this.#arrivals.set(who, recent);
    }
    const firstRecent = recent.findIndex((at) => now - at < windowMs);
    if (firstRecent !== 0) recent.splice(0, firstRecent < 0 ? recent.length : firstRecent);
    const oldest = recent[0];
    if (oldest !== undefined && recent.length >= this.#perMinute) {
      return Math.max(1, Math.ceil((oldest + windowMs - now) / 1_000));
    }
    recent.push(now);
    return undefined;
  }
}

const windowMs = 60_000;
