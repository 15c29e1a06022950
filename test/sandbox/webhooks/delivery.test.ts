import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { signedDelivery } from '../../../src/sandbox/webhooks/post.js';
import vectors from '../../vectors/webhooks.json' with { type: 'json' };
import { onManualClock } from '../caller.js';
import { storyOf } from '../story.js';
import { Receiver, signatureOf, subscribed } from './receivers.js';

let receiver: Receiver;
let sandbox: Sandbox;
let secret: string;
let subscription: string;
/** A dealer is subscribed to everything. */
beforeEach(async () => {
  receiver = new Receiver();
  sandbox = await onManualClock({ webhooks: { send: receiver.send } });
  ({ id: subscription, secret } = await subscribed(sandbox, sandbox.credentials.dealer));
});
afterEach(() => sandbox.close());

const begun = Date.parse('2026-03-01T10:00:00Z');
const waits = [10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000];
const never = () => new Promise<never>(() => {});
const settled = () => sandbox.webhooks.settled();
const bodies = () => receiver.events.map(({ text }) => text);
const delivery = (id: string) => {
  const found = sandbox.webhooks.deliveries().find((each) => each.id === id);
  if (found === undefined) throw new Error(`no delivery ${id}`);
  return found;
};
/** Makes an event for all who are subscribed; the id of its first delivery. */
const event = (more = {}) =>
  sandbox.webhooks.send({ type: 'sale.acknowledged', data: {}, ...more })[0]?.id ?? '';
/** The same, until its first attempt has been answered. */
async function told(says: Receiver['says'], more = {}) {
  receiver.says = says;
  const id = event(more);
  await settled();
  return id;
}
/** Moves time by each of the waits, and waits for what falls due. */
async function go(...steps: number[]) {
  for (const ms of steps) {
    sandbox.clock.advance(ms);
    await settled();
  }
}

