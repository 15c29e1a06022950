import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { createServer as createSocketServer, type Server, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { Agent, interceptors, Pool, ProxyAgent, RetryAgent } from 'undici';
import * as older from 'undici6';
import { describe, expect, it, vi } from 'vitest';
import { canonicalRequest } from '../../src/signing/signer.js';
import * as certificates from '../support/certificates.js';
import { credentials, dealer, event, overSockets, rejection } from '../support/clients.js';
import { connectProxy } from '../support/connect-proxy.js';
import { listen } from '../support/loopback.js';

const { alone, authority, elsewhere, expired, server: identity, stranger } = certificates;
const eventText = JSON.stringify('json' in event ? event.json : {});
const clientOf = (port: number, over: object) => overSockets(`https://127.0.0.1:${port}/api/v1`, over);

describe('tls', () => {
  it('A client certificate is shown to a service that asks for one', async () => {
    const options = { ...identity, ca: authority, requestCert: true, rejectUnauthorized: false };
    let shown: unknown;
    await using target = await listen(
      createServer(options, ({ socket }, reply) => {
        shown = Reflect.apply(Reflect.get(socket, 'getPeerX509Certificate'), socket, []);
        reply.end(eventText);
      }),
    );
    const tls = { ca: authority, cert: identity.cert, key: identity.key };
    await using client = clientOf(target.port, { tls });
    expect(await client.events.get('auc_1')).toMatchObject({ id: 'auc_1' });
    expect(shown).toMatchObject({ fingerprint256: new X509Certificate(identity.cert).fingerprint256 });
  });

  it.each([
    ['an untrusted authority', createServer(identity), stranger, /CERT|VERIFY/, 'tls.ca'],
    ['a certificate that signs itself', createServer(alone), stranger, /SELF_SIGNED/, 'tls.ca'],
    ['an expired certificate', createServer(expired), expired.cert, /CERT_HAS_EXPIRED/, 'clock'],
    ['a certificate for another name', createServer(elsewhere), authority, /ALTNAME_INVALID/, 'another one'],
    ['a plain http port', createHttpServer(), authority, /^ERR_SSL_|^EPROTO/, 'https port'],
  ])(
    '%s is an error of its own: nothing is sent or retried, and the host is named',
    async (_, server, ca, code, step) => {
      await using target = await listen(server);
      await using client = clientOf(target.port, { tls: { ca } });
      const failure = { name: 'ConnectionError', reason: 'tls', attempts: 1, outcome: 'not_sent' };
      const host = expect.stringContaining(`No secure connection to https://127.0.0.1:${target.port}`);
      const nextStep = expect.stringContaining(step);
      const read = await rejection(client.events.get('auc_1'));
      const cause = { code: expect.stringMatching(code) };
      expect(read).toMatchObject({ ...failure, cause, message: host, nextStep });
      expect(target.connections.count).toBe(1);
      const acknowledgement = { status: 'read', external_reference: 'x' };
      const write = await rejection(client.notifications.acknowledge('n_1', acknowledgement));
      const unsent = { name: 'NotSentError', reason: 'no_server_time', outcome: 'not_sent' };
      expect(write).toMatchObject({ ...unsent, cause: failure, message: host, nextStep });
      expect(target.connections.count).toBe(2);
      expect(target.requests).toEqual([]);
    },
  );

  it.each<[string, (socket: Socket) => unknown]>([
    ['closed', (socket) => socket.end()],
    ['closed after the greeting', (socket) => socket.once('data', () => socket.end())],
    ['reset after the greeting', (socket) => socket.once('data', () => socket.resetAndDestroy())],
  ])('A handshake that is %s is a failure of TLS: nothing is sent, and it is tried again', async (_, cut) => {
    await using target = await listen(createSocketServer(cut));
    const randomness = { fraction: () => 0 };
    await using client = clientOf(target.port, { maxAttempts: 2, randomness });
    expect(await rejection(client.events.get('auc_1'))).toMatchObject({
      name: 'ConnectionError',
      reason: 'tls',
      attempts: 2,
      outcome: 'not_sent',
      cause: { code: 'ECONNRESET' },
      nextStep: expect.stringContaining('https port'),
    });
    expect(target.connections.count).toBe(2);
  });

  const { key } = identity;
  const locked = createPrivateKey(key)
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'swordfish' })
    .toString();
  const own = { cert: identity.cert, key: locked, passphrase: 'swordfish' };
  const file = { pfx: certificates.aloneFile, passphrase: 'swordfish' };

  it.each<[what: string, own: object, cert: string]>([
    ['with an encrypted key', own, identity.cert],
    ['in a PKCS#12 file', file, alone.cert],
    ['in a PKCS#12 file, as bytes of another kind', { ...file, pfx: new Uint8Array(file.pfx) }, alone.cert],
  ])('A client certificate %s is shown as well', async (_, given, cert) => {
    const options = { ...identity, requestCert: true, rejectUnauthorized: false };
    let shown: unknown;
    await using target = await listen(
      createServer(options, ({ socket }, reply) => {
        shown = Reflect.apply(Reflect.get(socket, 'getPeerX509Certificate'), socket, []);
        reply.end(eventText);
      }),
    );
    await using client = clientOf(target.port, { tls: { ca: authority, ...given } });
    await client.events.get('auc_1');
    expect(shown).toMatchObject({ fingerprint256: new X509Certificate(cert).fingerprint256 });
    expect(inspect(client, { depth: 9 })).not.toContain('swordfish');
  });

  it.each([
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
    'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED',
    'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
    'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
  ])('A service that refuses the client certificate is named as the cause: %s', async (code) => {
    const cause = Object.assign(new Error('alert'), { code });
    const { client } = dealer([{ fail: 'no', cause }], { maxAttempts: 1 });
    const error = await rejection(client.events.get('auc_1'));
    expect(error).toMatchObject({ reason: 'tls', nextStep: expect.stringContaining('tls.pfx') });
  });

  const pair = { cert: identity.cert, key };
  it.each<[what: string, tls: object, option: string, problem: RegExp]>([
    ['a key of another certificate', { ...pair, key: elsewhere.key }, 'tls.key', /the key of tls.cert/],
    ['an encrypted key alone', { ...own, passphrase: undefined }, 'tls.key', /encrypted.*tls.passphrase/],
    ['a wrong passphrase', { ...own, passphrase: 'guess' }, 'tls.passphrase', /does not decrypt/],
    ['a passphrase alone', { passphrase: 'swordfish' }, 'tls.passphrase', /together with/],
    ['an empty passphrase', { ...own, passphrase: '' }, 'tls.passphrase', /not empty/],
    ['an expired certificate', { cert: expired.cert, key: expired.key }, 'tls.cert', /expired on .* 2021/],
    ['a path to a PKCS#12 file', { pfx: 'client.p12' }, 'tls.pfx', /bytes of the file/],
    ['bytes that are no PKCS#12 file', { pfx: Buffer.from(alone.cert) }, 'tls.pfx', /PKCS#12/],
    ['a PKCS#12 file without its passphrase', { pfx: file.pfx }, 'tls.pfx', /tls.passphrase/],
    ['a PKCS#12 file with a wrong one', { ...file, passphrase: 'guess' }, 'tls.passphrase', /does not open/],
    ['a PKCS#12 file of old', { ...file, pfx: certificates.oldFile }, 'tls.pfx', /convert it/],
    ['a PKCS#12 file and a certificate', { ...file, cert: alone.cert }, 'tls.cert', /must not be given/],
  ])('%s is refused when the client is made, and nothing secret shows', (_, tls, option, problem) => {
    const make = () => clientOf(1, { tls });
    expect(make).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', option, outcome: 'not_sent' }),
    );
    expect(make).toThrow(problem);
    expect(make).not.toThrow(/swordfish|MIIE|guess/);
  });

  it('A certificate of the future is refused', () => {
    vi.useFakeTimers({ now: Date.UTC(2019, 0), toFake: ['Date'] });
    try {
      expect(() => clientOf(1, { tls: pair })).toThrow(/tls.cert is valid from .* 2020/);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    [{ cert: identity.cert }, 'tls.key'],
    [{ key: identity.key }, 'tls.cert'],
    [{ cert: 'client.pem', key: identity.key }, 'tls.cert'],
    [{ cert: identity.cert, key: '-----BEGIN PRIVATE KEY-----\nMIIE' }, 'tls.key'],
  ])('Settings that cannot work are refused, and no key shows: %#', (tls, option) => {
    const make = () => clientOf(1, { tls });
    expect(make).toThrow(expect.objectContaining({ name: 'ConfigurationError', option, reason: 'invalid' }));
    expect(make).not.toThrow(/MIIE/);
  });
});

