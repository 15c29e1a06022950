import type { Store, StoreTransaction } from '../../src/store/store.js';
import type { StoreStorage } from '../../src/testing/index.js';
import { sqliteStorage, turn } from './kit.js';

/** A mistake that a store could make, and the case of the suite that must find it. */
export interface Broken {
  readonly mistake: string;
  /** How the name of the case begins. */
  readonly foundBy: string;
  /** Changes each statement; `nth` counts the stores that were opened. */
  readonly sql?: (text: string, nth: number) => string;
  readonly store?: (store: Store) => Store;
}

/** Stores over one SQLite file, all of them with the same mistake. */
export function brokenStorage({ sql, store: breakStore }: Broken): StoreStorage {
  return sqliteStorage(sql, breakStore);
}

type Replacement = readonly [mistake: string, search: string | RegExp, instead: string];

/** Mistakes in the statements of one table, by the case that finds them. */
const wrongStatements: Readonly<Record<string, Readonly<Record<string, readonly Replacement[]>>>> = {
  stakes: {
    'exposure: sums': [
      [
        'sums pass through a double',
        'COALESCE(SUM(paise), 0)',
        'CAST(CAST(COALESCE(SUM(paise), 0) AS REAL) AS BIGINT)',
      ],
    ],
    'exposure: leaves out': [
      [
        'other bids keep the close that they knew',
        /SET closes_at = (\$\d+)/,
        'SET closes_at = COALESCE(closes_at, $1)',
      ],
    ],
    'exposure: follows': [
      ['what settles stays at stake', /^DELETE/, 'DELETE FROM vehicle_auction_stakes WHERE 1 = 0 --'],
      ['a higher amount is added to the one before', /SET paise = (\$\d+)/, 'SET paise = paise + $1'],
    ],
  },
  intents: {
    'insert: rows are read back': [
      ['a body is forgotten', 'body, version, settled', 'NULL AS body, version, settled'],
      ['keys are compared without regard to case', 'key TEXT NOT NULL', 'key TEXT NOT NULL COLLATE NOCASE'],
      ['amounts pass through a double', 'CAST(paise AS TEXT)', 'CAST(paise AS REAL)'],
    ],
    'insert: of many inserts of a key': [
      ['keys are not unique', /UNIQUE (INDEX.*intents_key)/, '$1'],
      ['keys are unique over all accounts', '(account, key)', '(key)'],
      ['a later insert replaces an earlier one', /^INSERT(.*)ON CONFLICT DO NOTHING/s, 'INSERT OR REPLACE$1'],
    ],
    'insert: of many guarded bids': [
      ['the guard is no unique index', /UNIQUE (INDEX.*intents_guard)/, '$1'],
      ['the guard takes in every bid', 'WHERE guarded = 1', 'WHERE lot IS NOT NULL'],
    ],
    'update: the guard': [
      ['the flag of the guard is never changed', /(^UPDATE.*)guarded = \d/, '$1guarded = guarded'],
    ],
    'update: a row is saved only over': [
      ['a save ignores the version', / AND version = (\$\d+)/, ' AND $1 = $1'],
    ],
    'update: everything of a row is replaced': [
      ['what a save leaves out stays', /owner = (\$\d+)/, 'owner = COALESCE($1, owner)'],
    ],
    'touchOwner:': [
      ['a sign of one owner counts for all', /owner = (\$\d+) AND state/, '$1 = $1 AND state'],
      ['silence is not measured', /CAST\(\d+ AS BIGINT\) - owner_seen AS/, '0 AS'],
    ],
    'list:': [
      ['rows are listed by key', 'ORDER BY id LIMIT', 'ORDER BY key LIMIT'],
      ['what is provisional counts as resolved', 'unresolved = 1', 'open = 1'],
    ],
    'settledAfter:': [
      ['settled rows come in the order of inserts', 'ORDER BY settled_sequence', 'ORDER BY id'],
      [
        'every save settles again',
        /^SELECT id, key, state,(.* version = )/,
        "SELECT id, key, '' AS state,$1",
      ],
      [
        'what becomes final settles in silence',
        /(^SELECT.*) provisional,(.* version = )/,
        '$1 0 AS provisional,$2',
      ],
    ],
    'openBids, latestOnce:': [
      ['open bids of every buyer are found', /buyer = (\$\d+) AND open/, '$1 = $1 AND open'],
      ['the first row of an identity is found', 'ORDER BY id DESC', 'ORDER BY id'],
    ],
    'bidsOn:': [['provisional bids on a lot are left out', /provisional,(.*lot IN)/, '0 AS provisional,$1']],
    'exposure: sums': [
      ['accepted bids are not at stake', 'AS paise, open, state', "AS paise, open, '' AS state"],
    ],
    'exposure: leaves out': [
      ['a lot is judged by its first close', 'ORDER BY closes_at DESC', 'ORDER BY closes_at'],
    ],
    'prune: deletes intents that settled before both': [
      ['retention believes server time alone', /settled_local_ms < (\$\d+)/, '$1 = $1'],
      ['retention believes the local clock alone', /settled_server_ms < (\$\d+)/, '$1 = $1'],
    ],
    'prune: intents that settled without server time': [
      ['what settled without server time is old', /SET (settled_server_ms) = (\$\d+)/, 'SET $1 = 0 * $2'],
      ['what settled without server time is kept for ever', 'settled_server_ms IS NULL', '1 = 0'],
    ],
    'prune: intents that settled while': [
      ['the local clock is believed although it was ahead', /settled_local_ms > (\$\d+)/, '$1 <> $1'],
    ],
    'prune: never touches': [['what is provisional is deleted', 'unresolved = 0', 'open = 0']],
    'prune: removes at most its limit': [
      ['retention takes all at once', /(settled_local_ms, id LIMIT) (\$\d+)/, '$1 100 + 0 * $2'],
      ['ids of deleted rows are used again', 'PRIMARY KEY AUTOINCREMENT', 'PRIMARY KEY'],
    ],
    'prune: a row of runOnce': [
      ['rows of runOnce are deleted', /once,(.*ORDER BY settled_server_ms)/, 'NULL AS once,$1'],
      ['rows of runOnce are shrunk again and again', 'shrunk = 1', 'shrunk = 0'],
    ],
  },
  evidence: {
    'evidence:': [
      ['the last claim wins', 'DO NOTHING', '(account, kind, value) DO UPDATE SET key = excluded.key'],
    ],
    'prune: deletes the evidence': [
      ['the evidence of deleted rows stays', /(^DELETE.*) WHERE/, '$1 WHERE 1 = 0 AND'],
    ],
  },
  commits: {
    'commits:': [
      ['the mark of an owner is never replaced', /token = (\$\d+) WHERE/, 'token = token + 0 * $1 WHERE'],
    ],
  },
  accounts: {
    'openBidsElsewhere, otherAccounts:': [
      ['bids of this account are found among those of others', /account <> (\$\d+)/, '$1 = $1'],
    ],
    'recordedElsewhere:': [
      ['rows of this account are found among those of others', /account <> (\$\d+)/, '$1 = $1'],
    ],
    'account:': [['a halt cannot be lifted', /halt = (\$\d+)/, 'halt = COALESCE($1, halt)']],
    'prune: removes at most its limit': [
      [
        'the next position is one above the highest there is',
        /settled_sequence FROM (\w+)/,
        '(SELECT MAX(settled_sequence) FROM vehicle_auction_intents WHERE account = $$1) AS settled_sequence FROM $1',
      ],
    ],
  },
  webhook_events: {
    'webhookEvents: an event is kept once': [
      ['received events are unique over all accounts', '(account, event_id)', '(event_id)'],
      ['two events may have one fact', /UNIQUE (INDEX.*_fact)/, '$1'],
    ],
    'webhookEvents: progress': [['progress ignores the version', / AND version = (\$\d+)/, ' AND $1 = $1']],
    'webhookEvents: pending events that are due': [
      ['what is not due yet is listed as due', /due_ms <= (\$\d+)/, '$1 = $1'],
    ],
    'webhookEvents: only due times': [['what is due late stays due late', /due_ms > (\$\d+)/, '$1 <> $1']],
    'webhookEvents: owners': [
      ['a sign of one receiver counts for all', /owner = (\$\d+) AND state/, '$1 = $1 AND state'],
    ],
    'webhookEvents: old handled': [
      ['pending events are pruned', /state = (\$\d+) AND received_ms/, '$1 = $1 AND received_ms'],
    ],
    'webhookEvents: bodies': [
      ['bodies of pending events are dropped', /state = (\$\d+) AND shrunk/, '$1 = $1 AND shrunk'],
    ],
  },
  audit: {
    'audit: old entries': [
      ['entries are pruned before a sink has taken them', /delivered = 1 AND at_ms/, 'at_ms'],
    ],
    'audit: entries': [
      ['the sink takes the audit of every account', /(^UPDATE.*)account = (\$\d+)/, '$1$2 = $2'],
    ],
  },
  cursors: {
    'cursors: a cursor is saved': [
      ['a cursor is saved over any version', / AND version = (\$\d+)/, ' AND $1 = $1'],
      ['a follower that left stays the owner', /owner = (\$\d+),/, 'owner = COALESCE($1, owner),'],
    ],
    'cursors: only a heartbeat': [
      ['a sign of anyone counts for the owner', /AND owner = (\$\d+)/, 'AND $1 = $1'],
    ],
  },
};

