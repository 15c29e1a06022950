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
import {
  ASKED,
  KEYED,
  LOST,
  mute,
  placed,
  reconciled,
  SENT,
  sceneAfter,
  UNCONNECTED,
} from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** A 4xx without a documented code may come from a gateway that forwarded the bid: one lookup decides, provisionally. */

const COPIES = NOW + 300_000;
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

  it('finds the rejection behind a rejection code that came without its record', async () => {
    const found = lookup('rejected', { receipt: { bid_id: 'bid_78', status: 'rejected' } });
    const { outcome } = await placed([refusal(422, 'LOT_NOT_LIVE'), found, bidDetail()]);
    expect(outcome).toMatchObject({ status: 'rejected', bidId: 'bid_78' });
  });

  it('that is absent refuses the bid provisionally, which lets a corrected bid leave at once', async () => {
    const { scene, outcome, provisional } = await refused();
    expect(outcome).toMatchObject({
      status: 'refused',
      reason: 'uncoded',
      provisional: true,
      httpStatus: 403,
    });
    expect(provisional).toBe(true);
    expect((await placed([acceptance()], { scene, ...correction })).status).toBe('accepted');
  });

  it('that gives no answer leaves the bid in doubt, which keeps a corrected bid back', async () => {
    const { scene, outcome } = await placed([forbidden, ...mute(4)]);
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'in_doubt' });
    const blocked = { name: 'InDoubtError', reason: 'unresolved_bid' };
    expect((await placed([], { scene, ...correction })).outcome).toMatchObject(blocked);
  });

  it('counts only where it began after the reply was recorded, and within the key retention', async () => {
    const { scene, client } = await placed([forbidden, ...mute(4)]);
    const [{ idempotencyKey: key } = { idempotencyKey: '' }] = await client.intents.list();
    // Another process asked before, and records its answer only now.
    const stale = { type: 'lookup', at: NOW, refusalsSeen: 0, found: 'absent', observedAt: NOW } as const;
    await scene.append(key, stale);
    await reconciled(scene, [lookup('absent', { at: NOW + 3_600_001 })], 1_000);
    expect((await scene.only()).state).toBe('sent');
    await scene.append(key, { ...stale, refusalsSeen: 1 });
    expect((await scene.only()).state).toBe('refused');
  });
});

describe('a provisional refusal', () => {
  it('becomes final by two later absences in the absence window', async () => {
    const { scene } = await refused();
    await scene.clock.advance(301_000);
    const first = await reconciled(scene, [lookup('absent', { at: COPIES + 1_000 })], 1_000);
    const second = await reconciled(scene, [lookup('absent', { at: COPIES + 61_000 })], 1_000);
    expect([first.provisional, second.provisional]).toEqual([true, false]);
    expect(second.outcome).toMatchObject({ status: 'refused', reason: 'uncoded', provisional: false });
  });

  it.each(['accepted', 'rejected'])('turns into %s where a later lookup finds that', async (state) => {
    const { scene } = await refused();
    const found = lookup(state, { receipt: { bid_id: 'b1', status: state, errors: ['LOT_NOT_LIVE'] } });
    expect(await reconciled(scene, [found], 1_000)).toMatchObject({ status: state, state });
  });

  it('is among the unresolved intents, and recover looks it up inside the absence window only', async () => {
    const { scene } = await refused();
    const early = scene.dealer();
    const [still] = await scene.during(early.client.recover());
    expect([still, early.transport.lines]).toMatchObject([{ status: 'refused', provisional: true }, []]);
    await scene.clock.advance(301_000);
    const late = scene.dealer([lookup('accepted', { at: COPIES + 1_000 })]);
    expect(await scene.during(late.client.recover())).toMatchObject([{ status: 'accepted' }]);
  });

  it('is looked up a last time once the service may have forgotten the key, stays so, and is not sent again', async () => {
    const { scene } = await refused();
    await scene.clock.advance(3_601_000);
    const { client, transport } = scene.dealer([lookup('absent')]);
    expect(await scene.during(client.recover())).toMatchObject([{ status: 'refused', provisional: true }]);
    expect([transport.lines, await client.intents.list()]).toEqual([[ASKED], []]);
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

  it.each<[what: string, steps: Step[], outcome: object]>([
    [
      'an acceptance of another bid',
      [acceptance(), lookup('rejected', { receipt: { bid_id: 'b9', errors: ['LOT_NOT_LIVE'] } })],
      { status: 'rejected', bidId: 'b9' },
    ],
    [
      'a rejection of another bid',
      [recordedRejection(), lookup('accepted', { receipt: { bid_id: 'b9' } })],
      { status: 'accepted', bidId: 'b9' },
    ],
    [
      'a refusal of a doubled copy',
      [refusal(403, 'SCOPE_DENIED'), lookup('accepted')],
      { status: 'accepted' },
    ],
    [
      'an acceptance of which the service has no record',
      [acceptance(), ...Array<Step>(4).fill(lookup('absent'))],
      { status: 'unknown', reason: 'in_doubt' },
    ],
  ])('believes the lookup where the reply was %s', async (_, steps, expected) => {
    const { outcome } = await placed(steps, { options: { ...options, maxAttempts: 1 } });
    expect(outcome).toMatchObject(expected);
  });

  it('takes the bid id from the lookup alone, because the reply may have been that of another bid', async () => {
    const { outcome } = await placed([acceptance(), lookup('accepted')], { options });
    expect(outcome).not.toHaveProperty('bidId');
  });

  it('looks a verdict up that an earlier call took from a reply, once', async () => {
    const scene = await sceneAfter(acceptance());
    expect((await placed([lookup('accepted')], { scene, options })).lines).toEqual([ASKED]);
    expect((await placed([], { scene, options })).lines).toEqual([]);
    const settled = await placed([LOST, lookup('accepted')], { options: { ...options, maxAttempts: 1 } });
    expect(settled.lines).toEqual([SENT, ASKED]);
  });
});
