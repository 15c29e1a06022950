import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors/store.js';
import { memoryStore } from '../../src/store/memory.js';
import type { Store } from '../../src/store/store.js';
import {
  decisionKeyOf,
  type WebhookReceiverOptions,
  type WebhookReport,
  webhookReceiver,
} from '../../src/webhooks/index.js';
import { settle, VirtualClock } from '../support/virtual-clock.js';
import { headersFor, nowMs, saleApproved, secret, timestamp } from './delivery.js';

type Options = Partial<Omit<WebhookReceiverOptions, 'on' | 'enqueue'>> &
  Pick<WebhookReceiverOptions, 'on' | 'enqueue'>;

/** A receiver in virtual time, and what it reported. */
function receiverWith(options: Options, store: Store = memoryStore()) {
  const clock = new VirtualClock(nowMs);
  const reports: WebhookReport[] = [];
  const given = {
    secrets: secret,
    store,
    clock,
    random: () => 0,
    onReport: (report: WebhookReport) => reports.push(report),
    ...options,
  } as WebhookReceiverOptions;
  return { receiver: webhookReceiver(given), clock, reports, store };
}

function deliveryOf(event: object | string, key = secret, at = timestamp) {
  const body = Buffer.from(typeof event === 'string' ? event : JSON.stringify(event));
  return { body, headers: headersFor(body, key, at) };
}

const approval = (id: string, version = 2, sale = 'sale_1') => ({
  ...saleApproved,
  id,
  data: {
    ...saleApproved.data,
    resource_id: sale,
    resource_version: version,
    sale: { ...saleApproved.data.sale, id: sale },
  },
});

/** A store that fails on demand. */
function breakable(store: Store) {
  const state = { isDown: false, loseCommit: false };
  const failure = (commit?: 'unknown') =>
    new StoreError({
      reason: 'unavailable',
      what: 'The store is down.',
      nextStep: 'Wait.',
      ...(commit !== undefined && { commit }),
    });
  const broken: Store = {
    name: store.name,
    durable: store.durable,
    process: store.process,
    async transaction(account, work) {
      if (state.isDown) throw failure();
      const result = await store.transaction(account, work);
      if (state.loseCommit) {
        state.loseCommit = false;
        throw failure('unknown');
      }
      return result;
    },
    close: () => store.close(),
  };
  return { broken, state };
}

describe('a delivery that must not be trusted is refused and leaves nothing in the store', () => {
  const good = deliveryOf(saleApproved);
  it.each([
    ['with a wrong secret', deliveryOf(saleApproved, 'whsec_other'), 'SIGNATURE_MISMATCH'],
    [
      'whose event id header is another',
      { ...good, headers: { ...good.headers, 'Service-Event-ID': 'evt_2' } },
      'EVENT_ID_MISMATCH',
    ],
  ])('%s', async (_, delivery, reason) => {
    const { receiver, reports } = receiverWith({ on: {} });
    const answer = await receiver.receive(delivery);
    expect(answer).toMatchObject({ status: 400, outcome: 'refused', reason });
    expect(reports).toMatchObject([{ kind: 'refused' }]);
    expect(await receiver.list()).toEqual([]);
  });

  it('is answered with 413 where it is larger than the cap, before its signature is looked at', async () => {
    const { receiver } = receiverWith({ on: {}, maxBodyBytes: 100 });
    const answer = await receiver.receive({ body: new Uint8Array(101), headers: {} });
    expect(answer).toMatchObject({ status: 413, outcome: 'too_large' });
  });

  it('is answered with 500 and explained where the body was parsed before it came here', async () => {
    const { receiver, reports } = receiverWith({ on: {} });
    const parsed: unknown = { ...saleApproved };
    const answer = await receiver.receive({ body: parsed as string, headers: good.headers });
    expect(answer).toMatchObject({ status: 500, outcome: 'misused', reason: 'BODY_NOT_BYTES' });
    expect(String(Reflect.get(reports[0] ?? {}, 'error'))).toContain('express.raw');
  });
});

