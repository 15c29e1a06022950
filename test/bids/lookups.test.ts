import { describe, expect, it } from 'vitest';
import {
  acceptance,
  bidDetail,
  bidPage,
  html,
  LOT,
  lookup,
  lotStatus,
  messageOnly,
  NOW,
  recordedRejection,
  refusal,
} from '../support/bid-replies.js';
import type { Scene } from '../support/bidders.js';
import { KEY } from '../support/clients.js';
import {
  ASKED,
  BID,
  BRIEF,
  KEYED,
  LOST,
  LOT_READ,
  mute,
  placedBefore,
  SENT,
} from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** What a lookup by key (A06) does to a bid in doubt, and what the absence of a record is worth. */

const HOUR = 3_600_000;
/** Until when a copy of an attempt that was signed at the beginning can be let in. */
const COPIES = NOW + 300_000;

async function placed(steps: readonly Step[], maxAttempts = 1) {
  const { scene, outcome, lines } = await placedBefore(steps, { ...KEYED, maxAttempts });
  return { scene, outcome, lines, ...(await scene.only()) };
}

describe('a lookup that finds the bid', () => {
  it.each([
    [
      'accepted, with its receipt',
      lookup('accepted', { receipt: { bid_id: 'b1', status: 'accepted' } }),
      'b1',
    ],
    ['accepted, without a receipt', lookup('accepted'), undefined],
    ['accepted, under a key in capitals', lookup('accepted', { key: KEY.toUpperCase() }), undefined],
  ])('settles it: %s', async (_, step, bidId) => {
    const { outcome, state, lines } = await placed([LOST, step]);
    expect(outcome).toMatchObject({ status: 'accepted', attempts: 1, codes: [] });
    expect(Reflect.get(outcome, 'bidId')).toBe(bidId);
    expect([state, lines]).toEqual(['accepted', [SENT, ASKED]]);
  });

  it('repairs money that the receipt has as JSON numbers, and leaves everything else as it came', async () => {
    const receipt = {
      bid_id: 'b1',
      status: 'accepted',
      highest_amount: 470000,
      odd: 2.5,
      current_amount: null,
    };
    const { outcome } = await placed([LOST, lookup('accepted', { receipt })]);
    expect(outcome).toMatchObject({ receipt: { ...receipt, highest_amount: '470000.00' } });
  });

  it('takes the codes of a rejection from its receipt, where they are', async () => {
    const receipt = { bid_id: 'bid_78', status: 'rejected', errors: ['LOT_NOT_LIVE', 'BID_BELOW_MINIMUM'] };
    const { outcome, state, lines } = await placed([LOST, lookup('rejected', { receipt })]);
    expect(outcome).toMatchObject({ status: 'rejected', codes: receipt.errors, bidId: 'bid_78' });
    expect([state, lines]).toEqual(['rejected', [SENT, ASKED]]);
  });

  it.each([
    ['no codes', {}],
    ['an empty list of codes', { errors: [] }],
    ['codes that are no texts', { errors: [1] }],
  ])('reads the codes of a rejection from the bid (A05) where the receipt has %s', async (_, over) => {
    const receipt = { bid_id: 'bid_78', status: 'rejected', ...over };
    const { outcome, lines } = await placed([LOST, lookup('rejected', { receipt }), bidDetail()]);
    expect(outcome).toMatchObject({
      status: 'rejected',
      codes: ['BID_BELOW_MINIMUM', 'BID_OFF_OPENING_GRID'],
    });
    expect(lines).toEqual([SENT, ASKED, 'GET /bids/bid_78']);
  });

  it.each([
    ['can not be read', { bid_id: 'bid_78' }, [refusal(404, 'NOT_FOUND')]],
    ['has no id', null, []],
  ])('settles a rejection without its codes where the bid %s', async (_, receipt, more) => {
    const { outcome, state } = await placed([LOST, lookup('rejected', { receipt }), ...more]);
    expect(outcome).toMatchObject({ status: 'rejected', codes: [] });
    expect(state).toBe('rejected');
  });
});

