import { describe, expect, it } from 'vitest';
import { acceptance, LOT, lookup, NOW, recordedRejection, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import { BID, BRIEF, KEYED, LOST, mute, placedBefore, SENT } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** One buyer must not outbid itself: at most one bid of it is unresolved on a lot. */

const OTHER = '11111111-1111-4111-8111-111111111111';
const second = { lot: LOT, amount: '470000' };
const unresolved = { name: 'InDoubtError', reason: 'unresolved_bid', outcome: 'not_sent' };

describe('while an earlier bid of the buyer on the lot is unresolved', () => {
  it('a second bid is an InDoubtError with the facts of the first, and nothing is recorded or sent', async () => {
    const { scene } = await placedBefore([LOST]);
    const { client, transport } = scene.dealer([acceptance()]);
    expect(await rejection(scene.during(client.bids.place(second, { idempotencyKey: OTHER })))).toMatchObject(
      {
        ...unresolved,
        operation: 'bids.submit',
        call: 'bids.place',
        idempotencyKey: OTHER,
        unresolved: [{ idempotencyKey: KEY, operation: 'bids.submit', lot: LOT, amount: '465000' }],
      },
    );
    expect(transport.lines).toEqual([]);
    expect(await scene.intents()).toHaveLength(1);
  });

  it('a bid that needs manual resolution blocks as well', async () => {
    const { scene } = await placedBefore([refusal(409, 'IDEMPOTENCY_CONFLICT')]);
    const { client } = scene.dealer();
    expect(await rejection(scene.during(client.bids.place(second)))).toMatchObject(unresolved);
  });

  it('allowUnresolved lets the second bid through', async () => {
    const { scene } = await placedBefore([LOST]);
    const { client, transport } = scene.dealer([acceptance()]);
    expect((await scene.during(client.bids.place(second, { allowUnresolved: true }))).status).toBe(
      'accepted',
    );
    expect(transport.lines).toEqual([SENT]);
    expect((await scene.intents()).map(({ state }) => state)).toEqual(['sent', 'accepted']);
  });

  it('every unresolved bid is named, the oldest first, those with allowUnresolved included', async () => {
    const { scene } = await placedBefore([LOST]);
    const { client } = scene.dealer([LOST]);
    const brief = { maxAttempts: 1, deadline: 500, allowUnresolved: true };
    await scene.during(client.bids.place(second, brief));
    const error = await rejection(scene.during(client.bids.place({ ...BID, amount: '480000' })));
    expect(error).toMatchObject({ unresolved: [{ amount: '465000' }, { amount: '470000' }] });
  });

  it('another lot, another dealer and another account are not affected', async () => {
    const { scene } = await placedBefore([LOST]);
    const { client } = scene.dealer([acceptance(), acceptance({ bid_id: 'b2', request_id: 'r2' })]);
    expect((await scene.during(client.bids.place({ ...second, lot: 'lot_2' }))).status).toBe('accepted');
    expect((await scene.during(client.bids.place({ ...second, dealerId: 'D-9' }))).status).toBe('accepted');
    const elsewhere = scene.dealer([acceptance()], { account: 'other-bank' });
    expect((await scene.during(elsewhere.client.bids.place(second))).status).toBe('accepted');
  });

  it('another buyer of a platform is not affected, and the same buyer is', async () => {
    const scene = new Scene();
    const one = scene.platform([LOST]);
    await scene.during(one.client.bids.place({ ...BID, bidderReference: 'a' }, BRIEF));
    const { client } = scene.platform([acceptance()]);
    expect((await scene.during(client.bids.place({ ...second, bidderReference: 'b' }))).status).toBe(
      'accepted',
    );
    const error = await rejection(scene.during(client.bids.place({ ...second, bidderReference: 'a' })));
    expect(error).toMatchObject({
      ...unresolved,
      unresolved: [{ idempotencyKey: KEY, bidderReference: 'a' }],
    });
  });

  it('reconciling or abandoning the first bid lets the second one through', async () => {
    const reconciled = (await placedBefore([LOST])).scene;
    const one = reconciled.dealer([
      lookup('rejected', { receipt: { errors: ['LOT_NOT_LIVE'] } }),
      acceptance(),
    ]);
    await reconciled.during(one.client.intents.reconcile(KEY));
    expect((await reconciled.during(one.client.bids.place(second))).status).toBe('accepted');

    const abandoned = (await placedBefore([LOST])).scene;
    const two = abandoned.dealer([acceptance()]);
    await two.client.intents.abandon(KEY, 'the buyer gave it up');
    expect((await abandoned.during(two.client.bids.place(second))).status).toBe('accepted');
  });

  it('the bid itself is not in its own way', async () => {
    const { scene } = await placedBefore([LOST]);
    const { client } = scene.dealer([lookup('accepted')]);
    expect((await scene.during(client.bids.place(BID, KEYED))).status).toBe('accepted');
  });

  it.each([
    ['accepted', acceptance({ bid_id: 'b0', request_id: 'r0' })],
    ['rejected', recordedRejection()],
    ['refused', refusal(403, 'SCOPE_DENIED')],
    ['not sent', { fail: 'no' } as Step],
  ])('a bid that is settled (%s) is not in the way of a second one', async (_, step) => {
    const { scene } = await placedBefore([step]);
    const { client } = scene.dealer([acceptance()]);
    expect((await scene.during(client.bids.place(second))).status).toBe('accepted');
  });

  it('evidence that reopens a settled bid is recorded although another bid is open', async () => {
    const { scene } = await placedBefore([recordedRejection()]);
    await scene.during(scene.dealer([LOST]).client.bids.place(second, { maxAttempts: 1, deadline: 500 }));
    const { client } = scene.dealer([lookup('accepted', { receipt: { bid_id: 'b9', status: 'accepted' } })]);
    await scene.during(client.intents.reconcile(KEY));
    expect((await scene.intents()).map(({ state }) => state)).toEqual(['stuck', 'sent']);
  });
});

describe('two different bids of one buyer on one lot at the same time', () => {
  const slow = { maxAttempts: 1, timeout: 5_000 };

  it('in one client, the second waits for the first and is then placed', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([
      acceptance(),
      acceptance({ bid_id: 'b2', request_id: 'r2' }),
    ]);
    const outcomes = await scene.during(
      Promise.all([client.bids.place(BID), client.withOptions({ timeout: 1_000 }).bids.place(second)]),
    );
    expect(outcomes.map(({ status, amount }) => [status, amount])).toEqual([
      ['accepted', '465000'],
      ['accepted', '470000'],
    ]);
    expect(transport.lines).toEqual([SENT, SENT]);
  });

  it('the second is an InDoubtError where the first ends in doubt', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ hang: true }, ...mute(9)]);
    const first = client.bids.place(BID, slow);
    const later = rejection(client.bids.place(second));
    expect((await scene.during(first)).status).toBe('unknown');
    expect(await scene.during(later)).toMatchObject(unresolved);
    expect(transport.lines.filter((line) => line === SENT)).toHaveLength(1);
  });

  it('the second waits no longer than its own deadline, and is then not sent', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ hang: true }, lookup('accepted')]);
    const first = client.bids.place(BID, slow);
    const late = client.bids.place(second, { deadline: 2_000 });
    expect(await scene.during(late)).toMatchObject({ status: 'not_sent', reason: 'deadline', attempts: 0 });
    expect(transport.lines).toEqual([SENT]);
    await scene.during(first);
  });

  it('neither another buyer nor another lot waits', async () => {
    const scene = new Scene();
    const { client } = scene.platform([
      { hang: true },
      acceptance(),
      acceptance({ bid_id: 'b2', request_id: 'r2' }),
    ]);
    const first = client.bids.place({ ...BID, bidderReference: 'a' }, slow);
    await scene.clock.advance(1);
    const others = [
      client.bids.place({ ...BID, bidderReference: 'b' }),
      client.bids.place({ ...BID, lot: 'lot_2', bidderReference: 'a' }),
    ];
    await scene.clock.advance(1);
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(['accepted', 'accepted']);
    await scene.during(first);
  });

  it('in another client on the same store, the second is an InDoubtError while the first is in flight', async () => {
    const scene = new Scene();
    const one = scene.dealer([{ hang: true }]);
    const two = scene.dealer([acceptance()]);
    const first = one.client.bids.place(BID, slow);
    await scene.clock.advance(1);
    expect(await rejection(scene.during(two.client.bids.place(second)))).toMatchObject(unresolved);
    expect(two.transport.lines).toEqual([]);
    await scene.during(first);
  });

  it('in another client on the same store, the second is an InDoubtError while the first is queued', async () => {
    const scene = new Scene();
    const one = scene.dealer([acceptance(), acceptance({ bid_id: 'b2', request_id: 'r2' })], {
      quota: { limit: 2, scope: 'client' },
    });
    await scene.during(one.client.bids.place({ lot: 'lot_0', amount: '1' }));
    const queued = one.client.bids.place(BID);
    await scene.clock.advance(1);
    const two = scene.dealer([acceptance()]);
    expect(await rejection(scene.during(two.client.bids.place(second)))).toMatchObject(unresolved);
    expect((await scene.during(queued)).status).toBe('accepted');
  });
});

