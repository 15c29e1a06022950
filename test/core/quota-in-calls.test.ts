import { describe, expect, it } from 'vitest';
import { responseOf } from '../../src/core/reply/reply.js';
import { refusal } from '../support/bid-replies.js';
import { accepted, dealer, event, loggerOf, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

const taken: Step = { status: 201, json: accepted() };
const tooMany = (headers: Record<string, string> = {}): Step => ({
  status: 429,
  json: { message: 'Too Many Attempts.' },
  headers,
});
const broken: Step = { status: 500, json: { message: 'Server Error' } };
const two = { limit: 2, window: 1_000, margin: 0 };
const times = (count: number, step: Step) => Array.from({ length: count }, () => step);

describe('the quota of a client', () => {
  it('signs after the wait, with the time of that moment', async () => {
    const { client, transport, clock } = dealer(times(3, event), { quota: two });
    const calls = ['a', 'b', 'c'].map((id) => client.events.get(id));
    await clock.advance(1_000);
    const [first, , third] = await Promise.all(calls);
    const stamps = transport.sent.map(({ headers }) => Number(headers['X-Timestamp']));
    expect(stamps.map((stamp) => stamp - (stamps[0] ?? 0))).toEqual([0, 0, 1]);
    expect(responseOf(first).timings.queued).toBe(0);
    expect(responseOf(third).timings).toEqual({ queued: 1_000, total: 1_000 });
  });

  it('lets bids go before reads, look-ups of bids with them, and takes a lane from the options', async () => {
    const quota = { ...two, limit: 1 };
    const { client, transport, clock } = dealer(times(9, event), { quota });
    await client.integration.profile();
    const calls: Promise<unknown>[] = [
      client.events.get('poll', { lane: 'poll' }),
      client.events.get('read'),
      client.bids.requestCancellation('bid_1', { reason_code: 'x' }),
      client.bids.submit('lot_1', { amount: '1' }),
    ];
    // A write is recorded before it queues.
    await clock.advance(0);
    calls.push(client.bids.lookup('3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f'));
    const settled = Promise.allSettled(calls);
    await clock.advance(9_000);
    await settled;
    expect(transport.sent.map(({ path }) => path.replace('/api/v1/', ''))).toEqual([
      'lots/lot_1/bids',
      'bid-requests/3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f',
      'bids/bid_1/cancellation-requests',
      'events/read',
      'events/poll',
    ]);
  });

  it('ends a wait at once on abort and at the deadline, and sends nothing', async () => {
    const { client, transport, clock } = dealer([event], { quota: two });
    await Promise.all([client.integration.profile(), client.events.get('b')]);
    const abort = new AbortController();
    const aborted = rejection(client.bids.submit('lot_1', { amount: '1' }, { signal: abort.signal }));
    const late = rejection(client.bids.submit('lot_2', { amount: '1' }, { deadline: 400 }));
    abort.abort(new Error('changed my mind'));
    expect(await aborted).toMatchObject({ name: 'AbortedError', outcome: 'not_sent', attempts: 0 });
    await clock.advance(400);
    const error = await late;
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent', attempts: 0 });
    expect(String(error)).toContain('waited for the request quota');
    expect(transport.sent).toHaveLength(1);
    expect(clock.pending).toEqual([]);
  });

  // rule: limit.requests
  it('is one for all clients of an origin in real time, unless a client wants its own', async () => {
    const transport = { transport: dealer(times(9, event)).transport, clock: {}, deadline: 20 };
    const strict = { ...transport, baseUrl: 'https://shared.example/api/v1', quota: { limit: 1 } };
    const one = dealer([], strict).client;
    const other = dealer([], strict).client;
    const own = dealer([], { ...strict, quota: { limit: 1, scope: 'client' } }).client;
    await one.events.get('a');
    expect(await rejection(other.events.get('b'))).toMatchObject({ name: 'TimeoutError', attempts: 0 });
    await own.events.get('c');
    await Promise.all([one, other, own].map((client) => client.close()));
  });

  it('counts a slow request from its reply on: the service counts arrivals', async () => {
    const quota = { limit: 1, window: 10_000, margin: 0 };
    const { client, transport, clock } = dealer([{ hang: true }, event], { quota });
    const first = rejection(client.events.get('a', { timeout: 5_000, maxAttempts: 1 }));
    const second = client.events.get('b');
    await clock.advance(14_999);
    expect(transport.sent).toHaveLength(1);
    await clock.advance(1);
    expect(transport.sent).toHaveLength(2);
    await Promise.all([first, second]);
  });
});

describe('a 429', () => {
  // rule: code.rate-limit
  it.each<[Record<string, string>, ms: number]>([
    [{}, 1_000],
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': 'Mon, 02 Mar 2026 06:00:07 GMT', date: 'Mon, 02 Mar 2026 06:00:00 GMT' }, 7_000],
  ])('holds back every call of the key, as long as it says or for a second: %o', async (headers, ms) => {
    const { client, transport, clock } = dealer([tooMany(headers), event, taken]);
    await client.integration.profile();
    const first = client.events.get('a');
    await clock.advance(0);
    const bid = client.bids.submit('lot_1', { amount: '1' });
    await clock.advance(ms - 1);
    expect(transport.sent).toHaveLength(1);
    await clock.advance(1);
    await Promise.all([first, bid]);
    expect(transport.sent).toHaveLength(3);
  });

  it('and a full window are told of, once a minute', async () => {
    const lines: unknown[] = [];
    const logger = loggerOf((message) => lines.push(message));
    const quota = { ...two, limit: 1 };
    const { client, clock } = dealer(times(6, event), { quota, logger, logLevel: 'warn' });
    const calls = Array.from({ length: 6 }, () => client.events.get('a'));
    await clock.advance(6_000);
    await Promise.all(calls);
    expect(lines).toEqual(['The request quota is used up or paused; calls are queued']);
  });

  it('surfaces past the ceiling of a minute, with the wait on it, and holds others back up to the ceiling', async () => {
    const steps = [tooMany({ 'retry-after': '3600' }), event];
    const lines: unknown[] = [];
    const logger = loggerOf((message, fields) => lines.push([message, fields]));
    const options = { deadline: 7_200_000, logger, logLevel: 'warn' } as const;
    const { client, transport, clock } = dealer(steps, options);
    const error = await rejection(client.events.get('a'));
    expect(error).toMatchObject({ name: 'RateLimitError', retryAfter: 3_600_000, attempts: 1 });
    const cut = { operation: 'events.get', retryAfter: 3_600_000, pause: 60_000 };
    expect(lines).toContainEqual([
      'The service asks for a longer wait than calls pause',
      expect.objectContaining(cut),
    ]);
    const next = client.events.get('b');
    await clock.advance(59_999);
    expect(transport.sent).toHaveLength(1);
    await clock.advance(1);
    await next;
  });

  it('is alone in that: a 503 with Retry-After paces its own call, and holds back no bid', async () => {
    const busy: Step = { status: 503, json: { message: 'x' }, headers: { 'retry-after': '3' } };
    const { client, transport, clock } = dealer([busy, taken, event]);
    const read = client.events.get('a');
    await clock.advance(0);
    await client.bids.submit('lot_1', { amount: '1' });
    await clock.advance(2_999);
    expect(transport.sent).toHaveLength(2);
    await clock.advance(1);
    await read;
  });
});

describe('the retry budget', () => {
  it('stops a storm: thirty retries, then failures are final but those of bids, until calls succeed', async () => {
    const steps = [...times(70, broken), ...times(2, broken), ...times(11, event), ...times(3, broken)];
    const { client, transport, clock } = dealer(steps, { maxAttempts: 2 });
    const calls = Array.from({ length: 40 }, (_, index) => rejection(client.events.get(`auc_${index}`)));
    await clock.advance(10_000);
    await Promise.all(calls);
    expect(transport.sent).toHaveLength(70);
    const bid = rejection(client.bids.submit('lot_1', { amount: '1' }));
    await clock.advance(10_000);
    expect(await bid).toMatchObject({ attempts: 2, outcome: 'unknown' });
    for (let good = 0; good < 11; good += 1) await client.events.get('auc_1');
    const again = rejection(client.events.get('auc_1'));
    await clock.advance(10_000);
    expect(await again).toMatchObject({ attempts: 2 });
    expect(await rejection(client.events.get('auc_1'))).toMatchObject({ attempts: 1 });
  });

  it('is not drawn on by a 429 or a replayed nonce', async () => {
    const replayed = refusal(409, 'NONCE_REPLAYED');
    const { client, clock } = dealer(times(40, replayed).flatMap((step) => [step, event]));
    for (let call = 0; call < 40; call += 1) {
      const done = client.events.get('auc_1');
      await clock.advance(1);
      expect(responseOf(await done).attempts).toBe(2);
    }
  });
});
