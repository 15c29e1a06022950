import { createServer, request as open } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/store/memory.js';
import { type NodeResponse, type WebhookReport, webhookReceiver } from '../../src/webhooks/index.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { headersFor, nowMs, saleApproved, secret } from './delivery.js';

const body = Buffer.from(JSON.stringify(saleApproved));
const headers = headersFor(body);
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function receiverWith(maxBodyBytes = 10_000) {
  const reports: WebhookReport[] = [];
  const receiver = webhookReceiver({
    secrets: secret,
    store: memoryStore(),
    on: {},
    clock: new VirtualClock(nowMs),
    maxBodyBytes,
    onReport: (report) => reports.push(report),
  });
  return { receiver, reports };
}

describe('the adapter for Fetch', () => {
  const requestOf = (init: RequestInit = {}) =>
    new Request('https://dealer.example/hook', { method: 'POST', headers, body, ...init });

  it('keeps a POST, and answers other methods with 405', async () => {
    const { receiver } = receiverWith();
    expect((await receiver.fetch(requestOf())).status).toBe(200);
    const answer = await receiver.fetch(new Request('https://dealer.example/hook'));
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('answers with 500 where somebody has read the body, and with 400 where there is none', async () => {
    const { receiver, reports } = receiverWith();
    const read = requestOf();
    await read.text();
    expect((await receiver.fetch(read)).status).toBe(500);
    expect(reports).toMatchObject([{ kind: 'misused', error: { reason: 'BODY_NOT_BYTES' } }]);
    expect((await receiver.fetch(requestOf({ body: null }))).status).toBe(400);
  });

  it('stops reading a body without a length once it is beyond the cap', async () => {
    const { receiver } = receiverWith(100);
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
  /** What a handler that is called with this request answers. */
  async function answerTo(receiver: ReturnType<typeof receiverWith>['receiver'], request: object) {
    let status = 0;
    const response: NodeResponse = { writeHead: (code) => (status = code), end: () => undefined };
    const given = Object.assign(Readable.from([body]), { method: 'POST', headers }, request);
    await receiver.node(given, response);
    return status;
  }

  it('keeps a POST, also one whose bytes a framework has read, and answers other methods with 405', async () => {
    const { receiver } = receiverWith();
    expect(await answerTo(receiver, {})).toBe(200);
    expect(await answerTo(receiver, { body })).toBe(200);
    expect(await answerTo(receiver, { method: 'GET' })).toBe(405);
    expect(await receiver.list()).toHaveLength(1);
  });

  it('answers with 500 where the body was read and not passed on', async () => {
    const { receiver, reports } = receiverWith();
    const read = Readable.from([body]);
    read.resume();
    await new Promise((resolve) => read.once('end', resolve));
    const request = Object.assign(read, { method: 'POST', headers });
    let status = 0;
    await receiver.node(request, { writeHead: (code) => (status = code), end: () => undefined });
    expect(status).toBe(500);
    expect(reports).toMatchObject([{ kind: 'misused' }]);
  });

  it('keeps nothing of a delivery that its sender breaks off, and stays ready', async () => {
    const { receiver } = receiverWith();
    let settled: () => void = () => undefined;
    const handled = new Promise<void>((resolve) => {
      settled = resolve;
    });
    const server = createServer((request, response) => {
      void receiver.node(request, response).then(settled);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const sent = open({
      port,
      host: '127.0.0.1',
      method: 'POST',
      headers: { ...headers, 'content-length': body.length },
    });
    sent.on('error', () => undefined);
    sent.write(body.subarray(0, 20), () => sent.destroy());
    await handled;
    expect(await receiver.list()).toEqual([]);
    expect((await receiver.receive({ body, headers })).outcome).toBe('kept');
  });
});