describe('an authentic delivery', () => {
  it('is kept before the answer and handled after it, with its type narrowed', async () => {
    const seen: string[] = [];
    const { receiver } = receiverWith({
      on: { 'sale.approved': ({ data }) => seen.push(data.sale.amount) },
    });
    const answer = await receiver.receive(deliveryOf(saleApproved));
    expect(answer).toMatchObject({ status: 200, outcome: 'kept', eventId: 'evt_1' });
    expect(seen).toEqual([]);
    expect(await receiver.list()).toMatchObject([{ id: 'evt_1', state: 'pending', attempts: 0 }]);
    await receiver.idle();
    expect(seen).toEqual(['505000.00']);
    expect(await receiver.list()).toMatchObject([{ state: 'handled', attempts: 1 }]);
  });

  it('is accepted under either secret while one replaces another, and secrets can be fetched for each delivery', async () => {
    let secrets = ['old', 'new'];
    const { receiver } = receiverWith({ on: {}, secrets: async () => secrets });
    expect((await receiver.receive(deliveryOf(approval('e1'), 'old'))).status).toBe(200);
    expect((await receiver.receive(deliveryOf(approval('e2'), 'new'))).status).toBe(200);
    secrets = ['new'];
    expect((await receiver.receive(deliveryOf(approval('e3'), 'old'))).status).toBe(400);
  });

  it('that comes twice at once in two processes is kept once and handled once', async () => {
    const store = memoryStore();
    const seen: string[] = [];
    const on = { '*': (event: { readonly id: string }) => seen.push(event.id) };
    const receivers = [receiverWith({ on }, store), receiverWith({ on }, store)];
    const answers = await Promise.all(
      receivers.flatMap(({ receiver }) => [
        receiver.receive(deliveryOf(saleApproved)),
        receiver.receive(deliveryOf(saleApproved)),
      ]),
    );
    expect(answers.map(({ outcome }) => outcome).sort()).toEqual([
      'duplicate',
      'duplicate',
      'duplicate',
      'kept',
    ]);
    await Promise.all(receivers.map(({ receiver }) => receiver.idle()));
    expect(seen).toEqual(['evt_1']);
  });

  it('is answered with 503 while the store is down, so that the sender tries again', async () => {
    const { broken, state } = breakable(memoryStore());
    const { receiver, reports } = receiverWith({ on: {} }, broken);
    state.isDown = true;
    expect(await receiver.receive(deliveryOf(saleApproved))).toMatchObject({
      status: 503,
      outcome: 'unavailable',
    });
    expect(reports).toMatchObject([{ kind: 'store' }]);
    state.isDown = false;
    expect(await receiver.receive(deliveryOf(saleApproved))).toMatchObject({ status: 200, outcome: 'kept' });
  });

  it('whose commit was lost on the way is a duplicate when it comes again, and is handled', async () => {
    const { broken, state } = breakable(memoryStore());
    const seen: string[] = [];
    const { receiver } = receiverWith({ on: { '*': ({ id }) => seen.push(id) } }, broken);
    state.loseCommit = true;
    expect((await receiver.receive(deliveryOf(saleApproved))).status).toBe(503);
    expect((await receiver.receive(deliveryOf(saleApproved))).outcome).toBe('duplicate');
    await receiver.idle();
    expect(seen).toEqual(['evt_1']);
  });

  it('of a type without a handler goes to *, unknown types included, and else counts as handled', async () => {
    const seen: string[] = [];
    const open = { id: 'e1', type: 'vehicle.collected', schema_version: 1, data: {} };
    const { receiver } = receiverWith({
      on: { '*': ({ type }) => seen.push(type), 'sale.approved': () => seen.push('own') },
    });
    await receiver.receive(deliveryOf(open));
    await receiver.receive(deliveryOf({ ...open, id: 'e2', type: 'brand.new' }));
    await receiver.receive(deliveryOf({ ...open, id: 'e3', type: '__proto__' }));
    await receiver.receive(deliveryOf(saleApproved));
    await receiver.idle();
    expect(seen.sort()).toEqual(['__proto__', 'brand.new', 'own', 'vehicle.collected']);
    const none = receiverWith({ on: {} });
    await none.receiver.receive(deliveryOf(open));
    await none.receiver.idle();
    expect(await none.receiver.list()).toMatchObject([{ state: 'handled' }]);
  });

  it('that pollutes prototypes pollutes nothing, whatever its keys and its id', async () => {
    const { receiver } = receiverWith({ on: { '*': () => undefined } });
    for (const id of ['__proto__', 'constructor', '\\u0000', '\\ud800', 'x'.repeat(5_000), 'é']) {
      const body = `{"id":"${id}","type":"sale.rejected","schema_version":1,"__proto__":{"polluted":1},"data":{"__proto__":{"polluted":1},"resource_id":"__proto__","resource_version":1}}`;
      expect((await receiver.receive(deliveryOf(body))).outcome).toBe('kept');
      expect((await receiver.receive(deliveryOf(body))).outcome).toBe('duplicate');
    }
    await receiver.idle();
    expect(await receiver.list({ state: 'handled' })).toHaveLength(6);
    expect({}).not.toHaveProperty('polluted');
  });

  it.each([
    ['is no JSON', 'hello', 'BODY_NOT_JSON'],
    ['is no event', '{"half":1}', 'ENVELOPE_INVALID'],
    ['lacks a sale', JSON.stringify({ ...saleApproved, data: { resource_version: 1 } }), 'PAYLOAD_INVALID'],
  ])('that %s is kept for a person, answered with 200 and reported', async (_, body, reason) => {
    const { receiver, reports } = receiverWith({ on: { '*': () => expect.fail('not handled') } });
    for (let time = 0; time < 2; time += 1) {
      expect(await receiver.receive(deliveryOf(body))).toMatchObject({
        status: 200,
        outcome: 'misshapen',
        reason,
      });
    }
    await receiver.idle();
    expect(await receiver.list({ state: 'misshapen' })).toMatchObject([
      { body, error: expect.stringContaining(reason) },
    ]);
    expect(reports[0]).toMatchObject({ kind: 'misshapen' });
  });

  it('that is misshapen never stands in the way of a good one with its id', async () => {
    const { receiver } = receiverWith({ on: {} });
    await receiver.receive(deliveryOf({ ...saleApproved, data: {} }));
    expect((await receiver.receive(deliveryOf(saleApproved))).outcome).toBe('kept');
  });

  it('with bytes that are no text is kept in base64', async () => {
    const { receiver } = receiverWith({ on: {} });
    const body = Buffer.from([0xff, 0, 1]);
    await receiver.receive({ body, headers: headersFor(body) });
    expect((await receiver.list())[0]?.body).toBe(`base64:${body.toString('base64')}`);
  });

  it('that verifies the endpoint is answered with its challenge, and not kept', async () => {
    const { receiver } = receiverWith({ on: {} });
    const event = { id: 'e', type: 'webhook.endpoint_verification', schema_version: 1, challenge: 'c-1' };
    const answer = await receiver.receive(deliveryOf(event));
    expect([answer.status, answer.outcome, answer.body]).toEqual([200, 'challenge', '{"challenge":"c-1"}']);
    expect(await receiver.list()).toEqual([]);
  });
});

