import { StoreError } from '../errors/store.js';
import { type OwnedTable, type Ownership, ownedBy, ownedTable, ownershipOf } from './owner.js';
import { type ColumnOf, numberOf, type Row, stringOf, type Unit, type Values } from './schema.js';
import { type Exposure, type ExposureQuery, type Stake, stakeTable } from './stakes.js';
import type { Account } from './tables.js';

// Rows of one account. A store only keeps them; `intents/` interprets them.

/** The states of an intent. */
export const INTENT_STATES = [
  /** Recorded; nothing was sent. */
  'ready',
  /** An attempt was sent, or may have been, and its effect is unknown. */
  'sent',
  /** Needs manual resolution. */
  'stuck',
  'accepted',
  'rejected',
  /** A command that the service carried out. */
  'done',
  /** The service refused it and recorded nothing. */
  'refused',
  'not_sent',
  /** Abandoned by a person while its outcome was unknown. */
  'abandoned',
] as const;

/** State of an intent. `ready`, `sent` and `stuck` are open, the others settled. */
export type IntentState = (typeof INTENT_STATES)[number];

const OPEN: readonly IntentState[] = ['ready', 'sent', 'stuck'];

export function isOpen(state: IntentState): boolean {
  return OPEN.includes(state);
}

/** Columns of a bid, for the guard against a second open bid and for risk limits. */
export interface BidColumns {
  /** Public lot id. */
  readonly lot: string;
  /** The platform's buyer, or the dealer id of a direct dealer. */
  readonly buyer: string;
  /** Amount in paise. */
  readonly paise: bigint;
  /** Latest known close of the lot, Unix ms in server time. */
  readonly closesAt?: number | undefined;
}

/** One intent as it is written. */
export interface IntentRow {
  /** Idempotency key; unique within the account. */
  readonly key: string;
  readonly state: IntentState;
  /** Settled, but a later lookup may still find another outcome. */
  readonly provisional: boolean;
  /** Included in the unique index of one guarded bid per buyer and lot. Only open bids are guarded. */
  readonly guarded: boolean;
  readonly bid?: BidColumns | undefined;
  /** Identifies the `runOnce` that reserved this key. Such rows are shrunk by retention, never deleted. */
  readonly once?: string | undefined;
  /** The isolate and call that work on a `ready` intent. */
  readonly owner?: string | undefined;
  /** JSON: the command, the identity of the client that recorded it, and the log of all events. */
  readonly content: string;
  /** JSON: the bytes to send, or their source. Dropped once they can't be needed again. */
  readonly body?: string | undefined;
}

/** One intent as it is read. */
export interface StoredIntent extends IntentRow, Ownership {
  /** Position in the order of inserts. */
  readonly id: number;
  /** Counts the saves of this row, from 1. */
  readonly version: number;
  /** Position in the order of settlements; a row that settles again gets a new one. Absent while it is open. */
  readonly settledSequence?: number | undefined;
  /** The account that recorded it, if it is not that of the transaction. */
  readonly account?: string | undefined;
}

/** Time of a save by both clocks, because retention trusts neither alone. */
export interface SaveTime {
  /** Unix ms in server time; undefined while this process does not know it. */
  readonly server: number | undefined;
  /** Unix ms by the local clock. */
  readonly local: number;
}

export interface IntentQuery {
  /** `open`: not settled. `unresolved`: open, or settled provisionally. */
  readonly which: 'open' | 'unresolved' | 'all';
  /** Only ids above this one. */
  readonly after?: number | undefined;
  readonly limit: number;
}

/** The rows of one account, inside a transaction. */
export interface IntentTable extends OwnedTable {
  /** An intent by its idempotency key. */
  get(key: string): Promise<StoredIntent | undefined>;
  /** Rejects, and fails the transaction, if the key or a guarded row for the same buyer and lot exists. */
  insert(row: IntentRow, at: SaveTime): Promise<StoredIntent>;
  /** Replaces a row if it still has this version. Otherwise writes nothing and returns undefined. */
  update(row: IntentRow, version: number, at: SaveTime): Promise<StoredIntent | undefined>;
  /** Lists intents in insertion order. */
  list(query: IntentQuery): Promise<readonly StoredIntent[]>;
  /** In the order of settlements, above this sequence. */
  settledAfter(sequence: number, limit: number): Promise<readonly StoredIntent[]>;
  /** Open bids of one buyer on one lot, guarded or not, in the order of inserts. */
  openBids(lot: string, buyer: string): Promise<readonly StoredIntent[]>;
  /** Open bids of one buyer on one lot that other accounts of this store recorded, such as those of another label. */
  openBidsElsewhere(lot: string, buyer: string): Promise<readonly StoredIntent[]>;
  /** Bids on up to 100 lots that are or may be accepted (also open, provisional, abandoned), in the order of inserts. */
  bidsOn(lots: readonly string[]): Promise<readonly StoredIntent[]>;
  /** The latest row of each other account of this store under a key, or for a `runOnce` with this identity. */
  recordedElsewhere(
    what: { readonly key: string } | { readonly once: string },
  ): Promise<readonly StoredIntent[]>;
  /** Names of the other accounts of this store. */
  otherAccounts(): Promise<readonly string[]>;
  /** The latest row that a `runOnce` with this identity reserved. */
  latestOnce(once: string): Promise<StoredIntent | undefined>;
  /**
   * Sums the paise at stake for one buyer over all lots, and on one lot over all buyers: the highest open or accepted amount
   * for each buyer and lot, on lots whose last known close has not passed. The bid under `key` counts in any state.
   */
  exposure(query: ExposureQuery): Promise<Exposure>;
  /**
   * Deletes up to `limit` intents that settled before both times, with their evidence. Intents of `runOnce` lose their body
   * and log instead (`shrink` returns the content to keep). Open and provisional intents are never touched.
   *
   * @param before includes the local time now: intents that settled after it by the local clock count from now
   * @returns the number of intents that were deleted or shrunk
   */
  prune(
    before: { readonly server: number; readonly local: number; readonly now: number },
    limit: number,
    shrink: (content: string) => string,
  ): Promise<number>;
}

