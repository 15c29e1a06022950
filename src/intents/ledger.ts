import { zonedTimeMs } from '../clock/reply-time.js';
import { type Observation, observing } from '../core/observe.js';
import type { Outcome } from '../errors/base.js';
import { fromPaise } from '../money/paise.js';
import type { Clock, ClockReading, ServerClock } from '../ports/clock.js';
import { type StopSources, within } from '../runtime/timers.js';
import {
  type BidColumns,
  type IntentQuery,
  type IntentRow,
  isOpen,
  type SaveTime,
  type StoredIntent,
} from '../store/intents.js';
import { isFree, Owner, SILENCE_MS } from '../store/owner.js';
import { type Store, type StoreTransaction, transact } from '../store/store.js';
import type { AuditRow } from '../store/tables.js';
import {
  contentOf,
  type Identity,
  type IntentBody,
  type IntentContent,
  type IntentEvent,
  isReadable,
  type LookupEvent,
  type ResultEvent,
  shrunkContent,
} from './content.js';
import { fold, type IntentStatus } from './fold.js';

/** One intent: its row, its content and its status. */
export interface Intent {
  readonly key: string;
  readonly row: StoredIntent;
  readonly content: IntentContent;
  readonly status: IntentStatus;
}

/** Initial facts of a new intent. */
export interface Draft {
  readonly key: string;
  readonly content: Omit<IntentContent, 'log'>;
  readonly body?: IntentBody | undefined;
  readonly columns?: BidColumns | undefined;
  readonly guarded?: boolean | undefined;
  readonly owner?: string | undefined;
  readonly once?: string | undefined;
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

/** A key whose verdict had the same ids. */
export interface Clash {
  readonly other: string;
  readonly ids: readonly string[];
}

export interface LedgerParts {
  readonly store: Store;
  /** Environment and, for several banks on one store, a label. */
  readonly account: string;
  readonly clock: Clock;
  readonly serverClock: ServerClock;
  /** How long the service is assumed to keep an idempotency key, in ms. */
  readonly keyRetentionMs: number;
  /** Retention of settled intents, in ms. */
  readonly retentionMs: number;
  /** Retention of audit entries that a sink has taken, in ms. */
  readonly auditRetentionMs: number;
  /** Measures units of work. */
  readonly observation?: Observation | undefined;
}

/** A body longer than so many characters is dropped once it is never sent again; a shorter one shows what differs. */
const LONG_BODY = 4_096;

/** Rows deleted per transaction, and the minimum time between runs (ms). */
export const PRUNE_ROWS = 20;
const PRUNE_EVERY_MS = 60_000;

/**
 * The intents of one account. Every change is one unit of work: reload, decide, fold, save. `decide` sees the current
 * content of the store, including changes of other processes.
 */
export class Ledger {
  readonly parts: LedgerParts;
  #pruneAfter = Number.NEGATIVE_INFINITY;
  #pruning: Promise<void> | undefined;
  #hasAsked = false;
  #lastKnown: { readonly known: number; readonly at: number } | undefined;

  constructor(parts: LedgerParts) {
    this.parts = parts;
  }

  get store(): Store {
    return this.parts.store;
  }

  /** The intents of another account on the same store, judged by the same time. */
  inAccount(account: string): Ledger {
    const other = new Ledger({ ...this.parts, account });
    other.#hasAsked = this.#hasAsked;
    other.#lastKnown = this.#lastKnown;
    return other;
  }

  /**
   * Server time, Unix ms. Use it only once it is known; after a step of the local clock or a sleep, the last known time
   * goes on by the monotonic clock until a reply states it again.
   */
  now(): number {
    this.noteTime();
    const { clock } = this.parts;
    const { known, at } = this.#lastKnown ?? { known: clock.now(), at: clock.monotonic() };
    return Math.floor(known + clock.monotonic() - at);
  }

  /** Both clocks of this machine. */
  reading(): ClockReading {
    return this.parts.serverClock.reading();
  }

  /** Stores server time for later. True if a reply has stated it and the local clock has not been set since. */
  noteTime(): boolean {
    const { clock, serverClock } = this.parts;
    const known = serverClock.time();
    if (known !== undefined) this.#lastKnown = { known, at: clock.monotonic() };
    return known !== undefined;
  }

