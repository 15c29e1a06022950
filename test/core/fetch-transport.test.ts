import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchTransport } from '../../src/core/transport/fetch.js';
import { TransportFailure, type TransportReply } from '../../src/core/transport/transport.js';
import { ConfigurationError } from '../../src/errors/local.js';
import { elsewhere, server as identity } from '../support/certificates.js';
import { rejection } from '../support/clients.js';
import { type Loopback, listen } from '../support/loopback.js';
import { requestTo, textOfBody } from '../support/transport-request.js';
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

describe("over Node's fetch", () => {
  const transport = fetchTransport(globalThis.fetch, { retriesNothing: true });

  it('gets, with the headers that were signed and those of the reply', async () => {
    const seen: unknown[] = [];
    const cookies = ['a=1, b', 'c=2'];
    await using server = await listen(
      createServer((req, res) => {
        seen.push(req.method, req.url, req.headers['x-signature'], req.headers['accept-encoding']);
        res.writeHead(200, { 'Content-Type': 'application/json', 'Set-Cookie': cookies });
        res.end('{"data":1}');
      }),
    );
    const reply = await transport.send(
      requestTo(originOf(server), { headers: { 'X-Signature': 's', 'accept-encoding': 'identity' } }),
    );
    expect(seen).toEqual(['GET', '/api/v1/x?a=1', 's', 'identity']);
    const headers = { 'content-type': 'application/json', 'set-cookie': cookies };
    expect(reply).toMatchObject({ status: 200, headers });
    expect(await textOfBody(reply.body)).toBe('{"data":1}');
    reply.discard();
  });

  it('posts the very bytes, in memory or read, with their length', async () => {
    const bodies: Buffer[] = [];
    const lengths: unknown[] = [];
    await using server = await listen(
      createServer((req, res) => {
        const chunks: Buffer[] = [];
        lengths.push(req.headers['content-length'], req.headers['transfer-encoding']);
        req.on('data', (chunk: Buffer) => chunks.push(chunk));
        req.on('end', () => {
          bodies.push(Buffer.concat(chunks));
          res.writeHead(204).end();
        });
      }),
    );
    const body = Buffer.alloc(300_000);
    for (let at = 0; at < body.length; at += 1) body[at] = at % 251;
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

  it('says maybe where the signal fires before the headers', async () => {
    const abort = new AbortController();
    await using server = await listen(createServer(() => abort.abort(new Error('enough'))));
    const failure = await rejection(transport.send(requestTo(originOf(server), { signal: abort.signal })));
    expect(failure).toBeInstanceOf(TransportFailure);
    expect(failure).toMatchObject({ sent: 'maybe', cause: { message: 'enough' } });
  });

  it('breaks off a body where the signal fires after the headers', async () => {
    const abort = new AbortController();
    await using server = await listen(createServer((_, res) => res.write('beginning')));
    const reply = await transport.send(requestTo(originOf(server), { signal: abort.signal }));
    const text = rejection(textOfBody(reply.body));
    await settle();
    abort.abort(new Error('enough'));
    expect(await text).toMatchObject({ message: 'enough' });
  });

  it('knows what never left: a refused connection, a name that does not resolve, a strange certificate', async () => {
    const probe = await listen(createServer());
    await probe[Symbol.asyncDispose]();
    await using untrusted = await listen(createTlsServer(identity));
    await using misnamed = await listen(createTlsServer(elsewhere));
    for (const origin of [
      originOf(probe),
      `http://localhost:${probe.port}`,
      'https://no-such-host.invalid',
      `https://127.0.0.1:${untrusted.port}`,
      `https://127.0.0.1:${misnamed.port}`,
    ]) {
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

function failing(error: unknown) {
  return over(() => Promise.reject(error));
}

function lockedResponse(): Response {
  const response = new Response('x');
  response.body?.getReader();
  return response;
}

/** A body that tells whether it was cancelled. */
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

const coded = (code: unknown, more: object = {}) => Object.assign(new Error(String(code)), { code, ...more });

describe('over other fetches', () => {
  it('counts a failed call as sent, unless it is told that the fetch tries once', async () => {
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const { send } = over(() => Promise.reject(refused), false);
    await expect(send()).rejects.toMatchObject({ sent: 'maybe' });
    await expect(failing(refused).send()).rejects.toMatchObject({ sent: 'no' });
  });

  it('asks for no redirects, no cache and no credentials, and passes the signal', async () => {
    const { send, calls } = over(async () => new Response('{}'));
    const { signal } = new AbortController();
    await send({ signal, body: Buffer.from('{}') });
    expect(calls).toEqual([
      {
        url: 'https://bank.example/api/v1/x?a=1',
        init: {
          method: 'POST',
          headers: { 'X-Signature': 'a-signature', 'X-Client-ID': 'cl_7f3a' },
          body: Buffer.from('{}'),
          redirect: 'manual',
          cache: 'no-store',
          credentials: 'omit',
          signal,
        },
      },
    ]);
    await send();
    expect(calls[1]?.init).not.toHaveProperty('body');
  });

  it('calls no fetch once the signal has fired', async () => {
    const { send, calls } = over(async () => new Response('{}'));
    const signal = AbortSignal.abort(new Error('enough'));
    expect(await rejection(send({ signal }))).toMatchObject({ sent: 'no', cause: { message: 'enough' } });
    expect(calls).toEqual([]);
  });

  it('takes a hidden redirect for one', async () => {
    // What a browser makes of a redirect that it was told not to follow.
    const opaque = Object.defineProperties(new Response(null), {
      type: { value: 'opaqueredirect' },
      status: { value: 0 },
    });
    const reply = await over(async () => opaque).send();
    expect(reply).toMatchObject({ status: 302, headers: {} });
    expect(await textOfBody(reply.body)).toBe('');
  });

  it('takes a redirect that was followed all the same for a redirect, and reads nothing of it', async () => {
    const { watch, stream } = watchedBody();
    const followed = Object.defineProperty(new Response(stream), 'redirected', { value: true });
    const reply = await over(async () => followed).send();
    expect(reply.status).toBe(302);
    expect(await textOfBody(reply.body)).toBe('');
    expect(watch.cancelled).toBe(1);
  });

  it.each<[string, () => unknown]>([
    [
      'throws at once',
      () => {
        throw new Error('broken');
      },
    ],
    ['returns nothing', () => undefined],
    ['returns no promise', () => 'reply'],
    ['resolves to nothing', async () => undefined],
    ['resolves to null', async () => null],
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
    const response = new Response('{"a":1}', { status: 201, headers: { a: 'b' } });
    const foreign = {
      status: 201,
      headers: { forEach: (each: (value: string, name: string) => void) => each('b', 'A') },
      body: response.body,
    };
    const reply = await over(async () => foreign).send();
    expect(reply).toMatchObject({ status: 201, headers: { a: 'b' } });
    expect(await textOfBody(reply.body)).toBe('{"a":1}');
  });

  it('lets a late reply go where the fetch ignores the signal', async () => {
    const { watch, stream } = watchedBody();
    const abort = new AbortController();
    let answer: (response: Response) => void = () => undefined;
    const { send } = over(
      () =>
        new Promise<Response>((resolve) => {
          answer = resolve;
        }),
    );
    const failed = rejection(send({ signal: abort.signal }));
    await settle();
    abort.abort(new Error('enough'));
    await settle();
    answer(new Response(stream));
    expect(await failed).toMatchObject({ sent: 'maybe', cause: { message: 'enough' } });
    expect(watch.cancelled).toBe(1);
  });

  it.each<[string, unknown]>([
    ['a refused connection', coded('ECONNREFUSED')],
    ['a name that does not resolve', coded('ENOTFOUND')],
    ['a resolver that is away', coded('EAI_AGAIN')],
    ['a connect that timed out', coded('UND_ERR_CONNECT_TIMEOUT')],
    ['a connect without a way', coded('EHOSTUNREACH', { syscall: 'connect' })],
    ['a certificate that has expired', coded('CERT_HAS_EXPIRED')],
    ['a certificate for another host', coded('ERR_TLS_CERT_ALTNAME_INVALID')],
    [
      'several addresses, all refused',
      Object.assign(new AggregateError([coded('ECONNREFUSED'), coded('ETIMEDOUT', { syscall: 'connect' })]), {
        code: 'ECONNREFUSED',
      }),
    ],
  ])('knows that %s sent nothing', async (_, cause) => {
    expect(await rejection(failing(cause).send())).toMatchObject({ sent: 'no', cause });
    const failed = new TypeError('fetch failed', { cause });
    expect(await rejection(failing(failed).send())).toMatchObject({ sent: 'no', cause: failed });
    const deeper = new Error('outer', { cause: failed });
    expect(await rejection(failing(deeper).send())).toMatchObject({ sent: 'no' });
  });

  const circular = new Error('round');
  circular.cause = circular;

  it.each<[string, unknown]>([
    ['no reason', new TypeError('fetch failed')],
    ['a reset', coded('ECONNRESET')],
    ['a pipe that broke', coded('EPIPE')],
    ['a time-out that may have come later', coded('ETIMEDOUT', { syscall: 'read' })],
    ['a way lost under way', coded('EHOSTUNREACH', { syscall: 'write' })],
    ["the server's alert about a certificate", coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED')],
    ['an abort', new DOMException('aborted', 'AbortError')],
    ['a code that is none', coded(7)],
    [
      'one address that may have been reached',
      new AggregateError([coded('ECONNREFUSED'), coded('ECONNRESET')]),
    ],
    ['one address of which nothing is known', new AggregateError([coded('ECONNREFUSED'), new Error('x')])],
    ['addresses of which none is named', new AggregateError([])],
    ['a refusal with a doubtful reason', coded('ECONNREFUSED', { cause: coded('ECONNRESET') })],
    ['a doubtful failure with a refusal in it', coded('UND_ERR_SOCKET', { cause: coded('ECONNREFUSED') })],
    ['a cause that never ends', circular],
    ['a text', 'ECONNREFUSED'],
    ['nothing', undefined],
    [
      'an error that cannot be read',
      Object.defineProperty(new Error('x'), 'code', {
        get: () => {
          throw new Error('trap');
        },
      }),
    ],
  ])('leaves %s in doubt', async (_, error) => {
    expect(await rejection(failing(error).send())).toMatchObject({ sent: 'maybe' });
    if (error instanceof Error)
      expect(await rejection(failing(new TypeError('fetch failed', { cause: error })).send())).toMatchObject({
        sent: 'maybe',
      });
  });

  it.each<[string, (Uint8Array | Error)[]]>([
    ['fails', [Buffer.from('ab'), new Error('disk')]],
    ['is too short', [Buffer.from('abc')]],
    ['is too long', [Buffer.from('abc'), Buffer.from('de')]],
  ])('calls no fetch where the body that is read %s', async (_, chunks) => {
    const { send, calls } = over(async () => new Response('{}'));
    async function* body() {
      for (const chunk of chunks) {
        if (chunk instanceof Error) throw chunk;
        yield chunk;
      }
    }
    expect(await rejection(send({ body: body(), bodyLength: 4 }))).toMatchObject({ sent: 'no' });
    expect(calls).toEqual([]);
  });

  it.each([
    ['before', true],
    ['while', false],
  ])('lets a body go where the signal fires %s it is read', async (_, early) => {
    const { send, calls } = over(async () => new Response('{}'));
    const abort = new AbortController();
    let returned = 0;
    const hanging: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: async () => {
          returned += 1;
          return { done: true, value: undefined };
        },
      }),
    };
    if (early) abort.abort(new Error('enough'));
    const failed = rejection(send({ body: hanging, bodyLength: 4, signal: abort.signal }));
    await settle();
    abort.abort(new Error('enough'));
    expect(await failed).toMatchObject({ sent: 'no', cause: { message: 'enough' } });
    expect(returned).toBe(1);
    expect(calls).toEqual([]);
  });

  it('calls no fetch where the signal fires with the last byte that is read', async () => {
    const { send, calls } = over(async () => new Response('{}'));
    const abort = new AbortController();
    async function* body() {
      yield Buffer.from('abcd');
      abort.abort(new Error('enough'));
    }
    expect(await rejection(send({ body: body(), bodyLength: 4, signal: abort.signal }))).toMatchObject({
      sent: 'no',
    });
    expect(calls).toEqual([]);
  });

  it.each([undefined, null, {}, 'fetch'])('must be a function, which %s is not', (fetch) => {
    const make = () => fetchTransport(fetch as never);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(expect.objectContaining({ option: 'transport' }));
  });
});
