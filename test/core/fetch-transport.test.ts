import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchTransport } from '../../src/core/transport/fetch.js';
import { TransportFailure, type TransportReply } from '../../src/core/transport/transport.js';
import { elsewhere, server as identity } from '../support/certificates.js';
import { rejection } from '../support/clients.js';
import { deferred, type Loopback, listen } from '../support/loopback.js';
import { readerOf, requestTo, textOfBody } from '../support/transport-request.js';
import { settle } from '../support/virtual-clock.js';

const originOf = ({ port }: Loopback) => `http://127.0.0.1:${port}`;

/** Rejections that nobody handles fail a test. */
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(async () => {
  await settle();
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

const enough = new Error('enough');
const late = { sent: 'maybe', cause: enough };

// What methods send over fetch is in test/wire.
describe("over Node's fetch", () => {
  const transport = fetchTransport(globalThis.fetch, { retriesNothing: true });

  it('gives every cookie of a reply', async () => {
    const cookies = ['a=1, b', 'c=2'];
    await using server = await listen(
      createServer((_, res) => res.writeHead(200, { 'Set-Cookie': cookies }).end('{"data":1}')),
    );
    const reply = await transport.send(requestTo(originOf(server)));
    expect(reply).toMatchObject({ status: 200, headers: { 'set-cookie': cookies } });
    expect(await textOfBody(reply.body)).toBe('{"data":1}');
    reply.discard();
  });

  it('posts the very bytes, in memory or read, with their length', async () => {
    const bodies: Buffer[] = [];
    const lengths: unknown[] = [];
    await using server = await listen(
      createServer(async (req, res) => {
        lengths.push(req.headers['content-length'], req.headers['transfer-encoding']);
        bodies.push(await buffer(req));
        res.writeHead(204).end();
      }),
    );
    const body = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));
    async function* pieces() {
      for (let at = 0; at < body.length; at += 7_001) yield body.subarray(at, at + 7_001);
    }
    for (const request of [{ body }, { body: pieces(), bodyLength: body.length }]) {
      const reply = await transport.send(requestTo(originOf(server), request));
      expect(reply.status).toBe(204);
      expect(await textOfBody(reply.body)).toBe('');
    }
    expect(bodies.map((received) => received.equals(body))).toEqual([true, true]);
    expect(lengths).toEqual(['300000', undefined, '300000', undefined]);
  });

  it('knows what never left: a refused connection, a name that does not resolve, a strange certificate', async () => {
    const probe = await listen(createServer());
    await probe[Symbol.asyncDispose]();
    await using untrusted = await listen(createTlsServer(identity));
    await using misnamed = await listen(createTlsServer(elsewhere));
    const secure = [untrusted, misnamed].map(({ port }) => `https://127.0.0.1:${port}`);
    const plain = [originOf(probe), `http://localhost:${probe.port}`, 'https://no-such-host.invalid'];
    for (const origin of [...plain, ...secure]) {
      const failure = await rejection(transport.send(requestTo(origin, { body: Buffer.from('{}') })));
      expect(failure, origin).toMatchObject({ sent: 'no', cause: { message: 'fetch failed' } });
    }
    expect([...untrusted.requests, ...misnamed.requests]).toEqual([]);
  });
});

/** A transport on a fetch that does what is given, and what that fetch was called with. */
function over(fetch: (url: string, init: RequestInit) => unknown, retriesNothing = true) {
  const calls: { url: string; init: RequestInit }[] = [];
  const transport = fetchTransport(
    ((url: string, init: RequestInit) => {
      calls.push({ url, init });
      return fetch(url, init);
    }) as typeof globalThis.fetch,
    { retriesNothing },
  );
  const send = (request: Parameters<typeof requestTo>[1] = {}): Promise<TransportReply> =>
    transport.send(requestTo('https://bank.example', request));
  return { send, calls };
}

const failing = (error: unknown) => over(() => Promise.reject(error));
const answering = () => over(async () => new Response('{}'));

/** A body that tells how often it was cancelled. */
function watchedBody() {
  const watch = { cancelled: 0 };
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from('x')),
    cancel: () => {
      watch.cancelled += 1;
    },
  });
  return { watch, stream };
}

function trap(): never {
  throw new Error('trap');
}