it('Requests go through a dispatcher of the caller, which stays open', async () => {
  await using target = await listen(createServer(identity, (_, reply) => reply.end(eventText)));
  const dispatcher = new Agent({ connect: { ca: authority } });
  const client = clientOf(target.port, { dispatcher });
  await client.events.get('auc_1');
  await client.close();
  expect(dispatcher.closed).toBe(false);
  await dispatcher.close();
  expect(() => clientOf(target.port, { dispatcher, proxy: 'http://proxy.example' })).toThrow(/proxy/);
});

describe('the dispatcher of another undici', () => {
  it.each([
    ['Agent', () => new older.Agent()],
    ['Pool', () => new older.Pool('http://127.0.0.1:9')],
    ['ProxyAgent', () => new older.ProxyAgent('http://127.0.0.1:9')],
    ['RetryAgent', () => new older.RetryAgent(new older.Agent())],
  ])('is refused when the client is made: %s of undici 6', (_, make) => {
    const dispatcher = make();
    expect(() => clientOf(1, { dispatcher })).toThrow(
      expect.objectContaining({ option: 'dispatcher', message: expect.stringContaining('undici 7') }),
    );
  });

  it.each([
    ['Agent', () => new Agent()],
    ['Pool', () => new Pool('http://127.0.0.1:9')],
    ['ProxyAgent', () => new ProxyAgent('http://127.0.0.1:9')],
    ['RetryAgent', () => new RetryAgent(new Agent())],
    ['an Agent with interceptors', () => new Agent().compose(interceptors.retry())],
    ['one of your own', () => ({ dispatch: () => true })],
  ])('is accepted from undici 7 on, and is asked for nothing: %s', async (_, make) => {
    const dispatcher = make();
    await clientOf(1, { dispatcher }).close();
  });
});

