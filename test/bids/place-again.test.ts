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
import { KEY, rejection } from '../support/clients.js';
import { ASKED, BID, KEYED, LOST, LOT_READ, mute, placedBefore, SENT } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** The same bid under its key is one bid, however often and wherever it is placed. */

const UNSENT: Step = { fail: 'no' };

describe('a bid that the service judged, placed again', () => {
  it.each([
    ['accepted', acceptance()],
    ['rejected', recordedRejection(['BID_BELOW_MINIMUM', 'LOT_NOT_LIVE'])],
  ])('(%s) has the outcome of the first time, and nothing is recorded or sent', async (status, step) => {
    const { scene, outcome } = await placedBefore([step]);
    expect(outcome.status).toBe(status);
    const { client, transport } = scene.dealer();
    expect(await scene.during(client.bids.place(BID, KEYED))).toEqual(outcome);
    expect(await scene.during(client.bids.place({ ...BID, placeBy: NOW - 1 }, KEYED))).toEqual(outcome);
    expect([transport.lines, scene.events]).toEqual([[], []]);
  });

  it('by a lookup that told no receipt is not sent either', async () => {
    const { scene, outcome } = await placedBefore([LOST, lookup('accepted')], { ...KEYED, maxAttempts: 1 });
    const { client, transport } = scene.dealer();
    expect(await scene.during(client.bids.place(BID, KEYED))).toEqual(outcome);
    expect(transport.lines).toEqual([]);
  });
});

describe('a bid of which nothing is recorded, placed again', () => {
  it.each([
    ['refused', refusal(403, 'SCOPE_DENIED')],
    ['not sent', UNSENT],
  ])('(%s) leaves with the same bytes, recorded before', async (_, step) => {
    const { scene } = await placedBefore([step]);
    const [before] = (await scene.intents()).map(({ row }) => row.body);
    const { client, transport } = scene.dealer([acceptance()]);
    const outcome = await scene.during(client.bids.place(BID, KEYED));
    expect(outcome).toMatchObject({ status: 'accepted', attempts: 2 });
    expect(JSON.stringify({ text: transport.bodies[0] })).toBe(before);
    expect(scene.events).toEqual(['commit placed', 'commit attempt', `send ${SENT}`, 'commit result']);
  });

  it('has the deadline of the new call', async () => {
    const { scene } = await placedBefore([refusal(403, 'SCOPE_DENIED')]);
    await scene.clock.advance(600_000);
    const { client } = scene.dealer([refusal(403, 'SCOPE_DENIED'), refusal(403, 'SCOPE_DENIED')]);
    await scene.during(client.bids.place(BID, KEYED));
    expect(await client.intents.get(KEY)).toMatchObject({ placeBy: NOW + 720_000 });
    await scene.during(client.bids.place({ ...BID, placeBy: NOW + 609_000 }, KEYED));
    expect(await client.intents.get(KEY)).toMatchObject({ placeBy: NOW + 609_000 });
  });

  it('is not sent where the new deadline has passed, too', async () => {
    const { scene } = await placedBefore([refusal(403, 'SCOPE_DENIED')]);
    const { client, transport } = scene.dealer();
    expect(await scene.during(client.bids.place({ ...BID, placeBy: NOW - 1 }, KEYED))).toMatchObject({
      status: 'not_sent',
      reason: 'deadline',
    });
    expect(transport.lines).toEqual([]);
  });

  it('begins its key retention again', async () => {
    const { scene } = await placedBefore([refusal(403, 'SCOPE_DENIED')]);
    await scene.clock.advance(7_200_000);
    const { client } = scene.dealer([LOST, lookup('accepted', { at: NOW + 7_201_000 })]);
    expect((await scene.during(client.bids.place(BID, { ...KEYED, maxAttempts: 1 }))).status).toBe(
      'accepted',
    );
  });

  it('that was recorded by a process which then died is taken over and sent', async () => {
    const { scene } = await placedBefore([refusal(403, 'SCOPE_DENIED')]);
    await scene.append(KEY, { type: 'placed', at: NOW, placeBy: NOW + 120_000 });
    const { client, transport } = scene.dealer([acceptance()]);
    expect((await scene.during(client.bids.place(BID, KEYED))).status).toBe('accepted');
    expect(transport.lines).toEqual([SENT]);
  });
});

