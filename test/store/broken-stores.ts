import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { SqliteDriver } from '../../src/sqlite/driver.js';
import { sqlStore } from '../../src/store/sql.js';
import type { SqlDriver, SqlQuery } from '../../src/store/sql-driver.js';
import type { Store, StoreTransaction } from '../../src/store/store.js';
import type { StoreStorage } from '../../src/testing/index.js';
import { inVirtualTime, newFolder, noWaits, turn } from './kit.js';

/** A mistake that a store could make, and the case of the suite that must find it. */
export interface Broken {
  readonly mistake: string;
  /** How the name of the case begins. */
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

type Replacement = readonly [
  mistake: string,
  foundBy: string,
  table: string,
  search: string | RegExp,
  instead: string,
];

/** Mistakes in the statements of one table. */
const wrongStatements: readonly Replacement[] = [
  [
    'a body is forgotten',
    'insert: rows are read back',
    'intents',
    'body, version, settled',
    'NULL AS body, version, settled',
  ],
  [
    'keys are compared without regard to case',
    'insert: rows are read back',
    'intents',
    'key TEXT NOT NULL',
    'key TEXT NOT NULL COLLATE NOCASE',
  ],
  [
    'amounts pass through a double',
    'insert: rows are read back',
    'intents',
    'CAST(paise AS TEXT)',
    'CAST(CAST(CAST(paise AS REAL) AS BIGINT) AS TEXT)',
  ],
  ['keys are not unique', 'insert: of many inserts of a key', 'intents', /UNIQUE (INDEX.*intents_key)/, '$1'],
  [
    'keys are unique over all accounts',
    'insert: of many inserts of a key',
    'intents',
    '(account, key)',
    '(key)',
  ],
  [
    'a later insert replaces an earlier one',
    'insert: of many inserts of a key',
    'intents',
    /^INSERT(.*)ON CONFLICT DO NOTHING/s,
    'INSERT OR REPLACE$1',
  ],
  [
    'the guard is no unique index',
    'insert: of many guarded bids',
    'intents',
    /UNIQUE (INDEX.*intents_guard)/,
    '$1',
  ],
  [
    'the guard takes in every bid',
    'insert: of many guarded bids',
    'intents',
    'WHERE guarded = 1',
    'WHERE lot IS NOT NULL',
  ],
  [
    'the flag of the guard is never changed',
    'update: the guard',
    'intents',
    /(^UPDATE.*)guarded = \d/,
    '$1guarded = guarded',
  ],
  [
    'a save ignores the version',
    'update: a row is saved only over',
    'intents',
    / AND version = (\$\d+)/,
    ' AND $1 = $1',
  ],
  [
    'what a save leaves out stays',
    'update: everything of a row is replaced',
    'intents',
    /owner = (\$\d+)/,
    'owner = COALESCE($1, owner)',
  ],
  [
    'a sign of one owner counts for all',
    'touchOwner:',
    'intents',
    /owner = (\$\d+) AND state/,
    '$1 = $1 AND state',
  ],
  ['silence is not measured', 'touchOwner:', 'intents', /CAST\(\d+ AS BIGINT\) - owner_seen AS/, '0 AS'],
  ['rows are listed by key', 'list:', 'intents', 'ORDER BY id LIMIT', 'ORDER BY key LIMIT'],
  ['what is provisional counts as resolved', 'list:', 'intents', 'unresolved = 1', 'open = 1'],
  [
    'settled rows come in the order of inserts',
    'settledAfter:',
    'intents',
    'ORDER BY settled_sequence',
    'ORDER BY id',
  ],
  [
    'every save settles again',
    'settledAfter:',
    'intents',
    /^SELECT id, key, state,(.* version = )/,
    "SELECT id, key, '' AS state,$1",
  ],
  [
    'a provisional verdict that becomes final settles in silence',
    'settledAfter:',
    'intents',
    /(^SELECT.*) provisional,(.* version = )/,
    '$1 0 AS provisional,$2',
  ],
  [
    'open bids of every buyer are found',
    'openBids, latestOnce:',
    'intents',
    /buyer = (\$\d+) AND open/,
    '$1 = $1 AND open',
  ],
  [
    'the first row of an identity is found',
    'openBids, latestOnce:',
    'intents',
    'ORDER BY id DESC',
    'ORDER BY id',
  ],
  [
    'provisional bids on a lot are left out',
    'bidsOn:',
    'intents',
    /provisional,(.*lot IN)/,
    '0 AS provisional,$1',
  ],
  [
    'all amounts of a buyer on a lot are added up',
    'exposure: sums',
    'intents',
    /MAX\(paise\)/g,
    'SUM(paise)',
  ],
  [
    'accepted bids are not at stake',
    'exposure: sums',
    'intents',
    /\(open = 1 OR state = 'accepted'\)/g,
    'open = 1',
  ],
  [
    'sums pass through a double',
    'exposure: sums',
    'intents',
    'COALESCE(SUM(highest), 0)',
    'CAST(CAST(COALESCE(SUM(highest), 0) AS REAL) AS BIGINT)',
  ],
  [
    'each bid is judged by the close that it knew itself',
    'exposure: leaves out',
    'intents',
    /AND lot IN \(SELECT lot FROM [^)]+\)/,
    'AND closes_at > $4',
  ],
  [
    'the last claim wins',
    'evidence:',
    'evidence',
    'ON CONFLICT DO NOTHING',
    'ON CONFLICT (account, kind, value) DO UPDATE SET key = excluded.key',
  ],
  ['a halt cannot be lifted', 'account:', 'accounts', /halt = (\$\d+)/, 'halt = COALESCE($1, halt)'],
  [
    'retention believes server time alone',
    'prune: deletes what settled before both',
    'intents',
    /settled_local_ms < (\$\d+)/,
    '$1 = $1',
  ],
  [
    'retention believes the local clock alone',
    'prune: deletes what settled before both',
    'intents',
    /settled_server_ms < (\$\d+)/,
    '$1 = $1',
  ],
  [
    'what settled without server time is taken for old',
    'prune: what settled without server time',
    'intents',
    /SET settled_server_ms = (\$\d+)/,
    'SET settled_server_ms = 0 * $1',
  ],
  [
    'what settled without server time is kept for ever',
    'prune: what settled without server time',
    'intents',
    'settled_server_ms IS NULL',
    '1 = 0',
  ],
  ['what is provisional is deleted', 'prune: never touches', 'intents', 'unresolved = 0', 'open = 0'],
  [
    'retention takes all at once',
    'prune: takes no more',
    'intents',
    /settled_local_ms, id LIMIT (\$\d+)/,
    'settled_local_ms, id LIMIT 100 + 0 * $1',
  ],
  [
    'ids of deleted rows are used again',
    'prune: takes no more',
    'intents',
    'PRIMARY KEY AUTOINCREMENT',
    'PRIMARY KEY',
  ],
  [
    'the next position is one above the highest there is',
    'prune: takes no more',
    'accounts',
    /settled_sequence FROM (\w+)/,
    '(SELECT MAX(settled_sequence) FROM vehicle_auction_intents WHERE account = $$1) AS settled_sequence FROM $1',
  ],
  [
    'rows of runOnce are deleted',
    'prune: a row of runOnce',
    'intents',
    /once,(.*ORDER BY settled_server_ms)/,
    'NULL AS once,$1',
  ],
  [
    'rows of runOnce are shrunk again and again',
    'prune: a row of runOnce',
    'intents',
    'shrunk = 1',
    'shrunk = 0',
  ],
  [
    'the evidence of deleted rows stays',
    'prune: the evidence',
    'evidence',
    /(^DELETE.*) WHERE/,
    '$1 WHERE 1 = 0 AND',
  ],
  [
    'received events are unique over all accounts',
    'webhookEvents: an event is kept once',
    'webhook_events',
    '(account, event_id)',
    '(event_id)',
  ],
  [
    'two events may have one fact',
    'webhookEvents: an event is kept once',
    'webhook_events',
    /UNIQUE (INDEX.*_fact)/,
    '$1',
  ],
  [
    'progress ignores the version',
    'webhookEvents: progress',
    'webhook_events',
    / AND version = (\$\d+)/,
    ' AND $1 = $1',
  ],
  [
    'what is not due yet is listed as due',
    'webhookEvents: what is pending and due',
    'webhook_events',
    /due_ms <= (\$\d+)/,
    '$1 = $1',
  ],
  [
    'a sign of one receiver counts for all',
    'webhookEvents: owners',
    'webhook_events',
    /owner = (\$\d+) AND state/,
    '$1 = $1 AND state',
  ],
  [
    'bodies of pending events are dropped',
    'webhookEvents: bodies',
    'webhook_events',
    /state = (\$\d+) AND shrunk/,
    '$1 = $1 AND shrunk',
  ],
  [
    'the sink takes the audit of every account',
    'audit:',
    'audit',
    /(^UPDATE.*)account = (\$\d+)/,
    '$1$2 = $2',
  ],
  [
    'a cursor is saved over any version',
    'cursors: a cursor is saved',
    'cursors',
    / AND version = (\$\d+)/,
    ' AND $1 = $1',
  ],
  [
    'a follower that left stays the owner',
    'cursors: a cursor is saved',
    'cursors',
    /owner = (\$\d+),/,
    'owner = COALESCE($1, owner),',
  ],
  [
    'a sign of anyone counts for the owner',
    'cursors: only the owner',
    'cursors',
    /AND owner = (\$\d+)/,
    'AND $1 = $1',
  ],
];

