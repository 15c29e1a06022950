import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { envLinesOf } from '../../src/cli/sandbox/announcement.js';
import { flightRecorder, PartnerClient } from '../../src/index.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { sqliteStore } from '../../src/sqlite/index.js';

let sandbox: Sandbox;
let folder: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  folder = mkdtempSync(join(tmpdir(), 'auction-bundle-'));
  writeFileSync(join(folder, 'platform.env'), `${envLinesOf(sandbox, 'platform').join('\n')}\n`);
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

async function bundled(file: string, answer: string, ...further: readonly string[]) {
  let [stdout, stderr] = ['', ''];
  const args = ['support-bundle', file, '--env', join(folder, 'platform.env')];
  const code = await run([...args, '--store', join(folder, 'auction.db'), ...further], {
    out: (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
    },
    env: {},
    ask: async () => answer,
  });
  return { code, stdout, stderr };
}

/** Leaves a bid in doubt in the store, and the calls of its client in a file. */
async function inDoubt(buyer: string): Promise<string> {
  const recorder = flightRecorder();
  const { clientId, keyId, signingSecret, dealerId } = sandbox.credentials.platform;
  const client = new PartnerClient({
    baseUrl: sandbox.baseUrl,
    environment: 'sandbox',
    credentials: { clientId, keyId, signingSecret },
    partnerType: 'platform',
    dealerId,
    store: sqliteStore(join(folder, 'auction.db')),
    logLevel: 'off',
    flightRecorder: recorder,
  });
  const [lot] = sandbox.auctions.get('live-open').lots;
  await client.integration.profile();
  const withdraw = sandbox.inject({ fault: 'drop_after_commit', operation: 'bids.submit' });
  const lost = sandbox.inject({
    fault: 'error_before_commit',
    operation: 'bids.lookup',
    status: 503,
    times: Infinity,
  });
  const { idempotencyKey } = await client.bids.place(
    { lot: lot?.id ?? '', amount: '900000', bidderReference: buyer },
    { maxAttempts: 1, deadline: 2_000 },
  );
  await client.close();
  await recorder.save(join(folder, 'flight.jsonl'));
  withdraw();
  lost();
  return idempotencyKey;
}

it('a support bundle is shown, asked about and written, without secrets and buyers, and can be replayed', async () => {
  const key = await inDoubt('buyer-secret-7');
  const file = join(folder, 'incident.json');
  expect(await bundled(file, 'n')).toMatchObject({ stderr: expect.not.stringContaining('error') });
  expect(existsSync(file)).toBe(false);
  const recording = join(folder, 'flight.jsonl');
  const { code, stdout } = await bundled(file, 'y', '--recording', recording);
  expect(code).toBe(0);
  const text = readFileSync(file, 'utf8');
  expect(stdout).toContain(text);
  expect(statSync(file).mode & 0o077).toBe(0);
  expect(JSON.parse(text)).toMatchObject({
    versions: { node: process.version },
    settings: { actor: 'partner', environment: 'sandbox', hasStore: true },
    checks: expect.arrayContaining([expect.objectContaining({ check: 'clientId', status: 'pass' })]),
    metrics: { unresolved: { count: 1 } },
    unresolved: { explained: [expect.objectContaining({ idempotencyKey: key })], more: 0 },
    recording: expect.arrayContaining([
      expect.objectContaining({ kind: 'call', call: 'bids.submit', idempotencyKey: key }),
      expect.objectContaining({ kind: 'outcome', call: 'bids.place', outcome: 'unknown' }),
    ]),
  });
  expect(text).not.toContain('buyer-secret-7');
  expect(text).not.toContain(sandbox.credentials.platform.signingSecret);
  let replayed = '';
  await run(['replay', file, '--test', join(folder, 'incident.test.ts')], {
    out: (line) => {
      replayed += line;
    },
    err: () => undefined,
  });
  expect(replayed).toContain('bids.place\tunknown, in_doubt\tunknown, in_doubt');
  const again = await bundled(file, 'y');
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('exists')]);
});

it('a support bundle refuses a recording that no flight recorder saved', async () => {
  const recording = join(folder, 'platform.env');
  const { code, stderr } = await bundled(join(folder, 'other.json'), 'y', '--recording', recording);
  expect([code, stderr]).toEqual([2, expect.stringContaining('has no recording')]);
});
