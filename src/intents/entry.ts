/** What happened to an intent, one line after the other. Plain JSON; times are Unix ms of the local clock. */
export type Entry = AttemptEntry | EndEntry | LookEntry | WordEntry;

/** An attempt was signed and is about to leave. Durable before its first byte. */
export interface AttemptEntry {
  readonly type: 'attempt';
  /** Number within the intent, from 1. */
  readonly attempt: number;
  readonly at: number;
  /** Unix seconds that it is stamped with: a copy of it can be let in until 300 seconds later. */
  readonly timestamp: number;
  readonly nonce: string;
  /** Key id that it was signed under. */
  readonly keyId: string;
}

/** What an attempt came to. Where an attempt has none, the process ended before it was known. */
export interface EndEntry {
  readonly type: 'end';
  readonly attempt: number;
  readonly at: number;
  /** What this attempt shows by itself; `in_doubt` where it may have taken effect. */
  readonly effect: 'done' | 'rejected' | 'refused' | 'not_sent' | 'in_doubt';
  /** A few words, such as `HTTP 403 SOURCE_NOT_ALLOWED`. */
  readonly reason: string;
  /** HTTP status, where a reply came. */
  readonly status?: number;
  readonly codes?: readonly string[];
  readonly requestId?: string;
  /** True where the service answered from its record of the key. */
  readonly replayed?: boolean;
  /** True where the service holds other content under the key. */
  readonly keyConflict?: boolean;
  /** What the service returned: the receipt of a bid, the record of a rejection or of a command. */
  readonly record?: Readonly<Record<string, unknown>>;
}

/** Somebody looked what became of it. */
export interface LookEntry {
  readonly type: 'look';
  readonly at: number;
  /** Where: the look-up by key (A06), the lot (A10), the list of bids, one bid (A05). */
  readonly by: 'A06' | 'A10' | 'bids.list' | 'A05';
  /** What it found: A06's state; `closed` or `open` for a lot; `found` or `none`; `failed` where no answer came. */
  readonly found: string;
  /** Server time of the look, Unix ms, where the service states it. */
  readonly observedAt?: number;
  readonly reason?: string;
  readonly codes?: readonly string[];
  readonly record?: Readonly<Record<string, unknown>>;
}

/** A decision about the intent, rather than something that was seen. */
export interface WordEntry {
  readonly type: 'word';
  readonly at: number;
  /**
   * `abandoned`: by its owner; `never_sent`: found prepared after a crash; `withdrawn`: not sent in time;
   * `quarantined`: must not be settled by itself; `renewed`: to be placed after all, with a new deadline.
   */
  readonly word: 'abandoned' | 'never_sent' | 'withdrawn' | 'quarantined' | 'renewed';
  readonly reason: string;
  /** The new deadline, Unix ms in server time; with `renewed` only. */
  readonly placeBy?: number;
}

/** Whether some entries are those that all of them begin with. */
export function isBeginningOf(some: readonly Entry[], all: readonly Entry[]): boolean {
  return some.every((entry, index) => {
    const other = all[index];
    if (other?.type !== entry.type || other.at !== entry.at) return false;
    return entry.type !== 'attempt' || (other.type === 'attempt' && other.nonce === entry.nonce);
  });
}
