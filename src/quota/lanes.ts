import { limits } from '../api/formats.js';
import type { Lane } from '../api/operation.js';
import type { InputIssue } from '../errors/local.js';
import type { Turn } from '../ports/quota.js';
import { type DeparturePage, KEPT_MS } from '../store/store.js';

/** Limits of a request quota. */
export interface QuotaSettings {
  /** Requests in one window; `Infinity` for no pacing. */
  readonly limit: number;
  /** Requests of each window that only bids may use. */
  readonly reserve: number;
  /** Length of the window that the service counts, ms. */
  readonly window: number;
  /** Milliseconds added to the window, because requests do not arrive as evenly as they are sent. */
  readonly margin: number;
}

/** Default limits of the service (Limits), for a client that places no bids. */
export const defaultQuota: QuotaSettings = {
  limit: limits.requestsPerMinute,
  reserve: 0,
  window: 60_000,
  margin: 1_000,
};

/** The default reserve of clients that place bids: a fifth of the window. */
export function defaultReserve(limit: number): number {
  return limit === Number.POSITIVE_INFINITY ? 0 : Math.floor(limit / 5);
}

/** Quota settings with the guaranteed share of each lane. */
export interface EffectiveQuota extends QuotaSettings {
  readonly guaranteed: Readonly<Record<Lane, number>>;
}

/** Adds the guarantees. Their sum is below the limit. */
export function effectiveQuotaOf(settings: QuotaSettings): EffectiveQuota {
  const { limit, reserve } = settings;
  const share = shareOf(limit);
  const bid = Math.min(reserve, largestReserve(limit));
  return { ...settings, guaranteed: { bid, command: share, read: share, poll: share } };
}

/** Guaranteed share of a lane, so that no other lane starves it: a fortieth of the window. */
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

/** Lists the problems of quota settings. */
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

/**
 * Combines two settings: the lowest limit, the largest reserve as a share of it, and the largest of everything else. A reserve
 * that was meant for a higher limit would else leave nothing for reads.
 */
export function strictest(one: QuotaSettings, other: QuotaSettings): QuotaSettings {
  const limit = Math.min(one.limit, other.limit);
  const reserve = Math.max(reserveWithin(limit, one), reserveWithin(limit, other));
  return {
    limit,
    reserve: Math.min(reserve, largestReserve(limit)),
    window: Math.max(one.window, other.window),
    margin: Math.max(one.margin, other.margin),
  };
}

/** The same share of another limit. */
function reserveWithin(limit: number, settings: Pick<QuotaSettings, 'limit' | 'reserve'>): number {
  if (limit === settings.limit) return settings.reserve;
  return settings.limit === Number.POSITIVE_INFINITY
    ? 0
    : Math.floor((settings.reserve * limit) / settings.limit);
}

/** One request that counts. Times are on the monotonic clock, in ms. */
export interface Departure {
  readonly id: string;
  readonly lane: Lane;
  /** Time from which it counts, for a window and its margin. */
  readonly at: number;
}

/** The lanes, highest first. */
export const LANES: readonly Lane[] = ['bid', 'command', 'read', 'poll'];

type PerLane = Record<Lane, number>;

/**
 * The requests that count now. A lane may use all free capacity except what is guaranteed to other lanes: polls never use the
 * reserve of bids, and bids never use the share of polls.
 */
export class RollingWindow {
  /** Earliest first. */
  readonly #departures: Departure[] = [];
  /** Recently expired requests, which a longer window would count again. */
  readonly #expired: Departure[] = [];
  readonly #used: PerLane = { bid: 0, command: 0, read: 0, poll: 0 };
  /** Requests that others are presumed to have sent, and the expired ones whose places they took. */
  readonly #presumed = new Map<Departure, Departure>();

  /** Counts a new request. */
  depart(departure: Departure): void {
    const last = this.#departures.at(-1);
    if (last !== undefined && last.at > departure.at) {
      this.put(departure);
      return;
    }
    this.#used[departure.lane] += 1;
    this.#departures.push(departure);
  }

  /** True if one more request of this lane may be sent. */
  hasRoom(lane: Lane, { limit, guaranteed }: EffectiveQuota, used: Readonly<PerLane> = this.#used): boolean {
    let held = used[lane];
    for (const other of LANES) if (other !== lane) held += Math.max(used[other], guaranteed[other]);
    return held < limit;
  }

  /** Counts a request. A known request only moves to a later time. */
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

  /** Removes requests that no longer count. */
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