describe('a lookup after a rejection that came while an attempt was in doubt', () => {
  const doubted = [LOST, recordedRejection(['BID_BELOW_MINIMUM', 'LOT_NOT_LIVE'])];

  it('that agrees settles it, with one request', async () => {
    const receipt = { bid_id: 'bid_78', status: 'rejected', errors: ['LOT_NOT_LIVE'] };
    const { outcome, state, lines } = await placed([...doubted, lookup('rejected', { receipt })], 2);
    expect(outcome).toMatchObject({ status: 'rejected', bidId: 'bid_78', attempts: 2 });
    expect([state, lines]).toEqual(['rejected', [SENT, SENT, ASKED]]);
  });

  it('that finds it accepted settles it as accepted, because nothing else was reported before', async () => {
    const receipt = { bid_id: 'b1', status: 'accepted' };
    const { outcome, state } = await placed([...doubted, lookup('accepted', { receipt })], 2);
    expect(outcome).toMatchObject({ status: 'accepted', bidId: 'b1' });
    expect(state).toBe('accepted');
  });

  it.each([
    ['absent', Array<Step>(4).fill(lookup('absent'))],
    ['without an answer', mute(4)],
    ['in a state that is undocumented', Array<Step>(4).fill(lookup('archived'))],
  ])('that is %s confirms nothing, and nothing is sent again', async (_, looks) => {
    const { outcome, state, lines } = await placed([...doubted, ...looks], 3);
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'in_doubt', attempts: 2 });
    expect([state, lines]).toEqual(['sent', [SENT, SENT, ASKED, ASKED, ASKED, ASKED]]);
  });
});

describe('a lookup while the service is still working on the bid', () => {
  it('is repeated with growing pauses until it is known, and nothing is sent meanwhile', async () => {
    const processing = Array<Step>(7).fill(lookup('processing'));
    const { outcome, lines, scene } = await placed([LOST, ...processing, lookup('accepted')]);
    expect(outcome.status).toBe('accepted');
    expect(lines).toEqual([SENT, ...Array(8).fill(ASKED)]);
    expect(scene.clock.monotonic()).toBe((1 + 2 + 4 + 8 + 8 + 8 + 8) * 1_000);
  });

  it('ends with the deadline of the call, and reports what was seen', async () => {
    const { outcome, state, scene } = await placed([LOST, ...Array<Step>(30).fill(lookup('processing'))]);
    expect(outcome).toMatchObject({ status: 'unknown', evidence: { kind: 'processing', observedAt: NOW } });
    expect(state).toBe('sent');
    expect(scene.clock.monotonic()).toBeLessThanOrEqual(90_000);
  });
});

describe('a lookup that gives no answer', () => {
  const other = '11111111-1111-4111-8111-111111111111';
  const rows: readonly (readonly [string, Step, string])[] = [
    ['401', refusal(401, 'INVALID_SIGNATURE'), 'HTTP 401 INVALID_SIGNATURE'],
    ['403', refusal(403, 'SCOPE_DENIED'), 'HTTP 403 SCOPE_DENIED'],
    ['404 with a code', refusal(404, 'NOT_FOUND'), 'HTTP 404 NOT_FOUND'],
    ['404 with a message', messageOnly(404), 'HTTP 404'],
    ['404 as HTML', html(404), 'HTTP 404'],
    ['500', messageOnly(500), 'HTTP 500'],
    ['a reset', LOST, 'ConnectionError'],
    ['no connection', { fail: 'no' }, 'ConnectionError'],
    ['a reply that is no JSON', html(200), 'an unexpected reply, HTTP 200'],
    ['a reply without a state', { status: 200, json: { data: {} } }, 'an unexpected reply, HTTP 200'],
    ['a reply for another key', lookup('accepted', { key: other }), 'it answered for another key'],
    [
      'an acceptance with the receipt of a rejection',
      lookup('accepted', { receipt: { status: 'rejected' } }),
      'it says accepted, but its receipt says rejected',
    ],
    [
      'a rejection with the receipt of an acceptance',
      lookup('rejected', { receipt: { status: 'accepted' } }),
      'it says rejected, but its receipt says accepted',
    ],
    ['a state that is undocumented', lookup('archived'), 'it answered with state archived'],
  ];

  it.each(rows)('(%s) teaches nothing, and nothing is sent again', async (_, step, why) => {
    const { outcome, state, log, lines } = await placed([LOST, ...Array<Step>(8).fill(step)]);
    expect(outcome).toMatchObject({
      status: 'unknown',
      attempts: 1,
      evidence: { kind: 'lookup_failed', why },
    });
    expect([state, log]).toEqual(['sent', ['placed', 'attempt', 'unknown', ...Array(4).fill('lookup')]]);
    expect(lines).toEqual([SENT, ASKED, ASKED, ASKED, ASKED]);
  });

  it('is no reason to send again where attempts are left', async () => {
    const { lines } = await placed([html(403), ...mute(8)], 3);
    expect(lines.filter((line) => line === SENT)).toHaveLength(1);
  });

  it('is followed by one that gives an answer', async () => {
    const { outcome } = await placed([LOST, refusal(404, 'NOT_FOUND'), LOST, lookup('accepted')]);
    expect(outcome.status).toBe('accepted');
  });
});

