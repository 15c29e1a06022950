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
import { KEY } from '../support/clients.js';
import {
  ASKED,
  BRIEF,
  count,
  KEYED,
  LOST,
  LOT_READ,
  mute,
  placed,
  placedBefore,
  reconciled,
  SENT,
  sceneAfter,
} from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** What a lookup by key (A06) does to a bid in doubt, and what the absence of a record is worth. */

const HOUR = 3_600_000;
/** Until when a copy of an attempt that was signed at the beginning can be let in. */
const COPIES = NOW + 300_000;
const IN_DOUBT = { status: 'unknown', reason: 'in_doubt' };
const times = (count: number, step: Step) => Array<Step>(count).fill(step);
const asked = (count: number) => Array<string>(count).fill(ASKED);
const place = (steps: readonly Step[], maxAttempts = 1) =>
  placed(steps, { options: { ...KEYED, maxAttempts } });

describe('a lookup that finds the bid', () => {
  const rejected = (over: object) =>
    lookup('rejected', { receipt: { bid_id: 'bid_78', status: 'rejected', ...over } });
  const codes = ['LOT_NOT_LIVE', 'BID_BELOW_MINIMUM'];
  const full = ['BID_BELOW_MINIMUM', 'BID_OFF_OPENING_GRID'];

  it.each<[what: string, steps: Step[], outcome: object, more: string[]]>([
    [
      'accepted, with its receipt',
      [lookup('accepted', { receipt: { bid_id: 'b1', status: 'accepted' } })],
      { status: 'accepted', bidId: 'b1', codes: [], attempts: 1 },
      [],
    ],
    ['accepted, without a receipt', [lookup('accepted')], { status: 'accepted' }, []],
    [
      'accepted, under a key in capitals',
      [lookup('accepted', { key: KEY.toUpperCase() })],
      { status: 'accepted' },
      [],
    ],
    [
      'accepted, with money as JSON numbers, which it repairs',
      [lookup('accepted', { receipt: { highest_amount: 470000, odd: 2.5, current_amount: null } })],
      { receipt: { highest_amount: '470000.00', odd: 2.5, current_amount: null } },
      [],
    ],
    [
      'rejected, with the codes of its receipt',
      [rejected({ errors: codes })],
      { codes, bidId: 'bid_78' },
      [],
    ],
    [
      'rejected, with codes of the bid (A05)',
      [rejected({}), bidDetail()],
      { codes: full },
      ['GET /bids/bid_78'],
    ],
    [
      'rejected, with codes that are no texts',
      [rejected({ errors: [1] }), bidDetail()],
      { codes: full },
      ['GET /bids/bid_78'],
    ],
    [
      'rejected, without codes where the bid can not be read',
      [rejected({ errors: [] }), refusal(404, 'NOT_FOUND')],
      { status: 'rejected', codes: [] },
      ['GET /bids/bid_78'],
    ],
    ['rejected, without a receipt', [lookup('rejected')], { status: 'rejected', codes: [] }, []],
  ])('settles it: %s', async (what, steps, expected, more) => {
    const { outcome, state, lines } = await place([LOST, ...steps]);
    expect(outcome).toMatchObject(expected);
    expect(what.startsWith(String(state))).toBe(true);
    expect(lines).toEqual([SENT, ASKED, ...more]);
  });
});

describe('a lookup after a rejection that came while an attempt was in doubt', () => {
  const doubted = [LOST, recordedRejection(['BID_BELOW_MINIMUM', 'LOT_NOT_LIVE'])];
  const found = (state: string) =>
    lookup(state, { receipt: { bid_id: 'b1', status: state, errors: ['LOT_NOT_LIVE'] } });

  it.each(['rejected', 'accepted'])('settles it as %s where it finds that', async (state) => {
    const { outcome, lines, ...rest } = await place([...doubted, found(state)], 2);
    expect(outcome).toMatchObject({ status: state, bidId: 'b1', attempts: 2 });
    expect([rest.state, lines]).toEqual([state, [SENT, SENT, ASKED]]);
  });

  it.each([
    ['absent', times(4, lookup('absent'))],
    ['without an answer', mute(4)],
    ['in a state that is undocumented', times(4, lookup('archived'))],
  ])('that is %s confirms nothing, and nothing is sent again', async (_, looks) => {
    const { outcome, state, lines } = await place([...doubted, ...looks], 3);
    expect(outcome).toMatchObject({ ...IN_DOUBT, attempts: 2 });
    expect([state, lines]).toEqual(['sent', [SENT, SENT, ...asked(4)]]);
  });
});

describe('a lookup while the service is still working on the bid', () => {
  it('is repeated with growing pauses until it is known, and nothing is sent meanwhile', async () => {
    const { status, lines, scene } = await place([
      LOST,
      ...times(7, lookup('processing')),
      lookup('accepted'),
    ]);
    expect([status, lines]).toEqual(['accepted', [SENT, ...asked(8)]]);
    expect(scene.clock.monotonic()).toBe((1 + 2 + 4 + 8 + 8 + 8 + 8) * 1_000);
  });

  it('ends with the deadline of the call, and reports what was seen', async () => {
    const { outcome, state, scene } = await place([LOST, ...times(30, lookup('processing'))]);
    expect(outcome).toMatchObject({ status: 'unknown', evidence: { kind: 'processing', observedAt: NOW } });
    expect(state).toBe('sent');
    expect(scene.clock.monotonic()).toBeLessThanOrEqual(90_000);
  });
});

