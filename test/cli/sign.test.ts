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
