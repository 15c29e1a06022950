/** The port of intents: rows of one account. What they mean is decided in `intents/`; a store only keeps them. */

/** Where an intent is in its life. */
export const INTENT_STATES = [
  /** Recorded; nothing was sent. */
  'ready',
  /** An attempt left, or may have, and its effect is not known. */
  'sent',
  /** Needs manual resolution. */
  'stuck',
  'accepted',
  'rejected',
  /** A command that the service carried out. */
  'done',
  /** The service turned it away and recorded nothing. */
  'refused',
  'not_sent',
  /** Given up by a person while its outcome was unknown. */
  'abandoned',
] as const;

/** Where an intent is in its life. `ready`, `sent` and `stuck` are open, the others settled. */
export type IntentState = (typeof INTENT_STATES)[number];

const OPEN: readonly IntentState[] = ['ready', 'sent', 'stuck'];

export function isOpen(state: IntentState): boolean {
  return OPEN.includes(state);
}

/** What a bid is about, for the guard against a second open bid and for risk limits. */
export interface BidColumns {
  /** Public lot id. */
  readonly lot: string;
  /** The platform's buyer, or the dealer id of a direct dealer. */
  readonly buyer: string;
  /** Amount in paise. */
  readonly paise: bigint;
  /** When the lot closes as the service last said, Unix ms in server time. */
  readonly closesAt?: number | undefined;
}

/** One intent as it is written. */
export interface IntentRow {
  /** Idempotency key; unique within the account. */
  readonly key: string;
  readonly state: IntentState;
  /** Settled for now: a later lookup may still find something else. */
  readonly provisional: boolean;
  /** Takes part in the index that admits one guarded bid per buyer and lot. Only open bids are guarded. */
  readonly guarded: boolean;
  readonly bid?: BidColumns | undefined;
  /** Identifies the `runOnce` that reserved this key. Such rows are shrunk by retention, never deleted. */
  readonly once?: string | undefined;
  /** The process and call that work on a `ready` intent. */
  readonly owner?: string | undefined;
  /** JSON: what is meant, the identity it was recorded under, and the log of everything that happened. */
  readonly content: string;
  /** JSON: the bytes to send, or where they come from. Dropped once they can never be needed again. */
  readonly body?: string | undefined;
}

/** One intent as it is read. */
export interface StoredIntent extends IntentRow {
  /** Position in the order of inserts. */
  readonly id: number;
  /** Counts the saves of this row, from 1. */
  readonly version: number;
  /** Milliseconds since `touchOwner` or a save last named the owner, by the store's clock. */
  readonly ownerSilentMs: number;
  /** Position in the order of settlements; a row that settles again gets a new one. Absent while it is open. */
  readonly settledSequence?: number | undefined;
}

/** When a save happens, by both clocks: retention believes neither alone. */
export interface SaveTime {
  /** Unix ms in server time; undefined where this process doesn't know it yet. */
  readonly serverMs: number | undefined;
  /** Unix ms by the local clock. */
  readonly localMs: number;
}

export interface IntentQuery {
  /** `open`: needs a verdict. `unresolved`: open, or settled provisionally. */
  readonly which: 'open' | 'unresolved' | 'all';
  /** Only ids above this one. */
  readonly after?: number | undefined;
  readonly limit: number;
}

/** The rows of one account, inside a transaction. */
export interface IntentTable {
  get(key: string): Promise<StoredIntent | undefined>;
  /** Rejects (and the transaction with it) where the key exists or a guarded row for the same buyer and lot does. */
  insert(row: IntentRow, at: SaveTime): Promise<StoredIntent>;
  /** Replaces a row whose version is still this one; undefined where it no longer is, and then nothing was written. */
  update(row: IntentRow, version: number, at: SaveTime): Promise<StoredIntent | undefined>;
  /** In the order of inserts. */
  list(query: IntentQuery): Promise<readonly StoredIntent[]>;
  /** In the order of settlements, above this sequence. */
  settledAfter(sequence: number, limit: number): Promise<readonly StoredIntent[]>;
  /** Open bids of one buyer on one lot, guarded or not, in the order of inserts. */
  openBids(lot: string, buyer: string): Promise<readonly StoredIntent[]>;
  /** Bids on these lots (up to 100) that are accepted or may be: open, provisional or abandoned ones too, in the order of inserts. */
  bidsOn(lots: readonly string[]): Promise<readonly StoredIntent[]>;
  /** The latest row that a `runOnce` with this identity reserved. */
  latestOnce(once: string): Promise<StoredIntent | undefined>;
  /**
   * Paise that are at stake for one buyer over all lots, and on one lot over all buyers: the highest open or accepted
   * amount for each buyer and lot, over lots whose last known close has not passed. The bid under `key` counts
   * whatever its state.
   */
  exposure(query: { lot: string; buyer: string; nowMs: number; key: string }): Promise<Exposure>;
  /** Records that this owner is alive, for all its `ready` rows. */
  touchOwner(owner: string): Promise<void>;
  /**
   * Deletes up to `limit` intents that settled before both moments, with their evidence; those of `runOnce` lose body and
   * log instead (`shrink` makes the content that is kept). Open and provisional ones are never touched.
   *
   * @returns how many it deleted or shrank
   */
  prune(
    before: { readonly serverMs: number; readonly localMs: number },
    limit: number,
    shrink: (content: string) => string,
  ): Promise<number>;
}

/** In paise. */
export interface Exposure {
  readonly buyer: bigint;
  readonly lot: bigint;
}
