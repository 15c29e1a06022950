import { describe, expect, it } from 'vitest';
import type { IntentEvent } from '../../src/intents/content.js';
import {
  acceptance,
  html,
  LOT,
  lookup,
  messageOnly,
  NOW,
  recordedRejection,
  refusal,
} from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import {
  ASKED,
  BID,
  BRIEF,
  count,
  KEYED,
  LOST,
  mute,
  placed,
  placedBefore,
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
const voided: IntentEvent = { type: 'voided', at: NOW, ids: ['bid_77'], otherKey: OTHER };
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
    [
      'client',
      {},
      {
        credentials: { clientId: 'cl_2', keyId: 'key_2', signingSecret: 'another-secret' },
        account: 'other-bank',
      },
    ],
  ])('a bid of another %s is not affected', async (_, over, client) => {
    const scene = await sceneAfter(LOST);
    expect((await placed([own], { scene, bid: { ...bid, ...over }, options: {}, client })).status).toBe(
      'accepted',
    );
  });
});

describe('two different bids of one buyer on one lot at the same time', () => {
  it('in one client, the second must not throw: it waits for the first and is then placed', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance(), own]);
    const derived = client.withOptions({ timeout: 1_000 });
    const outcomes = await scene.during(Promise.all([client.bids.place(BID), derived.bids.place(bid)]));
    expect(outcomes.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
    expect(transport.lines).toEqual([SENT, SENT]);
  });
});

