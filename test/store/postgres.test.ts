import { inspect } from 'node:util';
import pg from 'pg';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  type PostgresConnection,
  type PostgresPool,
  type PostgresSource,
  type PostgresStoreOptions,
  postgresStore,
} from '../../src/postgres/index.js';
import type { Store } from '../../src/store/store.js';
import { PostgresServer } from '../support/postgres/server.js';
import { newDatabase } from '../support/postgres/shared.js';
import {
  ACCOUNT,
  at,
  failed,
  get,
  insert,
  keysOf,
  rejection,
  row,
  timers,
  unknown,
  withClient,
} from './kit.js';

const opened: Store[] = [];
const pools: pg.Pool[] = [];

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  for (const pool of pools.splice(0)) await pool.end();
});

function open(source: string | PostgresPool, options: PostgresStoreOptions = {}): Store {
  const given: PostgresSource = typeof source === 'string' ? { connectionString: source } : { pool: source };
  const store = postgresStore(given, { ...timers, ...options });
  opened.push(store);
  return store;
}

function poolOf(url: string, config: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, ...config });
  pool.on('error', () => undefined);
  pools.push(pool);
  return pool;
}

type Ask = (text: string, values?: unknown[]) => ReturnType<PostgresConnection['query']>;

/** The same pool, whose connections ask what a test makes of each query. */
function tampered(
  pool: PostgresPool,
  query: (ask: Ask, text: string, values?: unknown[]) => ReturnType<Ask>,
  onRelease: (destroy?: boolean) => void = () => undefined,
) {
  return {
    async connect(): Promise<PostgresConnection> {
      const connection = await pool.connect();
      return {
        query: (text, values) => query((...given) => connection.query(...given), text, values),
        release(destroy) {
          onRelease(destroy);
          connection.release(destroy);
        },
        on: (event, listener) => connection.on(event, listener),
        removeListener: (event, listener) => connection.removeListener(event, listener),
      };
    },
  };
}

/** A pool that does something instead of one statement. */
async function interrupted() {
  const url = await newDatabase();
  let plan: { at: string; instead: (run: () => ReturnType<Ask>) => ReturnType<Ask> } | undefined;
  const pool = tampered(poolOf(url), (ask, text, values) => {
    const run = () => ask(text, values);
    if (plan === undefined || !text.includes(plan.at)) return run();
    const { instead } = plan;
    plan = undefined;
    return instead(run);
  });
  const next = (at: string, instead: NonNullable<typeof plan>['instead']) => {
    plan = { at, instead };
  };
  return { url, pool, next };
}

/** A store whose tables are made. */
async function prepared(): Promise<{ url: string; store: Store }> {
  const url = await newDatabase();
  const store = open(url);
  await keysOf(store);
  return { url, store };
}

/** Makes the database raise an error at each insert of an intent, or at the first ones only. */
function raising(url: string, state: string, times = 1_000_000): Promise<unknown> {
  return withClient(url, (client) =>
    client.query(`
      CREATE SEQUENCE tries;
      CREATE FUNCTION fail() RETURNS trigger AS $$ BEGIN
        IF nextval('tries') <= ${times} THEN RAISE EXCEPTION 'on purpose' USING ERRCODE = '${state}'; END IF;
        RETURN NEW;
      END $$ LANGUAGE plpgsql;
      CREATE TRIGGER fail BEFORE INSERT ON vehicle_auction_intents FOR EACH ROW EXECUTE FUNCTION fail()`),
  );
}

