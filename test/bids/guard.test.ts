import { describe, expect, it } from 'vitest';
import { acceptance, LOT, lookup, NOW, recordedRejection, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import {
  BID,
  BRIEF,
  count,
  KEYED,
  LOST,
  mute,
  placed,
  SENT,
  sceneAfter,
  UNCONNECTED,
} from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** One buyer must not outbid itself: at most one bid of it is unresolved on a lot. */

const OTHER = '11111111-1111-4111-8111-111111111111';
const bid = { lot: LOT, amount: '470000' };
const REFUSED = refusal(403, 'SCOPE_DENIED');
const unresolved = { name: 'InDoubtError', reason: 'unresolved_bid', outcome: 'not_sent' };
const own = acceptance({ bid_id: 'b2', request_id: 'r2' });
const second = (
  scene: Scene,
  steps: readonly Step[] = [acceptance()],
  options: object = {},
  over: object = {},
) => placed(steps, { scene, bid: { ...bid, ...over }, options });
const states = async (scene: Scene) => (await scene.intents()).map(({ state }) => state);

describe('while an earlier bid of the buyer on the lot is unresolved', () => {
  it('a second bid is an InDoubtError with the facts of the first, and nothing is recorded or sent', async () => {
    const { outcome, lines, intents } = await second(await sceneAfter(LOST), [], { idempotencyKey: OTHER });
    expect(outcome).toMatchObject({
      ...unresolved,
      operation: 'bids.submit',
      call: 'bids.place',
      idempotencyKey: OTHER,
      unresolved: [{ idempotencyKey: KEY, operation: 'bids.submit', lot: LOT, amount: '465000' }],
    });
    expect([lines, intents.length]).toEqual([[], 1]);
  });

  it('a bid that needs manual resolution blocks as well', async () => {
    const { outcome } = await second(await sceneAfter(refusal(409, 'IDEMPOTENCY_CONFLICT')));
    expect(outcome).toMatchObject(unresolved);
  });

  it('allowUnresolved lets the second bid through, and a third one is told of both, the oldest first', async () => {
    const scene = await sceneAfter(LOST);
    const { lines } = await second(scene, [LOST], { ...BRIEF, idempotencyKey: OTHER, allowUnresolved: true });
    expect([lines[0], await states(scene)]).toEqual([SENT, ['sent', 'sent']]);
    const third = await second(scene, [], {}, { amount: '480000' });
    expect(third.outcome).toMatchObject({ unresolved: [{ amount: '465000' }, { amount: '470000' }] });
  });

  it.each<[what: string, over: object, client: object]>([
    ['lot', { lot: 'lot_2' }, {}],
    ['dealer', { dealerId: 'D-9' }, {}],
    ['account', {}, { account: 'other-bank' }],
  ])('a bid of another %s is not affected', async (_, over, client) => {
    const scene = await sceneAfter(LOST);
    expect((await placed([own], { scene, bid: { ...bid, ...over }, options: {}, client })).status).toBe(
      'accepted',
    );
  });

  it('another buyer of a platform is not affected, and the same buyer is', async () => {
    const scene = new Scene();
    await scene.during(scene.platform([LOST]).client.bids.place({ ...BID, bidderReference: 'a' }, BRIEF));
    const { client } = scene.platform([acceptance()]);
    expect((await scene.during(client.bids.place({ ...bid, bidderReference: 'b' }))).status).toBe('accepted');
    const error = await rejection(scene.during(client.bids.place({ ...bid, bidderReference: 'a' })));
    expect(error).toMatchObject({
      ...unresolved,
      unresolved: [{ idempotencyKey: KEY, bidderReference: 'a' }],
    });
  });

  it('reconciling or abandoning the first bid lets the second one through', async () => {
    const scene = await sceneAfter(LOST);
    const found = lookup('rejected', { receipt: { errors: ['LOT_NOT_LIVE'] } });
    await scene.during(scene.dealer([found]).client.intents.reconcile(KEY));
    expect((await second(scene)).status).toBe('accepted');
    const abandoned = await sceneAfter(LOST);
    await abandoned.dealer().client.intents.abandon(KEY, 'the buyer gave it up');
    expect((await second(abandoned)).status).toBe('accepted');
  });

  it.each([
    ['accepted', own],
    ['rejected', recordedRejection()],
    ['refused', REFUSED],
    ['not sent', UNCONNECTED],
  ])('a bid that is settled (%s) is not in the way of a second one', async (_, step) => {
    expect((await second(await sceneAfter(step))).status).toBe('accepted');
  });

  it('evidence that reopens a settled bid is recorded although another bid is open', async () => {
    const scene = await sceneAfter(recordedRejection());
    await second(scene, [LOST], { ...BRIEF, idempotencyKey: OTHER });
    const found = lookup('accepted', { receipt: { bid_id: 'b9', status: 'accepted' } });
    await scene.during(scene.dealer([found]).client.intents.reconcile(KEY));
    expect(await states(scene)).toEqual(['stuck', 'sent']);
  });
});

describe('two different bids of one buyer on one lot at the same time', () => {
  const slow = { maxAttempts: 1, timeout: 5_000 };

  it('in one client, the second must not throw: it waits for the first and is then placed', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance(), own]);
    const derived = client.withOptions({ timeout: 1_000 });
    const outcomes = await scene.during(Promise.all([client.bids.place(BID), derived.bids.place(bid)]));
    expect(outcomes.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
    expect(transport.lines).toEqual([SENT, SENT]);
  });

  it('the second is an InDoubtError where the first ends in doubt', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ hang: true }, ...mute(9)]);
    const first = client.bids.place(BID, slow);
    const later = rejection(client.bids.place(bid));
    expect((await scene.during(first)).status).toBe('unknown');
    expect(await scene.during(later)).toMatchObject(unresolved);
    expect(count(transport.lines, SENT)).toBe(1);
  });

  it('the second waits no longer than its own deadline, and another buyer or lot does not wait', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ hang: true }, acceptance(), own, lookup('accepted')]);
    const first = client.bids.place(BID, slow);
    await scene.clock.advance(1);
    const others = [
      client.bids.place({ ...BID, dealerId: 'D-9' }),
      client.bids.place({ ...BID, lot: 'lot_2' }),
    ];
    await scene.clock.advance(1);
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(['accepted', 'accepted']);
    const late = client.bids.place(bid, { deadline: 2_000 });
    expect(await scene.during(late)).toMatchObject({ status: 'not_sent', reason: 'deadline', attempts: 0 });
    expect(transport.lines).toHaveLength(3);
    await scene.during(first);
  });

  it('in another client on the same store, the second is an InDoubtError while the first is in flight', async () => {
    const scene = new Scene();
    const first = scene.dealer([{ hang: true }]).client.bids.place(BID, slow);
    await scene.clock.advance(1);
    expect(await second(scene)).toMatchObject({ outcome: unresolved, lines: [] });
    await scene.during(first);
  });

  it('in another client on the same store, the second is an InDoubtError while the first is queued', async () => {
    const scene = new Scene();
    const one = scene.dealer([acceptance(), own], { quota: { limit: 2, scope: 'client' } });
    await scene.during(one.client.bids.place({ lot: 'lot_0', amount: '1' }));
    const queued = one.client.bids.place(BID);
    await scene.clock.advance(1);
    expect((await second(scene)).outcome).toMatchObject(unresolved);
    expect((await scene.during(queued)).status).toBe('accepted');
  });
});

