import { X509Certificate } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { createServer as createSocketServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { canonicalRequest } from '../../src/signing/signer.js';
import * as certificates from '../support/certificates.js';
import { credentials, dealer, event, overSockets, rejection } from '../support/clients.js';
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
