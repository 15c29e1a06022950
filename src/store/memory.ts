import { StoreError } from '../errors/store.js';
import { thisProcess } from './process.js';
import {
  type BidColumns,
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
  let turn: Promise<unknown> = Promise.resolve();
  return {
    name: 'memory',
    durable: false,
    process,
    transaction(account, work) {
      const run = turn.then(() => {
        const kept = accounts.get(account) ?? new Account();
        accounts.set(account, kept);
        return runUnit(new MemoryTransaction(kept, now), work);
      });
      turn = run.catch(() => undefined);
      return run;
    },
    close: async () => {
      await turn;
    },
  };
}

async function runUnit<T>(unit: MemoryTransaction, work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
  try {
    const result = await work(unit);
    if (unit.failure !== undefined) throw unit.failure;
    return result;
  } catch (error) {
    unit.undo();
    throw error;
  }
}

/** A row as it is kept; each save replaces it. */
interface Kept extends Omit<StoredIntent, 'ownerSilentMs'> {
  readonly ownerSeen: number;
  readonly settledAt?: SaveTime | undefined;
  readonly shrunk: boolean;
}

interface Facts {
  readonly halt?: string | undefined;
  readonly serverMs?: number | undefined;
  /** The last id and the last position of a settlement that were used. */
  readonly id: number;
  readonly settled: number;
}

class Account {
  readonly rows = new Map<string, Kept>();
  /** Those of the rows that are open: each new bid asks for them. */
  readonly open = new Map<string, Kept>();
  readonly evidence = new Map<string, string>();
  facts: Facts = { id: 0, settled: 0 };
}

/** Writes at once, and remembers how to undo it. */
class MemoryTransaction implements StoreTransaction {
  readonly #account: Account;
  readonly #now: () => number;
  readonly #undo: (() => void)[] = [];
  /** An insert or update that was refused fails the transaction, as in a database. */
  failure: Error | undefined;

  readonly intents: IntentTable = {
    get: async (key) => this.#stored(this.#account.rows.get(key)),
    insert: async (row, at) => {
      if (this.#account.rows.has(row.key)) throw this.#refusal(row.key, 'its key is taken');
      const id = this.#account.facts.id + 1;
      this.#setFacts({ id });
      this.#save(row, at, { id, version: 1 });
    },
    update: async (row, version, at) => {
      const kept = this.#account.rows.get(row.key);
      if (kept?.version !== version) return false;
      this.#save(row, at, { id: kept.id, version: version + 1 }, kept);
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
      this.#find(({ bid }) => bid?.lot === lot && bid.buyer === buyer, this.#account.open),
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
      if (first === undefined) this.#set(evidence, name, key);
      return first ?? key;
    },
  };

  constructor(account: Account, now: () => number) {
    this.#account = account;
    this.#now = now;
  }

  async halt(): Promise<string | undefined> {
    return this.#account.facts.halt;
  }

  async setHalt(halt: string | undefined): Promise<void> {
    this.#setFacts({ halt });
  }

  async serverTime(): Promise<number | undefined> {
    return this.#account.facts.serverMs;
  }

  async noteServerTime(serverMs: number): Promise<void> {
    this.#setFacts({ serverMs: Math.max(this.#account.facts.serverMs ?? 0, Math.floor(serverMs)) });
  }

  async prune(
    before: { serverMs: number; localMs: number },
    limit: number,
    shrink: (content: string) => string,
  ): Promise<number> {
    const { rows, evidence, facts } = this.#account;
    const gone = new Set<string>();
    let shrunk = 0;
    const byAge = [...rows.values()].sort(
      (a, b) => (a.settledAt?.serverMs ?? 0) - (b.settledAt?.serverMs ?? 0),
    );
    for (const row of byAge) {
      const { key, settledAt } = row;
      if (settledAt === undefined || row.provisional || row.shrunk) continue;
      const { serverMs, localMs } = settledAt;
      if (serverMs === undefined) {
        // A row that settled while server time was unknown counts from now.
        this.#put({ ...row, settledAt: { localMs, serverMs: facts.serverMs ?? before.serverMs } });
      } else if (serverMs < before.serverMs && localMs < before.localMs && gone.size + shrunk < limit) {
        if (row.once === undefined) gone.add(key);
        else {
          const content = shrink(row.content);
          this.#put({ ...row, content, body: undefined, shrunk: true, version: row.version + 1 });
          shrunk += 1;
        }
      }
    }
    for (const [name, key] of evidence) if (gone.has(key)) this.#set(evidence, name, undefined);
    for (const key of gone) this.#set(rows, key, undefined);
    return gone.size + shrunk;
  }

  undo(): void {
    for (const each of this.#undo.reverse()) each();
  }

  #save(row: IntentRow, at: SaveTime, place: { id: number; version: number }, before?: Kept): void {
    this.#checkGuard(row);
    const settlement = this.#settlement(row, at, before);
    this.#put({ ...row, ...place, ...settlement, ownerSeen: this.#now(), shrunk: false });
  }

  #checkGuard({ guarded, bid, key }: IntentRow): void {
    if (!guarded || bid === undefined) return;
    for (const other of this.#account.open.values()) {
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
    this.failure = refusal;
    return refusal;
  }

  /** A verdict that changed settles again; a save that left it as it was does not. */
  #settlement(row: IntentRow, at: SaveTime, before?: Kept): Pick<Kept, 'settledAt' | 'settledSequence'> {
    if (isOpen(row.state)) return { settledAt: undefined, settledSequence: undefined };
    if (before?.state === row.state && before.provisional === row.provisional) {
      return { settledAt: before.settledAt, settledSequence: before.settledSequence };
    }
    const settled = this.#account.facts.settled + 1;
    this.#setFacts({ settled });
    return { settledAt: at, settledSequence: settled };
  }

