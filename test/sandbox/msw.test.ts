import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type HttpHandler, HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { PartnerClient } from '../../src/client/partner-client.js';
import { fileContent } from '../../src/core/request/file-body.js';
import { fetchTransport } from '../../src/core/transport/fetch.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.js';
import { got, lotOf, onManualClock, type Sent, sha256, signed } from './caller.js';
import { wonLot } from './workflow.js';

let sandbox: Sandbox;
let server: ReturnType<typeof setupServer>;
beforeEach(async () => {
  sandbox = await onManualClock({ listen: false });
  server = setupServer(...sandbox.handlers());
  server.listen({ onUnhandledRequest: 'error' });
});
afterEach(async () => {
  server.close();
  await sandbox.close();
});

const events = '/api/v1/events';
/** Signs by hand, and sends by the global fetch, which msw has replaced. */
async function response(sent: Sent, to = sandbox) {
  const { method, target, headers, body } = signed(to, to.credentials.dealer, sent);
  const init = { method, headers, ...(body.length > 0 && { body: new Uint8Array(body) }) };
  return fetch(to.baseUrl.replace(/\/api\/v1$/, '') + target, init);
}
const fetched = async (sent: Sent, to = sandbox) => got(await response(sent, to));

describe('a sandbox without a server', () => {
  it.each<[SandboxOptions, string]>([
    [{ listen: false }, 'https://sandbox.vehicle-auction.test/api/v1'],
    [{ listen: false, requireTls: true }, 'https://sandbox.vehicle-auction.test/api/v1'],
    [
      { listen: false, origin: 'https://bank.example:8443', prefix: '/index.php' },
      'https://bank.example:8443/index.php/api/v1',
    ],
  ])('with %o is at %s', async (options, baseUrl) => {
    await using other = await onManualClock(options);
    server.use(...other.handlers());
    expect(other.baseUrl).toBe(baseUrl);
    const { status, json } = await fetched({ path: events }, other);
    expect([status, json.data.length]).toEqual([200, 4]);
    const vehicle = await fetched({ path: `/api/v1/vehicles/${lotOf(other, 'live-open').id}` }, other);
    expect(vehicle.json.data.images[0].startsWith(`${baseUrl}/events/`)).toBe(true);
  });

  it.each<[SandboxOptions, string]>([
    [{ listen: false, port: 4010 }, 'port'],
    [{ listen: false, host: '::1' }, 'host'],
    [{ origin: 'https://bank.example/' }, 'options.origin'],
    [{ origin: 'ftp://bank.example' }, 'options.origin'],
    [{ origin: 'bank.example' }, 'options.origin'],
    [{ listen: 'no' as never }, 'options.listen'],
  ])('is not started with %j: %s is named', async (options, named) => {
    const refusal = startSandbox(options);
    await expect(refusal).rejects.toThrow(RangeError);
    await expect(refusal).rejects.toThrow(named);
  });
});

