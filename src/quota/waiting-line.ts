import type { Lane } from '../ports/quota.js';

/** Who waits, in four lanes: the first of a lane goes when nobody waits in a higher one. */
export class WaitingLine<Waiter> {
  readonly #lanes: Readonly<Record<Lane, Set<Waiter>>> = {
    bid: new Set(),
    command: new Set(),
    read: new Set(),
    poll: new Set(),
  };
  readonly #highestFirst = Object.values(this.#lanes);

  get isEmpty(): boolean {
    return this.#highestFirst.every((lane) => lane.size === 0);
  }

  join(lane: Lane, waiter: Waiter): void {
    this.#lanes[lane].add(waiter);
  }

  leave(lane: Lane, waiter: Waiter): void {
    this.#lanes[lane].delete(waiter);
  }

  /** Takes the one whose turn it is out of the line. */
  takeNext(): Waiter | undefined {
    for (const lane of this.#highestFirst) {
      for (const first of lane) {
        lane.delete(first);
        return first;
      }
    }
    return undefined;
  }
}
