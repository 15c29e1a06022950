import type { Candidate } from './candidate.js';

/** Rows that must not overtake each other: the next is placed once the one before it is settled. */
interface Chain<R> {
  /** By ascending amount, then as they came. */
  readonly waiting: Candidate<R>[];
  /** Unix ms in server time when the first of them is due; infinite where nothing is known. */
  due: number;
  isBusy: boolean;
  /** The row in doubt that nothing of this chain may overtake. */
  heldBy: Candidate<R> | undefined;
}

/** A row in the order in which rows would go, were nothing to happen meanwhile. */
export interface Turn<R> {
  readonly candidate: Candidate<R>;
  readonly due: number;
  /** Rows of its chain that have to settle before it. */
  readonly behind: number;
}

/**
 * Who goes next. Chains that are due first go first; those of which nothing is known go last, as they came. All bids on
 * a lot are one chain, because a higher one shuts out the lower; only where the auction is known to be closed, each
 * buyer's bids are one of their own.
 */
export class Schedule<R> {
  readonly #chains = new Map<string, Chain<R>>();
  /** Chains whose first row may go, in order. */
  #ready: Chain<R>[] = [];
  /** Those of them whose lot should be closed by now: closes move, so they go too, behind all others. */
  #overdue: Chain<R>[] = [];
  /**
   * How lots are chained: decided when a row of it comes, and kept as long as it has chains, so that no two of them share
   * a buyer.
   */
  readonly #lots = new Map<string, { readonly by: 'lot' | 'buyer'; chains: number }>();
  readonly #closes = new Map<string, number>();
  #waiting = 0;

  /** Rows that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Takes rows in. Returns those that can't go, because their chain is held, with the row that it is held by. */
  add(candidates: readonly Candidate<R>[]): { candidate: Candidate<R>; heldBy: Candidate<R> }[] {
    this.#decideChains(candidates);
    const held: { candidate: Candidate<R>; heldBy: Candidate<R> }[] = [];
    for (const candidate of candidates) {
      const chain = this.#chainOf(candidate);
      if (chain.heldBy !== undefined) held.push({ candidate, heldBy: chain.heldBy });
      else this.#join(chain, candidate);
    }
    this.#sort();
    return held;
  }

  /**
   * The row that goes next; undefined where none may. Call `done` or `hold` once it is settled.
   *
   * @param now Unix ms in server time
   */
  take(now: number): Candidate<R> | undefined {
    let chain = this.#ready.shift();
    for (; chain !== undefined && this.#isOverdue(chain, now); chain = this.#ready.shift()) {
      this.#overdue.push(chain);
    }
    chain ??= this.#overdue.shift();
    const candidate = chain?.waiting.shift();
    if (chain === undefined || candidate === undefined) return undefined;
    chain.isBusy = true;
    this.#waiting -= 1;
    return candidate;
  }

  /** A row is settled: the next of its chain may go. */
  done(candidate: Candidate<R>): void {
    const name = this.#nameOf(candidate);
    const chain = this.#chains.get(name);
    if (chain === undefined) return;
    chain.isBusy = false;
    if (chain.waiting.length === 0) {
      this.#chains.delete(name);
      this.#forgetChain(candidate);
      return;
    }
    chain.due = this.#firstDue(chain);
    const at = this.#ready.findIndex((other) => inOrder(chain, other) < 0);
    this.#ready.splice(at === -1 ? this.#ready.length : at, 0, chain);
  }

  /** A row is in doubt: nothing of its chain goes any more. Returns what waited behind it. */
  hold(candidate: Candidate<R>): Candidate<R>[] {
    const chain = this.#chains.get(this.#nameOf(candidate));
    if (chain === undefined) return [];
    chain.isBusy = false;
    chain.heldBy = candidate;
    return this.#empty(chain);
  }

