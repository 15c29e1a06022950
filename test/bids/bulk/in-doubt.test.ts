import { describe, expect, it } from 'vitest';
import { rowKey } from '../../../src/bids/bulk/rows.js';
import { InDoubtError } from '../../../src/errors/local.js';
import { loadDeriveKey } from '../../../src/intents/derived-key.js';
import { lookup } from '../../support/bid-replies.js';
import { desk, row, rows, statuses } from './desk.js';

/** One attempt and no time for lookups: what is cut stays unknown. */
const place = { maxAttempts: 1, timeout: 800, deadline: 900 };

const LOW = row('r1', 'lot_1', '100');
const HIGH = row('r2', 'lot_1', '200');
const OTHERS = row('r3', 'lot_1', '300', { bidderReference: 'buyer-2' });
const KEY = rowKey(await loadDeriveKey(), 'sandbox', 'b1', 'r1');

const cutFirst = () => {
  let isBack = false;
  return {
    back: () => {
      isBack = true;
    },
    answer: ({ amount }: { readonly amount: string }) =>
      amount === '100.00' && !isBack ? ('cut' as const) : undefined,
    found: (key: string) => (isBack ? lookup('accepted', { key }) : undefined),
  };
};

describe('a bid whose outcome is unknown', () => {
  it('keeps higher bids of its buyer on its lot from being sent; bids of others go on', async () => {
    const at = desk(cutFirst());
    const { results, summary } = await at.end(at.placeAll([LOW, HIGH, OTHERS], { place }));
    expect(statuses(results)).toEqual({ r1: 'unknown', r2: 'error', r3: 'accepted' });
    expect(at.sent.map(({ amount }) => amount)).toEqual(['100.00', '300.00']);
    const held = results[1];
    const error = held?.status === 'error' ? held.error : undefined;
    expect(error).toBeInstanceOf(InDoubtError);
    expect(error).toMatchObject({ reason: 'unresolved_bid', unresolved: [{ idempotencyKey: KEY }] });
    expect(summary).toMatchObject({ isComplete: false, inDoubt: [KEY] });
    expect(summary.stopped).toBeUndefined();
  });

  it('holds nothing back where that is asked for', async () => {
    const at = desk(cutFirst());
    const { results } = await at.end(at.placeAll([LOW, HIGH], { place, allowUnresolved: true }));
    expect(statuses(results)).toEqual({ r1: 'unknown', r2: 'accepted' });
  });

  it('is sent once more when the batch runs again, without a lookup, and what it held back is sent', async () => {
    const service = cutFirst();
    const at = desk(service);
    await at.end(at.placeAll([LOW, HIGH, OTHERS], { place }));
    service.back();
    const { results, summary } = await at.end(at.placeAll([LOW, HIGH, OTHERS]));
    expect(statuses(results)).toEqual({ r1: 'accepted', r2: 'accepted', r3: 'accepted' });
    expect(at.sent.map(({ amount }) => amount)).toEqual(['100.00', '300.00', '100.00', '200.00']);
    expect(new Set(at.sent.map(({ key }) => key)).size).toBe(3);
    expect([summary.isComplete, summary.inDoubt]).toEqual([true, []]);
  });

  it('leaves nothing to do once it is abandoned, and holds nothing back', async () => {
    const at = desk(cutFirst());
    await at.end(at.placeAll([LOW], { place }));
    await at.auction.intents.abandon(KEY, 'the bank has no such bid');
    const { results, summary } = await at.end(at.placeAll([LOW, HIGH], { place }));
    expect(statuses(results)).toEqual({ r1: 'unknown', r2: 'accepted' });
    expect(summary).toMatchObject({ isComplete: true, inDoubt: [], abandoned: [KEY] });
  });
});

describe('two bids of one buyer on one lot', () => {
  it('both leave from two batches at once, and from a batch and a single call', async () => {
    const at = desk();
    const runs = [at.placeAll([LOW]), at.placeAll([HIGH], { batchId: 'b2' })];
    const { rowId: _, ...bid } = row('', 'lot_1', '300');
    const single = at.auction.bids.place(bid);
    const ends = await Promise.all([...runs.map((run) => at.end(run)), at.during(single)]);
    expect(ends).toMatchObject([
      { summary: { counts: { accepted: 1 } } },
      { summary: { counts: { accepted: 1 } } },
      { status: 'accepted' },
    ]);
    expect(at.service.mostInFlight).toBe(1);
  });
});

describe('confirm', () => {
  it('has every verdict of a batch looked up before it is reported', async () => {
    const at = desk({ found: (key) => lookup('accepted', { key }) });
    const { summary } = await at.end(at.placeAll(rows(3), { confirm: true }));
    expect([summary.counts.accepted, at.service.lookups.length]).toEqual([3, 3]);
  });
});
