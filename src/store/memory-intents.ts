import { StoreError } from '../errors/store.js';
import type { KeptAuditRow } from './audit.js';
import type { KeptCursor } from './cursors.js';
import {
  type BidColumns,
  type Exposure,
  type IntentQuery,
  type IntentRow,
  type IntentTable,
  isOpen,
  type SaveTime,
  type StoredIntent,
} from './intents.js';
import type { SqlValue } from './sql-driver.js';
import type { Undo } from './undo.js';
import type { KeptWebhookEvent } from './webhook-events.js';

/** A row as it is kept; each save replaces it. */
export interface KeptIntent extends Omit<StoredIntent, 'ownerSilentMs'> {
  readonly ownerSeen: number;
  readonly settledAt?: SaveTime | undefined;
  readonly shrunk: boolean;
}

/** The maps of one account. */
export interface KeptAccount {
  readonly rows: Map<string, KeptIntent>;
  /** Those of the rows that are open: each new bid asks for them. */
  readonly open: Map<string, KeptIntent>;
  /** Keys by kind and value. */
  readonly evidence: Map<string, string>;
  /** The row of the account: `halt`, `server_ms`, and the last `id` and `settled_sequence` that were given out. */
  readonly account: Map<string, SqlValue>;
  readonly webhookEvents: Map<string, KeptWebhookEvent>;
  readonly audit: Map<string, KeptAuditRow>;
  readonly cursors: Map<string, KeptCursor>;
}

export class MemoryIntents implements IntentTable {
  readonly #kept: KeptAccount;
  readonly #undo: Undo;
  readonly #now: () => number;

  /** @param now Unix ms, for the silence of owners */
  constructor(kept: KeptAccount, undo: Undo, now: () => number) {
    this.#kept = kept;
    this.#undo = undo;
    this.#now = now;
  }

  async get(key: string): Promise<StoredIntent | undefined> {
    const row = this.#kept.rows.get(key);
    return row && this.#stored(row);
  }