  /** Whether writes can be judged by server time: the service stated it, or A01 was read and did not add to it. */
  knowsTime(): boolean {
    return this.noteTime() && (this.#hasAsked || this.parts.serverClock.isStated());
  }

  /** Records that A01 was read. */
  noteAsked(): void {
    this.#hasAsked = true;
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

  /**
   * Every intent that is not settled for good, the oldest first.
   *
   * @param onUnreadable called for each row that is damaged; the others are read
   */
  async *unresolved(onUnreadable: (error: unknown) => void): AsyncGenerator<Intent> {
    for (let after = 0; ; ) {
      const page = await this.within((tx) => tx.intents.list({ which: 'unresolved', after, limit: 100 }));
      for (const row of page) {
        try {
          yield this.#read(row);
        } catch (error) {
          onUnreadable(error);
        }
      }
      const last = page.at(-1);
      if (last === undefined || page.length < 100) return;
      after = last.id;
    }
  }

  /** Runs a unit of work. */
  within<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    const { account, observation } = this.parts;
    const transaction = { kind: 'store', name: 'store.transaction' } as const;
    return observing(observation, transaction, () => transact(this.store, account, work));
  }

  /** Inserts an intent, inside a transaction. */
  async insert(tx: StoreTransaction, draft: Draft, events: readonly IntentEvent[]): Promise<Intent> {
    const { content, body, ...fields } = draft;
    const row = this.#encode({ ...content, log: events }, { ...fields, body: body && JSON.stringify(body) });
    return this.#saved(tx, await tx.intents.insert(row, this.#saveTime()));
  }

  /** Saves what a unit of work changed, inside a transaction. */
  async save(tx: StoreTransaction, intent: Intent, changes: Changes): Promise<Intent> {
    const { row, content: before } = intent;
    const { key, once, version } = row;
    const { owner = row.owner, guarded = row.guarded, columns = row.bid } = changes;
    const content = { ...before, ...changes.content, log: [...before.log, ...changes.events] };
    const body = changes.body === undefined ? row.body : JSON.stringify(changes.body);
    const next = this.#encode(content, { key, once, owner, guarded, columns, body });
    const saved = await this.#saved(tx, await tx.intents.update(next, version, this.#saveTime()));
    // In the same transaction: a command that can't be audited is not recorded, so it is not sent.
    for (const entry of auditEntries(intent, saved)) await tx.audit.append({ ...entry, at: this.now() });
    return saved;
  }

  /** Encodes a row. The log decides its state, and data that is no longer needed is dropped. */
  #encode(
    content: IntentContent,
    {
      key,
      once,
      owner,
      guarded,
      columns,
      body,
    }: Omit<Draft, 'content' | 'body'> & { body: string | undefined },
  ): IntentRow {
    const { state, provisional, expired, verdict } = this.fold(content);
    const isSettledForGood = state === 'accepted' || state === 'rejected' || state === 'done';
    const isVoided = content.log.some(({ type }) => type === 'voided');
    // The close that a verdict states counts while the verdict is believed: its reply may be about another lot.
    const stated = isOpen(state) ? undefined : closeInReceipt(verdict?.event.record);
    const closesAt = stated ?? (isVoided ? undefined : columns?.closesAt);
    return {
      key,
      once,
      state,
      provisional: provisional && !expired,
      guarded: guarded === true && isOpen(state),
      bid: columns && { ...columns, closesAt },
      owner: state === 'ready' || (state === 'sent' && isOnWire(content)) ? owner : undefined,
      content: JSON.stringify(content),
      body: isSettledForGood && (body?.length ?? 0) > LONG_BODY ? undefined : body,
    };
  }

  async #saved(tx: StoreTransaction, row: StoredIntent | undefined): Promise<Intent> {
    if (row === undefined) throw new Error('An intent changed within one transaction');
    const { server } = this.#saveTime();
    if (server !== undefined) await tx.account.advanceServerTime(server);
    return this.#read(row);
  }

