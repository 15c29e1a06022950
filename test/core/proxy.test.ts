import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PartnerClient } from '../../src/client/partner-client.js';
import type { UndiciTransportOptions } from '../../src/core/transport/agents.js';
import { resolveProxies } from '../../src/core/transport/proxy.js';
import type { Transport } from '../../src/core/transport/transport.js';
import { undiciTransport } from '../../src/core/transport/undici.js';
import { ConfigurationError } from '../../src/errors/local.js';
import { authority, elsewhere, server as identity } from '../support/certificates.js';
import { credentials, rejection } from '../support/clients.js';
import { type Answer, connectProxy } from '../support/connect-proxy.js';
import { listen } from '../support/loopback.js';
import { ToldTime } from '../support/told-time.js';
import { requestTo, textOfBody } from '../support/transport-request.js';
import { settle, VirtualClock } from '../support/virtual-clock.js';

/** A user name and a password as they stand in a URL, and every form in which they could show. */
const USERINFO = 'agent%2F7:pa%40ss%3Aw%C3%B6rd';
const BASIC = Buffer.from('agent/7:pa@ss:wörd').toString('base64');
const FORMS = [USERINFO, 'pa%40ss', 'pa@ss', 'agent/7', 'agent%2F7', BASIC, BASIC.slice(4, -4)];

const opened: Transport[] = [];
function transport(options: UndiciTransportOptions): Transport {
  const made = undiciTransport({ tls: { ca: authority }, ...options });
  opened.push(made);
  return made;
}
afterEach(async () => {
  for (const made of opened.splice(0)) await made.close();
});

/** The service, over TLS; `bank.test` resolves nowhere, so only the proxy leads there. */
async function service() {
  const bodies: string[] = [];
  const signatures: unknown[] = [];
  const server = createTlsServer(identity, (req, res) => {
    const chunks: Buffer[] = [];
    signatures.push(req.headers['x-signature']);
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString());
      res.end('{"through":true}');
    });
  });
  const heard = await listen(server);
  return { ...heard, server, bodies, signatures };
}

const SERVICE = 'https://bank.test';

async function read(sending: ReturnType<Transport['send']>): Promise<string> {
  const text = await textOfBody((await sending).body);
  // A connection is free again a turn of the loop later.
  await settle();
  return text;
}

function expectNoSecret(value: unknown): void {
  const shown = [
    inspect(value, { showHidden: true, depth: 20, getters: true, maxStringLength: null }),
    value instanceof Error ? value.stack : '',
    JSON.stringify(value),
  ].join('\n');
  for (const form of FORMS) expect(shown).not.toContain(form);
}

