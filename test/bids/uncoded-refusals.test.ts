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
import type { Scene } from '../support/bidders.js';
import { KEY } from '../support/clients.js';
import { ASKED, BID, KEYED, LOST, mute, placedBefore, SENT } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** A 4xx without a documented code may come from a gateway that forwarded the bid: one lookup decides, provisionally. */

const COPIES = NOW + 300_000;
const forbidden = messageOnly(403);
const refused = () => placedBefore([forbidden, lookup('absent')], KEYED);

async function reconciled(scene: Scene, ...steps: readonly Step[]) {
  const { client, transport } = scene.dealer(steps);
  const outcome = await scene.during(client.intents.reconcile(KEY, { deadline: 1_000 }));
  return { outcome, lines: transport.lines, ...(await scene.only()) };
}

describe('the lookup after an uncoded 4xx', () => {
  it.each([401, 403, 404, 405, 413])(
    'finds the bid that a gateway forwarded before it answered %i itself',
    async (status) => {
      const found = lookup('accepted', { receipt: { bid_id: 'b1', status: 'accepted' } });
      const { outcome, lines } = await placedBefore([messageOnly(status), found], KEYED);
      expect(outcome).toMatchObject({ status: 'accepted', bidId: 'b1', attempts: 1 });
      expect(lines).toEqual([SENT, ASKED]);
    },
  );

  it('finds the rejection behind a rejection code that came without its record', async () => {
    const receipt = { bid_id: 'bid_78', status: 'rejected' };
    const steps = [refusal(422, 'LOT_NOT_LIVE'), lookup('rejected', { receipt }), bidDetail()];
    const { outcome } = await placedBefore(steps, KEYED);
    expect(outcome).toMatchObject({ status: 'rejected', bidId: 'bid_78' });
  });

  it('that is absent refuses the bid provisionally, which lets a corrected bid leave at once', async () => {
    const { scene, outcome } = await refused();
    expect(outcome).toMatchObject({
      status: 'refused',
      reason: 'uncoded',
      provisional: true,
      httpStatus: 403,
    });
    expect(await scene.only()).toMatchObject({ state: 'refused', provisional: true });
    const { client } = scene.dealer([acceptance()]);
    expect(await scene.during(client.bids.place({ ...BID, amount: '470000' }))).toMatchObject({
      status: 'accepted',
    });
  });

  it('that gives no answer leaves the bid in doubt, which keeps a corrected bid back', async () => {
    const { scene, outcome } = await placedBefore([forbidden, ...mute(4)], KEYED);
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'in_doubt' });
    const { client } = scene.dealer();
    await expect(scene.during(client.bids.place({ ...BID, amount: '470000' }))).rejects.toMatchObject({
      name: 'InDoubtError',
      reason: 'unresolved_bid',
    });
  });

  it('is repeated while the service is still working on the bid', async () => {
    const { outcome } = await placedBefore([forbidden, lookup('processing'), lookup('accepted')], KEYED);
    expect(outcome.status).toBe('accepted');
  });

  it('does not count where it began before the reply was recorded', async () => {
    const { scene } = await placedBefore([forbidden, ...mute(4)], KEYED);
    // Another process asked before, and records its answer only now.
    const stale = { type: 'lookup', at: NOW, refusalsSeen: 0, found: 'absent', observedAt: NOW } as const;
    await scene.append(KEY, stale);
    expect((await scene.only()).state).toBe('sent');
    await scene.append(KEY, { ...stale, refusalsSeen: 1 });
    expect((await scene.only()).state).toBe('refused');
  });

  it('does not count after the service may have forgotten the key', async () => {
    const { scene } = await placedBefore([forbidden, ...mute(4)], KEYED);
    const { state } = await reconciled(scene, lookup('absent', { at: NOW + 3_600_001 }));
    expect(state).toBe('sent');
  });
});

