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
import { Scene } from '../support/bidders.js';
import { credentials, KEY } from '../support/clients.js';
import {
  ASKED,
  BID,
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
  UNCONNECTED,
} from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** What a lookup by key (A06) does to a bid in doubt, and what the absence of a record is worth. */

const HOUR = 3_600_000;
/** Until when a copy of an attempt that was signed at the beginning can be let in. */
const COPIES = NOW + 301_000;
const times = (count: number, step: Step) => Array<Step>(count).fill(step);
const asked = (count: number) => Array<string>(count).fill(ASKED);
const place = (steps: readonly Step[], maxAttempts = 1) =>
  placed(steps, { options: { ...KEYED, maxAttempts } });

describe('a lookup that finds the bid', () => {
  const receipt = (over: object) => ({ receipt: { bid_id: 'b1', ...over } });
  const numbers = receipt({ highest_amount: 470000, odd: 2.5, current_amount: null });
  const repaired = receipt({ highest_amount: '470000.00', odd: 2.5, current_amount: null });
  const rejected = (errors?: readonly string[]) => lookup('rejected', receipt({ errors }));
  const accepted = lookup('accepted', receipt({ status: 'accepted' }));
  const codes = ['LOT_NOT_LIVE', 'BID_BELOW_MINIMUM'];
  const full = ['BID_BELOW_MINIMUM', 'BID_OFF_OPENING_GRID'];
  const odd = lookup('rejected', receipt({ errors: [1] }));
  const A05 = 'GET /bids/b1';

  it.each<[what: string, steps: Step[], outcome: object, more?: string]>([
    ['accepted, with its receipt', [accepted], { bidId: 'b1', codes: [], attempts: 1 }],
    ['accepted, without a receipt', [lookup('accepted')], {}],
    ['accepted, under a key in capitals', [lookup('accepted', { key: KEY.toUpperCase() })], {}],
    ['accepted, with money as JSON numbers, which it repairs', [lookup('accepted', numbers)], repaired],
    ['rejected, with the codes of its receipt', [rejected(codes)], { codes, bidId: 'b1' }],
    ['rejected, with codes of the bid (A05)', [rejected(), bidDetail()], { codes: full }, A05],
    ['rejected, with codes that are no texts', [odd, bidDetail()], { codes: full }, A05],
    ['rejected, where the bid can not be read', [rejected([]), messageOnly(404)], { codes: [] }, A05],
    ['rejected, without a receipt', [lookup('rejected')], { codes: [] }],
  ])('settles it: %s', async (what, steps, expected, ...more) => {
    const { outcome, status, state, lines, scene } = await place([LOST, ...steps]);
    expect(outcome).toMatchObject(expected);
    expect([status, scene.clock.monotonic()]).toEqual([state, 0]);
    expect(what.startsWith(String(state))).toBe(true);
    expect(lines).toEqual([SENT, ASKED, ...more]);
  });
});

it('the record of a lookup shows no secret, of credentials that a function gives either', async () => {
  const scene = new Scene();
  const receipt = { bid_id: 'bid_77', status: 'accepted', note: credentials.signingSecret };
  const options = { credentials: async () => credentials };
  const { client } = scene.dealer([LOST, lookup('accepted', { receipt })], options);
  expect(await scene.during(client.bids.place(BID, BRIEF))).toMatchObject({ status: 'accepted' });
  const shown = { ...receipt, note: expect.not.stringContaining(credentials.signingSecret) };
  expect((await scene.only()).content.log.at(-1)).toMatchObject({ record: shown });
});

it('a bid that was rejected while an attempt was in doubt is only looked up, and never sent again', async () => {
  const doubted = [LOST, recordedRejection(['BID_BELOW_MINIMUM'])];
  const { status, state, lines } = await place([...doubted, ...times(4, lookup('absent'))], 3);
  expect([status, state, lines]).toEqual(['unknown', 'sent', [SENT, SENT, ...asked(4)]]);
});

