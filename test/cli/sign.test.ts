import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { envLinesOf } from '../../src/cli/sandbox/announcement.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';

let sandbox: Sandbox;
let folder: string;
let env: NodeJS.Dict<string>;
beforeAll(async () => {
  sandbox = await startSandbox();
  folder = mkdtempSync(join(tmpdir(), 'auction-sign-'));
  env = parseEnv(envLinesOf(sandbox, 'platform').join('\n'));
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

async function signed(...args: readonly string[]) {
  let stdout = '';
  const out = (text: string) => {
    stdout += text;
  };
  const code = await run(['sign', ...args], { out, err: () => undefined, env });
  expect(stdout).not.toContain(env['VEHICLE_AUCTION_SIGNING_SECRET']);
  return { code, stdout };
}

it('sign prints headers that the service accepts, with query parameters in any order', async () => {
  const { code, stdout } = await signed('get', '/events?status=live&per_page=5', '--json');
  expect(code).toBe(0);
  const base = String(env['VEHICLE_AUCTION_BASE_URL']).replace(/\/api\/v1$/, '');
  const url = `${base}/api/v1/events?per_page=5&status=live`;
  const headers: Record<string, string> = JSON.parse(stdout);
  expect((await fetch(url, { headers })).status).toBe(200);
  expect((await fetch(`${url}0`, { headers })).status).toBe(401);
});

it('sign refuses a path without a slash', async () => {
  expect(await signed('GET', 'events')).toEqual({ code: 2, stdout: '' });
});

it('sign digests the exact bytes of the body file', async () => {
  const file = join(folder, "bid's.json");
  writeFileSync(file, '{"amount": "1.00"}\n');
  const { stdout } = await signed('POST', '/lots/lot_1/bids', '--body', file, '--json');
  const digest = createHash('sha256').update('{"amount": "1.00"}\n').digest('hex');
  expect(JSON.parse(stdout)).toMatchObject({ 'X-Content-SHA256': digest });
});

it.skipIf(process.platform === 'win32')('sign --curl quotes every argument for a shell', async () => {
  const file = join(folder, "bid's.json");
  writeFileSync(file, '{}');
  const { stdout } = await signed('POST', "/lots/$(id)'/bids", '--body', file, '--curl');
  const shown = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }\n${stdout}`], {
    encoding: 'utf8',
  });
  const lines = shown.trimEnd().split('\n');
  expect(lines.slice(-3, -1)).toEqual(['--data-binary', `@${file}`]);
  expect(lines.at(-1)).toMatch(/\/api\/v1\/lots\/\$\(id\)'\/bids$/);
});

async function explained(refused: object | string, ...args: readonly string[]) {
  const file = join(folder, 'refused.json');
  writeFileSync(file, typeof refused === 'string' ? refused : JSON.stringify(refused));
  let [stdout, stderr] = ['', ''];
  const out = (text: string) => {
    stdout += text;
  };
  const err = (text: string) => {
    stderr += text;
  };
  const code = await run(['explain', file, ...args], { out, err, env });
  expect(stdout + stderr).not.toContain(env['VEHICLE_AUCTION_SIGNING_SECRET']);
  return { code, stdout, stderr };
}

it.each([
  ['is valid', {}, 0, /signature {2}valid/],
  ['was made for another path', { url: '/api/v1/events/' }, 1, /signed path differs/],
  ['was made for another method', { method: 'POST' }, 1, /GET was signed instead of POST/],
  ['was made for a body that changed on the way', { body: '{}' }, 1, /body/],
  ['is missing', { headers: {} }, 1, /X-Signature is missing/],
])('explain says what a signature is worth that %s', async (_, change, exit, says) => {
  const { stdout: headers } = await signed('GET', '/events', '--json');
  const refused = { method: 'GET', url: '/api/v1/events', headers: JSON.parse(headers), ...change };
  const { code, stdout } = await explained(refused);
  expect([code, stdout]).toEqual([exit, expect.stringMatching(says)]);
  expect(stdout.split('\n').slice(0, 2)).toEqual([
    `method     ${refused.method}`,
    `path       ${refused.url}`,
  ]);
});

it('explain names a secret that was read with its newline, and prints JSON for scripts', async () => {
  const before = env['VEHICLE_AUCTION_SIGNING_SECRET'];
  const { signRequest } = await import('../../src/index.js');
  const { headers } = signRequest({
    clientId: String(env['VEHICLE_AUCTION_CLIENT_ID']),
    keyId: String(env['VEHICLE_AUCTION_KEY_ID']),
    signingSecret: `"${before}"`,
    method: 'PATCH',
    path: '/api/v1/bank/inventory/vehicles/v_1',
    timestamp: 1_767_230_600,
    nonce: 'a-nonce-of-mine-0001',
    body: '{"_method":"PATCH"}',
  });
  const url = 'https://bank.example/api/v1/bank/inventory/vehicles/v_1';
  const { code, stdout } = await explained(
    { method: 'POST', url, headers, body: '{"_method":"PATCH"}' },
    '--json',
  );
  const { signature, mistake, method } = JSON.parse(stdout);
  expect([code, signature, method]).toEqual([1, 'invalid', 'PATCH']);
  expect(mistake).toMatch(/space, newline, quote/);
});

it.each(['no JSON', '{"method":"GET"}', '[]'])('explain refuses %j', async (text) => {
  const { code, stderr } = await explained(text);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/must be JSON with method, url, headers and body/),
  ]);
});
