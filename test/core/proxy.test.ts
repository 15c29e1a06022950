import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { UndiciTransportOptions } from '../../src/core/transport/agents.js';
import { resolveProxies } from '../../src/core/transport/proxy.js';
import type { Transport } from '../../src/core/transport/transport.js';
import { undiciTransport } from '../../src/core/transport/undici.js';
import { authority, elsewhere, server as identity } from '../support/certificates.js';
import { loggerOf, overSockets, rejection, thrownBy } from '../support/clients.js';
import { type Answer, connectProxy } from '../support/connect-proxy.js';
import { listen, silentServer } from '../support/loopback.js';
import { shownBy } from '../support/secrecy.js';
import { ToldTime } from '../support/told-time.js';
import { requestTo, textOfBody } from '../support/transport-request.js';
import { settle } from '../support/virtual-clock.js';

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
  const server = createTlsServer(identity, async (req, res) => {
    signatures.push(req.headers['x-signature']);
    bodies.push(await text(req));
    res.end('{"through":true}');
  });
  const heard = await listen(server);
  return { ...heard, server, bodies, signatures };
}

const SERVICE = 'https://bank.test';

async function read(sending: ReturnType<Transport['send']>): Promise<string> {
  const body = await textOfBody((await sending).body);
  // A connection is free again a turn of the loop later.
  await settle();
  return body;
}

function expectNoSecret(value: unknown): void {
  const shown = shownBy(value);
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
    expect(Buffer.concat(tunnel?.sent ?? []).toString('latin1')).not.toMatch(/a-signature|api\/v1/);
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
    const message = expect.stringContaining('ECONNREFUSED');
    expect(failure).toMatchObject({ sent: 'no', cause: { message, cause: { code: 'ECONNREFUSED' } } });
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
    const cause = { code: 'ERR_TLS_CERT_ALTNAME_INVALID' };
    expect(await rejection(send(requestTo(SERVICE)))).toMatchObject({ sent: 'no', cause });
    expect(target.requests).toEqual([]);
  });

  it('does not keep close() waiting', async () => {
    await using proxy = await connectProxy(1, { answer: () => 'wait' });
    const silent = await silentServer();
    const waiting = transport({ proxy: `http://${proxy.host}` });
    const handshaking = transport({ proxy: `https://127.0.0.1:${silent.port}` });
    const { abort, request } = aborting();
    const failed = [waiting, handshaking].map(({ send }) => rejection(send(requestTo(SERVICE, request))));
    const { gone } = await silent.held();
    while (proxy.tunnels.length === 0) await settle();
    abort.abort(new Error('enough'));
    await Promise.all(failed);
    await Promise.all([waiting.close(), handshaking.close()]);
    await gone;
    await proxy.tunnels[0]?.closed;
    await silent.close();
  });
});

