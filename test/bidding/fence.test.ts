import { describe, expect, it } from 'vitest';
import { absenceOf } from '../../src/bidding/fence.js';
import type { Entry } from '../../src/intents/entry.js';
import { fenceOf } from '../../src/intents/fence-of.js';
import { standingOf } from '../../src/intents/standing.js';
import { bidDetail, bidPage, LOT, lookup, messageOnly, NOW, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

/** When the service finds nothing under a key: what that is worth, and when. */

const T = NOW / 1000;
const FENCE = NOW + 300_000;
const HOUR = 3_600_000;

const attempt = (number: number, timestamp = T): Entry => ({
  type: 'attempt',
  attempt: number,
  at: NOW,
  timestamp,
  nonce: `n${number}`,
  keyId: 'k',
});
const doubt = (number: number): Entry => ({
  type: 'end',
  attempt: number,
  at: NOW,
  effect: 'in_doubt',
  reason: 'reset',
});
const unsent = (number: number): Entry => ({
  type: 'end',
  attempt: number,
  at: NOW,
  effect: 'not_sent',
  reason: 'no connection',
});
const look = (found: string, observedAt?: number): Entry => ({
  type: 'look',
  by: 'A06',
  at: NOW,
  found,
  ...(observedAt !== undefined && { observedAt }),
});

function judged(...entries: readonly Entry[]) {
  const bid = { lot: LOT, amount: '1', placeBy: 0 };
  return absenceOf(entries, standingOf({ bid }, entries), HOUR);
}

const sent = [attempt(1), doubt(1)];

describe('an absence', () => {
  it('has a fence 300 s behind the stamp of the last attempt that may have left', () => {
    expect(fenceOf(T)).toBe(FENCE);
    expect(judged(...sent, look('absent', NOW))?.fenceAt).toBe(FENCE);
    expect(judged(...sent, attempt(2, T + 60), doubt(2), look('absent', NOW))?.fenceAt).toBe(FENCE + 60_000);
    // An earlier stamp, of a clock that was set back, doesn't move it to the front.
    expect(judged(...sent, attempt(2, T - 60), doubt(2), look('absent', NOW))?.fenceAt).toBe(FENCE);
    expect(judged(...sent, attempt(2, T + 60), unsent(2), look('absent', NOW))?.fenceAt).toBe(FENCE);
  });

  it.each([
    ['once, before the fence', [look('absent', FENCE - 1)], false, false],
    ['twice, before the fence', [look('absent', FENCE - 9_000), look('absent', FENCE - 1)], false, false],
    [
      'twice, the second one at the fence',
      [look('absent', FENCE - 9_000), look('absent', FENCE)],
      false,
      false,
    ],
    ['once, behind the fence', [look('absent', FENCE + 1)], true, false],
    ['before and behind', [look('absent', FENCE - 60_000), look('absent', FENCE + 60_000)], true, false],
    ['at the fence and behind', [look('absent', FENCE), look('absent', FENCE + 60_000)], true, false],
    ['twice behind, too soon', [look('absent', FENCE + 1), look('absent', FENCE + 5_000)], true, false],
    [
      'twice behind, far enough apart',
      [look('absent', FENCE + 1), look('absent', FENCE + 5_001)],
      true,
      true,
    ],
    ['twice behind, at the same moment', [look('absent', FENCE + 9), look('absent', FENCE + 9)], true, false],
    [
      'twice behind, the clock of the service set back',
      [look('absent', FENCE + 9_000), look('absent', FENCE + 1)],
      true,
      false,
    ],
    [
      'three times behind',
      [look('absent', FENCE + 1), look('absent', FENCE + 2), look('absent', FENCE + 5_001)],
      true,
      true,
    ],
    [
      'with a look between that failed',
      [look('absent', FENCE + 1), look('failed'), look('absent', FENCE + 6_000)],
      true,
      true,
    ],
    [
      'with a look between that found it processing',
      [look('absent', FENCE + 1), look('processing', FENCE + 3_000), look('absent', FENCE + 6_000)],
      true,
      false,
    ],
    ['without saying when', [look('absent'), look('absent')], false, false],
    ['without saying when the first time', [look('absent'), look('absent', FENCE + 6_000)], true, false],
    [
      'at the end of the horizon',
      [look('absent', FENCE + HOUR - 5_000), look('absent', FENCE + HOUR)],
      true,
      true,
    ],
    [
      'once behind the horizon',
      [look('absent', FENCE + HOUR - 5_000), look('absent', FENCE + HOUR + 1)],
      true,
      false,
    ],
    [
      'twice behind the horizon',
      [look('absent', FENCE + HOUR + 1), look('absent', FENCE + HOUR + 60_000)],
      false,
      false,
    ],
  ] as const)('%s', (_, looks, begun, conclusive) => {
    const absence = judged(...sent, ...looks);
    expect({ begun: absence?.begun, conclusive: absence?.conclusive }).toEqual({ begun, conclusive });
  });

  it.each([
    ['no look', []],
    ['a look that failed', [look('failed')]],
    ['one that found it processing', [look('absent', FENCE + 1), look('processing', FENCE + 9_000)]],
    [
      'a failure behind two that would do',
      [look('absent', FENCE + 1), look('absent', FENCE + 9_000), look('failed')],
    ],
  ])('is none after %s', (_, looks) => {
    expect(judged(...sent, ...looks)).toBeUndefined();
  });

  it('is none where nothing can have left', () => {
    expect(judged(look('absent', FENCE + 9_000))).toBeUndefined();
    expect(judged(attempt(1), unsent(1), look('absent', FENCE + 9_000))).toBeUndefined();
  });

  it('begins anew with each attempt', () => {
    const before = [look('absent', FENCE + 1), look('absent', FENCE + 6_000)];
    expect(judged(...sent, ...before)?.conclusive).toBe(true);
    const resent = [attempt(2, T), doubt(2)];
    expect(judged(...sent, ...before, ...resent, look('absent', FENCE + 12_000))).toMatchObject({
      begun: true,
      conclusive: false,
    });
  });

  it.each([
    [FENCE + HOUR, false],
    [FENCE + HOUR + 1, true],
  ])('seen at %d: too late is %s', (at, tooLate) => {
    expect(judged(...sent, look('absent', at))?.tooLate).toBe(tooLate);
  });
});

describe('reconciling a bid that is in doubt', () => {
  const bid = { lot: LOT, amount: '465000', intentId: KEY };
  const asked = `GET /bid-requests/${KEY}`;

  /** A bid that was sent at `NOW` and of which nothing was heard. */
  async function inDoubt(over: object = {}) {
    const scene = new Scene();
    const { client } = scene.dealer([{ fail: 'maybe' }], over);
    await scene.during(client.bidding.place(bid, { maxAttempts: 1, deadline: 500 }));
    return scene;
  }

  it('before the fence is unknown, however often it is looked for', async () => {
    const scene = await inDoubt();
    const { client, transport } = scene.dealer([
      lookup('absent', { at: NOW + 60_000 }),
      lookup('absent', { at: NOW + 120_000 }),
    ]);
    const outcome = await scene.during(client.bidding.reconcile(KEY));
    expect(outcome).toMatchObject({
      status: 'unknown',
      evidence: { kind: 'absent', conclusive: false, observedAt: NOW + 120_000, fenceAt: FENCE },
    });
    expect(transport.lines).toEqual([asked, asked]);
  });

  it('behind it looks a second time by itself, and is then as certain as it gets', async () => {
    const scene = await inDoubt();
    await scene.clock.advance(301_000);
    const { client, transport } = scene.dealer([
      lookup('absent', { at: FENCE + 1_000 }),
      lookup('absent', { at: FENCE + 6_000 }),
    ]);
    const before = scene.clock.monotonic();
    const outcome = await scene.during(client.bidding.reconcile(KEY));
    expect(outcome).toMatchObject({
      status: 'unknown',
      evidence: { kind: 'absent', conclusive: true, observedAt: FENCE + 6_000, fenceAt: FENCE },
      what: 'This bid may or may not have been recorded. The service has no record of it, and no copy of it can be let in any more.',
      nextStep:
        'It is as good as certain that it was not recorded, yet no proof: abandon it if you mean to bid anew.',
    });
    expect(outcome).not.toHaveProperty('quarantined');
    expect(transport.lines).toEqual([asked, asked]);
    expect(scene.clock.monotonic() - before).toBe(5_000);
    // Evidence, no proof: it stays open, and blocks the lot.
    expect((await scene.journal.only()).state).toBe('unknown');
  });

  it('goes by the time of the service: a local clock that is ahead proves nothing', async () => {
    const scene = await inDoubt();
    await scene.clock.advance(400_000);
    const { client } = scene.dealer([
      lookup('absent', { at: FENCE - 20_000 }),
      lookup('absent', { at: FENCE - 10_000 }),
    ]);
    expect(await scene.during(client.bidding.reconcile(KEY))).toMatchObject({
      evidence: { kind: 'absent', conclusive: false },
    });
  });

  it('goes by the time of the service: a local clock that is behind hides nothing', async () => {
    const scene = await inDoubt();
    const { client } = scene.dealer([
      lookup('absent', { at: FENCE + 1 }),
      lookup('absent', { at: FENCE + 6_000 }),
    ]);
    expect(await scene.during(client.bidding.reconcile(KEY))).toMatchObject({
      evidence: { kind: 'absent', conclusive: true },
    });
  });

  it('where the service does not say when it looked is not conclusive', async () => {
    const scene = await inDoubt();
    await scene.clock.advance(400_000);
    const { client } = scene.dealer(Array<Step>(2).fill(lookup('absent', { at: null })));
    expect(await scene.during(client.bidding.reconcile(KEY))).toMatchObject({
      status: 'unknown',
      evidence: { kind: 'absent', conclusive: false, observedAt: undefined, fenceAt: FENCE },
    });
  });

  it('adds looks of different days together', async () => {
    const scene = await inDoubt();
    await scene.clock.advance(301_000);
    const first = scene.dealer([lookup('absent', { at: FENCE + 1_000 })]);
    await scene.during(first.client.bidding.reconcile(KEY, { deadline: 2_000 }));
    await scene.clock.advance(60_000);
    const second = scene.dealer([lookup('absent', { at: FENCE + 61_000 })]);
    expect(await scene.during(second.client.bidding.reconcile(KEY))).toMatchObject({
      evidence: { conclusive: true },
    });
    expect(second.transport.lines).toEqual([asked]);
  });

  it('finds it behind the fence after all: positive evidence overrides absence', async () => {
    const scene = await inDoubt();
    await scene.clock.advance(301_000);
    const { client } = scene.dealer([
      lookup('absent', { at: FENCE + 1 }),
      lookup('absent', { at: FENCE + 6_000 }),
    ]);
    await scene.during(client.bidding.reconcile(KEY));
    const receipt = { bid_id: 'bid_7', status: 'accepted' };
    const later = scene.dealer([lookup('accepted', { receipt, at: FENCE + 60_000 })]);
    expect(await scene.during(later.client.bidding.reconcile(KEY))).toMatchObject({
      status: 'accepted',
      bidId: 'bid_7',
    });
    expect((await scene.journal.only()).state).toBe('accepted');
  });

  describe('when the service may have forgotten the key', () => {
    const late = FENCE + HOUR + 1_000;
    const item = (id: string, over: object = {}) => ({
      public_id: id,
      bidder_reference: null,
      amount: '465000.00',
      status: 'accepted',
      created_at: '2026-03-02 11:30:00',
      ...over,
    });

    async function reconciledLate(steps: readonly Step[], options: object = {}) {
      const scene = await inDoubt();
      await scene.clock.advance(HOUR + 301_000);
      const { client, transport } = scene.dealer(steps);
      const outcome = await scene.during(client.bidding.reconcile(KEY, options));
      return { outcome, lines: transport.lines, scene };
    }

    it('reads the bids like it (/bids, then A05), for a person to judge', async () => {
      const found = bidDetail({ id: 'bid_2', status: 'accepted', errors: [] });
      const { outcome, lines, scene } = await reconciledLate([
        lookup('absent', { at: late }),
        bidPage([
          item('bid_1', { amount: '470000.00' }),
          item('bid_2'),
          item('bid_3', { status: 'rejected' }),
          item('bid_4', { amount: '465000' }),
          item('bid_5', { amount: '-1.00' }),
        ]),
        found,
        bidDetail({ id: 'bid_4', lot_id: 'lot_other', status: 'accepted' }),
      ]);
      expect(lines).toEqual([asked, 'GET /bids', 'GET /bids/bid_2', 'GET /bids/bid_4']);
      expect(outcome).toMatchObject({
        status: 'unknown',
        evidence: { kind: 'similar_bids', complete: true, bids: [{ id: 'bid_2' }] },
        what: 'This bid may or may not have been recorded. The service may have forgotten the key; 1 accepted bids like it are on record.',
        nextStep: 'A person has to say which of them it is, if any; then abandon it.',
      });
      const { entries, state } = await scene.journal.only();
      expect(state).toBe('unknown');
      expect(entries.at(-1)).toMatchObject({
        type: 'look',
        by: 'bids.list',
        found: 'found',
        record: { bids: ['bid_2'], complete: true },
      });
    });

    it('says where there is none', async () => {
      const { outcome, scene } = await reconciledLate([lookup('absent', { at: late }), bidPage([])]);
      expect(outcome).toMatchObject({ evidence: { kind: 'similar_bids', bids: [], complete: true } });
      expect((await scene.journal.only()).entries.at(-1)).toMatchObject({ by: 'bids.list', found: 'none' });
    });

    it('reads no more than ten pages, and says that there are more', async () => {
      const pages = Array.from({ length: 10 }, (_, index) =>
        bidPage([item('bid_1', { amount: '1.00' })], index + 1, 40),
      );
      const { outcome, lines } = await reconciledLate([lookup('absent', { at: late }), ...pages]);
      expect(outcome).toMatchObject({ evidence: { kind: 'similar_bids', bids: [], complete: false } });
      expect(lines.filter((line) => line.startsWith('GET /bids?') || line === 'GET /bids')).toHaveLength(10);
    });

    it('does so, too, where the look-up gives no answer', async () => {
      const { lines } = await reconciledLate([refusal(404, 'NOT_FOUND'), bidPage([])]);
      expect(lines).toEqual([asked, 'GET /bids']);
    });

    it('does so, too, where the service does not say when it looked', async () => {
      const { lines, outcome } = await reconciledLate([lookup('absent', { at: null }), bidPage([])]);
      expect(lines).toEqual([asked, 'GET /bids']);
      expect(outcome).toMatchObject({ evidence: { kind: 'similar_bids' } });
    });

    it('still takes what the service does remember', async () => {
      const receipt = { bid_id: 'bid_7', status: 'accepted' };
      const { outcome, lines } = await reconciledLate([lookup('accepted', { receipt, at: late })]);
      expect([outcome.status, lines]).toEqual(['accepted', [asked]]);
    });

    it('says so where the bids can not be read, and writes it down', async () => {
      const { outcome, scene } = await reconciledLate([lookup('absent', { at: late }), messageOnly(403)]);
      expect(outcome).toMatchObject({ status: 'unknown', evidence: { kind: 'absent', conclusive: false } });
      expect((await scene.journal.only()).entries.at(-1)).toMatchObject({ by: 'bids.list', found: 'failed' });
    });

    it('keeps to the deadline of the call while it reads', async () => {
      const { outcome, scene } = await reconciledLate([lookup('absent', { at: late }), { hang: true }], {
        deadline: 5_000,
        timeout: 60_000,
      });
      expect(outcome.status).toBe('unknown');
      expect(scene.clock.monotonic() - (HOUR + 301_000)).toBeLessThanOrEqual(6_000);
    });
  });

  it('keeps to a horizon of its own', async () => {
    const scene = await inDoubt();
    await scene.clock.advance(400_000);
    const { client } = scene.dealer(
      [lookup('absent', { at: FENCE + 50_000 }), lookup('absent', { at: FENCE + 60_001 }), bidPage([])],
      { horizon: 60_000 },
    );
    expect(await scene.during(client.bidding.reconcile(KEY))).toMatchObject({
      status: 'unknown',
      evidence: { kind: 'similar_bids' },
    });
  });
});
