import { describe, expect, it } from 'vitest';
import {
  acceptance,
  bidDetail,
  lookup,
  messageOnly,
  NOW,
  recordedRejection,
  refusal,
} from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY } from '../support/clients.js';
import {
  ASKED,
  LOST,
  mute,
  placed,
  reconciled,
  SENT,
  sceneAfter,
  UNCONNECTED,
} from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** Replies that may be of another bid: replays of what was never sent, conflicts, and crossed or contradictory verdicts. */

const OTHER = '11111111-1111-4111-8111-111111111111';
const replay = acceptance({ replayed: true }, 200);
/** The bid of `acceptance()` as A05 shows it. */
const same = (over: object = {}) => bidDetail({ id: 'bid_77', status: 'accepted', errors: [], ...over });
const A05 = 'GET /bids/bid_77';
const IN_DOUBT = { status: 'unknown', reason: 'in_doubt' };
const STUCK = { status: 'unknown', reason: 'stuck' };
const times = (count: number, step: Step) => Array<Step>(count).fill(step);

const once = (steps: readonly Step[], maxAttempts = 1) =>
  placed(steps, { options: { idempotencyKey: KEY, maxAttempts } });

describe('a replay of something that this store never sent, such as after its loss', () => {
  const rejected = recordedRejection(['LOT_NOT_LIVE'], { replayed: true });

  it.each<[what: string, steps: Step[], outcome: object, state: string, lines: string[]]>([
    [
      'is an acceptance where A05 shows the same lot, amount and reference',
      [replay, same()],
      { status: 'accepted', replayed: true, bidId: 'bid_77', receipt: { lot_version: 4 } },
      'accepted',
      [SENT, A05],
    ],
    [
      'is a rejection where A05 shows that',
      [rejected, bidDetail()],
      { status: 'rejected', codes: ['LOT_NOT_LIVE'], bidId: 'bid_78' },
      'rejected',
      [SENT, 'GET /bids/bid_78'],
    ],
    ['is stuck where the lot differs', [replay, same({ lot_id: 'x' })], STUCK, 'stuck', [SENT, A05]],
    ['is stuck where the amount differs', [replay, same({ amount: '1.00' })], STUCK, 'stuck', [SENT, A05]],
    [
      'is stuck where the reference differs',
      [replay, same({ bidder_reference: 'buyer-9' })],
      STUCK,
      'stuck',
      [SENT, A05],
    ],
    [
      'is not believed where A05 shows another verdict',
      [replay, same({ status: 'rejected' }), ...times(4, lookup('processing'))],
      IN_DOUBT,
      'sent',
      [SENT, A05, ASKED],
    ],
  ])('%s', async (_, steps, expected, state, lines) => {
    const found = await once(steps);
    expect(found.outcome).toMatchObject(expected);
    expect(found.state).toBe(state);
    expect(found.lines.slice(0, lines.length)).toEqual(lines);
  });

  it('stays in doubt where A05 gives no answer, and a later look settles it', async () => {
    const { outcome, state, scene } = await once([replay, messageOnly(403)]);
    expect([outcome, state]).toMatchObject([IN_DOUBT, 'sent']);
    const later = await reconciled(scene, [same()]);
    expect([later.status, later.lines]).toEqual(['accepted', [A05]]);
  });

  it('is as strange after an attempt that never left, and not after one in doubt', async () => {
    expect((await once([UNCONNECTED, replay, same()], 2)).lines).toEqual([SENT, SENT, A05]);
    const own = await once([LOST, replay], 2);
    expect([own.status, own.lines]).toEqual(['accepted', [SENT, SENT]]);
  });

  it('reports none as unknown where a whole batch is run again after the store was lost', async () => {
    const scene = new Scene();
    expect((await placed([replay, same()], { scene })).status).toBe('accepted');
    const second = acceptance({ bid_id: 'bid_80', request_id: 'req_80', replayed: true }, 200);
    const detail = same({ id: 'bid_80', lot_id: 'lot_2', amount: '470000.00' });
    const bid = { lot: 'lot_2', amount: '470000' };
    const options = { idempotencyKey: OTHER };
    expect((await placed([second, detail], { scene, bid, options })).status).toBe('accepted');
  });
});

describe('a 409 without a code', () => {
  const bare = messageOnly(409);
  const found = lookup('accepted', { receipt: { bid_id: 'bid_77', status: 'accepted' } });

  it.each<[what: string, steps: Step[], outcome: object, state: string]>([
    [
      'must not be stuck where a lookup finds it and A05 shows it',
      [found, same()],
      { status: 'accepted' },
      'accepted',
    ],
    ['is stuck where the lookup found another bid', [found, same({ amount: '1.00' })], STUCK, 'stuck'],
    ['is stuck where the lookup names no bid', [lookup('accepted')], STUCK, 'stuck'],
    ['is unknown where the lookup gives no answer', mute(4), IN_DOUBT, 'sent'],
    ['is unknown where the lookup finds it processing', times(30, lookup('processing')), IN_DOUBT, 'sent'],
    ['is unknown where the lookup finds nothing', times(4, lookup('absent')), IN_DOUBT, 'sent'],
  ])('%s', async (_, looks, expected, state) => {
    const { outcome, ...rest } = await once([bare, ...looks]);
    expect(outcome).toMatchObject(expected);
    expect(rest.state).toBe(state);
  });
});

it('a key under which the service holds other content stays put before a person, whatever a lookup finds', async () => {
  const scene = await sceneAfter(refusal(409, 'IDEMPOTENCY_CONFLICT'));
  const found = lookup('accepted', { receipt: { bid_id: 'bid_77', status: 'accepted' } });
  for (const steps of [[found], [found, same()]]) {
    expect((await reconciled(scene, steps)).outcome).toMatchObject(STUCK);
  }
});