describe('through a proxy', () => {
  it('goes by a tunnel, over one connection, and the proxy learns host and port only', async () => {
    await using target = await service();
    await using proxy = await connectProxy(target.port);
    const { send } = transport({ proxy: `http://${proxy.host}` });
    expect(await read(send(requestTo(SERVICE, { body: Buffer.from('{"a":1}') })))).toBe('{"through":true}');
    expect(await read(send(requestTo(SERVICE)))).toBe('{"through":true}');
    expect(target.requests).toEqual(['POST /api/v1/x?a=1', 'GET /api/v1/x?a=1']);
    expect(target.bodies).toEqual(['{"a":1}', '']);
    expect(target.signatures).toEqual(['a-signature', 'a-signature']);
    expect(proxy.requests).toEqual([]);
    expect(proxy.tunnels).toHaveLength(1);
    const [tunnel] = proxy.tunnels;
    expect(tunnel).toMatchObject({ target: 'bank.test:443' });
    expect(Object.keys(tunnel?.headers ?? {}).sort()).toEqual(['connection', 'host', 'proxy-connection']);
    expect(tunnel?.headers['host']).toBe('bank.test:443');
    const passed = Buffer.concat(tunnel?.sent ?? []).toString('latin1');
    expect(passed).not.toContain('a-signature');
    expect(passed).not.toContain('/api/v1');
  });

  it('shows the proxy its password, and the service never', async () => {
    await using target = await service();
    await using proxy = await connectProxy(target.port);
    await read(transport({ proxy: `http://${USERINFO}@${proxy.host}` }).send(requestTo(SERVICE)));
    await read(transport({ proxy: `http://only-a-token@${proxy.host}` }).send(requestTo(SERVICE)));
    expect(proxy.tunnels.map(({ headers }) => headers['proxy-authorization'])).toEqual([
      `Basic ${BASIC}`,
      `Basic ${Buffer.from('only-a-token:').toString('base64')}`,
    ]);
    expect(proxy.connections.count).toBe(2);
  });

  it('tunnels plain http as well: a proxy never gets a signed request to pass on', async () => {
    await using target = await listen(createServer((req, res) => res.end(req.url)));
    await using proxy = await connectProxy(target.port);
    const { send } = transport({ proxy: `http://${proxy.host}` });
    expect(await read(send(requestTo(`http://localhost:${target.port}`)))).toBe('/api/v1/x?a=1');
    expect(proxy.requests).toEqual([]);
    expect(proxy.tunnels.map((tunnel) => tunnel.target)).toEqual([`localhost:${target.port}`]);
  });

  it('trusts the extra certificates for an https proxy too', async () => {
    await using target = await service();
    await using proxy = await connectProxy(target.port, { identity });
    for (const url of [`https://${proxy.host}`, `https://${proxy.host.replace('127.0.0.1', 'localhost')}`]) {
      expect(await read(transport({ proxy: url }).send(requestTo(SERVICE)))).toBe('{"through":true}');
    }
    expect(proxy.tunnels).toHaveLength(2);
    expect(
      await rejection(transport({ proxy: `https://${proxy.host}`, tls: undefined }).send(requestTo(SERVICE))),
    ).toMatchObject({
      sent: 'no',
      cause: { message: expect.stringContaining('The proxy could not be used') },
    });
    expect(proxy.tunnels).toHaveLength(2);
  });

  it("asks an https proxy for the proxy's certificate, and the service for its own", async () => {
    await using target = await listen(createTlsServer(elsewhere, (_, res) => res.end('{"through":true}')));
    await using proxy = await connectProxy(target.port, { identity });
    const { send } = transport({ proxy: `https://${proxy.host.replace('127.0.0.1', 'localhost')}` });
    expect(await read(send(requestTo('https://elsewhere.test')))).toBe('{"through":true}');
  });
});

describe('what did not leave through a proxy', () => {
  const aborting = () => {
    const abort = new AbortController();
    return { abort, request: { body: Buffer.from('{"a":1}'), signal: abort.signal } };
  };

  it.each<[string, Answer, RegExp]>([
    ['wants a password', 407, /HTTP 407: it wants a user name and a password/],
    ['forbids the host', 403, /HTTP 403: it does not let this host through/],
    ['finds no way', 502, /HTTP 502/],
    ['redirects', 302, /HTTP 302/],
    ['hangs up', 'hang up', /could not be used/],
  ])('is known where the proxy %s', async (_, answer, message) => {
    await using target = await service();
    await using proxy = await connectProxy(target.port, { answer: () => answer });
    const { send } = transport({ proxy: `http://${USERINFO}@${proxy.host}` });
    const failure = await rejection(send(requestTo(SERVICE, { body: Buffer.from('{"a":1}') })));
    expect(failure).toMatchObject({ sent: 'no', cause: { message: expect.stringMatching(message) } });
    expectNoSecret(failure);
    await settle();
    // Asked once: undici must not connect again by itself.
    expect(proxy.tunnels).toHaveLength(1);
    expect(Buffer.concat(proxy.tunnels[0]?.sent ?? [])).toHaveLength(0);
    expect(target.connections.count).toBe(0);
  });

  it('is known where the proxy is not there', async () => {
    const gone = await connectProxy(1);
    await gone[Symbol.asyncDispose]();
    const { send } = transport({ proxy: `http://${USERINFO}@${gone.host}` });
    const failure = await rejection(send(requestTo(SERVICE)));
    expect(failure).toMatchObject({
      sent: 'no',
      cause: { message: expect.stringContaining('ECONNREFUSED'), cause: { code: 'ECONNREFUSED' } },
    });
    expectNoSecret(failure);
    const nowhere = transport({ proxy: `http://${USERINFO}@no-such-proxy.invalid:3128` });
    const unresolved = await rejection(nowhere.send(requestTo(SERVICE)));
    expect(unresolved).toMatchObject({ sent: 'no', cause: { cause: { syscall: 'getaddrinfo' } } });
    expectNoSecret(unresolved);
  });

  it('is known where the proxy says nothing until the abort, and nothing leaves when it speaks at last', async () => {
    await using target = await service();
    await using proxy = await connectProxy(target.port, { answer: () => 'wait' });
    const { send } = transport({ proxy: `http://${proxy.host}` });
    const { abort, request } = aborting();
    const failed = rejection(send(requestTo(SERVICE, request)));
    while (proxy.tunnels.length === 0) await settle();
    const reason = new Error('enough');
    abort.abort(reason);
    expect(await failed).toMatchObject({ sent: 'no', cause: reason });
    const ended = new Promise((resolve) =>
      target.server.once('connection', (socket) => socket.once('close', resolve)),
    );
    proxy.tunnels[0]?.open();
    await ended;
    await settle();
    expect(target.connections.count).toBe(1);
    expect(target.requests).toEqual([]);
  });

  it('is known where the service behind the proxy shows the certificate of another host', async () => {
    await using target = await listen(createTlsServer(elsewhere, (_, res) => res.end('{}')));
    await using proxy = await connectProxy(target.port);
    const { send } = transport({ proxy: `http://${proxy.host}` });
    expect(await rejection(send(requestTo(SERVICE)))).toMatchObject({
      sent: 'no',
      cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    });
    expect(target.requests).toEqual([]);
  });

  it('is doubtful where the tunnel breaks after the request has left', async () => {
    await using target = await listen(createTlsServer(identity, (req) => req.socket.destroy()));
    await using proxy = await connectProxy(target.port);
    const { send } = transport({ proxy: `http://${proxy.host}` });
    expect(await rejection(send(requestTo(SERVICE)))).toMatchObject({ sent: 'maybe' });
    expect(target.requests).toHaveLength(1);
  });

  it('does not keep close() waiting', async () => {
    await using proxy = await connectProxy(1, { answer: () => 'wait' });
    const silent = createTcpServer(() => undefined);
    const arrived = new Promise<Socket>((resolve) => silent.once('connection', resolve));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const waiting = transport({ proxy: `http://${proxy.host}` });
    const handshaking = transport({ proxy: `https://127.0.0.1:${port}` });
    const { abort, request } = aborting();
    const failed = [waiting, handshaking].map(({ send }) => rejection(send(requestTo(SERVICE, request))));
    const socket = await arrived;
    const gone = new Promise((resolve) =>
      socket
        .on('error', () => undefined)
        .once('close', resolve)
        .resume(),
    );
    while (proxy.tunnels.length === 0) await settle();
    abort.abort(new Error('enough'));
    await Promise.all(failed);
    await Promise.all([waiting.close(), handshaking.close()]);
    await gone;
    await proxy.tunnels[0]?.closed;
    await new Promise((resolve) => silent.close(resolve));
  });
});