describe('handlers for msw', () => {
  it('pass query, headers and body on as they were sent', async () => {
    const listed = await fetched({ path: events, query: 'page=1&per_page=2&status=all' });
    expect([listed.status, listed.json.data.length]).toEqual([200, 2]);
    const text = `{ "lot_ids" : ["${lotOf(sandbox, 'live-open').id}", "lot_\\u00e9"] }`;
    const { json } = await fetched({ path: '/api/v1/lots/status-batch', body: text });
    expect(json.data.map(({ status }: { status: number }) => status)).toEqual([200, 404]);
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'])('answer %s', async (method) => {
    const { status } = await fetched({ method, path: '/api/v1/no-such-thing' });
    expect(status).toBe(method === 'PUT' || method === 'PATCH' ? 405 : 404);
    expect(sandbox.attempts()).toMatchObject([{ method }]);
  });

  it('answer the base URL and what is below it, hostile paths too, and nothing else', async () => {
    for (const rest of ['', '/', '/%E0%A4%A', '/a%2fb', '?x=1']) {
      expect((await fetch(sandbox.baseUrl + rest)).status, rest).toBe(rest.startsWith('/') ? 401 : 404);
    }
    expect(sandbox.attempts()).toHaveLength(5);
    const others = http.all('https://*', () => new HttpResponse('somebody else'));
    server.resetHandlers(...sandbox.handlers<HttpHandler>(), others);
    for (const other of ['sandbox.vehicle-auction.test/api/v10', 'sandboxxvehicle-auction.test/api/v1']) {
      expect(await (await fetch(`https://${other}`)).text()).toBe('somebody else');
    }
    expect(sandbox.attempts()).toHaveLength(5);
  });

  it('make a cut connection a network error and no 500, and a truncated reply break off', async () => {
    sandbox.inject({ fault: 'drop_before_commit' });
    await expect(fetched({ path: events })).rejects.toThrow(TypeError);
    sandbox.inject({ fault: 'truncate', bytes: 10 });
    const truncated = await response({ path: events });
    expect(truncated.status).toBe(200);
    await expect(truncated.text()).rejects.toThrow();
  });

  it('also stand before a sandbox that listens', async () => {
    await using listening = await onManualClock();
    server.use(...listening.handlers());
    expect((await fetched({ path: events }, listening)).status).toBe(200);
  });
});

describe('a process', { timeout: 600_000 }, () => {
  const module = JSON.stringify(fileURLToPath(new URL('../../src/sandbox/index.ts', import.meta.url)));
  /** What a program prints that has ended by itself. */
  const ran = (program: string): string => {
    const whole = `const { startSandbox } = await import(${module});${program}`;
    const args = ['--import', 'tsx', '--input-type=module', '-e', whole];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`it ended with ${status}: ${stderr}`);
    return stdout;
  };

  it('is kept alive by no sandbox without a server, and msw is loaded when handlers are asked for', () => {
    const stdout = ran(`
      const { createRequire } = await import('node:module');
      const { cache } = createRequire(${module});
      const loaded = () => Object.keys(cache).some((path) => /node_modules.msw./.test(path));
      for (const clock of ['real', 'manual']) {
        const sandbox = await startSandbox({ listen: false, clock });
        const before = loaded();
        sandbox.handlers();
        console.log(sandbox.auctions.get('live-open').status, before, loaded());
      }`);
    expect(stdout).toBe('live false true\nlive true true\n');
  });

  it('without msw is told to install it', () => {
    const stdout = ran(`
      const { default: Module } = await import('node:module');
      const load = Module._load;
      Module._load = (name, ...rest) => {
        if (name === 'msw') throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
        return load(name, ...rest);
      };
      const sandbox = await startSandbox({ listen: false });
      try { sandbox.handlers(); } catch (error) { console.log(error.message, error.cause.code); }`);
    expect(stdout).toMatch(/npm install --save-dev msw@2\. MODULE_NOT_FOUND\n$/);
  });
});

it('the SDK uploads evidence through msw, from memory and from a file', async () => {
  const auction = new PartnerClient({
    ...{ environment: 'sandbox', partnerType: 'direct_dealer', dealerId: 'D-204', logLevel: 'off' },
    ...{ baseUrl: sandbox.baseUrl, credentials: sandbox.credentials.dealer, clock: sandbox.clock },
    // msw sees the global fetch, and not what the undici package sends by itself.
    transport: fetchTransport(globalThis.fetch),
  });
  onTestFinished(() => auction.close());
  const { saleId: sale_id } = await wonLot(sandbox);
  const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(300_000, 7)]);
  const folder = mkdtempSync(join(tmpdir(), 'slip-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'slip.pdf');
  writeFileSync(path, bytes);
  for (const content_base64 of [bytes.toString('base64'), fileContent(path)]) {
    const slip = { sale_id, purpose: 'payment_evidence', filename: 'slip.pdf', content_base64 } as const;
    const data = { bytes: 300_009, digest: sha256(bytes), mime: 'application/pdf' };
    expect(await auction.documents.upload(slip)).toMatchObject({ state: 'awaiting_scan', data });
  }
});