describe('a lookup that finds nothing while the bid may be sent', () => {
  // rule: bid.9
  it('sends the same bytes again under a fresh nonce, once the lot is read (A10)', async () => {
    const { scene, lines } = await placed(
      [html(403), lookup('absent'), lotStatus(NOW + 60_000), acceptance()],
      3,
    );
    expect(lines).toEqual([SENT, ASKED, LOT_READ, SENT]);
    const { content } = await scene.only();
    const nonces = content.log.flatMap((event) => (event.type === 'attempt' ? [event.nonce] : []));
    expect(new Set(nonces).size).toBe(2);
    expect((await scene.only()).state).toBe('accepted');
  });

  it.each([
    ['one ms before its close', lotStatus(NOW + 1), 2],
    ['at its close', lotStatus(NOW), 1],
    ['without a known close', lotStatus(null), 2],
    ['that can not be read', refusal(403, 'SCOPE_DENIED'), 2],
  ])('asks A10 whether the lot is open, by the time of the service: a lot %s', async (_, status, sent) => {
    const { lines } = await placed([html(403), lookup('absent'), status, acceptance()], 3);
    expect(lines.filter((line) => line === SENT)).toHaveLength(sent);
  });

  it('remembers a close that A10 confirmed: a later call only looks', async () => {
    const absent = Array<Step>(4).fill(lookup('absent'));
    const { scene, outcome } = await placed([html(403), lookup('absent'), lotStatus(NOW), ...absent], 3);
    expect(outcome).toMatchObject({ status: 'unknown', evidence: { kind: 'absent' } });
    const again = scene.dealer(Array<Step>(8).fill(lookup('absent')));
    await scene.during(again.client.bids.place(BID, KEYED));
    expect(again.transport.lines).toEqual(Array(4).fill(ASKED));
  });

  it('sends no more attempts than the call may make', async () => {
    const round = [html(403), lookup('absent'), lotStatus(NOW + 600_000)];
    const { lines, outcome } = await placed(
      [...round, ...round, ...Array<Step>(9).fill(lookup('absent'))],
      2,
    );
    expect(outcome).toMatchObject({ status: 'unknown', attempts: 2, evidence: { kind: 'absent' } });
    expect(lines.filter((line) => line === SENT)).toHaveLength(2);
  });

  it('does not send again what the service has just refused', async () => {
    const open = lotStatus(NOW + 600_000);
    const { lines, outcome } = await placed(
      [
        html(403),
        lookup('absent'),
        open,
        refusal(403, 'SCOPE_DENIED'),
        ...Array<Step>(9).fill(lookup('absent')),
      ],
      5,
    );
    expect(outcome).toMatchObject({ status: 'unknown', attempts: 2 });
    expect(lines.filter((line) => line === SENT)).toHaveLength(2);
  });
});