/** Ids in verdicts, each reserved for the first key that had it. */
export interface EvidenceTable {
  /** Reserves an id for a key. Returns the key that holds it: this one, or an earlier one. */
  reserve(kind: 'bid_id' | 'request_id', value: string, key: string): Promise<string>;
  /** The key that holds an id; undefined if none does. */
  holder(kind: 'bid_id' | 'request_id', value: string): Promise<string | undefined>;
}

export function evidenceTable(unit: Unit): EvidenceTable {
  const evidence = unit.table('evidence');
  const holder: EvidenceTable['holder'] = async (kind, value) => {
    const [found] = await evidence.select({ kind, value });
    return stringOf(found?.key);
  };
  return {
    holder,
    async reserve(kind, value, key) {
      if ((await evidence.insert({ kind, value, key })) !== undefined) return key;
      return (await holder(kind, value)) ?? key;
    },
  };
}

type Column = ColumnOf<'intents'>;

/** Intents that retention considers: settled for good, and not yet shrunk. */
const PRUNABLE = { unresolved: false, shrunk: false } as const;

export function intentTable(unit: Unit, account: Account): IntentTable {
  const intents = unit.table('intents');
  const evidence = unit.table('evidence');
  const stakes = stakeTable(unit);
  const find = async (...[where, page]: Parameters<typeof intents.select>) =>
    (await intents.select(where, { order: ['id'], ...page })).map(storedOf);

  const findElsewhere = async (...[where, page]: Parameters<typeof intents.select>) => {
    const found = [];
    for (const { account: other, intents: theirs } of await unit.elsewhere()) {
      const rows = await theirs.select(where, page);
      found.push(...rows.map((row) => ({ ...storedOf(row), account: other })));
    }
    return found;
  };

  /** Settles the intent again if its verdict changed. */
  const settlement = async (row: IntentRow, at: SaveTime, before?: Row<Column>): Promise<Values<Column>> => {
    if (isOpen(row.state)) return { settled_sequence: null, settled_server_ms: null, settled_local_ms: null };
    const isAsBefore = Number(before?.provisional) === Number(row.provisional);
    if (before?.state === row.state && isAsBefore) return {};
    const sequence = await account.nextSettlement();
    const { server = null, local } = at;
    return { settled_sequence: sequence, settled_server_ms: server, settled_local_ms: local };
  };

  return {
    get: async (key) => (await find({ key }))[0],
    async insert(row, at) {
      const columns = { ...columnsOf(row), ...(await settlement(row, at)) };
      const inserted = await intents.insert({ key: row.key, version: 1, ...columns });
      if (inserted === undefined) return unit.step(() => Promise.reject(excluded(row.key)));
      await account.register();
      await stakes.follow(undefined, stakeOf(row));
      return storedOf(inserted);
    },
    async update(row, version, at) {
      const current = { key: row.key, version };
      const [before] = await intents.select(current);
      if (before === undefined) return undefined;
      const columns = { ...columnsOf(row), ...(await settlement(row, at, before)) };
      const [saved] = await intents.update(current, { ...columns, version: version + 1 });
      await stakes.follow(stakeOf(storedOf(before)), stakeOf(row));
      return saved && storedOf(saved);
    },
    list({ which, after = 0, limit }) {
      const only = { all: {}, open: { unresolved: true, open: true }, unresolved: { unresolved: true } }[
        which
      ];
      return find({ id: { is: '>', than: after }, ...only }, { limit });
    },
    settledAfter: (sequence, limit) =>
      find({ settled_sequence: { is: '>', than: sequence } }, { order: ['settled_sequence'], limit }),
    async openBids(lot, buyer) {
      // Sorted here, because SQLite would otherwise scan all rows by id instead of using the index of the lot.
      const bids = await find({ lot, buyer, open: true }, { order: [] });
      return bids.sort((a, b) => a.id - b.id);
    },
    openBidsElsewhere: (lot, buyer) => findElsewhere({ lot, buyer, open: true }),
    recordedElsewhere: (what) => findElsewhere(what, { order: ['id'], descending: true, limit: 1 }),
    async bidsOn(lots) {
      if (lots.length === 0) return [];
      const bids = await find({ lot: { is: 'IN', than: lots } }, { order: [] });
      const mayCount = ['accepted', 'abandoned'];
      return bids
        .filter(({ state, provisional }) => isOpen(state) || provisional || mayCount.includes(state))
        .sort((a, b) => a.id - b.id);
    },
    otherAccounts: async () => (await unit.elsewhere()).map(({ account: other }) => other),
    latestOnce: async (once) => (await find({ once }, { descending: true, limit: 1 }))[0],
    exposure: stakes.exposure,
    ...ownedTable(unit, 'intents', 'ready'),
    async prune(before, limit, shrink) {
      const undated = await intents.select({ ...PRUNABLE, settled_server_ms: null }, { limit });
      if (undated.length > 0) {
        // Intents that settled while server time was unknown count from now.
        const known = (await account.serverTime()) ?? before.server;
        await intents.update({ id: anyOf(undated, 'id') }, { settled_server_ms: known });
      }
      const dated = { ...PRUNABLE, settled_server_ms: { is: '<', than: before.server } } as const;
      const ahead = await intents.select(
        { ...dated, settled_local_ms: { is: '>', than: before.now } },
        { limit },
      );
      // Intents that settled while the local clock was ahead count from now.
      if (ahead.length > 0)
        await intents.update({ id: anyOf(ahead, 'id') }, { settled_local_ms: before.now });
      const old = await intents.select(
        {
          ...dated,
          settled_local_ms: { is: '<', than: before.local },
        },
        // The order of the index. Any other order would sort all old rows for each batch.
        { order: ['settled_server_ms', 'settled_local_ms', 'id'], limit },
      );
      const gone = old.filter(({ once }) => once === null);
      if (gone.length > 0) {
        await evidence.delete({ key: anyOf(gone, 'key') });
        await intents.delete({ id: anyOf(gone, 'id') });
        for (const row of gone) await stakes.follow(stakeOf(storedOf(row)), undefined);
      }
      for (const { id, once, content, version } of old) {
        if (once === null) continue;
        const shrunk = { content: shrink(String(content)), body: null, shrunk: true };
        await intents.update({ id: Number(id) }, { ...shrunk, version: Number(version) + 1 });
      }
      return old.length;
    },
  };
}