describe('a lookup while the service is still working on the bid', () => {
  it('is repeated with growing pauses until it is known, and nothing is sent meanwhile', async () => {
    const { status, lines, scene } = await place([
      LOST,
      ...[0, 1, 3, 7, 15, 23, 31].map((after) => lookup('processing', { at: NOW + after * 1_000 })),
      lookup('accepted', { at: NOW + 39_000 }),
    ]);
    expect([status, lines]).toEqual(['accepted', [SENT, ...asked(8)]]);
    expect(scene.clock.monotonic()).toBe((1 + 2 + 4 + 8 + 8 + 8 + 8) * 1_000);
  });
});

describe('a lookup that gives no answer', () => {
  const of = (status: string) => ({ receipt: { status } });

  it.each<[what: string, step: Step]>([
    ['404 with a code', refusal(404, 'NOT_FOUND')],
    ['404 with a message', messageOnly(404)],
    ['no connection', { fail: 'no' }],
    ['a reply without a state', { status: 200, json: { data: {} } }],
    ['a reply for another key', lookup('accepted', { key: '11111111-1111-4111-8111-111111111111' })],
    ['an acceptance with the receipt of a rejection', lookup('accepted', of('rejected'))],
    ['a rejection with the receipt of an acceptance', lookup('rejected', of('accepted'))],
    ['a state that is undocumented', lookup('archived')],
  ])('(%s) teaches nothing, and nothing is sent again', async (_, step) => {
    const { outcome, state, log, lines } = await place([html(403), ...times(12, step)], 3);
    expect(outcome).toMatchObject({ status: 'unknown', attempts: 1, evidence: { kind: 'lookup_failed' } });
    expect([state, log]).toEqual(['sent', ['placed', 'attempt', 'unknown', ...Array(4).fill('lookup')]]);
    expect(count(lines, SENT)).toBe(1);
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

  it('sends no more attempts than the call may make, and not what was just refused', async () => {
    const round = [html(403), lookup('absent'), lotStatus(NOW + 600_000)];
    const looks = times(9, lookup('absent'));
    for (const [steps, maxAttempts] of [
      [[...round, ...round, ...looks], 2],
      [[...round, refusal(403, 'SCOPE_DENIED'), ...looks], 5],
      [[...round, messageOnly(403), ...looks], 5],
    ] as const) {
      const { outcome, lines } = await place(steps, maxAttempts);
      expect(outcome).toMatchObject({ status: 'unknown', attempts: 2, evidence: { kind: 'absent' } });
      // Once before the second attempt, and four times after it.
      expect([count(lines, SENT), count(lines, ASKED)]).toEqual([2, 5]);
    }
  });
});

it('a bid in doubt that a halt keeps from being sent again is looked up four times, with pauses', async () => {
  const scene = await sceneAfter(LOST);
  await scene.dealer().client.bids.halt('the market is closed');
  const from = scene.clock.monotonic();
  const rounds = [0, 1, 3, 7].flatMap((after) => [
    lookup('absent', { at: from + NOW + after * 1_000 }),
    lotStatus(NOW + 600_000),
  ]);
  const { status, lines } = await placed([...rounds, acceptance()], { scene });
  expect([status, scene.clock.monotonic() - from]).toEqual(['unknown', 7_000]);
  expect(lines).toEqual([ASKED, LOT_READ, ASKED, LOT_READ, ASKED, LOT_READ, ASKED, LOT_READ]);
});

describe('the absence window of a bid in doubt', () => {
  const absent = (...moments: readonly (number | null)[]) => moments.map((at) => lookup('absent', { at }));

  it('one recover looks twice, 60 s apart; then the bid is refused, unless it is found later', async () => {
    const scene = await sceneAfter(LOST);
    await scene.clock.advance(302_000);
    const from = scene.clock.monotonic();
    const { client } = scene.dealer(absent(COPIES + 1_000, COPIES + 61_000));
    const [outcome] = await scene.during(client.recover());
    const { state } = await scene.only();
    expect(outcome).toMatchObject({ status: 'refused', reason: 'not_recorded', provisional: false });
    expect([state, scene.clock.monotonic() - from]).toEqual(['refused', 60_000]);
    expect((await reconciled(scene, [lookup('accepted', { at: COPIES + 90_000 })])).state).toBe('accepted');
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

  it('is looked up once by recover(), which lists no bids like it; a person who asks later gets them', async () => {
    const { scene } = await placedBefore([LOST], { ...BRIEF, maxAttempts: 1 });
    await scene.clock.advance(HOUR + 1_000);
    const recovering = scene.dealer([absent]);
    const [outcome] = await scene.during(recovering.client.recover());
    expect(recovering.transport.lines).toEqual([ASKED]);
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'stuck' });
    const { outcome: asked, lines } = await reconciled(scene, [absent, bidPage([])]);
    expect(asked).toMatchObject({ reason: 'stuck', evidence: { kind: 'similar_bids', bids: [] } });
    expect(lines).toEqual([ASKED, 'GET /bids']);
  });

  it('is recovered behind new bids, and the bids like it are read behind them as well', async () => {
    const { scene } = await placedBefore([LOST], { ...BRIEF, maxAttempts: 1 });
    await scene.clock.advance(HOUR + 1_000);
    // So many requests fit into the window: the next one shows in which lane it waits.
    const of = (limit: number, ...steps: readonly Step[]) => scene.dealer(steps, { quota: { limit } }).client;
    const recovering = of(1, lotStatus(late, late));
    await recovering.lots.status(LOT);
    const recovered = recovering.recover({ deadline: 1_000 });
    await scene.clock.advance(1);
    expect(recovering.quota.state().waiting).toMatchObject({ bid: 0, read: 1 });
    await scene.during(recovered);
    await scene.clock.advance(70_000);
    await recovering.close();
    const asking = of(2, lotStatus(late, late), absent);
    await asking.lots.status(LOT);
    const asked = asking.intents.reconcile(KEY, { deadline: 1_000 });
    await scene.clock.advance(1);
    expect(asking.quota.state().waiting).toMatchObject({ bid: 0, read: 1 });
    expect(await scene.during(asked)).toMatchObject({ status: 'unknown', reason: 'stuck' });
  });

  it('needs manual resolution, with the bids like it (/bids, then A05)', async () => {
    const raised = item('bid_1', { amount: '470000.00' });
    const rejected = item('bid_3', { status: 'rejected' });
    const others = [item('bid_4', { amount: '465000' }), item('bid_5', { amount: '-1.00' })];
    const { outcome, lines, state } = await reconciledLate([
      absent,
      bidPage([raised, item('bid_2'), rejected, ...others]),
      bidDetail({ id: 'bid_2', status: 'accepted', errors: [] }),
      bidDetail({ id: 'bid_4', lot_id: 'lot_other', status: 'accepted' }),
    ]);
    expect(lines).toEqual([ASKED, 'GET /bids', 'GET /bids/bid_2', 'GET /bids/bid_4']);
    const evidence = { kind: 'similar_bids', complete: true, bids: [{ id: 'bid_2', lot_id: LOT }] };
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'stuck', evidence });
    expect(state).toBe('stuck');
  });

  it.each([
    ['more', 11, false],
    ['no more', 10, true],
  ])('reads at most ten pages, and reports whether there are %s', async (_, last, complete) => {
    const others = (page: number) => [item(`bid_${page}`, { amount: '1.00' })];
    const pages = Array.from({ length: 10 }, (_, index) => bidPage(others(index + 1), index + 1, last));
    const { outcome, lines } = await reconciledLate([absent, ...pages]);
    expect(outcome).toMatchObject({ evidence: { kind: 'similar_bids', bids: [], complete } });
    expect(lines.filter((line) => line.startsWith('GET /bids') && line !== ASKED)).toHaveLength(10);
  });

  it.each([
    ['more', 21, false],
    ['no more', 20, true],
  ])('reads at most twenty bids like it, and reports whether there are %s', async (_, count, complete) => {
    const others = Array.from({ length: count }, (_, index) => item(`bid_${index}`));
    const details = times(20, bidDetail({ status: 'accepted' }));
    const { outcome, lines } = await reconciledLate([absent, bidPage(others), ...details]);
    expect(outcome).toMatchObject({ evidence: { kind: 'similar_bids', complete } });
    expect(lines).toHaveLength(22);
  });

  const similar = { evidence: { kind: 'similar_bids', complete: true } };
  const rejectedInDoubt = [LOST, recordedRejection()];

  it.each<[what: string, steps: Step[], outcome: object, before?: Step[]]>([
    ['where the last lookup gives no answer', [messageOnly(404), bidPage([])], similar],
    ['where those like it can not be read', [absent, messageOnly(403)], { evidence: { kind: 'absent' } }],
    ['where it was rejected while in doubt', [absent, bidPage([])], {}, rejectedInDoubt],
  ])('needs manual resolution %s', async (_, steps, expected, before) => {
    const { outcome, state } = await reconciledLate(steps, before);
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'stuck', ...expected });
    expect(state).toBe('stuck');
  });
});