describe('the absence window of a bid in doubt', () => {
  /** A bid that was sent at the beginning and of which nothing was heard. */
  const inDoubt = async () => (await placedBefore([LOST])).scene;
  const absentAt = (...moments: readonly (number | null)[]): Step[] =>
    moments.map((at) => lookup('absent', { at }));

  async function reconciled(scene: Scene, steps: readonly Step[], deadline = 90_000) {
    const { client, transport } = scene.dealer(steps);
    const outcome = await scene.during(client.intents.reconcile(KEY, { deadline }));
    return { outcome, lines: transport.lines, ...(await scene.only()) };
  }

  it('before the copies have expired, any number of absences leaves the bid unknown', async () => {
    const scene = await inDoubt();
    const { outcome, state, lines } = await reconciled(scene, absentAt(NOW + 60_000, NOW + 299_000));
    expect(outcome).toMatchObject({
      status: 'unknown',
      evidence: { kind: 'absent', observedAt: NOW + 299_000, copiesExpireAt: COPIES },
    });
    expect([state, lines]).toEqual(['sent', [ASKED, ASKED]]);
  });

  it('one reconcile looks twice, 60 s apart, and the bid is then refused as not recorded', async () => {
    const scene = await inDoubt();
    await scene.clock.advance(301_000);
    const from = scene.clock.monotonic();
    const { outcome, state } = await reconciled(scene, absentAt(COPIES + 1_000, COPIES + 61_000));
    expect(outcome).toMatchObject({
      status: 'refused',
      reason: 'not_recorded',
      provisional: false,
      codes: [],
    });
    expect(state).toBe('refused');
    expect(scene.clock.monotonic() - from).toBe(60_000);
  });

  const rows: readonly (readonly [string, readonly (number | null)[], 'refused' | 'sent'])[] = [
    ['at the moment when the copies expire', [COPIES, COPIES + 60_000], 'sent'],
    ['right after it', [COPIES + 1, COPIES + 60_001], 'refused'],
    ['less than 60 s apart', [COPIES + 1, COPIES + 60_000], 'sent'],
    ['one before and one in the window', [COPIES - 60_000, COPIES + 1], 'sent'],
    ['in the wrong order', [COPIES + 60_001, COPIES + 1], 'sent'],
    ['at the end of the key retention', [NOW + HOUR - 60_000, NOW + HOUR], 'refused'],
    ['one after the key retention', [NOW + HOUR - 60_000, NOW + HOUR + 1], 'sent'],
    ['without the time of the service', [null, null], 'sent'],
  ];

  it.each(rows)('two absences, %s: the bid is %4$s', async (_, moments, state) => {
    const scene = await inDoubt();
    // Whatever this machine's clock says: only the time of the service counts.
    await scene.clock.advance(400_000);
    for (const at of moments) await reconciled(scene, absentAt(at), 1_000);
    expect((await scene.only()).state).toBe(state);
  });

  it('counts from the last attempt that may have left', async () => {
    const scene = await inDoubt();
    await scene.clock.advance(60_000);
    const again = scene.dealer([
      lookup('absent', { at: NOW + 60_000 }),
      lotStatus(NOW + HOUR),
      LOST,
      ...mute(8),
    ]);
    await scene.during(again.client.bids.place(BID, BRIEF));
    expect((await scene.only()).log.filter((type) => type === 'attempt')).toHaveLength(2);
    for (const at of [COPIES + 1, COPIES + 61_000]) await reconciled(scene, absentAt(at), 1_000);
    expect((await scene.only()).state).toBe('sent');
    await reconciled(scene, absentAt(COPIES + 121_001), 1_000);
    expect((await scene.only()).state).toBe('refused');
  });

  it('a bid found after its absence was settled is accepted all the same', async () => {
    const scene = await inDoubt();
    await scene.clock.advance(301_000);
    await reconciled(scene, absentAt(COPIES + 1_000, COPIES + 61_000));
    const { outcome, state } = await reconciled(scene, [lookup('accepted', { at: COPIES + 90_000 })]);
    expect([outcome.status, state]).toEqual(['accepted', 'accepted']);
  });

  it('processing between two absences teaches nothing', async () => {
    const scene = await inDoubt();
    await scene.clock.advance(301_000);
    await reconciled(scene, absentAt(COPIES + 1_000), 1_000);
    await reconciled(scene, [lookup('processing', { at: COPIES + 30_000 })], 500);
    await reconciled(scene, absentAt(COPIES + 61_000), 1_000);
    expect((await scene.only()).state).toBe('refused');
  });
});