describe('a bid in doubt, placed again', () => {
  it('is looked up first, and not sent where it is found', async () => {
    const { scene } = await placedBefore([LOST]);
    const { client, transport } = scene.dealer([lookup('accepted', { receipt: { bid_id: 'b1' } })]);
    expect(await scene.during(client.bids.place(BID, KEYED))).toMatchObject({
      status: 'accepted',
      bidId: 'b1',
    });
    expect(transport.lines).toEqual([ASKED]);
  });

  it('is sent again with the same bytes where nothing is found and the lot is open', async () => {
    const { scene } = await placedBefore([LOST]);
    const first = (await scene.only()).row.body;
    const replies = [lookup('absent'), lotStatus(NOW + 60_000), acceptance({ replayed: true }, 200)];
    const { client, transport } = scene.dealer(replies);
    expect(await scene.during(client.bids.place(BID, KEYED))).toMatchObject({
      status: 'accepted',
      replayed: true,
      attempts: 2,
    });
    expect(transport.lines).toEqual([ASKED, LOT_READ, SENT]);
    expect(JSON.stringify({ text: transport.bodies[0] })).toBe(first);
  });

  it('is not sent where no lookup answers', async () => {
    const { scene } = await placedBefore([LOST]);
    const { client, transport } = scene.dealer(mute(4));
    expect(await scene.during(client.bids.place(BID, KEYED))).toMatchObject({
      status: 'unknown',
      attempts: 1,
    });
    expect(transport.lines).toEqual(Array(4).fill(ASKED));
  });

  it('is only looked up after its own deadline, whatever deadline the new call names', async () => {
    const { scene } = await placedBefore([LOST]);
    await scene.clock.advance(120_001);
    const { client, transport } = scene.dealer(Array<Step>(4).fill(lookup('absent')));
    const later = { ...BID, placeBy: scene.clock.now() + 60_000 };
    expect((await scene.during(client.bids.place(later, KEYED))).status).toBe('unknown');
    expect(transport.lines).toEqual(Array(4).fill(ASKED));
  });

  it('is settled by the next call where its reply was garbled', async () => {
    const { scene, outcome } = await placedBefore([html(200)]);
    expect(outcome.status).toBe('unknown');
    const { client } = scene.dealer([lookup('rejected', { receipt: { errors: ['LOT_NOT_LIVE'] } })]);
    expect(await scene.during(client.bids.place(BID, KEYED))).toMatchObject({ status: 'rejected' });
  });
});

describe('a bid that only a person can settle, placed again', () => {
  it('(stuck) is reported as it is, and nothing is sent', async () => {
    const { scene, outcome } = await placedBefore([refusal(409, 'IDEMPOTENCY_CONFLICT')]);
    const { client, transport } = scene.dealer();
    expect(await scene.during(client.bids.place(BID, KEYED))).toEqual(outcome);
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'stuck' });
    expect(transport.lines).toEqual([]);
  });

  it('(abandoned) is reported as it is, and nothing is sent', async () => {
    const { scene } = await placedBefore([LOST]);
    const { client, transport } = scene.dealer();
    await client.intents.abandon(KEY, 'the buyer left');
    expect(await scene.during(client.bids.place(BID, KEYED))).toMatchObject({
      status: 'unknown',
      reason: 'abandoned',
    });
    expect(transport.lines).toEqual([]);
  });

  it('(restored from a backup) is looked up, and never sent', async () => {
    const { scene } = await placedBefore([refusal(403, 'SCOPE_DENIED')]);
    await scene.append(KEY, { type: 'placed', at: NOW, placeBy: NOW + 120_000 });
    const restored = scene.dealer(mute(4));
    await scene.during(restored.client.recover({ restored: true }));
    expect((await scene.only()).state).toBe('sent');
    const { client, transport } = scene.dealer([lookup('absent'), lookup('accepted')]);
    expect((await scene.during(client.bids.place(BID, KEYED))).status).toBe('accepted');
    expect(transport.lines).toEqual([ASKED, ASKED]);
  });
});

