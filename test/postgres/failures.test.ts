import { inspect } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { JournalError } from '../../src/errors/journal.js';
import { attempt, changeTo, idOf, intentWith, lease, made } from '../../src/intents/conformance/material.js';
import type { Journal } from '../../src/intents/journal.js';
import { type PostgresConnection, postgresJournal } from '../../src/postgres/index.js';
import { newDatabase } from '../support/postgres/shared.js';
import { cut, serverError, type Tampering, tampered } from './tampered-pool.js';

let url: string;
let pool: pg.Pool;
const schema = 'failures';
/** On an undisturbed pool. */
let journal: Journal;

beforeAll(async () => {
  url = await newDatabase();
  pool = new pg.Pool({ connectionString: url, max: 5 });
  // Idle connections that are cut say so here; a program that doesn't listen ends.
  pool.on('error', () => undefined);
  journal = postgresJournal({ pool, schema });
  await journal.find('any');
});
afterAll(() => pool.end());
beforeEach(() => pool.query(`DELETE FROM ${schema}.intents`));

const intent = intentWith('key-1', { lot: 'lot_1' });
const id = idOf(intent);
const rules = { exclusive: true };

function disturbed(tampering: Tampering): Journal {
  return postgresJournal({ pool: tampered(pool, tampering), schema });
}

/** Once, as soon as a statement begins like this. */
function at(beginning: string, what: (connection: PostgresConnection) => unknown) {
  let isDone = false;
  return (text: string, connection: PostgresConnection) => {
    if (isDone || !text.trim().startsWith(beginning)) return undefined;
    isDone = true;
    return what(connection);
  };
}

function lose(): never {
  throw cut();
}

async function terminate(connection: PostgresConnection): Promise<void> {
  const { rows } = await connection.query('SELECT pg_backend_pid()::text AS pid');
  await pool.query('SELECT pg_terminate_backend($1::int)', [rows[0]?.['pid']]);
}

async function faultOf(action: Promise<unknown>): Promise<JournalError> {
  const error = await action.catch((reason: unknown) => reason);
  if (error instanceof JournalError) return error;
  throw new Error(`not a JournalError: ${inspect(error)}`);
}

describe('a commit whose answer is lost', () => {
  it('rejects, and is found to have been made: create again, and it exists, held by its maker', async () => {
    const unlucky = disturbed({ after: at('COMMIT', lose) });
    const change = changeTo('prepared', attempt(1));
    const error = await faultOf(unlucky.create(intent, change, lease('maker'), rules));
    expect(error.fault).toBe('unavailable');
    const again = await unlucky.create(intent, change, lease('maker'), rules);
    expect(again).toMatchObject({
      kind: 'exists',
      stored: { intent, state: 'prepared', entries: [attempt(1)], lease: { owner: 'maker' } },
    });
    // And so its maker can go on.
    const claimed = await unlucky.claim(id, lease('maker'));
    expect(claimed).toMatchObject({ kind: 'claimed', held: { fence: 2 } });
  });

  it('of an append is found by reading, and the entry is there once', async () => {
    const fence = await made(journal, intent);
    const unlucky = disturbed({ after: at('COMMIT', lose) });
    await faultOf(unlucky.append(id, fence, changeTo('unknown', attempt(1))));
    expect(await journal.read(id)).toMatchObject({ state: 'unknown', entries: [attempt(1)] });
  });
});

describe('a write that is cut off', () => {
  it.each(['WITH made', 'COMMIT'])('by the server before %s leaves nothing', async (beginning) => {
    const unlucky = disturbed({ before: at(beginning, terminate) });
    const error = await faultOf(
      unlucky.create(intent, changeTo('prepared', attempt(1)), lease('maker'), rules),
    );
    expect(error.fault).toBe('unavailable');
    expect(await journal.read(id)).toBeUndefined();
    const { rows } = await pool.query(`SELECT FROM "${schema}".intent_entries`);
    expect(rows).toHaveLength(0);
    // The pool has other connections.
    expect((await unlucky.create(intent, changeTo('prepared'), lease('maker'), rules)).kind).toBe('created');
  });

  it.each(['WITH was', 'COMMIT'])('by the server before %s leaves what was there', async (beginning) => {
    const fence = await made(journal, intent, 'unknown');
    await journal.append(id, fence, changeTo('unknown', attempt(1)));
    const unlucky = disturbed({ before: at(beginning, terminate) });
    await faultOf(unlucky.append(id, fence, changeTo('accepted', attempt(2), attempt(3))));
    expect(await journal.read(id)).toMatchObject({ intent, state: 'unknown', entries: [attempt(1)] });
  });

  it('by an error of ours gives the connection back clean', async () => {
    const one = new pg.Pool({ connectionString: url, max: 1 });
    const alone = postgresJournal({ pool: one, schema });
    for (let time = 0; time < 3; time += 1) {
      await expect(alone.append(id, 1, changeTo('done'))).rejects.toMatchObject({ fault: 'lease_lost' });
      const { rows } = await one.query('SELECT txid_current_if_assigned()::text AS transaction');
      expect(rows).toEqual([{ transaction: null }]);
    }
    await one.end();
  });

  it('by settings that are refused gives it back clean too', async () => {
    const one = new pg.Pool({ connectionString: url, max: 1 });
    const refusing = tampered(one, {
      before: (text, connection) =>
        text.startsWith('BEGIN') ? connection.query(`${text}; SET LOCAL no_such_setting TO on`) : undefined,
    });
    const error = await faultOf(made(postgresJournal({ pool: refusing, schema }), intent));
    expect(error.message).toContain('no_such_setting');
    const { rows } = await one.query('SELECT 1 AS alive');
    expect(rows).toEqual([{ alive: 1 }]);
    await one.end();
  });
});