describe('versions', () => {
  it('mark an event stale where a newer one of the resource was received, and only then', async () => {
    const seen: [string, boolean][] = [];
    const { receiver } = receiverWith({ on: { '*': ({ id }, { stale }) => seen.push([id, stale]) } });
    await receiver.receive(deliveryOf(approval('v3', 3)));
    await receiver.receive(deliveryOf(approval('v2', 2)));
    await receiver.receive(deliveryOf(approval('other', 1, 'sale_2')));
    const schedule = { auction_id: 'auc_1', resource_version: 1, effective_close_at: '2026-01-01T00:00:00Z' };
    await receiver.receive(
      deliveryOf({ ...saleApproved, id: 's', type: 'auction.schedule_changed', data: schedule }),
    );
    await receiver.idle();
    expect(seen.sort()).toEqual([
      ['other', false],
      ['s', false],
      ['v2', true],
      ['v3', false],
    ]);
  });

  it('of one resource are handled one after the other, in the order of arrival; those of others at once', async () => {
    const log: string[] = [];
    const { receiver } = receiverWith({
      on: {
        '*': async ({ id }) => {
          log.push(`begin ${id}`);
          await settle();
          log.push(`end ${id}`);
        },
      },
    });
    await receiver.receive(deliveryOf(approval('a1', 1, 'a')));
    await receiver.receive(deliveryOf(approval('a2', 2, 'a')));
    await receiver.receive(deliveryOf(approval('b1', 1, 'b')));
    await receiver.idle();
    expect(log.indexOf('end a1')).toBeLessThan(log.indexOf('begin a2'));
    expect(log.indexOf('begin b1')).toBeLessThan(log.indexOf('end a1'));
  });
});

