import type { SandboxClock } from './clock.js';

/** A rolling window of one minute per client. */
export class RateLimit {
  readonly #clock: SandboxClock;
  readonly #perMinute: number | false;
  readonly #byClient = new Map<string, number[]>();

  constructor(clock: SandboxClock, perMinute: number | false) {
    this.#clock = clock;
    this.#perMinute = perMinute;
  }

  /** Counts a request, unless it is one too many: then the seconds after which there is room. */
  take(clientId: string): number | undefined {
    if (this.#perMinute === false) return undefined;
    const now = this.#clock.monotonic();
    const recent = (this.#byClient.get(clientId) ?? []).filter((at) => now - at < windowMs);
    this.#byClient.set(clientId, recent);
    const oldest = recent[0];
    if (oldest !== undefined && recent.length >= this.#perMinute) {
      return Math.max(1, Math.ceil((oldest + windowMs - now) / 1_000));
    }
    recent.push(now);
    return undefined;
  }
}

const windowMs = 60_000;