/** A 4xx without a documented code may come from a gateway that forwarded the bid: one lookup decides, provisionally. */

const forbidden = messageOnly(403);
const refused = () => placed([forbidden, lookup('absent')]);
const correction = { bid: { amount: '470000' }, options: {} };

describe('the lookup after an uncoded 4xx', () => {
  it.each([401, 403, 404, 405, 413])(
    'a bid that a gateway forwarded before it answered %i itself must not be refused',
    async (status) => {
      const found = lookup('accepted', { receipt: { bid_id: 'b1', status: 'accepted' } });
      const { outcome, lines } = await placed([messageOnly(status), found]);
      expect(outcome).toMatchObject({ status: 'accepted', bidId: 'b1', attempts: 1 });
      expect(lines).toEqual([SENT, ASKED]);
    },
  );

  it('that is absent refuses the bid provisionally, which lets a corrected bid leave at once', async () => {
    const { scene, outcome, provisional } = await refused();
    const refusal = { status: 'refused', reason: 'uncoded', provisional: true, httpStatus: 403 };
    expect([outcome, provisional]).toMatchObject([refusal, true]);
    expect((await placed([acceptance()], { scene, ...correction })).status).toBe('accepted');
  });
});

describe('a provisional refusal', () => {
  it('is among the unresolved intents, and recover looks it up inside the absence window only', async () => {
    const { scene } = await refused();
    const early = scene.dealer();
    const [still] = await scene.during(early.client.recover());
    expect([still, early.transport.lines]).toMatchObject([{ status: 'refused', provisional: true }, []]);
    await scene.clock.advance(302_000);
    const late = scene.dealer([lookup('accepted', { at: COPIES + 1_000 })]);
    expect(await scene.during(late.client.recover())).toMatchObject([{ status: 'accepted' }]);
  });

  it('is looked up a last time once the service may have forgotten the key, stays so, and is not sent again', async () => {
    const { scene } = await refused();
    await scene.clock.advance(3_601_000);
    const { client, transport } = scene.dealer([lookup('absent')]);
    expect(await scene.during(client.recover())).toMatchObject([{ status: 'refused', provisional: true }]);
    expect([transport.lines, await client.intents.list().toArray()]).toEqual([[ASKED], []]);
    expect((await placed([acceptance()], { scene })).lines).not.toContain(SENT);
  });

  it('that is placed again stays in doubt for its earlier copy', async () => {
    const { scene } = await refused();
    const { status } = await placed([UNCONNECTED], {
      scene,
      options: { ...KEYED, maxAttempts: 1, deadline: 500 },
    });
    // Nothing of this round left, but the copy of the first one may still be let in.
    expect(status).not.toBe('not_sent');
    expect((await reconciled(scene, [lookup('accepted')], 1_000)).state).toBe('accepted');
  });

  it('is unknown in an error: another bid under its key may meet the first one after all', async () => {
    const { scene } = await refused();
    const { outcome } = await placed([], { scene, bid: { amount: '470000' } });
    expect(outcome).toMatchObject({ name: 'IdempotencyConflictError', outcome: 'unknown' });
  });
});