describe('a handler', () => {
  it('that fails is tried again later and later, then its event is parked and reported; retry() begins afresh', async () => {
    let isFixed = false;
    const attempts: number[] = [];
    const { receiver, clock, reports } = receiverWith({
      maxAttempts: 3,
      on: {
        '*': (_, { attempt }) => {
          attempts.push(attempt);
          if (!isFixed) throw new Error('no database');
        },
      },
    });
    await receiver.receive(deliveryOf(saleApproved));
    await clock.advance(0);
    expect(attempts).toEqual([1]);
    await clock.advance(999);
    expect(attempts).toEqual([1]);
    await clock.advance(2);
    expect(attempts).toEqual([1, 2]);
    await clock.advance(4_001);
    expect(attempts).toEqual([1, 2, 3]);
    await clock.advance(3_600_000);
    expect(attempts).toHaveLength(3);
    expect(reports.map(({ kind }) => kind)).toEqual(['failed', 'failed', 'parked']);
    expect(await receiver.list({ state: 'parked' })).toMatchObject([{ error: 'Error: no database' }]);
    expect(await receiver.retry('nothing')).toBe(false);
    isFixed = true;
    expect(await receiver.retry('evt_1')).toBe(true);
    await receiver.idle();
    expect(attempts).toEqual([1, 2, 3, 1]);
    expect(await receiver.list()).toMatchObject([{ state: 'handled' }]);
  });

  it('whose process died is run again by the next one, with the attempt counted', async () => {
    const store = memoryStore();
    const dead: Store = {
      ...store,
      transaction: (account, work) => store.transaction(account, work),
      close: () => store.close(),
      process: { id: 'host/dead', isGone: () => false },
    };
    const first = receiverWith({ on: { '*': () => new Promise(() => undefined) } }, dead);
    await first.receiver.receive(deliveryOf(saleApproved));
    await first.clock.advance(0);
    const alive: Store = { ...dead, process: { id: 'host/new', isGone: (id) => id === 'host/dead' } };
    const attempts: number[] = [];
    const second = receiverWith({ on: { '*': (_, { attempt }) => attempts.push(attempt) } }, alive);
    await second.clock.advance(0);
    expect(attempts).toEqual([2]);
    const waiting: Store = { ...dead, process: { id: 'host/third', isGone: () => false } };
    expect(waiting.process.isGone('host/dead', 0)).toBe(false);
  });

  it('is not run by another process while its own is alive', async () => {
    const store = memoryStore();
    const as = (id: string): Store => ({
      name: store.name,
      durable: false,
      process: { id, isGone: () => false },
      transaction: (account, work) => store.transaction(account, work),
      close: () => store.close(),
    });
    const first = receiverWith({ on: { '*': () => new Promise(() => undefined) } }, as('host/1'));
    await first.receiver.receive(deliveryOf(saleApproved));
    await first.clock.advance(0);
    const second = receiverWith({ on: { '*': () => expect.fail('handled twice') } }, as('host/2'));
    await second.clock.advance(120_000);
    expect(await second.receiver.list()).toMatchObject([{ state: 'pending', attempts: 1 }]);
  });

  it('that finished while the store was down is marked once it is back, and not run again', async () => {
    const { broken, state } = breakable(memoryStore());
    let runs = 0;
    const { receiver, clock } = receiverWith(
      {
        on: {
          '*': () => {
            runs += 1;
            state.isDown = true;
          },
        },
      },
      broken,
    );
    await receiver.receive(deliveryOf(saleApproved));
    await clock.advance(5_000);
    state.isDown = false;
    await clock.advance(60_000);
    expect(runs).toBe(1);
    expect(await receiver.list()).toMatchObject([{ state: 'handled' }]);
  });

  it('may commit by itself; what it does afterwards never runs it again', async () => {
    let runs = 0;
    const { receiver, clock, reports } = receiverWith({
      on: {
        '*': async (_, { commit }) => {
          runs += 1;
          await commit();
          throw new Error('after the commit');
        },
      },
    });
    await receiver.receive(deliveryOf(saleApproved));
    await clock.advance(3_600_000);
    expect(runs).toBe(1);
    expect(reports).toMatchObject([{ kind: 'failed' }]);
    expect(await receiver.list()).toMatchObject([{ state: 'handled' }]);
  });

  it('that commits SQL on a store without SQL gets an error that says which stores have it', async () => {
    const { receiver, clock, reports } = receiverWith({
      on: { '*': (_, { commit }) => commit((query) => query('SELECT 1')) },
    });
    await receiver.receive(deliveryOf(saleApproved));
    await clock.advance(0);
    expect(String(Reflect.get(reports[0] ?? {}, 'error'))).toContain('sqliteStore');
    expect(await receiver.list()).toMatchObject([{ state: 'pending' }]);
  });

  it('begins no more once the receiver is closed, and close() waits for those that run', async () => {
    let finish = () => {};
    const { receiver, clock } = receiverWith({
      on: { '*': () => new Promise<void>((resolve) => (finish = resolve)) },
    });
    await receiver.receive(deliveryOf(approval('e1', 1, 'a')));
    await clock.advance(0);
    let isClosed = false;
    const closing = receiver.close().then(() => {
      isClosed = true;
    });
    await settle();
    expect(isClosed).toBe(false);
    finish();
    await closing;
    expect(await receiver.list()).toMatchObject([{ state: 'handled' }]);
  });
});

