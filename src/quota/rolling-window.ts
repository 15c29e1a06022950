import { type QuotaSettings, strictest } from './settings.js';

/**
 * When requests left, and so when the next one may. It remembers as many departures as the limit counts, and no more.
 * Times are of the monotonic clock, in ms.
 */
export class RollingWindow {
  #settings: QuotaSettings;
  /** A ring: the next departure takes the place of the one that left `limit` requests before it. */
  #departures: number[] = [];
  #next = 0;

  constructor(settings: QuotaSettings) {
    this.#settings = settings;
  }

  /** From when on one more request may leave. */
  freeAt(): number {
    const before = this.#departures[this.#next];
    if (before === undefined) return Number.NEGATIVE_INFINITY;
    return before + this.#settings.windowMs + this.#settings.marginMs;
  }

  /** From when on nothing that has left counts any more. */
  emptyAt(): number {
    const { length } = this.#departures;
    const newest = this.#departures[(this.#next + length - 1) % length];
    if (newest === undefined) return Number.NEGATIVE_INFINITY;
    return newest + this.#settings.windowMs + this.#settings.marginMs;
  }

  /** One leaves now. */
  note(now: number): void {
    const { limit } = this.#settings;
    if (limit === Number.POSITIVE_INFINITY) return;
    this.#departures[this.#next] = now;
    this.#next = (this.#next + 1) % limit;
  }

  /** Keeps to further settings too; what has left is remembered. */
  tighten(further: QuotaSettings): void {
    this.#settings = strictest(this.#settings, further);
    const oldestFirst = [...this.#departures.slice(this.#next), ...this.#departures.slice(0, this.#next)];
    this.#departures = oldestFirst.slice(-this.#settings.limit);
    this.#next = this.#departures.length % this.#settings.limit;
  }
}
