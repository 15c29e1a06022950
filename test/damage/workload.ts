import { createHash } from 'node:crypto';
import type { AuctionInfo } from 'vehicle-auction-sdk/sandbox';

/** One thing that is meant to be done exactly once, whoever does it. */
export type Task = BidTask | BatchTask | VehicleTask;

/** A bid that is placed under its key, which is its id, or that `runOnce` submits. */
export interface BidTask extends PlannedBid {
  readonly kind: 'bid' | 'submit';
  readonly id: string;
}

export interface BatchTask {
  readonly kind: 'batch';
  /** Batch id. */
  readonly id: string;
  readonly rows: readonly (PlannedBid & { readonly rowId: string })[];
}

/** A vehicle that is created, then updated. */
export interface VehicleTask {
  readonly kind: 'vehicle';
  readonly id: string;
  readonly schemaVersion: string | number;
}

export interface PlannedBid {
  readonly lot: string;
  /** INR decimal string. Below the starting price the service rejects it. */
  readonly amount: string;
  /** Unix ms. */
  readonly placeBy: number;
}

/** Lots that a round takes: for four bids, a submitted one and four rows. */
export const LOTS_PER_ROUND = 9;

/** All tasks, and which of them were reported as finished. What the dead left unfinished is part of the next round. */
export class Workload {
  readonly tasks: Task[] = [];
  readonly #finished = new Set<string>();
  readonly #lots: AuctionInfo['lots'];
  readonly #increment: bigint;
  readonly #placeBy: number;
  readonly #schemaVersion: string | number;
  readonly #random: () => number;
  #rounds = 0;
  #before: readonly BidTask[] = [];

  constructor(auction: AuctionInfo, schemaVersion: string | number, random: () => number) {
    this.#lots = auction.lots;
    this.#increment = paiseOf(auction.increment);
    this.#placeBy = auction.closesAt;
    this.#schemaVersion = schemaVersion;
    this.#random = random;
  }

  /** The outcome of this task (of a batch: of one row) is final and was reported. */
  finish(id: string): void {
    this.#finished.add(id);
  }

  /**
   * The tasks of each process in one round: new ones, for one process or for all to race for, and, for all, the
   * unfinished ones of earlier rounds with a few of those that are finished.
   */
  nextRound(processes: number): Task[][] {
    const unfinished = this.tasks.filter((task) => !this.#isFinished(task));
    const again = this.tasks.filter((task) => this.#isFinished(task) && this.#random() * this.#rounds < 0.5);
    const fresh = this.#plan().map((task) => ({ task, taker: Math.floor(this.#random() * processes * 2) }));
    this.tasks.push(...fresh.map(({ task }) => task));
    return Array.from({ length: processes }, (_, index) => [
      ...unfinished,
      ...fresh.filter(({ taker }) => taker >= processes || taker === index).map(({ task }) => task),
      ...again,
    ]);
  }

  #isFinished(task: Task): boolean {
    if (task.kind !== 'batch') return this.#finished.has(task.id);
    return task.rows.every(({ rowId }) => this.#finished.has(rowId));
  }

  #plan(): Task[] {
    const round = this.#rounds;
    this.#rounds += 1;
    const first = round * LOTS_PER_ROUND;
    const bids = this.#lots.slice(first, first + 4).map((lot) => this.#bid(this.#first(lot)));
    // A second bid, higher than the first, which the same process or another one may not have settled yet.
    const higher = this.#before.slice(0, 2).map((bid) => this.#bid(this.#raised(bid)));
    this.#before = bids;
    const submits = this.#lots.slice(first + 4, first + 5).map((lot): BidTask => {
      const planned = this.#first(lot);
      return { kind: 'submit', id: `${planned.lot} ${planned.amount}`, ...planned };
    });
    const rows = this.#lots
      .slice(first + 5, first + LOTS_PER_ROUND)
      .map((lot, index) => ({ rowId: `row-${round}-${index}`, ...this.#first(lot) }));
    const schemaVersion = this.#schemaVersion;
    const vehicles = [0, 1].map(
      (n): VehicleTask => ({ kind: 'vehicle', id: `vehicle-${round}-${n}`, schemaVersion }),
    );
    return [...bids, ...higher, ...submits, { kind: 'batch', id: `batch-${round}`, rows }, ...vehicles];
  }

  #bid(planned: PlannedBid): BidTask {
    return { kind: 'bid', id: uuidOf(`${planned.lot} ${planned.amount}`), ...planned };
  }

  /** Every fifth one is too low. */
  #first({ id, startingPrice }: AuctionInfo['lots'][number]): PlannedBid {
    const paise = paiseOf(startingPrice);
    const amount = this.#random() < 0.2 ? paise - this.#increment : paise;
    return { lot: id, amount: rupeesOf(amount), placeBy: this.#placeBy };
  }

  #raised({ lot, amount, placeBy }: BidTask): PlannedBid {
    return { lot, amount: rupeesOf(paiseOf(amount) + this.#increment), placeBy };
  }
}

function paiseOf(amount: string): bigint {
  const [rupees = '0', paise = ''] = amount.split('.');
  return BigInt(rupees) * 100n + BigInt(paise.padEnd(2, '0'));
}

function rupeesOf(paise: bigint): string {
  return `${paise / 100n}.${String(paise % 100n).padStart(2, '0')}`;
}

/** The same for the same text, and a legal UUID. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