describe('enqueue', () => {
  it('is awaited before the 2xx, and for duplicates only until it has worked', async () => {
    const queue: string[] = [];
    let isDown = true;
    const { receiver } = receiverWith({
      enqueue: ({ id }) => {
        if (isDown) throw new Error('queue down');
        queue.push(id);
      },
    });
    expect(await receiver.receive(deliveryOf(saleApproved))).toMatchObject({ status: 503 });
    isDown = false;
    expect(queue).toEqual([]);
    const { receiver: other } = receiverWith({ enqueue: ({ id }) => queue.push(id) });
    expect(await other.receive(deliveryOf(saleApproved))).toMatchObject({ status: 200, outcome: 'kept' });
    expect(await other.receive(deliveryOf(saleApproved))).toMatchObject({
      status: 200,
      outcome: 'duplicate',
    });
    expect(queue).toEqual(['evt_1']);
  });

  it('that failed is tried again from the store, without another delivery', async () => {
    const queue: string[] = [];
    const { receiver, clock } = receiverWith({
      enqueue: ({ id }, { attempt }) => {
        if (attempt === 1) throw new Error('queue down');
        queue.push(id);
      },
    });
    await receiver.receive(deliveryOf(saleApproved));
    await clock.advance(2_000);
    expect(queue).toEqual(['evt_1']);
  });
});