function lockedResponse(): Response {
  const response = new Response('x');
  response.body?.getReader();
  return response;
}

const coded = (code: unknown, more: object = {}) => Object.assign(new Error(String(code)), { code, ...more });
const several = (...errors: readonly Error[]) => new AggregateError(errors);
const circular = new Error('round');
circular.cause = circular;

describe('over other fetches', () => {
  it('counts a failed call as sent, unless it is told that the fetch tries once', async () => {
    const refused = coded('ECONNREFUSED');
    const untold = over(() => Promise.reject(refused), false);
    expect(await rejection(untold.send())).toMatchObject({ sent: 'maybe' });
    expect(await rejection(failing(refused).send())).toMatchObject({ sent: 'no' });
  });

  it('asks for no redirects, no cache and no credentials, and passes the signal', async () => {
    const { send, calls } = answering();
    const { signal } = new AbortController();
    const body = Buffer.from('{}');
    await send({ signal, body });
    const headers = { 'X-Signature': 'a-signature', 'X-Client-ID': 'cl_7f3a' };
    const settings = { redirect: 'manual', cache: 'no-store', credentials: 'omit', signal };
    const init = { method: 'POST', headers, body, ...settings };
    expect(calls).toEqual([{ url: 'https://bank.example/api/v1/x?a=1', init }]);
    await send();
    expect(calls[1]?.init).not.toHaveProperty('body');
  });

  it.each([
    // What a browser makes of a redirect that it was told not to follow.
    ['is hidden', { type: { value: 'opaqueredirect' }, status: { value: 0 } }],
    ['was followed all the same', { redirected: { value: true } }],
  ])('takes a redirect that %s for one, and reads nothing of it', async (_, properties) => {
    const { watch, stream } = watchedBody();
    const redirect = Object.defineProperties(new Response(stream), properties);
    const reply = await over(async () => redirect).send();
    expect(reply).toMatchObject({ status: 302, headers: {} });
    expect(await textOfBody(reply.body)).toBe('');
    expect(watch.cancelled).toBe(1);
  });

  it.each<[string, () => unknown]>([
    ['throws at once', trap],
    ['returns nothing', () => undefined],
    ['returns no promise', () => 'reply'],
    ['resolves to something else', async () => ({ status: 200 })],
    ['resolves to headers that are none', async () => ({ status: 200, headers: {}, body: null })],
    ['resolves to a body that is none', async () => ({ status: 200, headers: new Headers(), body: 'x' })],
    ['resolves to a network error', async () => Response.error()],
    ['resolves to a reply that is being read', async () => lockedResponse()],
  ])('fails, doubtfully, where it %s', async (_, fetch) => {
    const failure = await rejection(over(fetch).send());
    expect(failure).toBeInstanceOf(TransportFailure);
    expect(failure).toMatchObject({ sent: 'maybe', cause: expect.any(Error) });
  });

  it('takes a reply of another realm', async () => {
    const forEach = (each: (value: string, name: string) => void) => each('b', 'A');
    const foreign = { status: 201, headers: { forEach }, body: new Response('{"a":1}').body };
    const reply = await over(async () => foreign).send();
    expect(reply).toMatchObject({ status: 201, headers: { a: 'b' } });
    expect(await textOfBody(reply.body)).toBe('{"a":1}');
  });

  it('lets a late reply go where the fetch ignores the signal', async () => {
    const { watch, stream } = watchedBody();
    const abort = new AbortController();
    const { promise, resolve: answer } = deferred();
    const { send } = over(() => promise.then(() => new Response(stream)));
    const failed = rejection(send({ signal: abort.signal }));
    await settle();
    abort.abort(enough);
    await settle();
    answer();
    await settle();
    expect(await failed).toMatchObject(late);
    expect(watch.cancelled).toBe(1);
  });

  it.each<[sent: 'no' | 'maybe', what: string, cause: unknown]>([
    ['no', 'a refused connection', coded('ECONNREFUSED')],
    ['no', 'a name that does not resolve', coded('ENOTFOUND')],
    ['no', 'a resolver that is away', coded('EAI_AGAIN')],
    ['no', 'a connect that timed out', coded('UND_ERR_CONNECT_TIMEOUT')],
    ['no', 'a connect without a way', coded('EHOSTUNREACH', { syscall: 'connect' })],
    ['no', 'a certificate that has expired', coded('CERT_HAS_EXPIRED')],
    ['no', 'a certificate for another host', coded('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['no', 'two addresses', several(coded('ECONNREFUSED'), coded('ETIMEDOUT', { syscall: 'connect' }))],
    ['maybe', 'no reason', new TypeError('fetch failed')],
    ['maybe', 'a reset', coded('ECONNRESET')],
    ['maybe', 'a time-out that may have come later', coded('ETIMEDOUT', { syscall: 'read' })],
    ['maybe', 'a way lost under way', coded('EHOSTUNREACH', { syscall: 'write' })],
    ['maybe', "the server's alert", coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED')],
    ['maybe', 'an abort', new DOMException('aborted', 'AbortError')],
    ['maybe', 'a code that is none', coded(7)],
    ['maybe', 'an address that may be reached', several(coded('ECONNREFUSED'), coded('ECONNRESET'))],
    ['maybe', 'an address of which nothing is known', several(coded('ECONNREFUSED'), new Error('x'))],
    ['maybe', 'addresses of which none is named', several()],
    ['maybe', 'a refusal with a doubtful reason', coded('ECONNREFUSED', { cause: coded('ECONNRESET') })],
    ['maybe', 'a doubt with a refusal in it', coded('UND_ERR_SOCKET', { cause: coded('ECONNREFUSED') })],
    ['maybe', 'a cause that never ends', circular],
    ['maybe', 'a text', 'ECONNREFUSED'],
    ['maybe', 'nothing', undefined],
    ['maybe', 'an unreadable error', Object.defineProperty(new Error('x'), 'code', { get: trap })],
  ])('answers whether it was sent with %s, for %s', async (sent, _, error) => {
    expect(await rejection(failing(error).send())).toMatchObject({ sent });
    if (!(error instanceof Error)) return;
    const failed = new TypeError('fetch failed', { cause: error });
    expect(await rejection(failing(failed).send())).toMatchObject({ sent, cause: failed });
    const deeper = new Error('outer', { cause: failed });
    expect(await rejection(failing(deeper).send())).toMatchObject({ sent });
  });
});

describe('a body that is read to memory', () => {
  const unsent = { sent: 'no' };

  it.each<[string, (Uint8Array | Error)[]]>([
    ['fails', [Buffer.from('ab'), new Error('disk')]],
    ['is too short', [Buffer.from('abc')]],
    ['is too long', [Buffer.from('abc'), Buffer.from('de')]],
  ])('leads to no call where it %s', async (_, chunks) => {
    const { send, calls } = answering();
    const { body } = readerOf(chunks);
    expect(await rejection(send({ body, bodyLength: 4 }))).toMatchObject(unsent);
    expect(calls).toEqual([]);
  });

  it.each([
    ['before', true],
    ['while', false],
  ])('is let go where the signal fires %s it is read, and leads to no call', async (_, early) => {
    const { send, calls } = answering();
    const abort = new AbortController();
    const { body, use } = readerOf(['hang']);
    if (early) abort.abort(enough);
    const failed = rejection(send({ body, bodyLength: 4, signal: abort.signal }));
    await settle();
    abort.abort(enough);
    expect(await failed).toMatchObject({ ...unsent, cause: enough });
    expect(use.returned).toBe(1);
    expect(calls).toEqual([]);
  });

  it('leads to no call where the signal fires with its last byte, or has fired before', async () => {
    const { send, calls } = answering();
    const abort = new AbortController();
    async function* body() {
      yield Buffer.from('abcd');
      abort.abort(enough);
    }
    const { signal } = abort;
    expect(await rejection(send({ body: body(), bodyLength: 4, signal }))).toMatchObject(unsent);
    expect(await rejection(send({ signal }))).toMatchObject({ ...unsent, cause: enough });
    expect(calls).toEqual([]);
  });
});

it.each([undefined, null, {}, 'fetch'])('A transport is made from a function, which %s is not', (fetch) => {
  const make = () => fetchTransport(fetch as never);
  expect(make).toThrow(expect.objectContaining({ name: 'ConfigurationError', option: 'transport' }));
});
