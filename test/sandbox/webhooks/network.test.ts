import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { postOverNetwork } from '../../../src/sandbox/webhooks/post.js';
import { server as identity } from '../../support/certificates.js';
import { onManualClock } from '../caller.js';
import { answersChallenge, listening, subscribed } from './receivers.js';

let sandbox: Sandbox;
const ends: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  sandbox = await onManualClock({ webhooks: { allowPrivate: true } });
});
afterEach(async () => {
  await sandbox.close();
  for (const end of ends.splice(0)) await end();
});

type Answer = Parameters<typeof listening>[0];
const ok: Answer = (_, response) => response.end();
const type = 'sale.acknowledged';
const latest = () => sandbox.webhooks.deliveries().at(-1);
/** A moment to wait for. */
function once() {
  let resolve = () => {};
  const promise = new Promise<void>((come) => {
    resolve = come;
  });
  return { promise, resolve };
}

/** A receiver that answers the challenge, and everything else as told. */
async function receiver(answer: Answer) {
  const server = await listening((asked, response, body) => {
    if (!answersChallenge(response, body)) answer(asked, response, body);
  });
  ends.push(server.close);
  return server;
}

/** Begins the delivery of an event to a subscribed receiver; resolves once it is settled. */
async function begun(url: string) {
  await subscribed(sandbox, sandbox.credentials.dealer, [type], url);
  sandbox.webhooks.send({ type, data: { n: 1 } });
  return { settled: sandbox.webhooks.settled() };
}
async function firstAttempt(url: string) {
  await (await begun(url)).settled;
  return { ...latest()?.attempts[0], state: latest()?.state };
}

