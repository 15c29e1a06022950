import type { Attempt } from './attempt.js';
import { callNameOfId } from './call-names.js';
import { type Arrival, Noted } from './noted.js';
import type { WireRequest } from './wire.js';

/** One thing the service committed. */
export interface LedgerEntry {
  /** `bid`, or the kind of the record that a command answered with, such as `sale` or `payment_report`. */
  readonly kind: string;
  /** Operation id, such as `bids.submit` or `A22`. */
  readonly operation: string;
  /** The client's method for it, such as `saleCases.decide`. */
  readonly call: string | null;
  /** Id of the bid or record. */
  readonly recordId: string;
  readonly idempotencyKey: string;
  readonly clientId: string;
  readonly saleId?: string;
  readonly lotId?: string;
  readonly bidId?: string;
  /** INR decimal string. */
  readonly amount?: string;
  /** Server time of the commit, Unix milliseconds. */
  readonly at: number;
}

/** What tests look at afterwards: commits and arrivals, in order. */
export class Records {
  readonly #ledger: LedgerEntry[] = [];
  /** What is to be entered there once somebody asks. */
  readonly #committed: Omit<LedgerEntry, 'call'>[] = [];
  readonly #keep: number;
  /** A ring: the attempt numbered n stands at n modulo its size. */
  readonly #attempts: Noted[] = [];
  readonly #listeners = new Set<(attempt: Attempt) => void>();
  #arrived = 0;

  /** Keeps the latest `keep` attempts; the ledger it keeps for good. */
  constructor(keep: number) {
    this.#keep = keep;
  }

  commit(entry: Omit<LedgerEntry, 'call'>): void {
    this.#committed.push(entry);
  }

  /** Notes an arrival; what comes of it is noted later. */
  arrive(wire: WireRequest, arrival: Arrival): Noted {
    this.#arrived += 1;
    const noted = new Noted(this.#arrived, wire, arrival, this.#tell);
    if (this.#keep > 0) this.#attempts[this.#arrived % this.#keep] = noted;
    this.#tell(noted);
    return noted;
  }

  /** Calls a listener on every arrival, and again whenever more is known of it; the returned function ends that. */
  watch(listener: (attempt: Attempt) => void): () => void {
    // Each watching is one of its own, also where two share a function.
    const own = (attempt: Attempt) => listener(attempt);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  ledger(): LedgerEntry[] {
    for (const entry of this.#committed) {
      this.#ledger.push(Object.freeze({ ...entry, call: callNameOfId(entry.operation) }));
    }
    this.#committed.length = 0;
    return [...this.#ledger];
  }

  /** The attempts that are kept, oldest first, as they stand now. */
  attempts(): Attempt[] {
    const oldest = (this.#arrived + 1) % Math.max(1, this.#keep);
    const inOrder = [...this.#attempts.slice(oldest), ...this.#attempts.slice(0, oldest)];
    return inOrder.filter((noted) => noted !== undefined).map((noted) => noted.attempt());
  }

  readonly #tell = (noted: Noted): void => {
    if (this.#listeners.size === 0) return;
    const attempt = noted.attempt();
    for (const listener of this.#listeners) {
      try {
        listener(attempt);
      } catch {
        // Whoever watches can't stop the service.
      }
    }
  };
}