describe('what a dead process left recorded and unsent on the lot', () => {
  it.each<[what: string, look: Step, outcome: object, states: string[]]>([
    ['is settled as not sent where a lookup finds nothing', lookup('absent'), {}, ['not_sent', 'accepted']],
    ['is accepted where that lookup finds it', lookup('accepted'), {}, ['accepted', 'accepted']],
    ['blocks where that lookup gives no answer', refusal(404, 'NOT_FOUND'), unresolved, ['ready']],
    ['blocks where that lookup finds it processing', lookup('processing'), unresolved, ['ready']],
  ])('%s', async (_, look, outcome, expected) => {
    const scene = await sceneAfter(REFUSED);
    await scene.append(KEY, { type: 'placed', at: NOW, placeBy: NOW + 120_000 });
    const found = await second(scene, [look, acceptance()]);
    expect(found.outcome).toMatchObject(outcome);
    expect(await states(scene)).toEqual(expected);
  });
});

describe('a settled bid that is placed again', () => {
  it('is an InDoubtError while another one is in doubt, and leaves with allowUnresolved', async () => {
    const scene = await sceneAfter(REFUSED);
    await second(scene, [LOST], { ...BRIEF, idempotencyKey: OTHER });
    const held = await placed([], { scene });
    expect(held.outcome).toMatchObject({ ...unresolved, unresolved: [{ idempotencyKey: OTHER }] });
    expect(await states(scene)).toEqual(['refused', 'sent']);
    const options = { ...KEYED, allowUnresolved: true };
    expect((await placed([acceptance()], { scene, options })).status).toBe('accepted');
  });

  it('at the same time as another one in two processes: at most one of them leaves', async () => {
    const scene = await sceneAfter(REFUSED);
    await second(scene, [REFUSED], { ...BRIEF, idempotencyKey: OTHER });
    const [one, two] = [scene.dealer([{ hang: true }]), scene.dealer([{ hang: true }])];
    const limits = { maxAttempts: 1, timeout: 2_000, deadline: 3_000 };
    const results = await scene.during(
      Promise.allSettled([
        one.client.bids.place(BID, { ...KEYED, ...limits }),
        two.client.bids.place(bid, { idempotencyKey: OTHER, ...limits }),
      ]),
    );
    expect(one.transport.bodies.length + two.transport.bodies.length).toBe(1);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