describe('a delivery', () => {
  // rule: webhook.signed, event.envelope, version.2
  it('is a signed POST of the envelope, literally', async () => {
    const { sold } = await storyOf(sandbox, {}, 'approve');
    await settled();
    const [got, ...others] = receiver.events.filter(({ event }) => event.type === 'sale.approved');
    if (got === undefined) throw new Error('nothing came');
    expect([others, got.method, got.url]).toEqual([[], 'POST', 'https://receiver.example/hooks']);
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-type': 'application/json',
      'service-timestamp': '1772359200',
      'service-signature': signatureOf(secret, got),
      'service-event-id': got.event.id,
    });
    expect(got.event).toEqual({
      id: expect.stringMatching(/^evt_/),
      ...{ type: 'sale.approved', schema_version: 1, created_at: '2026-03-01T10:00:00.000Z' },
      data: expect.objectContaining({ resource_id: sold.saleId, resource_version: 2, lot_id: sold.lotId }),
    });
    expect(sandbox.webhooks.deliveries().find(({ type }) => type === 'sale.approved')).toEqual({
      id: expect.stringMatching(/^whd_/),
      ...{ subscriptionId: subscription, eventId: got.event.id, type: 'sale.approved', body: got.text },
      ...{ state: 'delivered', nextAttemptAt: null, repeats: null },
      attempts: [{ at: begun, outcome: 'acknowledged', status: 200, problem: null }],
    });
  });

  // rule: webhook.stale, delivery.1, delivery.3, limit.webhook-attempts
  it('is attempted eight times at the most: the same body and event, a fresh time and signature', async () => {
    const id = await told([503]);
    let due = begun;
    const times = [begun];
    for (const [n, wait] of waits.entries()) {
      due += wait;
      times.push(due);
      expect(delivery(id)).toMatchObject({ state: 'pending', nextAttemptAt: due });
      await go(wait - 1);
      expect(receiver.events).toHaveLength(n + 1);
      await go(1);
    }
    expect(delivery(id)).toMatchObject({ state: 'failed', nextAttemptAt: null });
    await go(365 * 86_400_000);
    const ids = receiver.events.map(({ headers }) => headers.get('service-event-id'));
    expect([new Set(bodies()).size, new Set(ids).size]).toEqual([1, 1]);
    expect(receiver.events.map(({ headers }) => headers.get('service-timestamp'))).toEqual(
      times.map((at) => String(at / 1_000)),
    );
    for (const got of receiver.events)
      expect(got.headers.get('service-signature')).toBe(signatureOf(secret, got));
    const refused = { outcome: 'refused', status: 503, problem: null };
    expect(delivery(id).attempts).toEqual(times.map((at) => ({ at, ...refused })));
  });

  // rule: delivery.3
  it.each([
    ['delivered', [200, 201, 204]],
    ['failed', [301, 302, 307, 400, 401, 404, 409, 410]],
    ['pending', [408, 425, 429, 500, 502, 503, 599]],
  ] as const)('is %s once it is answered with %j', async (state, statuses) => {
    for (const status of statuses) {
      expect(delivery(await told([status]))).toMatchObject({ state, attempts: [{ status }] });
    }
  });

  // rule: delivery.3
  it('that nobody answers is given up after ten seconds, and tried again', async () => {
    receiver.says = [never(), 200];
    const id = event();
    const ended = settled();
    await new Promise(setImmediate);
    sandbox.clock.advance(9_999);
    await new Promise(setImmediate);
    expect(delivery(id)).toMatchObject({ state: 'pending', attempts: [], nextAttemptAt: null });
    sandbox.clock.advance(1);
    await ended;
    const attempts = [{ at: begun, outcome: 'timed_out', status: null, problem: expect.any(String) }];
    expect(delivery(id)).toMatchObject({ attempts, nextAttemptAt: begun + 20_000 });
    await go(9_999);
    expect(receiver.events).toHaveLength(1);
    await go(1);
    expect(delivery(id).state).toBe('delivered');
  });

  it('does not lose its time to an advance that comes right after the event', async () => {
    const id = event();
    await go(3_600_000);
    expect(delivery(id)).toMatchObject({ state: 'delivered', attempts: [{}] });
    expect(receiver.events[0]?.headers.get('service-timestamp')).toBe('1772362800');
    expect(receiver.events[0]?.event.created_at).toBe('2026-03-01T10:00:00.000Z');
  });

  it('that a closed sandbox had begun comes to an end, and no other begins', async () => {
    receiver.says = [never()];
    const id = event();
    const ended = settled();
    await new Promise(setImmediate);
    await sandbox.close();
    await ended;
    expect(delivery(id).attempts).toEqual([]);
    event();
    await go(86_400_000);
    expect(receiver.events).toHaveLength(1);
  });

  it('comes on a clock that runs, too', async () => {
    sandbox.clock.resume();
    expect(delivery(await told([200])).state).toBe('delivered');
  });

  it('has its answer with the status, though its body takes no end', async () => {
    receiver.says = [new Response(new ReadableStream({ pull: never }), { status: 202 })];
    const id = event();
    const ended = settled();
    await new Promise(setImmediate);
    sandbox.clock.advance(10_000);
    await ended;
    const attempts = [{ outcome: 'acknowledged', status: 202 }];
    expect(delivery(id)).toMatchObject({ state: 'delivered', attempts });
  });

  it('shows no secret and no signature anywhere', async () => {
    await told([500]);
    const shown = [sandbox.webhooks, sandbox.webhooks.subscriptions(), sandbox.webhooks.deliveries()];
    const text = inspect(shown, { depth: 20, showHidden: true }) + JSON.stringify(shown);
    expect(text).not.toContain(secret);
    expect(text).not.toContain('v1=');
  });
});

