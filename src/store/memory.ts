import { StoreError } from '../errors/store.js';
import { thisProcess } from './process.js';
import {
  type Exposure,
  type IntentRow,
  type IntentTable,
  isOpen,
  type SaveTime,
  type Store,
  type StoredIntent,
  type StoreProcess,
  type StoreTransaction,
} from './store.js';

export interface MemoryStoreOptions {
  /** For tests that play several processes. */
  readonly process?: StoreProcess | undefined;
  /** Unix ms, for the silence of owners. */
  readonly now?: (() => number) | undefined;
}

/** Keeps intents in the memory of this process: for tests and the sandbox. */
export function memoryStore({ process = thisProcess(), now = Date.now }: MemoryStoreOptions = {}): Store {
  const accounts = new Map<string, Account>();
  let ids = 0;
  let turn: Promise<unknown> = Promise.resolve();
  return {
    name: 'memory',
    durable: false,
    process,
    transaction(account, work) {
      const run = turn.then(async () => {
        const kept = accounts.get(account) ?? emptyAccount();
        const unit = new MemoryTransaction(kept, now, () => {
          ids += 1;
          return ids;
        });
        try {
          const result = await work(unit);
          unit.end();
          accounts.set(account, kept);
          return result;
        } catch (error) {
          unit.undo();
          throw error;
        }
      });
      turn = run.catch(() => undefined);
      return run;
    },
    close: async () => {
      await turn;
    },
  };
}

/** A row as it is kept; replaced whole by each save. */
interface Kept extends Omit<StoredIntent, 'ownerSilentMs'> {
  readonly ownerSeen: number;
  readonly settledAt?: SaveTime | undefined;
  readonly shrunk: boolean;
}

interface Account {
  readonly rows: Map<string, Kept>;
  readonly evidence: Map<string, string>;
  halt: string | undefined;
  serverMs: number | undefined;
  sequence: number;
}

function emptyAccount(): Account {
  return { rows: new Map(), evidence: new Map(), halt: undefined, serverMs: undefined, sequence: 0 };
}

/** Writes at once, and remembers how to undo it. */
class MemoryTransaction implements StoreTransaction {
  readonly #account: Account;
  readonly #now: () => number;
  readonly #nextId: () => number;
  readonly #undo: (() => void)[] = [];
  #failure: Error | undefined;

