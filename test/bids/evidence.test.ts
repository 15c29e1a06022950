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
import { ASKED, BID, KEYED, LOST, mute, placedBefore, SENT } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** Replies that may be of another bid: replays of what was never sent, conflicts, and crossed or contradictory verdicts. */

const OTHER = '11111111-1111-4111-8111-111111111111';
const replay = acceptance({ replayed: true }, 200);
/** The bid of `acceptance()` as A05 shows it. */
const same = (over: object = {}) => bidDetail({ id: 'bid_77', status: 'accepted', errors: [], ...over });
const A05 = 'GET /bids/bid_77';

async function placed(steps: readonly Step[], maxAttempts = 1) {
  const { scene, outcome, lines } = await placedBefore(steps, { ...KEYED, maxAttempts });
  return { scene, outcome, lines, state: (await scene.only()).state };
}

describe('a replay of something that this store never sent, such as after its loss', () => {
  it('is an acceptance where A05 shows the same lot, amount and reference', async () => {
    const { outcome, state, lines } = await placed([replay, same()]);
    expect(outcome).toMatchObject({
      status: 'accepted',
      replayed: true,
      bidId: 'bid_77',
      receipt: { lot_version: 4, current_amount: '465000.50' },
    });
    expect([state, lines]).toEqual(['accepted', [SENT, A05]]);
  });

  it('is a rejection where A05 shows that', async () => {
    const { outcome, state } = await placed([
      recordedRejection(['LOT_NOT_LIVE'], { replayed: true }),
      bidDetail(),
    ]);
    expect(outcome).toMatchObject({ status: 'rejected', codes: ['LOT_NOT_LIVE'], bidId: 'bid_78' });
    expect(state).toBe('rejected');
  });

  it.each([
    ['lot', { lot_id: 'lot_other' }],
    ['amount', { amount: '465000.01' }],
    ['reference', { bidder_reference: 'buyer-9' }],
  ])('needs manual resolution where the %s differs', async (_, over) => {
    const { outcome, state, lines } = await placed([replay, same(over)]);
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'stuck' });
    expect([state, lines]).toEqual(['stuck', [SENT, A05]]);
  });

  it("compares the platform's buyer", async () => {
    const scene = new Scene();
    const { client } = scene.platform([replay, same({ bidder_reference: 'buyer-9' })]);
    const bid = { ...BID, bidderReference: 'buyer-9' };
    expect(await scene.during(client.bids.place(bid))).toMatchObject({ status: 'accepted' });
  });

  it('stays in doubt where A05 gives no answer, and a later look settles it', async () => {
    const { outcome, state, scene } = await placed([replay, messageOnly(403)]);
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'in_doubt' });
    expect(state).toBe('sent');
    const { client, transport } = scene.dealer([same()]);
    expect(await scene.during(client.intents.reconcile(KEY))).toMatchObject({
      status: 'accepted',
      bidId: 'bid_77',
    });
    expect(transport.lines).toEqual([A05]);
  });

  it('is not believed where A05 shows another verdict', async () => {
    const looks = Array<Step>(4).fill(lookup('processing'));
    const { outcome, state } = await placed([replay, same({ status: 'rejected' }), ...looks]);
    expect(outcome.status).toBe('unknown');
    expect(state).toBe('sent');
  });

  it('is as strange after an attempt that never left', async () => {
    expect((await placed([{ fail: 'no' }, replay, same()], 2)).lines).toEqual([SENT, SENT, A05]);
  });

  it('needs no A05 after an attempt of this store that was in doubt', async () => {
    const { outcome, lines } = await placed([LOST, replay], 2);
    expect(outcome.status).toBe('accepted');
    expect(lines).toEqual([SENT, SENT]);
  });
});

describe('a 409 without a code', () => {
  const bare = messageOnly(409);
  const receipt = { bid_id: 'bid_77', status: 'accepted' };

  it('is settled by the lookup, and then by A05', async () => {
    const { outcome, state, lines } = await placed([bare, lookup('accepted', { receipt }), same()]);
    expect(outcome).toMatchObject({ status: 'accepted', bidId: 'bid_77' });
    expect([state, lines]).toEqual(['accepted', [SENT, ASKED, A05]]);
  });

  it('needs manual resolution where the bid that the lookup found is another one', async () => {
    const { outcome } = await placed([bare, lookup('accepted', { receipt }), same({ amount: '1.00' })]);
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'stuck' });
  });

  it('needs manual resolution where the lookup names no bid that could be compared', async () => {
    const { state } = await placed([bare, lookup('accepted')]);
    expect(state).toBe('stuck');
  });

  it.each([
    ['gives no answer', mute(4)],
    ['finds it processing', Array<Step>(30).fill(lookup('processing'))],
    ['finds nothing', Array<Step>(4).fill(lookup('absent'))],
  ])('is unknown where the lookup %s', async (_, looks) => {
    const { outcome, state } = await placed([bare, ...looks]);
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'in_doubt' });
    expect(state).toBe('sent');
  });
});

