import type { LotStatusResult } from '../generated/lots.js';
import { ascending } from './pace.js';
import { isHidden, type LotStandings, type Standing, statedStanding, statusIn } from './standing.js';

/** One request for standings: a buyer's, on several lots. */
export interface HiddenRead {
  readonly buyer: string;
  readonly lots: readonly string[];
}

interface HiddenStanding {
  readonly lot: string;
  readonly buyer: string;
  /** The buyer's highest accepted amount in the store. */
  amount: string | null;
  /** The same when the standing was last asked for. */
  askedAmount: string | null;
  /** Time of the last request, on the monotonic clock. */
  askedAt: number;
  inFlight: boolean;
  stated: Standing | undefined;
}

/** The time to the close is divided by this for the interval between two reads of a standing. */
const PART_OF_TIME = 4;
const SHORTEST_MS = 5_000;
/** Interval while the close is unknown. */
const UNKNOWN_CLOSE_MS = 600_000;

/**
 * Standings that only the service knows, because the highest amount of their lot is hidden: when to read them, and what it
 * said. Each is read again after a quarter of the time to the close, and at once after a bid of its buyer was accepted.
 */
export class HiddenStandings {
  readonly #byLot = new Map<string, Map<string, HiddenStanding>>();
  /** Time of the last request, also for another watch, on the monotonic clock. */
  askedAt = Number.NEGATIVE_INFINITY;

  /** The standings of a lot; hidden ones as the service last stated them. */
  complete(lot: string, { standings }: LotStandings): readonly Standing[] {
    if (!standings.some(isHidden)) {
      this.#byLot.delete(lot);
      return standings;
    }
    const earlier = this.#byLot.get(lot);
    const hidden = new Map<string, HiddenStanding>();
    this.#byLot.set(lot, hidden);
    return standings.map((each) => {
      const { bidderReference: buyer, ownAmount } = each;
      if (buyer === null || !isHidden(each)) return each;
      const known = earlier?.get(buyer) ?? {
        lot,
        buyer,
        amount: ownAmount,
        askedAmount: ownAmount,
        askedAt: Number.NEGATIVE_INFINITY,
        inFlight: false,
        stated: undefined,
      };
      known.amount = ownAmount;
      hidden.set(buyer, known);
      if (known.stated !== undefined && known.askedAmount === ownAmount) return known.stated;
      return { ...each, derived: false, standing: known.stated?.standing, doubts: ['not_read'] };
    });
  }

  forget(lot: string): void {
    this.#byLot.delete(lot);
  }

  /**
   * The read that is due, of the buyer who has waited longest.
   *
   * @param timeLeft time to the close of a lot, ms; undefined while it is unknown
   */
  due(now: number, timeLeft: (lot: string) => number | undefined, most: number): HiddenRead | undefined {
    let first: { readonly buyer: string; readonly late: number } | undefined;
    for (const hidden of this.#waiting()) {
      const late = now - dueAt(hidden, timeLeft);
      if (late >= 0 && (first === undefined || late > first.late)) first = { buyer: hidden.buyer, late };
    }
    if (first === undefined) return undefined;
    const { buyer } = first;
    const lots = [...this.#waiting()]
      .filter((hidden) => hidden.buyer === buyer)
      .sort((a, b) => ascending(dueAt(a, timeLeft), dueAt(b, timeLeft)))
      .slice(0, most)
      .map(({ lot }) => lot);
    return { buyer, lots };
  }

  /** When the next read is due, on the monotonic clock. */
  nextDue(timeLeft: (lot: string) => number | undefined): number {
    let next = Number.POSITIVE_INFINITY;
    for (const hidden of this.#waiting()) next = Math.min(next, dueAt(hidden, timeLeft));
    return next;
  }

  /** Records that standings are requested, by this watch or another one. @returns true if any is of this watch */
  ask({ buyer, lots }: HiddenRead, now: number): boolean {
    this.askedAt = now;
    const asked = this.#of(buyer, lots);
    for (const hidden of asked) {
      hidden.inFlight = true;
      hidden.askedAt = now;
      hidden.askedAmount = hidden.amount;
    }
    return asked.length > 0;
  }

  /** Records the end of a read. A read without results failed and is due again. */
  answer({ buyer, lots }: HiddenRead, results: ReadonlyMap<string, LotStatusResult> | undefined): void {
    for (const hidden of this.#of(buyer, lots)) {
      hidden.inFlight = false;
      if (results === undefined) hidden.askedAt = Number.NEGATIVE_INFINITY;
      else hidden.stated = statedStanding(hidden.lot, buyer, statusIn(results.get(hidden.lot)));
    }
  }

  *#waiting(): Generator<HiddenStanding> {
    for (const buyers of this.#byLot.values()) {
      for (const hidden of buyers.values()) if (!hidden.inFlight) yield hidden;
    }
  }

  #of(buyer: string, lots: readonly string[]): readonly HiddenStanding[] {
    return lots.flatMap((lot) => this.#byLot.get(lot)?.get(buyer) ?? []);
  }
}

function dueAt(
  { lot, askedAt, askedAmount, amount }: HiddenStanding,
  timeLeft: (lot: string) => number | undefined,
): number {
  if (amount !== askedAmount) return Number.NEGATIVE_INFINITY;
  const left = timeLeft(lot);
  // After the close the time since then counts: standings change rarely.
  const part = left === undefined ? UNKNOWN_CLOSE_MS : Math.abs(left) / PART_OF_TIME;
  return askedAt + Math.max(part, SHORTEST_MS);
}
