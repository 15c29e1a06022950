import type { IntendedBid } from '../../intents/content.js';
import type { BidToPlace } from '../types.js';

/** A row that can be placed, as it was when it was read. */
export interface Candidate<R> {
  /** As it was given. */
  readonly row: R;
  readonly rowId: string;
  readonly position: number;
  readonly line?: number;
  readonly key: string;
  readonly bid: BidToPlace;
  readonly intended: IntendedBid;
  readonly paise: bigint;
  /** `closesAt` of the row, Unix ms in server time. */
  readonly closesAt: number | undefined;
  /** The earliest known limit on when it may leave, Unix ms in server time; infinite where none is known. */
  readonly dueAt: number;
  /** Rows of one chain are placed one after the other. */
  readonly chain: string;
}

interface Chain<R> {
  /** By ascending amount. */
  readonly rows: Candidate<R>[];
  dueAt: number;
  /** One of its rows is being placed. */
  isBusy: boolean;
}

/**
 * Rows that are not begun. In an open auction a higher bid shuts out lower ones, so rows of one chain (a lot) are begun
 * one after the other, by ascending amount; among the chains the one that is due first goes first. Rows that are begun
 * wait in the lane of the quota, which has its own order.
 */
export class RowQueue<R> {
  readonly #chains = new Map<string, Chain<R>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(row: Candidate<R>): void {
    const chain = this.#chains.get(row.chain) ?? { rows: [], dueAt: row.dueAt, isBusy: false };
    chain.rows.splice(chain.rows.findLastIndex(({ paise }) => paise <= row.paise) + 1, 0, row);
    chain.dueAt = Math.min(chain.dueAt, row.dueAt);
    this.#chains.set(row.chain, chain);
    this.#size += 1;
  }

  /** The next row that may be begun; its chain waits until it is released. */
  take(): Candidate<R> | undefined {
    let next: Chain<R> | undefined;
    for (const chain of this.#chains.values()) {
      if (!chain.isBusy && (next === undefined || chain.dueAt < next.dueAt)) next = chain;
    }
    const row = next?.rows.shift();
    if (next === undefined || row === undefined) return undefined;
    next.isBusy = true;
    this.#size -= 1;
    return row;
  }

  release({ chain: name }: Candidate<R>): void {
    const chain = this.#chains.get(name);
    if (chain === undefined) return;
    chain.isBusy = false;
    if (chain.rows.length === 0) this.#chains.delete(name);
  }

  /** Takes out every row that waits. */
  drain(): Candidate<R>[] {
    this.#size = 0;
    return [...this.#chains.values()].flatMap(({ rows }) => rows.splice(0));
  }
}

/** Rows of a source, one by one. Closing it ends the wait for a row that may never come. */
export class RowReader<T> {
  readonly #source: Iterable<T> | AsyncIterable<T>;
  #iterator: Iterator<T> | AsyncIterator<T> | undefined;
  #isClosed = false;
  #wake: () => void = () => undefined;

  constructor(source: Iterable<T> | AsyncIterable<T>) {
    this.#source = source;
  }

  /** The next row; `done` at the end of the source and once the reader is closed. Rejects with what the source throws. */
  next(): Promise<IteratorResult<T, unknown>> {
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve({ done: true, value: undefined });
      if (this.#isClosed) return this.#wake();
      const source = this.#source;
      this.#iterator ??=
        Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
      Promise.resolve(this.#iterator.next()).then(resolve, reject);
    });
  }

  /** Reads no more. The source is closed, and not waited for: it may be stuck. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#wake();
    new Promise((resolve) => resolve(this.#iterator?.return?.())).catch(() => undefined);
  }
}
