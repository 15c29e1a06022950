import { isLive, type WatchedLot } from './watched-lot.js';

/** How up to date a watch is. */
export interface WatchState {
  /** Lots that are watched, and those of them that are live as far as is known. */
  readonly lots: number;
  readonly live: number;
  /** Age of the oldest status of a live lot, ms; undefined before every live lot was read. */
  readonly staleness: number | undefined;
  /** How old a status of a live lot may get, ms. */
  readonly every: number;
  /** Requests of the last minute, of all watches of the client over these lots. */
  readonly requestsPerMinute: number;
  /**
   * - `kept`: no live lot is older than `every`;
   * - `quota`: others use the request quota, or it is too small for so many lots;
   * - `outage`: the service does not answer;
   * - `starting`: not every live lot has been read yet.
   */
  readonly status: 'kept' | 'quota' | 'outage' | 'starting';
}

/** Facts that the state of a watch is computed from. */
interface WatchFacts {
  readonly lots: Iterable<WatchedLot>;
  readonly every: number;
  /** When requests left in the last minute, on the monotonic clock, ms. */
  readonly departures: readonly number[];
  readonly isOut: boolean;
  /** On the monotonic clock, ms. */
  readonly now: number;
  /** Server time, Unix ms. */
  readonly serverMs: number;
}

const MINUTE_MS = 60_000;

/** A status arrives this long after it was due, ms: the time of a request. */
const LATE_MS = 2_000;

/** How up to date a watch is, and why it is not more. */
export function watchStateOf({ lots, every, departures, isOut, now, serverMs }: WatchFacts): WatchState {
  const all = [...lots];
  const live = all.filter((lot) => isLive(lot, serverMs));
  const read = live.map(({ heardAt }) => now - heardAt).filter(Number.isFinite);
  const staleness = read.length === live.length ? Math.max(0, ...read) : undefined;
  const behind = staleness === undefined ? 'starting' : staleness <= every + LATE_MS ? 'kept' : 'quota';
  return {
    lots: all.length,
    live: live.length,
    staleness,
    every,
    requestsPerMinute: departures.filter((at) => now - at < MINUTE_MS).length,
    status: isOut ? 'outage' : behind,
  };
}