describe('what is no fault of a write', () => {
  it.each(['40P01', '40001'])('is tried again: %s, up to four times', async (code) => {
    for (const [failures, kind] of [
      [3, 'created'],
      [4, 'failed'],
    ] as const) {
      let left: number = failures;
      const begun = vi.fn();
      const unlucky = disturbed({
        before: (text) => {
          if (text.startsWith('BEGIN')) begun();
          if (!text.startsWith('WITH made') || left === 0) return;
          left -= 1;
          throw serverError(code, 'deadlock detected');
        },
      });
      const other = intentWith(`key-${failures}`);
      const answer = unlucky.create(other, changeTo('prepared', attempt(1)), lease('maker'), rules);
      expect(await answer.catch(() => ({ kind: 'failed' }))).toMatchObject({ kind });
      expect(begun).toHaveBeenCalledTimes(4);
      expect((await journal.read(idOf(other)))?.entries).toEqual(
        kind === 'created' ? [attempt(1)] : undefined,
      );
    }
  });

  it('is tried again: a connection that was dead before anything was asked', async () => {
    const stale = disturbed({ before: at('BEGIN', terminate) });
    expect(await made(stale, intent)).toBe(1);
    const read = disturbed({ before: at('SELECT\n', terminate) });
    expect(await read.read(id)).toMatchObject({ intent });
  });

  it('is not tried again once it has begun', async () => {
    const begun = vi.fn();
    const unlucky = disturbed({
      before: (text) => {
        if (text.startsWith('BEGIN')) begun();
        if (text.startsWith('WITH made')) lose();
      },
    });
    await faultOf(unlucky.create(intent, changeTo('prepared'), lease('maker'), rules));
    expect(begun).toHaveBeenCalledTimes(1);
  });

  it('does not hide a commit that was none', async () => {
    const aborted = disturbed({
      // As a pooler would that lost the connection behind it.
      before: at('COMMIT', (connection) => connection.query('SELECT 1/0').catch(() => undefined)),
    });
    const error = await faultOf(aborted.create(intent, changeTo('prepared'), lease('maker'), rules));
    expect(error.fault).toBe('unavailable');
    expect(await journal.read(id)).toBeUndefined();
  });
});

describe('faults are told by', () => {
  it.each([
    ['53100', 'full'],
    ['42501', 'full'],
    ['25006', 'full'],
    ['42P01', 'unknown_format'],
    ['3F000', 'unknown_format'],
    ['XX001', 'damaged'],
    ['53300', 'unavailable'],
    ['57014', 'unavailable'],
    ['22021', 'unavailable'],
  ])('the code of the server: %s is %s', async (code, fault) => {
    const failing = disturbed({
      before: at('WITH made', () => {
        throw serverError(code, 'the reason');
      }),
    });
    const error = await faultOf(made(failing, intent));
    expect(error).toMatchObject({ fault, outcome: 'not_sent', cause: { code } });
    expect(error.message).toMatch(/^Postgres failed: the reason \(\w+\)\. \S.*\.$/);
  });

  it('a state that this version does not know', async () => {
    await made(journal, intent);
    await pool.query(`UPDATE "${schema}".intents SET state = 'frozen'`);
    expect(await faultOf(journal.read(id))).toMatchObject({ fault: 'unknown_format' });
  });

  it('pg, where it comes to no answer', async () => {
    for (const said of ['timeout exceeded when trying to connect', 'Query read timeout']) {
      const failing = postgresJournal({ pool: { connect: () => Promise.reject(new Error(said)) } });
      const error = await faultOf(failing.find('key-1'));
      expect(error.fault).toBe('unavailable');
      expect(error.message).toContain(`Postgres failed: ${said}. See that the database runs`);
    }
  });

  it('a query that is never answered, whose connection is thrown away', async () => {
    const one = new pg.Pool({ connectionString: url, max: 1 });
    const slow = tampered(one, {
      before: at('WITH made', () => {
        throw new Error('Query read timeout');
      }),
    });
    await faultOf(made(postgresJournal({ pool: slow, schema }), intent));
    expect(one.totalCount).toBe(0);
    expect(await journal.read(id)).toBeUndefined();
    await one.end();
  });
});

