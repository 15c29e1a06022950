import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteDriver } from '../../src/sqlite/driver.js';
import type { IntentTable } from '../../src/store/intents.js';
import { sqlStore } from '../../src/store/sql.js';
import type { SqlDriver, SqlQuery } from '../../src/store/sql-driver.js';
import type { Store, StoreTransaction } from '../../src/store/store.js';
import type { StoreStorage } from '../../src/testing/index.js';
import { inVirtualTime, newFolder, noWaits, turn } from './kit.js';

/** A mistake that a store could make, and the case of the suite that must find it. */
export interface Broken {
  readonly mistake: string;
  readonly foundBy: string;
  /** Changes each statement; `nth` counts the stores that were opened. */
  readonly sql?: (text: string, nth: number) => string;
  readonly driver?: (driver: SqlDriver) => SqlDriver;
  readonly store?: (store: Store) => Store;
}

/** Stores over one SQLite file, all of them with the same mistake. */
export function brokenStorage({ sql, driver: breakDriver, store: breakStore }: Broken): StoreStorage {
  const folder = newFolder();
  let now = 1_772_431_200_000;
  let opened = 0;
  return {
    open() {
      opened += 1;
      const nth = opened;
      let driver = inVirtualTime(new SqliteDriver(join(folder, 'auction.db'), noWaits), () => now);
      if (sql !== undefined)
        driver = withQuery(driver, (query, text, values) => query(sql(text, nth), values));
      if (breakDriver !== undefined) driver = breakDriver(driver);
      const store = sqlStore(driver);
      return breakStore?.(store) ?? store;
    },
    pass(ms) {
      now += ms;
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

export const brokenStores: readonly Broken[] = [
  {
    mistake: 'received events are unique over all accounts',
    foundBy: 'webhookEvents: an event is kept once for its id and once for its fact, in each account',
    sql: (text) => text.replace('UNIQUE (account, event_id)', 'UNIQUE (event_id)'),
  },
  {
    mistake: 'two events may have one fact',
    foundBy: 'webhookEvents: an event is kept once for its id and once for its fact, in each account',
    sql: (text) => text.replace(/,\s+UNIQUE \(account, fact\)/, ''),
  },
  {
    mistake: 'a follower that left stays the owner',
    foundBy: 'cursors: an owner goes with the value that it had, and only the owner is touched',
    sql: (text) =>
      text.replace(
        'value = $3, owner = $4, owner_seen',
        'value = $3, owner = COALESCE($4, owner), owner_seen',
      ),
  },
  {
    mistake: 'a cursor is saved over any version',
    foundBy: 'cursors: a cursor is saved only over the version that was read, in each account',
    sql: (text) => text.replace('name = $2 AND version = $5', 'name = $2 AND $5 = $5'),
  },
  {
    mistake: 'progress ignores the version',
    foundBy: 'webhookEvents: progress is saved only over the version that was read, and replaces all of it',
    sql: (text) => text.replace('event_id = $2 AND version = $3', 'event_id = $2 AND $3 = $3'),
  },
  {
    mistake: 'what is not due yet is listed as due',
    foundBy: 'webhookEvents: what is pending and due comes in the order of arrival',
    sql: (text) => text.replace('due_ms <= $2', '$2 = $2'),
  },
  {
    mistake: 'a sign of one receiver counts for all',
    foundBy: 'webhookEvents: owners, their silence, and versions are told for each resource',
    sql: (text) => text.replace("AND owner = $2 AND state = 'pending'", "AND $2 = $2 AND state = 'pending'"),
  },
  {
    mistake: 'bodies of pending events are dropped',
    foundBy: 'webhookEvents: bodies of old handled events are dropped, the events stay',
    sql: (text) => text.replace("AND state = 'handled' AND body", 'AND body'),
  },
  {
    mistake: 'the sink takes the audit of every account',
    foundBy: 'audit: entries stay in their order, by subject and account, and leave the sink once',
    sql: (text) =>
      text.replace('WHERE account = $1 AND sunk = 0 AND id', 'WHERE $1 = $1 AND sunk = 0 AND id'),
  },
  {
    mistake: 'a body is forgotten',
    foundBy: 'insert: a row is read back exactly as it was written',
    sql: (text) => text.replace('content, body, version', 'content, NULL AS body, version'),
  },
  {
    mistake: 'text is cut off at 64 kB',
    foundBy: 'insert: long and unusual text stays as it is',
    driver: (driver) =>
      withQuery(driver, (query, text, values) =>
        query(
          text,
          values?.map((value) => (typeof value === 'string' ? value.slice(0, 65_536) : value)),
        ),
      ),
  },
  {
    mistake: 'keys are compared without regard to case',
    foundBy: 'insert: keys and lots that differ only in case, accents or blanks are different',
    sql: (text) =>
      text.replace('key TEXT NOT NULL,\n      state', 'key TEXT NOT NULL COLLATE NOCASE,\n      state'),
  },
  {
    mistake: 'amounts pass through a double',
    foundBy: 'insert: amounts beyond 2^53 paise stay exact',
    sql: (text) => text.replace('CAST(paise AS TEXT)', 'CAST(CAST(CAST(paise AS REAL) AS BIGINT) AS TEXT)'),
  },
  {
    mistake: 'keys are not unique',
    foundBy: 'insert: a key is taken only once in an account',
    sql: (text) => text.replace(/,\s+UNIQUE \(account, key\)/, ''),
  },
  {
    mistake: 'keys are unique over all accounts',
    foundBy: 'insert: a key is taken only once in an account',
    sql: (text) => text.replace('UNIQUE (account, key)', 'UNIQUE (key)'),
  },
  {
    mistake: 'the guard is no unique index',
    foundBy: 'insert: a guarded bid excludes another of the same buyer on the same lot',
    sql: (text) => text.replace('CREATE UNIQUE INDEX', 'CREATE INDEX'),
  },
  {
    mistake: 'the guard takes in every bid',
    foundBy: 'insert: a guarded bid excludes another of the same buyer on the same lot',
    sql: (text) => text.replace('WHERE guarded = 1', 'WHERE lot IS NOT NULL'),
  },
  {
    mistake: 'the flag of the guard is never changed',
    foundBy: 'update: the guard of a bid ends and begins with its flag',
    sql: (text) => text.replace(/guarded = (\$\d+)/, 'guarded = guarded + 0 * $1'),
  },
  {
    mistake: 'a save ignores the version',
    foundBy: 'update: a row is saved only over the version that was read',
    sql: (text) => text.replace('AND version = $3', 'AND $3 = $3'),
  },
  {
    mistake: 'what a save leaves out stays',
    foundBy: 'update: everything of a row is replaced, and what is left out is gone',
    sql: (text) => text.replace(/owner = (\$\d+)/, 'owner = COALESCE($1, owner)'),
  },
  {
    mistake: 'a sign of one owner counts for all',
    foundBy: 'touchOwner: the silence of an owner grows until it gives a sign',
    sql: (text) => text.replace("AND owner = $2 AND state = 'ready'", "AND $2 = $2 AND state = 'ready'"),
  },
  {
    mistake: 'silence is not measured',
    foundBy: 'touchOwner: the silence of an owner grows until it gives a sign',
    sql: (text) => text.replace(/CAST\(\d+ AS BIGINT\) - owner_seen AS/, '0 AS'),
  },
  {
    mistake: 'rows are listed by key',
    foundBy: 'list: rows come in the order of inserts, by page and by what they need',
    sql: (text) => text.replace('ORDER BY id LIMIT $3', 'ORDER BY key LIMIT $3'),
  },
  {
    mistake: 'what is provisional counts as resolved',
    foundBy: 'list: rows come in the order of inserts, by page and by what they need',
    sql: (text) => text.replace('AND (open = 1 OR provisional = 1)', 'AND open = 1'),
  },
  {
    mistake: 'ids of deleted rows are used again',
    foundBy: 'list: a row that is inserted after others were deleted comes last',
    sql: (text) => text.replace('PRIMARY KEY AUTOINCREMENT', 'PRIMARY KEY'),
  },
  {
    mistake: 'settled rows come in the order of inserts',
    foundBy: 'settledAfter: rows come in the order in which they settled',
    sql: (text) => text.replace('ORDER BY settled_sequence LIMIT', 'ORDER BY id LIMIT'),
  },
  {
    mistake: 'every save settles again',
    foundBy: 'settledAfter: a row whose verdict changes comes again, another save does not',
    sql: (text) => text.replace('SELECT state, provisional FROM', `SELECT '' AS state, provisional FROM`),
  },
  {
    mistake: 'a provisional verdict that becomes final settles in silence',
    foundBy: 'settledAfter: a row whose verdict changes comes again, another save does not',
    sql: (text) => text.replace('SELECT state, provisional FROM', 'SELECT state, 0 AS provisional FROM'),
  },
  {
    mistake: 'the next position is one above the highest there is',
    foundBy: 'settledAfter: a position is never given twice, although rows are deleted',
    sql: (text) =>
      text.replace(
        'vehicle_auction_accounts.settled_sequence + 1',
        '(SELECT COALESCE(MAX(settled_sequence), 0) + 1 FROM vehicle_auction_intents WHERE account = $1)',
      ),
  },
  {
    mistake: 'open bids of every buyer are found',
    foundBy: 'openBids: the open bids of one buyer on one lot, in the order of inserts',
    sql: (text) => text.replace('buyer = $3 AND open = 1', '$3 = $3 AND open = 1'),
  },
  {
    mistake: 'the first row of an identity is found',
    foundBy: 'latestOnce: the row that was inserted last under an identity',
    sql: (text) => text.replace('ORDER BY id DESC', 'ORDER BY id'),
  },
  {
    mistake: 'all amounts of a buyer on a lot are added up',
    foundBy: 'exposure: sums the highest open or accepted amount of each buyer and lot',
    sql: (text) => text.replaceAll('MAX(paise)', 'SUM(paise)'),
  },
  {
    mistake: 'accepted bids are not at stake',
    foundBy: 'exposure: sums the highest open or accepted amount of each buyer and lot',
    sql: (text) => text.replaceAll("(open = 1 OR state = 'accepted')", 'open = 1'),
  },
  {
    mistake: 'each bid is judged by the close that it knew itself',
    foundBy: 'exposure: leaves out a lot whose last known close has passed, and no other',
    sql: (text) => text.replace(/AND lot IN \(SELECT lot FROM [^)]+\)/, 'AND closes_at > $4'),
  },
  {
    mistake: 'sums pass through a double',
    foundBy: 'exposure: sums beyond 2^53 paise stay exact',
    sql: (text) =>
      text.replace('COALESCE(SUM(highest), 0)', 'CAST(CAST(COALESCE(SUM(highest), 0) AS REAL) AS BIGINT)'),
  },
  {
    mistake: 'work that rejects is committed',
    foundBy: 'transaction: what rejects leaves nothing',
    driver: (driver) => ({
      ...copyOf(driver),
      async transaction(account, work) {
        const outcome = await driver.transaction(account, (query) =>
          work(query).then(
            (value) => ({ value }),
            (error: unknown) => ({ error }),
          ),
        );
        if ('error' in outcome) throw outcome.error;
        return outcome.value;
      },
    }),
  },
  {
    mistake: 'a failed insert leaves the rest of its transaction',
    foundBy: 'transaction: a failed insert fails it, even where the work goes on',
    store: (store) =>
      withTransaction(store, (tx) => ({
        insert: async (row, at) => {
          if ((await tx.intents.get(row.key)) !== undefined) throw new Error('The key is taken.');
          return tx.intents.insert(row, at);
        },
      })),
  },
  {
    mistake: 'work that rejects takes others of its group along',
    foundBy: 'transaction: of many at once, those that reject leave the others alone',
    store: (store) => {
      let failed = 0;
      return {
        ...store,
        async transaction(account, work) {
          const before = failed;
          const value = await store.transaction(account, work).catch((error: unknown) => {
            failed += 1;
            throw error;
          });
          await turn();
          if (failed !== before) throw new Error('Another failed.');
          return value;
        },
      };
    },
  },
  {
    mistake: 'a transaction does not see the rows that it wrote',
    foundBy: 'transaction: reads what it has written',
    store: (store) => ({
      ...store,
      transaction: (account, work) =>
        store.transaction(account, async (tx) => {
          const before = await tx.intents.list({ which: 'all', limit: 1_000 });
          return work(overriding(tx, { list: async () => before }));
        }),
    }),
  },
  {
    mistake: 'a later insert replaces an earlier one',
    foundBy: 'race: of many inserts of a key, one wins',
    sql: (text) => text.replace(/INSERT (INTO vehicle_auction_intents)/, 'INSERT OR REPLACE $1'),
  },
  {
    mistake: 'the guard is looked at in another transaction than the insert',
    foundBy: 'race: of many guarded bids of a buyer on a lot, one wins',
    sql: (text) => text.replace('CREATE UNIQUE INDEX', 'CREATE INDEX'),
    store: (store) => {
      const apart = splitUp(store);
      return withTransaction(apart, (tx) => ({
        insert: async (row, at) => {
          const { bid } = row;
          const open = bid === undefined ? [] : await tx.intents.openBids(bid.lot, bid.buyer);
          if (open.some(({ guarded }) => guarded)) throw new Error('Another is there.');
          return tx.intents.insert(row, at);
        },
      }));
    },
  },
  {
    mistake: 'each statement is a separate transaction',
    foundBy: 'race: what one transaction reads and then saves, no other changes in between',
    store: (store) => splitUp(store),
  },
  {
    mistake: 'each statement is a separate transaction',
    foundBy: 'race: nothing is sent after a halt that another process sets',
    store: (store) => splitUp(store),
  },
  {
    mistake: 'each process counts positions separately',
    foundBy: 'race: a follower of the settled rows misses none',
    sql: (text, nth) =>
      text.replace(
        'RETURNING settled_sequence',
        `RETURNING settled_sequence + ${1_000 * (5 - nth)} AS settled_sequence`,
      ),
  },
  {
    mistake: 'the last claim wins',
    foundBy: 'evidence: an id belongs to the first key that claims it',
    sql: (text) => text.replace('SET key = vehicle_auction_evidence.key', 'SET key = excluded.key'),
  },
  {
    mistake: 'a halt cannot be lifted',
    foundBy: 'halt: is set and lifted for one account',
    sql: (text) => text.replace('SET halt = excluded.halt', 'SET halt = COALESCE(excluded.halt, halt)'),
  },
  {
    mistake: 'server time follows whatever is noted',
    foundBy: 'serverTime: moves forward only',
    sql: (text) => text.replace(/WHERE COALESCE\([^)]+\) < excluded.server_ms/, ''),
  },
  ...(['closed', 'killed'] as const).map((how) => ({
    mistake: 'evidence is only in memory',
    foundBy: `restart, ${how}: everything that was written is there`,
    driver: (driver: SqlDriver): SqlDriver => ({
      ...copyOf(driver),
      async close() {
        await driver.transaction('', async (query) => {
          await query('DELETE FROM vehicle_auction_evidence');
        });
        await driver.close();
      },
    }),
  })),
  {
    mistake: 'close does not wait',
    foundBy: 'close: waits for the work under way, and a later transaction opens the store again',
    store: (store) => ({ ...store, close: async () => undefined }),
  },
  {
    mistake: 'retention believes server time alone',
    foundBy: 'prune: deletes what settled before both moments, and never by one clock alone',
    sql: (text) => text.replaceAll('settled_local_ms < $3', '$3 = $3'),
  },
  {
    mistake: 'retention believes the local clock alone',
    foundBy: 'prune: deletes what settled before both moments, and never by one clock alone',
    sql: (text) => text.replaceAll('settled_server_ms < $2', '$2 = $2'),
  },
  {
    mistake: 'what settled without server time is taken for old',
    foundBy: 'prune: what settled without server time is kept until it is old by a later one',
    sql: (text) => text.replace(/COALESCE\(\s*\(SELECT server_ms[^)]+\), CAST\(\$2 AS BIGINT\)\)/, '0 * $2'),
  },
  {
    mistake: 'what settled without server time is kept for ever',
    foundBy: 'prune: what settled without server time is kept until it is old by a later one',
    sql: (text) => text.replace('settled_server_ms IS NULL', '$2 <> $2'),
  },
  {
    mistake: 'what is provisional is deleted',
    foundBy: 'prune: never touches what is open or provisional',
    sql: (text) => text.replaceAll('open = 0 AND provisional = 0', 'open = 0'),
  },
  {
    mistake: 'retention takes all at once',
    foundBy: 'prune: takes no more than its limit, the oldest first',
    sql: (text) => text.replaceAll('LIMIT $4', 'LIMIT 100 + 0 * $4'),
  },
  {
    mistake: 'rows of runOnce are deleted',
    foundBy: 'prune: a row of runOnce loses body and log, once, and stays',
    sql: (text) => text.replaceAll('AND once IS NULL', ''),
  },
  {
    mistake: 'rows of runOnce are shrunk again and again',
    foundBy: 'prune: a row of runOnce loses body and log, once, and stays',
    sql: (text) => text.replace('shrunk = 1, version', 'version'),
  },
  {
    mistake: 'the evidence of deleted rows stays',
    foundBy: 'prune: the evidence of what it deletes goes, all other stays',
    sql: (text) =>
      text.replace(/(DELETE FROM vehicle_auction_evidence WHERE) account/, '$1 1 = 0 AND account'),
  },
];