  /**
   * Reloads an intent, lets `decide` choose what to add, and saves it. If nothing is to be added, nothing is saved.
   *
   * @throws StoreError if it could not be recorded
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

  /**
   * Abandons an intent whose row is damaged: the columns of its bid stay, and the event keeps the damaged text.
   *
   * @returns undefined if there is no such row, or it can be read
   */
  abandonDamaged(key: string, why: string, identity: Identity): Promise<Intent | undefined> {
    return this.within(async (tx) => {
      const row = await tx.intents.get(key);
      if (row === undefined || isReadable(row)) return undefined;
      const { bid } = row;
      const content: IntentContent = {
        identity,
        bid: bid && {
          lot: bid.lot,
          amount: fromPaise(bid.paise),
          dealerId: bid.buyer,
          bidderReference: bid.buyer,
        },
        log: [{ type: 'abandoned', at: this.now(), why, damaged: row.content }],
      };
      const next = this.#encode(content, {
        key,
        once: row.once,
        guarded: false,
        columns: bid,
        body: undefined,
      });
      return this.#saved(tx, await tx.intents.update(next, row.version, this.#saveTime()));
    });
  }

  /** The same with fixed events. */
  add(key: string, ...events: readonly IntentEvent[]): Promise<Intent | undefined> {
    return this.change(key, () => ({ events }));
  }

  /**
   * Reserves the ids of a verdict for its key, and voids the verdicts under other keys that rest on them: one of the
   * two must be wrong.
   */
  async reserveIds(
    tx: StoreTransaction,
    key: string,
    { at, bidId, requestId }: ResultEvent | LookupEvent,
  ): Promise<readonly Clash[]> {
    const ids = new Map<string, string[]>();
    for (const [kind, value] of [
      ['bid_id', bidId],
      ['request_id', requestId],
    ] as const) {
      if (value === undefined) continue;
      const holder = await tx.evidence.reserve(kind, value, key);
      if (holder !== key) ids.set(holder, [...(ids.get(holder) ?? []), value]);
    }
    const clashes = [...ids].map(([other, values]) => ({ other, ids: values }));
    for (const clash of clashes) {
      const holder = this.intentOf(await tx.intents.get(clash.other));
      if (holder === undefined) continue;
      await this.save(tx, holder, { events: [{ type: 'voided', at, ids: clash.ids, otherKey: key }] });
    }
    return clashes;
  }

  intentOf(row: StoredIntent | undefined): Intent | undefined {
    return row === undefined ? undefined : this.#read(row);
  }

  fold(content: IntentContent): IntentStatus {
    return fold(content, this.parts.keyRetentionMs);
  }

  /**
   * Deletes some intents that settled long ago, by the latest server time of the store and by the local clock: neither
   * alone is trusted. No call waits for it, and it never fails.
   */
  prune(): Promise<void> {
    const { clock, serverClock, retentionMs, auditRetentionMs } = this.parts;
    const isLimited = Math.min(retentionMs, auditRetentionMs) !== Number.POSITIVE_INFINITY;
    const isDue = clock.monotonic() >= this.#pruneAfter && isLimited;
    if (this.#pruning === undefined && isDue && serverClock.time() !== undefined) {
      this.#pruning = this.#deleteOld().finally(() => {
        this.#pruning = undefined;
      });
    }
    return this.pruned();
  }

  /** Resolves once no deletion is under way. */
  async pruned(): Promise<void> {
    await this.#pruning;
  }

  async #deleteOld(): Promise<void> {
    const { clock, retentionMs, auditRetentionMs } = this.parts;
    const now = clock.monotonic();
    this.#pruneAfter = now + PRUNE_EVERY_MS;
    try {
      const pruned = await this.within(async (tx) => {
        const latest = await tx.account.serverTime();
        if (latest === undefined) return 0;
        const server = Math.floor(Math.min(latest, this.now()) - retentionMs);
        const now = Math.floor(clock.now());
        const local = Math.floor(now - retentionMs);
        const entries = Math.floor(Math.min(latest, this.now(), now) - auditRetentionMs);
        const [intents, audited] = [
          retentionMs === Number.POSITIVE_INFINITY
            ? 0
            : await tx.intents.prune({ server, local, now }, PRUNE_ROWS, shrunkContent),
          auditRetentionMs === Number.POSITIVE_INFINITY ? 0 : await tx.audit.prune(entries, PRUNE_ROWS),
        ];
        return Math.max(intents, audited);
      });
      // A long backlog goes on with the next call, not with the next minute.
      if (pruned === PRUNE_ROWS) this.#pruneAfter = now;
    } catch {
      // A later run deletes what can't be deleted now.
    }
  }

  #read(row: StoredIntent): Intent {
    const content = contentOf(row);
    return { key: row.key, row, content, status: this.fold(content) };
  }

  #saveTime(): SaveTime {
    const server = this.parts.serverClock.time();
    // Midpoints of round trips have fractions, which an integer column of Postgres refuses.
    return {
      server: server === undefined ? undefined : Math.floor(server),
      local: Math.floor(this.parts.clock.now()),
    };
  }
}

