import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  all,
  attempt,
  changeTo,
  idOf,
  intentWith,
  keysOf,
  lease,
  made,
  madeFree,
  series,
} from '../../src/intents/conformance/material.js';
import { type PostgresJournal, type PostgresPool, postgresJournal } from '../../src/postgres/index.js';
import { newDatabase } from '../support/postgres/shared.js';
import { tampered } from './tampered-pool.js';

let url: string;
let pool: pg.Pool;
let count = 0;
let schema: string;
let journal: PostgresJournal;

beforeAll(async () => {
  url = await newDatabase();
  pool = new pg.Pool({ connectionString: url, max: 10 });
});
afterAll(() => pool.end());
beforeEach(() => {
  count += 1;
  schema = `journal_${count}`;
  journal = postgresJournal({ pool, schema });
});

const rules = { exclusive: false };

/** What can be waited for until it is opened. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Resolves when some work is done, or waits for a lock in the database. */
async function doneOrWaiting(work: Promise<unknown>): Promise<void> {
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  const waiting = `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE datname = current_database() AND NOT granted`;
  while (!isDone && (await pool.query(waiting)).rows.length === 0);
}

/** A process whose commits wait: `isThere` resolves at the first, and `go` lets them through. */
function slowToCommit() {
  const [reached, go] = [gate(), gate()];
  const before = async (text: string) => {
    if (text !== 'COMMIT') return;
    reached.open();
    await go.opened;
  };
  const slow = postgresJournal({ pool: tampered(pool, { before }), schema, migrate: false });
  return { slow, isThere: reached.opened, go: go.open };
}

describe('two processes', () => {
  const settled = intentWith('settled', { lot: 'lot_1' });
  const create = (on: PostgresJournal) =>
    on.create(intentWith('new', { lot: 'lot_1' }), changeTo('unknown'), lease('two'), { exclusive: true });
  /** @returns what it sees that is open */
  const openAgain = async (on: PostgresJournal, fence: number) => {
    await on.append(idOf(settled), fence, changeTo('prepared', attempt(2)));
    return keysOf(await all(on.list({ open: true })));
  };

  it('race for one key 200 times: one of them has it, and the other sees whose it is', async () => {
    const otherPool = new pg.Pool({ connectionString: url, max: 10 });
    const other = postgresJournal({ pool: otherPool, schema });
    const wins = { one: 0, two: 0 };
    for (let race = 0; race < 200; race += 1) {
      const racers = [
        () =>
          journal.create(
            intentWith(`key-${race}`, { text: 'one' }),
            changeTo('prepared'),
            lease('one'),
            rules,
          ),
        () =>
          other.create(intentWith(`key-${race}`, { text: 'two' }), changeTo('prepared'), lease('two'), rules),
      ];
      const answers = await Promise.all(
        (race % 2 === 0 ? racers : racers.reverse()).map((create) => create()),
      );
      const lost = answers.flatMap((answer) => (answer.kind === 'exists' ? [answer.stored] : []));
      expect(answers.map(({ kind }) => kind).sort()).toEqual(['created', 'exists']);
      const [stored] = lost;
      expect(stored?.lease?.owner).toBe(stored?.intent.body.text);
      wins[stored?.lease?.owner === 'one' ? 'one' : 'two'] += 1;
    }
    expect(wins.one + wins.two).toBe(200);
    expect(await all(journal.list({}))).toHaveLength(200);
    await otherPool.end();
  });

  it('see each other on one lot where one creates, and the other opens again what had settled', async () => {
    const fence = await made(journal, settled, 'not_sent');
    const { slow, isThere, go } = slowToCommit();
    const creating = create(slow);
    await isThere;
    const opening = openAgain(journal, fence);
    await doneOrWaiting(opening);
    go();
    expect(await creating).toMatchObject({ kind: 'created' });
    expect(await opening).toEqual(['settled', 'new']);
  });

  it('see each other too where the one that opens it again came first', async () => {
    const fence = await made(journal, settled, 'not_sent');
    const { slow, isThere, go } = slowToCommit();
    const opening = openAgain(slow, fence);
    await isThere;
    const creating = create(journal);
    await doneOrWaiting(creating);
    go();
    expect(await opening).toEqual(['settled']);
    expect(await creating).toMatchObject({ kind: 'blocked', by: [{ intent: { key: 'settled' } }] });
  });

  it('do not lock each other out where both mean the same key', async () => {
    const fence = await made(journal, settled, 'not_sent');
    const [reached, go] = [gate(), gate()];
    const begun: string[] = [];
    const watched = tampered(pool, {
      before: async (text) => {
        if (text.startsWith('BEGIN')) begun.push(text);
        if (!text.startsWith('WITH made')) return;
        reached.open();
        await go.opened;
      },
    });
    const other = postgresJournal({ pool: watched, schema, migrate: false });
    const creating = other.create(settled, changeTo('unknown'), lease('two'), { exclusive: true });
    await reached.opened;
    const opening = openAgain(other, fence);
    await doneOrWaiting(opening);
    go.open();
    expect(await creating).toMatchObject({ kind: 'exists' });
    expect(await opening).toEqual(['settled']);
    // A deadlock would have been tried again.
    expect(begun).toHaveLength(2);
  });

  it('are at work on one lot without waiting for each other', async () => {
    const intents = ['one', 'two'].map((key) => intentWith(key, { lot: 'lot_1' }));
    for (const intent of intents) await made(journal, intent, 'unknown');
    const { slow, isThere, go } = slowToCommit();
    const [one, two] = intents.map(idOf);
    if (one === undefined || two === undefined) throw new Error('no intents');
    const under = slow.append(one, 1, changeTo('unknown', attempt(1)));
    await isThere;
    const done = Promise.all(
      (['unknown', 'accepted'] as const).map((state) => journal.append(two, 1, changeTo(state))),
    ).then(() => 'done');
    expect(await Promise.race([done, doneOrWaiting(under)])).toBe('done');
    go();
    await under;
  });

  it('20 claimers over 200 open intents take each of them once', async () => {
    const otherPool = new pg.Pool({ connectionString: url, max: 10 });
    const other = postgresJournal({ pool: otherPool, schema });
    const intents = series(200);
    await Promise.all(intents.map((intent) => madeFree(journal, intent, 'unknown')));
    const { namespace } = idOf(intentWith('any'));
    const taken = await Promise.all(
      Array.from({ length: 20 }, async (_, claimer) => {
        const mine: string[] = [];
        for (;;) {
          const held = await (claimer % 2 === 0 ? journal : other).claimOpen(
            namespace,
            lease(`${claimer}`),
            7,
          );
          mine.push(...keysOf(held.map(({ stored }) => stored)));
          if (held.length === 0) return mine;
        }
      }),
    );
    expect(taken.flat().sort()).toEqual(intents.map(({ key }) => key).sort());
    await otherPool.end();
  });
});

