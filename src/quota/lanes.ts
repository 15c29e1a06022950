import { limits } from '../api/formats.js';
import type { Lane } from '../api/operation.js';
import type { InputIssue } from '../errors/local.js';
import type { Turn } from '../ports/quota.js';
import { type DeparturePage, KEPT_MS } from '../store/store.js';

/** How many requests may leave in which time. */
export interface QuotaSettings {
  /** Requests in one window; `Infinity` for no pacing. */
  readonly limit: number;
  /** Requests of each window that only bids may use. */
  readonly reserve: number;
  /** Milliseconds that the service counts over. */
  readonly window: number;
  /** Milliseconds on top of the window, because requests do not arrive as evenly as they leave. */
  readonly margin: number;
}

/** What the service allows (Limits), for a client that places no bids. */
export const defaultQuota: QuotaSettings = {
  limit: limits.requestsPerMinute,
  reserve: 0,
  window: 60_000,
  margin: 1_000,
};

/** A fifth of the window, for clients that place bids. */
export function defaultReserve(limit: number): number {
  return limit === Number.POSITIVE_INFINITY ? 0 : Math.floor(limit / 5);
}

/** Settings, and what the others leave to each lane by them. */
export interface Terms extends QuotaSettings {
  readonly guaranteed: Readonly<Record<Lane, number>>;
}

/** The others leave each lane fewer places together than the limit. */
export function termsOf(settings: QuotaSettings): Terms {
  const { limit, reserve } = settings;
  const share = shareOf(limit);
  const bid = Math.min(reserve, largestReserve(limit));
  return { ...settings, guaranteed: { bid, command: share, read: share, poll: share } };
}

/** What each lane may use in any case, so that no other lane starves it: a fortieth of the window. */
function shareOf(limit: number): number {
  return limit < 10 || limit === Number.POSITIVE_INFINITY ? 0 : Math.ceil(limit / 40);
}

/** Bids that leave in one window at most: the other lanes keep their shares. */
export function bidsPerWindow(limit: number): number {
  return Math.max(1, limit - 3 * shareOf(limit));
}

function largestReserve(limit: number): number {
  return limit === Number.POSITIVE_INFINITY ? 0 : Math.max(0, limit - 1 - 3 * shareOf(limit));
}

/** What is wrong with settings. */
export function quotaIssues({ limit, reserve, window, margin }: QuotaSettings): InputIssue[] {
  const issues: InputIssue[] = [];
  const hasLimit = limit === Number.POSITIVE_INFINITY || (Number.isInteger(limit) && limit >= 1);
  if (!hasLimit) {
    issues.push({ path: 'limit', message: 'must be a whole number from 1, or Infinity for no pacing' });
  } else if (!(Number.isInteger(reserve) && reserve >= 0 && reserve <= largestReserve(limit))) {
    const most = largestReserve(limit);
    issues.push({ path: 'reserve', message: `must be a whole number from 0 to ${most}, with this limit` });
  }
  if (!(Number.isFinite(window) && window > 0)) {
    issues.push({ path: 'window', message: 'must be a positive number of milliseconds' });
  }
  if (!(Number.isFinite(margin) && margin >= 0)) {
    issues.push({ path: 'margin', message: 'must be a number of milliseconds from 0' });
  }
  return issues;
}