  async insert(row: IntentRow, at: SaveTime): Promise<StoredIntent> {
    if (this.#kept.rows.has(row.key)) throw this.#refusal(row.key, 'its key is taken');
    return this.#save(row, at, { id: this.#next('id'), version: 1 });
  }

  async update(row: IntentRow, version: number, at: SaveTime): Promise<StoredIntent | undefined> {
    const before = this.#kept.rows.get(row.key);
    if (before?.version !== version) return undefined;
    return this.#save(row, at, { id: before.id, version: version + 1 }, before);
  }

  async list({ which, after = 0, limit }: IntentQuery): Promise<readonly StoredIntent[]> {
    const isWanted = ({ state, provisional }: KeptIntent) =>
      which === 'all' || isOpen(state) || (which === 'unresolved' && provisional);
    return this.#find((row) => row.id > after && isWanted(row)).slice(0, limit);
  }

  async settledAfter(sequence: number, limit: number): Promise<readonly StoredIntent[]> {
    return this.#find(({ settledSequence = 0 }) => settledSequence > sequence)
      .sort((a, b) => (a.settledSequence ?? 0) - (b.settledSequence ?? 0))
      .slice(0, limit);
  }

  async openBids(lot: string, buyer: string): Promise<readonly StoredIntent[]> {
    return this.#find(({ bid }) => bid?.lot === lot && bid.buyer === buyer, this.#kept.open);
  }

  async bidsOn(lots: readonly string[]): Promise<readonly StoredIntent[]> {
    const wanted = new Set(lots);
    return this.#find(({ bid, state, provisional }) => {
      const mayCount = isOpen(state) || provisional || state === 'accepted' || state === 'abandoned';
      return mayCount && bid !== undefined && wanted.has(bid.lot);
    });
  }

  async latestOnce(once: string): Promise<StoredIntent | undefined> {
    return this.#find((row) => row.once === once).at(-1);
  }

  async exposure({
    lot,
    buyer,
    nowMs,
    key: counted,
  }: Parameters<IntentTable['exposure']>[0]): Promise<Exposure> {
    const closes = new Map<string, number>();
    const highest = new Map<string, BidColumns>();
    const rows = [...this.#kept.rows.values()];
    for (const { bid } of rows) {
      if (bid?.closesAt !== undefined) closes.set(bid.lot, Math.max(bid.closesAt, closes.get(bid.lot) ?? 0));
    }
    for (const { key, state, bid } of rows) {
      const isAtStake = key === counted || isOpen(state) || state === 'accepted';
      if (bid === undefined || !isAtStake) continue;
      if ((closes.get(bid.lot) ?? Number.POSITIVE_INFINITY) <= nowMs) continue;
      const pair = JSON.stringify([bid.lot, bid.buyer]);
      if ((highest.get(pair)?.paise ?? -1n) < bid.paise) highest.set(pair, bid);
    }
    const sum = (bids: BidColumns[]) => bids.reduce((total, { paise }) => total + paise, 0n);
    const bids = [...highest.values()];
    return {
      buyer: sum(bids.filter((bid) => bid.buyer === buyer)),
      lot: sum(bids.filter((bid) => bid.lot === lot)),
    };
  }

  async touchOwner(owner: string): Promise<void> {
    for (const row of this.#kept.rows.values()) {
      if (row.owner === owner && row.state === 'ready') this.#put({ ...row, ownerSeen: this.#now() });
    }
  }

  async prune(
    before: { readonly serverMs: number; readonly localMs: number },
    limit: number,
    shrink: (content: string) => string,
  ): Promise<number> {
    const { rows, evidence, account } = this.#kept;
    const gone = new Set<string>();
    let shrunk = 0;
    const ageOf = ({ settledAt }: KeptIntent) => settledAt?.serverMs ?? 0;
    for (const row of [...rows.values()].sort((a, b) => ageOf(a) - ageOf(b))) {
      if (row.settledAt === undefined || row.provisional || row.shrunk) continue;
      const { serverMs, localMs } = row.settledAt;
      if (serverMs === undefined) {
        // A row that settled while server time was unknown counts from now.
        const known = Number(account.get('server_ms') ?? before.serverMs);
        this.#put({ ...row, settledAt: { localMs, serverMs: known } });
      } else if (serverMs < before.serverMs && localMs < before.localMs && gone.size + shrunk < limit) {
        if (row.once === undefined) gone.add(row.key);
        else {
          const content = shrink(row.content);
          this.#put({ ...row, content, body: undefined, shrunk: true, version: row.version + 1 });
          shrunk += 1;
        }
      }
    }
    for (const [name, key] of evidence) if (gone.has(key)) this.#undo.set(evidence, name, undefined);
    for (const key of gone) this.#undo.set(rows, key, undefined);
    return gone.size + shrunk;
  }

  #save(
    row: IntentRow,
    at: SaveTime,
    place: { readonly id: number; readonly version: number },
    before?: KeptIntent,
  ): StoredIntent {
    this.#checkGuard(row);
    const settlement = this.#settlement(row, at, before);
    const kept = { ...row, ...place, ...settlement, ownerSeen: this.#now(), shrunk: false };
    this.#put(kept);
    return this.#stored(kept);
  }

  #checkGuard({ guarded, bid, key }: IntentRow): void {
    if (!guarded || bid === undefined) return;
    for (const other of this.#kept.open.values()) {
      const isSame = other.bid?.lot === bid.lot && other.bid.buyer === bid.buyer;
      if (isSame && other.guarded && other.key !== key) {
        throw this.#refusal(key, 'another guarded bid of this buyer on this lot is there');
      }
    }
  }

  #refusal(key: string, why: string): StoreError {
    const refusal = new StoreError({
      reason: 'unavailable',
      what: `The intent ${key} can't be recorded: ${why}.`,
      nextStep: 'Read what the store holds first.',
    });
    this.#undo.refusal = refusal;
    return refusal;
  }

  /** A verdict that changed settles again; a save that left it as it was changes nothing about that. */
  #settlement(row: IntentRow, at: SaveTime, before?: KeptIntent) {
    if (isOpen(row.state)) return { settledAt: undefined, settledSequence: undefined };
    if (before?.state === row.state && before.provisional === row.provisional) {
      return { settledAt: before.settledAt, settledSequence: before.settledSequence };
    }
    return { settledAt: at, settledSequence: this.#next('settled_sequence') };
  }

  #next(counter: 'id' | 'settled_sequence'): number {
    const { account } = this.#kept;
    const next = Number(account.get(counter) ?? 0) + 1;
    this.#undo.set(account, counter, next);
    return next;
  }

  #find(matches: (row: KeptIntent) => boolean, among = this.#kept.rows): StoredIntent[] {
    // A deletion that was undone leaves the row at the end of the map.
    const found = [...among.values()].filter(matches).sort((a, b) => a.id - b.id);
    return found.map((row) => this.#stored(row));
  }

  #stored({ ownerSeen, settledAt: _, shrunk: __, ...stored }: KeptIntent): StoredIntent {
    return { ...stored, ownerSilentMs: Math.max(0, this.#now() - ownerSeen) };
  }

  #put(row: KeptIntent): void {
    this.#undo.set(this.#kept.rows, row.key, row);
    this.#undo.set(this.#kept.open, row.key, isOpen(row.state) ? row : undefined);
  }
}
