import { describe, expect, it } from 'vitest';
import { responseOf } from '../../src/core/reply/reply.js';
import { BidRejectedError } from '../../src/errors/api.js';
import {
  acceptance,
  bidDetail,
  LOT,
  messageOnly,
  recordedRejection,
  refusal,
} from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY } from '../support/clients.js';
import { BRIEF, KEYED, LOST, mute, placedBefore, SENT, UNCONNECTED } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** `bids.submit` is one call that throws; it is recorded, guarded and settled like every bid. */

const BODY = { amount: '465000', dealer_id: 'D-204' };

async function submitted(steps: readonly Step[], options: object = {}, before?: Scene) {
  const scene = before ?? new Scene();
  const { client, transport } = scene.dealer(steps);
  const call = client.bids.submit(LOT, BODY, { ...KEYED, maxAttempts: 1, ...options });
  const [settled] = await scene.during(Promise.allSettled([call]));
  const { value, reason } = { value: undefined, reason: undefined, ...settled };
  return { scene, client, value, error: reason as unknown, lines: transport.lines };
}

describe('a submitted bid', () => {
  it.each([
    ['rejected', recordedRejection(['LOT_NOT_LIVE']), 'BidRejectedError', 'rejected', 'rejected'],
    ['refused', refusal(403, 'SCOPE_DENIED'), 'PermissionError', 'refused', 'refused'],
    ['not sent', UNCONNECTED, 'ConnectionError', 'not_sent', 'not_sent'],
    ['in doubt', LOST, 'ConnectionError', 'unknown', 'sent'],
    ['without a code', messageOnly(403), 'PermissionError', 'unknown', 'sent'],
    ['in conflict', refusal(409, 'IDEMPOTENCY_CONFLICT'), 'IdempotencyConflictError', 'unknown', 'stuck'],
  ])('that is %s throws, and nothing is looked up', async (_, step, name, outcome, state) => {
    const found = await submitted([step]);
    expect(found.error).toMatchObject({ name, outcome, idempotencyKey: KEY, operation: 'bids.submit' });
    expect((await found.scene.only()).state).toBe(state);
    expect(found.lines).toEqual([SENT]);
  });

  it('is an InDoubtError while another bid of the buyer on the lot is unresolved', async () => {
    const first = { ...BRIEF, idempotencyKey: '11111111-1111-4111-8111-111111111111' };
    const { scene } = await placedBefore([LOST], first);
    const { error, lines } = await submitted([acceptance()], {}, scene);
    const unresolved = [{ amount: '465000' }];
    expect(error).toMatchObject({
      name: 'InDoubtError',
      reason: 'unresolved_bid',
      outcome: 'not_sent',
      unresolved,
    });
    expect(lines).toEqual([]);
  });

  it('is recorded before it leaves, and returns the recorded receipt again under its key', async () => {
    const { scene, value: receipt } = await submitted([acceptance()]);
    expect(receipt).toMatchObject({ bid_id: 'bid_77', status: 'accepted', current_amount: '465000.50' });
    expect(scene.events).toEqual(['commit placed', 'commit attempt', `send ${SENT}`, 'commit result']);
    expect(await scene.only()).toMatchObject({ state: 'accepted', content: { bid: { amount: '465000' } } });
    const { value, lines } = await submitted([], {}, scene);
    expect([value, lines]).toEqual([receipt, []]);
    expect(responseOf(Object(value))).toMatchObject({ replayed: true, idempotencyKey: KEY });
  });

  // rule: error.rejected
  it('again under its key throws the recorded rejection, and sends nothing', async () => {
    const { scene } = await submitted([recordedRejection(['LOT_NOT_LIVE'])]);
    const { error, lines } = await submitted([], {}, scene);
    expect(error).toMatchObject({
      name: 'BidRejectedError',
      outcome: 'rejected',
      codes: ['LOT_NOT_LIVE'],
      receipt: { bid_id: 'bid_78' },
    });
    expect(lines).toEqual([]);
  });

  it('that is rejected after an attempt in doubt is unknown, and says to look it up', async () => {
    const { error, scene } = await submitted([LOST, recordedRejection(['LOT_NOT_LIVE'])], {
      maxAttempts: 2,
    });
    expect(error).toMatchObject({
      outcome: 'unknown',
      codes: ['LOT_NOT_LIVE'],
      idempotencyKey: KEY,
      attempts: 2,
      nextStep: expect.stringContaining(`intents.reconcile("${KEY}")`),
    });
    expect(error).not.toBeInstanceOf(BidRejectedError);
    expect((await scene.only()).state).toBe('sent');
  });
});

describe('a submitted bid that is answered with a replay of something this store never sent', () => {
  const replay = acceptance({ replayed: true }, 200);
  const same = (over: object = {}) => bidDetail({ id: 'bid_77', status: 'accepted', errors: [], ...over });
  const A05 = 'GET /bids/bid_77';
  const replayedNo = recordedRejection(['LOT_NOT_LIVE'], { replayed: true });
  const STUCK = { name: 'InDoubtError', reason: 'stuck', outcome: 'unknown' };
  const REJECTED = { name: 'BidRejectedError', outcome: 'rejected', codes: ['LOT_NOT_LIVE'] };
  const UNANSWERED = { name: 'UnexpectedResponseError', outcome: 'unknown' };

  it('returns the receipt where A05 shows the same lot, amount and reference', async () => {
    const { value, lines, scene } = await submitted([replay, same()]);
    expect(value).toMatchObject({ bid_id: 'bid_77', status: 'accepted' });
    expect(responseOf(value as object)).toMatchObject({ replayed: true, idempotencyKey: KEY });
    expect([lines, (await scene.only()).state]).toEqual([[SENT, A05], 'accepted']);
  });

  it.each<[what: string, steps: Step[], error: object, state: string]>([
    ['stuck where A05 shows another bid', [replay, same({ amount: '1.00' })], STUCK, 'stuck'],
    ['the rejection where A05 shows that', [replayedNo, bidDetail()], REJECTED, 'rejected'],
    ['unknown where A05 gives no answer', [replay, ...mute(1)], UNANSWERED, 'sent'],
  ])('is an error, %s', async (_, steps, expected, state) => {
    const { error, scene } = await submitted(steps);
    expect([error, (await scene.only()).state]).toMatchObject([expected, state]);
  });

  it('is unknown where what A05 shows can not be recorded', async () => {
    const scene = new Scene();
    scene.store.troubles.push(undefined, undefined, undefined, 'fails');
    const { error } = await submitted([replay, same()], {}, scene);
    expect(error).toMatchObject({ name: 'StoreError', outcome: 'unknown', idempotencyKey: KEY });
  });
});
