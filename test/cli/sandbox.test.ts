import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../support/loopback.js';
import { Running } from './command.js';

/** Signs a request by hand with what is in the environment, and prints the status and the code of the answer. */
const signsByHand = `
  import { createHash, createHmac, randomUUID } from 'node:crypto';
  const { VEHICLE_AUCTION_BASE_URL: base, VEHICLE_AUCTION_CLIENT_ID: client, VEHICLE_AUCTION_KEY_ID: key,
    VEHICLE_AUCTION_SIGNING_SECRET: secret, VEHICLE_AUCTION_DEALER_ID: dealer } = process.env;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = randomUUID();
  const digest = createHash('sha256').update('').digest('hex');
  const text = ['GET', '/api/v1/events', '', timestamp, nonce, digest].join('\\n');
  const signature = createHmac('sha256', secret).update(text).digest('hex');
  const response = await fetch(base + '/events', { headers: {
    Accept: 'application/json', 'X-Client-ID': client, 'X-Key-ID': key, 'X-Timestamp': timestamp, 'X-Nonce': nonce,
    'X-Content-SHA256': digest, 'X-Signature': signature } });
  const { code, total } = await response.json();
  console.log(response.status, code ?? total, dealer);`;

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vehicle-auction-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const address = /listens at (\S+)\n/;

/** The command on a free port, once it says how it is stopped. */
async function started(...flags: readonly string[]): Promise<Running> {
  const running = new Running(['sandbox', '--port', '0', ...flags]);
  await running.said(/Ctrl-C to stop/);
  return running;
}

