import { spawnSync } from 'node:child_process';
import fs, {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase, type SqliteDatabase } from '../../src/sqlite/database.js';
import { SqliteDriver, unsafeFileSystem } from '../../src/sqlite/driver.js';
import { faultOf } from '../../src/sqlite/faults.js';
import { type SqliteStoreOptions, sqliteStore } from '../../src/sqlite/index.js';
import type { Store } from '../../src/store/store.js';
import {
  ACCOUNT,
  at,
  failed,
  get,
  insert,
  keysOf,
  newFolder,
  noWaits,
  rejection,
  row,
  turn,
  unknown,
} from './kit.js';

type Source = Parameters<typeof sqliteStore>[0];

let folder: string;
let path: string;
const opened: { close(): unknown }[] = [];

beforeEach(() => {
  folder = newFolder();
  path = join(folder, 'auction.db');
});

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(source: Source = path, options: SqliteStoreOptions = {}): Store {
  const store = sqliteStore(source, { delay: turn, ...options });
  opened.push(store);
  return store;
}

/** An open store with one row. */
async function started(source?: Source, options?: SqliteStoreOptions): Promise<Store> {
  const store = open(source, options);
  await insert(store, row('key-1'));
  return store;
}

/** A connection of a test's own, as another program would have it. */
function another(at = path): SqliteDatabase {
  const database = openDatabase(at);
  database.exec('PRAGMA busy_timeout = 0');
  let isOpen = true;
  const close = () => {
    if (isOpen) database.close();
    isOpen = false;
  };
  opened.push({ close });
  return Object.assign(Object.create(null), {
    prepare: (sql: string) => database.prepare(sql),
    exec: (sql: string) => database.exec(sql),
    close,
  });
}

/** The same connection, with what a test does before a statement is executed. */
function watched(database: SqliteDatabase, before: (sql: string) => void): SqliteDatabase {
  return {
    prepare: (sql) => database.prepare(sql),
    exec(sql) {
      before(sql);
      return database.exec(sql);
    },
    close: () => database.close(),
  };
}

/** A started store over a connection of the user, which fails at a COMMIT once `fault` says so. */
async function failingCommits() {
  const real = another();
  const state: { fault?: () => Error } = {};
  const database = watched(real, (sql) => {
    if (sql === 'COMMIT' && state.fault !== undefined) throw state.fault();
  });
  return { real, state, store: await started({ database }) };
}

/** Puts a copy of the file in its place. */
function replaceFile(): void {
  fs.copyFileSync(path, `${path}.new`);
  renameSync(`${path}.new`, path);
}