describe('what a dead process left recorded and unsent on the lot', () => {
  it.each<[what: string, look: Step, outcome: object, states: string[]]>([
    ['is not sent where a lookup finds nothing', lookup('absent'), {}, ['not_sent', 'accepted']],
    ['blocks where that lookup gives no answer', refusal(404, 'NOT_FOUND'), unresolved, ['ready']],
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
});

/** The same bid under its key is one bid, however often and wherever it is placed. */

const CONFLICT = { name: 'IdempotencyConflictError', idempotencyKey: KEY };

describe('a bid that was placed before, placed again', () => {
  it.each([
    ['accepted', [acceptance()], 'accepted'],
    ['rejected', [recordedRejection(['BID_BELOW_MINIMUM', 'LOT_NOT_LIVE'])], 'rejected'],
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

  it('(recorded by a process which then died) is taken over and sent', async () => {
    const scene = await sceneAfter(REFUSED);
    await scene.append(KEY, { type: 'placed', at: NOW, placeBy: NOW + 120_000 });
    const { status, transport } = await placed([acceptance()], { scene });
    expect([status, transport.lines]).toEqual(['accepted', [SENT]]);
  });

  const replay = acceptance({ replayed: true }, 200);
  const accepted = { status: 'accepted', attempts: 2 };
  const found = [lookup('accepted')];

  it.each<[what: string, replies: Step[], outcome: object, lines: string[]]>([
    ['the same bytes settle it in one request', [replay], { ...accepted, replayed: true }, [SENT]],
    ['the service did not have it', [acceptance()], { ...accepted, replayed: false }, [SENT]],
    ['the reply is lost again', [LOST, replay], { ...accepted, attempts: 3 }, [SENT, SENT]],
    ['a gateway answers', [html(403), ...found], accepted, [SENT, ASKED]],
  ])('(in doubt) is sent again without a lookup: %s', async (_, replies, expected, lines) => {
    const scene = await sceneAfter(LOST);
    const { body } = (await scene.only()).row;
    const { outcome, transport } = await placed(replies, { scene });
    expect(outcome).toMatchObject(expected);
    expect(transport.lines).toEqual(lines);
    for (const sent of transport.bodies) expect(JSON.stringify({ text: sent })).toBe(body);
  });

  it.each<[what: string, before: Step[], change: (scene: Scene) => unknown, attempts: number]>([
    ['its time to be sent has passed', [LOST], ({ clock }) => clock.advance(120_000), 1],
    ['a copy could outlive its key', [LOST], ({ clock }) => clock.advance(3_300_000), 1],
    ['it was rejected while in doubt', [LOST, recordedRejection()], () => undefined, 2],
    ['a gateway turned it away', [messageOnly(403)], () => undefined, 1],
    [
      'A10 showed the lot closed',
      [LOST],
      (scene) => scene.append(KEY, { type: 'lot_read', at: NOW, closed: true }),
      1,
    ],
    ['the store was restored', [LOST], (scene) => scene.append(KEY, { type: 'restored', at: NOW }), 2],
    [
      'it awaits its confirmation',
      [acceptance()],
      (scene) => scene.append(KEY, { type: 'confirm', at: NOW }),
      1,
    ],
    ['its verdict has the ids of another bid', [acceptance()], (scene) => scene.append(KEY, voided), 1],
  ])('(in doubt) is looked up and not sent where %s', async (_, before, change, attempts) => {
    const { scene } = await placedBefore(before, { ...KEYED, maxAttempts: before.length, deadline: 500 });
    await change(scene);
    const { outcome, transport } = await placed([lookup('accepted')], { scene });
    expect([outcome, transport.lines]).toMatchObject([{ status: 'accepted', attempts }, [ASKED]]);
  });

  it('(in doubt) is looked up where bidding is halted', async () => {
    const scene = await sceneAfter(LOST);
    await scene.dealer().client.bids.halt('the market is closed');
    const { status, lines } = await placed([lookup('accepted')], { scene });
    expect([status, lines]).toEqual(['accepted', [ASKED]]);
  });

  it('(in doubt) holds to an explicit maxAttempts', async () => {
    const options = { ...KEYED, maxAttempts: 2 };
    const steps = [LOST, LOST, ...Array<Step>(4).fill(lookup('absent'))];
    const { status, lines } = await placed(steps, { scene: await sceneAfter(LOST), options });
    expect([status, count(lines, SENT), count(lines, ASKED)]).toEqual(['unknown', 2, 4]);
  });
});

describe('another bid under a key that is recorded', () => {
  it.each<[what: string, bid: object, differing: string[]]>([
    ['another amount', { amount: '470000' }, ['amount']],
    ['the same amount in other digits', { amount: '465000.00' }, ['amount']],
    ['another lot and amount', { lot: 'lot_other', amount: '470000' }, ['path', 'amount']],
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
});

describe('an intent that another process changed while this call held it', () => {
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

  describe('is being sent by it', () => {
    /** A first call has sent it and lost the reply; another one is sending it when the first would try again. */
    async function both() {
      const scene = new Scene();
      const first = scene.dealer([messageOnly(503, { 'retry-after': '5' }), ...mute(9)]);
      const placing = scene.dealer([{ hang: true }]).client;
      const outcome = first.client.bids.place(BID, KEYED);
      await scene.clock.advance(1_000);
      void placing.bids.place(BID, KEYED).catch(() => undefined);
      await scene.clock.advance(4_200);
      return { scene, first, outcome };
    }

    it('so a store that fails meanwhile leaves it unknown', async () => {
      const { scene, first, outcome } = await both();
      scene.store.troubles.push(...Array(40).fill('fails'));
      expect(await scene.during(rejection(outcome))).toMatchObject({
        name: 'StoreError',
        outcome: 'unknown',
      });
      expect(count(first.transport.lines, SENT)).toBe(1);
    });

    it('so a client that is closed meanwhile leaves it unknown', async () => {
      const { scene, first, outcome } = await both();
      void first.client.close();
      expect(await scene.during(outcome)).toMatchObject({ status: 'unknown', attempts: 2 });
    });
  });
});

it('a bid that is turned away without a code and not found is refused each time that it is placed, until a reply is lost', async () => {
  const scene = new Scene();
  const steps = [messageOnly(404), lookup('absent')];
  for (const _ of [1, 2, 3]) {
    const { outcome, provisional } = await placed(steps, { scene });
    expect(outcome).toMatchObject({ status: 'refused', reason: 'uncoded' });
    expect(provisional).toBe(true);
  }
  const { outcome } = await placed([LOST, messageOnly(404), ...Array<Step>(8).fill(lookup('absent'))], {
    scene,
    options: { ...KEYED, maxAttempts: 2 },
  });
  expect(outcome).toMatchObject({ status: 'unknown' });
});