  /** Counts expired requests again, for a window that became longer. */
  recount(): void {
    for (const departure of this.#expired.splice(0)) this.put(departure);
  }

  /**
   * Counts a request for each one that expired since the last read of the log: another process may have taken its place, and
   * this one can't read that.
   */
  presumeRetaken(lastReadAt: number, now: number, { window, margin }: QuotaSettings): void {
    for (const expired of this.#expired.splice(0)) {
      const wasReadAsExpired = expired.at + window + margin <= lastReadAt;
      if (wasReadAsExpired) {
        this.#expired.push(expired);
        continue;
      }
      const presumed = { id: `instead of ${expired.id}`, lane: expired.lane, at: now };
      this.#presumed.set(presumed, expired);
      this.put(presumed);
    }
  }

  /** Stops counting what was only presumed, as soon as the log can be read. */
  forgetPresumed(): void {
    if (this.#presumed.size === 0) return;
    for (const departure of this.#departures.splice(0)) {
      if (!this.#presumed.has(departure)) this.#departures.push(departure);
      else this.#used[departure.lane] -= 1;
    }
    this.#expired.push(...this.#presumed.values());
    this.#presumed.clear();
  }

  get used(): number {
    return this.#departures.length;
  }

  /** Returns the lanes of the waiting requests that may be sent now, in order. */
  plan(waiting: Readonly<PerLane>, effective: EffectiveQuota): readonly Lane[] {
    const used = { ...this.#used };
    const left = { ...waiting };
    const sendable: Lane[] = [];
    for (;;) {
      const lane = LANES.find((each) => left[each] > 0 && this.hasRoom(each, effective, used));
      if (lane === undefined) return sendable;
      sendable.push(lane);
      left[lane] -= 1;
      used[lane] += 1;
    }
  }

  /** Earliest time at which one more request of this lane may be sent, if no other request is. */
  freeAt(lane: Lane, effective: EffectiveQuota): number {
    const used = { ...this.#used };
    let freeAt = Number.NEGATIVE_INFINITY;
    for (const departure of this.#departures) {
      if (this.hasRoom(lane, effective, used)) break;
      used[departure.lane] -= 1;
      freeAt = departure.at + effective.window + effective.margin;
    }
    return freeAt;
  }

  /** Time at which no request counts any more. */
  emptyAt({ window, margin }: QuotaSettings): number {
    const last = this.#departures.at(-1);
    return last === undefined ? Number.NEGATIVE_INFINITY : last.at + window + margin;
  }
}

/**
 * Queued requests, in four lanes. Each lane is first in, first out, except that bids are ordered by the close of their lot.
 * Among equal closes, bids that were sent before go first, and buyers alternate.
 */
export class WaitingLine<Waiter> {
  readonly #lanes: Readonly<Record<Lane, Map<Waiter, Turn | undefined>>> = {
    bid: new Map(),
    command: new Map(),
    read: new Map(),
    poll: new Map(),
  };
  /** Number of the last turn of each buyer. */
  readonly #served = new Map<string, number>();
  #turns = 0;

  get isEmpty(): boolean {
    return LANES.every((lane) => this.#lanes[lane].size === 0);
  }

  /** Queued requests by lane. */
  get lengths(): Readonly<Record<Lane, number>> {
    const { bid, command, read, poll } = this.#lanes;
    return { bid: bid.size, command: command.size, read: read.size, poll: poll.size };
  }

  /** True if a request is queued in this lane or a higher one. */
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

  /** Removes and returns the next request of a lane. */
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

  /** Requests without a turn are lookups and resends of earlier bids: they go before new bids. */
  #goesBefore(one: Turn | undefined, other: Turn | undefined): boolean {
    if (one === undefined || other === undefined) return one === undefined && other !== undefined;
    const first = one.closesAt ?? Number.POSITIVE_INFINITY;
    const second = other.closesAt ?? Number.POSITIVE_INFINITY;
    if (first !== second) return first < second;
    const isResend = one.isResend === true;
    if (isResend !== (other.isResend === true)) return isResend;
    return (this.#served.get(one.buyer) ?? 0) < (this.#served.get(other.buyer) ?? 0);
  }
}

/** If the clocks of store and process drift apart by more than this between two reads, one was set or slept, ms. */
const LEVEL_MS = 1_000;

/** Longest pause that is accepted from another process, ms. */
const LONGEST_PAUSE_MS = 60_000;

interface Peer {
  readonly limit: number;
  readonly reserve: number;
  readonly seenAt: number;
}

/** Other processes that share the quota through a log, as far as this one knows. */
export class Peers {
  readonly #own: string;
  readonly #others = new Map<string, Peer>();
  /** Time of the last read of the log, and the lead of its clock over the monotonic clock then. */
  #read: { readonly at: number; readonly aheadMs: number } | undefined;
  #last = 0;

  constructor(own: string) {
    this.#own = own;
  }

  /** Position of the last entry that was read. */
  get last(): number {
    return this.#last;
  }

  /** Time of the last read, on the monotonic clock; undefined before the first. */
  get readAt(): number | undefined {
    return this.#read?.at;
  }

  /** Number of processes that share the quota, this one included. */
  get count(): number {
    return this.#others.size + 1;
  }

  /** True if all processes have this limit. */
  agree(limit: number): boolean {
    return [...this.#others.values()].every((other) => other.limit === limit);
  }

  /** The lowest limit of all processes, and the largest reserve as a share of it. */
  strictest(settings: QuotaSettings): QuotaSettings {
    const all = [settings, ...this.#others.values()];
    const limit = Math.min(...all.map((each) => each.limit));
    const reserves = all.map((each) => reserveWithin(limit, each));
    return { ...settings, limit, reserve: Math.min(Math.max(...reserves), largestReserve(limit)) };
  }

  /**
   * Converts a page to times on the monotonic clock. The log's clock is trusted only within bounds: new entries were sent
   * after the last read, or just now if a clock was set meanwhile.
   */
  read(page: DeparturePage, now: number): { departures: readonly Departure[]; pausedUntil: number } {
    const aheadMs = page.now - now;
    const before = this.#read;
    const wasSet = before !== undefined && Math.abs(aheadMs - before.aheadMs) > LEVEL_MS;
    const oldestMs = before === undefined ? Number.POSITIVE_INFINITY : wasSet ? 0 : now - before.at;
    const departures: Departure[] = [];
    let pausedUntil = Number.NEGATIVE_INFINITY;
    for (const { process, number, lane, age, limit, reserve } of page.entries) {
      const at = now - Math.max(0, Math.min(age, oldestMs));
      if (lane === 'pause') pausedUntil = Math.max(pausedUntil, now + Math.min(-age, LONGEST_PAUSE_MS));
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