/** Drivers are objects of classes, whose methods a spread leaves out. */
function copyOf(driver: SqlDriver): SqlDriver {
  return withQuery(driver, (query, ...given) => query(...given));
}

function withQuery(
  driver: SqlDriver,
  change: (query: SqlQuery, ...given: Parameters<SqlQuery>) => ReturnType<SqlQuery>,
): SqlDriver {
  return {
    name: driver.name,
    durable: driver.durable,
    serial: driver.serial,
    get now() {
      return driver.now;
    },
    transaction: (account, work) =>
      driver.transaction(account, (query) => work((...given) => change(query, ...given))),
    close: () => driver.close(),
  };
}

/** A store whose transactions have some methods of their table replaced. */
function withTransaction(store: Store, change: (tx: StoreTransaction) => Partial<IntentTable>): Store {
  return {
    ...store,
    transaction: (account, work) => store.transaction(account, (tx) => work(overriding(tx, change(tx)))),
  };
}

function overriding(tx: StoreTransaction, changes: Partial<IntentTable>): StoreTransaction {
  const intents: IntentTable = {
    get: (key) => tx.intents.get(key),
    insert: (row, at) => tx.intents.insert(row, at),
    update: (row, version, at) => tx.intents.update(row, version, at),
    list: (query) => tx.intents.list(query),
    settledAfter: (sequence, limit) => tx.intents.settledAfter(sequence, limit),
    openBids: (lot, buyer) => tx.intents.openBids(lot, buyer),
    bidsOn: (lots) => tx.intents.bidsOn(lots),
    latestOnce: (once) => tx.intents.latestOnce(once),
    exposure: (query) => tx.intents.exposure(query),
    touchOwner: (owner) => tx.intents.touchOwner(owner),
    prune: (before, limit, shrink) => tx.intents.prune(before, limit, shrink),
    ...changes,
  };
  return {
    intents,
    evidence: tx.evidence,
    account: tx.account,
    webhookEvents: tx.webhookEvents,
    audit: tx.audit,
    cursors: tx.cursors,
  };
}