describe('the control of deliveries', () => {
  // rule: delivery.4
  it('replays what was delivered or has failed: the same event, eight attempts again', async () => {
    const delivered = await told([200]);
    const failed = await told([400]);
    receiver.says = [500];
    for (const id of [delivered, failed]) {
      const before = receiver.events.length;
      const again = sandbox.webhooks.replay(id);
      const { eventId, body } = delivery(id);
      expect(again).toMatchObject({ repeats: id, eventId, body, state: 'pending' });
      expect(() => sandbox.webhooks.replay(again.id)).toThrow(again.id);
      await go(0, ...waits);
      expect([receiver.events.length - before, delivery(again.id).state]).toEqual([8, 'failed']);
    }
    expect(delivery(delivered)).toMatchObject({ state: 'delivered', attempts: [{}] });
    expect(() => sandbox.webhooks.replay('whd_none')).toThrow(RangeError);
  });

  // rule: delivery.1
  it('delivers an event a second time, pending or not, once', async () => {
    const id = await told([500]);
    const again = sandbox.webhooks.deliverAgain(id);
    await settled();
    const { eventId, body } = delivery(id);
    expect(bodies()).toEqual([body, body]);
    expect(delivery(again.id)).toMatchObject({ state: 'failed', repeats: id, eventId });
    sandbox.webhooks.deliverAgain(again.id);
    await settled();
    expect(bodies()).toEqual([body, body, body]);
  });

  // rule: event.other
  it('sends what nothing has caused: an old version, under an id of before, to one or all', async () => {
    await subscribed(sandbox, sandbox.credentials.bank);
    receiver.toChallenge = () => new Response(null, { status: 404 });
    await subscribed(sandbox, sandbox.credentials.rival);
    const wanted = { type: 'payment.verified', data: { resource_version: 1 }, id: 'evt_before' };
    expect(sandbox.webhooks.send(wanted)).toHaveLength(2);
    expect(sandbox.webhooks.send({ ...wanted, subscriptionId: subscription })).toHaveLength(1);
    await settled();
    const sent = { ...wanted, schema_version: 1, created_at: '2026-03-01T10:00:00.000Z' };
    expect(receiver.events.map((each) => each.event)).toEqual([sent, sent, sent]);
    expect(() => sandbox.webhooks.send({ ...wanted, subscriptionId: 'whs_none' })).toThrow(RangeError);
  });

  // rule: webhook.stale
  it.each([
    ['signature', ['signature']],
    ['body', ['signature', 'body']],
    ['timestamp', ['timestamp']],
    ['event-id', ['event-id']],
  ] as const)('sends a delivery with a wrong %s, attempted once', async (tamper, wrong) => {
    const id = await told([500], { tamper });
    expect(delivery(id)).toMatchObject({ state: 'failed', attempts: [{ status: 500 }] });
    const [got] = receiver.events;
    if (got === undefined) throw new Error('nothing came');
    const right = {
      signature: got.headers.get('service-signature') === signatureOf(secret, got),
      timestamp: got.headers.get('service-timestamp') === '1772359200',
      'event-id': got.headers.get('service-event-id') === got.event.id,
      body: got.text === delivery(id).body,
    };
    expect(Object.entries(right).flatMap(([what, ok]) => (ok ? [] : [what]))).toEqual(wrong);
  });

  it('holds deliveries back during a pause, and loses none', async () => {
    const waiting = await told([500]);
    sandbox.webhooks.pause();
    await told([200]);
    await go(86_400_000);
    expect(receiver.events).toHaveLength(1);
    sandbox.webhooks.resume();
    await settled();
    expect([receiver.events.length, delivery(waiting).state]).toEqual([3, 'delivered']);
  });

  // rule: delivery.5
  it('loses what happens during a pause that loses, and only that', async () => {
    sandbox.webhooks.pause({ lose: true });
    const story = await storyOf(sandbox, {}, 'approve');
    sandbox.webhooks.resume();
    await settled();
    expect(receiver.events).toEqual([]);
    await story.go('acknowledge');
    await settled();
    expect(receiver.events.map((each) => each.event.type)).toEqual(['sale.acknowledged']);
  });

  // rule: version.3
  it('delivers in the wrong order: the newest version first', async () => {
    sandbox.webhooks.pause();
    for (const resource_version of [2, 3, 4]) event({ data: { resource_version } });
    await go(1);
    sandbox.webhooks.resume({ newestFirst: true });
    await settled();
    expect(receiver.events.map((each) => each.event.data.resource_version)).toEqual([4, 3, 2]);
  });
});

// rule: webhook.signed
it('a delivery is signed as the vectors are', () => {
  const valid = vectors.filter((vector) => vector.valid);
  expect(valid.length).toBeGreaterThan(5);
  for (const vector of valid) {
    const body = Buffer.from(vector.raw_body_base64, 'base64');
    const signed = signedDelivery(
      vector.secret,
      { id: 'evt_1', body },
      Number(vector.timestamp) * 1_000 + 999,
    );
    expect(signed.headers).toMatchObject({
      'Service-Timestamp': vector.timestamp,
      'Service-Signature': vector.signature_header,
    });
    expect(Buffer.from(signed.body).equals(body)).toBe(true);
  }
});

// rule: delivery.3
it('a delivery ends with the first acknowledgment, whichever attempt it comes to', async () => {
  const id = await told([500, new Error('no route'), 204]);
  await go(10_000, 30_000, 86_400_000);
  expect(delivery(id)).toMatchObject({ state: 'delivered', nextAttemptAt: null });
  expect(delivery(id).attempts.map(({ outcome, status, problem }) => [outcome, status, problem])).toEqual([
    ['refused', 500, null],
    ['unreachable', null, 'no route'],
    ['acknowledged', 204, null],
  ]);
});
