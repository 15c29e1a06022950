import { describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../../src/store/memory.js';
import type { Store } from '../../src/store/store.js';
import {
  decisionKeyOf,
  saleApprovedOf,
  type WebhookReceiver,
  type WebhookReceiverOptions,
  webhookReceiver,
} from '../../src/webhooks/index.js';
import { failingWays, never } from '../support/failing-callbacks.js';
import { deferred } from '../support/loopback.js';
import { MortalClock } from '../support/mortal-clock.js';
import { SpyStore } from '../support/spy-store.js';
import { VirtualClock } from '../support/virtual-clock.js';
import {
  approval,
  deliveryOf,
  headersFor,
  nowMs,
  receiverWith,
  saleApproved,
  secret,
  timestamp,
} from './delivery.js';

/** A store as another process has it, which believes that others are gone after 15 seconds of silence. */
function storeOf(store: Store, id: string): Store {
  return { ...store, process: { id, isGone: (_, silence) => silence > 15_000 } };
}

describe('a delivery that must not be trusted', () => {
  const good = deliveryOf(saleApproved);
  const otherId = { ...good, headers: { ...good.headers, 'Service-Event-ID': 'evt_2' } };
  const parsed: unknown = { ...saleApproved };

  it.each([
    [400, 'refused', 'with a wrong secret', deliveryOf(saleApproved, 'whsec_other'), 'signature_mismatch'],
    [400, 'refused', 'whose event id header is another', otherId, 'event_id_mismatch'],
    [413, 'too_large', 'that is too large', { body: new Uint8Array(1_001), headers: {} }, undefined],
    [500, 'misused', 'that was parsed before', { ...good, body: parsed as string }, 'body_not_bytes'],
  ])('is answered with %i and reported as %s, and nothing is kept: %s', async (...row) => {
    const [status, outcome, , delivery, reason] = row;
    const { receiver, reports } = receiverWith({ maxBodyBytes: 1_000 });
    const answer = await receiver.receive(delivery);
    expect([answer.status, answer.outcome, answer.reason]).toEqual([status, outcome, reason]);
    expect(reports).toMatchObject([{ kind: outcome }]);
    expect(await receiver.list()).toEqual([]);
  });
});

describe('an authentic delivery', () => {
  it('is kept before the answer and handled after it, with its type narrowed', async () => {
    const amounts: string[] = [];
    const { receiver, take, clock } = receiverWith({
      on: { 'sale.approved': ({ data }) => amounts.push(data.sale.amount) },
    });
    await clock.advance(0);
    expect(await take(saleApproved)).toMatchObject({ status: 200, outcome: 'kept', eventId: 'evt_1' });
    expect(amounts).toEqual([]);
    expect(await receiver.list()).toMatchObject([{ id: 'evt_1', state: 'pending', attempts: 0 }]);
    await clock.advance(0);
    expect(amounts).toEqual(['505000.00']);
    expect(await receiver.list()).toMatchObject([{ state: 'handled', attempts: 1 }]);
  });

  it('is accepted under either secret while one replaces another, and secrets can be fetched for each', async () => {
    let secrets = ['old', 'new'];
    const { take } = receiverWith({ secrets: async () => secrets });
    expect((await take(approval('e1'), 'old')).status).toBe(200);
    expect((await take(approval('e2'), 'new')).status).toBe(200);
    secrets = ['new'];
    expect((await take(approval('e3'), 'old')).status).toBe(400);
  });

  it('that comes twice at once is kept once, in one transaction, and refused when it is replayed later', async () => {
    const { take, receiver, seen, clock } = receiverWith();
    const answers = await Promise.all([take(saleApproved), take(saleApproved)]);
    expect(answers.map(({ outcome }) => outcome)).toEqual(['kept', 'duplicate']);
    await receiver.idle();
    expect(seen).toEqual(['evt_1']);
    await clock.advance(300_001);
    expect(await take(saleApproved)).toMatchObject({ status: 400, reason: 'timestamp_too_old' });
  });

  it('is answered with 503 while the store is down, so that the sender tries again', async () => {
    const store = new SpyStore();
    const { take, reports, clock, seen } = receiverWith({}, store);
    store.troubles.push('fails');
    expect(await take(saleApproved)).toMatchObject({ status: 503, outcome: 'unavailable' });
    expect(await take(saleApproved)).toMatchObject({ status: 200, outcome: 'kept' });
    store.troubles.push('fails');
    await clock.advance(60_000);
    // The look for what is due failed, and is made again.
    expect(seen).toEqual(['evt_1']);
    expect(reports).toMatchObject([{ kind: 'store' }, { kind: 'store' }]);
  });

  it('is a duplicate when it comes again, if it was kept and that could not be read, and is handled', async () => {
    const store = new SpyStore();
    const { take, receiver, seen } = receiverWith({}, store);
    store.troubles.push('commits unheard', 'fails');
    expect((await take(saleApproved)).status).toBe(503);
    expect((await take(saleApproved)).outcome).toBe('duplicate');
    await receiver.idle();
    expect(seen).toEqual(['evt_1']);
  });

  it('of a type without a handler goes to *, unknown types included, and else counts as handled', async () => {
    const types: string[] = [];
    const open = { id: 'e1', type: 'vehicle.collected', schema_version: 1, data: {} };
    const any = ({ type }: { type: string }) => types.push(type);
    const { take, receiver } = receiverWith({ on: { '*': any, 'sale.approved': () => types.push('own') } });
    for (const type of ['vehicle.collected', 'brand.new', '__proto__'])
      await take({ ...open, id: type, type });
    await take(saleApproved);
    await receiver.idle();
    expect(types.sort()).toEqual(['__proto__', 'brand.new', 'own', 'vehicle.collected']);
    const none = receiverWith({ on: {} });
    await none.take(open);
    await none.receiver.idle();
    expect(await none.receiver.list()).toMatchObject([{ state: 'handled' }]);
  });

  it('that pollutes prototypes pollutes nothing, whatever its keys and its id', async () => {
    const { take, receiver } = receiverWith();
    for (const id of ['__proto__', 'constructor', '\\u0000', '\\ud800', 'x'.repeat(5_000), 'é!', '!é']) {
      const polluting = '"__proto__":{"polluted":1}';
      const data = `{${polluting},"resource_id":"__proto__","resource_version":1}`;
      const body = `{"id":"${id}","type":"sale.rejected","schema_version":1,${polluting},"data":${data}}`;
      expect((await take(body)).outcome).toBe('kept');
      expect((await take(body)).outcome).toBe('duplicate');
    }
    await receiver.idle();
    const kept = await receiver.list({ state: 'handled' });
    // Every database keeps and indexes such ids.
    expect(kept.filter(({ id }) => /^[\x20-\x7e]{1,200}$/.test(id))).toHaveLength(7);
    expect({}).not.toHaveProperty('polluted');
  });

  it.each([
    ['is no JSON', 'hello', 'body_not_json'],
    ['is no event', '{"half":1}', 'envelope_invalid'],
    ['lacks a sale', JSON.stringify({ ...saleApproved, data: { resource_version: 1 } }), 'payload_invalid'],
  ])('that %s is kept once for a person, answered with 200 and reported', async (_, body, reason) => {
    const { take, receiver, reports, seen } = receiverWith();
    for (const _ of [1, 2]) {
      expect(await take(body)).toMatchObject({ status: 200, outcome: 'malformed', reason });
    }
    await receiver.idle();
    const error = expect.stringContaining(reason);
    expect(await receiver.list({ state: 'malformed' })).toMatchObject([{ body, error }]);
    expect(reports[0]).toMatchObject({ kind: 'malformed' });
    expect(seen).toEqual([]);
    await take('another body');
    // It does not block a good one with its id.
    expect((await take(saleApproved)).outcome).toBe('kept');
    expect(await receiver.list({ state: 'malformed' })).toHaveLength(2);
  });

  it('with bytes that are no text is kept in base64', async () => {
    const { receiver } = receiverWith();
    for (const body of [Buffer.from([0xff, 1]), Buffer.from('a\0b')]) {
      await receiver.receive({ body, headers: headersFor(body) });
      expect((await receiver.list()).at(-1)?.body).toBe(`base64:${body.toString('base64')}`);
    }
  });

  it('that verifies the endpoint is answered with its challenge, and not kept', async () => {
    const { take, receiver } = receiverWith();
    const event = { id: 'e', type: 'webhook.endpoint_verification', schema_version: 1, challenge: 'c-1' };
    const answer = await take(event);
    const challenge = { status: 200, outcome: 'challenge', body: '{"challenge":"c-1"}', eventId: 'e' };
    expect(answer).toMatchObject(challenge);
    expect(await receiver.list()).toEqual([]);
  });
});

describe('versions', () => {
  const { resource_id: _, ...unnamed } = saleApproved.data;
  const schedule = { auction_id: 'auc_1', effective_close_at: '2026-01-01T00:00:00Z' };

  it.each<[type: string, data: object, isStale: boolean, newer?: { type?: string; data?: object }]>([
    ['sale.approved', saleApproved.data, true],
    ['sale.approved', unnamed, true],
    ['sale.approved', unnamed, false, { data: { resource_id: 'sale_2' } }],
    ['auction.schedule_changed', schedule, true],
    ['auction.schedule_changed', { ...schedule, resource_id: 'r1' }, false, { data: { resource_id: 'r2' } }],
    ['vehicle.status_changed', { vehicle_id: 'v1' }, true],
    ['vehicle.status_changed', { resource_id: 'v1' }, true],
    [
      'vehicle.status_changed',
      { vehicle_id: 'v1' },
      false,
      { type: 'vehicle.collected', data: { resource_id: 'v1' } },
    ],
    ['vehicle.status_changed', { vehicle_id: '' }, false],
    ['payment.verified', { resource_id: 'p1' }, true],
    ['payment.verified', {}, false],
    ['payment.verified', { resource_id: 'p1' }, false, { data: { resource_version: '3.0' } }],
    ['payment.verified', { resource_id: 'p1' }, true, { data: { resource_version: '3' } }],
  ])('mark a %s of %j as stale where a newer one of the resource was received: %s', async (...row) => {
    const [type, data, isStale, newer] = row;
    const stales: boolean[] = [];
    const { take, receiver } = receiverWith({ on: { '*': (__, { stale }) => stales.push(stale) } });
    const event = { ...saleApproved, type };
    await take({ ...event, ...newer, id: 'new', data: { ...data, resource_version: 3, ...newer?.data } });
    await take({ ...event, id: 'old', data: { ...data, resource_version: 2 } });
    await receiver.idle();
    expect(stales).toEqual([false, isStale]);
  });

  it('of one resource are handled one after the other, in the order of arrival; those of others at once', async () => {
    const { promise: ended, resolve: finish } = deferred();
    const begun: string[] = [];
    const handler = ({ id }: { id: string }) => (begun.push(id) === 1 ? ended : undefined);
    const { take, receiver, clock } = receiverWith({ on: { '*': handler } });
    const waiting = Array.from({ length: 60 }, (_, n) => `a${n}`);
    for (const [n, id] of waiting.entries()) await take(approval(id, n + 1, 'a'));
    await take(approval('b', 1, 'b'));
    await clock.advance(0);
    expect(begun).toEqual(['a0', 'b']);
    finish();
    await receiver.idle();
    expect(begun.filter((id) => id !== 'b')).toEqual(waiting);
  });
});

describe('a handler', () => {
  it.each([
    [0, [999, 2, 3_998, 2]],
    [1, [499, 2, 1_998, 2]],
  ])(
    'that fails is tried again later and later, then given up and reported; retry() starts again from attempt 1 (jitter %i)',
    async (jitter, waits) => {
      let isFixed = false;
      const attempts: number[] = [];
      const failing: NonNullable<WebhookReceiverOptions['on']>['*'] = (_, { attempt }) => {
        attempts.push(attempt);
        if (!isFixed) throw new Error('no database');
      };
      const { take, receiver, clock, reports } = receiverWith({
        ...{ maxAttempts: 3, random: () => jitter, on: { '*': failing } },
      });
      await take(saleApproved);
      const tries: number[] = [];
      for (const ms of [0, ...waits, 3_600_000]) {
        await clock.advance(ms);
        tries.push(attempts.length);
      }
      expect(tries).toEqual([1, 1, 2, 2, 3, 3]);
      expect(reports.map(({ kind }) => kind)).toEqual(['failed', 'failed', 'failed_permanently']);
      expect(await receiver.list({ state: 'failed_permanently' })).toMatchObject([
        { error: 'Error: no database' },
      ]);
      expect(await receiver.retry('nothing')).toBe(false);
      isFixed = true;
      expect(await receiver.retry('evt_1')).toBe(true);
      await clock.advance(0);
      expect(attempts).toEqual([1, 2, 3, 1]);
      expect(await receiver.retry('evt_1')).toBe(false);
      expect(await receiver.list()).toMatchObject([{ state: 'handled' }]);
    },
  );

  it('is not run again for an event that a person has dismissed, and the reason is on record', async () => {
    let attempts = 0;
    const failing = () => {
      attempts += 1;
      throw new Error('no database');
    };
    const { take, receiver, clock } = receiverWith({ maxAttempts: 1, on: { '*': failing } });
    await take(saleApproved);
    await clock.advance(0);
    expect(await receiver.dismiss('nothing', 'x')).toBe(false);
    expect(await receiver.dismiss('evt_1', 'booked by hand')).toBe(true);
    expect(await receiver.dismiss('evt_1', 'again')).toBe(false);
    expect(await receiver.retry('evt_1')).toBe(false);
    await clock.advance(3_600_000);
    expect(attempts).toBe(1);
    expect(await receiver.list()).toMatchObject([{ state: 'handled', error: 'dismissed: booked by hand' }]);
  });

  it('is run by no other receiver while its process lives, and by another process once that has fallen silent', async () => {
    const clock = new VirtualClock(nowMs);
    const mortal = new MortalClock(clock);
    const store = memoryStore({ now: () => clock.now() });
    const hanging = { '*': () => new Promise(() => undefined) };
    const slow = { on: hanging, clock: mortal, handlerTimeout: Number.POSITIVE_INFINITY };
    await receiverWith(slow, storeOf(store, 'host/1')).take(saleApproved);
    await clock.advance(0);
    const seen: string[] = [];
    for (const id of ['host/1', 'host/2']) {
      const on = { '*': (__: unknown, { attempt }: { attempt: number }) => seen.push(`${id}, ${attempt}`) };
      receiverWith({ on, clock }, storeOf(store, id));
    }
    await clock.advance(60_000);
    expect(seen).toEqual([]);
    mortal.die();
    await clock.advance(17_000);
    expect(seen).toEqual(['host/2, 2']);
  });

  it('that finished while the store was down is marked once it is back, and not run again', async () => {
    const store = new SpyStore();
    const on = { '*': () => store.troubles.push('fails', 'fails', 'lost') };
    const { take, receiver, clock } = receiverWith({ on }, store);
    await take(saleApproved);
    await clock.advance(60_000);
    expect(store.troubles).toEqual([]);
    expect(await receiver.list()).toMatchObject([{ state: 'handled', attempts: 1 }]);
  });

  it('may commit by itself; what it does afterwards never runs it again', async () => {
    let runs = 0;
    const committing: NonNullable<WebhookReceiverOptions['on']>['*'] = async (_, { commit }) => {
      runs += 1;
      await commit();
      throw new Error('after the commit');
    };
    const { take, receiver, clock, reports } = receiverWith({ on: { '*': committing } });
    await take(saleApproved);
    await clock.advance(3_600_000);
    expect(runs).toBe(1);
    expect(reports).toMatchObject([{ kind: 'failed' }]);
    expect(await receiver.list()).toMatchObject([{ state: 'handled' }]);
  });

  it.each([
    ['commits unheard', 1, []],
    ['lost', 2, [{ kind: 'failed' }]],
  ] as const)('that commits runs again only where nothing was committed: %s', async (trouble, runs, told) => {
    const store = new SpyStore();
    const committing: NonNullable<WebhookReceiverOptions['on']>['*'] = (_, { commit, attempt }) => {
      if (attempt === 1) store.troubles.push(trouble);
      return commit();
    };
    const { take, receiver, clock, reports } = receiverWith({ on: { '*': committing } }, store);
    await take(saleApproved);
    await clock.advance(60_000);
    expect(reports).toMatchObject(told);
    expect(await receiver.list()).toMatchObject([{ state: 'handled', attempts: runs }]);
  });

  it('runs with as many others as concurrency allows', async () => {
    const { promise: ended, resolve: finish } = deferred();
    const begun: string[] = [];
    const handler = ({ id }: { id: string }) => {
      begun.push(id);
      return ended;
    };
    const { take, receiver, clock } = receiverWith({ concurrency: 2, on: { '*': handler } });
    for (const id of ['a', 'b', 'c']) await take(approval(id, 1, id));
    await clock.advance(0);
    expect(begun).toEqual(['a', 'b']);
    finish();
    await receiver.idle();
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('that commits SQL on a store without SQL gets a typed error, and is tried again', async () => {
    const { take, receiver, clock, reports } = receiverWith({
      on: { '*': (_, { commit }) => commit((query) => query('SELECT 1')) },
    });
    await take(saleApproved);
    await clock.advance(0);
    expect(reports).toMatchObject([{ error: { name: 'ConfigurationError', option: 'store' } }]);
    expect(await receiver.list()).toMatchObject([{ state: 'pending' }]);
  });

  it('begins no more once the receiver is closed, and close() waits for those that run', async () => {
    const { promise: ended, resolve: finish } = deferred();
    const { take, receiver, clock } = receiverWith({ on: { '*': () => ended } });
    await take(approval('e1', 1, 'a'));
    await clock.advance(0);
    let isClosed = false;
    const closing = receiver.close().then(() => {
      isClosed = true;
    });
    await take(approval('e2', 1, 'b'));
    await clock.advance(9_999);
    expect(isClosed).toBe(false);
    finish();
    await closing;
    expect(await receiver.list()).toMatchObject([{ state: 'handled' }, { state: 'pending', attempts: 0 }]);
  });
});

describe('a handler that never ends', () => {
  it('is reported and tried again after handlerTimeout, so that four of them do not stop the others', async () => {
    const begun: string[] = [];
    const signals: AbortSignal[] = [];
    const { take, receiver, clock, reports } = receiverWith({
      on: {
        '*': ({ id }, { attempt, signal }) => {
          begun.push(`${id} ${attempt}`);
          signals.push(signal);
          return id === 'good' ? undefined : never;
        },
      },
    });
    for (const id of ['a', 'b', 'c', 'd', 'good']) await take(approval(id, 1, id));
    await clock.advance(29_999);
    expect(begun).toEqual(['a 1', 'b 1', 'c 1', 'd 1']);
    await clock.advance(1);
    expect(begun.slice(4)).toContain('good 1');
    expect(signals[0]?.aborted).toBe(true);
    const error = { name: 'CallbackTimeoutError', callback: 'the handler of sale.approved', limit: 30_000 };
    expect(reports[0]).toMatchObject({
      kind: 'failed',
      eventId: 'a',
      error,
      nextAttemptAt: clock.now() + 1_000,
    });
    await clock.advance(2_000);
    expect(begun).toContain('a 2');
    expect(await receiver.list({ state: 'handled' })).toMatchObject([{ id: 'good' }]);
  });

  it.each([
    [undefined, 10_000],
    [50, 50],
    [0, 0],
  ])('holds close({ within: %s }) up for %i ms', async (within, ms) => {
    const store = memoryStore();
    const signals: AbortSignal[] = [];
    const hanging = (_: unknown, { signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      return never;
    };
    const { take, receiver, clock, reports } = receiverWith({ on: { '*': hanging } }, store);
    await take(saleApproved);
    await clock.advance(0);
    let isClosed = false;
    const closing = receiver.close({ within }).then(() => {
      isClosed = true;
    });
    await clock.advance(Math.max(0, ms - 1));
    expect(isClosed).toBe(ms === 0);
    await clock.advance(1);
    await closing;
    expect(signals[0]?.aborted).toBe(true);
    expect(reports).toMatchObject([{ kind: 'failed', error: { name: 'AbortedError', reason: 'closed' } }]);
    // The next receiver of the endpoint has it at once.
    const next = receiverWith({}, store);
    await next.receiver.idle();
    expect(next.seen).toEqual(['evt_1']);
    await expect(receiver.close({ within: -1 })).rejects.toMatchObject({ option: 'within' });
  });

  it('may take as long as it likes with an infinite handlerTimeout', async () => {
    const { promise: ended, resolve: finish } = deferred();
    const on = { '*': () => ended };
    const { take, receiver, clock, reports } = receiverWith({ on, handlerTimeout: Number.POSITIVE_INFINITY });
    await take(saleApproved);
    await clock.advance(3_600_000);
    finish();
    await receiver.idle();
    expect(reports).toEqual([]);
    expect(await receiver.list()).toMatchObject([{ state: 'handled', attempts: 1 }]);
  });

  it('does not hold the store: the work of commit() ends with its handler', async () => {
    const { promise: begun, resolve: begin } = deferred();
    const store = memoryStore();
    const withSql: Store = {
      ...store,
      transaction: (account, work) =>
        store.transaction(account, (tx) => work({ ...tx, query: () => Promise.resolve([]) })),
    };
    const on: WebhookReceiverOptions['on'] = {
      '*': (_, { commit, attempt }) =>
        attempt > 1
          ? undefined
          : commit(() => {
              begin();
              return never;
            }),
    };
    const { take, receiver, clock, reports } = receiverWith({ on }, withSql);
    await take(saleApproved);
    await clock.advance(0);
    await begun;
    await clock.advance(32_000);
    expect(reports).toMatchObject([{ kind: 'failed', error: { name: 'CallbackTimeoutError' } }]);
    expect(await receiver.list()).toMatchObject([{ state: 'handled', attempts: 2 }]);
  });
});

describe('functions around the handlers', () => {
  it.each(failingWays)(
    'an onReport that %s harms nothing, and its failure is printed',
    async (how, onReport) => {
      const printed = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
      const { take, clock } = receiverWith({ onReport });
      expect((await take('no event')).status).toBe(200);
      await clock.advance(0);
      const stack = { error: expect.objectContaining({ stack: expect.stringContaining('Error: broken\n') }) };
      const lines = how === 'hangs' ? [] : [[expect.stringContaining('onReport failed'), stack]];
      expect(printed.mock.calls).toEqual(lines);
      printed.mockRestore();
    },
  );

  it.each(failingWays)('secrets that %s are answered with 503 within 10 seconds', async (_, secrets) => {
    const { receiver, clock, reports } = receiverWith({ secrets });
    const answer = receiver.receive(deliveryOf(saleApproved));
    await clock.advance(10_000);
    expect(await answer).toMatchObject({ status: 503, outcome: 'unavailable' });
    expect(reports).toMatchObject([{ kind: 'store' }]);
  });
});

it('a receiver that sweeps once a year asks for no timer that would fire at once', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const store = memoryStore();
  const receiver = webhookReceiver({ secrets: secret, store, on: {}, sweepEvery: 365 * 86_400_000 });
  await receiver.idle();
  await receiver.close();
  const delays = timers.mock.calls.map(([, ms = 0]) => ms);
  timers.mockRestore();
  expect(Math.max(...delays)).toBe(2 ** 31 - 1);
});

describe('enqueue', () => {
  it('is awaited before the 2xx, and not called again for a duplicate, after a restart neither', async () => {
    const store = memoryStore();
    const queue: string[] = [];
    const enqueue = ({ id }: { id: string }) => queue.push(id);
    const { take } = receiverWith({ enqueue }, store);
    expect(await take(saleApproved)).toMatchObject({ status: 200, outcome: 'kept' });
    expect(queue).toEqual(['evt_1']);
    const process = { id: 'host/restarted', isGone: () => true };
    for (const one of [take, receiverWith({ enqueue }, { ...store, process }).take]) {
      expect(await one(saleApproved)).toMatchObject({ status: 200, outcome: 'duplicate' });
    }
    expect(queue).toEqual(['evt_1']);
  });

  it.each([
    ['a winner update', (receiver: WebhookReceiver) => receiver.winnerUpdate(saleApproved.data)],
    ['another event', (receiver: WebhookReceiver) => receiver.receive(deliveryOf(approval('evt_other')))],
  ])('is not called again for a decision that %s has reported, and the answer is 200', async (_, report) => {
    const queue: string[] = [];
    const { take, receiver, clock } = receiverWith({ enqueue: ({ id }) => queue.push(id) });
    await report(receiver);
    await clock.advance(0);
    expect(await take(saleApproved)).toMatchObject({ status: 200, outcome: 'duplicate' });
    expect(queue).toHaveLength(1);
  });

  it('that failed is answered with 503, and tried again from the store without another delivery', async () => {
    const queue: string[] = [];
    const { take, clock } = receiverWith({
      enqueue: ({ id }, { attempt }) => {
        if (attempt === 1) throw new Error('queue down');
        queue.push(id);
      },
    });
    expect(await take(saleApproved)).toMatchObject({ status: 503, outcome: 'unavailable' });
    await clock.advance(2_000);
    expect(queue).toEqual(['evt_1']);
  });
});

describe('winner updates', () => {
  const update = { ...saleApproved.data, resource_version: 2 };

  it.each([
    ['the update', 'winner_update'],
    ['the event', 'webhook'],
  ])('and sale.approved events that report one decision are handled once: %s first', async (_, first) => {
    const handled: string[] = [];
    const { take, receiver, clock } = receiverWith({
      on: { 'sale.approved': ({ data }, { source }) => handled.push(`${source} ${data.sale.id}`) },
    });
    await clock.advance(0);
    const messages = [
      async () => (await take(saleApproved)).outcome,
      () => receiver.winnerUpdate({ data: update }),
    ];
    if (first === 'winner_update') messages.reverse();
    const outcomes = [await messages[0]?.(), await messages[1]?.()];
    await clock.advance(0);
    expect(outcomes).toEqual(['kept', 'duplicate']);
    expect(handled).toEqual([`${first} sale_1`]);
  });

  it('and sale.approved events of one decision have one key, whatever envelope they came in; nothing else has one', () => {
    const key = decisionKeyOf(saleApproved);
    expect(key).toEqual(expect.any(String));
    const same = [update, { data: update }, { ...saleApproved, id: 'evt_other' }];
    expect(same.map(decisionKeyOf)).toEqual([key, key, key]);
    expect(decisionKeyOf({ ...update, resource_version: 3 })).not.toBe(key);
    expect(decisionKeyOf({ ...saleApproved, type: 'sale.rejected' })).toBeUndefined();
  });

  it('are read as the event that they repeat, with every field', () => {
    const event = { id: 'winner-update:sale_1:2', type: 'sale.approved', schema_version: 1, data: update };
    expect(saleApprovedOf(update)).toEqual(event);
    const { resource_id: _, ...unnamed } = update;
    const enveloped = { data: unnamed, created_at: 'now' };
    expect(saleApprovedOf(enveloped)).toEqual({ ...event, ...enveloped });
  });

  it('and are read in the types that PHP writes', async () => {
    const sale = { ...update.sale, id: 1004, amount: 505_000 };
    const written = { ...update, resource_id: 1004, resource_version: '2', sale };
    expect(saleApprovedOf(written)?.data).toMatchObject({
      ...{ resource_version: 2, sale: { id: '1004', amount: '505000.00' } },
    });
    expect(await receiverWith().receiver.winnerUpdate(written)).toBe('kept');
  });

  it.each([
    ...[null, 5, 'x', {}, { ...update, resource_version: '2.0' }, { ...update, resource_version: 2.5 }],
    ...['id', 'state', 'amount'].map((name) => ({ ...update, sale: { ...update.sale, [name]: '' } })),
    ...['id', 'state', 'amount'].map((name) => ({ ...update, sale: { ...update.sale, [name]: 7.125 } })),
  ])('are left to the caller where they name no sale, amount or version: %j', async (odd) => {
    expect(decisionKeyOf(odd)).toBeUndefined();
    expect(await receiverWith().receiver.winnerUpdate(odd)).toBe('unrecognised');
  });
});

it('Retention drops the bodies of handled events and keeps their ids, so that none is handled again', async () => {
  const { take, receiver, clock } = receiverWith({ retention: 100_000 });
  await take(saleApproved);
  await clock.advance(60_000);
  expect(await receiver.list()).toMatchObject([{ state: 'handled', body: JSON.stringify(saleApproved) }]);
  await clock.advance(90_000);
  expect(await receiver.list()).toMatchObject([{ id: 'evt_1', body: '' }]);
  expect((await take(saleApproved, secret, timestamp + 150)).outcome).toBe('duplicate');
});

it('idRetention deletes old handled events, so that one that is sent again later is handled again', async () => {
  const day = 86_400;
  const { take, receiver, clock, seen } = receiverWith({ idRetention: day * 1000 });
  await take(saleApproved);
  await receiver.idle();
  await clock.advance((day - 60) * 1000);
  await receiver.idle();
  expect(await receiver.list()).toHaveLength(1);
  await clock.advance(120_000);
  expect(await receiver.list()).toEqual([]);
  expect((await take(saleApproved, secret, timestamp + day + 60)).outcome).toBe('kept');
  await receiver.idle();
  expect(seen).toHaveLength(2);
});

describe('a clock that was a day ahead for a while', () => {
  const DAY_MS = 86_400_000;

  it('delays neither a try that was put off meanwhile, nor an event that came meanwhile', async () => {
    const { take, receiver, clock, seen, reports } = receiverWith({
      on: {
        '*': ({ id }, { attempt }) => {
          seen.push(`${id} ${attempt}`);
          if (attempt === 1 && id === 'evt_1') throw new Error('down');
        },
      },
    });
    clock.setWall(nowMs + DAY_MS);
    await take(approval('evt_1'), secret, timestamp + DAY_MS / 1000);
    await receiver.idle();
    expect([seen, reports]).toMatchObject([['evt_1 1'], [{ kind: 'failed' }]]);
    await take(approval('evt_2', 2, 'sale_2'), secret, timestamp + DAY_MS / 1000);
    clock.setWall(nowMs);
    await clock.advance(60_000);
    expect(seen.sort()).toEqual(['evt_1 1', 'evt_1 2', 'evt_2 1']);
  });

  it('drops no body: retention believes the clock once a delivery has shown that it is right', async () => {
    const store = memoryStore();
    const first = receiverWith({ retention: DAY_MS / 2 }, store);
    await first.take(saleApproved);
    await first.receiver.idle();
    first.clock.setWall(nowMs + DAY_MS);
    await first.receiver.idle();
    const body = async () => (await first.receiver.list())[0]?.body;
    expect(await body()).toBe(JSON.stringify(saleApproved));
    const next = receiverWith({ retention: DAY_MS / 2 }, store);
    next.clock.setWall(nowMs + DAY_MS);
    await next.receiver.idle();
    expect(await body()).toBe(JSON.stringify(saleApproved));
    await next.take(approval('evt_2'), secret, timestamp + DAY_MS / 1000);
    await next.receiver.idle();
    expect(await body()).toBe('');
  });
});

describe('options that can not work are refused, naming the option', () => {
  it.each<[string, object]>([
    ['idRetention', { idRetention: 86_399_999 }],
    ['idRetention', { idRetention: '30d' }],
    ['secrets', { secrets: '' }],
    ['store', { store: undefined }],
    ['on', { on: undefined }],
    ['on', { enqueue: () => undefined }],
    ["on['sale.aproved']", { on: { 'sale.aproved': () => undefined } }],
    ["on['sale.approved']", { on: { 'sale.approved': 5 } }],
    ['enqueue', { on: undefined, enqueue: 5 }],
    ['maxBodyBytes', { maxBodyBytes: 0 }],
    ['sweepEvery', { sweepEvery: Number.NaN }],
  ])('%s', (option, over) => {
    const options = { secrets: 's', store: memoryStore(), on: {}, ...over } as WebhookReceiverOptions;
    expect(() => webhookReceiver(options)).toThrow(expect.objectContaining({ option }));
  });
});