/** A store that runs each call of a transaction as a separate transaction. */
function splitUp(store: Store): Store {
  return {
    ...store,
    transaction(account, work) {
      const alone = <T>(run: (tx: StoreTransaction) => Promise<T>) => store.transaction(account, run);
      return work({
        intents: {
          get: (key) => alone((tx) => tx.intents.get(key)),
          insert: (row, at) => alone((tx) => tx.intents.insert(row, at)),
          update: (row, version, at) => alone((tx) => tx.intents.update(row, version, at)),
          list: (query) => alone((tx) => tx.intents.list(query)),
          settledAfter: (sequence, limit) => alone((tx) => tx.intents.settledAfter(sequence, limit)),
          openBids: (lot, buyer) => alone((tx) => tx.intents.openBids(lot, buyer)),
          bidsOn: (lots) => alone((tx) => tx.intents.bidsOn(lots)),
          latestOnce: (once) => alone((tx) => tx.intents.latestOnce(once)),
          exposure: (query) => alone((tx) => tx.intents.exposure(query)),
          touchOwner: (owner) => alone((tx) => tx.intents.touchOwner(owner)),
          prune: (...given) => alone((tx) => tx.intents.prune(...given)),
        },
        evidence: {
          claim: (...given) => alone((tx) => tx.evidence.claim(...given)),
          holder: (...given) => alone((tx) => tx.evidence.holder(...given)),
        },
        account: {
          halt: () => alone((tx) => tx.account.halt()),
          setHalt: (reason) => alone((tx) => tx.account.setHalt(reason)),
          serverTime: () => alone((tx) => tx.account.serverTime()),
          noteServerTime: (serverMs) => alone((tx) => tx.account.noteServerTime(serverMs)),
        },
        webhookEvents: {
          insert: (row) => alone((tx) => tx.webhookEvents.insert(row)),
          get: (id) => alone((tx) => tx.webhookEvents.get(id)),
          update: (...given) => alone((tx) => tx.webhookEvents.update(...given)),
          list: (query) => alone((tx) => tx.webhookEvents.list(query)),
          due: (...given) => alone((tx) => tx.webhookEvents.due(...given)),
          nextDue: () => alone((tx) => tx.webhookEvents.nextDue()),
          inHand: (resource) => alone((tx) => tx.webhookEvents.inHand(resource)),
          newestVersion: (resource) => alone((tx) => tx.webhookEvents.newestVersion(resource)),
          touchOwner: (owner) => alone((tx) => tx.webhookEvents.touchOwner(owner)),
          shrink: (...given) => alone((tx) => tx.webhookEvents.shrink(...given)),
        },
        cursors: {
          get: (name) => alone((tx) => tx.cursors.get(name)),
          save: (...given) => alone((tx) => tx.cursors.save(...given)),
          touch: (...given) => alone((tx) => tx.cursors.touch(...given)),
        },
        audit: {
          append: (row) => alone((tx) => tx.audit.append(row)),
          list: (query) => alone((tx) => tx.audit.list(query)),
          unsunk: (limit) => alone((tx) => tx.audit.unsunk(limit)),
          setSunk: (sequence) => alone((tx) => tx.audit.setSunk(sequence)),
        },
      });
    },
  };
}