/** The close that a receipt states, Unix ms. */
function closeInReceipt(record: unknown): number | undefined {
  if (typeof record !== 'object' || record === null || !('effective_close_at' in record)) return undefined;
  return zonedTimeMs(record.effective_close_at);
}

/** Why a recorded intent was not sent. */
export interface Unsent {
  readonly reason: string;
  readonly why: string;
}

const ofDeadProcess: Unsent = {
  reason: 'interrupted',
  why: 'the process that was to send it ended first',
};

/** True if a live call is about to send this intent, or waits for the reply to it. */
export function isHeldByOther({ row, status }: Intent, store: Pick<Store, 'process'>): boolean {
  if (status.state !== 'ready' && (status.state !== 'sent' || row.ownerSilence > SILENCE_MS)) return false;
  return !isFree(row, store);
}

/** True if the latest attempt has no result yet. */
function isOnWire({ log }: IntentContent): boolean {
  return log.findLast(({ type }) => type === 'attempt' || type === 'result')?.type === 'attempt';
}

/** Settles a `ready` intent as not sent, unless another call took it over meanwhile: that changes its version. */
export async function settleUnsent(
  ledger: Ledger,
  ready: Intent,
  unsent: Unsent = ofDeadProcess,
): Promise<Intent> {
  const after = await ledger.change(ready.key, ({ row }) =>
    row.version === ready.row.version
      ? { events: [{ type: 'unsent', at: ledger.now(), ...unsent }] }
      : undefined,
  );
  return after ?? ready;
}

/** The audit entries of a save: one before the command can be sent, and one for each outcome that becomes known. */
function auditEntries(before: Intent, after: Intent): readonly Omit<AuditRow, 'at'>[] {
  const { audit, target } = after.content;
  if (audit === undefined || target === undefined) return [];
  const entry = { about: audit.about, key: after.key };
  const entries = [];
  if (before.content.target === undefined) {
    const { operation, path, sha256 } = target;
    const body: IntentBody | undefined =
      after.row.body === undefined ? undefined : JSON.parse(after.row.body);
    const command = { operation, path, sha256, body: body?.text };
    entries.push({ ...entry, phase: 'before', content: JSON.stringify({ ...audit.facts, command }) });
  }
  const { state, verdict, refusal, attempts } = after.status;
  if (state !== before.status.state && state !== 'ready' && state !== 'sent') {
    const event = verdict?.event;
    const reply = event?.record;
    const { codes, why } = refusal ?? {};
    entries.push({
      ...entry,
      phase: 'after',
      content: JSON.stringify({ outcome: state, attempts, codes, why, sha256: target.sha256, reply }),
    });
  }
  return entries;
}

/** The known effect under a key, as errors report it. */
export function knownEffect({ status: { state, provisional }, content: { bid } }: Intent): Outcome {
  // Another bid is not safe while a copy may arrive; another command on the same version is.
  if (provisional && bid !== undefined) return 'unknown';
  switch (state) {
    case 'accepted':
    case 'done':
      return 'done';
    case 'rejected':
    case 'refused':
      return state;
    case 'ready':
    case 'not_sent':
      return 'not_sent';
    default:
      return 'unknown';
  }
}

/** Owns `ready` intents for one call, with heartbeats. The call releases it. */
export function ownerOfCall({
  store,
  account,
  clock,
}: Pick<LedgerParts, 'store' | 'account' | 'clock'>): Owner {
  const heartbeat = (owner: string) => transact(store, account, (tx) => tx.intents.touchOwner(owner));
  const owner = new Owner({ process: store.process, clock, heartbeat });
  owner.begin();
  return owner;
}

/** Named mutexes within this process: a name is one key, or one buyer on one lot. */
export class Locks {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Waits for earlier work on this name, as long as `sources` allow. @throws Stopped */
  async alone<T>(name: string, sources: StopSources, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    let done: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => {
      done = resolve;
    });
    const chained = before === undefined ? mine : before.then(() => mine);
    this.#last.set(name, chained);
    // Not before the earlier ones have ended: a caller that gives up waiting leaves them running.
    void chained.then(() => {
      if (this.#last.get(name) === chained) this.#last.delete(name);
    });
    try {
      if (before !== undefined) await within(sources, 'key', before);
      return await work();
    } finally {
      done();
    }
  }
}
