import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openDatabase } from '../../../src/sqlite/database.js';
import { tableName } from '../../../src/store/schema.js';
import { Duty } from './duty.js';
import { onlyKey } from './follow.js';
import { inDoubt, place } from './place.js';

/** What is wrong with a store, and what the commands that look at it say. */
export interface Broken {
  readonly break: (duty: Duty) => void;
  /** What `recover` names. */
  readonly names: string;
}

const sql = (duty: Duty, statement: string) => {
  const database = openDatabase(duty.path);
  database.exec(statement);
  database.close();
};

export const broken: Readonly<Record<string, Broken>> = {
  'a file that is no database': {
    break: (duty) => writeFileSync(duty.path, 'no database\n'.repeat(200)),
    names: 'restore a backup',
  },
  'a file that was cut off': {
    break: (duty) => truncateSync(duty.path, 5_000),
    names: 'restore a backup',
  },
  'a record that is damaged': {
    break: (duty) => sql(duty, `UPDATE ${tableName('intents')} SET content = '{' WHERE id = 1`),
    names: 'call bids.lookup',
  },
  'tables of an older version': {
    break: (duty) => sql(duty, `UPDATE ${tableName('meta')} SET value = '1' WHERE name = 'schema'`),
    names: 'Use the version of the package that created them',
  },
};

/** Two bids are recorded, and a third is in doubt when the store breaks; a backup takes its place. */
export async function endsByRestore({ break: damage, names }: Broken): Promise<void> {
  await using duty = await Duty.begin();
  await inDoubt(duty, 'drop_after_commit');
  await inDoubt(duty, 'drop_after_commit', { lot: 1 });
  const backup = join(duty.folder, 'backup.db');
  expect((await duty.types('dealer', 'store', 'backup', backup)).code).toBe(0);
  await place(duty, { lot: 2 });
  await duty.closeStores();
  damage(duty);
  expect((await duty.types('dealer', 'store', 'check')).code).toBe(4);
  const { code, err } = await duty.types('dealer', 'recover');
  expect([code, err]).toEqual([4, expect.stringContaining(names)]);
  await duty.closeStores();
  expect((await duty.types('dealer', 'store', 'restore', backup, '--yes')).code).toBe(0);
  const { json } = await duty.types('dealer', 'intents', 'list', '--all');
  expect(json.map(({ state }) => state)).toEqual(['accepted', 'accepted']);
  expect((await duty.types('dealer', 'store', 'check')).code).toBe(0);
}

/** A bid is on record, then its row is damaged. */
export async function endsByAbandoning(content: string): Promise<void> {
  await using duty = await Duty.begin();
  await inDoubt(duty, 'drop_after_commit');
  const key = await onlyKey(duty);
  await duty.closeStores();
  sql(duty, `UPDATE ${tableName('intents')} SET content = '${content}' WHERE id = 1`);
  const check = await duty.types('dealer', 'store', 'check');
  expect([check.code, check.json]).toEqual([4, [expect.objectContaining({ damaged: [key] })]]);
  expect((await duty.types('dealer', 'call', 'bids.lookup', key)).json).toMatchObject([
    { state: 'accepted' },
  ]);
  const typed = await duty.types('dealer', 'intents', 'abandon', key, '--reason', 'noted: accepted', '--yes');
  expect([typed.code, typed.err]).toEqual([0, expect.stringContaining('is damaged')]);
  expect((await duty.types('dealer', 'store', 'check')).code).toBe(0);
  expect((await duty.types('dealer', 'recover')).code).toBe(0);
  const { json } = await duty.types('dealer', 'intents', 'list', '--all');
  expect(json).toMatchObject([{ idempotencyKey: key, state: 'abandoned' }]);
}
