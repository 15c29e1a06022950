import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/store/memory.js';
import { acceptance, LOT, lookup, NOW } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { credentials, KEY, rejection } from '../support/clients.js';
import { MortalClock } from '../support/mortal-clock.js';
import { settle } from '../support/virtual-clock.js';
import { accepted, acknowledged, record, unheard } from './desk.js';

/** What is on record, as data. */

const bid = { lot: LOT, amount: '465000' };
const once = { maxAttempts: 1, deadline: 500 };

function keyOf(number: number): string {
  return `99999999-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** A done command, a command in doubt, and a bid in doubt, in this order. */
async function three() {
  const scene = new Scene();
  await acknowledged(scene, [record()], { idempotencyKey: keyOf(1) });
  await accepted(scene, [unheard], { key: keyOf(2) });
  const { client } = scene.platform([unheard]);
  await scene.during(
    client.bids.place({ ...bid, bidderReference: 'buyer-9' }, { ...once, idempotencyKey: keyOf(3) }),
  );
  return { scene, client };
}

describe('intents.get', () => {
  it('returns a command in brief', async () => {
    const { client } = await three();
    expect(await client.intents.get(keyOf(1))).toStrictEqual({
      idempotencyKey: keyOf(1),
      operation: 'A75',
      call: 'notifications.acknowledge',
      path: '/api/v1/notifications/n_1/acknowledgments',
      state: 'done',
      provisional: false,
      foreign: false,
      createdAt: NOW,
      attempts: 1,
      position: 1,
      settledSequence: 1,
    });
  });

  it('returns a bid with its lot, its amount, its buyer and until when it may be sent', async () => {
    const { client } = await three();
    const inDoubt = { state: 'sent', provisional: false, foreign: false, createdAt: NOW, attempts: 1 };
    const bidFacts = { lot: LOT, amount: '465000', bidderReference: 'buyer-9', placeBy: NOW + 120_000 };
    expect(await client.intents.get(keyOf(3))).toStrictEqual({
      idempotencyKey: keyOf(3),
      operation: 'bids.submit',
      call: 'bids.submit',
      path: `/api/v1/lots/${LOT}/bids`,
      ...inDoubt,
      ...bidFacts,
      position: 3,
    });
  });

  it('returns the id of a bid that the service judged', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([acceptance()]);
    await scene.during(client.bids.place(bid, { idempotencyKey: KEY }));
    const summary = await client.intents.get(KEY);
    expect(summary).toMatchObject({ state: 'accepted', bidId: 'bid_77' });
    expect(summary).not.toHaveProperty('bidderReference');
  });

  it('takes a command for its own while its credentials are not fetched yet', async () => {
    const { scene } = await three();
    const { client } = scene.platform([], { credentials: async () => credentials });
    expect(await client.intents.get(keyOf(2))).toMatchObject({ foreign: false });
  });

  it('returns undefined for a key that the store does not know', async () => {
    const { client } = await three();
    expect(await client.intents.get(keyOf(9))).toBeUndefined();
  });
});

describe('intents.list', () => {
  it('lists what is unresolved, the oldest first, unless everything is asked for', async () => {
    const { client } = await three();
    const keys = async (options?: object) =>
      (await client.intents.list(options).toArray()).map(({ position }) => position);
    expect(await keys()).toEqual([2, 3]);
    expect(await keys({ which: 'unresolved', limit: 1_000 })).toEqual([2, 3]);
    expect(await keys({ which: 'all' })).toEqual([1, 2, 3]);
    expect(await keys({ which: 'all', after: 1 })).toEqual([2, 3]);
    const first = await client.intents.list({ which: 'all', after: 1, limit: 1 }).firstPage();
    expect(first).toMatchObject({ items: [{ position: 2 }], nextCursor: '2' });
  });

  it('feeds settlements in their order to whoever reads on, also what another process settled', async () => {
    const { scene, client } = await three();
    const feed = async (settledAfter: number) =>
      (await client.intents.list({ settledAfter }).toArray()).map((one) => [
        one.idempotencyKey,
        one.state,
        one.settledSequence,
      ]);
    expect(await feed(0)).toEqual([[keyOf(1), 'done', 1]]);
    const other = scene.platform([lookup('rejected', { key: keyOf(3) }), record()]);
    await scene.during(other.client.recover({ resend: true }));
    expect(await feed(1)).toEqual([
      [keyOf(3), 'rejected', 2],
      [keyOf(2), 'done', 3],
    ]);
    const { items } = await client.intents.list({ settledAfter: 1, limit: 1 }).firstPage();
    expect(items).toMatchObject([{ idempotencyKey: keyOf(3) }]);
    expect(await feed(3)).toEqual([]);
  });

  it('goes on to its end, page by page', async () => {
    const { scene, client } = await three();
    const pages = [];
    for await (const page of client.intents.list({ which: 'all', limit: 2 }).pages())
      pages.push(page.items.length);
    expect(pages).toEqual([2, 1]);
    const settled = await scene.platform().client.intents.list({ settledAfter: 0, limit: 1 }).toArray();
    expect(settled).toHaveLength(1);
  });

  it.each(['{"identity"', '{}', '"x"'])(
    'throws a StoreError for a row that holds %s, recover settles the others first, and abandon ends it',
    async (content) => {
      const scene = new Scene();
      const store = memoryStore();
      const { client } = scene.dealer([{ fail: 'maybe' }, { fail: 'maybe' }], { store });
      const brief = { maxAttempts: 1, deadline: 500 };
      await scene.during(client.bids.place(bid, { ...brief, idempotencyKey: keyOf(1) }));
      await scene.during(client.bids.place({ ...bid, lot: 'lot_2' }, { ...brief, idempotencyKey: keyOf(2) }));
      await store.transaction('sandbox', async ({ intents }) => {
        const row = await intents.get(keyOf(1));
        if (row !== undefined)
          await intents.update({ ...row, content }, row.version, { server: 1, local: 1 });
      });
      const other = scene.dealer([lookup('accepted', { key: keyOf(2) })], { store });
      const corrupt = { name: 'StoreError', reason: 'corrupt', idempotencyKey: keyOf(1) };
      expect(await rejection(other.client.intents.list().toArray())).toMatchObject(corrupt);
      expect(await rejection(scene.during(other.client.recover()))).toMatchObject(corrupt);
      expect(await other.client.intents.get(keyOf(2))).toMatchObject({ state: 'accepted' });

      const abandoned = { status: 'unknown', reason: 'abandoned', lot: bid.lot, amount: '465000.00' };
      expect(await other.client.intents.abandon(keyOf(1), 'the bank has no such bid')).toMatchObject(
        abandoned,
      );
      expect(await other.client.intents.list().toArray()).toEqual([]);
      const { timeline } = await other.client.intents.explain(keyOf(1));
      expect(timeline.at(-1)?.what).toContain('the bank has no such bid');
      expect(await scene.during(other.client.recover())).toEqual([]);
      const again = scene.during(other.client.bids.place(bid, { idempotencyKey: keyOf(1) }));
      expect(await again).toMatchObject(abandoned);
    },
  );

  it('feeds what a process settled that was killed before it could report it', async () => {
    const scene = new Scene();
    const clock = new MortalClock(scene.clock);
    void scene.dealer([acceptance()], { clock }).client.bids.place(bid, { idempotencyKey: KEY });
    await settle();
    clock.die();
    expect(await scene.dealer().client.intents.list({ settledAfter: 0 }).toArray()).toMatchObject([
      { idempotencyKey: KEY, state: 'accepted' },
    ]);
  });

  it.each([
    [{ which: 'open' }, 'which'],
    [{ after: -1 }, 'after'],
    [{ settledAfter: 1.5 }, 'settledAfter'],
    [{ limit: 0 }, 'limit'],
    [{ limit: 1_001 }, 'limit'],
  ])('refuses %j', async (options, path) => {
    const { client } = new Scene().dealer();
    const list = async () => client.intents.list(options as object);
    expect(await rejection(list())).toMatchObject({ name: 'InvalidRequestError', issues: [{ path }] });
  });
});

describe('intents.reconcile', () => {
  it('looks an accepted bid up where that rests on a reply alone, and does not look twice', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance(), lookup('accepted')]);
    await scene.during(client.bids.place(bid, { ...once, idempotencyKey: KEY }));
    for (const _ of [1, 2]) {
      expect(await scene.during(client.intents.reconcile(KEY))).toMatchObject({ status: 'accepted' });
    }
    expect(transport.lines).toEqual([`POST /lots/${LOT}/bids`, `GET /bid-requests/${KEY}`]);
  });

  it('returns what is on record of a command, and sends nothing', async () => {
    const { scene } = await three();
    const { client, transport } = scene.platform();
    expect(await scene.during(client.intents.reconcile(keyOf(1)))).toMatchObject({ status: 'done' });
    expect(await scene.during(client.intents.reconcile(keyOf(2)))).toMatchObject({
      status: 'unknown',
      reason: 'in_doubt',
    });
    expect(transport.sent).toEqual([]);
  });

  it('looks for a bid whose key the store does not know, and records nothing', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([lookup('accepted')]);
    expect(await scene.during(client.intents.reconcile(KEY))).toMatchObject({ idempotencyKey: KEY });
    expect(await scene.intents()).toEqual([]);
    const bank = scene.bank();
    expect(await rejection(scene.during(bank.client.intents.reconcile(KEY)))).toMatchObject({
      name: 'InvalidRequestError',
    });
  });
});

describe('intents.abandon', () => {
  it('gives up what is in doubt, with a reason, and recover leaves it alone', async () => {
    const { scene, client } = await three();
    expect(await client.intents.abandon(keyOf(2), 'checked by hand')).toMatchObject({
      status: 'unknown',
      reason: 'abandoned',
    });
    expect(await client.intents.get(keyOf(2))).toMatchObject({ state: 'abandoned', settledSequence: 2 });
    expect((await client.intents.explain(keyOf(2))).timeline.at(-1)?.type).toBe('abandoned');
    const { client: next, transport } = scene.platform([lookup('processing', { key: keyOf(3) })]);
    const outcomes = await scene.during(next.recover({ resend: true, ...once }));
    expect(outcomes.map(({ idempotencyKey }) => idempotencyKey)).toEqual([keyOf(3)]);
    expect(transport.lines.filter((line) => line.startsWith('POST'))).toEqual([]);
  });
});
