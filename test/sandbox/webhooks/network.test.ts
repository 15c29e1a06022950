import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/index.js';
import { postOverNetwork } from '../../../src/sandbox/webhooks/post.js';
import { server as identity } from '../../support/certificates.js';
import { answersChallenge, listening, subscribed } from './receivers.js';

let sandbox: Sandbox;
const ends: (() => Promise<unknown>)[] = [];
const start = async (options: SandboxOptions = {}) => {
  sandbox = await startSandbox({
    clock: 'manual',
    startAt: '2026-03-01T10:00:00Z',
    rateLimit: false,
    webhooks: { allowPrivate: true },
    ...options,
  });
};
beforeEach(() => start());
afterEach(async () => {
  await sandbox.close();
  for (const end of ends.splice(0)) await end();
});

type Answer = Parameters<typeof listening>[0];

/** A receiver that answers the challenge, and everything else as told. */
async function receiver(answer: Answer) {
  const server = await listening((asked, response, body) => {
    if (!answersChallenge(response, body)) answer(asked, response, body);
  });
  ends.push(server.close);
  return server;
}

/** One event to a subscribed receiver; what the log says of its first attempt. */
async function firstAttempt(url: string) {
  const type = 'sale.acknowledged';
  const { id } = await subscribed(sandbox, sandbox.credentials.dealer, [type], url);
  const [made] = sandbox.webhooks.send({ subscriptionId: id, type, data: { n: 1 } });
  await sandbox.webhooks.settled();
  const found = sandbox.webhooks.deliveries().find(({ id }) => id === made?.id);
  if (found === undefined) throw new Error('nobody is subscribed');
  return { ...found.attempts[0], state: found.state };
}