function stakeOf({ bid, state }: IntentRow): Stake | undefined {
  return bid && { ...bid, counts: isOpen(state) || state === 'accepted' };
}

function anyOf(rows: readonly Row<Column>[], column: 'id' | 'key') {
  const values = rows.map((row) => (column === 'id' ? Number(row.id) : String(row.key)));
  return { is: 'IN', than: values } as const;
}

function excluded(key: string): StoreError {
  return new StoreError({
    reason: 'unavailable',
    what: `The intent ${key} can't be recorded: its key is taken, or another bid of this buyer on this lot is open.`,
    nextStep: 'Read the intent from the store first.',
  });
}

function columnsOf({ bid, ...row }: IntentRow): Values<Column> {
  return {
    state: row.state,
    open: isOpen(row.state),
    unresolved: isOpen(row.state) || row.provisional,
    provisional: row.provisional,
    guarded: row.guarded,
    lot: bid?.lot ?? null,
    buyer: bid?.buyer ?? null,
    paise: bid === undefined ? null : String(bid.paise),
    closes_at: bid?.closesAt ?? null,
    once: row.once ?? null,
    ...ownedBy(row.owner),
    content: row.content,
    body: row.body ?? null,
    shrunk: false,
  };
}

function storedOf(row: Row<Column>): StoredIntent {
  const [lot, buyer, paise] = [row.lot, row.buyer, row.paise].map(stringOf);
  const isBid = lot !== undefined && buyer !== undefined && paise !== undefined;
  return {
    id: Number(row.id),
    key: String(row.key),
    state: intentStateOf(row.state),
    provisional: Number(row.provisional) === 1,
    guarded: Number(row.guarded) === 1,
    bid: isBid ? { lot, buyer, paise: BigInt(paise), closesAt: numberOf(row.closes_at) } : undefined,
    once: stringOf(row.once),
    ...ownershipOf(row),
    content: String(row.content),
    body: stringOf(row.body),
    version: Number(row.version),
    settledSequence: numberOf(row.settled_sequence),
  };
}

function intentStateOf(value: unknown): IntentState {
  const state = INTENT_STATES.find((each) => each === value);
  if (state !== undefined) return state;
  throw new StoreError({
    reason: 'corrupt',
    what: `An intent can't be read: its state is "${String(value)}".`,
    nextStep: 'Find out which other program writes to these tables before you send anything.',
  });
}