describe('vehicle-auction-sdk sandbox', () => {
  it('tells address and credentials, as a table and as env lines that a shell takes, and ends well on Ctrl-C', async () => {
    await using running = await started();
    const [, baseUrl = ''] = await running.said(address);
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
    expect(running.stdout).toContain(`The inspector is at ${baseUrl.replace('/api/v1', '/')}\n`);
    expect(running.stdout).toMatch(/│ bank {8}│ client_sbx_bank /);
    const lines = running.stdout.split('\n').filter((line) => line.startsWith('VEHICLE_AUCTION_'));
    expect(lines).toEqual([
      `VEHICLE_AUCTION_BASE_URL=${baseUrl}`,
      'VEHICLE_AUCTION_CLIENT_ID=client_sbx_dealer',
      'VEHICLE_AUCTION_KEY_ID=key_sbx_dealer_1',
      'VEHICLE_AUCTION_SIGNING_SECRET=sandbox-only-secret-of-the-dealer-0123456789',
      'VEHICLE_AUCTION_DEALER_ID=D-204',
      'VEHICLE_AUCTION_ENVIRONMENT=sandbox',
      'VEHICLE_AUCTION_ACTOR=partner',
      'VEHICLE_AUCTION_PARTNER_TYPE=direct_dealer',
    ]);
    const program = `${lines.map((line) => `export ${line}`).join('\n')}\nexec "$0" --input-type=module -e "$1"`;
    const told = execFileSync('sh', ['-c', program, process.execPath, signsByHand], { encoding: 'utf8' });
    expect(told).toBe('200 4 D-204\n');
    await running.said(/GET \/api\/v1\/events events\.list 200 client_sbx_dealer/);
    running.signal('SIGINT');
    expect([await running.ended, running.stderr]).toEqual([0, '']);
  });

  it('says why a signature is refused, and never the secret', async () => {
    await using running = await started();
    const [, baseUrl = ''] = await running.said(address);
    const env = {
      ...process.env,
      VEHICLE_AUCTION_BASE_URL: baseUrl,
      VEHICLE_AUCTION_CLIENT_ID: 'client_sbx_dealer',
      VEHICLE_AUCTION_KEY_ID: 'key_sbx_dealer_1',
      VEHICLE_AUCTION_SIGNING_SECRET: 'sandbox-only-secret-of-the-dealer-0123456789\n',
    };
    const before = running.stdout.length;
    const program = ['--input-type=module', '-e', signsByHand];
    const told = spawnSync(process.execPath, program, { encoding: 'utf8', env });
    expect(told.stdout).toContain('401 INVALID_SIGNATURE');
    await running.said(/canonical request:[\s\S]*\| GET/);
    expect(running.stdout.slice(before)).not.toContain('sandbox-only-secret');
  });

  it('goes on when its input ends, with nobody to type', async () => {
    await using running = await started('--quiet');
    running.type('advance 1h');
    running.endInput();
    await running.said(/it is /);
    const [, baseUrl = ''] = await running.said(address);
    expect((await fetch(`${baseUrl}/events`)).status).toBe(401);
    running.signal('SIGTERM');
    expect(await running.ended).toBe(0);
    expect(running.stdout).not.toContain('GET /api/v1/events');
  });

  it('prints one line for scripts, and all else where errors go', async () => {
    const flags = ['--json', '--as', 'bank', '--prefix', '/index.php', '--no-inspector'];
    await using running = new Running(['sandbox', '--port', '0', ...flags]);
    const [line] = await running.said(/.*\n/);
    const { baseUrl, inspector, credentials, env } = JSON.parse(line);
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/index\.php\/api\/v1$/);
    expect(inspector).toBeNull();
    expect(Object.keys(credentials)).toEqual(
      expect.arrayContaining(['dealer', 'platform', 'aggregator', 'rival', 'bank', 'otherBank']),
    );
    expect(env).toEqual({
      VEHICLE_AUCTION_BASE_URL: baseUrl,
      VEHICLE_AUCTION_CLIENT_ID: 'client_sbx_bank',
      VEHICLE_AUCTION_KEY_ID: 'key_sbx_bank_1',
      VEHICLE_AUCTION_SIGNING_SECRET: 'sandbox-only-secret-of-the-bank-0123456789',
      VEHICLE_AUCTION_ENVIRONMENT: 'sandbox',
      VEHICLE_AUCTION_ACTOR: 'bank',
    });
    running.type('auctions');
    await running.said(/live-open/, 'stderr');
    running.type('stop');
    expect(await running.ended).toBe(0);
    expect(running.stdout).toBe(line);
  });

  it('writes the env lines to a file of its own, and overwrites no other', async () => {
    const folder = scratch();
    const path = join(folder, '.env.sandbox');
    const seed = join(folder, 'seed.json');
    const secret = `it's "a" $secret`.replaceAll(' ', '_');
    const changes = { like: 'small', credentials: { dealer: { signingSecret: secret } } };
    writeFileSync(seed, `\uFEFF${JSON.stringify(changes)}`);
    for (let time = 0; time < 2; time += 1) {
      await using _running = await started('--seed', seed, '--write-env', path);
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const script = '. "$0"; printf %s "$VEHICLE_AUCTION_SIGNING_SECRET"';
    expect(execFileSync('sh', ['-c', script, path], { encoding: 'utf8' })).toBe(secret);

    const theirs = join(folder, '.env');
    writeFileSync(theirs, 'PASSWORD=theirs\n');
    await using refused = new Running(['sandbox', '--port', '0', '--write-env', theirs]);
    expect(await refused.ended).toBe(2);
    expect(refused.stderr).toContain(`${theirs} exists and was not written by a sandbox`);
    expect(readFileSync(theirs, 'utf8')).toBe('PASSWORD=theirs\n');
  });

  it('says so when its port is taken', async () => {
    await using taken = await listen(createServer());
    const port = String(taken.port);
    await using running = new Running(['sandbox', '--port', port]);
    expect([await running.ended, running.stdout]).toEqual([1, '']);
    expect(running.stderr).toContain(`Port ${port} is already in use`);
  });

  it('starts as it is told', async () => {
    const flags =
      `--clock manual --start-at 2026-03-02T09:00:00+05:30 --rate-limit off --scan 2m --environment uat
      --allow-ip 127.0.0.1 --allow-ip 10.0.0.0/8 --seed 7 --quiet --variant bank-unavailable-status=403
      --variant key-retention=a-day --max-body-bytes 1000 --keep-attempts 5 --private-webhooks
      --origin https://b.example --deployment laravel --deployment ids=text`.split(/\s+/);
    await using running = new Running(['sandbox', '--port', '0', ...flags]);
    await running.said(/listens at https:\/\/b\.example\/api\/v1\n/);
    expect(running.stdout).toMatch(/Replies are written as money=mixed, .*, ids=text, lists=by-index,/);
    running.type('advance 90s');
    await running.said(/it is 2026-03-02T03:31:30\.000Z/);
    expect(running.stdout).not.toContain('The inspector is at');
  });
});