/** Mistakes that are not in one statement. */
const wrongWork: readonly Broken[] = [
  {
    mistake: 'text is cut off at 64 kB',
    foundBy: 'insert: rows are read back',
    driver: (driver) =>
      withQuery(driver, (query, text, values) =>
        query(
          text,
          values?.map((value) => (typeof value === 'string' ? value.slice(0, 65_536) : value)),
        ),
      ),
  },
  {
    mistake: 'the guard is looked at in another transaction than the insert',
    foundBy: 'insert: of many guarded bids',
    sql: inTable('intents', /UNIQUE (INDEX.*intents_guard)/, '$1'),
    store: (store) =>
      changed(splitUp(store), ({ intents }) => ({
        intents: {
          ...intents,
          insert: async (row, at) => {
            const open = row.bid === undefined ? [] : await intents.openBids(row.bid.lot, row.bid.buyer);
            if (open.some(({ guarded }) => guarded)) throw new Error('Another is there.');
            return intents.insert(row, at);
          },
        },
      })),
  },
  {
    mistake: 'work that rejects is committed',
    foundBy: 'transaction: reads what it has written, and leaves nothing',
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
    mistake: 'a transaction does not see the rows that it wrote',
    foundBy: 'transaction: reads what it has written, and leaves nothing',
    store: (store) => ({
      ...store,
      transaction: (account, work) =>
        store.transaction(account, async (tx) => {
          const before = await tx.intents.list({ which: 'all', limit: 1_000 });
          return work({ ...tx, intents: { ...tx.intents, list: async () => before } });
        }),
    }),
  },
  {
    mistake: 'a failed insert leaves the rest of its transaction',
    foundBy: 'transaction: a failed insert',
    store: (store) =>
      changed(store, ({ intents }) => ({
        intents: {
          ...intents,
          insert: async (row, at) => {
            if ((await intents.get(row.key)) !== undefined) throw new Error('The key is taken.');
            return intents.insert(row, at);
          },
        },
      })),
  },
  {
    mistake: 'work that rejects takes others of its group along',
    foundBy: 'transaction: of many at once',
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
  ...['race: what one transaction reads', 'race: nothing is sent after a halt'].map((foundBy) => ({
    mistake: 'each statement is a separate transaction',
    foundBy,
    store: splitUp,
  })),
  {
    mistake: 'each process counts positions separately',
    foundBy: 'race: a follower',
    sql: (text, nth) =>
      inTable('intents', /(^UPDATE.*settled_sequence = \$\d+)/, `$1 + ${1_000 * (5 - nth)}`)(text),
  },
  {
    mistake: 'server time follows whatever is noted',
    foundBy: 'account:',
    store: (store) =>
      changed(store, ({ account, query }) => ({
        account: {
          ...account,
          async noteServerTime(serverMs) {
            await account.noteServerTime(serverMs);
            await query?.('UPDATE vehicle_auction_accounts SET server_ms = $1', [serverMs]);
          },
        },
      })),
  },
  {
    mistake: 'evidence is only in memory',
    foundBy: 'restart:',
    driver: (driver) => ({
      ...copyOf(driver),
      async close() {
        await driver.transaction('', async (query) => {
          await query('DELETE FROM vehicle_auction_evidence');
        });
        await driver.close();
      },
    }),
  },
  {
    mistake: 'close does not wait',
    foundBy: 'close:',
    store: (store) => ({ ...store, close: async () => undefined }),
  },
];

export const brokenStores: readonly Broken[] = [
  ...wrongStatements.map(([mistake, foundBy, ...replacement]) => ({
    mistake,
    foundBy,
    sql: inTable(...replacement),
  })),
  ...wrongWork,
];

function inTable(table: string, search: string | RegExp, instead: string): (text: string) => string {
  const named = new RegExp(`vehicle_auction_${table}\\b`);
  return (text) => (named.test(text) ? text.replace(search, instead) : text);
}

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

/** A store whose transactions have some of their tables replaced. */
function changed(store: Store, change: (tx: StoreTransaction) => Partial<StoreTransaction>): Store {
  return {
    ...store,
    transaction: (account, work) => store.transaction(account, (tx) => work({ ...tx, ...change(tx) })),
  };
}

/** A store that runs each call of a transaction as a separate transaction. */
function splitUp(store: Store): Store {
  return {
    ...store,
    async transaction(account, work) {
      // Only for the names of its tables and their methods: it is over.
      const model = await store.transaction(account, async (tx) => tx);
      const tables = Object.entries(model).map(([name, table]) => [name, apart(store, account, name, table)]);
      return work({ ...model, ...Object.fromEntries(tables) });
    },
  };
}

/** A table with the methods of `model`, each in a separate transaction. */
function apart(store: Store, account: string, name: string, model: unknown): unknown {
  const methods = Object.keys(Object(model)).map((method) => [
    method,
    (...given: unknown[]) =>
      store.transaction(account, async (tx) =>
        Reflect.apply(Reflect.get(Reflect.get(tx, name), method), undefined, given),
      ),
  ]);
  return Object.fromEntries(methods);
}
