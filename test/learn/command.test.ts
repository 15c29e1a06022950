import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';

let sandbox: Sandbox;
let folder: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  folder = mkdtempSync(join(tmpdir(), 'auction-learn-'));
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

/** Runs `learn` with time for one request, because the next one would leave after five seconds. */
async function learned(args: readonly string[], change: Readonly<Record<string, string>> = {}) {
  const { clientId, keyId, signingSecret, dealerId = '' } = sandbox.credentials.dealer;
  let [stdout, stderr] = ['', ''];
  const code = await run(['learn', ...args, '--within', '4s', '--json'], {
    out: (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
    },
    env: {
      VEHICLE_AUCTION_BASE_URL: sandbox.baseUrl,
      VEHICLE_AUCTION_ENVIRONMENT: 'sandbox',
      VEHICLE_AUCTION_CLIENT_ID: clientId,
      VEHICLE_AUCTION_KEY_ID: keyId,
      VEHICLE_AUCTION_SIGNING_SECRET: signingSecret,
      VEHICLE_AUCTION_PARTNER_TYPE: 'direct_dealer',
      VEHICLE_AUCTION_DEALER_ID: dealerId,
      ...change,
    },
  });
  expect(stdout + stderr).not.toContain(signingSecret);
  const rows = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return { code, stderr, rows };
}

it('learn prints a row for each open question, and writes a profile without credentials', async () => {
  const file = join(folder, 'deployment.json');
  const { code, rows, stderr } = await learned([file]);
  expect(code).toBe(0);
  expect(rows.find(({ id }) => id === 'webhook-operative')).toMatchObject({
    verdict: 'confirmed',
    shownBy: { request: 'GET /integration/capabilities', reply: '200 {"webhooks":{"enabled":false}}' },
  });
  expect(stderr).toMatch(
    /1 requests sent; time was up for \d+ more\.\n\d+ confirmed, 0 refuted, \d+ still open\./,
  );
  const text = readFileSync(file, 'utf8');
  const { signingSecret, keyId, clientId } = sandbox.credentials.dealer;
  for (const secret of [signingSecret, keyId, clientId]) expect(text).not.toContain(secret);
  expect(JSON.parse(text)).toMatchObject({ version: 1, origin: sandbox.baseUrl, environment: 'sandbox' });
});

it('learn ends with 1 where the deployment has changed since the file was written', async () => {
  const file = join(folder, 'drift.json');
  await learned([file]);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"own_standing"', '"nothing"'));
  const { code, stderr } = await learned([file]);
  expect(code).toBe(1);
  expect(stderr).toContain('Drift: capability-values, bid_visibility.closed: was nothing, is own_standing.');
  expect((await learned([file])).code).toBe(0);
});

it('learn refuses the file of another deployment before it asks anything else', async () => {
  const file = join(folder, 'other.json');
  await learned([file]);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(sandbox.baseUrl, 'https://bank.example/api/v1'));
  const before = sandbox.attempts().length;
  const { code, stderr } = await learned([file]);
  expect(code).toBe(4);
  expect(stderr).toContain('is of another deployment (https://bank.example/api/v1, sandbox)');
  expect(sandbox.attempts().length - before).toBe(1);
});

it.each([
  [['--allow-writes'], {}, 2, 'Add --yes to continue'],
  [
    ['--allow-writes', '--yes'],
    { VEHICLE_AUCTION_ENVIRONMENT: 'production' },
    2,
    'needs settings of a sandbox',
  ],
  [['--share', 'many'], {}, 4, 'share'],
] as const)('learn %j is refused', async (args, change, code, message) => {
  const file = join(folder, 'refused.json');
  const refused = await learned([file, ...args], change);
  expect(refused.code).toBe(code);
  expect(refused.stderr).toContain(message);
  expect(existsSync(file)).toBe(false);
});
