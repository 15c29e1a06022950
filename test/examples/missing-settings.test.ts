import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../support/sources.js';
import { bundle } from './program.js';

const project = mkdtempSync(join(tmpdir(), 'missing-settings-'));
const programs = ['pg-boss/worker.ts', 'pg-boss/enqueue.ts', 'dbos/main.ts'];

beforeAll(() =>
  bundle(
    project,
    programs.map((path) => join(root, 'examples', path)),
    ['@dbos-inc', 'pg', 'pg-boss'],
  ),
);
afterAll(() => rmSync(project, { recursive: true }));

const database = { DATABASE_URL: 'postgres://127.0.0.1:1/none' };

it.each<{ args: readonly string[]; env: Record<string, string>; says: string }>([
  { args: ['worker', 'bids'], env: {}, says: 'Set DATABASE_URL in the environment.' },
  { args: ['worker', 'bids'], env: database, says: 'Set VEHICLE_AUCTION_DEALER_ID in the environment.' },
  { args: ['worker', 'bid'], env: database, says: 'Usage: worker.ts bids|approvals' },
  {
    args: ['enqueue', 'approval'],
    env: database,
    says: 'Usage: enqueue.ts bids FILE.csv BATCH_ID, or enqueue.ts approvals',
  },
  {
    args: ['enqueue', 'bids', 'bids.csv'],
    env: database,
    says: 'Usage: enqueue.ts bids FILE.csv BATCH_ID, or enqueue.ts approvals',
  },
  { args: ['main'], env: {}, says: 'Set DATABASE_URL and VEHICLE_AUCTION_DEALER_ID in the environment.' },
])('the program $args with $env prints one line and exits with 2', ({ args, env, says }) => {
  const [name = '', ...more] = args;
  const { PATH } = process.env;
  const { status, stderr } = spawnSync(process.execPath, [join(project, `${name}.mjs`), ...more], {
    encoding: 'utf8',
    env: { PATH, ...env },
  });
  expect({ status, stderr }).toEqual({ status: 2, stderr: `${says}\n` });
});
