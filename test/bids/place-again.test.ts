import { describe, expect, it } from 'vitest';
import type { IntentEvent } from '../../src/intents/content.js';
import {
  acceptance,
  html,
  lookup,
  lotStatus,
  messageOnly,
  NOW,
  recordedRejection,
  refusal,
} from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY } from '../support/clients.js';
import {
  ASKED,
  BID,
  count,
  KEYED,
  LOST,
  LOT_READ,
  mute,
  placed,
  placedBefore,
  SENT,
  sceneAfter,
  UNCONNECTED,
} from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** The same bid under its key is one bid, however often and wherever it is placed. */

const REFUSED = refusal(403, 'SCOPE_DENIED');
const CONFLICT = { name: 'IdempotencyConflictError', idempotencyKey: KEY };
const other = acceptance({ bid_id: 'b2', request_id: 'r2' });

/** A client whose quota has no room for another bid before a minute has passed. */
async function full(steps: readonly Step[] = [acceptance()]) {
  const scene = new Scene();
  const one = scene.dealer([other, ...steps], { quota: { limit: 2, scope: 'client' } });
  await scene.during(one.client.bids.place({ lot: 'lot_0', amount: '1' }));
  return { scene, ...one };
}

describe('a bid that was placed before, placed again', () => {
  it.each([
    ['accepted', [acceptance()], 'accepted'],
    ['rejected', [recordedRejection(['BID_BELOW_MINIMUM', 'LOT_NOT_LIVE'])], 'rejected'],
    ['accepted by a lookup without a receipt', [LOST, lookup('accepted')], 'accepted'],
    ['stuck', [refusal(409, 'IDEMPOTENCY_CONFLICT')], 'unknown'],
  ])('(%s) has the outcome of the first time, and nothing is recorded or sent', async (_, steps, status) => {
    const { scene, outcome } = await placedBefore(steps, { ...KEYED, maxAttempts: 1 });
    expect(outcome.status).toBe(status);
    for (const bid of [{}, { placeBy: NOW - 1 }]) {
      const again = await placed([], { scene, bid });
      expect([again.outcome, again.transport.lines, scene.events]).toEqual([outcome, [], []]);
    }
  });

  it.each([
    ['refused', REFUSED],
    ['not sent', UNCONNECTED],
  ])('(%s) leaves with the same bytes, recorded before', async (_, step) => {
    const scene = await sceneAfter(step);
    const { body } = (await scene.only()).row;
    const { outcome, transport } = await placed([acceptance()], { scene });
    expect(outcome).toMatchObject({ status: 'accepted', attempts: 2 });
    expect(JSON.stringify({ text: transport.bodies[0] })).toBe(body);
    expect(scene.events).toEqual(['commit placed', 'commit attempt', `send ${SENT}`, 'commit result']);
  });

  it('(refused) has the deadline of the new call, and is not sent where that has passed', async () => {
    const scene = await sceneAfter(REFUSED);
    await scene.clock.advance(600_000);
    const { client } = await placed([REFUSED], { scene });
    expect(await client.intents.get(KEY)).toMatchObject({ placeBy: NOW + 720_000 });
    const late = await placed([], { scene, bid: { placeBy: NOW + 599_000 } });
    expect(late.outcome).toMatchObject({ status: 'not_sent', reason: 'deadline' });
    expect(late.transport.lines).toEqual([]);
  });

  it('(refused) begins its key retention again', async () => {
    const scene = await sceneAfter(REFUSED);
    await scene.clock.advance(7_200_000);
    const steps = [LOST, lookup('accepted', { at: NOW + 7_201_000 })];
    expect((await placed(steps, { scene, options: { ...KEYED, maxAttempts: 1 } })).status).toBe('accepted');
  });

  it('(recorded by a process which then died) is taken over and sent', async () => {
    const scene = await sceneAfter(REFUSED);
    await scene.append(KEY, { type: 'placed', at: NOW, placeBy: NOW + 120_000 });
    const { status, transport } = await placed([acceptance()], { scene });
    expect([status, transport.lines]).toEqual(['accepted', [SENT]]);
  });

  it.each<[how: string, replies: Step[], outcome: object, lines: string[]]>([
    ['not sent where it is found', [lookup('accepted')], { status: 'accepted' }, [ASKED]],
    [
      'sent with the same bytes where nothing is found and the lot is open',
      [lookup('absent'), lotStatus(NOW + 60_000), acceptance({ replayed: true }, 200)],
      { status: 'accepted', replayed: true, attempts: 2 },
      [ASKED, LOT_READ, SENT],
    ],
    ['not sent where no lookup answers', mute(4), { status: 'unknown', attempts: 1 }, Array(4).fill(ASKED)],
  ])('(in doubt) is looked up first, and %s', async (_, replies, expected, lines) => {
    const scene = await sceneAfter(LOST);
    const { body } = (await scene.only()).row;
    const { outcome, transport } = await placed(replies, { scene });
    expect(outcome).toMatchObject(expected);
    expect(transport.lines).toEqual(lines);
    for (const sent of transport.bodies) expect(JSON.stringify({ text: sent })).toBe(body);
  });

  it('(in doubt) is only looked up after its own deadline, whatever deadline the new call names', async () => {
    const scene = await sceneAfter(LOST);
    await scene.clock.advance(120_001);
    const bid = { placeBy: scene.clock.now() + 60_000 };
    const { status, transport } = await placed(Array<Step>(4).fill(lookup('absent')), { scene, bid });
    expect([status, transport.lines]).toEqual(['unknown', Array(4).fill(ASKED)]);
  });

  it('(in doubt, its reply garbled) is settled by the next call', async () => {
    const found = lookup('rejected', { receipt: { errors: ['LOT_NOT_LIVE'] } });
    expect((await placed([found], { scene: await sceneAfter(html(200)) })).status).toBe('rejected');
  });

  it('(abandoned) is reported as it is, and nothing is sent', async () => {
    const scene = await sceneAfter(LOST);
    await scene.dealer().client.intents.abandon(KEY, 'the buyer left');
    const { outcome, transport } = await placed([], { scene });
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'abandoned' });
    expect(transport.lines).toEqual([]);
  });

  it('(restored from a backup) is looked up, and never sent', async () => {
    const scene = await sceneAfter(REFUSED);
    await scene.append(KEY, { type: 'placed', at: NOW, placeBy: NOW + 120_000 });
    await scene.during(scene.dealer(mute(4)).client.recover({ restored: true }));
    expect((await scene.only()).state).toBe('sent');
    const { status, transport } = await placed([lookup('absent'), lookup('accepted')], { scene });
    expect([status, transport.lines]).toEqual(['accepted', [ASKED, ASKED]]);
  });

  it('(without a key) is another bid', async () => {
    const scene = new Scene();
    await placed([acceptance()], { scene, options: {} });
    await placed([other], { scene, options: {} });
    expect(new Set((await scene.intents()).map(({ key }) => key)).size).toBe(2);
  });
});

