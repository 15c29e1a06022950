import { describe, expect, it } from 'vitest';
import { type Awaited, forecast, type Pace } from '../../../src/bidding/bulk/forecast.js';
import type { BulkWarning, LateWarning } from '../../../src/bidding/bulk/progress.js';
import { desk, outcome, row } from './desk.js';

const now = 1_000_000;
const quota = { limit: 10, windowMs: 60_000, marginMs: 1_000 };
const pace = (over: Partial<Pace> = {}): Pace => ({
  quota,
  concurrency: 16,
  now,
  departures: [],
  latencyMs: 0,
  requestsPerRow: 1,
  ...over,
});

function rows(count: number, dueIn: number, over: Partial<Awaited> = {}): Awaited[] {
  return Array.from({ length: count }, (_, index) => ({
    lotId: `lot_${index}`,
    due: now + dueIn,
    behind: 0,
    ...over,
  }));
}

describe('the forecast', () => {
  it('of nothing is now', () => {
    expect(forecast([], pace())).toEqual({ requests: 0, lastLeavesAt: now, late: 0, closes: [] });
  });

  it('lets a window full leave now, and the next a window later', () => {
    expect(forecast(rows(10, 1_000), pace())).toMatchObject({ late: 0, lastLeavesAt: now });
    expect(forecast(rows(25, 61_500), pace())).toEqual({
      requests: 25,
      lastLeavesAt: now + 122_000,
      late: 5,
      closes: [
        {
          closesAt: now + 61_500,
          rows: 25,
          requests: 25,
          lastLeavesAt: now + 122_000,
          late: 5,
          lots: ['lot_20', 'lot_21', 'lot_22', 'lot_23', 'lot_24'],
        },
      ],
    });
  });

  it('counts what has left in the window already', () => {
    const departures = Array.from({ length: 10 }, (_, index) => now - 30_000 + index);
    expect(forecast(rows(1, 30_000), pace({ departures })).lastLeavesAt).toBe(now + 31_000);
    expect(forecast(rows(1, 30_000), pace({ departures: departures.slice(1) })).lastLeavesAt).toBe(now);
  });

  it('counts retries and look-ups', () => {
    const found = forecast(rows(10, 61_001), pace({ requestsPerRow: 2.5 }));
    expect(found).toMatchObject({ requests: 25, lastLeavesAt: now + 122_000, late: 2 });
    expect(found.closes[0]).toMatchObject({ rows: 10, requests: 25 });
  });

  it('counts the rows ahead, whose lots close earlier', () => {
    const found = forecast([...rows(8, 5_000), ...rows(6, 10_000)], pace());
    expect(found.closes).toMatchObject([{ closesAt: now + 10_000, rows: 6, requests: 14, late: 4 }]);
  });

  it('knows that replies take time: so many rows at once, and one behind the other on a lot', () => {
    const free = { limit: Number.POSITIVE_INFINITY, windowMs: 60_000, marginMs: 0 };
    const slow = pace({ quota: free, latencyMs: 1_000, concurrency: 4 });
    expect(forecast(rows(12, 2_000), slow)).toMatchObject({ lastLeavesAt: now + 2_000, late: 4 });
    expect(forecast(rows(1, 2_000, { behind: 3 }), slow)).toMatchObject({
      lastLeavesAt: now + 3_000,
      late: 1,
    });
  });

  it('reckons what is past already behind all that can still make it, and calls it late', () => {
    expect(forecast([...rows(3, 0), ...rows(10, 1_000)], pace())).toMatchObject({
      requests: 13,
      lastLeavesAt: now + 61_000,
      late: 3,
      closes: [{ closesAt: now, rows: 3, requests: 13, lastLeavesAt: now + 61_000, late: 3 }],
    });
  });

  it('gives times in whole milliseconds, and none of them before the row is out', () => {
    const found = forecast(rows(3, 500), pace({ now: now + 0.25, concurrency: 1, latencyMs: 400.3 }));
    // 0.25 + 2 * 400.3 ms
    expect(found).toMatchObject({ lastLeavesAt: now + 801, closes: [{ lastLeavesAt: now + 801, late: 1 }] });
    expect(forecast([], pace({ now: now + 0.25 })).lastLeavesAt).toBe(now + 1);
  });

  it('never calls a row late whose close nobody knows', () => {
    expect(forecast(rows(100, Infinity), pace())).toMatchObject({ late: 0, closes: [], requests: 100 });
  });
});