describe('a lookup that gives no answer', () => {
  it.each<[what: string, step: Step]>([
    ['403', refusal(403, 'SCOPE_DENIED')],
    ['404 with a code', refusal(404, 'NOT_FOUND')],
    ['404 with a message', messageOnly(404)],
    ['404 as HTML', html(404)],
    ['500', messageOnly(500)],
    ['a reset', LOST],
    ['no connection', { fail: 'no' }],
    ['a reply that is no JSON', html(200)],
    ['a reply without a state', { status: 200, json: { data: {} } }],
    ['a reply for another key', lookup('accepted', { key: '11111111-1111-4111-8111-111111111111' })],
    [
      'an acceptance with the receipt of a rejection',
      lookup('accepted', { receipt: { status: 'rejected' } }),
    ],
    [
      'a rejection with the receipt of an acceptance',
      lookup('rejected', { receipt: { status: 'accepted' } }),
    ],
    ['a state that is undocumented', lookup('archived')],
  ])('(%s) teaches nothing, and nothing is sent again', async (_, step) => {
    const { outcome, state, log, lines } = await place([html(403), ...times(12, step)], 3);
    expect(outcome).toMatchObject({ status: 'unknown', attempts: 1, evidence: { kind: 'lookup_failed' } });
    expect([state, log]).toEqual(['sent', ['placed', 'attempt', 'unknown', ...Array(4).fill('lookup')]]);
    expect(count(lines, SENT)).toBe(1);
  });

  it('is followed by one that gives an answer', async () => {
    expect((await place([LOST, refusal(404, 'NOT_FOUND'), LOST, lookup('accepted')])).status).toBe(
      'accepted',
    );
  });
});

describe('a lookup that finds nothing while the bid may be sent', () => {
  // rule: bid.9
  it('sends the same bytes again under a fresh nonce, once the lot is read (A10)', async () => {
    const steps = [html(403), lookup('absent'), lotStatus(NOW + 60_000), acceptance()];
    const { lines, intents, transport } = await place(steps, 3);
    expect(lines).toEqual([SENT, ASKED, LOT_READ, SENT]);
    const events = intents[0]?.content.log ?? [];
    const nonces = events.flatMap((event) => (event.type === 'attempt' ? [event.nonce] : []));
    expect([new Set(nonces).size, new Set(transport.bodies).size]).toEqual([2, 1]);
  });

  it.each([
    ['one ms before its close', lotStatus(NOW + 1), 2],
    ['at its close', lotStatus(NOW), 1],
    ['without a known close', lotStatus(null), 2],
    ['that can not be read', refusal(403, 'SCOPE_DENIED'), 2],
  ])('asks A10 whether the lot is open, by the time of the service: a lot %s', async (_, status, sent) => {
    const { lines } = await place([html(403), lookup('absent'), status, acceptance()], 3);
    expect(count(lines, SENT)).toBe(sent);
  });

  it('remembers a close that A10 confirmed: a later call only looks', async () => {
    const steps = [html(403), lookup('absent'), lotStatus(NOW), ...times(4, lookup('absent'))];
    const { scene, outcome } = await place(steps, 3);
    expect(outcome).toMatchObject({ status: 'unknown', evidence: { kind: 'absent' } });
    expect((await placed(times(8, lookup('absent')), { scene })).lines).toEqual(asked(4));
  });

  it('sends no more attempts than the call may make, and not what was just refused', async () => {
    const round = [html(403), lookup('absent'), lotStatus(NOW + 600_000)];
    const looks = times(9, lookup('absent'));
    for (const [steps, maxAttempts] of [
      [[...round, ...round, ...looks], 2],
      [[...round, refusal(403, 'SCOPE_DENIED'), ...looks], 5],
    ] as const) {
      const { outcome, lines } = await place(steps, maxAttempts);
      expect(outcome).toMatchObject({ status: 'unknown', attempts: 2, evidence: { kind: 'absent' } });
      expect(count(lines, SENT)).toBe(2);
    }
  });
});