/** Mistakes that are not in one statement. */
const wrongWork: readonly Broken[] = [
  {
    mistake: 'work that rejects is committed',
    foundBy: 'transaction: reads what it has written, and leaves nothing',
    store: (store) => ({
      ...store,
      async transaction(account, work) {
        const outcome = await store.transaction(
          account,
          async (tx) => (await Promise.allSettled([work(tx)]))[0],
        );
        if (outcome.status === 'rejected') throw outcome.reason;
        return outcome.value;
      },
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
  ...['race: no transaction changes', 'race: nothing is sent after a halt'].map((foundBy) => ({
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
          async advanceServerTime(server) {
            await account.advanceServerTime(server);
            await query?.('UPDATE vehicle_auction_accounts SET server_ms = $1', [server]);
          },
        },
      })),
  },
  {
    mistake: 'evidence is only in memory',
    foundBy: 'restart:',
    store: (store) => ({
      ...store,
      async close() {
        await store.transaction('', async ({ query }) => query?.('DELETE FROM vehicle_auction_evidence'));
        await store.close();
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
  ...Object.entries(wrongStatements).flatMap(([table, cases]) =>
    Object.entries(cases).flatMap(([foundBy, mistakes]) =>
      mistakes.map(([mistake, ...replacement]) => ({
        mistake,
        foundBy,
        sql: inTable(table, ...replacement),
      })),
    ),
  ),
  ...wrongWork,
];

function inTable(table: string, search: string | RegExp, instead: string): (text: string) => string {
  const named = new RegExp(`vehicle_auction_${table}\\b`);
  return (text) => (named.test(text) ? text.replace(search, instead) : text);
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
