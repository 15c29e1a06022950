import { describe, expect, it } from 'vitest';
import type { BidRow, UnreadableRow } from '../../../src/bids/bulk/types.js';
import { desk, row, rows, statuses } from './desk.js';

type Row = BidRow<'aggregator'>;

const GOOD = row('r1', 'lot_1', '100');

/** A row one field of which throws when it is read. */
function broken(field: string, good: Row): Row {
  const get = () => {
    throw new Error('the record is gone');
  };
  return Object.defineProperty({ ...good }, field, { get, enumerable: true });
}

/** Whatever a program without types may pass. */
function odd(fields: object): Row {
  return { ...row('r2', 'lot_2', '200'), ...fields };
}

describe('wrong rows of a source that is read first', () => {
  it('are all reported, and nothing is sent', async () => {
    const at = desk();
    const { results, summary } = await at.end(
      at.placeAll([GOOD, row('r2', 'lot_2', '4,65,000'), row('r3', '', '1')]),
    );
    expect(statuses(results)).toEqual({ r1: 'not_sent', r2: 'invalid', r3: 'invalid' });
    expect(results[1]).toMatchObject({ position: 2, issues: [{ path: 'amount' }], codes: [] });
    expect(results[0]).toMatchObject({
      what: expect.stringContaining('A row of the batch is wrong, so nothing was sent.'),
      outcome: { reason: 'aborted', attempts: 0 },
    });
    expect(summary).toMatchObject({ isComplete: false, rows: 3, stopped: { reason: 'invalid_rows' } });
    expect([at.sent, at.timeAsked]).toEqual([[], 0]);
  });

  it('leave rows that an earlier run placed as they are on record', async () => {
    const at = desk();
    await at.end(at.placeAll(rows(2)));
    const { results } = await at.end(at.placeAll([...rows(3), row('r4', 'lot_4', 'x')]));
    expect(statuses(results)).toEqual({ r1: 'accepted', r2: 'accepted', r3: 'not_sent', r4: 'invalid' });
    expect(at.sent).toHaveLength(2);
  });

  it('are reported while the others are placed, where that is asked for', async () => {
    const at = desk();
    const { results, summary } = await at.end(
      at.placeAll([GOOD, row('r2', 'lot_2', 'much')], { onInvalid: 'report' }),
    );
    expect(statuses(results)).toEqual({ r1: 'accepted', r2: 'invalid' });
    expect([summary.isComplete, summary.stopped]).toEqual([false, undefined]);
  });

  it('of a set or of a source that says it is finite keep everything from being sent, too', async () => {
    const given = [GOOD, row('r2', 'lot_2', 'x')];
    const file = {
      isFinite: true,
      async *[Symbol.asyncIterator]() {
        yield* given;
      },
    };
    for (const source of [new Set(given), file]) {
      const at = desk();
      const { summary } = await at.end(at.placeAll<Row>(source));
      expect([summary.stopped?.reason, at.sent]).toEqual(['invalid_rows', []]);
    }
  });
});

