/**
 * Who makes a call, as the service tells callers apart. Key id and secret may rotate under it; under another client id
 * the same idempotency key would be another one.
 */
export interface IntentAccount {
  /** Scheme, host and port, and the front-controller segment where there is one. */
  readonly origin: string;
  /** The client's `environment` option; empty where it has none. */
  readonly environment: string;
  readonly clientId: string;
  /** The dealer id of the bid, or of the client; empty where there is none. */
  readonly dealerId: string;
}

/** The body of a call, so that the very same bytes can be sent again. */
export interface IntentBody {
  /** Lowercase hex SHA-256 of all its bytes. */
  readonly sha256: string;
  /** Bytes. */
  readonly length: number;
  /** The body as text; its UTF-8 is what was signed. Absent for a body with a file in it, and once it is never sent again. */
  readonly text?: string;
  /** A file in the body: where it lies, and the JSON around its base64. Read and digested again before it is resent. */
  readonly file?: { readonly path: string; readonly before: string; readonly after: string };
}

/** What a bid is about, for people and for the rule of one unresolved bid on a lot. */
export interface IntendedBid {
  readonly lot: string;
  /** INR decimal string. */
  readonly amount: string;
  readonly bidderReference?: string;
  /** Unix ms in server time after which it is not sent any more. */
  readonly placeBy: number;
  /** Where the bid came in a bulk. */
  readonly row?: { readonly batchId: string; readonly rowId: string };
}

/** One intended effect, written down before anything of it is sent. Plain JSON, and never changed. */
export interface Intent {
  /** The idempotency key: one intent, one key, one string of bytes, one account. */
  readonly key: string;
  readonly account: IntentAccount;
  /** Operation id, such as `A36`, `bids.submit`, or `request`. */
  readonly operation: string;
  /** The effective method. */
  readonly method: 'POST' | 'PATCH' | 'PUT';
  /** Path as it is signed, from `/api/v1` on. */
  readonly path: string;
  /** Canonical query; empty without one. */
  readonly query: string;
  readonly body: IntentBody;
  readonly bid?: IntendedBid;
  /** Local wall-clock time, Unix ms. */
  readonly createdAt: number;
}

/**
 * Where an intent stands:
 * - `prepared`: nothing of it was sent; `unknown`: an attempt may have taken effect;
 * - `quarantined`: what is known contradicts itself, so a person has to look;
 * - `accepted`, `rejected` (bids), `done` (commands), `refused` (recorded nothing), `not_sent`: settled;
 * - `abandoned`: no longer tracked, by an explicit word.
 */
export type IntentState =
  | 'prepared'
  | 'unknown'
  | 'quarantined'
  | 'accepted'
  | 'rejected'
  | 'done'
  | 'refused'
  | 'not_sent'
  | 'abandoned';

/** Whether an intent in this state still needs somebody: journals keep it, and `recover()` looks at it. */
export function isOpen(state: IntentState): boolean {
  return state === 'prepared' || state === 'unknown' || state === 'quarantined';
}

/** Whether it may still be sent, so that its bytes are needed: also what was turned away or never sent can be placed again. */
export function needsBytes(state: IntentState): boolean {
  return isOpen(state) || state === 'refused' || state === 'not_sent';
}

/**
 * Under what an idempotency key is unique: the service's namespace of keys is the environment and the API client (A06).
 */
export function namespaceOf({ origin, environment, clientId }: IntentAccount): string {
  return JSON.stringify([origin, environment, clientId]);
}

/** The bids that must not overtake each other: those of one buyer on one lot. Undefined for commands. */
export function subjectOf({ account, bid }: Pick<Intent, 'account' | 'bid'>): string | undefined {
  return bid === undefined
    ? undefined
    : JSON.stringify([account.dealerId, bid.lot, bid.bidderReference ?? '']);
}