describe('what a dead process left recorded and unsent on the lot', () => {
  /** A bid that was recorded, and whose process ended before anything was sent. */
  async function leftReady() {
    const { scene } = await placedBefore([refusal(403, 'SCOPE_DENIED')]);
    await scene.append(KEY, { type: 'placed', at: NOW, placeBy: NOW + 120_000 });
    expect((await scene.only()).state).toBe('ready');
    return scene;
  }

  it('is looked up once and settled as not sent, and the new bid leaves', async () => {
    const scene = await leftReady();
    const { client, transport } = scene.dealer([lookup('absent'), acceptance()]);
    expect((await scene.during(client.bids.place(second))).status).toBe('accepted');
    expect(transport.lines).toEqual([`GET /bid-requests/${KEY}`, SENT]);
    expect((await scene.intents()).map(({ state }) => state)).toEqual(['not_sent', 'accepted']);
  });

  it.each([
    ['gives no answer', refusal(404, 'NOT_FOUND')],
    ['finds it processing', lookup('processing')],
  ])('blocks the new bid where that lookup %s', async (_, step) => {
    const scene = await leftReady();
    const { client } = scene.dealer([step]);
    expect(await rejection(scene.during(client.bids.place(second)))).toMatchObject(unresolved);
    expect((await scene.only()).state).toBe('ready');
  });

  it('is accepted where that lookup finds it, and the new bid leaves', async () => {
    const scene = await leftReady();
    const { client } = scene.dealer([lookup('accepted'), acceptance()]);
    expect((await scene.during(client.bids.place(second))).status).toBe('accepted');
    expect((await scene.intents()).map(({ state }) => state)).toEqual(['accepted', 'accepted']);
  });
});