describe('a Postgres store', () => {
  it('is given a pool, which it does not end', async () => {
    const pool = poolOf(await newDatabase());
    const store = open(pool);
    expect(store).toMatchObject({
      name: expect.stringMatching(/^Postgres \(127\.0\.0\.1:\d+\)$/),
      durable: true,
    });
    await insert(store, row('key-1'));
    await store.close();
    expect((await pool.query('SELECT key FROM vehicle_auction_intents')).rows).toEqual([{ key: 'key-1' }]);
    expect(await keysOf(store)).toEqual(['key-1']);
  });

  it('makes a pool of a connection string, ends it, and makes another when it is used again', async () => {
    const url = await newDatabase();
    const sessions = () =>
      withClient(url, async (client) => {
        const { rows } = await client.query(
          "SELECT COUNT(*)::int AS n FROM pg_stat_activity WHERE application_name = 'vehicle-auction-sdk' AND datname = current_database()",
        );
        return rows[0].n;
      });
    const store = open(url);
    await insert(store, row('key-1'));
    expect(await sessions()).toBe(1);
    await store.close();
    expect(await sessions()).toBe(0);
    expect(await keysOf(store)).toEqual(['key-1']);
  });

  it.each([
    [{}, 'pool is missing'],
    [{ connectionString: ' ' }, 'pool is missing'],
    [{ pool: {} }, 'pool must be a pg.Pool'],
    [
      { pool: { connect() {} }, connectionString: 'postgres://host' },
      'connectionString must not be given together with a pool',
    ],
  ])('refuses the options %o', (options, problem) => {
    expect(() => Reflect.apply(postgresStore, undefined, [options])).toThrow(problem);
  });

  it('is created by one of many that start at once on an empty database', async () => {
    const url = await newDatabase();
    const stores = Array.from({ length: 6 }, () => open(url));
    await Promise.all(stores.map((store, n) => insert(store, row(`key-${n}`))));
    expect(await keysOf(stores[0] ?? open(url))).toHaveLength(6);
  });

  it('commits to disk, whatever the database was told about synchronous_commit and isolation', async () => {
    const url = await newDatabase();
    await withClient(url, (client) =>
      client.query(`DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET synchronous_commit TO off', current_database());
        EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only TO on', current_database());
        EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation TO ''repeatable read''', current_database());
      END $$`),
    );
    const settings: unknown[] = [];
    const pool = tampered(poolOf(url), async (ask, text, values) => {
      if (text.endsWith('; COMMIT')) {
        const shown = await ask(
          "SELECT current_setting('synchronous_commit') AS sync, current_setting('transaction_isolation') AS isolation",
        );
        settings.push(...('rows' in shown ? shown.rows : []));
      }
      return ask(text, values);
    });
    await insert(open(pool), row('key-1'));
    expect(settings.at(-1)).toEqual({ sync: 'on', isolation: 'read committed' });
  });

  it('uses one connection for all that waits for one account', async () => {
    let taken = 0;
    let most = 0;
    const pool = poolOf(await newDatabase(), { max: 20 });
    pool.on('acquire', () => {
      taken += 1;
      most = Math.max(most, taken);
    });
    pool.on('release', () => {
      taken -= 1;
    });
    const store = open(pool);
    await Promise.all(Array.from({ length: 30 }, (_, n) => insert(store, row(`key-${n}`))));
    expect(most).toBe(1);
    expect(await keysOf(store)).toHaveLength(30);
  });

  it('copes with a pool that reads large integers as bigints', async () => {
    const types = { getTypeParser: (oid: number) => (oid === 20 ? BigInt : (value: string) => value) };
    const store = open(poolOf(await newDatabase(), { types: types as unknown as pg.CustomTypesConfig }));
    await insert(store, row('key-1', { bid: { lot: 'lot_1', buyer: 'D-204', paise: 7n, closesAt: 5 } }));
    expect(await get(store, 'key-1')).toMatchObject({
      id: 1,
      version: 1,
      guarded: false,
      bid: { paise: 7n, closesAt: 5 },
    });
  });

  it.each([
    ['53100', 'full'],
    ['XX001', 'corrupt'],
    ['42P01', 'schema'],
    ['57014', 'unavailable'],
  ])('names the reason of SQLSTATE %s: %s', async (state, reason) => {
    const { url, store } = await prepared();
    await raising(url, state);
    await expect(insert(store, row('key-1'))).rejects.toMatchObject({
      ...failed(reason),
      message: expect.stringMatching(
        new RegExp(`^Postgres \\(127\\.0\\.0\\.1:\\d+\\) failed: on purpose \\(${state}\\)\\. [^.]+\\.$`),
      ),
    });
    expect(await keysOf(store)).toEqual([]);
  });
});

describe('a transaction in Postgres that conflicts or waits', () => {
  it.each(['40001', '40P01', '23505'])('is run again after SQLSTATE %s', async (state) => {
    const { url, store } = await prepared();
    await raising(url, state, 2);
    let runs = 0;
    await store.transaction(ACCOUNT, async ({ intents }) => {
      runs += 1;
      await intents.insert(row('key-1'), at(1));
    });
    expect(runs).toBe(3);
    expect(await keysOf(store)).toEqual(['key-1']);
  });

  it('is given up after several tries', async () => {
    const { url, store } = await prepared();
    await raising(url, '40001');
    await expect(insert(store, row('key-1'))).rejects.toMatchObject(failed('unavailable'));
  });

  it('fails as locked where another process holds the account for too long', async () => {
    const url = await newDatabase();
    const holder = open(url);
    await keysOf(holder);
    const pool = tampered(poolOf(url), (ask, text, values) =>
      ask(text.replace("lock_timeout TO '20s'", "lock_timeout TO '30ms'"), values),
    );
    const waiter = open(pool);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const holding = holder.transaction(ACCOUNT, async () => {
      begin();
      await held;
    });
    await begun;
    await expect(keysOf(waiter)).rejects.toMatchObject(failed('locked'));
    // Another account is free.
    await waiter.transaction('other', (tx) => tx.account.halt());
    release();
    await holding;
    expect(await keysOf(waiter)).toEqual([]);
  });
});

