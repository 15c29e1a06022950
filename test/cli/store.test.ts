import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { openDatabase } from '../../src/sqlite/database.js';
import { sqliteStore } from '../../src/sqlite/index.js';
import type { Store } from '../../src/store/store.js';
import { approval, receiverWith } from '../webhooks/delivery.js';

let folder: string;
let path: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'auction-store-'));
  path = join(folder, "first bank's.db");
  store = sqliteStore(path);
  const { receiver, take } = receiverWith({}, store);
  await take(approval('evt_1'));
  await receiver.idle();
  await receiver.close();
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function ran(args: readonly string[], place = path) {
  const said = { stdout: '', stderr: '' };
  const code = await run(['store', ...args, '--store', place, '--json'], {
    out: (text) => {
      said.stdout += text;
    },
    err: (text) => {
      said.stderr += text;
    },
    env: {},
  });
  return { code, ...said };
}

describe('store check', () => {
  it('prints integrity, schema version and counts of an open store', async () => {
    const { code, stdout } = await ran(['check']);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { integrity: 'ok', schema: '2', records: { 'webhook events handled': 1 } },
    ]);
  });

  it('ends with 4 for a damaged index', async () => {
    const database = openDatabase(path);
    database.exec('PRAGMA writable_schema = ON');
    database.exec(
      "UPDATE sqlite_master SET sql = replace(sql, '(account, state, id)', '(account, id, state)') WHERE name = 'vehicle_auction_webhook_events_state'",
    );
    database.close();
    const { code, stdout } = await ran(['check']);
    expect([code, JSON.parse(stdout).integrity]).toEqual([4, expect.stringContaining('_events_state')]);
  });

  it('ends with 4 and a next step for a file that SQLite can not read', async () => {
    const text = join(folder, 'text.db');
    writeFileSync(text, 'no database\n'.repeat(200));
    const { code, stderr } = await ran(['check'], text);
    expect([code, stderr]).toEqual([4, expect.stringContaining('restore a backup')]);
  });

  it('refuses a missing file, another database and Postgres', async () => {
    const missing = join(folder, 'missing.db');
    expect((await ran(['check'], missing)).code).toBe(2);
    expect(existsSync(missing)).toBe(false);
    const other = join(folder, 'other.db');
    writeFileSync(other, '');
    expect((await ran(['check'], other)).code).toBe(2);
    expect(readFileSync(other, 'utf8')).toBe('');
    const { code, stderr } = await ran(['backup', join(folder, 'copy.db')], 'postgres://127.0.0.1/auction');
    expect([code, stderr]).toEqual([2, expect.stringContaining('pg_dump')]);
  });
});

describe('store backup', () => {
  it('writes a whole copy that only this user can read, while another process has a transaction open', async () => {
    const copy = join(folder, "bank's copy.db");
    const writer = openDatabase(path);
    writer.exec('BEGIN IMMEDIATE');
    writer.exec("UPDATE vehicle_auction_webhook_events SET state = 'malformed'");
    expect(await ran(['backup', copy])).toMatchObject({
      code: 0,
      stdout: `${JSON.stringify({ backup: copy })}\n`,
    });
    writer.exec('COMMIT');
    writer.close();
    expect(JSON.parse((await ran(['check'], copy)).stdout).records).toEqual({ 'webhook events handled': 1 });
    if (process.platform !== 'win32') expect(statSync(copy).mode & 0o077).toBe(0);
  });

  it('never overwrites a file', async () => {
    const target = join(folder, 'notes.txt');
    writeFileSync(target, 'keep me');
    expect((await ran(['backup', target])).code).toBe(2);
    expect(readFileSync(target, 'utf8')).toBe('keep me');
  });

  it('leaves no file if the source is not a store', async () => {
    const other = join(folder, 'other.db');
    writeFileSync(other, '');
    const target = join(folder, 'copy.db');
    expect((await ran(['backup', target], other)).code).toBe(2);
    expect(existsSync(target)).toBe(false);
  });
});
