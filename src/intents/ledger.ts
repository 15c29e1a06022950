import type { Clock } from '../ports/clock.js';
import type { ServerClock } from '../ports/server-clock.js';
import {
  type BidColumns,
  type IntentQuery,
  type IntentRow,
  isOpen,
  type SaveTime,
  type Store,
  type StoredIntent,
  type StoreTransaction,
} from '../store/store.js';
import {
  contentOf,
  type IntentBody,
  type IntentContent,
  type IntentEvent,
  shrunkContent,
} from './content.js';
import { fold, type IntentStatus } from './fold.js';

/** One intent: the row, what is in it, and what that means. */
export interface Intent {
  readonly key: string;
  readonly row: StoredIntent;
  readonly content: IntentContent;
  readonly status: IntentStatus;
}

/** What a new intent begins with. */
export interface Draft {
  readonly key: string;
  readonly content: Omit<IntentContent, 'log'>;
  readonly body: IntentBody | undefined;
  readonly columns: BidColumns | undefined;
  readonly guarded: boolean;
  readonly owner: string | undefined;
  readonly once: string | undefined;
}

/** What a unit of work changes about an intent. */
export interface Changes {
  readonly events: readonly IntentEvent[];
  readonly owner?: string | undefined;
  readonly guarded?: boolean | undefined;
  readonly body?: IntentBody | undefined;
  readonly columns?: BidColumns | undefined;
  readonly content?: Partial<IntentContent> | undefined;
}

export interface LedgerParts {
  readonly store: Store;
  /** Environment and, for several banks on one store, a label. */
  readonly account: string;
  readonly clock: Clock;
  readonly serverClock: ServerClock;
  /** For how long the service is trusted to remember an idempotency key, ms. */
  readonly keyRetentionMs: number;
  /** For how long settled intents are kept, ms. */
  readonly retentionMs: number;
}

/** A body longer than so many characters is dropped once it is never sent again; a shorter one tells what differs. */
const LONG_BODY = 4_096;

/** Retention deletes so many rows in one transaction, and at most once in so many ms. */
const PRUNE_ROWS = 200;
const PRUNE_EVERY_MS = 60_000;

/**
 * The intents of one account. Every change is one unit of work: reload, decide, fold, save. What `decide` sees is what is
 * in the store, whatever other processes did meanwhile.
 */
export class Ledger {
  readonly parts: LedgerParts;
  #pruneAfter = Number.NEGATIVE_INFINITY;
  #lastKnown: { readonly known: number; readonly at: number } | undefined;

  constructor(parts: LedgerParts) {
    this.parts = parts;
  }

  get store(): Store {
    return this.parts.store;
  }

  /**
   * Server time, Unix ms. Only asked once it is known; after a step of the local clock or a sleep, the last known time goes
   * on by the monotonic clock until a reply tells it again.
   */
  now(): number {
    this.noteTime();
    const { clock } = this.parts;
    const { known, at } = this.#lastKnown ?? { known: clock.now(), at: clock.monotonic() };
    return Math.floor(known + clock.monotonic() - at);
  }

  /** Keeps server time for later; whether a reply has told it, and the local clock has not been set since. */
  noteTime(): boolean {
    const { clock, serverClock } = this.parts;
    const known = serverClock.time();
    if (known !== undefined) this.#lastKnown = { known, at: clock.monotonic() };
    return known !== undefined;
  }

  read(key: string): Promise<Intent | undefined> {
    return this.within(async (tx) => this.intentOf(await tx.intents.get(key)));
  }

  async list(query: IntentQuery): Promise<readonly Intent[]> {
    const rows = await this.within((tx) => tx.intents.list(query));
    return rows.map((row) => this.#read(row));
  }

  async settledAfter(sequence: number, limit: number): Promise<readonly Intent[]> {
    const rows = await this.within((tx) => tx.intents.settledAfter(sequence, limit));
    return rows.map((row) => this.#read(row));
  }

  /** Every intent that is not settled for good, the oldest first. */
  async *unresolved(): AsyncGenerator<Intent> {
    for (let after = 0; ; ) {
      const page = await this.list({ which: 'unresolved', after, limit: 100 });
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < 100) return;
      after = last.row.id;
    }
  }

  /** A unit of work over whatever a transaction offers. */
  within<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    return this.store.transaction(this.parts.account, work);
  }

