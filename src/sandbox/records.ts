import { callNameOfId } from './call-names.js';

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

/** One request that arrived, whatever became of it. No signature and no secret is in it. */
export interface Attempt {
  /** Its number: 1 for the first request of the sandbox's life. */
  readonly n: number;
  /** Operation id such as `bids.submit` or `A22`; null when no route matched. */
  readonly operation: string | null;
  /** The client's method that makes such a call, such as `saleCases.decide`; null when no route matched. */
  readonly call: string | null;
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  /** The query, decoded: the value of each name, or the list of its values where it was given more than once. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Status answered; `dropped` when the connection was cut before a reply, `pending` while there is none. */
  readonly status: number | 'dropped' | 'pending';
  /** The code answered, such as `BID_ACCEPTED`; null where the reply has none. */
  readonly code: string | null;
  readonly clientId: string | null;
  readonly idempotencyKey: string | null;
  readonly nonce: string | null;
  /** Lower-case hex; null when the body was too large to read. */
  readonly bodySha256: string | null;
  /** `unchecked` where something refused it, or struck it, before its signature was looked at. */
  readonly signature: 'valid' | 'invalid' | 'unchecked';
  /** The mistake that explains a refused signature or timestamp, and what to do; null where nothing simple does. */
  readonly hint: string | null;
  /** What the sandbox measured an invalid signature against: its six lines; null for any other request. */
  readonly canonical: string | null;
  /** Name of the injected fault that struck it. */
  readonly fault: string | null;
  /** The JSON object of the body, long texts and lists cut; null where there was none. */
  readonly request: unknown;
  /** The JSON that was answered, cut the same way and without secrets; null where it was none. */
  readonly reply: unknown;
  /** Server time of arrival, Unix milliseconds. */
  readonly at: number;
}

/** What is learnt of a request after its arrival. */
export type Learnt = Partial<Omit<Attempt, 'n' | 'at'>>;

/** A request that is on its way through the service. */
export interface Noted {
  /** Notes what is learnt of it. */
  learn(learnt: Learnt): void;
  /** What is known of it by now. */
  attempt(): Attempt;
}

/** What tests look at afterwards: commits and arrivals, in order. */
export class Records {
  readonly #ledger: LedgerEntry[] = [];
  readonly #keep: number;
  /** A ring: the attempt numbered n stands at n modulo its size. */
  readonly #attempts: Attempt[] = [];
  readonly #listeners = new Set<(attempt: Attempt) => void>();
  #arrived = 0;

  /** Keeps the latest `keep` attempts; the ledger it keeps for good. */
  constructor(keep: number) {
    this.#keep = keep;
  }

  commit(entry: Omit<LedgerEntry, 'call'>): void {
    this.#ledger.push(Object.freeze({ ...entry, call: callNameOfId(entry.operation) }));
  }

  /** Notes an arrival, and what is learnt of it later. */
  arrive(arrival: Omit<Attempt, 'n'>): Noted {
    this.#arrived += 1;
    const n = this.#arrived;
    const attempt: { -readonly [Field in keyof Attempt]: Attempt[Field] } = { ...arrival, n };
    if (this.#keep > 0) this.#attempts[n % this.#keep] = attempt;
    this.#tell(attempt);
    return {
      learn: (learnt) => {
        Object.assign(attempt, learnt);
        this.#tell(attempt);
      },
      attempt: () => Object.freeze({ ...attempt }),
    };
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
    return [...this.#ledger];
  }

  /** The attempts that are kept, oldest first, as they stand now. */
  attempts(): Attempt[] {
    const oldest = (this.#arrived + 1) % Math.max(1, this.#keep);
    const inOrder = [...this.#attempts.slice(oldest), ...this.#attempts.slice(0, oldest)];
    return inOrder.filter((attempt) => attempt !== undefined).map((attempt) => Object.freeze({ ...attempt }));
  }

  #tell(attempt: Attempt): void {
    for (const listener of this.#listeners) {
      try {
        listener(Object.freeze({ ...attempt }));
      } catch {
        // Whoever watches can't stop the service.
      }
    }
  }
}