describe('confirm: true', () => {
  const options = { ...KEYED, confirm: true };
  const rows: readonly (readonly [string, Step, string, string])[] = [
    ['an acceptance', acceptance(), 'accepted', 'accepted'],
    ['a rejection', recordedRejection(), 'rejected', 'rejected'],
    ['a coded refusal', refusal(403, 'SCOPE_DENIED'), 'absent', 'refused'],
  ];

  it.each(rows)(
    'looks %s up before it is reported, and reports it as unknown without an answer',
    async (...row) => {
      const [, reply, found, status] = row;
      const confirmed = await placed([reply, lookup(found)], { options });
      expect([confirmed.status, confirmed.lines]).toEqual([status, [SENT, ASKED]]);
      const unanswered = await placed([reply, ...mute(4)], { options });
      expect([unanswered.status, unanswered.state]).toEqual(['unknown', 'sent']);
    },
  );

  it('looks a verdict up that an earlier call took from a reply, once', async () => {
    const scene = await sceneAfter(acceptance());
    expect((await placed([lookup('accepted')], { scene, options })).lines).toEqual([ASKED]);
    expect((await placed([], { scene, options })).lines).toEqual([]);
    const settled = await placed([LOST, lookup('accepted')], { options: { ...options, maxAttempts: 1 } });
    expect(settled.lines).toEqual([SENT, ASKED]);
  });
});

