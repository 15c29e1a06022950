import { StoreError } from '../errors/store.js';
import { type OwnedTable, type Ownership, ownedBy, ownedTable, ownershipOf } from './owner.js';
import { type ColumnOf, numberOf, type Row, textOf, type Unit, type Values } from './schema.js';
import type { Account } from './tables.js';

// Rows of one account. What they mean is decided in `intents/`; a store only keeps them.

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
  /** The isolate and call that work on a `ready` intent. */
  readonly owner?: string | undefined;
  /** JSON: what is meant, the identity it was recorded under, and the log of everything that happened. */
  readonly content: string;
  /** JSON: the bytes to send, or where they come from. Dropped once they can never be needed again. */
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
export interface IntentTable extends OwnedTable {
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
  exposure(query: ExposureQuery): Promise<Exposure>;
  /**
   * Deletes up to `limit` intents that settled before both moments, with their evidence; those of `runOnce` lose body and
   * log instead (`shrink` makes the content that is kept). Open and provisional ones are never touched.
   *
   * @param before with the local time now: what settled later by the local clock counts from now
   * @returns how many it deleted or shrank
   */
  prune(
    before: { readonly serverMs: number; readonly localMs: number; readonly nowMs: number },
    limit: number,
    shrink: (content: string) => string,
  ): Promise<number>;
}

export interface ExposureQuery {
  readonly lot: string;
  readonly buyer: string;
  readonly nowMs: number;
  readonly key: string;
}

/** In paise. */
export interface Exposure {
  readonly buyer: bigint;
  readonly lot: bigint;
}

/** Which key a verdict's ids were first seen under. */
export interface EvidenceTable {
  /** Records it, and returns the key that holds it: this one, or the one that was first. */
  claim(kind: 'bid_id' | 'request_id', value: string, key: string): Promise<string>;
  /** The key that holds it; undefined where none does. */
  holder(kind: 'bid_id' | 'request_id', value: string): Promise<string | undefined>;
}

export function evidenceTable(unit: Unit): EvidenceTable {
  const evidence = unit.table('evidence');
  const holder: EvidenceTable['holder'] = async (kind, value) => {
    const [found] = await evidence.select({ kind, value });
    return textOf(found?.key);
  };
  return {
    holder,
    async claim(kind, value, key) {
      if ((await evidence.insert({ kind, value, key })) !== undefined) return key;
      return (await holder(kind, value)) ?? key;
    },
  };
}

type Column = ColumnOf<'intents'>;

/** Settled for good and still whole: what retention looks at. */
const PRUNABLE = { unresolved: false, shrunk: false } as const;