describe('over the network', () => {
  it('a delivery arrives byte for byte, with its length, on a connection of its own', async () => {
    const server = await receiver((_, response) => response.end());
    expect(await firstAttempt(server.url)).toMatchObject({
      outcome: 'acknowledged',
      status: 200,
      state: 'delivered',
    });
    const [, got] = server.got;
    expect(got?.body).toBe(sandbox.webhooks.deliveries().at(-1)?.body);
    expect(got?.url).toBe('/hooks');
    expect(got?.headers).toMatchObject({
      host: `127.0.0.1:${server.port}`,
      'content-type': 'application/json',
      'content-length': String(got?.body.length),
      connection: 'close',
      'service-timestamp': '1772359200',
      'service-signature': expect.stringMatching(/^v1=[0-9a-f]{64}$/),
      'service-event-id': expect.stringMatching(/^evt_/),
    });
  });

  // rule: delivery.2
  it.each([301, 302, 303, 307, 308])('a %i is not followed', async (status) => {
    const elsewhere = await receiver((_, response) => response.end());
    const server = await receiver((_, response) => {
      response.writeHead(status, { Location: elsewhere.url }).end();
    });
    expect(await firstAttempt(server.url)).toMatchObject({ outcome: 'refused', status, state: 'failed' });
    expect(elsewhere.got).toEqual([]);
  });

  // rule: delivery.3
  it('nobody there is a failure that passes', async () => {
    const server = await receiver((_, response) => response.end());
    await subscribed(sandbox, sandbox.credentials.dealer, ['sale.acknowledged'], server.url);
    await server.close();
    ends.length = 0;
    sandbox.webhooks.send({ type: 'sale.acknowledged', data: {} });
    await sandbox.webhooks.settled();
    expect(sandbox.webhooks.deliveries().at(-1)).toMatchObject({
      state: 'pending',
      attempts: [{ outcome: 'unreachable', status: null, problem: expect.stringContaining('ECONNREFUSED') }],
    });
  });

  it.each<[string, Answer]>([
    ['a connection that is cut', (asked) => asked.socket.destroy()],
    ['no HTTP', (asked) => asked.socket.end('hello\r\n\r\n')],
    ['endless headers', (asked) => asked.socket.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`)],
  ])('%s is a failure that passes', async (_, answer) => {
    const server = await receiver(answer);
    expect(await firstAttempt(server.url)).toMatchObject({
      outcome: 'unreachable',
      status: null,
      problem: expect.any(String),
      state: 'pending',
    });
  });

  it('an answer is taken by its status, however its body goes on', async () => {
    const endless = Buffer.alloc(1 << 20, 'x');
    const server = await receiver((_, response) => {
      response.writeHead(202);
      const more = () => {
        if (!response.destroyed) response.write(endless, more);
      };
      more();
    });
    expect(await firstAttempt(server.url)).toMatchObject({ outcome: 'acknowledged', status: 202 });
    const broken = await receiver((asked, response) => {
      response.writeHead(200, { 'Content-Length': '100' });
      response.write('half', () => asked.socket.destroy());
    });
    expect(await firstAttempt(broken.url)).toMatchObject({ outcome: 'acknowledged', status: 200 });
  });

  it('an answer counts, though its body takes longer than an attempt may', async () => {
    const channel = 'undici:request:headers';
    let head = () => {};
    const headHasCome = new Promise<void>((resolve) => {
      head = resolve;
    });
    const server = await receiver((_, response) => {
      response.writeHead(200);
      // The receiver's own process tells when the head has come across.
      const hasCome = () => {
        unsubscribe(channel, hasCome);
        head();
      };
      subscribe(channel, hasCome);
      response.write('half');
    });
    await subscribed(sandbox, sandbox.credentials.dealer, ['sale.acknowledged'], server.url);
    sandbox.webhooks.send({ type: 'sale.acknowledged', data: {} });
    const settled = sandbox.webhooks.settled();
    await headHasCome;
    await new Promise(setImmediate);
    sandbox.clock.advance(10_000);
    await settled;
    expect(sandbox.webhooks.deliveries().at(-1)).toMatchObject({
      attempts: [{ outcome: 'acknowledged', status: 200 }],
    });
  });

  it('a receiver whose certificate nobody vouches for is not delivered to', async () => {
    const heard: string[] = [];
    const server = createServer(identity, (_, response) => {
      heard.push('a request');
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    const url = `https://127.0.0.1:${port}/`;
    sandbox.webhooks.subscribe({ who: sandbox.credentials.dealer, url, events: ['sale.approved'] });
    await sandbox.webhooks.settled();
    expect(sandbox.webhooks.deliveries().at(-1)?.attempts).toMatchObject([
      { outcome: 'unreachable', status: null, problem: expect.stringContaining('certificate') },
    ]);
    expect(heard).toEqual([]);
  });

  // rule: delivery.2
  it('a receiver that takes too long is cut off', async () => {
    let cut = () => {};
    const wasCut = new Promise<void>((resolve) => {
      cut = resolve;
    });
    let asked = () => {};
    const hasAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const server = await receiver((incoming) => {
      incoming.socket.on('close', cut);
      asked();
    });
    await subscribed(sandbox, sandbox.credentials.dealer, ['sale.acknowledged'], server.url);
    sandbox.webhooks.send({ type: 'sale.acknowledged', data: {} });
    const settled = sandbox.webhooks.settled();
    await hasAsked;
    sandbox.clock.advance(10_000);
    await settled;
    await wasCut;
    expect(sandbox.webhooks.deliveries().at(-1)).toMatchObject({
      state: 'pending',
      attempts: [{ outcome: 'timed_out', status: null, problem: 'no answer in 10000 ms' }],
    });
  });

  it('closing the sandbox cuts off what is under way', async () => {
    let asked = () => {};
    const hasAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    let cut = () => {};
    const wasCut = new Promise<void>((resolve) => {
      cut = resolve;
    });
    const server = await receiver((incoming) => {
      incoming.socket.on('close', cut);
      asked();
    });
    await subscribed(sandbox, sandbox.credentials.dealer, ['sale.acknowledged'], server.url);
    sandbox.webhooks.send({ type: 'sale.acknowledged', data: {} });
    sandbox.clock.advance(0);
    await hasAsked;
    await sandbox.close();
    await wasCut;
  });

  it('a challenge is judged by a body that is whole', async () => {
    const long = await listening((_, response, body) => {
      const { challenge } = JSON.parse(body);
      response.end(JSON.stringify({ challenge, more: 'x'.repeat(70_000) }));
    });
    ends.push(long.close);
    sandbox.webhooks.subscribe({ who: sandbox.credentials.dealer, url: long.url, events: ['sale.approved'] });
    await sandbox.webhooks.settled();
    expect(sandbox.webhooks.subscriptions().at(-1)?.state).toBe('pending_verification');
    expect(sandbox.webhooks.deliveries().at(-1)?.attempts).toMatchObject([
      { outcome: 'unverified', status: 200 },
    ]);
  });
});

describe('where deliveries go', () => {
  // rule: delivery.2
  it('not to private addresses, unless asked for: nothing is sent', async () => {
    const server = await receiver((_, response) => response.end());
    await sandbox.close();
    await start({ webhooks: {} });
    const { dealer } = sandbox.credentials;
    const subscribeTo = (url: string) =>
      sandbox.webhooks.subscribe({ who: dealer, url, events: ['sale.approved'] });
    expect(() => subscribeTo(server.url)).toThrow('The URL must be an https URL.');
    expect(() => subscribeTo(`https://127.0.0.1:${server.port}/`)).toThrow('127.0.0.1 is no public address.');
    expect(sandbox.webhooks.subscriptions()).toEqual([]);
    subscribeTo(`https://localhost:${server.port}/hooks`);
    await sandbox.webhooks.settled();
    expect(sandbox.webhooks.deliveries()).toMatchObject([
      {
        state: 'failed',
        attempts: [
          {
            outcome: 'blocked',
            status: null,
            problem: expect.stringMatching(/^localhost is at .* no public address$/),
          },
        ],
      },
    ]);
    expect(server.got).toEqual([]);
  });

  // rule: delivery.2
  it('are looked up before every attempt, once, and the connection goes where the look-up led', async () => {
    const server = await receiver((_, response) => response.end());
    let asked = 0;
    // A name that leads somewhere else whenever it is asked again.
    const post = postOverNetwork(true, async () => {
      asked += 1;
      return [{ address: asked % 2 === 1 ? '127.0.0.1' : '127.0.0.9', family: 4 }];
    });
    const posting = {
      url: `http://dealer.example:${server.port}/hooks`,
      headers: {},
      body: Buffer.from('{}'),
      signal: new AbortController().signal,
    };
    expect(await post(posting)).toEqual({ status: 200, body: '' });
    expect(asked).toBe(1);
    await expect(post(posting)).rejects.toThrow(/127\.0\.0\.9/);
    expect(asked).toBe(2);
    expect(server.got.map(({ headers }) => headers.host)).toEqual([`dealer.example:${server.port}`]);
  });

  // rule: delivery.2
  it('are blocked when the name has moved to a private address since', async () => {
    const server = await receiver((_, response) => response.end());
    let address = '192.0.2.1';
    const post = postOverNetwork(false, async () => [
      { address: '8.8.8.8', family: 4 },
      { address, family: 4 },
    ]);
    const posting = {
      url: `https://dealer.example:${server.port}/`,
      headers: {},
      body: Buffer.from('{}'),
      signal: new AbortController().signal,
    };
    for (address of ['127.0.0.1', '10.0.0.7', '::1']) {
      await expect(post(posting)).rejects.toMatchObject({ name: 'BlockedDestinationError' });
    }
    expect(server.got).toEqual([]);
  });

  it('that take no end to look up are given up with the attempt', async () => {
    const post = postOverNetwork(true, () => new Promise(() => {}));
    const abort = new AbortController();
    const sent = post({
      url: 'http://dealer.example/',
      headers: {},
      body: Buffer.from('{}'),
      signal: abort.signal,
    });
    abort.abort(new Error('too long'));
    await expect(sent).rejects.toThrow('too long');
    await expect(
      post({ url: 'http://dealer.example/', headers: {}, body: Buffer.from('{}'), signal: abort.signal }),
    ).rejects.toThrow('too long');
  });
});
