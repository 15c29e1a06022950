/** One thing the service committed. */
export interface LedgerEntry {
  /** `bid`, or the kind of the record that a command answered with, such as `sale` or `payment_report`. */
  readonly kind: string;
  /** Operation id, such as `bids.submit` or `A22`. */
  readonly operation: string;
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

/** One request that arrived, whatever became of it. */
export interface Attempt {
  /** Operation id such as `bids.submit`; null when no route matched. */
  readonly operation: string | null;
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  /** Status answered; `dropped` when the connection was cut before a reply, `pending` while there is none. */
  readonly status: number | 'dropped' | 'pending';
  readonly clientId: string | null;
  readonly idempotencyKey: string | null;
  readonly nonce: string | null;
  /** Lower-case hex; null when the body was too large to read. */
  readonly bodySha256: string | null;
  /** Server time of arrival, Unix milliseconds. */
  readonly at: number;
  /** The code answered, such as `BID_ACCEPTED`; null where the reply has none. */
  readonly code: string | null;
}

/** What tests look at afterwards: commits and arrivals, in order. Kept for the life of the sandbox. */
export class Records {
  readonly #ledger: LedgerEntry[] = [];
  readonly #attempts: Attempt[] = [];

  commit(entry: LedgerEntry): void {
    this.#ledger.push(Object.freeze({ ...entry }));
  }

  /** Notes an arrival; the returned function notes what is learnt later. */
  arrive(attempt: Attempt): (learnt: Partial<Attempt>) => void {
    const at = this.#attempts.push(Object.freeze({ ...attempt })) - 1;
    return (learnt) => {
      this.#attempts[at] = Object.freeze({ ...(this.#attempts[at] ?? attempt), ...learnt });
    };
  }

  ledger(): LedgerEntry[] {
    return [...this.#ledger];
  }

  attempts(): Attempt[] {
    return [...this.#attempts];
  }
}
