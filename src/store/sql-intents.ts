import { StoreError } from '../errors/store.js';
import {
  type Exposure,
  INTENT_STATES,
  type IntentQuery,
  type IntentRow,
  type IntentState,
  type IntentTable,
  isOpen,
  type SaveTime,
  type StoredIntent,
} from './intents.js';
import { PRUNABLE, table } from './schema.js';
import { numberOf, type SqlRow, type SqlUnit, type SqlValue, textOf } from './sql-driver.js';

const { intents, evidence, accounts } = table;

const COLUMNS = `id, key, state, provisional, guarded, lot, buyer, CAST(paise AS TEXT) AS paise, closes_at, once, owner,
  content, body, version, settled_sequence`;

/** Which rows are bids at stake. */
const AT_STAKE = `(open = 1 OR state = 'accepted')`;

/** Values by the column that they go into. */
type Columns = Readonly<Record<string, SqlValue>>;

export class SqlIntents implements IntentTable {
  readonly #unit: SqlUnit;

  constructor(unit: SqlUnit) {
    this.#unit = unit;
  }

  async get(key: string): Promise<StoredIntent | undefined> {
    const [row] = await this.#select('key = $2', [key]);
    return row;
  }

  async insert(row: IntentRow, at: SaveTime): Promise<StoredIntent> {
    const { account, now } = this.#unit;
    const columns: Columns = {
      account,
      key: row.key,
      ...columnsOf(row),
      ...(await this.#settlement(row, at, undefined)),
    };
    const names = Object.keys(columns);
    const places = names.map((_, index) => `$${index + 1}`);
    const [inserted] = await this.#returning(
      `INSERT INTO ${intents} (${names}, owner_seen) VALUES (${places}, ${now})`,
      Object.values(columns),
    );
    if (inserted === undefined) throw new Error('An intent that was just inserted is missing');
    return inserted;
  }

  async update(row: IntentRow, version: number, at: SaveTime): Promise<StoredIntent | undefined> {
    const { account, now, query } = this.#unit;
    const same = 'account = $1 AND key = $2 AND version = $3';
    const place = [account, row.key, version];
    const [before] = await query(`SELECT state, provisional FROM ${intents} WHERE ${same}`, place);
    if (before === undefined) return undefined;
    const columns: Columns = { ...columnsOf(row), ...(await this.#settlement(row, at, before)) };
    const set = Object.keys(columns).map((name, index) => `${name} = $${index + 4}`);
    const [saved] = await this.#returning(
      `UPDATE ${intents} SET ${set}, owner_seen = ${now}, shrunk = 0, version = version + 1 WHERE ${same}`,
      [...place, ...Object.values(columns)],
    );
    return saved;
  }

  list({ which, after = 0, limit }: IntentQuery): Promise<readonly StoredIntent[]> {
    const filter = { open: 'AND open = 1', unresolved: 'AND (open = 1 OR provisional = 1)', all: '' }[which];
    return this.#select(`id > $2 ${filter} ORDER BY id LIMIT $3`, [after, limit]);
  }

  settledAfter(sequence: number, limit: number): Promise<readonly StoredIntent[]> {
    return this.#select('settled_sequence > $2 ORDER BY settled_sequence LIMIT $3', [sequence, limit]);
  }

  async openBids(lot: string, buyer: string): Promise<readonly StoredIntent[]> {
    // Sorted here: SQLite would read all open rows in the order of their ids instead of those of the lot.
    const bids = await this.#select('lot = $2 AND buyer = $3 AND open = 1', [lot, buyer]);
    return bids.sort((a, b) => a.id - b.id);
  }

  async bidsOn(lots: readonly string[]): Promise<readonly StoredIntent[]> {
    if (lots.length === 0) return [];
    const places = lots.map((_, index) => `$${index + 2}`);
    const bids = await this.#select(
      `lot IN (${places}) AND (${AT_STAKE} OR provisional = 1 OR state = 'abandoned')`,
      lots,
    );
    return bids.sort((a, b) => a.id - b.id);
  }

  async latestOnce(once: string): Promise<StoredIntent | undefined> {
    const [row] = await this.#select('once = $2 ORDER BY id DESC LIMIT 1', [once]);
    return row;
  }

  async exposure({ lot, buyer, nowMs, key }: Parameters<IntentTable['exposure']>[0]): Promise<Exposure> {
    const { account, query } = this.#unit;
    // Reads only the buyer's lots that close later or have no known close: the closed ones can be very many.
    const [ofBuyer] = await query(
      `SELECT CAST(COALESCE(SUM(highest), 0) AS TEXT) AS paise FROM (
        SELECT MAX(paise) AS highest FROM ${intents}
        WHERE account = $1 AND buyer = $2 AND (key = $3 OR ${AT_STAKE})
          AND lot IN (SELECT lot FROM ${intents} WHERE account = $1 AND lot IS NOT NULL AND closes_at > $4)
        GROUP BY lot
        UNION ALL
        SELECT MAX(paise) AS highest FROM ${intents} AS bid
        WHERE account = $1 AND buyer = $2 AND (key = $3 OR ${AT_STAKE}) AND lot IS NOT NULL AND closes_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM ${intents} AS other
            WHERE other.account = $1 AND other.lot = bid.lot AND other.closes_at IS NOT NULL)
        GROUP BY lot) AS lots`,
      [account, buyer, key, nowMs],
    );
    const [onLot] = await query(
      `SELECT CAST(COALESCE(SUM(highest), 0) AS TEXT) AS paise FROM (
        SELECT MAX(paise) AS highest FROM ${intents}
        WHERE account = $1 AND lot = $2 AND (key = $3 OR ${AT_STAKE})
          AND COALESCE((SELECT MAX(closes_at) > $4 FROM ${intents} WHERE account = $1 AND lot = $2), 1 = 1)
        GROUP BY buyer) AS buyers`,
      [account, lot, key, nowMs],
    );
    return { buyer: BigInt(String(ofBuyer?.['paise'])), lot: BigInt(String(onLot?.['paise'])) };
  }