describe('a provisional refusal', () => {
  it('becomes final by two later absences in the absence window', async () => {
    const { scene } = await refused();
    await scene.clock.advance(301_000);
    expect(await reconciled(scene, lookup('absent', { at: COPIES + 1_000 }))).toMatchObject({
      provisional: true,
    });
    const { outcome, provisional } = await reconciled(scene, lookup('absent', { at: COPIES + 61_000 }));
    expect(outcome).toMatchObject({ status: 'refused', reason: 'uncoded', provisional: false });
    expect(provisional).toBe(false);
  });

  it.each(['accepted', 'rejected'] as const)(
    'turns into %s where a later lookup finds that',
    async (found) => {
      const { scene } = await refused();
      const receipt = { bid_id: 'b1', status: found, errors: ['LOT_NOT_LIVE'] };
      const { outcome, state } = await reconciled(scene, lookup(found, { receipt }));
      expect([outcome.status, state]).toEqual([found, found]);
    },
  );

  it('is among the unresolved intents, and recover looks it up inside the absence window only', async () => {
    const { scene } = await refused();
    const early = scene.dealer();
    expect(await scene.during(early.client.recover())).toMatchObject([
      { status: 'refused', provisional: true },
    ]);
    expect(early.transport.lines).toEqual([]);
    await scene.clock.advance(301_000);
    const late = scene.dealer([lookup('accepted', { at: COPIES + 1_000 })]);
    expect(await scene.during(late.client.recover())).toMatchObject([{ status: 'accepted' }]);
  });

  it('is looked up a last time and stays provisional once the service may have forgotten the key', async () => {
    const { scene } = await refused();
    await scene.clock.advance(3_601_000);
    const { client, transport } = scene.dealer([lookup('absent')]);
    expect(await scene.during(client.recover())).toMatchObject([{ status: 'refused', provisional: true }]);
    expect(transport.lines).toEqual([ASKED]);
    expect(await client.intents.list()).toEqual([]);
  });

  it('is not sent again once the service may have forgotten the key', async () => {
    const { scene } = await refused();
    await scene.clock.advance(3_601_000);
    await scene.during(scene.dealer([lookup('absent')]).client.recover());
    const { client, transport } = scene.dealer([acceptance()]);
    await scene.during(client.bids.place(BID, KEYED));
    expect(transport.lines).not.toContain(SENT);
  });

  it('that is placed again stays in doubt for its earlier copy', async () => {
    const { scene } = await refused();
    const { client } = scene.dealer([{ fail: 'no' }]);
    const outcome = await scene.during(client.bids.place(BID, { ...KEYED, maxAttempts: 1, deadline: 500 }));
    // Nothing of this round left, but the copy of the first one may still be let in.
    expect(outcome.status).not.toBe('not_sent');
    const found = await reconciled(scene, lookup('accepted'));
    expect(found.state).toBe('accepted');
  });
});

describe('confirm: true', () => {
  const confirm = { ...KEYED, confirm: true };

  it.each([
    ['an acceptance', acceptance(), lookup('accepted'), 'accepted'],
    ['a rejection', recordedRejection(), lookup('rejected'), 'rejected'],
    ['a coded refusal', refusal(403, 'SCOPE_DENIED'), lookup('absent'), 'refused'],
  ])('looks %s up before it is reported', async (_, reply, look, status) => {
    const { outcome, lines } = await placedBefore([reply, look], confirm);
    expect(outcome.status).toBe(status);
    expect(lines).toEqual([SENT, ASKED]);
  });

  it.each([
    ['an acceptance', acceptance(), mute(4)],
    ['a rejection', recordedRejection(), mute(4)],
    ['a coded refusal', refusal(403, 'SCOPE_DENIED'), mute(4)],
  ])('reports %s as unknown where no lookup answers', async (_, reply, looks) => {
    const { outcome, scene } = await placedBefore([reply, ...looks], confirm);
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'in_doubt' });
    expect((await scene.only()).state).toBe('sent');
  });

  it('believes the lookup where the reply was that of another bid', async () => {
    const rejected = lookup('rejected', {
      receipt: { bid_id: 'b9', status: 'rejected', errors: ['LOT_NOT_LIVE'] },
    });
    const crossed = await placedBefore([acceptance(), rejected], confirm);
    expect(crossed.outcome).toMatchObject({ status: 'rejected', bidId: 'b9' });
    const accepted = lookup('accepted', { receipt: { bid_id: 'b9', status: 'accepted' } });
    const swapped = await placedBefore([recordedRejection(), accepted], confirm);
    expect(swapped.outcome).toMatchObject({ status: 'accepted', bidId: 'b9' });
  });

  it('takes the bid id from the lookup alone, because the reply may have been that of another bid', async () => {
    const { outcome } = await placedBefore([acceptance(), lookup('accepted')], confirm);
    expect(outcome).toMatchObject({ status: 'accepted' });
    expect(outcome).not.toHaveProperty('bidId');
  });

  it('does not report an acceptance of which the service has no record', async () => {
    const { outcome, scene } = await placedBefore([acceptance(), ...Array<Step>(4).fill(lookup('absent'))], {
      ...confirm,
      maxAttempts: 1,
    });
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'in_doubt' });
    expect((await scene.only()).state).toBe('sent');
  });

  it('finds the copy that was accepted although access checks refused the other one', async () => {
    const { outcome } = await placedBefore([refusal(403, 'SCOPE_DENIED'), lookup('accepted')], confirm);
    expect(outcome.status).toBe('accepted');
  });

  it('looks a verdict up that an earlier call took from a reply', async () => {
    const { scene } = await placedBefore([acceptance()], KEYED);
    const { client, transport } = scene.dealer([lookup('accepted')]);
    expect((await scene.during(client.bids.place(BID, confirm))).status).toBe('accepted');
    expect(transport.lines).toEqual([ASKED]);
    // Looked up once is enough.
    expect((await scene.during(client.bids.place(BID, confirm))).status).toBe('accepted');
    expect(transport.lines).toEqual([ASKED]);
  });

  it('looks nothing up where the attempt was in doubt and a lookup settled it', async () => {
    const { lines } = await placedBefore([LOST, lookup('accepted')], { ...confirm, maxAttempts: 1 });
    expect(lines).toEqual([SENT, ASKED]);
  });
});
