import { describe, expect, it } from 'vitest';
import type { BidRow, RowResult, UnreadableRow } from '../../../src/bids/bulk/types.js';
import { desk, row, statuses } from './desk.js';

type Row = BidRow<'platform'>;

const GOOD = row('r1', 'lot_1', '100');
const REPORT = { onInvalid: 'report' } as const;

/** A record one field of which throws when it is read. */
function broken(field: string, good: object = row('r2', 'lot_2', '200')): object {
  const get = () => {
    throw new Error('the record is gone');
  };
  return Object.defineProperty({ ...good }, field, { get, enumerable: true });
}

/** Whatever a program without types may pass. */
const odd = (fields: object): Row => ({ ...row('r2', 'lot_2', '200'), ...fields });

function pathsOf(result: RowResult<unknown> | undefined): string[] {
  return result?.status === 'invalid' ? result.issues.map(({ path }) => path) : [];
}

async function placedAfter(given: Row, before: readonly Row[] = [GOOD]) {
  const at = desk();
  const { results } = await at.end(at.placeAll([...before, given], REPORT));
  return { at, result: results.at(-1) };
}

describe('wrong rows of a source that is read first', () => {
  it('are all reported, and nothing is sent', async () => {
    const at = desk();
    const given = [GOOD, row('r2', 'lot_2', '4,65,000'), row('r3', '', '1')];
    const { results, summary } = await at.end(at.placeAll(given));
    expect(statuses(results)).toEqual({ r1: 'not_sent', r2: 'invalid', r3: 'invalid' });
    expect(results[1]).toMatchObject({ position: 2, issues: [{ path: 'amount' }], codes: [] });
    expect(results[0]).toMatchObject({ outcome: { reason: 'aborted', attempts: 0 } });
    expect(summary).toMatchObject({ isComplete: false, rows: 3, stopped: { reason: 'invalid_rows' } });
    expect([at.sent, at.timeAsked]).toEqual([[], 0]);
  });

  it('of a set or of a source that says it is finite keep everything from being sent, too', async () => {
    const given = [GOOD, row('r2', 'lot_2', 'x')];
    const file = {
      isFinite: true,
      [Symbol.asyncIterator]: () => given.values() as unknown as AsyncIterator<Row>,
    };
    for (const source of [new Set(given), file]) {
      const at = desk();
      const { summary } = await at.end(at.placeAll<Row>(source));
      expect([summary.stopped?.reason, at.sent]).toEqual(['invalid_rows', []]);
    }
  });
});

describe('a row is wrong', () => {
  const lot = { id: 'lot_2', starting_price: '100' };

  it.each<[path: string, fields: object]>([
    ['rowId', { rowId: undefined }],
    ['rowId', { rowId: '' }],
    ['rowId', { rowId: 'r2 ' }],
    ['rowId', { rowId: 'r²' }],
    ['rowId', { rowId: 'r'.repeat(121) }],
    ['rowId', { rowId: '4.65E+11' }],
    ['lot', { lot: undefined }],
    ['lot', { lot: 'a/b' }],
    ['amount', { amount: 200 }],
    ['amount', { lot, event: { bid_increment: '30' } }],
    ['bidderReference', { bidderReference: undefined }],
    ['placeBy', { placeBy: 1_800_000_000 }],
    ['placeBy', { placeBy: '2026-11-21T18:30:00' }],
    ['closesAt', { closesAt: 'soon' }],
  ])('in its %s: %j, and the others are placed', async (path, fields) => {
    const given = odd(fields);
    const { at, result } = await placedAfter(given);
    expect(result).toMatchObject({ status: 'invalid', position: 2 });
    expect(result?.row).toBe(given);
    expect([pathsOf(result), at.sent.length]).toEqual([[path], 1]);
  });

  it('where a field of it throws when it is read, and the others are placed', async () => {
    const deep = [odd({ lot: broken('id', lot) }), odd({ event: broken('ends_at', {}) })];
    const fields = ['amount', 'rowId', 'closesAt', 'line'].map((field) => broken(field) as Row);
    for (const given of [...deep, ...fields, odd({ placeBy: new Proxy(new Date(), {}) })]) {
      const { at, result } = await placedAfter(given);
      expect(result?.row).toBe(given);
      expect([pathsOf(result), at.sent.length]).toEqual([['row'], 1]);
    }
  });

  it('with everything that is wrong about it', async () => {
    const { result } = await placedAfter(odd({ rowId: '', amount: 'x', closesAt: 'soon' }));
    expect(pathsOf(result)).toEqual(['rowId', 'closesAt', 'amount']);
  });

  it.each([null, 7, 'r1'])('that is no object: %j', async (given) => {
    const { result } = await placedAfter(given as unknown as Row);
    expect(pathsOf(result)).toEqual(['row']);
  });

  it('that its source could not read, which may name it and its line', async () => {
    const at = desk();
    const issues = [{ path: 'amount', message: 'has a currency' }];
    const unreadable: UnreadableRow = { issues, rowId: 'r2', line: 3, cells: { amount: '₹1' } };
    const { results } = await at.end(at.placeAll<Row>([{ ...GOOD, line: 2 }, unreadable], REPORT));
    expect(results).toMatchObject([
      { status: 'accepted', line: 2 },
      { status: 'invalid', rowId: 'r2', line: 3, issues, row: unreadable },
    ]);
  });
});

describe('a rowId that is given twice is wrong the second time', () => {
  it.each<[how: string, rows: Iterable<Row>, statuses: string[]]>([
    ['in an array', [GOOD, row('r1', 'lot_2', '200')], ['accepted', 'invalid']],
    ['in a stream', [GOOD, row('r1', 'lot_2', '200')].values(), ['accepted', 'invalid']],
    ['although the first row with it was wrong', [row('r1', 'lot_1', 'x'), GOOD], ['invalid', 'invalid']],
  ])('%s', async (_, given, expected) => {
    const at = desk();
    const { results } = await at.end(at.placeAll(given, REPORT));
    expect(results.map(({ status }) => status)).toEqual(expected);
    expect(pathsOf(results[1])).toEqual(['rowId']);
  });
});
