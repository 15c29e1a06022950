import type { Lane } from '../ports/quota.js';
import { guarantees, type QuotaSettings } from './settings.js';

/** One request that counts. Times are of the monotonic clock, in ms. */
export interface Departure {
  readonly id: string;
  readonly lane: Lane;
  /** From when on it counts, for a window and its margin. */
  readonly at: number;
}

/** The lanes, highest first. */
export const LANES: readonly Lane[] = ['bid', 'command', 'read', 'poll'];

type PerLane = Record<Lane, number>;

/**
 * Which requests count at a moment, and so who may leave. A lane may use every place that is free and that no other lane
 * has a guarantee on: so polls never use the reserve of bids, and bids never the last places of polls.
 */
export class RollingWindow {
  /** Earliest first. */
  readonly #departures: Departure[] = [];
  /** The last that counted: a longer window would count them again. */
  readonly #expired: Departure[] = [];
  readonly #used: PerLane = { bid: 0, command: 0, read: 0, poll: 0 };

  /** Counts a request. One that is known already only moves to a later time. */
  put(departure: Departure): void {
    const known = this.#departures.findIndex(({ id }) => id === departure.id);
    if (known >= 0) {
      if ((this.#departures[known]?.at ?? 0) >= departure.at) return;
      this.#departures.splice(known, 1);
    } else {
      this.#used[departure.lane] += 1;
    }
    const before = this.#departures.findLastIndex(({ at }) => at <= departure.at);
    this.#departures.splice(before + 1, 0, departure);
  }

  /** Leaves out what counts no more. */
  expire(now: number, { limit, windowMs, marginMs }: QuotaSettings): void {
    for (;;) {
      const [first] = this.#departures;
      if (first === undefined || first.at + windowMs + marginMs > now) return;
      this.#departures.shift();
      this.#used[first.lane] -= 1;
      this.#expired.push(first);
      if (this.#expired.length > limit) this.#expired.shift();
    }
  }

  /** Counts again what has expired, for a window that became longer. */
  recount(): void {
    for (const departure of this.#expired.splice(0)) this.put(departure);
  }

  get used(): number {
    return this.#departures.length;
  }

  /** Who may leave now, in order, of those who wait. */
  plan(waiting: Readonly<PerLane>, settings: QuotaSettings): readonly Lane[] {
    const used = { ...this.#used };
    const left = { ...waiting };
    const leaving: Lane[] = [];
    for (;;) {
      const lane = LANES.find((each) => left[each] > 0 && hasRoom(each, used, settings));
      if (lane === undefined) return leaving;
      leaving.push(lane);
      left[lane] -= 1;
      used[lane] += 1;
    }
  }

  /** From when on one more request of this lane may leave, if nobody else does. */
  freeAt(lane: Lane, settings: QuotaSettings): number {
    const used = { ...this.#used };
    let freeAt = Number.NEGATIVE_INFINITY;
    for (const departure of this.#departures) {
      if (hasRoom(lane, used, settings)) break;
      used[departure.lane] -= 1;
      freeAt = departure.at + settings.windowMs + settings.marginMs;
    }
    return freeAt;
  }

  /** When nothing counts any more. */
  emptyAt({ windowMs, marginMs }: QuotaSettings): number {
    const last = this.#departures.at(-1);
    return last === undefined ? Number.NEGATIVE_INFINITY : last.at + windowMs + marginMs;
  }
}

function hasRoom(lane: Lane, used: Readonly<PerLane>, settings: QuotaSettings): boolean {
  const guaranteed = guarantees(settings);
  let held = used[lane];
  for (const other of LANES) if (other !== lane) held += Math.max(used[other], guaranteed[other]);
  return held < settings.limit;
}