describe('a connection to Postgres that is lost', () => {
  it('before the commit: the work is run again on another one', async () => {
    const url = await newDatabase();
    const store = open(url);
    let runs = 0;
    await store.transaction(ACCOUNT, async ({ intents }) => {
      runs += 1;
      await intents.insert(row(`run-${runs}`), at(1));
      if (runs === 1) await endSessions(url);
      await intents.get('run-1');
    });
    expect(runs).toBe(2);
    expect(await keysOf(store)).toEqual(['run-2']);
  });

  it('while it is idle: the next transaction uses another', async () => {
    const url = await newDatabase();
    const store = open(url);
    await insert(store, row('key-1'));
    await endSessions(url);
    await insert(store, row('key-2'));
    expect(await keysOf(store)).toEqual(['key-1', 'key-2']);
  });

  it.each([
    ['before the server has the commit', false],
    ['with the answer to the commit', true],
  ])('%s: the outcome of the commit is unknown', async (_, isThere) => {
    const { url, pool, next } = await interrupted();
    const store = open(pool);
    await insert(store, row('key-1'));
    next('; COMMIT', async (commit) => {
      if (isThere) await commit();
      await endSessions(url);
      return commit();
    });
    let runs = 0;
    const error = await rejection(
      store.transaction(ACCOUNT, async ({ intents }) => {
        runs += 1;
        await intents.insert(row('key-2'), at(1));
      }),
    );
    expect([error, runs]).toMatchObject([unknown, 1]);
    expect(await keysOf(store)).toEqual(isThere ? ['key-1', 'key-2'] : ['key-1']);
    await insert(store, row('key-3'));
  });

  it.each(['57P01', '57014', '40003'])(
    'may have committed where COMMIT fails with SQLSTATE %s',
    async (code) => {
      const { pool, next } = await interrupted();
      const store = open(pool);
      await keysOf(store);
      const error = Object.assign(new Error('on purpose'), { severity: 'FATAL', code });
      next('; COMMIT', () => Promise.reject(error));
      await expect(insert(store, row('key-1'))).rejects.toMatchObject(unknown);
    },
  );

  it('counts a commit as failed where the server says that it rolled back', async () => {
    let armed = false;
    const pool = tampered(poolOf(await newDatabase()), (ask, text, values) =>
      ask(armed ? text.replace('; COMMIT', '; ROLLBACK') : text, values),
    );
    const store = open(pool);
    await insert(store, row('key-1'));
    armed = true;
    await expect(insert(store, row('key-2'))).rejects.toMatchObject(failed('unavailable'));
    armed = false;
    expect(await keysOf(store)).toEqual(['key-1']);
  });

  it('because the server has stopped: a typed error, and all is there when it has started again', async () => {
    const server = await PostgresServer.start();
    onTestFinished(() => server.remove());
    const store = open(server.urlOf());
    await insert(store, row('key-1'));
    const stopped = store.transaction(ACCOUNT, async ({ intents }) => {
      await intents.insert(row('key-2'), at(1));
      await server.stop();
      await intents.get('key-2');
    });
    await expect(stopped).rejects.toMatchObject(failed('unavailable'));
    await expect(insert(store, row('key-3'))).rejects.toMatchObject(failed('unavailable'));
    await server.restart();
    await insert(store, row('key-4'));
    expect(await keysOf(store)).toEqual(['key-1', 'key-4']);
  });
});

describe('a Postgres that does not answer', () => {
  it.each([
    ['a statement', 'INSERT', failed('unavailable')],
    ['a commit', '; COMMIT', unknown],
  ] as const)(
    'to %s fails the transaction and those that wait for it, within a minute',
    async (_, silentTo, expected) => {
      const clock = manualClock();
      const { pool, next } = await interrupted();
      const store = open(pool, { clock });
      await insert(store, row('key-1'));
      const stalled = new Promise<void>((resolve) => {
        next(silentTo, () => {
          resolve();
          return new Promise(() => undefined);
        });
      });
      const first = rejection(insert(store, row('key-2')));
      const second = rejection(insert(store, row('key-3')));
      await stalled;
      expect(clock.longest()).toBeLessThanOrEqual(60_000);
      clock.fireAll();
      expect(await first).toMatchObject(expected);
      expect(await second).toMatchObject(failed('unavailable'));
      expect(await keysOf(store)).toEqual(['key-1']);
    },
  );
});