describe('another bid under a key that is recorded', () => {
  const others: readonly (readonly [string, object, string[]])[] = [
    ['another amount', { amount: '470000' }, ['amount']],
    ['the same amount in other digits', { amount: '465000.00' }, ['amount']],
    ['another lot', { lot: 'lot_other' }, ['path']],
    ['another dealer', { dealerId: 'D-9' }, ['dealer_id']],
    ['another lot and amount', { lot: 'lot_other', amount: '470000' }, ['path', 'amount']],
    ['a time of the buyer', { clientBidTime: '2026-03-02T06:00:00Z' }, ['client_bid_time']],
  ];
  const states: readonly (readonly [string, Step, string])[] = [
    ['refused', refusal(403, 'SCOPE_DENIED'), 'refused'],
    ['in doubt', LOST, 'unknown'],
  ];

  it.each(
    states.flatMap(([name, step, outcome]) =>
      others.map((other) => [name, ...other, step, outcome] as const),
    ),
  )('(%s): %s is an IdempotencyConflictError', async (_, __, over, differing, step, outcome) => {
    const { scene } = await placedBefore([step]);
    const before = await scene.intents();
    const { client, transport } = scene.dealer([acceptance()]);
    const error = await rejection(scene.during(client.bids.place({ ...BID, ...over }, KEYED)));
    expect(error).toMatchObject({
      name: 'IdempotencyConflictError',
      outcome,
      idempotencyKey: KEY,
      differing,
      recorded: { state: before[0]?.state },
    });
    expect(transport.lines).toEqual([]);
    expect((await scene.intents()).map(({ content }) => content)).toEqual(
      before.map(({ content }) => content),
    );
  });

  it('(accepted) comes with the recorded receipt', async () => {
    const { scene } = await placedBefore([acceptance()]);
    const { client } = scene.dealer();
    const error = await rejection(scene.during(client.bids.place({ ...BID, lot: 'lot_other' }, KEYED)));
    expect(error).toMatchObject({
      outcome: 'done',
      recorded: { state: 'accepted', record: { bid_id: 'bid_77' } },
    });
  });

  it('another buyer is another bid', async () => {
    const scene = new Scene();
    const { client, transport } = scene.platform([acceptance()]);
    await scene.during(client.bids.place({ ...BID, bidderReference: 'a' }, KEYED));
    expect(
      await rejection(scene.during(client.bids.place({ ...BID, bidderReference: 'b' }, KEYED))),
    ).toMatchObject({ name: 'IdempotencyConflictError' });
    expect(transport.lines).toHaveLength(1);
  });
});

describe('the same bid twice at the same time', () => {
  it('in one client, and in one derived from it, is sent once', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()]);
    const derived = client.withOptions({ timeout: 1_000 });
    const outcomes = await scene.during(
      Promise.all([
        client.bids.place(BID, KEYED),
        client.bids.place(BID, KEYED),
        derived.bids.place(BID, KEYED),
      ]),
    );
    expect(outcomes[1]).toEqual(outcomes[0]);
    expect(outcomes[2]).toEqual(outcomes[0]);
    expect(transport.lines).toEqual([SENT]);
  });

  it('in one client with other bytes: the second is an IdempotencyConflictError', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()]);
    const first = client.bids.place(BID, KEYED);
    const other = rejection(client.bids.place({ ...BID, lot: 'lot_2' }, KEYED));
    expect((await scene.during(first)).status).toBe('accepted');
    expect(await scene.during(other)).toMatchObject({ name: 'IdempotencyConflictError' });
    expect(transport.lines).toEqual([SENT]);
  });

  it('in two processes is sent once, and the other one reports no more than it knows', async () => {
    const scene = new Scene();
    const one = scene.dealer([{ hang: true }, lookup('accepted')]);
    const two = scene.dealer([lookup('processing'), lookup('processing'), ...mute(9)]);
    const first = one.client.bids.place(BID, { ...KEYED, maxAttempts: 1, timeout: 60_000 });
    await scene.clock.advance(1);
    const other = await scene.during(two.client.bids.place(BID, { ...KEYED, deadline: 2_000 }));
    expect(other).toMatchObject({ status: 'unknown', attempts: 1 });
    expect(two.transport.lines.filter((line) => line === SENT)).toEqual([]);
    expect((await scene.during(first)).status).toBe('accepted');
  });

  it('in two processes while the first one is still queued: the other one does not call it unsent', async () => {
    const scene = new Scene();
    const one = scene.dealer([acceptance(), acceptance({ bid_id: 'b2', request_id: 'r2' })], {
      quota: { limit: 2, scope: 'client' },
    });
    await scene.during(one.client.bids.place({ lot: 'lot_0', amount: '1' }));
    const queued = one.client.bids.place(BID, KEYED);
    await scene.clock.advance(1);
    const two = scene.dealer([acceptance()]);
    const other = await scene.during(two.client.bids.place(BID, { ...KEYED, deadline: 2_000 }));
    expect(other).toMatchObject({ status: 'unknown', reason: 'in_doubt', attempts: 0 });
    expect(two.transport.lines).toEqual([]);
    expect((await scene.during(queued)).status).toBe('accepted');
  });

  it('in one client where the first one is slow: the second ends with its own deadline', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ hang: true }, lookup('accepted')]);
    const slow = client.bids.place(BID, { ...KEYED, maxAttempts: 1, timeout: 60_000 });
    await scene.clock.advance(1);
    expect(await scene.during(client.bids.place(BID, { ...KEYED, deadline: 2_000 }))).toMatchObject({
      status: 'unknown',
      reason: 'in_doubt',
      idempotencyKey: KEY,
    });
    expect(transport.lines).toEqual([SENT]);
    await scene.during(slow);
  });

  it('placed again by two processes at once: exactly one sends', async () => {
    const { scene } = await placedBefore([refusal(403, 'SCOPE_DENIED')]);
    const one = scene.dealer([acceptance(), ...mute(9)]);
    const two = scene.dealer([acceptance(), ...mute(9)]);
    const placing = [one, two].map(({ client }) => client.bids.place(BID, { ...KEYED, deadline: 30_000 }));
    const outcomes = await scene.during(Promise.all(placing));
    const lines = [...one.transport.lines, ...two.transport.lines];
    expect(lines.filter((line) => line === SENT)).toHaveLength(1);
    expect(outcomes.filter(({ status }) => status === 'accepted').length).toBeGreaterThanOrEqual(1);
  });
});