describe('one bid_id or request_id under two keys', () => {
  const bid = { lot: 'lot_2', amount: '470000' };
  const options = { idempotencyKey: OTHER, maxAttempts: 1 };
  const look = (state: string, key: string, id: string) =>
    lookup(state, { key, receipt: { bid_id: id, status: state, errors: ['LOT_NOT_LIVE'] } });
  const lines = ['POST /lots/lot_2/bids', `GET /bid-requests/${OTHER}`, ASKED];
  const rejectedThenFound = [look('rejected', OTHER, 'bid_90'), look('accepted', KEY, 'bid_77')];

  it.each<[what: string, first: Step, crossed: Step, looks: Step[], second: object, states: string[]]>([
    [
      'a crossed acceptance is believed for neither bid until A06 has answered for both',
      acceptance(),
      acceptance(),
      rejectedThenFound,
      { status: 'rejected', bidId: 'bid_90' },
      ['accepted', 'rejected'],
    ],
    [
      'a crossed rejection must not be believed either',
      recordedRejection(),
      recordedRejection(),
      [look('accepted', OTHER, 'bid_90'), look('rejected', KEY, 'bid_78')],
      { status: 'accepted', bidId: 'bid_90' },
      ['rejected', 'accepted'],
    ],
    [
      'the request_id alone is enough',
      acceptance(),
      acceptance({ bid_id: 'bid_91' }),
      rejectedThenFound,
      { status: 'rejected' },
      ['accepted', 'rejected'],
    ],
    [
      'the bid_id alone is enough',
      acceptance(),
      acceptance({ request_id: 'req_91' }),
      rejectedThenFound,
      { status: 'rejected' },
      ['accepted', 'rejected'],
    ],
    [
      'both stay in doubt where no lookup answers',
      acceptance(),
      acceptance(),
      mute(9),
      IN_DOUBT,
      ['sent', 'sent'],
    ],
    [
      'the first bid becomes what A06 says of it, although the crossed reply was reported before',
      acceptance(),
      acceptance(),
      [look('accepted', OTHER, 'bid_77'), look('rejected', KEY, 'bid_90')],
      { status: 'accepted' },
      ['rejected', 'accepted'],
    ],
    [
      'a lookup that shows the ids of another bid puts that one in doubt',
      acceptance(),
      LOST,
      [look('accepted', OTHER, 'bid_77'), look('rejected', KEY, 'bid_90')],
      { status: 'accepted' },
      ['rejected', 'accepted'],
    ],
  ])('%s', async (_, first, crossed, looks, expected, states) => {
    const scene = await sceneAfter(first);
    const second = await placed([crossed, ...looks], { scene, bid, options });
    expect(second.outcome).toMatchObject(expected);
    expect(second.intents.map(({ state }) => state)).toEqual(states);
    if (looks.length === 2) expect(second.lines).toEqual(lines);
  });

  it('the ids that a lookup then shows of that one belong to it, so that a third bid does not get them', async () => {
    const scene = await sceneAfter(acceptance());
    const looks = [look('accepted', OTHER, 'bid_77'), look('accepted', KEY, 'bid_90')];
    await placed([LOST, ...looks], { scene, bid, options });
    const third = '22222222-2222-4222-8222-222222222222';
    const rotated = acceptance({ bid_id: 'bid_90', request_id: 'req_90' });
    const { outcome, intents } = await placed([rotated, look('rejected', third, 'bid_91')], {
      scene,
      bid: { lot: 'lot_3', amount: '480000' },
      options: { idempotencyKey: third, maxAttempts: 1 },
    });
    expect(outcome).toMatchObject({ status: 'rejected', bidId: 'bid_91' });
    expect(intents.map(({ state }) => state)).toEqual(['accepted', 'accepted', 'rejected']);
  });
});

describe('a later lookup', () => {
  const found = (state: string) =>
    lookup(state, { receipt: { bid_id: 'bid_99', status: state, errors: ['LOT_NOT_LIVE'] } });

  it.each<[what: string, before: Step, look: Step, outcome: object, state: string]>([
    ['that contradicts a rejection is stuck', recordedRejection(), found('accepted'), STUCK, 'stuck'],
    ['that contradicts an acceptance is stuck', acceptance(), found('rejected'), STUCK, 'stuck'],
    [
      'that finds nothing does not touch an acceptance by reply',
      acceptance(),
      lookup('absent', { at: NOW + 1_000 }),
      { status: 'accepted', bidId: 'bid_77' },
      'accepted',
    ],
    [
      'that agrees keeps the receipt of the reply where it has none of its own',
      acceptance(),
      lookup('accepted'),
      { status: 'accepted', bidId: 'bid_77', receipt: { lot_version: 4 } },
      'accepted',
    ],
    [
      'that finds an acceptance overrides refused',
      refusal(403, 'SCOPE_DENIED'),
      lookup('accepted'),
      { status: 'accepted' },
      'accepted',
    ],
    ['that finds an acceptance overrides not sent', UNCONNECTED, lookup('accepted'), {}, 'accepted'],
  ])('%s', async (_, before, look, expected, state) => {
    const later = await reconciled(await sceneAfter(before), [look]);
    expect(later.outcome).toMatchObject(expected);
    expect(later.state).toBe(state);
  });

  it.each(['accepted', 'rejected'])('that finds %s overrides abandoned', async (state) => {
    const scene = await sceneAfter(LOST);
    await scene.dealer().client.intents.abandon(KEY, 'the buyer left');
    expect(await reconciled(scene, [found(state)])).toMatchObject({ status: state, state });
  });
});
