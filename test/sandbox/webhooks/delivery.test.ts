import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/index.js';
import { approvedLot } from '../workflow.js';
import { Receiver, signatureOf, subscribed } from './receivers.js';

let receiver: Receiver;
let sandbox: Sandbox;
const start = async (options: SandboxOptions = {}) => {
  receiver = new Receiver();
  sandbox = await startSandbox({
    clock: 'manual',
    startAt: '2026-03-01T10:00:00Z',
    rateLimit: false,
    webhooks: { send: receiver.send },
    ...options,
  });
};
beforeEach(() => start());
afterEach(() => sandbox.close());

/** Closes the sandbox of the test, and goes on with another one. */
async function restart(options: SandboxOptions) {
  await sandbox.close();
  await start(options);
}

const url = 'https://receiver.example/hooks';
const waits = [10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000];
const delivery = (id: string) => {
  const found = sandbox.webhooks.deliveries().find((each) => each.id === id);
  if (found === undefined) throw new Error(`no delivery ${id}`);
  return found;
};

/** One event to a subscriber; returns the id of its delivery after the first attempt. */
async function told(says: Receiver['says'], type = 'sale.acknowledged') {
  receiver.says = says;
  const [made] = sandbox.webhooks.send({ type, data: { resource_version: 3 } });
  if (made === undefined) throw new Error('nobody is subscribed');
  await sandbox.webhooks.settled();
  return made.id;
}

/** Moves time by each of the waits, with an end of what falls due in between. */
async function go(...steps: number[]) {
  for (const ms of steps) {
    sandbox.clock.advance(ms);
    await sandbox.webhooks.settled();
  }
}

