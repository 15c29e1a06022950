import type { JournalEvent } from './journal-watch.js';

interface Lease {
  readonly process: string;
  readonly fence: number;
  /** True time, Unix ms. */
  readonly until: number;
}

/** Who holds which intent, as the rules of leases have it. */
export class Leases {
  /** By key: those that are given out and not given back. */
  readonly #held = new Map<string, Lease>();
  /** By key: the last that was given out. */
  readonly #last = new Map<string, Lease>();

  /** A process has ended, and its leases with it: those of a journal that is in its memory. */
  drop(process: string): void {
    for (const [key, held] of this.#held) if (held.process === process) this.#held.delete(key);
  }

  /** Takes an event over; says what of it breaks the rules. */
  take(
    { process, key, did, fence, ttlMs = 0 }: Omit<JournalEvent, 'order'>,
    now: number,
  ): string | undefined {
    const held = this.#held.get(key);
    const last = this.#last.get(key);
    if (did === 'lease') {
      // Who slept over the answer hears of it when somebody else has taken over already, and nobody works under it.
      if (last !== undefined && fence < last.fence) return undefined;
      const lease = { process, fence, until: now + ttlMs };
      this.#held.set(key, lease);
      this.#last.set(key, lease);
      const isTaken = held !== undefined && held.process !== process && now < held.until;
      return isTaken ? `${process} got the lease of ${key} while ${held.process} had it` : undefined;
    }
    if (did === 'release') {
      if (held?.process === process && held.fence === fence) this.#held.delete(key);
      return undefined;
    }
    const isLost = last !== undefined && last.fence !== fence;
    return isLost ? `${process} wrote about ${key} after ${last.process} had taken over` : undefined;
  }
}