describe('another bid under a key that is recorded', () => {
  it.each<[what: string, bid: object, differing: string[]]>([
    ['another amount', { amount: '470000' }, ['amount']],
    ['the same amount in other digits', { amount: '465000.00' }, ['amount']],
    ['another lot and amount', { lot: 'lot_other', amount: '470000' }, ['path', 'amount']],
    ['another dealer', { dealerId: 'D-9' }, ['dealer_id']],
    ['a time of the buyer', { clientBidTime: '2026-03-02T06:00:00Z' }, ['client_bid_time']],
  ])(
    '%s is an IdempotencyConflictError that names the fields and the recorded state',
    async (_, bid, differing) => {
      for (const [step, outcome] of [
        [REFUSED, 'refused'],
        [LOST, 'unknown'],
      ] as const) {
        const scene = await sceneAfter(step);
        const { state, content } = await scene.only();
        const { outcome: error, transport } = await placed([acceptance()], { scene, bid });
        expect(error).toMatchObject({ ...CONFLICT, outcome, differing, recorded: { state } });
        expect([transport.lines, (await scene.only()).content]).toEqual([[], content]);
      }
    },
  );

  it('(accepted) comes with the recorded receipt', async () => {
    const { outcome } = await placed([], {
      scene: await sceneAfter(acceptance()),
      bid: { lot: 'lot_other' },
    });
    const recorded = { state: 'accepted', record: { bid_id: 'bid_77' } };
    expect(outcome).toMatchObject({ ...CONFLICT, outcome: 'done', recorded });
  });
});