describe('a key under which the service holds other content', () => {
  it('stays put before a person, whatever a lookup of that key finds', async () => {
    const { scene } = await placed([refusal(409, 'IDEMPOTENCY_CONFLICT')]);
    const receipt = { bid_id: 'bid_77', status: 'accepted' };
    const { client } = scene.dealer([
      lookup('accepted', { receipt }),
      lookup('accepted', { receipt }),
      same(),
    ]);
    for (let time = 0; time < 2; time += 1) {
      expect(await scene.during(client.intents.reconcile(KEY))).toMatchObject({
        status: 'unknown',
        reason: 'stuck',
      });
    }
    expect(await client.intents.abandon(KEY, 'It is a bid of another system.')).toMatchObject({
      reason: 'abandoned',
    });
  });
});

describe('one bid_id or request_id under two keys', () => {
  const second = { lot: 'lot_2', amount: '470000' };
  const look = (state: string, key: string, id: string) =>
    lookup(state, { key, receipt: { bid_id: id, status: state, errors: ['LOT_NOT_LIVE'] } });

  /** A first bid that got `before`, and a second one that gets `crossed`; then what the lookups answer. */
  async function crossing(before: Step, crossed: Step, looks: readonly Step[]) {
    const { scene, outcome } = await placedBefore([before]);
    const { client, transport } = scene.dealer([crossed, ...looks]);
    const later = await scene.during(client.bids.place(second, { idempotencyKey: OTHER, maxAttempts: 1 }));
    const states = (await scene.intents()).map(({ state }) => state);
    return { scene, outcome, later, states, lines: transport.lines };
  }

  const other = `GET /bid-requests/${OTHER}`;
  const post = 'POST /lots/lot_2/bids';

  it('a crossed acceptance is believed for neither bid until A06 has answered for both', async () => {
    const looks = [look('rejected', OTHER, 'bid_90'), look('accepted', KEY, 'bid_77')];
    const { outcome, later, states, lines } = await crossing(acceptance(), acceptance(), looks);
    expect(outcome.status).toBe('accepted');
    expect(later).toMatchObject({ status: 'rejected', bidId: 'bid_90' });
    expect([states, lines]).toEqual([
      ['accepted', 'rejected'],
      [post, other, ASKED],
    ]);
  });

  it('a crossed rejection is not believed either', async () => {
    const looks = [look('accepted', OTHER, 'bid_90'), look('rejected', KEY, 'bid_78')];
    const { later, states } = await crossing(recordedRejection(), recordedRejection(), looks);
    expect(later).toMatchObject({ status: 'accepted', bidId: 'bid_90' });
    expect(states).toEqual(['rejected', 'accepted']);
  });

  it('the request_id alone is enough, and so is the bid_id alone', async () => {
    for (const ids of [{ bid_id: 'bid_90' }, { request_id: 'req_90' }]) {
      const looks = [look('rejected', OTHER, 'bid_91'), look('accepted', KEY, 'bid_77')];
      const { states, lines } = await crossing(acceptance(), acceptance(ids), looks);
      expect([states, lines]).toEqual([
        ['accepted', 'rejected'],
        [post, other, ASKED],
      ]);
    }
  });

  it('both stay in doubt where no lookup answers', async () => {
    const { later, states } = await crossing(acceptance(), acceptance(), mute(9));
    expect(later).toMatchObject({ status: 'unknown', reason: 'in_doubt' });
    expect(states).toEqual(['sent', 'sent']);
  });

  it('the first bid becomes what A06 says of it, although the crossed reply was reported before', async () => {
    const looks = [look('accepted', OTHER, 'bid_77'), look('rejected', KEY, 'bid_90')];
    const { states } = await crossing(acceptance(), acceptance(), looks);
    expect(states).toEqual(['rejected', 'accepted']);
  });

  it('a lookup that shows the ids of another bid puts that one in doubt', async () => {
    const { scene } = await placedBefore([acceptance()]);
    const looks = [look('accepted', OTHER, 'bid_77'), look('rejected', KEY, 'bid_90')];
    const { client, transport } = scene.dealer([LOST, ...looks]);
    await scene.during(client.bids.place(second, { idempotencyKey: OTHER, maxAttempts: 1 }));
    expect(transport.lines).toEqual([post, other, ASKED]);
    expect((await scene.intents()).map(({ state }) => state)).toEqual(['rejected', 'accepted']);
  });

  it('the ids that a lookup then shows of that one belong to it, so that a third bid does not get them', async () => {
    const { scene } = await placedBefore([acceptance()]);
    const looks = [look('accepted', OTHER, 'bid_77'), look('accepted', KEY, 'bid_90')];
    const before = scene.dealer([LOST, ...looks]).client;
    await scene.during(before.bids.place(second, { idempotencyKey: OTHER, maxAttempts: 1 }));
    const third = '22222222-2222-4222-8222-222222222222';
    const rotated = acceptance({ bid_id: 'bid_90', request_id: 'req_90' });
    const { client } = scene.dealer([rotated, look('rejected', third, 'bid_91')]);
    const bid = { lot: 'lot_3', amount: '480000' };
    const outcome = await scene.during(client.bids.place(bid, { idempotencyKey: third, maxAttempts: 1 }));
    expect(outcome).toMatchObject({ status: 'rejected', bidId: 'bid_91' });
    expect((await scene.intents()).map(({ state }) => state)).toEqual(['accepted', 'accepted', 'rejected']);
  });

  it('ids of its own do not put a bid in doubt that was answered twice', async () => {
    const { lines } = await placed([LOST, acceptance({ replayed: true }, 200)], 2);
    expect(lines).toEqual([SENT, SENT]);
  });
});