describe('a row is wrong', () => {
  it.each<[what: string, given: Row, path: string]>([
    ['without a rowId', odd({ rowId: undefined }), 'rowId'],
    ['with an empty rowId', odd({ rowId: '' }), 'rowId'],
    ['with a rowId that is a number', odd({ rowId: 7 }), 'rowId'],
    ['with a space at the end of its rowId', odd({ rowId: 'r2 ' }), 'rowId'],
    ['with a letter in its rowId that is not ASCII', odd({ rowId: 'r²' }), 'rowId'],
    ['with a rowId that is too long', odd({ rowId: 'r'.repeat(121) }), 'rowId'],
    ['with a rowId that a spreadsheet shortened', odd({ rowId: '4.65E+11' }), 'rowId'],
    ['without a lot', odd({ lot: undefined }), 'lot'],
    ['with a lot id that can not be in a path', odd({ lot: 'a/b' }), 'lot'],
    ['with an amount that is a number', odd({ amount: 200 }), 'amount'],
    ['with an amount of 0', odd({ amount: '0' }), 'amount'],
    [
      'with an amount off the grid of its event',
      odd({ lot: { id: 'lot_2', starting_price: '100' }, event: { bid_increment: '30' } }),
      'amount',
    ],
    ['without a buyer', odd({ bidderReference: undefined }), 'bidderReference'],
    ['with a buyer that is null', odd({ bidderReference: null }), 'bidderReference'],
    ['with a placeBy in seconds', odd({ placeBy: 1_800_000_000 }), 'placeBy'],
    ['with a placeBy without a zone', odd({ placeBy: '2026-11-21T18:30:00' }), 'placeBy'],
    ['with a closesAt that is no moment', odd({ closesAt: 'soon' }), 'closesAt'],
    ['with a dealer id that is too long', odd({ dealerId: 'D'.repeat(40) }), 'dealerId'],
  ])('%s', async (_, given, path) => {
    const at = desk();
    const { results, summary } = await at.end(at.placeAll([GOOD, given], { onInvalid: 'report' }));
    expect(results[1]).toMatchObject({ status: 'invalid', position: 2, row: given });
    expect(results[1]?.status === 'invalid' ? results[1].issues.map((issue) => issue.path) : []).toEqual([
      path,
    ]);
    expect([summary.counts.accepted, at.sent.length]).toEqual([1, 1]);
  });

  it('with everything that is wrong about it', async () => {
    const at = desk();
    const { results } = await at.end(at.placeAll([odd({ rowId: '', amount: 'x', closesAt: 'soon' })]));
    expect(results[0]?.status === 'invalid' ? results[0].issues.map(({ path }) => path) : []).toEqual([
      'rowId',
      'closesAt',
      'amount',
    ]);
    expect(results[0]?.what).toMatch(/^rowId must be .*; closesAt must be .*; amount .*\.$/);
  });

  it.each([null, 7, 'r1', undefined])('that is no object: %j', async (given) => {
    const at = desk();
    const untyped: Row[] = JSON.parse(JSON.stringify([GOOD, given ?? null]));
    const { results } = await at.end(at.placeAll(untyped, { onInvalid: 'report' }));
    expect(results[1]).toMatchObject({ status: 'invalid', issues: [{ path: 'row' }] });
  });

  it.each([
    'lot',
    'event',
    'amount',
    'bidderReference',
    'dealerId',
    'clientBidTime',
    'placeBy',
    'closesAt',
    'rowId',
    'line',
  ])('whose %s throws when it is read, and the others are placed', async (field) => {
    const at = desk();
    const bad = broken(field, row('r2', 'lot_2', '200'));
    const { results, summary } = await at.end(
      at.placeAll([GOOD, bad, row('r3', 'lot_3', '300')], { onInvalid: 'report' }),
    );
    expect(results[1]).toMatchObject({
      status: 'invalid',
      issues: [{ path: 'row' }],
    });
    expect(results[1]?.row).toBe(bad);
    expect(summary.counts).toMatchObject({ accepted: 2, invalid: 1 });
  });

  it.each<Row>([
    odd({ lot: broken('id', GOOD) }),
    odd({ event: broken('ends_at', GOOD) }),
    odd({ placeBy: new Proxy(new Date(), {}) }),
  ])('that throws deep inside', async (given) => {
    const at = desk();
    const { results } = await at.end(at.placeAll([given]));
    expect(results[0]).toMatchObject({ status: 'invalid', issues: [{ path: 'row' }] });
  });

  it('that its source could not read, which may name it and its line', async () => {
    const at = desk();
    const issues = [{ path: 'amount', message: 'has a currency' }];
    const unreadable: UnreadableRow = { issues, rowId: 'r2', line: 3, cells: { amount: '₹1' } };
    const { results } = await at.end(
      at.placeAll<Row>([{ ...GOOD, line: 2 }, unreadable], { onInvalid: 'report' }),
    );
    expect(results).toMatchObject([
      { status: 'accepted', line: 2 },
      { status: 'invalid', rowId: 'r2', line: 3, issues, what: 'amount has a currency.' },
    ]);
    expect(results[1]?.row).toBe(unreadable);
  });
});

describe('a rowId that is given twice', () => {
  it('is wrong the second time, and names the row or line that had it', async () => {
    const at = desk();
    const again = row('r1', 'lot_2', '200');
    const { results } = await at.end(at.placeAll([GOOD, again], { onInvalid: 'report' }));
    expect(results[0]).toMatchObject({ rowId: 'r1', status: 'accepted' });
    expect(results[1]).toMatchObject({ issues: [{ path: 'rowId', message: 'is that of row 1 too' }] });
    const lines = desk();
    const given = [
      { ...GOOD, line: 2 },
      { ...again, line: 3 },
    ];
    const { results: named } = await lines.end(lines.placeAll(given, { onInvalid: 'report' }));
    expect(named[1]).toMatchObject({ line: 3, issues: [{ message: 'is that of line 2 too' }] });
  });

  it('is wrong in a stream, too', async () => {
    const at = desk();
    const { results } = await at.end(at.placeAll([GOOD, row('r1', 'lot_2', '200')].values()));
    expect(results.map(({ status }) => status)).toEqual(['accepted', 'invalid']);
  });

  it('is wrong although the first row with it was wrong', async () => {
    const at = desk();
    const { results } = await at.end(at.placeAll([row('r1', 'lot_1', 'x'), GOOD], { onInvalid: 'report' }));
    expect(results.map(({ status }) => status)).toEqual(['invalid', 'invalid']);
    expect(at.sent).toEqual([]);
  });
});