describe('a settled bid that is placed again', () => {
  /** One that was refused, and then another one on the same lot of which nothing was heard. */
  async function refusedThenDoubted() {
    const { scene } = await placedBefore([refusal(403, 'SCOPE_DENIED')]);
    const { client } = scene.dealer([LOST]);
    await scene.during(client.bids.place(second, { ...BRIEF, idempotencyKey: OTHER }));
    return scene;
  }

  it('is an InDoubtError while another one is in doubt, and stays as it was', async () => {
    const scene = await refusedThenDoubted();
    const { client, transport } = scene.dealer([acceptance()]);
    expect(await rejection(scene.during(client.bids.place(BID, KEYED)))).toMatchObject({
      ...unresolved,
      idempotencyKey: KEY,
      unresolved: [{ idempotencyKey: OTHER, amount: '470000' }],
    });
    expect(transport.lines).toEqual([]);
    expect((await scene.intents()).map(({ state }) => state)).toEqual(['refused', 'sent']);
  });

  it('leaves with allowUnresolved', async () => {
    const scene = await refusedThenDoubted();
    const { client } = scene.dealer([acceptance()]);
    expect((await scene.during(client.bids.place(BID, { ...KEYED, allowUnresolved: true }))).status).toBe(
      'accepted',
    );
  });

  it('at the same time as another one in two processes: at most one of them leaves', async () => {
    const { scene } = await placedBefore([refusal(403, 'SCOPE_DENIED')]);
    const both = scene.dealer([refusal(403, 'SCOPE_DENIED')]);
    await scene.during(both.client.bids.place(second, { ...BRIEF, idempotencyKey: OTHER }));
    const one = scene.dealer([{ hang: true }]);
    const two = scene.dealer([{ hang: true }]);
    const limits = { maxAttempts: 1, timeout: 2_000, deadline: 3_000 };
    const results = await scene.during(
      Promise.allSettled([
        one.client.bids.place(BID, { ...KEYED, ...limits }),
        two.client.bids.place(second, { idempotencyKey: OTHER, ...limits }),
      ]),
    );
    expect(one.transport.bodies.length + two.transport.bodies.length).toBe(1);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
