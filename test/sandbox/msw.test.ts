import { spawnSync } from 'node:child_process';
import https from 'node:https';
import { fileURLToPath } from 'node:url';
import { type HttpHandler, HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { got, lotOf, type Sent, signed } from './caller.js';

const start = fileURLToPath(new URL('../../src/sandbox/index.ts', import.meta.url));

/** What a program prints that has ended by itself. */
function ran(program: string): string {
  const args = ['--import', 'tsx', '--input-type=module', '-e', program];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: 100_000,
  });
  if (status !== 0) throw new Error(`it ended with ${status}: ${stderr}`);
  return stdout;
}

let sandbox: Sandbox;
let server: ReturnType<typeof setupServer>;

beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', listen: false });
  server = setupServer(...sandbox.handlers());
  server.listen({ onUnhandledRequest: 'error' });
});

afterEach(async () => {
  server.close();
  await sandbox.close();
});

/** Signs by hand, and sends by the global fetch, which msw has replaced. */
async function fetched(sent: Sent, to = sandbox) {
  const { method, target, headers, body } = signed(to, to.credentials.dealer, sent);
  const init = { method, headers, ...(body.length > 0 && { body: new Uint8Array(body) }) };
  return got(await fetch(to.baseUrl.replace(/\/api\/v1$/, '') + target, init));
}

describe('without a server', { timeout: 120_000 }, () => {
  it('is known by a made-up address, and nothing listens', () => {
    expect(sandbox.baseUrl).toBe('https://sandbox.vehicle-auction.test/api/v1');
  });

  it('takes another address, with a prefix', async () => {
    const other = await startSandbox({
      clock: 'manual',
      listen: false,
      origin: 'https://bank.example:8443',
      prefix: '/index.php',
    });
    server.use(...other.handlers());
    expect(other.baseUrl).toBe('https://bank.example:8443/index.php/api/v1');
    const { method, headers } = signed(other, other.credentials.dealer, { path: '/api/v1/events' });
    const { status, json } = await got(await fetch(`${other.baseUrl}/events`, { method, headers }));
    expect([status, json.data.length]).toEqual([200, 4]);
    const [lot] = other.auctions.get('live-open').lots;
    const path = `/api/v1/vehicles/${lot?.id}`;
    const read = signed(other, other.credentials.dealer, { path });
    const vehicle = await got(await fetch(`${other.baseUrl}/vehicles/${lot?.id}`, { headers: read.headers }));
    expect(vehicle.json.data.images[0]).toMatch(
      /^https:\/\/bank\.example:8443\/index\.php\/api\/v1\/events\//,
    );
    await other.close();
  });

  it.each([
    [{ listen: false, port: 4010 }, 'port and host are of the server that "listen: false" leaves out'],
    [{ listen: false, host: '::1' }, 'port and host are of the server that "listen: false" leaves out'],
    [
      { origin: 'https://bank.example/' },
      'options.origin must be like "https://sandbox.example:8443", without a path',
    ],
    [
      { origin: 'ftp://bank.example' },
      'options.origin must be like "https://sandbox.example:8443", without a path',
    ],
    [
      { origin: 'bank.example' },
      'options.origin must be like "https://sandbox.example:8443", without a path',
    ],
    [{ listen: 'no' as never }, 'options.listen must be true or false'],
  ])('refuses %j', async (options, message) => {
    await expect(startSandbox(options)).rejects.toThrow(new RangeError(message));
  });

  it('counts as TLS where its address does', async () => {
    const strict = await startSandbox({ clock: 'manual', listen: false, requireTls: true });
    server.use(...strict.handlers());
    expect((await fetched({ path: '/api/v1/events' }, strict)).status).toBe(200);
    await strict.close();
  });

  it('keeps no process alive, on either clock', () => {
    const stdout = ran(`
      const { startSandbox } = await import(${JSON.stringify(start)});
      for (const clock of ['real', 'manual']) {
        const sandbox = await startSandbox({ listen: false, clock });
        console.log(sandbox.auctions.get('live-open').status);
      }`);
    expect(stdout).toBe('live\nlive\n');
  });
});

