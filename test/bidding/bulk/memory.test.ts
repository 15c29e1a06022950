import { describe, expect, it } from 'vitest';
import type { Candidate } from '../../../src/bidding/bulk/candidate.js';
import type { BulkRow } from '../../../src/bidding/bulk/row.js';
import { Schedule } from '../../../src/bidding/bulk/schedule.js';
import { Tally } from '../../../src/bidding/bulk/tally.js';
import { row } from './desk.js';

/** What a batch without an end remembers. */

const NOW = 1_000_000;
let position = 0;

function candidate(lotId: string, over: Partial<Candidate<BulkRow>> = {}): Candidate<BulkRow> {
  position += 1;
  const rowId = `r${position}`;
  return {
    batchId: 'b1',
    position,
    row: row(rowId, lotId, '1'),
    rowId,
    key: rowId,
    bidCheck: rowId,
    bid: { lot: lotId, amount: '1', bidderReference: 'buyer-1' },
    bidType: undefined,
    closesAt: undefined,
    placeBy: undefined,
    lotId,
    paise: 100n,
    bidderReference: 'buyer-1',
    dealerId: undefined,
    ...over,
  };
}

describe('the pace of a batch', () => {
  it('keeps no row that ended over a minute ago, whether anybody asks for it or not', () => {
    const tally = new Tally<BulkRow>();
    for (let second = 0; second < 1_000; second += 1) tally.ended(second * 1_000);
    // Asked as of long ago, it tells of everything that it still holds.
    expect(tally.perMinute(0)).toBe(60);
    expect(tally.perMinute(999_000)).toBe(60);
    expect(tally.perMinute(1_029_000)).toBe(30);
  });
});

describe('the schedule of a batch', () => {
  const closed = { bidType: 'closed' } as const;

  it('forgets how a lot was chained once no row of it is left', () => {
    const schedule = new Schedule<BulkRow>();
    const first = candidate('lot_1');
    schedule.add([first]);
    expect(schedule.take(NOW)).toBe(first);
    schedule.done(first);
    const buyers = ['b1', 'b2'].map((bidderReference) => candidate('lot_1', { ...closed, bidderReference }));
    schedule.add(buyers);
    expect([schedule.take(NOW), schedule.take(NOW)]).toEqual(buyers);
  });

  it('keeps how a lot is chained as long as one buyer of it has a row left, under way or in doubt', () => {
    const schedule = new Schedule<BulkRow>();
    const [one, two] = ['b1', 'b2'].map((bidderReference) =>
      candidate('lot_1', { ...closed, bidderReference }),
    );
    if (one === undefined || two === undefined) throw new Error('no rows');
    schedule.add([one, two]);
    schedule.take(NOW);
    schedule.take(NOW);
    schedule.done(one);
    schedule.hold(two);
    // Says nothing of its auction, and is chained by buyer all the same.
    const behind = candidate('lot_1', { bidderReference: 'b2' });
    const beside = candidate('lot_1', { bidderReference: 'b1' });
    expect(schedule.add([behind, beside])).toEqual([{ candidate: behind, heldBy: two }]);
    expect(schedule.take(NOW)).toBe(beside);
  });

  it('forgets closes that have passed, of lots of which no row is left', () => {
    const schedule = new Schedule<BulkRow>();
    const waiting = candidate('lot_1');
    schedule.add([waiting]);
    const closes = ['lot_1', 'lot_2', 'lot_3'].map((lot, index) => [lot, NOW + index * 1_000] as const);
    schedule.learn(new Map(closes), NOW);
    schedule.learn(new Map([['lot_4', NOW + 9_000]]), NOW + 1_500);
    const known = ['lot_1', 'lot_2', 'lot_3', 'lot_4'].map((lot) => schedule.closeOf(candidate(lot)));
    expect(known).toEqual([NOW, undefined, NOW + 2_000, NOW + 9_000]);
  });
});