describe('localAddress', () => {
  async function seenBy(server: Server, use: (port: number) => Promise<unknown>) {
    const seen: unknown[] = [];
    server.on('connection', ({ remoteAddress }: Socket) => seen.push(remoteAddress));
    await using target = await listen(server);
    await use(target.port);
    return seen;
  }
  const localAddress = '127.0.0.9';

  it('is where connections to the service come from, also with tls', async () => {
    const seen = await seenBy(
      createServer(identity, (_, reply) => reply.end(eventText)),
      async (port) => {
        await using client = clientOf(port, { localAddress, tls: { ca: authority } });
        await client.events.get('auc_1');
      },
    );
    expect(seen).toEqual([localAddress]);
  });

  it('is where connections to the proxy come from', async () => {
    await using target = await listen(createServer(identity, (_, reply) => reply.end(eventText)));
    await using proxy = await connectProxy(target.port);
    const options = { localAddress, tls: { ca: authority }, proxy: `http://${proxy.host}` };
    await using client = clientOf(target.port, options);
    await client.events.get('auc_1');
    expect(proxy.tunnels).toMatchObject([{ from: localAddress }]);
  });

  it('that this machine does not have is named', async () => {
    await using target = await listen(createServer(identity, (_, reply) => reply.end(eventText)));
    await using client = clientOf(target.port, { localAddress: '192.0.2.1', maxAttempts: 1 });
    const error = await rejection(client.events.get('auc_1'));
    expect(error).toMatchObject({ outcome: 'not_sent', nextStep: expect.stringContaining('localAddress') });
  });

  it.each(['eth0', '300.0.0.1', 5])('is not %j', (wrong) => {
    expect(() => clientOf(1, { localAddress: wrong })).toThrow(/localAddress must be an IP address.*, not/);
  });

  it('is not given together with what would ignore it', () => {
    expect(() => clientOf(1, { localAddress, dispatcher: new Agent() })).toThrow(/together with dispatcher/);
    expect(() => dealer([], { localAddress })).toThrow(/together with transport/);
  });
});

it('Headers of the options are added to every request', async () => {
  const { client, transport } = dealer([event], { headers: { 'X-Gateway-Key': 'k1' } });
  await client.events.get('auc_1');
  const both = { 'x-gateway-key': 'k1', 'X-Client-ID': credentials.clientId };
  expect(transport.sent[0]?.headers).toMatchObject(both);
});

describe('credentials that sign elsewhere', () => {
  const { clientId, keyId } = credentials;

  it('sign the canonical request, once per attempt', async () => {
    const signed: string[] = [];
    const sign = async (canonical: string) => {
      signed.push(canonical);
      return 'ab'.repeat(32);
    };
    const { client, transport } = dealer([event], { credentials: { clientId, keyId, sign } });
    await client.events.get('auc_1');
    const headers = transport.sent[0]?.headers ?? {};
    expect(headers).toMatchObject({ 'X-Signature': 'ab'.repeat(32), 'X-Key-ID': keyId });
    expect(signed).toEqual([
      canonicalRequest({
        method: 'GET',
        path: '/api/v1/events/auc_1',
        timestamp: headers['X-Timestamp'] ?? '',
        nonce: headers['X-Nonce'] ?? '',
        bodySha256: headers['X-Content-SHA256'] ?? '',
      }),
    ]);
  });

  const sealed = () => {
    throw new Error('sealed');
  };
  it.each([
    ['fails', async () => sealed()],
    ['throws', sealed],
    ['returns something else', () => 'not hex'],
  ])('send nothing where signing %s', async (_, sign) => {
    const { client, transport } = dealer([], { credentials: { clientId, keyId, sign } });
    const failure = { name: 'ConfigurationError', option: 'credentials.sign', reason: 'failed' };
    expect(await rejection(client.events.get('auc_1'))).toMatchObject({ ...failure, outcome: 'not_sent' });
    expect(transport.sent).toEqual([]);
  });

  it('end with the deadline of the call where signing hangs', async () => {
    const sign = () => new Promise<string>(() => undefined);
    const { client, transport, clock } = dealer([], { credentials: { clientId, keyId, sign } });
    const failed = rejection(client.events.get('auc_1', { deadline: 400 }));
    await clock.advance(400);
    expect(await failed).toMatchObject({ name: 'TimeoutError', reason: 'deadline', outcome: 'not_sent' });
    expect(transport.sent).toEqual([]);
  });

  it('are refused together with a secret, and show nothing but ids', () => {
    const sign = () => 'ab'.repeat(32);
    expect(() => dealer([], { credentials: { ...credentials, sign } })).toThrow(/not both/);
    expect(inspect(dealer([], { credentials: { clientId, keyId, sign } }).client)).toContain(clientId);
  });
});