describe('an intent that another process changed while this call held it', () => {
  it('before the first byte: nothing is sent, and what the other process recorded is reported', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer(
      [acceptance(), acceptance({ bid_id: 'b2', request_id: 'r2' })],
      {
        quota: { limit: 2, scope: 'client' },
      },
    );
    await scene.during(client.bids.place({ lot: 'lot_0', amount: '1' }));
    const queued = client.bids.place(BID, KEYED);
    await scene.clock.advance(1);
    await scene.append(KEY, { type: 'unsent', at: NOW, reason: 'interrupted', why: 'taken for dead' });
    expect(await scene.during(queued)).toMatchObject({ status: 'not_sent', reason: 'interrupted' });
    expect(transport.lines).toHaveLength(1);
  });

  const between: readonly (readonly [string, IntentEvent, object])[] = [
    [
      'found accepted',
      { type: 'lookup', at: NOW, refusalsSeen: 0, found: 'accepted', observedAt: NOW },
      { status: 'accepted' },
    ],
    ['abandoned', { type: 'abandoned', at: NOW, why: 'the buyer left' }, { reason: 'abandoned' }],
    ['restored from a backup', { type: 'restored', at: NOW }, { status: 'unknown', reason: 'in_doubt' }],
  ];

  it.each(between)('between two attempts (%s): nothing more is sent', async (_, event, outcome) => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([messageOnly(503, { 'retry-after': '30' }), ...mute(9)]);
    const placing = client.bids.place(BID, KEYED);
    await scene.clock.advance(1_000);
    await scene.append(KEY, event);
    expect(await scene.during(placing)).toMatchObject(outcome);
    expect(transport.lines.filter((line) => line === SENT)).toHaveLength(1);
  });

  it('while the reply was on its way: a refusal of this attempt does not hide that one', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([{ hang: true }, ...mute(9)]);
    const placing = client.bids.place(BID, { ...KEYED, maxAttempts: 1, timeout: 5_000 });
    await scene.clock.advance(1_000);
    await scene.append(KEY, { type: 'lookup', at: NOW, refusalsSeen: 0, found: 'accepted', observedAt: NOW });
    expect((await scene.during(placing)).status).toBe('accepted');
  });
});

describe('a bid without a key', () => {
  it('has a key of its own each time, and is two bids', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([
      acceptance(),
      acceptance({ bid_id: 'b2', request_id: 'r2' }),
    ]);
    const keys = [await scene.during(client.bids.place(BID)), await scene.during(client.bids.place(BID))].map(
      ({ idempotencyKey }) => idempotencyKey,
    );
    expect(new Set(keys).size).toBe(2);
    expect(transport.lines).toEqual([SENT, SENT]);
  });
});