describe('a delivery', () => {
  // rule: webhook.signed, event.envelope, version.2
  it('is a signed POST of the envelope, literally', async () => {
    const { id, secret } = await subscribed(sandbox, sandbox.credentials.dealer);
    const sold = await approvedLot(sandbox);
    await sandbox.webhooks.settled();
    const [got, ...others] = receiver.events.filter(({ event }) => event.type === 'sale.approved');
    expect(others).toEqual([]);
    if (got === undefined) throw new Error('nothing came');
    expect([got.method, got.url]).toEqual(['POST', url]);
    expect(got.headers.get('content-type')).toBe('application/json');
    expect(got.headers.get('service-timestamp')).toBe('1772359200');
    expect(got.headers.get('service-signature')).toBe(signatureOf(secret, got));
    expect(got.headers.get('service-event-id')).toBe(got.event.id);
    expect(got.event).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'sale.approved',
      schema_version: 1,
      created_at: '2026-03-01T10:00:00.000Z',
      data: {
        resource_id: sold.saleId,
        resource_version: 2,
        lot_id: sold.lotId,
        sale: {
          id: sold.saleId,
          state: 'approved',
          winner: true,
          bank_decision_final: true,
          bank_confirmation_required: false,
          buyer_acknowledgment_required: true,
          bid_id: sold.bidId,
          bidder_reference: null,
          amount: sold.amount,
          currency: 'INR',
          terms_version: 'T1',
          due_at: '2026-03-08T10:00:00.000Z',
        },
      },
    });
    expect(sandbox.webhooks.deliveries().find(({ type }) => type === 'sale.approved')).toEqual({
      id: expect.stringMatching(/^whd_/),
      subscriptionId: id,
      eventId: got.event.id,
      type: 'sale.approved',
      body: got.text,
      state: 'delivered',
      attempts: [
        { at: Date.parse('2026-03-01T10:00:00Z'), outcome: 'acknowledged', status: 200, problem: null },
      ],
      nextAttemptAt: null,
      repeats: null,
    });
  });

  // rule: webhook.stale, delivery.1, delivery.3, limit.webhook-attempts
  it('is attempted eight times at the most: the same body and event, a fresh time and signature', async () => {
    const { secret } = await subscribed(sandbox, sandbox.credentials.dealer);
    const id = await told([503]);
    const begun = Date.parse('2026-03-01T10:00:00Z');
    let due = begun;
    for (const [n, wait] of waits.entries()) {
      due += wait;
      expect(delivery(id)).toMatchObject({ state: 'pending', nextAttemptAt: due });
      await go(wait - 1);
      expect(receiver.events).toHaveLength(n + 1);
      await go(1);
      expect(receiver.events).toHaveLength(n + 2);
    }
    expect(delivery(id)).toMatchObject({ state: 'failed', nextAttemptAt: null });
    await go(365 * 86_400_000);
    expect(receiver.events).toHaveLength(8);
    expect(new Set(receiver.events.map(({ text }) => text)).size).toBe(1);
    expect(new Set(receiver.events.map(({ headers }) => headers.get('service-event-id'))).size).toBe(1);
    let at = begun;
    for (const [n, got] of receiver.events.entries()) {
      at += n === 0 ? 0 : (waits[n - 1] ?? 0);
      expect(got.headers.get('service-timestamp')).toBe(String(at / 1_000));
      expect(got.headers.get('service-signature')).toBe(signatureOf(secret, got));
    }
    expect(delivery(id).attempts).toHaveLength(8);
    for (const attempt of delivery(id).attempts) {
      expect(attempt).toMatchObject({ outcome: 'refused', status: 503, problem: null });
    }
  });

  // rule: delivery.3
  it('ends with the first acknowledgment, whichever attempt it comes to', async () => {
    await subscribed(sandbox, sandbox.credentials.dealer);
    const id = await told([500, new Error('no route'), 204]);
    await go(10_000, 30_000);
    expect(delivery(id)).toMatchObject({
      state: 'delivered',
      nextAttemptAt: null,
      attempts: [
        { outcome: 'refused', status: 500 },
        { outcome: 'unreachable', status: null, problem: 'no route' },
        { outcome: 'acknowledged', status: 204 },
      ],
    });
    await go(86_400_000);
    expect(receiver.events).toHaveLength(3);
  });

  // rule: delivery.3
  it.each([
    [200, 'delivered'],
    [201, 'delivered'],
    [204, 'delivered'],
    [301, 'failed'],
    [302, 'failed'],
    [307, 'failed'],
    [400, 'failed'],
    [401, 'failed'],
    [404, 'failed'],
    [408, 'pending'],
    [409, 'failed'],
    [410, 'failed'],
    [425, 'pending'],
    [429, 'pending'],
    [500, 'pending'],
    [502, 'pending'],
    [503, 'pending'],
    [599, 'pending'],
  ] as const)('answered %i is %s', async (status, state) => {
    await subscribed(sandbox, sandbox.credentials.dealer);
    expect(delivery(await told([status]))).toMatchObject({ state, attempts: [{ status }] });
  });

  // rule: delivery.3
  it('that nobody answers is given up after ten seconds, and tried again', async () => {
    const [ms, wait] = [10_000, 10_000];
    await subscribed(sandbox, sandbox.credentials.dealer);
    receiver.says = [new Promise<Response>(() => {}), 200];
    const [made] = sandbox.webhooks.send({ type: 'sale.acknowledged', data: {} });
    const id = made?.id ?? '';
    const settled = sandbox.webhooks.settled();
    await new Promise(setImmediate);
    sandbox.clock.advance(ms - 1);
    await new Promise(setImmediate);
    expect(delivery(id)).toMatchObject({ state: 'pending', attempts: [], nextAttemptAt: null });
    sandbox.clock.advance(1);
    await settled;
    const [attempt] = delivery(id).attempts;
    expect(attempt).toEqual({
      at: Date.parse('2026-03-01T10:00:00Z'),
      outcome: 'timed_out',
      status: null,
      problem: `no answer in ${ms} ms`,
    });
    expect(delivery(id).nextAttemptAt).toBe(sandbox.clock.now() + wait);
    await go(wait - 1);
    expect(receiver.events).toHaveLength(1);
    await go(1);
    expect(delivery(id).state).toBe('delivered');
  });

  it('does not lose its time to an advance that comes right after the event', async () => {
    await subscribed(sandbox, sandbox.credentials.dealer);
    const [made] = sandbox.webhooks.send({ type: 'sale.acknowledged', data: {} });
    await go(3_600_000);
    expect(delivery(made?.id ?? '')).toMatchObject({ state: 'delivered', attempts: [{}] });
    expect(receiver.events[0]?.headers.get('service-timestamp')).toBe('1772362800');
    expect(receiver.events[0]?.event.created_at).toBe('2026-03-01T10:00:00.000Z');
  });

  it('that a closed sandbox had begun comes to an end, and no other begins', async () => {
    await subscribed(sandbox, sandbox.credentials.dealer);
    receiver.says = [new Promise<Response>(() => {})];
    const [made] = sandbox.webhooks.send({ type: 'sale.acknowledged', data: {} });
    const settled = sandbox.webhooks.settled();
    await new Promise(setImmediate);
    await sandbox.close();
    await settled;
    expect(delivery(made?.id ?? '').attempts).toEqual([]);
    sandbox.webhooks.send({ type: 'sale.acknowledged', data: {} });
    sandbox.clock.advance(86_400_000);
    await sandbox.webhooks.settled();
    expect(receiver.events).toHaveLength(1);
  });

  it('comes on a clock that runs, too', async () => {
    await restart({ clock: 'real' });
    await subscribed(sandbox, sandbox.credentials.dealer);
    expect(delivery(await told([200])).state).toBe('delivered');
  });

  it('has its answer with the status, though its body takes no end', async () => {
    await subscribed(sandbox, sandbox.credentials.dealer);
    const endless = new Response(new ReadableStream({ pull: () => new Promise(() => {}) }), { status: 202 });
    receiver.says = [endless];
    const [made] = sandbox.webhooks.send({ type: 'sale.acknowledged', data: {} });
    const settled = sandbox.webhooks.settled();
    await new Promise(setImmediate);
    sandbox.clock.advance(10_000);
    await settled;
    expect(delivery(made?.id ?? '')).toMatchObject({
      state: 'delivered',
      attempts: [{ outcome: 'acknowledged', status: 202 }],
    });
  });

  it('shows no secret and no signature anywhere', async () => {
    const { secret } = await subscribed(sandbox, sandbox.credentials.dealer);
    await told([500]);
    const shown = [sandbox.webhooks, sandbox.webhooks.subscriptions(), sandbox.webhooks.deliveries()];
    const { inspect } = await import('node:util');
    const text = inspect(shown, { depth: 20, showHidden: true }) + JSON.stringify(shown);
    expect(text).not.toContain(secret);
    expect(text).not.toContain('v1=');
  });
});