/** @param exposure depends on the kind of store: it sums where the rows are */
export function intentTable(unit: Unit, account: Account, exposure: IntentTable['exposure']): IntentTable {
  const intents = unit.table('intents');
  const evidence = unit.table('evidence');
  const find = async (...[where, page]: Parameters<typeof intents.select>) =>
    (await intents.select(where, { order: ['id'], ...page })).map(storedOf);

  /** A verdict that changed settles again; a save that left it as it was changes nothing about that. */
  const settlement = async (row: IntentRow, at: SaveTime, before?: Row<Column>): Promise<Values<Column>> => {
    if (isOpen(row.state)) return { settled_sequence: null, settled_server_ms: null, settled_local_ms: null };
    const isAsBefore = Number(before?.provisional) === Number(row.provisional);
    if (before?.state === row.state && isAsBefore) return {};
    const sequence = await account.nextSettlement();
    const { serverMs = null, localMs } = at;
    return { settled_sequence: sequence, settled_server_ms: serverMs, settled_local_ms: localMs };
  };

  return {
    get: async (key) => (await find({ key }))[0],
    async insert(row, at) {
      const columns = { ...columnsOf(row), ...(await settlement(row, at)) };
      const inserted = await intents.insert({ key: row.key, version: 1, ...columns });
      return inserted === undefined ? unit.step(() => Promise.reject(excluded(row.key))) : storedOf(inserted);
    },
    async update(row, version, at) {
      const place = { key: row.key, version };
      const [before] = await intents.select(place);
      if (before === undefined) return undefined;
      const columns = { ...columnsOf(row), ...(await settlement(row, at, before)) };
      const [saved] = await intents.update(place, { ...columns, version: version + 1 });
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
      // Sorted here: SQLite would read all rows in the order of their ids instead of those of the lot.
      const bids = await find({ lot, buyer, open: true }, { order: [] });
      return bids.sort((a, b) => a.id - b.id);
    },
    async bidsOn(lots) {
      if (lots.length === 0) return [];
      const bids = await find({ lot: { is: 'IN', than: lots } }, { order: [] });
      const mayCount = ['accepted', 'abandoned'];
      return bids
        .filter(({ state, provisional }) => isOpen(state) || provisional || mayCount.includes(state))
        .sort((a, b) => a.id - b.id);
    },
    latestOnce: async (once) => (await find({ once }, { descending: true, limit: 1 }))[0],
    exposure,
    ...ownedTable(unit, 'intents', 'ready'),
    async prune(before, limit, shrink) {
      const undated = await intents.select({ ...PRUNABLE, settled_server_ms: null }, { limit });
      if (undated.length > 0) {
        // What settled while server time was unknown counts from now.
        const known = (await account.serverTime()) ?? before.serverMs;
        await intents.update({ id: anyOf(undated, 'id') }, { settled_server_ms: known });
      }
      const dated = { ...PRUNABLE, settled_server_ms: { is: '<', than: before.serverMs } } as const;
      const ahead = await intents.select(
        { ...dated, settled_local_ms: { is: '>', than: before.nowMs } },
        { limit },
      );
      // What settled while the local clock was ahead counts from now.
      if (ahead.length > 0)
        await intents.update({ id: anyOf(ahead, 'id') }, { settled_local_ms: before.nowMs });
      const old = await intents.select(
        {
          ...dated,
          settled_local_ms: { is: '<', than: before.localMs },
        },
        // The order of the index: in another one, all that is old would be sorted for each batch.
        { order: ['settled_server_ms', 'settled_local_ms', 'id'], limit },
      );
      const gone = old.filter(({ once }) => once === null);
      if (gone.length > 0) {
        await evidence.delete({ key: anyOf(gone, 'key') });
        await intents.delete({ id: anyOf(gone, 'id') });
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

function anyOf(rows: readonly Row<Column>[], column: 'id' | 'key') {
  const values = rows.map((row) => (column === 'id' ? Number(row.id) : String(row.key)));
  return { is: 'IN', than: values } as const;
}

function excluded(key: string): StoreError {
  return new StoreError({
    reason: 'unavailable',
    what: `The intent ${key} can't be recorded: its key is taken, or another bid of this buyer on this lot is open.`,
    nextStep: 'Read what the store holds first.',
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
  const [lot, buyer, paise] = [row.lot, row.buyer, row.paise].map(textOf);
  const isBid = lot !== undefined && buyer !== undefined && paise !== undefined;
  return {
    id: Number(row.id),
    key: String(row.key),
    state: stateOf(row.state),
    provisional: Number(row.provisional) === 1,
    guarded: Number(row.guarded) === 1,
    bid: isBid ? { lot, buyer, paise: BigInt(paise), closesAt: numberOf(row.closes_at) } : undefined,
    once: textOf(row.once),
    ...ownershipOf(row),
    content: String(row.content),
    body: textOf(row.body),
    version: Number(row.version),
    settledSequence: numberOf(row.settled_sequence),
  };
}

function stateOf(value: unknown): IntentState {
  const state = INTENT_STATES.find((each) => each === value);
  if (state !== undefined) return state;
  throw new StoreError({
    reason: 'corrupt',
    what: `An intent can't be read: it has the state "${String(value)}".`,
    nextStep: 'Find out what else writes into these tables before you send anything.',
  });
}