  readonly intents: IntentTable = {
    get: async (key) => this.#stored(this.#account.rows.get(key)),
    insert: async (row, at) => this.#insert(row, at),
    update: async (row, version, at) => {
      const kept = this.#account.rows.get(row.key);
      if (kept?.version !== version) return false;
      this.#checkGuard(row);
      this.#put({
        ...row,
        id: kept.id,
        version: version + 1,
        ownerSeen: this.#now(),
        shrunk: false,
        ...this.#settlement(row, at, kept),
      });
      return true;
    },
    list: async ({ which, after = 0, limit }) =>
      this.#find(
        ({ id, state, provisional }) =>
          id > after && (which === 'all' || isOpen(state) || (which === 'unresolved' && provisional)),
      ).slice(0, limit),
    settledAfter: async (sequence, limit) =>
      this.#find(({ settledSequence = 0 }) => settledSequence > sequence)
        .sort((a, b) => (a.settledSequence ?? 0) - (b.settledSequence ?? 0))
        .slice(0, limit),
    openBids: async (lot, buyer) =>
      this.#find(({ bid, state }) => isOpen(state) && bid?.lot === lot && bid.buyer === buyer),
    latestOnce: async (once) => this.#find((row) => row.once === once).at(-1),
    exposure: async ({ lot, buyer, nowMs, except }) => this.#exposure(lot, buyer, nowMs, except),
    touchOwner: async (owner) => {
      for (const row of this.#account.rows.values()) {
        if (row.owner === owner && row.state === 'ready') this.#put({ ...row, ownerSeen: this.#now() });
      }
    },
  };

  readonly evidence: StoreTransaction['evidence'] = {
    claim: async (kind, value, key) => {
      const { evidence } = this.#account;
      const name = `${kind} ${value}`;
      const first = evidence.get(name);
      if (first !== undefined) return first;
      evidence.set(name, key);
      this.#undo.push(() => evidence.delete(name));
      return key;
    },
  };

  constructor(account: Account, now: () => number, nextId: () => number) {
    this.#account = account;
    this.#now = now;
    this.#nextId = nextId;
  }

  async halt(): Promise<string | undefined> {
    return this.#account.halt;
  }

  async setHalt(reason: string | undefined): Promise<void> {
    const { halt } = this.#account;
    this.#account.halt = reason;
    this.#undo.push(() => {
      this.#account.halt = halt;
    });
  }

  async serverTime(): Promise<number | undefined> {
    return this.#account.serverMs;
  }

  async noteServerTime(given: number): Promise<void> {
    const { serverMs } = this.#account;
    this.#account.serverMs = Math.max(serverMs ?? 0, Math.floor(given));
    this.#undo.push(() => {
      this.#account.serverMs = serverMs;
    });
  }

  async prune(
    before: { serverMs: number; localMs: number },
    limit: number,
    shrink: (content: string) => string,
  ): Promise<number> {
    let count = 0;
    const gone = new Map<string, Kept>();
    const byAge = [...this.#account.rows.values()].sort(
      (a, b) => (a.settledAt?.serverMs ?? 0) - (b.settledAt?.serverMs ?? 0),
    );
    for (const row of byAge) {
      const { settledAt } = row;
      if (settledAt === undefined || row.provisional || row.shrunk) continue;
      if (settledAt.serverMs === undefined) {
        // Settled while nobody knew server time: counts from now on.
        const serverMs = this.#account.serverMs ?? before.serverMs;
        this.#put({ ...row, settledAt: { ...settledAt, serverMs } });
        continue;
      }
      if (settledAt.serverMs >= before.serverMs || settledAt.localMs >= before.localMs || count === limit)
        continue;
      count += 1;
      if (row.once === undefined) gone.set(row.key, row);
      else
        this.#put({
          ...row,
          content: shrink(row.content),
          body: undefined,
          shrunk: true,
          version: row.version + 1,
        });
    }
    this.#delete(gone);
    return count;
  }

  /** Called where the work resolved. A failed insert fails it, as in a database. */
  end(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  undo(): void {
    for (const each of this.#undo.reverse()) each();
  }

  #insert(row: IntentRow, at: SaveTime): void {
    const { rows } = this.#account;
    if (rows.has(row.key)) throw this.#refusal(row.key, 'its key is taken');
    this.#checkGuard(row);
    this.#put({
      ...row,
      id: this.#nextId(),
      version: 1,
      ownerSeen: this.#now(),
      shrunk: false,
      ...this.#settlement(row, at),
    });
  }

  #checkGuard({ guarded, bid, key }: IntentRow): void {
    if (!guarded || bid === undefined) return;
    for (const other of this.#account.rows.values()) {
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
      nextStep: 'Read first what the store holds.',
    });
    this.#failure = refusal;
    return refusal;
  }

  /** A verdict that changed settles again, a save that left it as it was does not. */
  #settlement(row: IntentRow, at: SaveTime, kept?: Kept): Pick<Kept, 'settledAt' | 'settledSequence'> {
    if (isOpen(row.state)) return { settledAt: undefined, settledSequence: undefined };
    if (kept?.state === row.state && kept.provisional === row.provisional) {
      return { settledAt: kept.settledAt, settledSequence: kept.settledSequence };
    }
    const { sequence } = this.#account;
    this.#account.sequence = sequence + 1;
    this.#undo.push(() => {
      this.#account.sequence = sequence;
    });
    return { settledAt: at, settledSequence: sequence + 1 };
  }

  #exposure(lot: string, buyer: string, nowMs: number, except: string): Exposure {
    const bids = this.#find(({ bid }) => bid !== undefined);
    const closes = new Map<string, number>();
    for (const { bid } of bids) {
      if (bid?.closesAt !== undefined) closes.set(bid.lot, Math.max(bid.closesAt, closes.get(bid.lot) ?? 0));
    }
    const highest = new Map<string, { lot: string; buyer: string; paise: bigint }>();
    for (const { key, state, bid } of bids) {
      if (bid === undefined || key === except || !(isOpen(state) || state === 'accepted')) continue;
      if ((closes.get(bid.lot) ?? Number.POSITIVE_INFINITY) <= nowMs) continue;
      const pair = JSON.stringify([bid.lot, bid.buyer]);
      if ((highest.get(pair)?.paise ?? -1n) < bid.paise) highest.set(pair, bid);
    }
    const sum = { buyer: 0n, lot: 0n };
    for (const each of highest.values()) {
      if (each.buyer === buyer) sum.buyer += each.paise;
      if (each.lot === lot) sum.lot += each.paise;
    }
    return sum;
  }

  #find(matches: (row: Kept) => boolean): StoredIntent[] {
    // A row that was deleted and put back again stands at the end of its map.
    const found = [...this.#account.rows.values()].filter(matches).sort((a, b) => a.id - b.id);
    return found.flatMap((row) => this.#stored(row) ?? []);
  }

  #stored(row: Kept | undefined): StoredIntent | undefined {
    if (row === undefined) return undefined;
    const { ownerSeen, settledAt: _, shrunk: __, ...stored } = row;
    return { ...stored, ownerSilentMs: Math.max(0, this.#now() - ownerSeen) };
  }

  #put(row: Kept): void {
    const { rows } = this.#account;
    const before = rows.get(row.key);
    rows.set(row.key, row);
    this.#undo.push(() => (before === undefined ? rows.delete(row.key) : rows.set(row.key, before)));
  }

  #delete(gone: ReadonlyMap<string, Kept>): void {
    const { rows, evidence } = this.#account;
    const claims = [...evidence].filter(([, key]) => gone.has(key));
    for (const key of gone.keys()) rows.delete(key);
    for (const [name] of claims) evidence.delete(name);
    this.#undo.push(() => {
      for (const [key, row] of gone) rows.set(key, row);
      for (const [name, key] of claims) evidence.set(name, key);
    });
  }
}
