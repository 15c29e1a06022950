import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { alone, elsewhere, expired, type server as identity } from '../support/certificates.js';
import { connectProxy } from '../support/connect-proxy.js';
import { listen } from '../support/loopback.js';
import { root } from '../support/sources.js';

/** One fault each: the doctor names it, and finds nothing in a sound set-up. */

let sandbox: Sandbox;
let folder: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  folder = mkdtempSync(join(tmpdir(), 'auction-doctor-'));
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

type Variables = Readonly<Record<string, string>>;

async function examined(change: Variables = {}) {
  const { clientId, keyId, signingSecret, dealerId = '' } = sandbox.credentials.platform;
  const env = {
    VEHICLE_AUCTION_BASE_URL: sandbox.baseUrl,
    VEHICLE_AUCTION_ENVIRONMENT: 'sandbox',
    VEHICLE_AUCTION_CLIENT_ID: clientId,
    VEHICLE_AUCTION_KEY_ID: keyId,
    VEHICLE_AUCTION_SIGNING_SECRET: signingSecret,
    VEHICLE_AUCTION_PARTNER_TYPE: 'platform',
    VEHICLE_AUCTION_DEALER_ID: dealerId,
    ...change,
  };
  let [stdout, stderr] = ['', ''];
  const code = await run(['doctor', '--json'], {
    out: (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
    },
    env,
  });
  const checks = stdout
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line): { check: string; status: string; found: string; nextStep: string } => JSON.parse(line));
  expect(stdout + stderr).not.toContain(signingSecret.slice(0, 12));
  return { code, checks, stderr, failed: checks.filter(({ status }) => status === 'fail') };
}

/** A gateway before the sandbox, which may change what passes. */
async function gateway(
  change: (request: IncomingMessage, response: ServerResponse) => boolean,
  rewrite: (headers: IncomingMessage['headers']) => object = (headers) => headers,
) {
  const { port } = new URL(sandbox.baseUrl);
  return listen(
    createServer((incoming, response) => {
      if (change(incoming, response)) return;
      const { method, url, headers } = incoming;
      const forwarded = request(
        { host: '127.0.0.1', port, method, path: url, headers: { ...rewrite(headers) } },
        (reply) => {
          response.writeHead(reply.statusCode ?? 502, {
            ...reply.headers,
            ...(response.getHeaders() as object),
          });
          reply.pipe(response);
        },
      );
      incoming.pipe(forwarded);
    }),
  );
}

it('finds nothing in a sound set-up', async () => {
  const { code, checks, stderr } = await examined();
  expect([code, stderr]).toEqual([0, 'Nothing is wrong.\n']);
  expect(checks.filter(({ status }) => status !== 'pass' && status !== 'skip')).toEqual([]);
  expect(checks.map(({ check }) => check)).toEqual(
    expect.arrayContaining([
      'prefix',
      'connection',
      'signature',
      'caches',
      'quota',
      'environment',
      'scopes',
      'clock',
    ]),
  );
});

it('skips what shows with a command only, and sends no command', async () => {
  const before = sandbox.attempts().length;
  const { checks } = await examined();
  const found = 'only a command can show it';
  for (const check of ['Idempotency-Key', 'upload size'])
    expect(checks).toContainEqual({ check, status: 'skip', found, nextStep: '' });
  expect(
    sandbox
      .attempts()
      .slice(before)
      .map(({ method }) => method),
  ).not.toContain('POST');
});