describe('a verdict that contradicts the one that was reported', () => {
  const rows: readonly (readonly [string, Step, string])[] = [
    ['a rejection', recordedRejection(), 'accepted'],
    ['an acceptance', acceptance(), 'rejected'],
  ];

  it.each(rows)(
    '%s by reply, and its lookup says %3$s: it needs manual resolution',
    async (_, reply, found) => {
      const { scene } = await placed([reply]);
      const receipt = { bid_id: 'bid_99', status: found, errors: ['LOT_NOT_LIVE'] };
      const { client } = scene.dealer([lookup(found, { receipt })]);
      expect(await scene.during(client.intents.reconcile(KEY))).toMatchObject({
        status: 'unknown',
        reason: 'stuck',
      });
      expect((await scene.only()).state).toBe('stuck');
    },
  );

  it('an absence does not touch a verdict that the service gave in its reply', async () => {
    const { scene } = await placed([acceptance()]);
    const { client } = scene.dealer([lookup('absent', { at: NOW + 1_000 })]);
    expect(await scene.during(client.intents.reconcile(KEY))).toMatchObject({
      status: 'accepted',
      bidId: 'bid_77',
    });
  });

  it('a lookup that agrees keeps the receipt of the reply where it has none of its own', async () => {
    const { scene } = await placed([acceptance()]);
    const { client } = scene.dealer([lookup('accepted')]);
    expect(await scene.during(client.intents.reconcile(KEY))).toMatchObject({
      status: 'accepted',
      bidId: 'bid_77',
      receipt: { lot_version: 4 },
    });
  });

  it.each([
    ['refused', [refusal(403, 'SCOPE_DENIED')], 'accepted'],
    ['not sent', [{ fail: 'no' } as Step], 'accepted'],
  ])('an acceptance that shows later overrides %s', async (_, steps, state) => {
    const { scene } = await placedBefore(steps);
    const { client } = scene.dealer([lookup('accepted')]);
    expect((await scene.during(client.intents.reconcile(KEY))).status).toBe('accepted');
    expect((await scene.only()).state).toBe(state);
  });

  it.each(['accepted', 'rejected'])('%s by a later lookup overrides abandoned', async (found) => {
    const { scene } = await placedBefore([LOST]);
    const { client } = scene.dealer([
      lookup(found, { receipt: { status: found, errors: ['LOT_NOT_LIVE'] } }),
    ]);
    await client.intents.abandon(KEY, 'the buyer left');
    expect((await scene.during(client.intents.reconcile(KEY))).status).toBe(found);
    expect((await scene.only()).state).toBe(found);
  });
});

describe('the same batch run again after the store was lost', () => {
  it('finds each bid accepted, and reports none as unknown', async () => {
    const scene = new Scene();
    const replays = [
      replay,
      same(),
      acceptance({ bid_id: 'bid_80', request_id: 'req_80', replayed: true }, 200),
    ];
    const detail = same({ id: 'bid_80', lot_id: 'lot_2', amount: '470000.00' });
    const { client } = scene.dealer([...replays, detail]);
    const outcomes = [
      await scene.during(client.bids.place(BID, KEYED)),
      await scene.during(client.bids.place({ lot: 'lot_2', amount: '470000' }, { idempotencyKey: OTHER })),
    ];
    expect(outcomes.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
  });
});