describe('a batch that is too late', () => {
  const small = { limit: 5, windowMs: 60_000, marginMs: 0 };
  const many = (count: number, closesAt: number) =>
    Array.from({ length: count }, (_, index) => row(`r${index}`, `lot_${index}`, '1', { closesAt }));

  it('says so before the first bid, with figures, and bids all the same', async () => {
    const at = desk({ parts: { quota: small } });
    const warned: BulkWarning[] = [];
    let placedBefore: number | undefined;
    const { summary } = await at.end(
      at.placeAll(many(12, at.start + 30_000), {
        onWarning: (warning) => {
          placedBefore ??= at.placings.length;
          warned.push(warning);
        },
      }),
    );
    expect(placedBefore).toBe(0);
    expect(warned[0]).toEqual({
      type: 'late',
      at: at.start,
      rows: 12,
      requests: 12,
      late: 7,
      quota: { limit: 5, windowMs: 60_000 },
      closes: [
        {
          closesAt: at.start + 30_000,
          rows: 12,
          requests: 12,
          lastLeavesAt: at.start + 120_000,
          late: 7,
          lots: ['lot_5', 'lot_6', 'lot_7', 'lot_8', 'lot_9', 'lot_10', 'lot_11'],
        },
      ],
      what: '7 of 12 waiting rows would leave too late, on 7 lots; the first is due (its lot closes, or its placeBy passes) at 2026-03-02T06:00:30.000Z, and the last one due then would leave at 2026-03-02T06:02:00.000Z, with 5 requests in 60 s at the most.',
    });
    expect(at.logged[0]).toBe(warned[0]?.what);
    expect(summary.warnings).toEqual(warned);
    expect(summary.counts.accepted).toBe(12);
  });

  it('does not call the deadline of a row a close, nor what is past a forecast', async () => {
    const at = desk();
    const placeBy = '2020-01-01T00:00:00Z';
    const { summary } = await at.end(at.placeAll([row('r1', 'lot_1', '1', { placeBy })]));
    expect(summary.warnings[0]?.what).toBe(
      '1 of 1 waiting row would leave too late, on 1 lot; the first was due (its lot closed, or its placeBy passed) at 2020-01-01T00:00:00.000Z.',
    );
  });

  it('names no pace where no quota sets one', async () => {
    const at = desk({ takes: 20_000, parts: { quota: { limit: Infinity, windowMs: 60_000, marginMs: 0 } } });
    const { summary } = await at.end(at.placeAll(many(20, at.start + 21_000), { concurrency: 4 }));
    expect(summary.warnings[0]?.what).toMatch(/ and the last one due then would leave at [^ ]+Z\.$/);
  });

  it('sends nothing where that was asked for', async () => {
    const at = desk({ parts: { quota: small } });
    const run = at.placeAll(many(12, at.start + 30_000), { ifLate: 'refuse' });
    const { summary, results } = await at.end(run);
    expect(at.placings).toEqual([]);
    expect(summary).toMatchObject({ counts: { not_sent: 12 }, stopped: { by: 'late' } });
    expect(results[0]?.what).toContain('before it is due (its lot closes, or its placeBy passes)');
    expect(await run.plan).toMatchObject({ toPlace: 12, late: 7, requests: 12 });
    const inTime = desk({ parts: { quota: small } });
    const good = await inTime.end(inTime.placeAll(many(5, inTime.start + 30_000), { ifLate: 'refuse' }));
    expect(good.summary.isComplete).toBe(true);
  });

  it('becomes so when replies turn slow, and says it then', async () => {
    const at = desk({ takes: 12_000 });
    const warned: BulkWarning[] = [];
    const run = at.placeAll(many(40, at.start + 20_000), { onWarning: (warning) => warned.push(warning) });
    await at.clock.advance(11_000);
    expect(warned).toEqual([]);
    await at.clock.advance(2_000);
    expect(warned).toMatchObject([{ type: 'late', at: at.start + 12_000, rows: 23, late: 7 }]);
    await at.end(run);
  });

  it('becomes so when rows take more requests than one', async () => {
    const at = desk({
      takes: 1_500,
      parts: { quota: small },
      answers: { r0: () => ({ ...outcome('accepted', 'k'), attempts: 4 }) },
    });
    const { summary } = await at.end(at.placeAll(many(3, at.start + 30_000), { concurrency: 1 }));
    // Four attempts and a look-up are all that a minute allows.
    expect(summary.warnings).toMatchObject([{ at: at.start + 1_500, rows: 1, late: 1, requests: 5 }]);
  });

  it('becomes so in a pause that settles nothing, and says it then', async () => {
    const at = desk({ takes: 300_000 });
    const warned: LateWarning[] = [];
    const onWarning = (warning: BulkWarning) => {
      if (warning.type === 'late') warned.push(warning);
    };
    const run = at.placeAll(many(20, at.start + 22_000), { onWarning });
    await at.clock.advance(24_000);
    expect(warned).toEqual([]);
    await at.clock.advance(2_000);
    expect(warned).toMatchObject([{ at: at.start + 25_000, rows: 4, late: 4 }]);
    await at.end(run);
    expect(warned).toHaveLength(1);
  });

  it('says it again where it grows worse, and not for every row', async () => {
    const at = desk({ takes: 20_000, parts: { quota: { limit: 1_000, windowMs: 60_000, marginMs: 0 } } });
    const warned: BulkWarning[] = [];
    const rows = many(200, at.start + 100_000);
    await at.end(at.placeAll(rows, { onWarning: (warning) => warned.push(warning) }));
    const late = warned.map((warning) => (warning.type === 'late' ? warning.late : 0));
    expect(late.length).toBeGreaterThan(0);
    expect(late.length).toBeLessThan(5);
    late.slice(1).forEach((count, index) => {
      expect(count).toBeGreaterThanOrEqual(2 * (late[index] ?? 0));
    });
  });
});