  async touchOwner(owner: string): Promise<void> {
    const { account, now, query } = this.#unit;
    await query(
      `UPDATE ${intents} SET owner_seen = ${now} WHERE account = $1 AND owner = $2 AND state = 'ready'`,
      [account, owner],
    );
  }

  async prune(
    before: { readonly serverMs: number; readonly localMs: number },
    limit: number,
    shrink: (content: string) => string,
  ): Promise<number> {
    const { account, query } = this.#unit;
    // A row that settled while server time was unknown counts from now.
    await query(
      `UPDATE ${intents} SET settled_server_ms = COALESCE(
         (SELECT server_ms FROM ${accounts} WHERE account = $1), CAST($2 AS BIGINT))
       WHERE id IN (SELECT id FROM ${intents} WHERE account = $1 AND settled_server_ms IS NULL AND ${PRUNABLE} LIMIT $3)`,
      [account, before.serverMs, limit],
    );
    const old = `FROM ${intents} WHERE account = $1 AND settled_server_ms < $2 AND settled_local_ms < $3 AND ${PRUNABLE}`;
    // The order of the index: in another one, all that is old would be sorted for each slice.
    const first = 'ORDER BY settled_server_ms, settled_local_ms, id LIMIT $4';
    const values = (most: number) => [account, before.serverMs, before.localMs, most];
    await query(
      `DELETE FROM ${evidence} WHERE account = $1 AND key IN (SELECT key ${old} AND once IS NULL ${first})`,
      values(limit),
    );
    const deleted = await query(
      `DELETE FROM ${intents} WHERE id IN (SELECT id ${old} AND once IS NULL ${first}) RETURNING id`,
      values(limit),
    );
    const left = limit - deleted.length;
    const shrunk = left > 0 ? await query(`SELECT id, content ${old} ${first}`, values(left)) : [];
    for (const row of shrunk) {
      await query(
        `UPDATE ${intents} SET content = $2, body = NULL, shrunk = 1, version = version + 1 WHERE id = $1`,
        [Number(row['id']), shrink(String(row['content']))],
      );
    }
    return deleted.length + shrunk.length;
  }

  /** A verdict that changed settles again; a save that left it as it was changes nothing about that. */
  async #settlement(row: IntentRow, at: SaveTime, before: SqlRow | undefined): Promise<Columns> {
    if (isOpen(row.state)) {
      return { settled_sequence: null, settled_server_ms: null, settled_local_ms: null };
    }
    const isAsBefore = Number(before?.['provisional']) === Number(row.provisional);
    if (before?.['state'] === row.state && isAsBefore) return {};
    // Counted in the account's row, under its lock: a reader that has seen one has seen all before it.
    const [counted] = await this.#unit.query(
      `INSERT INTO ${accounts} (account, settled_sequence) VALUES ($1, 1)
       ON CONFLICT (account) DO UPDATE SET settled_sequence = ${accounts}.settled_sequence + 1
       RETURNING settled_sequence`,
      [this.#unit.account],
    );
    return {
      settled_sequence: Number(counted?.['settled_sequence']),
      settled_server_ms: at.serverMs ?? null,
      settled_local_ms: at.localMs,
    };
  }

  #select(where: string, values: readonly SqlValue[]): Promise<StoredIntent[]> {
    const { account, now, query } = this.#unit;
    return query(
      `SELECT ${COLUMNS}, ${now} - owner_seen AS silent_ms FROM ${intents} WHERE account = $1 AND ${where}`,
      [account, ...values],
    ).then((rows) => rows.map(storedOf));
  }

  async #returning(sql: string, values: readonly SqlValue[]): Promise<StoredIntent[]> {
    const rows = await this.#unit.query(`${sql} RETURNING ${COLUMNS}, 0 AS silent_ms`, values);
    return rows.map(storedOf);
  }
}

function columnsOf({ bid, ...row }: IntentRow): Columns {
  return {
    state: row.state,
    open: Number(isOpen(row.state)),
    provisional: Number(row.provisional),
    guarded: Number(row.guarded),
    lot: bid?.lot ?? null,
    buyer: bid?.buyer ?? null,
    paise: bid === undefined ? null : String(bid.paise),
    closes_at: bid?.closesAt ?? null,
    once: row.once ?? null,
    owner: row.owner ?? null,
    content: row.content,
    body: row.body ?? null,
  };
}

function storedOf(row: SqlRow): StoredIntent {
  const [lot, buyer, paise] = [row['lot'], row['buyer'], row['paise']].map(textOf);
  const isBid = lot !== undefined && buyer !== undefined && paise !== undefined;
  return {
    id: Number(row['id']),
    key: String(row['key']),
    state: stateOf(row['state']),
    provisional: Number(row['provisional']) === 1,
    guarded: Number(row['guarded']) === 1,
    bid: isBid ? { lot, buyer, paise: BigInt(paise), closesAt: numberOf(row['closes_at']) } : undefined,
    once: textOf(row['once']),
    owner: textOf(row['owner']),
    content: String(row['content']),
    body: textOf(row['body']),
    version: Number(row['version']),
    ownerSilentMs: Math.max(0, Number(row['silent_ms'])),
    settledSequence: numberOf(row['settled_sequence']),
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