  /** Inserts an intent, inside a transaction. */
  async insert(tx: StoreTransaction, draft: Draft, events: readonly IntentEvent[]): Promise<Intent> {
    const { key, body, columns, guarded, owner, once } = draft;
    const content: IntentContent = { ...draft.content, log: events };
    const { state, provisional, expired } = this.fold(content);
    const row: IntentRow = {
      key,
      state,
      provisional: provisional && !expired,
      guarded: guarded && isOpen(state),
      ...(columns !== undefined && { bid: columns }),
      ...(once !== undefined && { once }),
      ...(owner !== undefined && { owner }),
      content: JSON.stringify(content),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    await tx.intents.insert(row, this.#saveTime());
    await this.#noteServerTime(tx);
    const inserted = await tx.intents.get(key);
    if (inserted === undefined) throw new Error('An intent that was just inserted is missing');
    return this.#read(inserted);
  }

  /** Saves what a unit of work changed, inside a transaction. */
  async save(tx: StoreTransaction, { row, content: before }: Intent, changes: Changes): Promise<Intent> {
    const { events, owner = row.owner, guarded = row.guarded, columns = row.bid } = changes;
    const content: IntentContent = { ...before, ...changes.content, log: [...before.log, ...events] };
    const { state, provisional, expired, verdict } = this.fold(content);
    const isSettledForGood = state === 'accepted' || state === 'rejected' || state === 'done';
    const body = changes.body === undefined ? row.body : JSON.stringify(changes.body);
    const closesAt = closeIn(verdict?.event.record);
    const bid = columns === undefined || closesAt === undefined ? columns : { ...columns, closesAt };
    const saved = await tx.intents.update(
      {
        key: row.key,
        state,
        provisional: provisional && !expired,
        guarded: guarded && isOpen(state),
        ...(bid !== undefined && { bid }),
        ...(row.once !== undefined && { once: row.once }),
        ...(state === 'ready' && owner !== undefined && { owner }),
        content: JSON.stringify(content),
        ...(body !== undefined && !(isSettledForGood && body.length > LONG_BODY) && { body }),
      },
      row.version,
      this.#saveTime(),
    );
    if (!saved) throw new Error('An intent changed within one transaction');
    await this.#noteServerTime(tx);
    const after = await tx.intents.get(row.key);
    if (after === undefined) throw new Error('An intent that was just saved is missing');
    return this.#read(after);
  }

  /**
   * Reloads an intent, lets `decide` choose what to add, and saves it. Nothing to add saves nothing.
   *
   * @throws StoreError where it could not be recorded
   */
  change(
    key: string,
    decide: (intent: Intent, tx: StoreTransaction) => Promise<Changes | undefined> | Changes | undefined,
  ): Promise<Intent | undefined> {
    return this.within(async (tx) => {
      const intent = this.intentOf(await tx.intents.get(key));
      if (intent === undefined) return undefined;
      const changes = await decide(intent, tx);
      return changes === undefined ? intent : this.save(tx, intent, changes);
    });
  }

  /** The same with fixed events. */
  add(key: string, ...events: readonly IntentEvent[]): Promise<Intent | undefined> {
    return this.change(key, () => ({ events }));
  }

  intentOf(row: StoredIntent | undefined): Intent | undefined {
    return row === undefined ? undefined : this.#read(row);
  }

  fold(content: IntentContent): IntentStatus {
    return fold(content, this.parts.keyRetentionMs);
  }

  /**
   * Deletes some of what settled long ago, by the latest server time of the store and by the local clock: neither alone is
   * believed. Never fails a call.
   */
  async prune(): Promise<void> {
    const { clock, serverClock, retentionMs } = this.parts;
    const now = clock.monotonic();
    if (retentionMs === Number.POSITIVE_INFINITY) return;
    if (now < this.#pruneAfter || serverClock.time() === undefined) return;
    this.#pruneAfter = now + PRUNE_EVERY_MS;
    try {
      const pruned = await this.within(async (tx) => {
        const latest = await tx.serverTime();
        if (latest === undefined) return 0;
        const serverMs = Math.floor(Math.min(latest, this.now()) - retentionMs);
        const localMs = Math.floor(clock.now() - retentionMs);
        return tx.prune({ serverMs, localMs }, PRUNE_ROWS, shrunkContent);
      });
      // A long backlog goes on with the next call, not with the next minute.
      if (pruned === PRUNE_ROWS) this.#pruneAfter = now;
    } catch {
      // What can't be deleted now is deleted later.
    }
  }

  #read(row: StoredIntent): Intent {
    const content = contentOf(row);
    return { key: row.key, row, content, status: this.fold(content) };
  }

  #saveTime(): SaveTime {
    const serverMs = this.parts.serverClock.time();
    // Midpoints of round trips have fractions, which an integer column of Postgres refuses.
    return {
      serverMs: serverMs === undefined ? undefined : Math.floor(serverMs),
      localMs: Math.floor(this.parts.clock.now()),
    };
  }

  async #noteServerTime(tx: StoreTransaction): Promise<void> {
    const now = this.parts.serverClock.time();
    if (now !== undefined) await tx.noteServerTime(Math.floor(now));
  }
}

/** The close that a receipt states, Unix ms. */
function closeIn(record: unknown): number | undefined {
  if (typeof record !== 'object' || record === null || !('effective_close_at' in record)) return undefined;
  const ms = Date.parse(String(record.effective_close_at));
  return Number.isNaN(ms) ? undefined : ms;
}