describe('names the cause', () => {
  const secret = () => sandbox.credentials.platform.signingSecret;
  const certified = async (who: { readonly cert: string; readonly key: string }) => {
    const target = await listen(createTlsServer(who, (_, reply) => reply.end('{}')));
    return { ...target, url: `https://127.0.0.1:${target.port}/api/v1` };
  };

  it.each<[what: string, change: () => Variables, check: RegExp, found: RegExp]>([
    [
      'a wrong secret',
      () => ({ VEHICLE_AUCTION_SIGNING_SECRET: 'another-secret-of-the-same-length-0123456789' }),
      /INVALID_SIGNATURE/,
      /401/,
    ],
    [
      'a secret in quotes',
      () => ({ VEHICLE_AUCTION_SIGNING_SECRET: `"${secret()}"` }),
      /signingSecret/,
      /in quotes/,
    ],
    [
      'a secret with a newline',
      () => ({ VEHICLE_AUCTION_SIGNING_SECRET: `${secret()}\n` }),
      /signingSecret/,
      /white space/,
    ],
    ['a key in quotes', () => ({ VEHICLE_AUCTION_KEY_ID: `'key'` }), /keyId/, /in quotes/],
    ['an unknown client', () => ({ VEHICLE_AUCTION_CLIENT_ID: 'client_of_nobody' }), /CLIENT|KEY/, /401/],
    [
      'the prefix left out',
      () => ({ VEHICLE_AUCTION_BASE_URL: sandbox.baseUrl.replace('/api/v1', '') }),
      /prefix/,
      /^\/$/,
    ],
    [
      'the prefix doubled',
      () => ({ VEHICLE_AUCTION_BASE_URL: `${sandbox.baseUrl}/api/v1` }),
      /prefix/,
      /api\/v1\/api\/v1/,
    ],
    ['no URL', () => ({ VEHICLE_AUCTION_BASE_URL: 'bank.example' }), /address/, /bank\.example/],
    ['plain http', () => ({ VEHICLE_AUCTION_BASE_URL: 'http://bank.example/api/v1' }), /https/, /http:/],
    [
      'a host that does not exist',
      () => ({ VEHICLE_AUCTION_BASE_URL: 'https://no-such-host.invalid/api/v1' }),
      /name/,
      /ENOTFOUND|EAI_AGAIN/,
    ],
    [
      'a port that nobody listens on',
      () => ({ VEHICLE_AUCTION_BASE_URL: 'http://127.0.0.1:9/api/v1' }),
      /refused/,
      /connection/,
    ],
    [
      'https on an http port',
      () => ({ VEHICLE_AUCTION_BASE_URL: sandbox.baseUrl.replace('http', 'https') }),
      /certificate/,
      /wrong version|SSL|packet/i,
    ],
    [
      'the other environment',
      () => ({ VEHICLE_AUCTION_ENVIRONMENT: 'production' }),
      /settings|environment/,
      /^sandbox$/,
    ],
    [
      'another kind of partner',
      () => ({ VEHICLE_AUCTION_PARTNER_TYPE: 'direct_dealer' }),
      /partner_type/,
      /platform/,
    ],
    ['another dealer', () => ({ VEHICLE_AUCTION_DEALER_ID: 'D-999' }), /dealer_id/, /D-310/],
    [
      'the credentials of a partner for a bank',
      () => ({ VEHICLE_AUCTION_ACTOR: 'bank' }),
      /actor_type/,
      /partner/,
    ],
    [
      'a dead proxy',
      () => ({
        VEHICLE_AUCTION_BASE_URL: 'https://bank.test/api/v1',
        VEHICLE_AUCTION_PROXY: 'http://127.0.0.1:9',
      }),
      /proxy/,
      /proxy/i,
    ],
  ])('of %s', async (_, change, check, found) => {
    const { code, failed } = await examined(change());
    expect(failed).toContainEqual(
      expect.objectContaining({ check: expect.stringMatching(check), found: expect.stringMatching(found) }),
    );
    expect(failed.every(({ nextStep }) => nextStep !== '')).toBe(true);
    expect(code).toBe(4);
  });

  it.each<[what: string, who: typeof identity, found: RegExp]>([
    ['signs itself', alone, /self.signed|SELF_SIGNED/i],
    ['has expired', expired, /expired/i],
    ['is of another name', elsewhere, /altname|does not match|ALTNAME/i],
  ])('of a certificate that %s', async (_, who, found) => {
    await using target = await certified(who);
    const { failed } = await examined({
      VEHICLE_AUCTION_BASE_URL: target.url,
      VEHICLE_AUCTION_CA: join(root, 'test/support/certificates/authority.pem'),
    });
    expect(failed).toContainEqual(
      expect.objectContaining({ check: expect.stringMatching(/tls|certificate/) }),
    );
    expect(JSON.stringify(failed)).toMatch(found);
  });

  it.each<[answer: 403 | 407, found: RegExp]>([
    [403, /does not let this host through/],
    [407, /user name and a password/],
  ])('of a proxy that answers %i', async (answer, found) => {
    await using proxy = await connectProxy(9, { answer: () => answer });
    const change = {
      VEHICLE_AUCTION_BASE_URL: 'https://bank.test/api/v1',
      VEHICLE_AUCTION_PROXY: `http://${proxy.host}`,
    };
    const { failed } = await examined(change);
    expect(failed).toContainEqual(
      expect.objectContaining({ check: 'proxy', found: expect.stringMatching(found) }),
    );
  });

  it.each<[what: string, change: object, check: RegExp]>([
    ['an address that is not approved', { allowedIps: ['192.0.2.1'] }, /IP_NOT_ALLOWED/],
    ['a client that is not active', { active: false }, /CLIENT/],
    ['a key that was revoked', { keyRevoked: true }, /KEY|CLIENT|SIGNATURE/],
    ['a missing scope', { scopes: ['integration:read'] }, /scopes/],
    ['a partner that is not active', { partnerActive: false }, /PARTNER|scopes|signature/],
  ])('of %s', async (_, change, check) => {
    const { clientId } = sandbox.credentials.platform;
    const before = sandbox.partners.get(clientId);
    sandbox.partners.update(clientId, change);
    const { failed } = await examined();
    sandbox.partners.update(clientId, before);
    expect(failed).toContainEqual(expect.objectContaining({ check: expect.stringMatching(check) }));
  });

  it('of an address that is not approved, without the address if the service does not name it', async () => {
    const { clientId } = sandbox.credentials.platform;
    const before = sandbox.partners.get(clientId);
    sandbox.partners.update(clientId, { allowedIps: ['192.0.2.1'] });
    const { checks } = await examined();
    sandbox.partners.update(clientId, before);
    expect(checks).toContainEqual(expect.objectContaining({ check: 'egress address', status: 'skip' }));
  });

  it.each<[what: string, status: number, headers: Record<string, string>, body: string, found: RegExp]>([
    [
      'a gateway page',
      403,
      { 'content-type': 'text/html' },
      '<title>Blocked</title><h1>Request blocked</h1>',
      /Blocked/,
    ],
    ['a captive portal', 302, { location: 'https://portal.example/login' }, '', /redirect/i],
    ['maintenance', 503, { 'content-type': 'text/html' }, '<h1>Back soon</h1>', /503/],
    [
      'a page in place of JSON',
      200,
      { 'content-type': 'text/html' },
      '<title>Welcome</title>',
      /Welcome|not JSON/,
    ],
  ])('of %s', async (_, status, headers, body, found) => {
    await using target = await listen(
      createServer((__, reply) => reply.writeHead(status, headers).end(body)),
    );
    const { failed } = await examined({ VEHICLE_AUCTION_BASE_URL: `http://127.0.0.1:${target.port}/api/v1` });
    expect(failed).toEqual([
      expect.objectContaining({ check: 'service', found: expect.stringMatching(found) }),
    ]);
  });

  it.each<[what: string, status: number, check: string]>([
    ['a spent quota', 429, 'quota'],
    ['an address without the API', 404, 'address'],
  ])('of %s', async (_, status, check) => {
    await using target = await listen(
      createServer((__, reply) => reply.writeHead(status, { 'content-type': 'application/json' }).end('{}')),
    );
    const { failed } = await examined({ VEHICLE_AUCTION_BASE_URL: `http://127.0.0.1:${target.port}/api/v1` });
    expect(failed.map((each) => each.check)).toEqual([check]);
  });

  it.each([
    ['Source 203.0.113.9 is not approved.', '203.0.113.9'],
    ['Not approved: 2001:db8::7.', '2001:db8::7'],
  ])('of an address that is not approved, as the service sees it: %s', async (message, address) => {
    const body = JSON.stringify({
      success: false,
      code: 'IP_NOT_ALLOWED',
      message,
      errors: ['IP_NOT_ALLOWED'],
    });
    await using target = await listen(
      createServer((__, reply) => reply.writeHead(403, { 'content-type': 'application/json' }).end(body)),
    );
    const { failed } = await examined({ VEHICLE_AUCTION_BASE_URL: `http://127.0.0.1:${target.port}/api/v1` });
    const nextStep = `Ask the bank to approve ${address}.`;
    expect(failed).toContainEqual({ check: 'egress address', status: 'fail', found: address, nextStep });
  });

  it('of a prefix, and sends nothing then', async () => {
    const before = sandbox.attempts().length;
    const { failed } = await examined({ VEHICLE_AUCTION_BASE_URL: `${sandbox.baseUrl}/api/v1` });
    expect(failed.map(({ check }) => check)).toEqual(['prefix']);
    expect(sandbox.attempts()).toHaveLength(before);
  });

  it.each(['x-timestamp', 'x-nonce', 'x-client-id', 'x-key-id'])('of %s that is left out', async (name) => {
    await using target = await gateway(
      () => false,
      (headers) => Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name)),
    );
    const { failed } = await examined({ VEHICLE_AUCTION_BASE_URL: `http://127.0.0.1:${target.port}/api/v1` });
    const nextStep = expect.stringMatching(new RegExp(name, 'i'));
    expect(failed).toEqual([expect.objectContaining({ nextStep })]);
  });

  it.each<[what: string, rewrite: (headers: IncomingMessage['headers']) => object]>([
    ['is left out', ({ 'x-signature': _, ...headers }) => headers],
    ['is changed', (headers) => ({ ...headers, 'x-nonce': 'x'.repeat(20) })],
  ])('of a signed header that %s', async (_, rewrite) => {
    await using target = await gateway(() => false, rewrite);
    const { failed } = await examined({ VEHICLE_AUCTION_BASE_URL: `http://127.0.0.1:${target.port}/api/v1` });
    expect(failed).toContainEqual(
      expect.objectContaining({ check: expect.stringMatching(/SIGNATURE|signature/) }),
    );
  });

  it.each<[what: string, header: string, value: string, check: string]>([
    ['a cache', 'age', '240', 'caches'],
    ['others that use the quota', 'x-ratelimit-remaining', '10', 'quota'],
  ])('of %s, as a warning', async (_, header, value, check) => {
    await using target = await gateway((__, response) => {
      response.setHeader(header, value);
      if (header.startsWith('x-rate')) response.setHeader('x-ratelimit-limit', '120');
      return false;
    });
    const { checks, stderr } = await examined({
      VEHICLE_AUCTION_BASE_URL: `http://127.0.0.1:${target.port}/api/v1`,
    });
    expect(checks).toContainEqual(expect.objectContaining({ check, status: 'warn' }));
    expect(stderr).toMatch(/^Nothing fails\. Warnings: \d\.$/m);
  });

  it.each([
    ['minutes', 4 * 60_000, 'warn'],
    ['days', 3 * 86_400_000, 'fail'],
  ])('of a clock that is %s off', async (_, ms, status) => {
    const other = await startSandbox({ startAt: new Date(Date.now() + ms).toISOString() });
    const { clientId, keyId, signingSecret } = other.credentials.platform;
    const { checks } = await examined({
      VEHICLE_AUCTION_BASE_URL: other.baseUrl,
      VEHICLE_AUCTION_CLIENT_ID: clientId,
      VEHICLE_AUCTION_KEY_ID: keyId,
      VEHICLE_AUCTION_SIGNING_SECRET: signingSecret,
    });
    await other.close();
    expect(checks).toContainEqual(expect.objectContaining({ check: 'clock', status }));
  });
});