describe('a delivery over the network', () => {
  it('arrives byte for byte, with its length, on a connection of its own', async () => {
    const server = await receiver(ok);
    const seen = { outcome: 'acknowledged', status: 200, state: 'delivered' };
    expect(await firstAttempt(server.url)).toMatchObject(seen);
    const [, got] = server.got;
    expect([got?.body, got?.url]).toEqual([latest()?.body, '/hooks']);
    expect(got?.headers).toMatchObject({
      ...{ host: `127.0.0.1:${server.port}`, 'content-type': 'application/json', connection: 'close' },
      ...{ 'content-length': String(got?.body.length), 'service-timestamp': '1772359200' },
      'service-signature': expect.stringMatching(/^v1=[0-9a-f]{64}$/),
      'service-event-id': expect.stringMatching(/^evt_/),
    });
  });

  // rule: delivery.2
  it.each([301, 302, 303, 307, 308])('does not follow a %i', async (status) => {
    const elsewhere = await receiver(ok);
    const server = await receiver((_, response) =>
      response.writeHead(status, { Location: elsewhere.url }).end(),
    );
    expect(await firstAttempt(server.url)).toMatchObject({ outcome: 'refused', status, state: 'failed' });
    expect(elsewhere.got).toEqual([]);
  });

  // rule: delivery.3
  it.each<[string, Answer | undefined]>([
    ['nobody there', undefined],
    ['a connection that is cut', (asked) => asked.socket.destroy()],
    ['no HTTP', (asked) => asked.socket.end('hello\r\n\r\n')],
    ['endless headers', (asked) => asked.socket.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`)],
  ])('is tried again after %s', async (_, answer) => {
    const server = await receiver(answer ?? ok);
    if (answer === undefined) {
      await subscribed(sandbox, sandbox.credentials.dealer, [type], server.url);
      await ends.pop()?.();
      sandbox.webhooks.send({ type, data: {} });
      await sandbox.webhooks.settled();
    } else await firstAttempt(server.url);
    const attempts = [{ outcome: 'unreachable', status: null, problem: expect.any(String) }];
    expect(latest()).toMatchObject({ state: 'pending', attempts });
  });

  it('takes an answer by its status, however its body goes on', async () => {
    const endless = Buffer.alloc(1 << 20, 'x');
    const server = await receiver((_, response) => {
      const more = () => {
        if (!response.destroyed) response.write(endless, more);
      };
      response.writeHead(202);
      more();
    });
    expect(await firstAttempt(server.url)).toMatchObject({ outcome: 'acknowledged', status: 202 });
  });

  it('does not go to a receiver whose certificate nobody vouches for', async () => {
    const heard: string[] = [];
    const server = createServer(identity, (_, response) => {
      heard.push('a request');
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    await subscribed(sandbox, sandbox.credentials.dealer, [type], `https://127.0.0.1:${port}/`);
    const problem = expect.stringContaining('certificate');
    expect(latest()?.attempts).toMatchObject([{ outcome: 'unreachable', status: null, problem }]);
    expect(heard).toEqual([]);
  });

  // rule: delivery.2
  it.each(['takes too long', 'outlives the sandbox'])('cuts off a receiver that %s', async (why) => {
    const [asked, cut] = [once(), once()];
    const server = await receiver((incoming) => {
      incoming.socket.on('close', cut.resolve);
      asked.resolve();
    });
    const { settled } = await begun(server.url);
    sandbox.clock.advance(0);
    await asked.promise;
    if (why === 'outlives the sandbox') await sandbox.close();
    else sandbox.clock.advance(10_000);
    await settled;
    await cut.promise;
    const attempts = why === 'outlives the sandbox' ? [] : [{ outcome: 'timed_out', status: null }];
    expect(latest()).toMatchObject({ attempts });
  });
});

describe('where a delivery goes', () => {
  const posting = (url: string, signal = new AbortController().signal) => ({
    ...{ url, headers: {}, body: Buffer.from('{}'), signal },
  });
  const at = (address: string) => ({ address, family: 4 });

  // rule: delivery.2
  it('is not to a private address, unless that is asked for: nothing is sent', async () => {
    const server = await receiver(ok);
    await sandbox.close();
    sandbox = await onManualClock();
    const { dealer } = sandbox.credentials;
    for (const url of [server.url, `https://127.0.0.1:${server.port}/`]) {
      expect(() => sandbox.webhooks.subscribe({ who: dealer, url, events: [type] })).toThrow(RangeError);
    }
    expect(sandbox.webhooks.subscriptions()).toEqual([]);
    await subscribed(sandbox, dealer, [type], `https://localhost:${server.port}/hooks`);
    const attempts = [{ outcome: 'blocked', status: null, problem: expect.stringContaining('localhost') }];
    expect(sandbox.webhooks.deliveries()).toMatchObject([{ state: 'failed', attempts }]);
    expect(server.got).toEqual([]);
  });

  // rule: delivery.2
  it('is looked up before every attempt, once, and the connection goes where the look-up led', async () => {
    const server = await receiver(ok);
    // A name that leads somewhere else whenever it is asked again.
    const addresses = ['127.0.0.1', '127.0.0.9', 'none'];
    const post = postOverNetwork(true, async () => [at(addresses.shift() ?? '')]);
    const sent = posting(`http://dealer.example:${server.port}/hooks`);
    expect(await post(sent)).toEqual({ status: 200, body: '' });
    await expect(post(sent)).rejects.toThrow(/127\.0\.0\.9/);
    expect(addresses).toEqual(['none']);
    expect(server.got.map(({ headers }) => headers.host)).toEqual([`dealer.example:${server.port}`]);
  });

  // rule: delivery.2
  it.each(['127.0.0.1', '10.0.0.7', '::1'])('is blocked once the name leads to %s too', async (address) => {
    const server = await receiver(ok);
    const post = postOverNetwork(false, async () => [at('8.8.8.8'), at(address)]);
    const sent = post(posting(`https://dealer.example:${server.port}/`));
    await expect(sent).rejects.toMatchObject({ name: 'BlockedDestinationError' });
    expect(server.got).toEqual([]);
  });

  it('is given up with the attempt when the look-up takes no end', async () => {
    const post = postOverNetwork(true, () => new Promise(() => {}));
    const abort = new AbortController();
    const sent = post(posting('http://dealer.example/', abort.signal));
    abort.abort(new Error('too long'));
    await expect(sent).rejects.toThrow('too long');
    await expect(post(posting('http://dealer.example/', abort.signal))).rejects.toThrow('too long');
  });
});