describe('opening a SQLite store', () => {
  it('creates a file that only its owner can read', async () => {
    const store = open();
    expect(existsSync(path)).toBe(false);
    await insert(store, row('key-1'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(store).toMatchObject({ name: `SQLite (${path})`, durable: true });
  });

  it('keeps a rollback journal and the strictest sync, also in a file that was in WAL mode', async () => {
    another().exec('PRAGMA journal_mode = WAL');
    const database = another();
    database.exec('PRAGMA busy_timeout = 5000');
    await started({ database });
    const settings = { busy_timeout: 0, journal_mode: 'delete', synchronous: 3, fullfsync: 1 };
    for (const [name, value] of Object.entries(settings)) {
      const [found] = database.prepare(`PRAGMA ${name}`).all() as object[];
      expect([name, ...Object.values(found ?? {})]).toEqual([name, value]);
    }
  });

  it('refuses a connection whose journal mode cannot be changed', async () => {
    const database = another();
    const stubborn: SqliteDatabase = {
      prepare: (sql) => database.prepare(sql.replace('journal_mode = DELETE', 'journal_mode = PERSIST')),
      exec: (sql) => database.exec(sql),
      close: () => database.close(),
    };
    await expect(started({ database: stubborn })).rejects.toMatchObject(failed('unsupported'));
  });

  it('rejects what is neither a path nor a connection', () => {
    for (const source of ['', ':memory:', {}, undefined, 7]) {
      const make = () => Reflect.apply(sqliteStore, undefined, [source]);
      expect(make).toThrow(expect.objectContaining({ name: 'ConfigurationError', option: 'store' }));
    }
  });

  const statement = (sql: string) => void another().exec(sql);
  const damage = (): undefined => {
    const bytes = readFileSync(path);
    bytes.fill(0xff, 4_096 * 12, bytes.length);
    writeFileSync(path, bytes);
  };

  it.each<[string, string, RegExp, () => Source | undefined]>([
    ['in a folder that is missing', 'unavailable', /no folder/, () => join(folder, 'missing', 'auction.db')],
    ['that is a folder', 'unavailable', /not a file/, () => folder],
    ['that is no database', 'corrupt', /failed/, () => void writeFileSync(path, 'x'.repeat(8_192))],
    ['with damaged pages', 'corrupt', /failed/, damage],
    ['with a second hard link', 'unsupported', /links/, () => void linkSync(path, join(folder, 'second.db'))],
    [
      'with a second hard link, as a connection',
      'unsupported',
      /links/,
      () => {
        linkSync(path, join(folder, 'second.db'));
        return { database: another() };
      },
    ],
    [
      'with tables of another version',
      'schema',
      /have version another/,
      () => statement("UPDATE vehicle_auction_meta SET value = 'another' WHERE name = 'schema'"),
    ],
    ['that lacks a table', 'schema', /missing/, () => statement('DROP TABLE vehicle_auction_intents')],
  ])('refuses a file %s (%s), and does not touch it', async (_, reason, why, prepare) => {
    const rows = Array.from({ length: 500 }, (__, n) => row(`row-${n}`, { content: 'x'.repeat(500) }));
    await insert(await started(), ...rows);
    await opened.pop()?.close();
    const source = prepare();
    const before = readFileSync(path);
    const store = open(source);
    // Reading damages nothing, so the store can be asked again.
    for (const _ of [1, 2]) {
      const error = await rejection(keysOf(store));
      expect(error).toMatchObject({ ...failed(reason), message: expect.stringMatching(why) });
    }
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('refuses a network file system', async () => {
    // What statfs returns for a 32-bit number can be negative.
    const names = [0x6969, 0xff534d42 | 0, 0x65735546, 0xef53].map(unsafeFileSystem);
    expect(names).toEqual(['NFS', 'SMB', 'FUSE', undefined]);
    const { statfsSync } = fs;
    onTestFinished(() => {
      fs.statfsSync = statfsSync;
      syncBuiltinESMExports();
    });
    Reflect.set(fs, 'statfsSync', () => ({ type: 0x6969 }));
    syncBuiltinESMExports();
    await expect(keysOf(open())).rejects.toMatchObject(failed('unsupported'));
    expect(existsSync(path)).toBe(false);
  });

  it('tries again on the next use after it failed to open', async () => {
    const store = open(join(folder, 'later', 'auction.db'));
    await expect(keysOf(store)).rejects.toMatchObject(failed('unavailable'));
    mkdirSync(join(folder, 'later'));
    expect(await keysOf(store)).toEqual([]);
  });
});

describe('the driver of a SQLite store', () => {
  it('is the connection that the user passes, which stays open', async () => {
    const Libsql = createRequire(import.meta.url)('libsql');
    const database = new Libsql(path);
    // A user may have asked for bigints.
    database.defaultSafeIntegers(true);
    const store = open({ database });
    const bid = { lot: 'lot_1', buyer: 'D-204', paise: 7n, closesAt: 5 };
    await insert(store, row('key-1', { bid }));
    expect((await get(store, 'key-1'))?.bid).toEqual(bid);
    await store.close();
    expect(database.prepare('SELECT key FROM vehicle_auction_intents').all()).toEqual([{ key: 'key-1' }]);
    expect(await keysOf(store)).toEqual(['key-1']);
    await store.close();
    database.close();
  });

  it('can keep a database in memory, which is not durable', async () => {
    const store = await started({ database: another(':memory:') });
    expect(store).toMatchObject({ name: 'SQLite (in memory)', durable: false });
    expect(await keysOf(store)).toEqual(['key-1']);
  });

  it('names the choices where the runtime has no SQLite and libsql is not installed', () => {
    const { stdout } = run(`
      const Module = require('node:module');
      const resolve = Module._resolveFilename;
      Module._resolveFilename = (name, ...rest) => {
        if (name === 'libsql') throw Object.assign(new Error('missing'), { code: 'MODULE_NOT_FOUND' });
        return resolve(name, ...rest);
      };
      process.getBuiltinModule = undefined;
      import('./src/sqlite/index.ts').then(async ({ sqliteStore }) => {
        const error = await sqliteStore('${path}').transaction('a', async () => 1).catch((error) => error);
        console.log(JSON.stringify({ reason: error.reason, message: error.message }));
      });`);
    expect(JSON.parse(stdout)).toEqual({
      reason: 'unsupported',
      message: expect.stringMatching(/Node 22.13.*npm install libsql.*sqliteStore\(\{ database \}\)/),
    });
  });

  it('prints no warning, and leaves the warnings of others alone', () => {
    const { stderr } = run(`
      import('./src/sqlite/index.ts').then(async ({ sqliteStore }) => {
        await sqliteStore('${path}').transaction('a', async () => 1);
        process.emitWarning('of the user');
      });`);
    expect(stderr).toContain('of the user');
    expect(stderr).not.toContain('SQLite');
  });

  it('has the time of the machine, in milliseconds', async () => {
    const driver = new SqliteDriver(path, noWaits);
    opened.push(driver);
    const before = Date.now();
    const [first] = await driver.transaction('', async (query) => query(`SELECT ${driver.now} AS now`));
    expect(first?.['now']).toBeGreaterThanOrEqual(before - 1);
    expect(first?.['now']).toBeLessThanOrEqual(Date.now() + 1);
  });
});

describe('a SQLite store at work', () => {
  it.each([
    [50, 1],
    [450, 5],
  ])(
    'gives %i units of work of one turn %i commits, with turns of the event loop between',
    async (units, most) => {
      let commits = 0;
      const turns = new Set<number>();
      let turnsPassed = 0;
      const database = watched(another(), (sql) => {
        if (sql !== 'COMMIT') return;
        commits += 1;
        turns.add(turnsPassed);
        setImmediate(() => {
          turnsPassed += 1;
        });
      });
      const store = open({ database });
      await keysOf(store);
      commits = 0;
      turns.clear();
      await Promise.all(Array.from({ length: units }, (_, n) => insert(store, row(`key-${n}`))));
      expect([commits, turns.size]).toEqual([most, most]);
      expect(await keysOf(store)).toHaveLength(units);
    },
  );

  it('shares its file with other stores of the process, however its path is written', async () => {
    await started();
    const folderLink = `${folder}-link`;
    symlinkSync(folder, folderLink);
    onTestFinished(() => rmSync(folderLink));
    const paths = [path, relative(process.cwd(), path), join(folderLink, 'auction.db')];
    const same = paths.map((each) => open(each));
    await Promise.all(same.map((store, n) => insert(store, row(`of ${n}`))));
    for (const store of same) expect(await keysOf(store)).toHaveLength(4);
  });

  it('shares a connection of the user with other stores on it', async () => {
    const database = another();
    const [one, two] = [open({ database }), open({ database })];
    await Promise.all([insert(one, row('key-1')), insert(two, row('key-2')), insert(one, row('key-3'))]);
    await one.close();
    expect((await keysOf(two)).toSorted()).toEqual(['key-1', 'key-2', 'key-3']);
  });

  it('does not commit what a transaction asks for once it is over', async () => {
    let late: (() => Promise<unknown>) | undefined;
    await open().transaction('a', async ({ intents }) => {
      late = () => intents.insert(row('late'), at(1));
    });
    await expect(late?.()).rejects.toThrow('The transaction is over');
  });
});

describe('a lock that another program holds on a SQLite file', () => {
  it('is waited for without blocking the event loop', async () => {
    const store = await started();
    const other = another();
    other.exec('BEGIN IMMEDIATE');
    const inserted = insert(store, row('key-2'));
    for (let turns = 0; turns < 20; turns += 1) await turn();
    other.exec('COMMIT');
    await inserted;
    expect(await keysOf(store)).toEqual(['key-1', 'key-2']);
  });

  it('is waited for so long and no longer, with jitter', async () => {
    const waits: number[] = [];
    const delay = (ms: number) => {
      waits.push(ms);
      return turn();
    };
    const store = await started(path, { lockTimeout: 500, random: () => 0.5, delay });
    const other = another();
    other.exec('BEGIN EXCLUSIVE');
    await expect(insert(store, row('key-2'))).rejects.toMatchObject(failed('locked'));
    const sum = waits.reduce((a, b) => a + b, 0);
    expect(sum).toBeGreaterThanOrEqual(500);
    expect(sum).toBeLessThan(540);
    expect(waits.slice(0, 3)).toEqual([2, 3, 5]);
    other.exec('ROLLBACK');
    await insert(store, row('key-3'));
    expect(await keysOf(store)).toEqual(['key-1', 'key-3']);
  });

  it('delays a commit while another program reads, and writes nothing if that takes too long', async () => {
    const store = await started(path, { lockTimeout: 100 });
    const reader = another();
    reader.exec('BEGIN');
    reader.prepare('SELECT COUNT(*) FROM vehicle_auction_intents').all();
    await expect(insert(store, row('key-2'))).rejects.toMatchObject(failed('locked'));
    const inserted = insert(store, row('key-3'));
    for (let turns = 0; turns < 5; turns += 1) await turn();
    reader.exec('COMMIT');
    await inserted;
    expect(await keysOf(store)).toEqual(['key-1', 'key-3']);
  });
});

describe('a SQLite store whose disk or file fails', () => {
  it('reports a full disk, writes nothing, and goes on once there is room', async () => {
    const database = another();
    const store = await started({ database });
    const [used] = database.prepare('PRAGMA page_count').all() as { page_count: number }[];
    database.exec(`PRAGMA max_page_count = ${used?.page_count}`);
    const large = row('large', { content: 'x'.repeat(100_000) });
    const both = [rejection(insert(store, row('key-2'), large)), rejection(insert(store, large))];
    for (const error of await Promise.all(both)) expect(error).toMatchObject(failed('full'));
    expect(await keysOf(store)).toEqual(['key-1']);
    // SQLite has ended the transaction by then, so a later insert would be committed on its own.
    const goingOn = store.transaction(ACCOUNT, async ({ intents }) => {
      await intents.insert(large, at(1)).catch(() => undefined);
      await intents.insert(row('key-3'), at(1)).catch(() => undefined);
    });
    await expect(goingOn).rejects.toMatchObject(failed('full'));
    expect(await keysOf(store)).toEqual(['key-1']);
    database.exec('PRAGMA max_page_count = 100000');
    await insert(store, large);
    expect(await keysOf(store)).toEqual(['key-1', 'large']);
  });

  it.each([
    ['a folder', (folder: string) => folder],
    ['a path through a file', (folder: string) => join(folder, 'file', 'auction.db')],
    ['a name that is too long', (folder: string) => join(folder, 'n'.repeat(300))],
    ['a name with a zero character', (folder: string) => join(folder, 'a\0b')],
  ])('reports %s as an error of the store with what to do', async (_, pathIn) => {
    writeFileSync(join(folder, 'file'), '');
    const error = await insert(open(pathIn(folder)), row('key-1')).catch((thrown: unknown) => thrown);
    const words = {
      message: expect.not.stringContaining('(SQLite'),
      nextStep: expect.stringMatching(/path/),
    };
    expect(error).toMatchObject({ name: 'StoreError', reason: 'unavailable', commit: 'failed', ...words });
  });

  it.each([
    ['EACCES', 'read_only'],
    ['EROFS', 'read_only'],
    ['ENOSPC', 'full'],
    ['EDQUOT', 'full'],
    ['EMFILE', 'unavailable'],
    ['EIO', 'unavailable'],
  ])('calls %s of the file system %s', (code, reason) => {
    const error = Object.assign(new Error(`${code}: refused, open`), { code, errno: -13, syscall: 'open' });
    expect(faultOf('SQLite (x.db)', error)).toMatchObject({ reason, cause: error });
  });

  it('reports a file that is read-only', async () => {
    const database = another();
    const store = await started({ database });
    database.exec('PRAGMA query_only = ON');
    await expect(insert(store, row('key-2'))).rejects.toMatchObject(failed('read_only'));
    database.exec('PRAGMA query_only = OFF');
    expect(await keysOf(store)).toEqual(['key-1']);
  });

  it.each([
    ['renamed', () => renameSync(path, `${path}.old`)],
    ['removed', () => rmSync(path)],
    ['replaced', replaceFile],
  ] as const)('notices that the file was %s, and does not write to it', async (_, move) => {
    const store = await started();
    move();
    await expect(insert(store, row('key-2'))).rejects.toMatchObject(failed('moved'));
    await expect(keysOf(store)).rejects.toMatchObject(failed('moved'));
    await store.close();
    const wasReplaced = existsSync(path);
    await insert(store, row('key-3'));
    expect(await keysOf(store)).toEqual(wasReplaced ? ['key-1', 'key-3'] : ['key-3']);
  });

  it('opens the file that is at its path, although another store of the process still has the one that was replaced', async () => {
    const [one, two] = [await started(), open()];
    await insert(two, row('key-2'));
    replaceFile();
    await one.close();
    await insert(one, row('later'));
    await expect(keysOf(two)).rejects.toMatchObject(failed('moved'));
    await two.close();
    for (const store of [one, two]) expect(await keysOf(store)).toEqual(['key-1', 'key-2', 'later']);
  });

  it('never uses a connection of the user for another file than the one that it opened', async () => {
    const store = await started({ database: another() });
    replaceFile();
    await expect(insert(store, row('key-2'))).rejects.toMatchObject(failed('moved'));
    await store.close();
    await expect(keysOf(store)).rejects.toMatchObject(failed('moved'));
  });

  it.each([
    ['was carried out', true],
    ['was not', false],
  ])('stops after a commit that failed, until it is closed, where the commit %s', async (_, isCarriedOut) => {
    const { real, state, store } = await failingCommits();
    state.fault = () => {
      if (isCarriedOut) real.exec('COMMIT');
      return Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC', errcode: 1034 });
    };
    const halting = store.transaction('a', async (tx) => tx.account.halt());
    const both = [rejection(insert(store, row('key-2'))), rejection(halting)];
    for (const error of await Promise.all(both)) expect(error).toMatchObject(unknown);
    delete state.fault;
    await expect(insert(store, row('key-3'))).rejects.toMatchObject(failed('stopped'));
    await expect(keysOf(store)).rejects.toMatchObject(failed('stopped'));
    await store.close();
    expect(await keysOf(store)).toEqual(isCarriedOut ? ['key-1', 'key-2'] : ['key-1']);
    await insert(store, row('key-4'));
  });

  it('counts a commit as failed where SQLite has certainly rolled it back', async () => {
    const { real, state, store } = await failingCommits();
    state.fault = () => {
      real.exec('ROLLBACK');
      return Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    };
    await expect(insert(store, row('key-2'))).rejects.toMatchObject(failed('full'));
    delete state.fault;
    await insert(store, row('key-3'));
    expect(await keysOf(store)).toEqual(['key-1', 'key-3']);
  });

  it('fails every unit of a group whose transaction SQLite has ended, and writes none of them', async () => {
    const real = another();
    const database = watched(real, (sql) => {
      if (sql.startsWith('ROLLBACK TO')) real.exec('ROLLBACK');
    });
    const store = await started({ database });
    const failing = rejection(store.transaction(ACCOUNT, () => Promise.reject(new Error('on purpose'))));
    for (const error of await Promise.all([failing, rejection(insert(store, row('key-2')))])) {
      expect(error).toMatchObject(failed('unavailable'));
    }
    expect(await keysOf(store)).toEqual(['key-1']);
  });

  it.each([
    ['SAVEPOINT unit', failed('unavailable')],
    ['COMMIT', unknown],
  ])('closes the file at once where %s failed and so did the rollback', async (statement, expected) => {
    const store = await started();
    const drivers: SqliteDatabase = Object.getPrototypeOf(openDatabase(':memory:'));
    const { exec, close } = drivers;
    const restore = () => Object.assign(drivers, { exec, close });
    onTestFinished(() => void restore());
    let closed = 0;
    drivers.close = function () {
      closed += 1;
      return close.call(this);
    };
    drivers.exec = function (sql) {
      const isRollback = sql.startsWith('ROLLBACK');
      // libsql would keep the lock until the garbage is collected.
      if (sql !== statement) exec.call(this, sql);
      if (sql === statement || isRollback) throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
    };
    await expect(insert(store, row('key-2'))).rejects.toMatchObject(expected);
    expect(closed).toBe(1);
    restore();
    await store.close();
    await insert(store, row('key-3'));
    expect(await keysOf(store)).toEqual(['key-1', 'key-3']);
  });

  it('leaves a transaction of the user on the same connection alone', async () => {
    const database = another();
    const store = await started({ database });
    database.exec('BEGIN; CREATE TABLE theirs (id INTEGER)');
    await expect(insert(store, row('key-2'))).rejects.toMatchObject(failed('unavailable'));
    database.exec('COMMIT');
    expect(database.prepare('SELECT COUNT(*) AS n FROM theirs').all()).toMatchObject([{ n: 0 }]);
    await insert(store, row('key-3'));
  });
});

function run(script: string) {
  const cwd = join(import.meta.dirname, '../..');
  return spawnSync(process.execPath, ['--import', 'tsx', '-e', script], { encoding: 'utf8', cwd });
}