describe('proxies from the environment', () => {
  const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];
  const names = variables.flatMap((name) => [name, name.toLowerCase()]);
  beforeEach(() => {
    for (const name of names) vi.stubEnv(name, undefined);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const A = 'http://a.example';
  const B = 'http://b.example';

  it.each<[variables: Record<string, string>, url: string, proxy: string | undefined]>([
    [{ HTTPS_PROXY: A, HTTP_PROXY: B }, SERVICE, A],
    [{ HTTPS_PROXY: A, HTTP_PROXY: B }, 'http://localhost:8080', B],
    [{ https_proxy: A, HTTPS_PROXY: B }, SERVICE, A],
    [{ HTTP_PROXY: A }, SERVICE, A],
    [{ http_proxy: A, HTTPS_PROXY: '' }, SERVICE, A],
    [{ HTTPS_PROXY: 'a.example' }, SERVICE, A],
    [{ HTTPS_PROXY: A, NO_PROXY: 'example.com, my-bank.test bank.test:8443' }, SERVICE, A],
    [{ ALL_PROXY: A }, SERVICE, A],
    [{ all_proxy: A, NO_PROXY: 'bank.test' }, SERVICE, undefined],
    [{ HTTPS_PROXY: A, ALL_PROXY: 'socks5://127.0.0.1:1080' }, SERVICE, A],
    [{ HTTPS_PROXY: A, NO_PROXY: '10.0.0.0/8' }, 'https://10.200.3.4', undefined],
    [{ HTTPS_PROXY: A, NO_PROXY: '192.168.0.0/16, 10.1.0.0/16' }, 'https://10.2.3.4', A],
    [{ HTTPS_PROXY: A, NO_PROXY: 'fd00::/8' }, 'https://[fd12::1]', undefined],
    [{ HTTPS_PROXY: A, NO_PROXY: 'fd00::/8 10.0.0.0/33 10.0.0.0/ /8 bank/8' }, SERVICE, A],
    [{ HTTPS_PROXY: A, NO_PROXY: '[0:0:0:0:0:0:0:1]:443' }, 'https://[::1]', undefined],
    [{ HTTPS_PROXY: A, NO_PROXY: '0:0:0:0:0:0:0:2' }, 'https://[::1]', A],
    [{ HTTPS_PROXY: A, NO_PROXY: 'bank.test.' }, 'https://api.bank.test', undefined],
    [{ HTTPS_PROXY: A, NO_PROXY: 'bank.test' }, 'https://bank.test.', undefined],
    [{ HTTPS_PROXY: A, no_proxy: '127.0.0.1' }, 'https://127.0.0.1', undefined],
    [{ HTTPS_PROXY: A, no_proxy: '*' }, 'https://127.0.0.1', undefined],
    [{ HTTPS_PROXY: A, no_proxy: 'example.com,127.0.0.1:7' }, 'https://127.0.0.1:7', undefined],
    [{ HTTPS_PROXY: A, no_proxy: '.0.0.1' }, 'https://127.0.0.1', undefined],
    [{ HTTPS_PROXY: A, no_proxy: '*.0.0.1' }, 'https://127.0.0.1', undefined],
    [{ HTTPS_PROXY: A, no_proxy: 'Bank.Example:8443' }, 'https://bank.example:8443', undefined],
    [{ HTTPS_PROXY: A, no_proxy: 'bank.example:8443' }, 'https://a.bank.example:8443', undefined],
    [{ HTTPS_PROXY: A, no_proxy: 'bank.example:8443' }, 'https://notbank.example:8443', A],
    [{ HTTPS_PROXY: A, no_proxy: 'bank.example:8443' }, 'https://bank.example', A],
    [{ HTTPS_PROXY: A, no_proxy: 'x ::1,[fe80::1]:443' }, 'https://[::1]:7', undefined],
    [{ HTTPS_PROXY: A, no_proxy: 'x ::1,[fe80::1]:443' }, 'https://[fe80::1]', undefined],
    [{ HTTPS_PROXY: A, no_proxy: 'x ::1,[fe80::1]:443' }, 'https://[fe80::1]:7', A],
  ])('%j lead %s to %s', (variables, url, expected) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    const { protocol, hostname, port } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, '');
    expect(resolveProxies('env')?.proxyFor({ protocol, hostname: host, port })?.origin).toBe(expected);
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
    expect(make).toThrow(/^proxy is read from https_proxy, which must be/);
    expectNoSecret(thrownBy(make));
  });
});

describe('the option proxy', () => {
  it.each([
    ['socks5', `socks5://${USERINFO}@proxy.example:1080`],
    ['no scheme', `${USERINFO}@proxy.example:3128`],
    ['white space', ` http://${USERINFO}@proxy.example`],
    ['a path', `http://${USERINFO}@proxy.example/here`],
    ['a query', `http://${USERINFO}@proxy.example?x`],
    ['a fragment', `http://${USERINFO}@proxy.example#x`],
    ['no host', `http://${USERINFO}@`],
    ['a bad port', `http://${USERINFO}@proxy.example:99999`],
    ['a bad escape', `http://${USERINFO}%zz@proxy.example`],
    ['nothing', ''],
    ['an object', { url: `http://${USERINFO}@proxy.example` }],
    ['null', null],
  ])('is refused with %s, and nothing of it shows', (_, proxy) => {
    const error = thrownBy(() => undiciTransport({ proxy } as { proxy: string }));
    expect(error).toMatchObject({ name: 'ConfigurationError', option: 'proxy', outcome: 'not_sent' });
    expectNoSecret(error);
  });
});

describe('who shares connections', () => {
  it('is who goes by the same proxy as the same user', async () => {
    await using target = await service();
    await using proxy = await connectProxy(target.port);
    await using other = await connectProxy(target.port);
    const { host } = proxy;
    for (const at of [host, `${host}/`, `a:b@${host}`, `a:%62@${host}`, `a:c@${host}`, other.host]) {
      await read(transport({ proxy: `http://${at}` }).send(requestTo(SERVICE)));
    }
    expect(proxy.tunnels).toHaveLength(3);
    expect(other.tunnels).toHaveLength(1);
  });
});

it('A client whose proxy fails shows no password in its error or its log', async () => {
  await using proxy = await connectProxy(1, { answer: () => 407 });
  const lines: unknown[] = [];
  const log = (...line: unknown[]) => lines.push(line);
  await using auction = overSockets(`${SERVICE}/api/v1`, {
    transport: new ToldTime(transport({ proxy: `http://${USERINFO}@${proxy.host}` })),
    logLevel: 'debug',
    logger: loggerOf(log),
  });
  const error = await rejection(auction.bids.submit('lot_1', { amount: '1' }, { maxAttempts: 1 }));
  const message = expect.stringContaining('HTTP 407');
  expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent', message });
  expectNoSecret(error);
  expectNoSecret(lines);
  expect(lines.length).toBeGreaterThan(0);
});