  #exposure(lot: string, buyer: string, nowMs: number, except: string): Exposure {
    const closes = new Map<string, number>();
    const highest = new Map<string, BidColumns>();
    const rows = [...this.#account.rows.values()];
    for (const { bid } of rows) {
      if (bid?.closesAt !== undefined) closes.set(bid.lot, Math.max(bid.closesAt, closes.get(bid.lot) ?? 0));
    }
    for (const { key, state, bid } of rows) {
      const isAtStake = key !== except && (isOpen(state) || state === 'accepted');
      if (bid === undefined || !isAtStake || (closes.get(bid.lot) ?? Number.POSITIVE_INFINITY) <= nowMs)
        continue;
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

  #find(matches: (row: Kept) => boolean, among = this.#account.rows): StoredIntent[] {
    // A deletion that was undone leaves the row at the end of the map.
    const found = [...among.values()].filter(matches).sort((a, b) => a.id - b.id);
    return found.flatMap((row) => this.#stored(row) ?? []);
  }

  #stored(row: Kept | undefined): StoredIntent | undefined {
    if (row === undefined) return undefined;
    const { ownerSeen, settledAt: _, shrunk: __, ...stored } = row;
    return { ...stored, ownerSilentMs: Math.max(0, this.#now() - ownerSeen) };
  }

  #put(row: Kept): void {
    this.#set(this.#account.rows, row.key, row);
    this.#set(this.#account.open, row.key, isOpen(row.state) ? row : undefined);
  }

  #set<V>(map: Map<string, V>, key: string, value: V | undefined): void {
    const before = map.get(key);
    write(value);
    this.#undo.push(() => write(before));

    function write(next: V | undefined): void {
      if (next === undefined) map.delete(key);
      else map.set(key, next);
    }
  }

  #setFacts(changes: Partial<Facts>): void {
    const before = this.#account.facts;
    this.#account.facts = { ...before, ...changes };
    this.#undo.push(() => {
      this.#account.facts = before;
    });
  }
}