/** What keeps to both: the lowest limit, and the largest of everything else that this limit allows. */
export function strictest(one: QuotaSettings, other: QuotaSettings): QuotaSettings {
  const limit = Math.min(one.limit, other.limit);
  return {
    limit,
    reserve: Math.min(Math.max(one.reserve, other.reserve), largestReserve(limit)),
    window: Math.max(one.window, other.window),
    margin: Math.max(one.margin, other.margin),
  };
}

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

  /** Counts a request that leaves, which nobody has counted yet. */
  depart(departure: Departure): void {
    const last = this.#departures.at(-1);
    if (last !== undefined && last.at > departure.at) {
      this.put(departure);
      return;
    }
    this.#used[departure.lane] += 1;
    this.#departures.push(departure);
  }

  /** Whether one more request of this lane may leave, besides those already counted. */
  hasRoom(lane: Lane, { limit, guaranteed }: Terms, used: Readonly<PerLane> = this.#used): boolean {
    let held = used[lane];
    for (const other of LANES) if (other !== lane) held += Math.max(used[other], guaranteed[other]);
    return held < limit;
  }

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
  expire(now: number, { limit, window, margin }: QuotaSettings): void {
    for (;;) {
      const [first] = this.#departures;
      if (first === undefined || first.at + window + margin > now) return;
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
  plan(waiting: Readonly<PerLane>, terms: Terms): readonly Lane[] {
    const used = { ...this.#used };
    const left = { ...waiting };
    const leaving: Lane[] = [];
    for (;;) {
      const lane = LANES.find((each) => left[each] > 0 && this.hasRoom(each, terms, used));
      if (lane === undefined) return leaving;
      leaving.push(lane);
      left[lane] -= 1;
      used[lane] += 1;
    }
  }

  /** From when on one more request of this lane may leave, if nobody else does. */
  freeAt(lane: Lane, terms: Terms): number {
    const used = { ...this.#used };
    let freeAt = Number.NEGATIVE_INFINITY;
    for (const departure of this.#departures) {
      if (this.hasRoom(lane, terms, used)) break;
      used[departure.lane] -= 1;
      freeAt = departure.at + terms.window + terms.margin;
    }
    return freeAt;
  }

  /** When nothing counts any more. */
  emptyAt({ window, margin }: QuotaSettings): number {
    const last = this.#departures.at(-1);
    return last === undefined ? Number.NEGATIVE_INFINITY : last.at + window + margin;
  }
}

/**
 * Requests that wait, in four lanes. Each lane is first in, first out, but bids go by the close of their lot, and among
 * equal closes the buyers take turns.
 */
export class WaitingLine<Waiter> {
  readonly #lanes: Readonly<Record<Lane, Map<Waiter, Turn | undefined>>> = {
    bid: new Map(),
    command: new Map(),
    read: new Map(),
    poll: new Map(),
  };
  /** When each buyer last had a turn, as a count. */
  readonly #served = new Map<string, number>();
  #turns = 0;

  get isEmpty(): boolean {
    return LANES.every((lane) => this.#lanes[lane].size === 0);
  }

  /** How many wait in each lane. */
  get lengths(): Readonly<Record<Lane, number>> {
    const { bid, command, read, poll } = this.#lanes;
    return { bid: bid.size, command: command.size, read: read.size, poll: poll.size };
  }

  /** Whether a request waits in this lane or a higher one. */
  isBefore(lane: Lane): boolean {
    for (const each of LANES) {
      if (this.#lanes[each].size > 0) return true;
      if (each === lane) break;
    }
    return false;
  }

  join(lane: Lane, waiter: Waiter, turn?: Turn): void {
    this.#lanes[lane].set(waiter, turn);
  }

  leave(lane: Lane, waiter: Waiter): void {
    this.#lanes[lane].delete(waiter);
  }

  /** Takes the next of a lane out of the line. */
  takeNext(lane: Lane): Waiter | undefined {
    let next: { waiter: Waiter; turn: Turn | undefined } | undefined;
    for (const [waiter, turn] of this.#lanes[lane]) {
      if (next === undefined || this.#goesBefore(turn, next.turn)) next = { waiter, turn };
    }
    if (next === undefined) return undefined;
    this.#lanes[lane].delete(next.waiter);
    this.#turns += 1;
    if (this.isEmpty) this.#served.clear();
    else if (next.turn !== undefined) this.#served.set(next.turn.buyer, this.#turns);
    return next.waiter;
  }

  /** Requests without a turn are lookups and resends of bids that were sent: they go before new ones. */
  #goesBefore(one: Turn | undefined, other: Turn | undefined): boolean {
    if (one === undefined || other === undefined) return one === undefined && other !== undefined;
    const first = one.closesAt ?? Number.POSITIVE_INFINITY;
    const second = other.closesAt ?? Number.POSITIVE_INFINITY;
    if (first !== second) return first < second;
    return (this.#served.get(one.buyer) ?? 0) < (this.#served.get(other.buyer) ?? 0);
  }
}

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
   * What a page reports, in terms of the monotonic clock. The log's clock is believed within bounds only: what is new left
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