/** Replies that may be of another bid: replays of what was never sent, conflicts, and crossed or contradictory verdicts. */

const OTHER = '11111111-1111-4111-8111-111111111111';
const replay = acceptance({ replayed: true }, 200);
/** The bid of `acceptance()` as A05 shows it. */
const same = (over: object = {}) => bidDetail({ id: 'bid_77', status: 'accepted', errors: [], ...over });
const A05 = 'GET /bids/bid_77';
const IN_DOUBT = { status: 'unknown', reason: 'in_doubt' };
const STUCK = { status: 'unknown', reason: 'stuck' };

const once = (steps: readonly Step[], maxAttempts = 1) =>
  placed(steps, { options: { idempotencyKey: KEY, maxAttempts } });

describe('a replay of something that this store never sent, such as after its loss', () => {
  const rejected = recordedRejection(['LOT_NOT_LIVE'], { replayed: true });

  const contrary = same({ status: 'rejected' });
  const processing = Array<Step>(4).fill(lookup('processing'));
  const yes = { status: 'accepted', replayed: true, bidId: 'bid_77', receipt: { lot_version: 4 } };
  const no = { status: 'rejected', codes: ['LOT_NOT_LIVE'], bidId: 'bid_78' };

  it.each<[what: string, steps: Step[], outcome: object, state: string]>([
    ['is an acceptance where A05 shows this bid', [replay, same()], yes, 'accepted'],
    ['is a rejection where A05 shows that', [rejected, bidDetail()], no, 'rejected'],
    ['is stuck where the lot differs', [replay, same({ lot_id: 'x' })], STUCK, 'stuck'],
    ['is stuck where the amount differs', [replay, same({ amount: '1.00' })], STUCK, 'stuck'],
    ['is stuck where the reference differs', [replay, same({ bidder_reference: 'b' })], STUCK, 'stuck'],
    ['is in doubt where A05 shows another verdict', [replay, contrary, ...processing], IN_DOUBT, 'sent'],
  ])('%s', async (_, steps, expected, state) => {
    const found = await once(steps);
    expect([found.outcome, found.state]).toMatchObject([expected, state]);
    expect(found.lines.includes(ASKED)).toBe(state === 'sent');
    const { bidId = 'bid_77' } = Object(expected);
    expect(found.lines.slice(0, 2)).toEqual([SENT, `GET /bids/${bidId}`]);
  });

  it('stays in doubt where A05 gives no answer, and a later look settles it', async () => {
    const { outcome, state, scene, lines } = await once([replay, messageOnly(403)]);
    expect([outcome, state]).toMatchObject([IN_DOUBT, 'sent']);
    expect(lines).toEqual([SENT, A05]);
    const later = await reconciled(scene, [same()]);
    expect([later.status, later.lines]).toEqual(['accepted', [A05]]);
  });
});