describe('proxies from the environment', () => {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];
  beforeEach(() => {
    for (const name of names) vi.stubEnv(name, undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const A = 'http://a.example';
  const B = 'http://b.example';
  /** Where a request for this URL goes. */
  const leadsTo = (variables: Record<string, string>, url = SERVICE) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    const { protocol, hostname, port } = new URL(url);
    return resolveProxies('env')?.proxyFor({ protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port })
      ?.origin;
  };

  it.each<[Record<string, string>, string]>([
    [{ HTTPS_PROXY: A, HTTP_PROXY: B }, A],
    [{ https_proxy: A, HTTPS_PROXY: B }, A],
    [{ HTTP_PROXY: A }, A],
    [{ http_proxy: A, HTTPS_PROXY: '' }, A],
    [{ HTTPS_PROXY: 'a.example' }, A],
    [{ HTTPS_PROXY: A, NO_PROXY: 'example.com, my-bank.test bank.test:8443' }, A],
  ])('%j lead https to %s', (variables, expected) => {
    expect(leadsTo(variables)).toBe(expected);
  });

  it('lead plain http to the proxy for http', () => {
    expect(leadsTo({ HTTPS_PROXY: A, HTTP_PROXY: B }, 'http://localhost:8080')).toBe(B);
  });

  it.each<[string, string, boolean]>([
    ['127.0.0.1', 'https://127.0.0.1', true],
    ['*', 'https://127.0.0.1', true],
    ['example.com,127.0.0.1:7', 'https://127.0.0.1:7', true],
    ['.0.0.1', 'https://127.0.0.1', true],
    ['*.0.0.1', 'https://127.0.0.1', true],
    ['Bank.Example:8443', 'https://bank.example:8443', true],
    ['bank.example:8443', 'https://a.bank.example:8443', true],
    ['bank.example:8443', 'https://notbank.example:8443', false],
    ['bank.example:8443', 'https://bank.example', false],
    ['x ::1,[fe80::1]:443', 'https://[::1]:7', true],
    ['x ::1,[fe80::1]:443', 'https://[fe80::1]', true],
    ['x ::1,[fe80::1]:443', 'https://[fe80::1]:7', false],
  ])('NO_PROXY=%s for %s: straight is %s', (exceptions, url, isStraight) => {
    const found = leadsTo({ HTTPS_PROXY: A, no_proxy: exceptions }, url);
    expect(found).toBe(isStraight ? undefined : A);
  });

  it('are read when the transport is made', async () => {
    await using target = await service();
    await using proxy = await connectProxy(target.port);
    vi.stubEnv('HTTPS_PROXY', `http://${proxy.host}`);
    const { send } = transport({ proxy: 'env' });
    vi.stubEnv('HTTPS_PROXY', undefined);
    expect(await read(send(requestTo(SERVICE)))).toBe('{"through":true}');
    expect(proxy.tunnels).toHaveLength(1);
  });

  it('go straight where the environment names none, sharing what goes straight anyway', async () => {
    await using target = await service();
    vi.stubEnv('NO_PROXY', 'example.com');
    for (const options of [{ proxy: 'env' }, {}]) {
      await read(transport(options).send(requestTo(`https://127.0.0.1:${target.port}`)));
    }
    expect(target.connections.count).toBe(1);
  });

  it('are refused where they are no http proxies, by the name of the variable', () => {
    vi.stubEnv('https_proxy', `socks5://${USERINFO}@127.0.0.1:1080`);
    const make = () => undiciTransport({ proxy: 'env' });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(/^proxy is read from https_proxy, which must be/);
    expectNoSecret(thrownBy(make));
  });
});

describe('the option proxy', () => {
  it.each([
    ['socks5', `socks5://${USERINFO}@proxy.example:1080`],
    ['another scheme', `ftp://${USERINFO}@proxy.example`],
    ['no scheme', `${USERINFO}@proxy.example:3128`],
    ['white space', ` http://${USERINFO}@proxy.example`],
    ['a path', `http://${USERINFO}@proxy.example/here`],
    ['a query', `http://${USERINFO}@proxy.example?x`],
    ['a fragment', `http://${USERINFO}@proxy.example#x`],
    ['no host', `http://${USERINFO}@`],
    ['a bad port', `http://${USERINFO}@proxy.example:99999`],
    ['a bad escape', `http://${USERINFO}%zz@proxy.example`],
    ['nothing', ''],
    ['upper-case env', 'ENV'],
    ['an object', { url: `http://${USERINFO}@proxy.example` }],
    ['null', null],
  ])('is refused with %s, and nothing of it shows', (_, proxy) => {
    const error = thrownBy(() => undiciTransport({ proxy } as { proxy: string }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ option: 'proxy', outcome: 'not_sent' });
    expectNoSecret(error);
  });
});

describe('who shares connections', () => {
  it('is who goes by the same proxy as the same user', async () => {
    await using target = await service();
    await using proxy = await connectProxy(target.port);
    await using other = await connectProxy(target.port);
    for (const url of [
      `http://${proxy.host}`,
      `http://${proxy.host}/`,
      `http://a:b@${proxy.host}`,
      `http://a:%62@${proxy.host}`,
      `http://a:c@${proxy.host}`,
      `http://${other.host}`,
    ]) {
      await read(transport({ proxy: url }).send(requestTo(SERVICE)));
    }
    expect(proxy.tunnels).toHaveLength(3);
    expect(other.tunnels).toHaveLength(1);
  });
});

describe('a client whose proxy fails', () => {
  it('shows no password in its error or its log', async () => {
    await using proxy = await connectProxy(1, { answer: () => 407 });
    const lines: unknown[] = [];
    const log = (...line: unknown[]) => lines.push(line);
    const clock = new VirtualClock();
    const auction = new PartnerClient({
      environment: 'sandbox',
      baseUrl: `${SERVICE}/api/v1`,
      credentials,
      partnerType: 'direct_dealer',
      dealerId: 'D-204',
      clock,
      logLevel: 'debug',
      logger: { error: log, warn: log, info: log, debug: log },
      transport: new ToldTime(transport({ proxy: `http://${USERINFO}@${proxy.host}` }), clock),
    });
    const failed = rejection(auction.bids.submit('lot_1', { amount: '1' }, { maxAttempts: 1 }));
    const error = await failed;
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent' });
    expect(error).toMatchObject({ message: expect.stringContaining('HTTP 407') });
    expectNoSecret(error);
    expectNoSecret(lines);
    expect(lines.length).toBeGreaterThan(0);
    await auction.close();
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('Expected it to throw');
}