it('throws a connection away that is of no more use, and gives every other back', async () => {
  const url = await newDatabase();
  const released: (boolean | undefined)[] = [];
  let answer: 'ok' | 'lost' | 'error' = 'ok';
  const pool = tampered(
    poolOf(url),
    async (ask, text, values) => {
      if (answer === 'error' && text.startsWith('INSERT')) return ask('SELECT 1 / 0');
      if (answer === 'lost' && text.endsWith('; COMMIT')) throw new Error('Connection terminated');
      return ask(text, values);
    },
    (destroy) => released.push(destroy),
  );
  const store = open(pool);
  await keysOf(store);
  released.length = 0;
  await insert(store, row('key-1'));
  await rejection(store.transaction(ACCOUNT, () => Promise.reject(new Error('on purpose'))));
  answer = 'error';
  await expect(insert(store, row('key-2'))).rejects.toMatchObject(failed('unavailable'));
  answer = 'lost';
  await expect(insert(store, row('key-3'))).rejects.toMatchObject(unknown);
  expect(released).toEqual([false, false, false, true]);
});

it('gives a connection back that a pool hands out too late', async () => {
  const clock = manualClock();
  let arrive: (connection: PostgresConnection) => void = () => {};
  const pool: PostgresPool = {
    connect: () =>
      new Promise((resolve) => {
        arrive = resolve;
      }),
  };
  const answer = rejection(keysOf(open(pool, { clock })));
  await new Promise<void>((resolve) => setImmediate(resolve));
  clock.fireAll();
  expect(await answer).toMatchObject(failed('unavailable'));
  const released = new Promise<boolean | undefined>((resolve) => {
    const query = async () => ({ command: '', rows: [] });
    arrive({ query, release: resolve, on: () => undefined, removeListener: () => undefined });
  });
  expect(await released).toBeUndefined();
});

describe('the errors of a Postgres store', () => {
  it.each([undefined, 'postgres://127.0.0.1/db', { url: 'postgres://127.0.0.1/db' }])(
    'say how to create it where the source is neither a pool nor a connection string: %j',
    (source) => {
      expect(() => Reflect.apply(postgresStore, undefined, [source])).toThrow(
        'use postgresStore({ pool }) or postgresStore({ connectionString })',
      );
    },
  );

  it.each([
    ['a wrong password', (url: string) => url.replace(/:[^:@]+@/, ':s3cr3t@')],
    ['a port that nothing listens on', () => 'postgres://user:s3cr3t@127.0.0.1:1/db'],
    ['a host that does not exist', () => 'postgres://user:s3cr3t@db.invalid/db'],
    ['a password with an unescaped slash', () => 'postgres://user:1/s3cr3t@127.0.0.1/db'],
    ['a password with an unescaped @', (url: string) => url.replace(/:[^:@]+@/, ':x@s3cr3t@')],
    ['no address at all', () => 'postgres://user:s3cr3t@:::s3cr3t/db'],
    ['a missing database', (url: string) => `${url}s3cr3t`],
  ])('show neither password nor database of the connection string: %s', async (_, change) => {
    const error = await rejection(keysOf(open(change(await newDatabase()))));
    expect(error).toMatchObject(failed('unavailable'));
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('s3cr3t');
    expect(JSON.stringify(error)).not.toContain('s3cr3t');
  });

  it.each<[string, (connectionString: string) => PostgresSource]>([
    ['a connection string', (connectionString) => ({ connectionString })],
    ['a pool', (connectionString) => ({ pool: new pg.Pool({ connectionString }) })],
    ['a pool with a host', () => ({ pool: new pg.Pool({ host: '127.0.0.1', port: 1, password: 's3cr3t' }) })],
  ])('name the host and port of %s', async (_, source) => {
    const store = postgresStore(source('postgres://user:s3cr3t@127.0.0.1:1/db'), timers);
    const error = await rejection(store.transaction('sandbox', (tx) => tx.account.halt()));
    expect(String(error)).toContain('Postgres (127.0.0.1:1) failed: ECONNREFUSED.');
  });

  it('show no values of rows', async () => {
    const store = open(await newDatabase());
    await insert(store, row('key-1'));
    const error = await rejection(insert(store, row('key-1', { content: 'value of a row' })));
    expect(error).toMatchObject(failed('unavailable'));
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(
      /value of a row|\(production, key-1\)/,
    );
  });
});

/** Ends all sessions of stores on a database, as its administrator may. */
function endSessions(url: string): Promise<unknown> {
  return withClient(url, (client) =>
    client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    ),
  );
}

/** A clock whose timers a test fires. */
function manualClock() {
  const timers = new Map<() => void, number>();
  return {
    after(ms: number, callback: () => void) {
      // The waits between tries are short, and not what this clock is about.
      if (ms < 10_000) setImmediate(callback);
      else timers.set(callback, ms);
      return () => timers.delete(callback);
    },
    longest: () => Math.max(...timers.values()),
    fireAll() {
      for (const callback of [...timers.keys()]) callback();
    },
  };
}