describe('winner updates', () => {
  const update = { ...saleApproved.data, resource_version: 2 };

  it('and sale.approved events that report one decision are handled once, whichever comes first', async () => {
    for (const order of ['update first', 'event first']) {
      const seen: string[] = [];
      const { receiver } = receiverWith({
        on: { 'sale.approved': ({ data }, { source }) => seen.push(`${source} ${data.sale.id}`) },
      });
      const outcomes =
        order === 'update first'
          ? [await receiver.winnerUpdate(update), (await receiver.receive(deliveryOf(saleApproved))).outcome]
          : [
              (await receiver.receive(deliveryOf(saleApproved))).outcome,
              await receiver.winnerUpdate({ data: update }),
            ];
      await receiver.idle();
      expect(outcomes).toEqual(['kept', 'duplicate']);
      expect(seen).toEqual([order === 'update first' ? 'winner_update sale_1' : 'webhook sale_1']);
    }
  });

  it('and sale.approved events of one decision have one key, whatever envelope they came in; nothing else has one', () => {
    const key = decisionKeyOf(saleApproved);
    expect(key).toEqual(expect.any(String));
    expect([update, { data: update }, { ...saleApproved, id: 'evt_other' }].map(decisionKeyOf)).toEqual([
      key,
      key,
      key,
    ]);
    expect(decisionKeyOf({ ...update, resource_version: 3 })).not.toBe(key);
    for (const other of [null, 'x', {}, { ...saleApproved, type: 'sale.rejected' }]) {
      expect(decisionKeyOf(other)).toBeUndefined();
    }
  });

  it('of another version are another fact; those without a sale are left to the caller', async () => {
    const { receiver } = receiverWith({ on: {} });
    await receiver.receive(deliveryOf(saleApproved));
    expect(await receiver.winnerUpdate({ ...update, resource_version: 3 })).toBe('kept');
    for (const odd of [null, 5, 'x', {}, { sale: { id: 'x' } }, { ...update, resource_version: '2' }]) {
      expect(await receiver.winnerUpdate(odd)).toBe('unrecognised');
    }
  });
});

describe('retention', () => {
  it('drops the bodies of handled events and keeps their ids, so that none is handled again', async () => {
    const { receiver, clock } = receiverWith({ on: {}, retention: 1_000 });
    await receiver.receive(deliveryOf(saleApproved));
    await clock.advance(0);
    await clock.advance(60_000);
    expect(await receiver.list()).toMatchObject([{ id: 'evt_1', body: '' }]);
    expect((await receiver.receive(deliveryOf(saleApproved, secret, timestamp + 60))).outcome).toBe(
      'duplicate',
    );
  });
});

describe('options that can not work are refused, naming the option', () => {
  const store = memoryStore();
  it.each<[string, object]>([
    ['secrets', { secrets: '', store, on: {} }],
    ['store', { secrets: 's', on: {} }],
    ['on', { secrets: 's', store }],
    ['on', { secrets: 's', store, on: {}, enqueue: () => undefined }],
    ["on['sale.aproved']", { secrets: 's', store, on: { 'sale.aproved': () => undefined } }],
    ["on['sale.approved']", { secrets: 's', store, on: { 'sale.approved': 5 } }],
    ['enqueue', { secrets: 's', store, enqueue: 5 }],
    ['maxBodyBytes', { secrets: 's', store, on: {}, maxBodyBytes: 0 }],
    ['sweepEvery', { secrets: 's', store, on: {}, sweepEvery: Number.NaN }],
  ])('%s', (option, options) => {
    expect(() => webhookReceiver(options as WebhookReceiverOptions)).toThrow(
      expect.objectContaining({ option }),
    );
  });
});