describe('whatever the settings of the database', () => {
  it('commits wait for the disk, see what was committed, and may write', async () => {
    const odd = await newDatabase();
    const name = new URL(odd).pathname.slice(1);
    const owner = new pg.Pool({ connectionString: odd });
    for (const setting of [
      'synchronous_commit = off',
      "default_transaction_isolation = 'serializable'",
      'default_transaction_read_only = on',
      'idle_in_transaction_session_timeout = 0',
      "DateStyle = 'German'",
      "TimeZone = 'Asia/Kolkata'",
      "bytea_output = 'escape'",
      'standard_conforming_strings = off',
      "search_path = ''",
      'extra_float_digits = -15',
    ]) {
      await owner.query(`ALTER DATABASE ${name} SET ${setting}`);
    }
    await owner.end();
    const settled = new pg.Pool({ connectionString: odd, max: 2 });
    const seen = new Set<string>();
    const watched = tampered(settled, {
      before: async (text, connection) => {
        if (text !== 'COMMIT') return;
        const { rows } = await connection.query(
          `SELECT concat_ws(' ', current_setting('synchronous_commit'), current_setting('transaction_isolation'),
            current_setting('idle_in_transaction_session_timeout')) AS settings`,
        );
        seen.add(String(rows[0]?.['settings']));
      },
    });
    const stubborn = postgresJournal({ pool: watched });
    const intent = intentWith("key-'\\1", { lot: 'lot_1', text: '\\u0000 \\ \' " ₹' });
    const fence = await made(stubborn, intent, 'unknown');
    await stubborn.append(idOf(intent), fence, changeTo('unknown', attempt(1)));
    await stubborn.release(idOf(intent), fence);
    await stubborn.claim(idOf(intent), lease('two', 60_000));
    await stubborn.claimOpen(idOf(intent).namespace, lease('two'), 5);
    await stubborn.prune();
    expect([...seen]).toEqual(['on read committed 15s']);
    const [stored] = await stubborn.find(intent.key);
    expect(stored).toMatchObject({ intent, entries: [attempt(1)] });
    expect(stored?.lease?.leftMs).toBeGreaterThan(50_000);
    await settled.end();
  });

  it('does not depend on how a program has pg read types', async () => {
    const shout = () => {
      throw new Error('a type was read by a parser of the program');
    };
    // Text is left alone: a program that changes that has no pg any more.
    const types = { getTypeParser: (oid: number) => (oid === 25 ? (text: string) => text : shout) };
    const odd = new pg.Pool({ connectionString: url, types });
    const inOdd = postgresJournal({ pool: odd, schema });
    const intent = intentWith('key-1', { lot: 'lot_1' });
    const fence = await made(inOdd, intent, 'unknown');
    await inOdd.append(idOf(intent), fence, changeTo('unknown', attempt(1)));
    await inOdd.release(idOf(intent), fence);
    expect((await inOdd.claim(idOf(intent), lease('two'))).kind).toBe('claimed');
    expect(await all(inOdd.list({ open: true }))).toMatchObject([{ intent, entries: [attempt(1)] }]);
    await odd.end();
  });

  it('gives entries in their order, however they lie in the table', async () => {
    const intent = intentWith('key-1');
    const fence = await made(journal, intent);
    const entries = [attempt(1), attempt(2), attempt(3)];
    await journal.append(idOf(intent), fence, changeTo('unknown', ...entries));
    // Puts the first behind the others.
    await pool.query(`UPDATE "${schema}".intent_entries SET written_at = written_at WHERE number = 1`);
    expect((await journal.read(idOf(intent)))?.entries).toEqual(entries);
  });

  it('holds to the name of its schema, whatever it is', async () => {
    const names = ['"; DROP SCHEMA public; --', 'Mixed Case', 'स्कीमा', 'a.b', "it's $1"];
    for (const name of names) {
      const named = postgresJournal({ pool, schema: name });
      await made(named, intentWith('key-1', { text: name }));
    }
    const found = await pool.query('SELECT nspname FROM pg_namespace WHERE nspname = ANY ($1)', [names]);
    expect(found.rows).toHaveLength(names.length);
    for (const name of names) {
      const [stored] = await postgresJournal({ pool, schema: name }).find('key-1');
      expect(stored?.intent.body.text).toBe(name);
    }
  });
});