describe('a bid in doubt whose key the service may have forgotten', () => {
  const late = NOW + HOUR + 1_000;
  const item = (id: string, over: object = {}) => ({
    public_id: id,
    bidder_reference: null,
    amount: '465000.00',
    status: 'accepted',
    created_at: '2026-03-02 11:30:00',
    ...over,
  });

  async function reconciledLate(steps: readonly Step[]) {
    const { scene } = await placedBefore([LOST]);
    await scene.clock.advance(HOUR + 1_000);
    const { client, transport } = scene.dealer(steps);
    const outcome = await scene.during(client.intents.reconcile(KEY));
    return { outcome, lines: transport.lines, ...(await scene.only()) };
  }

  it('needs manual resolution, with the bids like it (/bids, then A05)', async () => {
    const { outcome, lines, state } = await reconciledLate([
      lookup('absent', { at: late }),
      bidPage([
        item('bid_1', { amount: '470000.00' }),
        item('bid_2'),
        item('bid_3', { status: 'rejected' }),
        item('bid_4', { amount: '465000' }),
        item('bid_5', { amount: '-1.00' }),
      ]),
      bidDetail({ id: 'bid_2', status: 'accepted', errors: [] }),
      bidDetail({ id: 'bid_4', lot_id: 'lot_other', status: 'accepted' }),
    ]);
    expect(lines).toEqual([ASKED, 'GET /bids', 'GET /bids/bid_2', 'GET /bids/bid_4']);
    expect(outcome).toMatchObject({
      status: 'unknown',
      reason: 'stuck',
      evidence: { kind: 'similar_bids', complete: true, bids: [{ id: 'bid_2', lot_id: LOT }] },
    });
    expect(state).toBe('stuck');
  });

  it('reads at most ten pages, and reports that there are more', async () => {
    const pages = Array.from({ length: 10 }, (_, index) =>
      bidPage([item('bid_1', { amount: '1.00' })], index + 1, 40),
    );
    const { outcome, lines } = await reconciledLate([lookup('absent', { at: late }), ...pages]);
    expect(outcome).toMatchObject({ evidence: { kind: 'similar_bids', bids: [], complete: false } });
    expect(lines.filter((line) => line.startsWith('GET /bids') && line !== ASKED)).toHaveLength(10);
  });

  it.each([
    ['gives no answer', refusal(404, 'NOT_FOUND')],
    ['does not say when', lookup('absent', { at: null })],
  ])('needs manual resolution where the last lookup %s', async (_, step) => {
    const { outcome, state } = await reconciledLate([step, bidPage([])]);
    expect(outcome).toMatchObject({
      reason: 'stuck',
      evidence: { kind: 'similar_bids', bids: [], complete: true },
    });
    expect(state).toBe('stuck');
  });

  it('needs manual resolution where the bids like it can not be read', async () => {
    const { outcome, state } = await reconciledLate([lookup('absent', { at: late }), messageOnly(403)]);
    expect(outcome).toMatchObject({ reason: 'stuck', evidence: { kind: 'absent' } });
    expect(state).toBe('stuck');
  });

  it('is settled by what the service does remember, before and after it was stuck', async () => {
    const found = lookup('accepted', { at: late });
    expect((await reconciledLate([found])).state).toBe('accepted');
    const { scene } = await placedBefore([LOST]);
    await scene.clock.advance(HOUR + 1_000);
    const { client } = scene.dealer([lookup('absent', { at: late }), bidPage([]), found]);
    await scene.during(client.intents.reconcile(KEY));
    expect((await scene.during(client.intents.reconcile(KEY))).status).toBe('accepted');
  });

  it('is also put before a person where it was rejected while an attempt was in doubt', async () => {
    const { scene } = await placedBefore([LOST, recordedRejection(), ...mute(9)], {
      ...KEYED,
      maxAttempts: 2,
    });
    await scene.clock.advance(HOUR + 1_000);
    const { client } = scene.dealer([lookup('absent', { at: late }), bidPage([])]);
    expect(await scene.during(client.intents.reconcile(KEY))).toMatchObject({
      status: 'unknown',
      reason: 'stuck',
    });
  });
});
