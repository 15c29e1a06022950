import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { describe, expect, it } from 'vitest';
import type { BidOutcome } from '../../src/bids/types.js';
import { undiciTransport } from '../../src/core/transport/undici.js';
import { authority, server as identity } from '../support/certificates.js';
import { accepted, KEY, overSockets, rejection } from '../support/clients.js';
import { connectProxy } from '../support/connect-proxy.js';
import { deferred, listen } from '../support/loopback.js';
import { ToldTime } from '../support/told-time.js';
import { requestTo } from '../support/transport-request.js';
import { VirtualClock } from '../support/virtual-clock.js';

/** A bid may leave until its `placeBy`, and a connection can take longer than that: here one through a slow proxy. */

const IN_TIME_MS = 300;

const accepting: RequestListener = (req, res) => {
  req.resume().on('end', () => {
    res.writeHead(201, { 'content-type': 'application/json' });
    res.end(JSON.stringify(accepted()));
  });
};

interface Scene {
  readonly clock: VirtualClock;
  /** By what the wall is ahead of the timers, which are late after a stall. */
  readonly stall: (ms: number) => void;
  readonly placing: Promise<BidOutcome>;
  readonly open: () => void;
  /** Resolves when another call has been answered. */
  readonly call: () => Promise<unknown>;
  readonly arrived: Promise<unknown>;
  readonly requests: readonly string[];
}

/** A bid whose tunnel has been asked for, and not been opened. */
async function slowly(serve: RequestListener, play: (scene: Scene) => Promise<void>): Promise<void> {
  const server = createServer(identity, serve);
  const arrived = new Promise((resolve) => server.once('request', resolve));
  await using target = await listen(server);
  let tunnels = 0;
  const { promise: isAsked, resolve: asked } = deferred();
  await using proxy = await connectProxy(target.port, {
    answer: () => {
      asked();
      return tunnels++ === 0 ? 'wait' : 'open';
    },
  });
  const clock = new VirtualClock();
  let stalledMs = 0;
  const tunnelled = undiciTransport({ tls: { ca: authority }, proxy: `http://${proxy.host}` });
  await using client = overSockets('https://bank.test/api/v1', {
    transport: new ToldTime(tunnelled, clock),
    clock: {
      now: () => clock.now() + stalledMs,
      monotonic: () => clock.monotonic() + stalledMs,
      after: (ms, callback) => clock.after(ms, callback),
    },
  });
  const bid = { lot: 'lot_1', amount: '465000', placeBy: clock.now() + IN_TIME_MS };
  const limits = { maxAttempts: 1, timeout: 2_000, deadline: 2_500 };
  const placing = client.bids.place(bid, { idempotencyKey: KEY, ...limits });
  await isAsked;
  await play({
    clock,
    stall: (ms) => {
      stalledMs = ms;
    },
    placing,
    open: () => proxy.tunnels[0]?.open(),
    call: () => rejection(client.events.get('auc_1', { maxAttempts: 1 })),
    arrived,
    requests: target.requests,
  });
}

describe('a bid whose connection takes long', () => {
  it('is not sent once its time has passed, and the tunnel that opens later carries nothing of it', async () => {
    await slowly(accepting, async ({ clock, placing, open, call, requests }) => {
      await clock.advance(IN_TIME_MS);
      expect(await placing).toMatchObject({
        status: 'not_sent',
        attempts: 1,
        what: expect.stringContaining('the latest time to send it has passed'),
      });
      expect(clock.monotonic()).toBe(IN_TIME_MS);
      open();
      await call();
      expect(requests).toEqual(['GET /api/v1/events/auc_1']);
    });
  });

  it('is not sent where the connection stands before a late timer says that its time has passed', async () => {
    await slowly(accepting, async ({ stall, placing, open, requests }) => {
      stall(IN_TIME_MS);
      open();
      expect(await placing).toMatchObject({ status: 'not_sent', attempts: 1 });
      expect(requests).toEqual([]);
    });
  });

  it('is sent where it still can be, and then has the rest of its own time for a reply', async () => {
    await slowly(
      () => undefined,
      async ({ clock, placing, open, arrived }) => {
        await clock.advance(IN_TIME_MS - 1);
        open();
        await arrived;
        expect(clock.asked.at(-1)).toBe(2_000 - (IN_TIME_MS - 1));
        await clock.advance(3_000);
        const { status, what } = await placing;
        expect(status).toBe('unknown');
        expect(what).toContain('no reply within 2000 ms');
        expect(clock.pending).toEqual([]);
      },
    );
  });
});

describe('the default transport', () => {
  it('says when it begins to connect, and right before the first byte; it sends nothing where that fails', async () => {
    const events: string[] = [];
    await using target = await listen(
      createServer(identity, (_, res) => res.end(void events.push('arrived'))),
    );
    const transport = undiciTransport({ tls: { ca: authority } });
    const url = `https://localhost:${target.port}`;
    const connecting = () => {
      events.push('connecting');
      return () => events.push('leaving');
    };
    (await transport.send(requestTo(url, { connecting }))).discard();
    expect(events).toEqual(['connecting', 'leaving', 'arrived']);

    const broken = () => () => {
      throw new Error('no clock');
    };
    const failure = await rejection(transport.send(requestTo(url, { connecting: broken })));
    expect(failure).toMatchObject({ sent: 'no', cause: { message: 'no clock' } });
    const end = new AbortController();
    const ending = () => () => end.abort(new Error('too late'));
    const ended = transport.send(requestTo(url, { connecting: ending, signal: end.signal }));
    expect(await rejection(ended)).toMatchObject({ sent: 'no', cause: { message: 'too late' } });
    expect(target.requests).toHaveLength(1);
    await transport.close();
  });
});
