import type { Entry } from './entry.js';
import type { Intent, IntentState } from './intent.js';

/** Names an intent: `namespace` is `namespaceOf(intent.account)`. */
export interface IntentId {
  readonly namespace: string;
  readonly key: string;
}

/** Entries to add, and where the intent stands with them. */
export interface Change {
  readonly entries: readonly Entry[];
  readonly state: IntentState;
}

/** Who wants to work on an intent, and for how long nobody else may. */
export interface LeaseRequest {
  /** Unique per client object. */
  readonly owner: string;
  /** Milliseconds, on the journal's own clock. */
  readonly ttlMs: number;
}

/** An intent as a journal holds it. */
export interface StoredIntent {
  readonly intent: Intent;
  /** In the order they were added. */
  readonly entries: readonly Entry[];
  readonly state: IntentState;
  /** Who works on it, and for how many ms at most from now on; absent where nobody does. */
  readonly lease?: { readonly owner: string; readonly leftMs: number };
}

/** An intent that may be worked on: `fence` goes with everything that is written about it. */
export interface HeldIntent {
  readonly stored: StoredIntent;
  /** Grows each time somebody else takes over, from 1. */
  readonly fence: number;
}

export type Created =
  | { readonly kind: 'created'; readonly fence: number }
  /** The key is taken; nothing was written. */
  | { readonly kind: 'exists'; readonly stored: StoredIntent }
  /** `exclusive` was asked for, and these open intents have the same subject; nothing was written. */
  | { readonly kind: 'blocked'; readonly by: readonly StoredIntent[] };

export type Claimed =
  | { readonly kind: 'claimed'; readonly held: HeldIntent }
  /** Somebody works on it. */
  | { readonly kind: 'held'; readonly stored: StoredIntent }
  | { readonly kind: 'missing' };

export interface IntentFilter {
  readonly namespace?: string | undefined;
  /** Only open intents, or only settled ones. */
  readonly open?: boolean | undefined;
  /** Only those with this `subjectOf`. */
  readonly subject?: string | undefined;
}

/** What a caller says who need not wait until a change is durable. */
export interface Unwaited {
  /** Told why the change could not be made durable after all. */
  onLost(error: unknown): void;
}

/**
 * Keeps intents. Whatever a method that writes has resolved for is durable: it outlives a crash of the process and,
 * where the journal says so, of the machine; but for what nobody waits for (`append`). A method that rejects has
 * written all or nothing, and says so by nothing: callers treat a failed write as not sent, and look again.
 *
 * Write one for another store by this port, and hold it to `journalConformance()`.
 */
export interface Journal {
  /** What it is, for messages: `memory`, `file ./bids.journal`, `postgres`. */
  readonly name: string;
  /** False where nothing outlives the process. */
  readonly durable: boolean;

  /**
   * Writes a new intent with its first entries, and leases it to its maker, all at once. Refused where the key is taken
   * in its namespace, or where `exclusive` is set and another intent with the same namespace and subject is open. Of two
   * that race for a key or a subject, one wins.
   */
  create(
    intent: Intent,
    change: Change,
    lease: LeaseRequest,
    rules: { readonly exclusive: boolean },
  ): Promise<Created>;

  /**
   * Adds entries for the holder of the lease. A lease that has run out still counts as long as nobody took over.
   *
   * What opens a settled intent again stands against exclusive ones of its subject from then on. Where such a one is on
   * its way at the same time, one of both sees the other: either `create` is blocked, or what `list` finds after this has
   * resolved includes the new intent.
   *
   * @param unwaited where it is given, this may resolve before the change is durable, as long as all that is asked of the
   *   journal from then on is answered with the change in it. It need not: a journal may ignore this.
   * @throws LeaseLostError where somebody took over since `fence` was given out. Nothing was written.
   */
  append(id: IntentId, fence: number, change: Change, unwaited?: Unwaited): Promise<void>;

  /**
   * Takes the lease of one intent, open or settled, where nobody else holds one: an owner may claim anew what it holds
   * (after a write of whose success it never heard). Each success gives a higher fence.
   */
  claim(id: IntentId, lease: LeaseRequest): Promise<Claimed>;

  /** Takes the leases of up to `limit` open intents of a namespace that nobody holds, the oldest first. */
  claimOpen(namespace: string, lease: LeaseRequest, limit: number): Promise<readonly HeldIntent[]>;

  /** Gives a lease back. Says nothing where it was lost before. */
  release(id: IntentId, fence: number): Promise<void>;

  read(id: IntentId): Promise<StoredIntent | undefined>;

  /** Every intent with this key, in whichever namespace. */
  find(key: string): Promise<readonly StoredIntent[]>;

  /** The oldest first. */
  list(filter: IntentFilter): AsyncIterable<StoredIntent>;

  /**
   * Writes what is under way, then lets go of files, locks and connections. The next use takes them up again, and finds
   * every lease as it was: clients that share a journal may each close it.
   */
  close(): Promise<void>;
}