  /** Takes everything out that waits. */
  drain(): Candidate<R>[] {
    this.#ready = [];
    this.#overdue = [];
    const all = [...this.#chains.values()].flatMap((chain) => this.#empty(chain));
    return all.sort((one, other) => one.position - other.position);
  }

  /** Takes in when lots close, and forgets those that have and are bid on no more; Unix ms in server time. */
  learn(closes: ReadonlyMap<string, number>, now: number): void {
    for (const [lot, close] of this.#closes) {
      if (close < now && !this.#lots.has(lot)) this.#closes.delete(lot);
    }
    for (const [lot, close] of closes) this.#closes.set(lot, close);
    for (const chain of this.#chains.values()) chain.due = this.#firstDue(chain);
    this.#sort();
  }

  /** When the lot of a row closes, as far as is known. */
  closeOf({ closesAt, lotId }: Candidate<R>): number | undefined {
    return closesAt ?? this.#closes.get(lotId);
  }

  /** Every row that waits, in the order in which they would go. */
  turns(): Turn<R>[] {
    const turns = [...this.#chains.values()].flatMap((chain) =>
      chain.waiting.map((candidate, index) => ({
        candidate,
        due: this.#dueOf(candidate),
        chainDue: chain.due,
        behind: index + (chain.isBusy ? 1 : 0),
      })),
    );
    return turns.sort(
      (one, other) =>
        difference(one.chainDue, other.chainDue) ||
        one.behind - other.behind ||
        one.candidate.position - other.candidate.position,
    );
  }

  #decideChains(candidates: readonly Candidate<R>[]): void {
    const told = new Map<string, Set<string>>();
    for (const { lotId, bidType } of candidates) {
      if (this.#lots.has(lotId)) continue;
      const types = told.get(lotId) ?? new Set();
      if (bidType !== undefined) types.add(bidType);
      told.set(lotId, types);
    }
    for (const [lot, types] of told) {
      this.#lots.set(lot, { by: types.has('closed') && !types.has('open') ? 'buyer' : 'lot', chains: 0 });
    }
  }

  #nameOf({ lotId, dealerId, bidderReference }: Candidate<R>): string {
    return this.#lots.get(lotId)?.by === 'buyer'
      ? `buyer ${JSON.stringify([lotId, dealerId ?? '', bidderReference ?? ''])}`
      : `lot ${lotId}`;
  }

  #chainOf(candidate: Candidate<R>): Chain<R> {
    const name = this.#nameOf(candidate);
    const known = this.#chains.get(name);
    if (known !== undefined) return known;
    const chain: Chain<R> = { waiting: [], due: Infinity, isBusy: false, heldBy: undefined };
    this.#chains.set(name, chain);
    const lot = this.#lots.get(candidate.lotId);
    if (lot !== undefined) lot.chains += 1;
    return chain;
  }

  #forgetChain({ lotId }: Candidate<R>): void {
    const lot = this.#lots.get(lotId);
    if (lot === undefined) return;
    lot.chains -= 1;
    if (lot.chains === 0) this.#lots.delete(lotId);
  }

  #join(chain: Chain<R>, candidate: Candidate<R>): void {
    const at = chain.waiting.findIndex((other) => byAmount(candidate, other) < 0);
    chain.waiting.splice(at === -1 ? chain.waiting.length : at, 0, candidate);
    chain.due = Math.min(chain.due, this.#dueOf(candidate));
    this.#waiting += 1;
  }

  #empty(chain: Chain<R>): Candidate<R>[] {
    const rows = chain.waiting.splice(0);
    this.#waiting -= rows.length;
    return rows;
  }

  #sort(): void {
    this.#overdue = [];
    this.#ready = [...this.#chains.values()]
      .filter(({ isBusy, waiting }) => !isBusy && waiting.length > 0)
      .sort(inOrder);
  }

  #isOverdue({ waiting }: Chain<R>, now: number): boolean {
    return waiting.every((candidate) => (this.closeOf(candidate) ?? Infinity) <= now);
  }

  #firstDue({ waiting }: Chain<R>): number {
    return waiting.reduce((due, candidate) => Math.min(due, this.#dueOf(candidate)), Infinity);
  }

  #dueOf(candidate: Candidate<R>): number {
    return Math.min(candidate.placeBy ?? Infinity, this.closeOf(candidate) ?? Infinity);
  }
}

function inOrder<R>(one: Chain<R>, other: Chain<R>): number {
  return difference(one.due, other.due) || positionOf(one) - positionOf(other);
}

/** Two infinities are equal. */
function difference(one: number, other: number): number {
  return one === other ? 0 : one - other;
}

function positionOf<R>({ waiting }: Chain<R>): number {
  return waiting[0]?.position ?? Infinity;
}

function byAmount<R>(one: Candidate<R>, other: Candidate<R>): number {
  if (one.paise === other.paise) return one.position - other.position;
  return one.paise < other.paise ? -1 : 1;
}