describe('a 409 without a code', () => {
  const bare = messageOnly(409);
  const found = lookup('accepted', { receipt: { bid_id: 'bid_77', status: 'accepted' } });

  it.each<[what: string, steps: Step[], outcome: object, state: string]>([
    ['must not be stuck where A06 and A05 show it', [found, same()], { status: 'accepted' }, 'accepted'],
    ['is stuck where the lookup found another bid', [found, same({ amount: '1.00' })], STUCK, 'stuck'],
    ['is stuck where the lookup names no bid', [lookup('accepted')], STUCK, 'stuck'],
    ['is unknown where the lookup gives no answer', mute(4), IN_DOUBT, 'sent'],
  ])('%s', async (_, looks, expected, state) => {
    const { outcome, ...rest } = await once([bare, ...looks]);
    expect(outcome).toMatchObject(expected);
    expect(rest.state).toBe(state);
  });
});

describe('one bid_id or request_id under two keys', () => {
  const bid = { lot: 'lot_2', amount: '470000' };
  const options = { idempotencyKey: OTHER, maxAttempts: 1 };
  const look = (state: string, key: string, id: string) =>
    lookup(state, { key, receipt: { bid_id: id, status: state, errors: ['LOT_NOT_LIVE'] } });
  const crossedNo = recordedRejection();
  const swapped = [look('rejected', OTHER, 'bid_90'), look('accepted', KEY, 'bid_77')];
  const swappedNo = [look('accepted', OTHER, 'bid_90'), look('rejected', KEY, 'bid_78')];
  const found = [look('accepted', OTHER, 'bid_77'), look('rejected', KEY, 'bid_90')];

  it.each<[what: string, first: Step, crossed: Step, looks: Step[], second: string]>([
    ['a crossed acceptance must not be believed', acceptance(), acceptance(), swapped, 'rejected'],
    ['a crossed rejection must not be believed', crossedNo, crossedNo, swappedNo, 'accepted'],
    ['the request_id alone is enough', acceptance(), acceptance({ bid_id: 'b' }), swapped, 'rejected'],
    ['the bid_id alone is enough', acceptance(), acceptance({ request_id: 'r' }), swapped, 'rejected'],
    ['a lookup may show the ids of another bid', acceptance(), LOST, found, 'accepted'],
  ])('both are in doubt until A06 has answered for both: %s', async (_, first, crossed, looks, status) => {
    const scene = await sceneAfter(first);
    const second = await placed([crossed, ...looks], { scene, bid, options });
    expect(second.status).toBe(status);
    const other = status === 'accepted' ? 'rejected' : 'accepted';
    expect(second.intents.map(({ state }) => state)).toEqual([other, status]);
    expect(second.lines).toEqual(['POST /lots/lot_2/bids', `GET /bid-requests/${OTHER}`, ASKED]);
  });
});