describe('retention', () => {
  /** As if so many days had passed since everything settled. */
  const age = (days: number) =>
    pool.query(`UPDATE "${schema}".intents SET settled_at = settled_at - $1 * interval '1 day'`, [days]);
  const settle = async (key: string) => {
    const intent = intentWith(key);
    const fence = await made(journal, intent, 'unknown');
    await journal.append(idOf(intent), fence, changeTo('done', attempt(1), attempt(2)));
    await journal.release(idOf(intent), fence);
    // With what it prunes by itself.
    await journal.close();
    return intent;
  };

  it('prunes what has been settled for 30 days, with its entries, and nothing else', async () => {
    await settle('old');
    const held = await settle('held');
    await journal.claim(idOf(held), lease('one'));
    await madeFree(journal, intentWith('open'), 'unknown');
    await age(31);
    await settle('young');
    expect(await journal.prune()).toBe(1);
    expect(keysOf(await all(journal.list({})))).toEqual(['held', 'open', 'young']);
    const { rows } = await pool.query(`SELECT count(*)::int AS count FROM "${schema}".intent_entries`);
    expect(rows).toEqual([{ count: 4 }]);
    expect(await journal.prune()).toBe(0);
  });

  it('counts from when it settled last', async () => {
    const intent = await settle('key-1');
    await age(31);
    const claimed = await journal.claim(idOf(intent), lease('one'));
    const fence = claimed.kind === 'claimed' ? claimed.held.fence : 0;
    await journal.append(idOf(intent), fence, changeTo('unknown'));
    await journal.append(idOf(intent), fence, changeTo('abandoned'));
    await journal.release(idOf(intent), fence);
    expect(await journal.prune()).toBe(0);
    await age(31);
    // What is learnt of it later counts, too.
    const later = await journal.claim(idOf(intent), lease('one'));
    const laterFence = later.kind === 'claimed' ? later.held.fence : 0;
    await journal.append(idOf(intent), laterFence, changeTo('accepted', attempt(3)));
    await journal.release(idOf(intent), laterFence);
    expect(await journal.prune()).toBe(0);
    await age(29);
    expect(await journal.prune()).toBe(0);
    await age(2);
    expect(await journal.prune()).toBe(1);
  });

  it('takes as many as there are, by parts', async () => {
    await settle('first');
    const columns =
      'namespace, subject, state, is_open, client_id, dealer_id, operation, body_sha256, intent, entry_count, fence, settled_at';
    await pool.query(
      `INSERT INTO "${schema}".intents (key, ${columns})
      SELECT 'copy-' || n, ${columns} FROM "${schema}".intents, generate_series(1, 1234) AS n`,
    );
    await age(31);
    expect(await journal.prune()).toBe(1235);
  });

  it('keeps everything with Infinity, and less where less is asked for', async () => {
    await settle('key-1');
    await age(10_000);
    expect(await postgresJournal({ pool, schema, retentionMs: Number.POSITIVE_INFINITY }).prune()).toBe(0);
    await settle('key-2');
    await age(1);
    expect(await postgresJournal({ pool, schema, retentionMs: 23 * 3_600_000 }).prune()).toBe(2);
  });

  it('is seen to now and then, beginning with the first that settles', async () => {
    await settle('old');
    await age(31);
    const next = postgresJournal({ pool, schema });
    const intent = intentWith('key-1');
    await next.append(idOf(intent), await made(next, intent), changeTo('done'));
    await next.close();
    expect(keysOf(await all(journal.list({})))).toEqual(['key-1']);
  });

  it('has the bytes of a body dropped as soon as the service has judged it', async () => {
    const states = ['unknown', 'not_sent', 'refused', 'accepted', 'rejected', 'done', 'abandoned'] as const;
    for (const state of states) {
      const intent = intentWith(state);
      await journal.append(idOf(intent), await made(journal, intent), changeTo(state));
    }
    const { rows } = await pool.query<{ key: string }>(
      `SELECT key FROM "${schema}".intents WHERE body IS NOT NULL ORDER BY id`,
    );
    expect(rows.map(({ key }) => key)).toEqual(['unknown', 'not_sent', 'refused']);
  });
});