describe('handlers for msw', () => {
  it('pass query, headers and body on as they were sent', async () => {
    const listed = await fetched({ path: '/api/v1/events', query: 'page=1&per_page=2&status=all' });
    expect([listed.status, listed.json.data.length]).toEqual([200, 2]);
    const text = `{ "lot_ids" : ["${lotOf(sandbox, 'live-open').id}", "lot_\\u00e9"] }`;
    const batch = await fetched({ path: '/api/v1/lots/status-batch', body: text });
    expect([batch.status, batch.json.data.map((item: { status: number }) => item.status)]).toEqual([
      200,
      [200, 404],
    ]);
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])('answer %s', async (method) => {
    const { status } = await fetched({ method, path: '/api/v1/no-such-thing' });
    expect(status).toBe(method === 'PUT' || method === 'PATCH' ? 405 : 404);
    expect(sandbox.attempts().map((attempt) => attempt.method)).toEqual([method]);
  });

  it('answer the base URL and what is below it, hostile paths too, and nothing else', async () => {
    for (const rest of ['', '/', '/%E0%A4%A', '/a%2fb', '?x=1']) {
      expect((await fetch(sandbox.baseUrl + rest)).status, rest).toBe(rest.startsWith('/') ? 401 : 404);
    }
    expect(sandbox.attempts()).toHaveLength(5);
    server.resetHandlers(
      ...sandbox.handlers<HttpHandler>(),
      http.all('https://*', () => new HttpResponse('somebody else')),
    );
    for (const other of [
      'https://sandbox.vehicle-auction.test/api/v10',
      'https://sandboxxvehicle-auction.test/api/v1',
    ]) {
      expect(await (await fetch(other)).text()).toBe('somebody else');
    }
    expect(sandbox.attempts()).toHaveLength(5);
  });

  it('make a cut connection a network error, and not a 500', async () => {
    const lot = lotOf(sandbox, 'live-open');
    const key = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';
    const bid: Sent = {
      path: `/api/v1/lots/${lot.id}/bids`,
      body: { dealer_id: 'D-204', amount: lot.startingPrice, idempotency_key: key },
      headers: { 'Idempotency-Key': key },
    };
    sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit' });
    await expect(fetched(bid)).rejects.toThrow(TypeError);
    const again = await fetched(bid);
    expect([again.status, again.json.data.replayed]).toEqual([200, true]);
    expect(sandbox.ledger()).toHaveLength(1);
  });

  it('make a truncated reply break off', async () => {
    sandbox.inject({ fault: 'truncate', bytes: 10 });
    const { method, headers } = signed(sandbox, sandbox.credentials.dealer, { path: '/api/v1/events' });
    const response = await fetch(`${sandbox.baseUrl}/events`, { method, headers });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  it("stand in for Node's own client too, and a cut connection is its error", async () => {
    const status = () =>
      new Promise((resolve, reject) => {
        const { headers } = signed(sandbox, sandbox.credentials.dealer, { path: '/api/v1/events' });
        const options = { headers: Object.fromEntries(headers) };
        const request = https.request(`${sandbox.baseUrl}/events`, options, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        request.on('error', reject);
        request.end();
      });
    expect(await status()).toBe(200);
    sandbox.inject({ fault: 'drop_before_commit' });
    await expect(status()).rejects.toThrow();
    expect(sandbox.attempts().map((attempt) => attempt.status)).toEqual([200, 'dropped']);
  });

  it('also stand before a sandbox that listens', async () => {
    const listening = await startSandbox({ clock: 'manual' });
    server.use(...listening.handlers());
    expect((await fetched({ path: '/api/v1/events' }, listening)).status).toBe(200);
    await listening.close();
  });

  it('have the type of what takes them', () => {
    const handlers: HttpHandler[] = sandbox.handlers();
    expect(handlers).toHaveLength(1);
    const [named] = sandbox.handlers<HttpHandler>();
    expect(named?.info.method).toBeInstanceOf(RegExp);
  });
});

describe('msw itself', { timeout: 120_000 }, () => {
  it('is loaded when handlers are asked for, and not before', () => {
    const stdout = ran(`
      const { createRequire } = await import('node:module');
      const { startSandbox } = await import(${JSON.stringify(start)});
      const { cache } = createRequire(${JSON.stringify(start)});
      const loaded = () => Object.keys(cache).some((path) => /node_modules.msw./.test(path));
      const sandbox = await startSandbox({ listen: false });
      const before = loaded();
      sandbox.handlers();
      console.log(before, loaded());`);
    expect(stdout).toBe('false true\n');
  });

  it('is named where it is missing', () => {
    const stdout = ran(`
      const { default: Module } = await import('node:module');
      const load = Module._load;
      Module._load = (name, ...rest) => {
        if (name === 'msw') throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
        return load(name, ...rest);
      };
      const { startSandbox } = await import(${JSON.stringify(start)});
      const sandbox = await startSandbox({ listen: false });
      try { sandbox.handlers(); } catch (error) { console.log(error.message, error.cause.code); }`);
    expect(stdout).toBe(
      'handlers() is for msw, an optional peer dependency that is not there: npm install --save-dev msw@2 MODULE_NOT_FOUND\n',
    );
  });
});