describe('hands on deliveries', () => {
  // rule: delivery.4
  it('replay what was delivered or has failed: the same event, eight attempts again', async () => {
    await subscribed(sandbox, sandbox.credentials.dealer);
    const delivered = await told([200]);
    const failed = await told([400]);
    receiver.says = [500];
    for (const id of [delivered, failed]) {
      const before = receiver.events.length;
      const again = sandbox.webhooks.replay(id);
      expect(again).toMatchObject({
        repeats: id,
        eventId: delivery(id).eventId,
        body: delivery(id).body,
        state: 'pending',
      });
      expect(() => sandbox.webhooks.replay(again.id)).toThrow(`delivery ${again.id} is pending`);
      await sandbox.webhooks.settled();
      await go(...waits);
      expect(receiver.events).toHaveLength(before + 8);
      expect(delivery(again.id).state).toBe('failed');
    }
    expect(delivery(delivered)).toMatchObject({ state: 'delivered', attempts: [{}] });
    expect(() => sandbox.webhooks.replay('whd_none')).toThrow(RangeError);
  });

  // rule: delivery.1
  it('deliver an event a second time, pending or not, once', async () => {
    await subscribed(sandbox, sandbox.credentials.dealer);
    const id = await told([500]);
    const again = sandbox.webhooks.deliverAgain(id);
    await sandbox.webhooks.settled();
    expect(receiver.events.map(({ text }) => text)).toEqual([delivery(id).body, delivery(id).body]);
    expect(delivery(again.id)).toMatchObject({ state: 'failed', repeats: id, eventId: delivery(id).eventId });
    receiver.says = [200];
    sandbox.webhooks.deliverAgain(again.id);
    await sandbox.webhooks.settled();
    expect(receiver.events).toHaveLength(3);
  });

  // rule: event.other
  it('send what nothing has caused: an old version, under an id of before, to one subscription or all', async () => {
    const one = await subscribed(sandbox, sandbox.credentials.dealer);
    await subscribed(sandbox, sandbox.credentials.bank);
    const pending = sandbox.webhooks.subscribe({
      who: sandbox.credentials.rival,
      url,
      events: ['sale.approved'],
    });
    await sandbox.webhooks.settled();
    expect(pending.id).not.toBe(one.id);
    const wanted = { type: 'payment.verified', data: { resource_version: 1 }, id: 'evt_before' };
    expect(sandbox.webhooks.send(wanted)).toHaveLength(2);
    expect(sandbox.webhooks.send({ ...wanted, subscriptionId: one.id })).toHaveLength(1);
    await sandbox.webhooks.settled();
    expect(receiver.events.map(({ event }) => event)).toEqual(
      [1, 2, 3].map(() => ({
        id: 'evt_before',
        type: 'payment.verified',
        schema_version: 1,
        created_at: '2026-03-01T10:00:00.000Z',
        data: { resource_version: 1 },
      })),
    );
    expect(() => sandbox.webhooks.send({ ...wanted, subscriptionId: 'whs_none' })).toThrow(RangeError);
  });

  // rule: webhook.stale
  it.each(['signature', 'body', 'timestamp', 'event-id'] as const)(
    'send a delivery with a wrong %s, attempted once',
    async (tamper) => {
      const { secret } = await subscribed(sandbox, sandbox.credentials.dealer);
      receiver.says = [500];
      const [made] = sandbox.webhooks.send({ type: 'sale.acknowledged', data: {}, tamper });
      await sandbox.webhooks.settled();
      expect(delivery(made?.id ?? '')).toMatchObject({ state: 'failed', attempts: [{ status: 500 }] });
      const [got] = receiver.events;
      if (got === undefined) throw new Error('nothing came');
      const right = {
        signature: got.headers.get('service-signature') === signatureOf(secret, got),
        timestamp: got.headers.get('service-timestamp') === '1772359200',
        'event-id': got.headers.get('service-event-id') === got.event.id,
        body: got.text === delivery(made?.id ?? '').body,
      };
      const wrong = tamper === 'body' ? ['signature', 'body'] : [tamper];
      expect(Object.entries(right).flatMap(([what, ok]) => (ok ? [] : [what]))).toEqual(wrong);
    },
  );

  it('hold deliveries back during a pause, and lose none', async () => {
    await subscribed(sandbox, sandbox.credentials.dealer);
    const waiting = await told([500]);
    sandbox.webhooks.pause();
    await told([200]);
    await go(86_400_000);
    expect(receiver.events).toHaveLength(1);
    sandbox.webhooks.resume();
    await sandbox.webhooks.settled();
    expect(receiver.events).toHaveLength(3);
    expect(delivery(waiting).state).toBe('delivered');
  });

  // rule: delivery.5
  it('lose what happens during a pause that loses, and only that', async () => {
    await subscribed(sandbox, sandbox.credentials.dealer);
    sandbox.webhooks.pause({ lose: true });
    await approvedLot(sandbox);
    sandbox.webhooks.resume();
    await sandbox.webhooks.settled();
    expect(receiver.events).toEqual([]);
    await approvedLot(sandbox, { label: 'live-closed' });
    await sandbox.webhooks.settled();
    expect(receiver.events.map(({ event }) => event.type)).toContain('sale.approved');
  });

  // rule: version.3
  it('deliver in the wrong order: the newest version first', async () => {
    await subscribed(sandbox, sandbox.credentials.dealer);
    sandbox.webhooks.pause();
    for (const resource_version of [2, 3, 4]) {
      sandbox.webhooks.send({ type: 'sale.approved', data: { resource_version } });
    }
    await go(1);
    sandbox.webhooks.resume({ newestFirst: true });
    await sandbox.webhooks.settled();
    expect(receiver.events.map(({ event }) => event.data.resource_version)).toEqual([4, 3, 2]);
  });
});