describe('options', () => {
  it('take a pg.Pool as it is', () => {
    const taken: PostgresPool = pool;
    expect(postgresJournal({ pool: taken, schema: 'bids' })).toMatchObject({
      name: 'postgres bids',
      durable: true,
    });
    expect(postgresJournal({ pool: taken }).name).toBe('postgres vehicle_auction');
  });

  it.each<[string, () => unknown]>([
    ['pool is missing', () => postgresJournal({ connectionString: ' ' })],
    ['pool must be a pg.Pool', () => postgresJournal(JSON.parse('{"pool":{}}'))],
    ['pool must be a pg.Pool', () => postgresJournal(JSON.parse('{"pool":null}'))],
    [
      'connectionString is given beside a pool',
      () => postgresJournal({ ...JSON.parse('{"connectionString":"x"}'), pool }),
    ],
    ['schema must be a name', () => postgresJournal({ pool, schema: '' })],
    ['schema must be a name', () => postgresJournal({ pool, schema: 'ä'.repeat(32) })],
    ['schema must be a name', () => postgresJournal({ pool, schema: 'a\0b' })],
    ['schema must be a name', () => postgresJournal({ pool, schema: 'pg_mine' })],
    ['retentionMs must be', () => postgresJournal({ pool, retentionMs: 0 })],
    ['retentionMs must be', () => postgresJournal({ pool, retentionMs: Number.NaN })],
  ])('are refused where they can not work: %s', (problem, make) => {
    expect(make).toThrow(problem);
    expect(make).toThrow(expect.objectContaining({ name: 'ConfigurationError' }));
  });

  it('make a pool of a connection string, which close() ends and the next use makes again', async () => {
    const mine = async () => {
      const { rows } = await pool.query<{ count: number }>(
        "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'vehicle-auction-sdk'",
      );
      return rows[0]?.count;
    };
    const own = postgresJournal({ connectionString: url, schema });
    await Promise.all(series(5).map((intent) => made(own, intent)));
    expect(await mine()).toBeGreaterThan(0);
    const under = made(own, intentWith('under way'));
    await own.close();
    await under;
    // The server notices a moment later.
    await vi.waitFor(async () => expect(await mine()).toBe(0), { interval: 5 });
    expect(await all(own.list({}))).toHaveLength(6);
    expect(await mine()).toBe(1);
    await Promise.all([own.close(), own.close()]);
    await vi.waitFor(async () => expect(await mine()).toBe(0), { interval: 5 });
  });
});