describe('the same bid twice at the same time', () => {
  it('in one client, and in one derived from it, is sent once', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()]);
    const clients = [client, client, client.withOptions({ timeout: 1_000 })];
    const outcomes = await scene.during(Promise.all(clients.map(({ bids }) => bids.place(BID, KEYED))));
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    expect(transport.lines).toEqual([SENT]);
  });

  it('in two processes is sent once, and the other one reports no more than it knows', async () => {
    const scene = new Scene();
    const one = scene.dealer([{ hang: true }, lookup('accepted')]);
    const first = one.client.bids.place(BID, { ...KEYED, maxAttempts: 1, timeout: 60_000 });
    await scene.clock.advance(1);
    const options = { ...KEYED, deadline: 2_000 };
    const two = await placed([lookup('processing'), lookup('processing'), ...mute(9)], { scene, options });
    expect(two.outcome).toMatchObject({ status: 'unknown', attempts: 1 });
    expect(count(two.transport.lines, SENT)).toBe(0);
    expect((await scene.during(first)).status).toBe('accepted');
  });

  it('in two processes while the first one is still queued: the other one does not call it unsent', async () => {
    const { scene, client } = await full();
    const queued = client.bids.place(BID, KEYED);
    await scene.clock.advance(1);
    const two = await placed([acceptance()], { scene, options: { ...KEYED, deadline: 2_000 } });
    expect(two.outcome).toMatchObject({ status: 'unknown', reason: 'in_doubt', attempts: 0 });
    expect(two.transport.lines).toEqual([]);
    expect((await scene.during(queued)).status).toBe('accepted');
  });

  it('in one client where the first one is slow: the second ends with its own deadline', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ hang: true }, lookup('accepted')]);
    const slow = client.bids.place(BID, { ...KEYED, maxAttempts: 1, timeout: 60_000 });
    await scene.clock.advance(1);
    const second = await scene.during(client.bids.place(BID, { ...KEYED, deadline: 2_000 }));
    expect(second).toMatchObject({ status: 'unknown', reason: 'in_doubt', idempotencyKey: KEY });
    expect(transport.lines).toEqual([SENT]);
    await scene.during(slow);
  });

  it('placed again by two processes at once: exactly one sends', async () => {
    const scene = await sceneAfter(REFUSED);
    const both = [scene.dealer([acceptance(), ...mute(9)]), scene.dealer([acceptance(), ...mute(9)])];
    const placing = both.map(({ client }) => client.bids.place(BID, { ...KEYED, deadline: 30_000 }));
    const outcomes = await scene.during(Promise.all(placing));
    const lines = both.flatMap(({ transport }) => transport.lines);
    expect(count(lines, SENT)).toBe(1);
    expect(outcomes.map(({ status }) => status)).toContain('accepted');
  });
});

describe('an intent that another process changed while this call held it', () => {
  it('before the first byte: nothing is sent, and what the other process recorded is reported', async () => {
    const { scene, client, transport } = await full();
    const queued = client.bids.place(BID, KEYED);
    await scene.clock.advance(1);
    await scene.append(KEY, { type: 'unsent', at: NOW, reason: 'interrupted', why: 'taken for dead' });
    expect(await scene.during(queued)).toMatchObject({ status: 'not_sent', reason: 'interrupted' });
    expect(transport.lines).toHaveLength(1);
  });

  const found = { type: 'lookup', at: NOW, refusalsSeen: 0, found: 'accepted', observedAt: NOW } as const;

  it.each<[what: string, event: IntentEvent, outcome: object]>([
    ['found accepted', found, { status: 'accepted' }],
    ['abandoned', { type: 'abandoned', at: NOW, why: 'the buyer left' }, { reason: 'abandoned' }],
    ['restored from a backup', { type: 'restored', at: NOW }, { status: 'unknown', reason: 'in_doubt' }],
  ])('between two attempts (%s): nothing more is sent', async (_, event, outcome) => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([messageOnly(503, { 'retry-after': '30' }), ...mute(9)]);
    const placing = client.bids.place(BID, KEYED);
    await scene.clock.advance(1_000);
    await scene.append(KEY, event);
    expect(await scene.during(placing)).toMatchObject(outcome);
    expect(count(transport.lines, SENT)).toBe(1);
  });

  it('while the reply was on its way: what happens to this attempt does not hide that one', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([{ hang: true }, ...mute(9)]);
    const placing = client.bids.place(BID, { ...KEYED, maxAttempts: 1, timeout: 5_000 });
    await scene.clock.advance(1_000);
    await scene.append(KEY, found);
    expect((await scene.during(placing)).status).toBe('accepted');
  });
});