describe('no error shows', () => {
  const password = 'pa55w0rd-Of-Mine';

  /** All that can be seen of an error, by whatever means. */
  const seenOf = (error: unknown): string =>
    [
      inspect(error, { depth: 20, showHidden: true }),
      JSON.stringify(error),
      String(error),
      ...(error instanceof Error ? [error.stack, seenOf(error.cause ?? '')] : []),
    ].join('\n');

  it.each<[string, (connectionString: URL) => string]>([
    ['nobody answers', () => `postgres://me:${password}@127.0.0.1:1/bids`],
    ['it is the wrong one', ({ host }) => `postgres://postgres:${password}@${host}/postgres`],
    [
      'there is no such database',
      ({ host, password: right }) => `postgres://postgres:${right}@${host}/${password}`,
    ],
    ['it is taken for a port', () => `postgres://me:${password}:${password}@127.0.0.1:${password}/bids`],
    ['it is taken for a host', () => `postgres://me:x@${password}.invalid@127.0.0.1:99999/bids`],
    ['it holds what a URL may not', () => `postgres://me:${password}%zz@127.0.0.1/bids`],
    ['it is taken for a user', ({ host }) => `postgres://${password}:x@${host}/postgres`],
    ['there is no scheme', () => `${password}`],
  ])('a password where %s', async (_, connectionString) => {
    const failing = postgresJournal({ connectionString: connectionString(new URL(url)) });
    const error = await faultOf(failing.find('key-1'));
    expect(error.fault).toBe('unavailable');
    expect(seenOf(error)).not.toContain(password);
    expect(seenOf(error)).not.toContain(password.toLowerCase());
    expect(inspect(failing, { depth: 20, showHidden: true })).not.toContain(password);
    await failing.close();
  });

  it.each<[string, unknown]>([
    [
      'of a host',
      Object.assign(new Error(`getaddrinfo ENOTFOUND ${password}`), {
        code: 'ENOTFOUND',
        hostname: password,
      }),
    ],
    [
      'of an address',
      Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL', input: password }),
    ],
    ['in words of its own', new Error(`can't reach ${password}`, { cause: new Error(password) })],
    ['in a code of its own', Object.assign(new Error('no'), { code: password, severity: password })],
    ['of a user', serverError('28P01', `password authentication failed for user "${password}"`)],
    ['of a database', serverError('3D000', `database "${password}" does not exist`)],
    [
      'in details',
      Object.assign(serverError('23505', 'duplicate key'), { detail: password, where: password }),
    ],
    ['as what is no error', password],
    ['as nothing', undefined],
  ])('a password that a pool throws, %s', async (_, thrown) => {
    const failing = postgresJournal({ pool: { connect: () => Promise.reject(thrown) } });
    const error = await faultOf(failing.find('key-1'));
    expect(error.fault).toBe('unavailable');
    expect(seenOf(error)).not.toContain(password);
  });

  it('what was being written', async () => {
    const secret = 'content-of-mine';
    await pool.query(`ALTER TABLE ${schema}.intents ADD CONSTRAINT none CHECK (lot <> 'lot_1')`);
    const refused = intentWith('key-1', { lot: 'lot_1', text: secret, buyer: secret });
    const error = await faultOf(journal.create(refused, changeTo('prepared'), lease('maker'), rules));
    await pool.query(`ALTER TABLE ${schema}.intents DROP CONSTRAINT none`);
    expect(error.message).toContain('violates check constraint "none"');
    expect(seenOf(error)).not.toContain(secret);
  });
});

describe('without the package pg', () => {
  it('a connection string says so, each time it is used', async () => {
    vi.doMock('pg', () => {
      throw new Error('Cannot find package');
    });
    try {
      const lacking = postgresJournal({ connectionString: url });
      for (let time = 0; time < 2; time += 1) {
        await expect(lacking.find('key-1')).rejects.toMatchObject({
          name: 'ConfigurationError',
          option: 'connectionString',
          nextStep: expect.stringContaining('npm install pg'),
        });
      }
      await lacking.close();
    } finally {
      vi.doUnmock('pg');
    }
  });

  it('versions that export it as a default are taken too', async () => {
    const { Pool } = pg;
    vi.doMock('pg', () => ({ default: { Pool }, Pool: undefined }));
    try {
      const own = postgresJournal({ connectionString: url, schema });
      expect(await own.find('key-1')).toEqual([]);
      await own.close();
    } finally {
      vi.doUnmock('pg');
    }
  });
});
