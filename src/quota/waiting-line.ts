import type { Lane, Turn } from '../ports/quota.js';

/**
 * Requests that wait, in four lanes: nobody of a lane goes while a higher one waits. In a lane first come, first served;
 * bids by the close of their lot, and among equal closes the buyers in turn.
 */
export class WaitingLine<Waiter> {
  readonly #lanes: Readonly<Record<Lane, Map<Waiter, Turn | undefined>>> = {
    bid: new Map(),
    command: new Map(),
    read: new Map(),
    poll: new Map(),
  };
  readonly #highestFirst = Object.values(this.#lanes);
  /** When each buyer last had a turn, as a count. */
  readonly #served = new Map<string, number>();
  #turns = 0;

  get isEmpty(): boolean {
    return this.#highestFirst.every((lane) => lane.size === 0);
  }

  join(lane: Lane, waiter: Waiter, turn?: Turn): void {
    this.#lanes[lane].set(waiter, turn);
  }

  leave(lane: Lane, waiter: Waiter): void {
    this.#lanes[lane].delete(waiter);
  }

  /** Takes the one whose turn it is out of the line. */
  takeNext(): Waiter | undefined {
    const lane = this.#highestFirst.find(({ size }) => size > 0);
    if (lane === undefined) return undefined;
    let next: { waiter: Waiter; turn: Turn | undefined } | undefined;
    for (const [waiter, turn] of lane) {
      if (next === undefined || this.#isBefore(turn, next.turn)) next = { waiter, turn };
    }
    if (next === undefined) return undefined;
    lane.delete(next.waiter);
    this.#turns += 1;
    if (this.isEmpty) this.#served.clear();
    else if (next.turn !== undefined) this.#served.set(next.turn.buyer, this.#turns);
    return next.waiter;
  }

  /** Requests without a turn are lookups and resends of bids that were sent: they go before new ones. */
  #isBefore(one: Turn | undefined, other: Turn | undefined): boolean {
    if (one === undefined || other === undefined) return one === undefined && other !== undefined;
    const [first, second] = [one, other].map(({ closesAt }) => closesAt ?? Number.POSITIVE_INFINITY);
    if (first !== second) return (first ?? 0) < (second ?? 0);
    return (this.#served.get(one.buyer) ?? 0) < (this.#served.get(other.buyer) ?? 0);
  }
}
