import { type DeparturePage, KEPT_MS } from '../store/store.js';
import { type Departure, type QuotaSettings, strictest } from './lanes.js';

/** The store's clock and ours drift apart by more than this between two looks: one of them was set, or we slept. */
const LEVEL_MS = 1_000;

/** No pause that another process logged holds longer, ms. */
const LONGEST_PAUSE_MS = 60_000;

interface Peer {
  readonly limit: number;
  readonly reserve: number;
  readonly seenAt: number;
}

/** What this process knows of the others that share its quota through a log. */
export class Peers {
  readonly #own: string;
  readonly #others = new Map<string, Peer>();
  /** When the log was last read, and how far its clock was ahead of the monotonic clock then. */
  #read: { readonly at: number; readonly aheadMs: number } | undefined;
  #last = 0;

  constructor(own: string) {
    this.#own = own;
  }

  /** Position of the last entry that was read. */
  get last(): number {
    return this.#last;
  }

  /** How many processes share the quota, this one included. */
  get count(): number {
    return this.#others.size + 1;
  }

  /** Whether all of them have this limit. */
  agree(limit: number): boolean {
    return [...this.#others.values()].every((other) => other.limit === limit);
  }

  /** The lowest limit of all of them, and the largest reserve that this limit allows. */
  strictest(settings: QuotaSettings): QuotaSettings {
    let terms = settings;
    for (const { limit, reserve } of this.#others.values()) {
      terms = strictest(terms, { ...terms, limit, reserve });
    }
    return terms;
  }

  /**
   * What a page tells, in terms of the monotonic clock. The log's clock is believed within bounds only: what is new left
   * after the last look, and where a clock was set meanwhile, it may have left just now.
   */
  read(page: DeparturePage, now: number): { departures: readonly Departure[]; pausedUntil: number } {
    const aheadMs = page.now - now;
    const before = this.#read;
    const wasSet = before !== undefined && Math.abs(aheadMs - before.aheadMs) > LEVEL_MS;
    const oldestMs = before === undefined ? Number.POSITIVE_INFINITY : wasSet ? 0 : now - before.at;
    const departures: Departure[] = [];
    let pausedUntil = Number.NEGATIVE_INFINITY;
    for (const { process, number, lane, ageMs, limit, reserve } of page.entries) {
      const at = now - Math.max(0, Math.min(ageMs, oldestMs));
      if (lane === 'pause') pausedUntil = Math.max(pausedUntil, now + Math.min(-ageMs, LONGEST_PAUSE_MS));
      else departures.push({ id: `${process} ${number}`, lane, at });
      if (process !== this.#own) this.#others.set(process, { limit, reserve, seenAt: at });
    }
    for (const [process, { seenAt }] of this.#others) {
      if (seenAt < now - KEPT_MS) this.#others.delete(process);
    }
    this.#read = { at: now, aheadMs };
    this.#last = page.last;
    return { departures, pausedUntil };
  }
}
