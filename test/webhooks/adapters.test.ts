import { createServer, request as open } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { WebhookReceiver } from '../../src/webhooks/index.js';
import { listen } from '../support/loopback.js';
import { deliveryOf, receiverWith, saleApproved } from './delivery.js';

const { body, headers } = deliveryOf(saleApproved);
const misused = { kind: 'misused', error: { reason: 'body_not_bytes' } };

describe('the adapter for Fetch', () => {
  const requestOf = (init: RequestInit = {}) =>
    new Request('https://dealer.example/hook', { method: 'POST', headers, body, ...init });

  it('keeps a POST, and answers other methods with 405', async () => {
    const { receiver } = receiverWith({ maxBodyBytes: body.length });
    expect((await receiver.fetch(requestOf())).status).toBe(200);
    const answer = await receiver.fetch(new Request('https://dealer.example/hook'));
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('answers with 500 where somebody has read the body, and with 400 where there is none', async () => {
    const { receiver, reports } = receiverWith();
    const read = requestOf();
    await read.text();
    expect((await receiver.fetch(read)).status).toBe(500);
    expect(reports).toMatchObject([misused]);
    expect((await receiver.fetch(requestOf({ body: null }))).status).toBe(400);
  });

  it('stops reading a body without a length once it is beyond the cap', async () => {
    const { receiver } = receiverWith({ maxBodyBytes: 100 });
    let chunks = 0;
    const endless = new ReadableStream({
      pull(controller) {
        chunks += 1;
        controller.enqueue(new Uint8Array(60));
      },
    });
    const init = { body: endless, duplex: 'half' } as RequestInit;
    expect((await receiver.fetch(requestOf(init))).status).toBe(413);
    expect(chunks).toBeLessThan(10);
  });
});

describe('the adapter for Node', () => {
  /** The status that a request is answered with. */
  async function answerTo(
    receiver: WebhookReceiver,
    request: object,
    stream = Readable.from([body.subarray(0, 9), body.subarray(9)]),
  ) {
    let status = 0;
    const given = Object.assign(stream, { method: 'POST', headers }, request);
    await receiver.node(given, { writeHead: (code) => (status = code), end: () => undefined });
    return status;
  }

  it('keeps a POST, also one whose bytes a framework has read, and answers other methods with 405', async () => {
    const { receiver } = receiverWith();
    expect(await answerTo(receiver, {})).toBe(200);
    expect(await answerTo(receiver, { body })).toBe(200);
    expect(await answerTo(receiver, { body: null })).toBe(200);
    expect(await answerTo(receiverWith({ maxBodyBytes: 100 }).receiver, {})).toBe(413);
    expect(await answerTo(receiver, { method: 'GET' })).toBe(405);
    expect(await receiver.list()).toHaveLength(1);
  });

  it.each<[platform: string, rawBody: unknown]>([
    ['Google Cloud Functions', Buffer.from(body)],
    ['one with text', new TextDecoder().decode(body)],
    ['one with another kind of bytes', new Uint8Array(body)],
  ])('keeps one whose bytes are beside its parsed body, as in %s', async (_, rawBody) => {
    const { receiver } = receiverWith();
    const parsed = { body: JSON.parse(new TextDecoder().decode(body)), readableEnded: true };
    const stream = Readable.from([]);
    expect(await answerTo(receiver, { rawBody, body: parsed.body }, stream)).toBe(200);
    expect(await receiver.list()).toHaveLength(1);
    expect(await answerTo(receiver, { rawBody: parsed.body, body: parsed.body }, Readable.from([]))).toBe(
      500,
    );
  });

  it('answers with 500 where the body was read and not passed on', async () => {
    const { receiver, reports } = receiverWith();
    const read = Readable.from([body]).resume();
    await new Promise((resolve) => read.once('end', resolve));
    expect(await answerTo(receiver, {}, read)).toBe(500);
    expect(reports).toMatchObject([misused]);
  });

  it('keeps nothing of a delivery that its sender breaks off, and stays ready', async () => {
    const { receiver } = receiverWith();
    const server = createServer();
    const handled = new Promise<void>((resolve) => {
      server.on('request', (request, response) => void receiver.node(request, response).then(resolve));
    });
    await using place = await listen(server);
    const sent = open({
      ...{ port: place.port, host: '127.0.0.1', method: 'POST' },
      headers: { ...headers, 'content-length': body.length },
    });
    sent.on('error', () => undefined);
    sent.write(body.subarray(0, 20), () => sent.destroy());
    await handled;
    expect(await receiver.list()).toEqual([]);
    expect((await receiver.receive({ body, headers })).outcome).toBe('kept');
  });
});