describe('the absence window of a bid in doubt', () => {
  const absent = (...moments: readonly (number | null)[]) => moments.map((at) => lookup('absent', { at }));

  it('before the copies have expired, any number of absences leaves the bid unknown', async () => {
    const steps = absent(NOW + 60_000, NOW + 299_000);
    const { outcome, state, lines } = await reconciled(await sceneAfter(LOST), steps);
    const evidence = { kind: 'absent', observedAt: NOW + 299_000, copiesExpireAt: COPIES };
    expect(outcome).toMatchObject({ status: 'unknown', evidence });
    expect([state, lines]).toEqual(['sent', asked(2)]);
  });

  it('one reconcile looks twice, 60 s apart; then the bid is refused, unless it is found later', async () => {
    const scene = await sceneAfter(LOST);
    await scene.clock.advance(301_000);
    const from = scene.clock.monotonic();
    const { outcome, state } = await reconciled(scene, absent(COPIES + 1_000, COPIES + 61_000));
    expect(outcome).toMatchObject({
      status: 'refused',
      reason: 'not_recorded',
      provisional: false,
      codes: [],
    });
    expect([state, scene.clock.monotonic() - from]).toEqual(['refused', 60_000]);
    expect((await reconciled(scene, [lookup('accepted', { at: COPIES + 90_000 })])).state).toBe('accepted');
  });

  it.each<[when: string, moments: (number | null)[], state: string]>([
    ['at the moment when the copies expire', [COPIES, COPIES + 60_000], 'sent'],
    ['right after it', [COPIES + 1, COPIES + 60_001], 'refused'],
    ['less than 60 s apart', [COPIES + 1, COPIES + 60_000], 'sent'],
    ['one before and one in the window', [COPIES - 60_000, COPIES + 1], 'sent'],
    ['in the wrong order', [COPIES + 60_001, COPIES + 1], 'sent'],
    ['at the end of the key retention', [NOW + HOUR - 60_000, NOW + HOUR], 'refused'],
    ['one after the key retention', [NOW + HOUR - 60_000, NOW + HOUR + 1], 'sent'],
    ['without the time of the service', [null, null], 'sent'],
  ])('two absences, %s: the bid is %3$s', async (_, moments, state) => {
    const scene = await sceneAfter(LOST);
    // Whatever this machine's clock says: only the time of the service counts.
    await scene.clock.advance(400_000);
    for (const at of moments) await reconciled(scene, absent(at), 1_000);
    expect((await scene.only()).state).toBe(state);
  });

  it('counts from the last attempt that may have left', async () => {
    const scene = await sceneAfter(LOST);
    await scene.clock.advance(60_000);
    const again = [lookup('absent', { at: NOW + 60_000 }), lotStatus(NOW + HOUR), LOST, ...mute(8)];
    await placed(again, { scene, options: BRIEF });
    for (const [at, state] of [
      [COPIES + 1, 'sent'],
      [COPIES + 61_000, 'sent'],
      [COPIES + 121_001, 'refused'],
    ] as const) {
      expect((await reconciled(scene, absent(at), 1_000)).state).toBe(state);
    }
  });
});

describe('a bid in doubt whose key the service may have forgotten', () => {
  const late = NOW + HOUR + 1_000;
  const absent = lookup('absent', { at: late });
  const item = (id: string, over: object = {}) => ({
    public_id: id,
    bidder_reference: null,
    amount: '465000.00',
    status: 'accepted',
    created_at: '2026-03-02 11:30:00',
    ...over,
  });

  async function reconciledLate(steps: readonly Step[], before: readonly Step[] = [LOST]) {
    const { scene } = await placedBefore(before, { ...BRIEF, maxAttempts: before.length });
    await scene.clock.advance(HOUR + 1_000);
    return reconciled(scene, steps);
  }

  it('needs manual resolution, with the bids like it (/bids, then A05)', async () => {
    const { outcome, lines, state } = await reconciledLate([
      absent,
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
    const evidence = { kind: 'similar_bids', complete: true, bids: [{ id: 'bid_2', lot_id: LOT }] };
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'stuck', evidence });
    expect(state).toBe('stuck');
  });

  it('reads at most ten pages, and reports that there are more', async () => {
    const others = [item('bid_1', { amount: '1.00' })];
    const pages = Array.from({ length: 10 }, (_, index) => bidPage(others, index + 1, 40));
    const { outcome, lines } = await reconciledLate([absent, ...pages]);
    expect(outcome).toMatchObject({ evidence: { kind: 'similar_bids', bids: [], complete: false } });
    expect(lines.filter((line) => line.startsWith('GET /bids') && line !== ASKED)).toHaveLength(10);
  });

  it.each<[what: string, steps: Step[], outcome: object, before: Step[]]>([
    [
      'where the last lookup gives no answer',
      [refusal(404, 'NOT_FOUND'), bidPage([])],
      { evidence: { kind: 'similar_bids', complete: true } },
      [LOST],
    ],
    [
      'where the bids like it can not be read',
      [absent, messageOnly(403)],
      { evidence: { kind: 'absent' } },
      [LOST],
    ],
    [
      'where it was rejected while an attempt was in doubt',
      [absent, bidPage([])],
      {},
      [LOST, recordedRejection()],
    ],
  ])('needs manual resolution %s', async (_, steps, expected, before) => {
    const { outcome, state } = await reconciledLate(steps, before);
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'stuck', ...expected });
    expect(state).toBe('stuck');
  });

  it('is settled by what the service does remember, before and after it was stuck', async () => {
    const found = lookup('accepted', { at: late });
    expect((await reconciledLate([found])).state).toBe('accepted');
    const { scene, state } = await reconciledLate([absent, bidPage([])]);
    expect([state, (await reconciled(scene, [found])).state]).toEqual(['stuck', 'accepted']);
  });
});
