import type { LotStatus } from '../generated/lots.js';
import type { LotStandings, Standing } from './standing.js';
import type { KnownLot } from './watch-options.js';

/** One watched lot: what is known of it, and when it is read again. */
export interface WatchedLot {
  readonly id: string;
  /** Its auction, if known. */
  auction: string | undefined;
  /** Closing time, Unix ms. */
  closesAt: number | undefined;
  /** Time of the last request, on the monotonic clock. */
  askedAt: number;
  /** Time of the last status, on the monotonic clock. */
  heardAt: number;
  changedAt: number;
  inFlight: boolean;
  known: LotStatus | undefined;
  derived: LotStandings | undefined;
  /** Every buyer's standing, as far as it is known. */
  standings: readonly Standing[];
  unavailable: boolean;
  /** True if the service refused it, such as with 404; else it only had no status to give. */
  refused: boolean;
  /** True if it was refused when read alone: it must not fail a batch again. */
  alone: boolean;
}

/** A lot that was never read. */
export function newLot(id: string, { closesAt, auction }: KnownLot): WatchedLot {
  const never = Number.NEGATIVE_INFINITY;
  return {
    id,
    auction,
    closesAt,
    askedAt: never,
    heardAt: never,
    changedAt: never,
    inFlight: false,
    known: undefined,
    derived: undefined,
    standings: [],
    unavailable: false,
    refused: false,
    alone: false,
  };
}

/** A webhook event about a change of lots. */
export interface LotEvent {
  readonly type: string;
  /** `lot_id` or `auction_id` selects the lots to read. */
  readonly data: object;
}

/** The lots that an event or a public id is about; all of them without one. */
export function concernedBy(
  what: string | LotEvent | undefined,
  lots: Iterable<WatchedLot>,
): readonly WatchedLot[] {
  const all = [...lots];
  if (what === undefined) return all;
  const data: { readonly lot_id?: unknown; readonly auction_id?: unknown } =
    typeof what === 'string' ? { lot_id: what } : what.data;
  if (typeof data.lot_id === 'string') return all.filter(({ id }) => id === data.lot_id);
  if (typeof data.auction_id !== 'string') return [];
  return all.filter(({ auction }) => auction === undefined || auction === data.auction_id);
}

/** @param serverMs server time, Unix ms */
export function isLive(lot: WatchedLot, serverMs: number): boolean {
  if (lot.unavailable || lot.known?.auction_state === 'over') return false;
  return lot.closesAt === undefined || lot.closesAt > serverMs;
}

/** The time at which intervals are judged, and the longest interval of a live lot. */
export interface Timing {
  /** On the monotonic clock, ms. */
  readonly now: number;
  /** Server time, Unix ms. */
  readonly serverMs: number;
  /** `every`, or what the polls of a minute allow for so many lots, ms. */
  readonly longest: number;
}

const UNAVAILABLE_MS = 60_000;
/** A lot that is refused when read alone costs a request each time. */
const REFUSED_MS = 600_000;
/** Time after a change in which a lot is read more often, ms. */
const ACTIVE_MS = 60_000;
const MIN_INTERVAL_MS = 1_000;

/** Interval between two reads of a lot, ms. */
export function intervalOf(lot: WatchedLot, { now, serverMs, longest }: Timing): number {
  // A lot without a status is read again by the time to its close; a refused one, less often.
  if (lot.unavailable && lot.refused) return lot.alone ? REFUSED_MS : UNAVAILABLE_MS;
  const asked = intervalBefore(lot.closesAt === undefined ? undefined : lot.closesAt - serverMs);
  const interval = isLive(lot, serverMs) ? Math.min(asked, longest) : asked;
  return now - lot.changedAt < ACTIVE_MS ? Math.max(interval / 3, MIN_INTERVAL_MS) : interval;
}

/** Interval between two reads of a lot by the time left until its close, ms. */
function intervalBefore(left: number | undefined): number {
  if (left === undefined) return 30_000;
  if (left <= -3_600_000) return 300_000;
  if (left <= -120_000) return 60_000;
  if (left <= 0) return 5_000;
  if (left <= 60_000) return MIN_INTERVAL_MS;
  if (left <= 300_000) return 3_000;
  if (left <= 1_800_000) return 10_000;
  return left <= 21_600_000 ? 30_000 : 60_000;
}

/** A lot that can be read, and the part of its interval that has passed. */
export interface Candidate {
  readonly lot: WatchedLot;
  readonly lateness: number;
}

/** Part of the interval after which a lot is read together with those that are due. */
const NEARLY_DUE = 0.5;

/** The lots that are due or nearly due, and not being read. */
export function candidatesOf(lots: Iterable<WatchedLot>, timing: Timing): readonly Candidate[] {
  return [...lots].flatMap((lot) => {
    const lateness = (timing.now - lot.askedAt) / intervalOf(lot, timing);
    return lot.inFlight || lateness < NEARLY_DUE ? [] : [{ lot, lateness }];
  });
}
