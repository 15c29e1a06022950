import type { Lane, Turn } from '../ports/quota.js';
import { LANES } from './window.js';

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
    return LANES.slice(0, LANES.indexOf(lane) + 1).some((each) => this.#lanes[each].size > 0);
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
