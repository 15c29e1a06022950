import { SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { instrument } from '../../src/opentelemetry/index.js';
import { acceptance } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { event } from '../support/clients.js';
import { BID, BRIEF, KEYED, LOST } from '../support/placed-bids.js';
import { receiverWith, saleApproved } from '../webhooks/delivery.js';
import { Telemetry, valuesOf } from './scrape.js';

const telemetry = new Telemetry();
afterAll(() => telemetry.end());
beforeEach(() => telemetry.spans.reset());

const spansNamed = (name: string): readonly ReadableSpan[] =>
  telemetry.spans.getFinishedSpans().filter((span) => span.name === name);

describe('metrics of an instrumented client', () => {
  it('include its quota, clock, unresolved intents and units of work of the store', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([LOST]);
    const attributes = { bank: 'gauges' };
    const stop = instrument(client, { attributes });
    await scene.during(client.bids.place(BID, BRIEF));
    await scene.clock.advance(300_000);
    const scrape = await telemetry.scrape();
    const one = (name: string, labels = {}) => valuesOf(scrape, name, { ...attributes, ...labels });
    expect(one('vehicle_auction_intents_unresolved', { vehicle_auction_intent_state: 'sent' })).toEqual([1]);
    expect(one('vehicle_auction_intents_unresolved', { vehicle_auction_intent_state: 'stuck' })).toEqual([0]);
    expect(one('vehicle_auction_intents_oldest_age')[0]).toBeGreaterThanOrEqual(300);
    expect(one('vehicle_auction_quota_limit')).toEqual([120]);
    expect(one('vehicle_auction_quota_available', { vehicle_auction_quota_lane: 'bid' })).toHaveLength(1);
    expect(one('vehicle_auction_clock_offset')).toEqual([0]);
    expect(one('vehicle_auction_store_duration_count')[0]).toBeGreaterThan(1);
    stop();
    await scene.clock.advance(60_000);
    const oldest = one('vehicle_auction_intents_oldest_age');
    expect(valuesOf(await telemetry.scrape(), 'vehicle_auction_intents_oldest_age', attributes)).toEqual(
      oldest,
    );
  });

  it('keep two clients of one process apart by their attributes', async () => {
    const scene = new Scene();
    const stops = ['first', 'second'].map((bank) =>
      instrument(scene.dealer([event]).client, { attributes: { bank } }),
    );
    const scrape = await telemetry.scrape();
    for (const bank of ['first', 'second'])
      expect(valuesOf(scrape, 'vehicle_auction_quota_used', { bank })).toEqual([0]);
    for (const stop of stops) stop();
  });

  it('count an outcome once', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([acceptance()]);
    const attributes = { bank: 'outcomes' };
    const stop = instrument(client, { attributes });
    await scene.during(client.bids.place(BID, KEYED));
    const labels = { ...attributes, vehicle_auction_outcome: 'accepted' };
    expect(valuesOf(await telemetry.scrape(), 'vehicle_auction_outcomes_total', labels)).toEqual([1]);
    stop();
  });
});

describe('an instrumented watch of lots', () => {
  it('reports how old the oldest status of a live lot is, and why, until it ends', async () => {
    const scene = new Scene();
    const status = { lot_id: 'lot_1', resource_version: 1, auction_state: 'live' };
    const read = { status: 200, json: { data: [{ lot_id: 'lot_1', status: 200, data: status }] } };
    const { client } = scene.dealer([read, ...Array(99).fill({ status: 503, json: {} })]);
    const attributes = { bank: 'watch' };
    const stop = instrument(client, { attributes });
    const end = new AbortController();
    const changes = client.lots.watch(['lot_1'], { signal: end.signal })[Symbol.asyncIterator]();
    await scene.during(changes.next());
    const scraped = async () => {
      const scrape = await telemetry.scrape();
      const running = (status: string) =>
        valuesOf(scrape, 'vehicle_auction_watches', { ...attributes, vehicle_auction_watch_status: status });
      const staleness = valuesOf(scrape, 'vehicle_auction_watch_staleness', attributes);
      return { staleness, kept: running('kept'), outage: running('outage') };
    };
    expect(await scraped()).toEqual({ staleness: [0], kept: [1], outage: [0] });
    await scene.clock.advance(300_000);
    const late = await scraped();
    expect(late).toMatchObject({ kept: [0], outage: [1] });
    expect(late.staleness[0]).toBeGreaterThanOrEqual(299);
    expect((await client.metrics()).watches).toMatchObject([{ lots: 1, live: 1, status: 'outage' }]);
    end.abort();
    await scene.clock.advance(1_000);
    expect(await scraped()).toEqual({ staleness: [0], kept: [0], outage: [0] });
    stop();
  });
});

