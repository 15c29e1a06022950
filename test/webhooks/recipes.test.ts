import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type Loopback, listen } from '../support/loopback.js';
import { deliveryOf, saleApproved, secret } from './delivery.js';

const folder = mkdtempSync(join(tmpdir(), 'recipes-'));
process.env['WEBHOOK_SECRET'] = secret;
process.env['AUCTION_STORE'] = join(folder, 'auction.db');
vi.spyOn(console, 'log').mockReturnValue();
const warn = vi.spyOn(console, 'warn').mockReturnValue();

const examples = {
  express: await import('../../examples/webhooks/express.js'),
  fastify: await import('../../examples/webhooks/fastify.js'),
  hono: await import('../../examples/webhooks/hono.js'),
  next: await import('../../examples/webhooks/next.js'),
  lambda: await import('../../examples/webhooks/lambda.js'),
};
const { receiver } = await import('../../examples/webhooks/receiver.js');
const places: Loopback[] = [];
afterAll(async () => {
  await receiver.close();
  await examples.fastify.app.close();
  for (const place of places) await place[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function listening(handler: RequestListener): Promise<string> {
  const place = await listen(createServer(handler));
  places.push(place);
  return `http://127.0.0.1:${place.port}/webhooks`;
}

/** A delivery of an event, signed now. */
function deliveryNow(event: object) {
  const text = JSON.stringify(event, null, 2);
  const { body, headers } = deliveryOf(text, secret, Math.floor(Date.now() / 1000));
  return { body: new Uint8Array(body), headers: { 'Content-Type': 'application/json', ...headers } };
}

type Post = (body: Uint8Array<ArrayBuffer>, headers: Record<string, string>) => Promise<{ status: number }>;
const over =
  (url: string): Post =>
  (body, headers) =>
    fetch(url, { method: 'POST', body, headers });
const inProcess =
  (handle: (request: Request) => Response | Promise<Response>): Post =>
  async (body, headers) =>
    handle(new Request('https://dealer.example/webhooks', { method: 'POST', body, headers }));

const posts: Readonly<Record<keyof typeof examples, () => Promise<Post>>> = {
  express: async () => over(await listening(examples.express.app)),
  fastify: async () => over(`${await examples.fastify.app.listen({ port: 0, host: '127.0.0.1' })}/webhooks`),
  hono: async () => inProcess(examples.hono.app.fetch),
  next: async () => inProcess(examples.next.POST),
  lambda: async () => async (body, headers) => {
    const text = Buffer.from(body).toString('base64');
    const { statusCode } = await examples.lambda.handler({ body: text, isBase64Encoded: true, headers });
    return { status: statusCode };
  },
};

describe.each(Object.entries(posts))('the recipe for %s', (name, open) => {
  it('keeps a delivery, answers a duplicate, and refuses a changed one', async () => {
    const post = await open();
    const data = { ...saleApproved.data, resource_id: `sale_${name}` };
    const event = { ...saleApproved, id: `evt_${name}`, data };
    const { body, headers } = deliveryNow(event);
    expect((await post(body, headers)).status).toBe(200);
    expect((await post(body, headers)).status).toBe(200);
    const changed = new Uint8Array([...body, 32]);
    expect((await post(changed, headers)).status).toBe(400);
    const kept = await receiver.list();
    expect(kept.filter(({ id }) => id === `evt_${name}`)).toHaveLength(1);
  });
});

describe('Express', () => {
  it('that has parsed the body before is detected and explained, and answered with 500', async () => {
    warn.mockClear();
    const app = express();
    app.use(express.json());
    app.post('/webhooks', (request, response) => receiver.node(request, response));
    const { body, headers } = deliveryNow(saleApproved);
    expect((await over(await listening(app))(body, headers)).status).toBe(500);
    expect(String(warn.mock.calls[0]?.[0])).toContain('express.raw');
  });

  it('answers a body beyond the cap with 413, over a real socket', async () => {
    const post = over(await listening(examples.express.app));
    expect((await post(new Uint8Array(1_048_577), {})).status).toBe(413);
  });
});
