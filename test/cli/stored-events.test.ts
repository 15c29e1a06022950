import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { openDatabase } from '../../src/sqlite/database.js';
import { sqliteStore } from '../../src/sqlite/index.js';
import type { Store } from '../../src/store/store.js';
import { approval, deliveryOf, receiverWith } from '../webhooks/delivery.js';

let folder: string;
let path: string;
let store: Store;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'auction-events-'));
  path = join(folder, 'auction.db');
  store = sqliteStore(path);
  const { receiver, take } = receiverWith(
    {
      maxAttempts: 1,
      on: {
        '*': ({ id }: { id: string }) => {
          if (id !== 'evt_done') throw new Error('the ledger is closed');
        },
      },
    },
    store,
  );
  await take(approval('evt_failed', 2, 'sale_1'));
  await take(approval('evt_done', 2, 'sale_2'));
  await receiver.receive(deliveryOf({ id: 'evt_odd', type: 'sale.approved' }));
  await receiver.idle();
  await receiver.close();
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function ran(args: readonly string[], given: Partial<Terminal> = {}) {
  const said = { stdout: '', stderr: '' };
  const out = (text: string) => {
    said.stdout += text;
  };
  const err = (text: string) => {
    said.stderr += text;
  };
  const code = await run(['webhook', ...args, ...(args.includes('--store') ? [] : ['--store', path])], {
    out,
    err,
    env: {},
    ...given,
  });
  const lines = said.stdout.split('\n').filter((line) => line.startsWith('{'));
  return { code, ...said, json: lines.map((line): Record<string, unknown> => JSON.parse(line)) };
}

describe('webhook events', () => {
  it('lists events that are not handled, without their bodies and without credentials', async () => {
    const { code, json } = await ran(['events', '--json']);
    expect(code).toBe(0);
    expect(json.map(({ state }) => state)).toEqual(['failed_permanently', 'malformed']);
    expect(json[0]).toMatchObject({ id: 'evt_failed', attempts: 1, error: 'Error: the ledger is closed' });
    expect(json[0]).not.toHaveProperty('body');
  });

  it('lists handled events with --all, or one state with --state', async () => {
    expect((await ran(['events', '--all', '--json'])).json.map(({ id }) => id)).toContain('evt_done');
    expect((await ran(['events', '--state', 'handled', '--json'])).json).toHaveLength(1);
    expect((await ran(['events', '--state', 'handled', '--all'])).code).toBe(2);
  });

  it('shows one event with its body', async () => {
    const { code, json } = await ran(['events', 'evt_failed', '--json']);
    expect([code, json]).toEqual([
      0,
      [expect.objectContaining({ body: JSON.stringify(approval('evt_failed')) })],
    ]);
  });

  it('refuses an unknown event, the events of another endpoint and a store that does not exist', async () => {
    expect((await ran(['events', 'evt_none'])).code).toBe(2);
    expect((await ran(['events', 'evt_failed', '--endpoint', 'second'])).code).toBe(2);
    const missing = join(folder, 'missing.db');
    const terminal = { out: () => undefined, err: () => undefined, env: {} };
    expect(await run(['webhook', 'events', '--store', missing], terminal)).toBe(2);
  });

  it('refuses the database of another program, and adds no tables to it', async () => {
    const other = join(folder, 'other.db');
    const database = openDatabase(other);
    database.exec('CREATE TABLE ledger (id TEXT)');
    const refused = await ran(['events', '--store', other]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('no store at')]);
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    expect(tables).toEqual([{ name: 'ledger' }]);
    database.close();
  });
});

describe('webhook retry', () => {
  it('changes nothing without consent', async () => {
    expect((await ran(['retry', 'evt_failed'])).code).toBe(2);
    expect((await ran(['retry', 'evt_failed'], { ask: async () => 'n' })).code).toBe(130);
    expect((await ran(['events', 'evt_failed', '--json'])).json[0]?.['state']).toBe('failed_permanently');
  });

  it('refuses an event that did not fail permanently', async () => {
    const { code, stderr } = await ran(['retry', 'evt_done', '--yes']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('evt_done is handled')]);
  });

  it('has the receiver handle the event again', async () => {
    expect((await ran(['retry', 'evt_failed', '--yes'])).code).toBe(0);
    expect((await ran(['events', 'evt_failed', '--json'])).json[0]).toMatchObject({
      state: 'pending',
      attempts: 0,
    });
    const { receiver, seen, clock } = receiverWith({}, store);
    await clock.advance(Math.max(0, Date.now() - clock.now()));
    await receiver.idle();
    await receiver.close();
    expect(seen).toEqual(['evt_failed']);
  });
});