describe('requests of an instrumented client that are queued for the quota', () => {
  it('are counted with their wait by lane, also those that are given up, and no others are', async () => {
    const scene = new Scene();
    const quota = { scope: 'client', limit: 1, reserve: 0, window: 10_000, margin: 0 } as const;
    const { client } = scene.dealer([event, event, event], { quota });
    const attributes = { bank: 'waits' };
    const stop = instrument(client, { attributes });
    const waits = async (labels: Readonly<Record<string, string>>) =>
      valuesOf(await telemetry.scrape(), 'vehicle_auction_quota_wait_count', { ...attributes, ...labels });
    await scene.during(client.events.get('auc_1'));
    expect(await waits({})).toEqual([]);
    await scene.during(client.events.get('auc_1', { lane: 'poll' }));
    expect(await waits({})).toEqual([1]);
    expect(await waits({ vehicle_auction_quota_lane: 'poll' })).toEqual([1]);
    await scene.during(client.events.get('auc_1', { deadline: 1_000 }).catch(() => undefined));
    expect(await waits({ vehicle_auction_quota_lane: 'read', error_type: 'not_sent' })).toEqual([1]);
    stop();
  });
});

describe('an instrumented follower', () => {
  it('has a trace for each item, and is behind while its handler fails', async () => {
    const scene = new Scene();
    const page = { status: 200, json: { data: [{ sale_id: 'sale_1' }], next_cursor: null } };
    const { client } = scene.dealer(Array(40).fill(page));
    const attributes = { bank: 'follower' };
    const stop = instrument(client, { attributes });
    let isBroken = true;
    const handled: unknown[] = [];
    const end = new AbortController();
    const following = client.winnerUpdates.follow({
      name: 'books',
      signal: end.signal,
      handle: (item) => {
        if (isBroken) throw new TypeError('no database');
        handled.push(item);
      },
    });
    await scene.clock.advance(1_500);
    const follower = { ...attributes, vehicle_auction_follower: 'books' };
    const failing = await telemetry.scrape();
    expect(valuesOf(failing, 'vehicle_auction_follower_failures', follower)[0]).toBeGreaterThan(0);
    expect(valuesOf(failing, 'vehicle_auction_follower_behind', follower)).toEqual([1.5]);
    isBroken = false;
    await scene.clock.advance(10_000);
    const working = await telemetry.scrape();
    expect(handled).toHaveLength(1);
    expect(valuesOf(working, 'vehicle_auction_follower_failures', follower)).toEqual([0]);
    const items = spansNamed('winnerUpdates.follow');
    expect(items.every(({ parentSpanContext }) => parentSpanContext === undefined)).toBe(true);
    expect(items[0]?.status.code).toBe(SpanStatusCode.ERROR);
    expect(items.at(-1)?.status.code).toBe(SpanStatusCode.UNSET);
    end.abort();
    await scene.during(following);
    await scene.clock.advance(900_000);
    expect(valuesOf(await telemetry.scrape(), 'vehicle_auction_follower_behind', follower)).toEqual([0]);
    stop();
  });
});

describe('an instrumented webhook receiver', () => {
  it('has a trace for each attempt to handle an event, linked to the delivery', async () => {
    const { receiver, take, clock } = receiverWith({
      maxAttempts: 2,
      on: {
        '*': () => {
          throw new TypeError('no database');
        },
      },
    });
    const attributes = { bank: 'webhooks' };
    const stop = instrument(receiver, { attributes });
    expect(await take(saleApproved)).toMatchObject({ outcome: 'kept' });
    expect(await take(saleApproved, 'wrong')).toMatchObject({ outcome: 'refused' });
    await clock.advance(2_000);
    const [delivery] = spansNamed('webhooks.receive');
    const [first, second] = spansNamed('webhooks.handle');
    expect(delivery?.attributes).toMatchObject({
      'vehicle_auction.outcome': 'kept',
      'vehicle_auction.webhook.event_id': 'evt_1',
    });
    expect(first?.parentSpanContext).toBeUndefined();
    expect(first?.links.map(({ context }) => context.spanId)).toEqual([delivery?.spanContext().spanId]);
    expect(first?.attributes).toMatchObject({ 'vehicle_auction.webhook.attempt': 1, 'error.type': 'failed' });
    expect(second?.attributes).toMatchObject({ 'vehicle_auction.outcome': 'failed_permanently' });
    const scrape = await telemetry.scrape();
    const counted = (name: string, outcome: string) =>
      valuesOf(scrape, `vehicle_auction_webhook_${name}_total`, {
        ...attributes,
        vehicle_auction_outcome: outcome,
      });
    expect(counted('deliveries', 'kept')).toEqual([1]);
    expect(counted('deliveries', 'refused')).toEqual([1]);
    expect(counted('handlings', 'failed')).toEqual([1]);
    expect(counted('handlings', 'failed_permanently')).toEqual([1]);
    stop();
    await receiver.close();
  });
});
