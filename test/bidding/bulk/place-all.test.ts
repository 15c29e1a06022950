import { describe, expect, it, vi } from 'vitest';
import { bulkKey } from '../../../src/bidding/bulk/key.js';
import type { BulkProgress, BulkWarning } from '../../../src/bidding/bulk/progress.js';
import { readBidsCsv } from '../../../src/bidding/bulk/read-bids-csv.js';
import type { BulkResult } from '../../../src/bidding/bulk/result.js';
import type { BulkRow } from '../../../src/bidding/bulk/row.js';
import { ApiError, IdempotencyConflictError } from '../../../src/errors/api.js';
import { AbortedError, ConnectionError } from '../../../src/errors/connection.js';
import { InDoubtError } from '../../../src/errors/in-doubt.js';
import { JournalError, type JournalFault, LeaseLostError } from '../../../src/errors/journal.js';
import { ConfigurationError, InvalidRequestError } from '../../../src/errors/local.js';
import { settle } from '../../support/virtual-clock.js';
import { desk, outcome, row, unknown } from './desk.js';

function statuses(results: readonly BulkResult<BulkRow>[]): Record<string, string> {
  const ordered = [...results].sort((one, other) => one.position - other.position);
  return Object.fromEntries(ordered.map(({ rowId, status }) => [rowId, status]));
}

const order = (at: ReturnType<typeof desk>) => at.placings.map(({ rowId }) => rowId);

describe('a batch', () => {
  it('places every row once and tells of each as it settles', async () => {
    const at = desk({ answers: { r2: 'rejected' } });
    const rows = [row('r1', 'lot_1', '100'), row('r2', 'lot_2', '200.5'), row('r3', 'lot_3', '300')];
    const { results, summary } = await at.end(at.placeAll(rows));
    expect(statuses(results)).toEqual({ r1: 'accepted', r2: 'rejected', r3: 'accepted' });
    expect(results.map(({ row: one }) => one)).toEqual(rows);
    expect(results[1]).toMatchObject({
      status: 'rejected',
      codes: ['BID_BELOW_MINIMUM'],
      idempotencyKey: bulkKey('cl_1', 'b1', 'r2'),
      outcome: { status: 'rejected' },
      earlier: false,
    });
    expect(summary).toMatchObject({
      batchId: 'b1',
      rows: 3,
      isComplete: true,
      inDoubt: [],
      counts: { accepted: 2, rejected: 1, refused: 0, not_sent: 0, unknown: 0, invalid: 0, error: 0 },
      startedAt: at.start,
      endedAt: at.start + 100,
    });
    expect(summary.stopped).toBeUndefined();
  });

  it('gives each bid its key, its row, one spelling of its amount, and the options of its own call', async () => {
    const at = desk();
    const rows = [row('r1', 'lot_1', '465000', { dealerId: 'D-9', clientBidTime: '2026-03-02T06:00:00Z' })];
    await at.end(at.placeAll(rows, { place: { timeout: 5_000 }, overInDoubt: true }));
    expect(at.placings[0]?.bid).toEqual({
      lot: 'lot_1',
      amount: '465000.00',
      bidderReference: 'buyer-1',
      dealerId: 'D-9',
      clientBidTime: '2026-03-02T06:00:00Z',
      intentId: bulkKey('cl_1', 'b1', 'r1'),
    });
    expect(at.placings[0]?.options).toEqual({
      timeout: 5_000,
      overInDoubt: true,
      row: { batchId: 'b1', rowId: 'r1' },
    });
  });

  it('tells by the status of a result which outcome it has', async () => {
    const at = desk();
    const { results } = await at.end(at.placeAll([row('r1', 'lot_1', '1')]));
    const ids = results.map((result) => (result.status === 'accepted' ? result.outcome.bidId : undefined));
    expect(ids).toEqual([expect.stringMatching(/^bid_/)]);
    // @ts-expect-error A row that is settled somehow may have no bid id.
    expect(results[0]?.outcome?.bidId).toBe(ids[0]);
  });

  it('of no rows is complete', async () => {
    const at = desk();
    const { results, summary } = await at.end(at.placeAll([]));
    expect([results, summary.rows, summary.isComplete]).toEqual([[], 0, true]);
  });

  it('gives results out as they settle, and waits for no reader', async () => {
    const at = desk({ takes: (rowId) => (rowId === 'r1' ? 900 : 100) });
    const run = at.placeAll([row('r1', 'lot_1', '1'), row('r2', 'lot_2', '1')]);
    const walk = run[Symbol.asyncIterator]();
    const first = walk.next();
    await at.clock.advance(150);
    expect((await first).value?.rowId).toBe('r2');
    await at.clock.advance(1_000);
    await run.summary;
    expect((await walk.next()).value?.rowId).toBe('r1');
    expect(await walk.next()).toEqual({ done: true, value: undefined });
    expect(await walk.next()).toEqual({ done: true, value: undefined });
  });

  it('goes on where a reader leaves, and keeps the other results', async () => {
    const at = desk();
    const run = at.placeAll([row('r1', 'lot_1', '1'), row('r2', 'lot_2', '1'), row('r3', 'lot_3', '1')]);
    const reading = (async () => {
      for await (const _ of run) break;
    })();
    const { results, summary } = await at.end(run);
    await reading;
    expect(results).toHaveLength(2);
    expect(summary.counts.accepted).toBe(3);
  });

  it('copies rows, so that a source may use one object for all of them', async () => {
    const at = desk();
    const one = { rowId: '', lot: '', amount: '', bidderReference: 'b' };
    function* rows() {
      for (const number of [1, 2, 3]) {
        yield Object.assign(one, { rowId: `r${number}`, lot: `lot_${number}`, amount: `${number}00` });
      }
    }
    await at.end(at.placeAll(rows()));
    expect(at.placings.map(({ rowId, bid }) => [rowId, bid.lot, bid.amount])).toEqual([
      ['r1', 'lot_1', '100.00'],
      ['r2', 'lot_2', '200.00'],
      ['r3', 'lot_3', '300.00'],
    ]);
  });

  it.each<[what: string, options: object, path: string]>([
    ['no batch id', { batchId: undefined }, 'batchId'],
    ['an empty batch id', { batchId: '' }, 'batchId'],
    ['a batch id with a slash', { batchId: 'a/b' }, 'batchId'],
    ['a batch id that is too long', { batchId: 'x'.repeat(121) }, 'batchId'],
    ['a batch id that is a number', { batchId: 7 }, 'batchId'],
    ['no concurrency', { concurrency: 0 }, 'concurrency'],
    ['half a concurrency', { concurrency: 1.5 }, 'concurrency'],
    ['a word for readAhead', { readAhead: 'some' }, 'readAhead'],
    ['an unknown onInvalid', { onInvalid: 'skip' }, 'onInvalid'],
    ['an unknown ifLate', { ifLate: 'maybe' }, 'ifLate'],
    ['unknown closes', { closes: 'guess' }, 'closes'],
    ['overInDoubt as a text', { overInDoubt: 'yes' }, 'overInDoubt'],
    ['a signal that is none', { signal: {} }, 'signal'],
    ['a key for every row', { place: { idempotencyKey: 'k' } }, 'place'],
    ['onProgress as a text', { onProgress: 'log' }, 'onProgress'],
    ['onWarning as a text', { onWarning: 'log' }, 'onWarning'],
    ['an unknown option', { batch: 'b1' }, 'batch'],
  ])('with %s is refused, and nothing is read', (_, options, path) => {
    const at = desk();
    const rows = vi.fn();
    const source = { [Symbol.iterator]: rows };
    const begin = () => at.placeAll(source, options);
    expect(begin).toThrow(InvalidRequestError);
    expect(begin).toThrow(path);
    expect(rows).not.toHaveBeenCalled();
  });

  it.each([undefined, null, 'bids.csv', { length: 3 }])('of %j instead of rows is refused', (source) => {
    const at = desk();
    const rows: BulkRow[] = JSON.parse(JSON.stringify({ source })).source;
    expect(() => at.placeAll(rows)).toThrow(/rows must be an iterable/);
  });
});

describe('rows that are wrong', () => {
  const good = row('r1', 'lot_1', '100');
  const bad = row('r2', 'lot_2', '4,65,000');

  it('keep a whole batch from beginning: the wrong ones are named, the others are not sent', async () => {
    const at = desk();
    const { results, summary } = await at.end(at.placeAll([good, bad, row('r3', '', '1')]));
    expect(statuses(results)).toEqual({ r1: 'not_sent', r2: 'invalid', r3: 'invalid' });
    expect(at.placings).toEqual([]);
    expect(at.looks).toEqual([]);
    expect(summary).toMatchObject({ isComplete: false, stopped: { by: 'invalid_rows' } });
    const [second] = results.filter(({ rowId }) => rowId === 'r2');
    expect(second).toMatchObject({ issues: [{ path: 'amount' }], position: 2, row: bad });
    const [first] = results.filter(({ rowId }) => rowId === 'r1');
    expect(first).toMatchObject({
      what: expect.stringContaining('A row of the batch is wrong'),
      idempotencyKey: bulkKey('cl_1', 'b1', 'r1'),
    });
  });

  it.each([
    ['all', 'none was begun'],
    [500, 'no further one was begun'],
  ] as const)('stop what is read ahead (%s): %s', async (readAhead, said) => {
    const at = desk();
    const rows = [row('r1', 'lot_1', '1'), row('r2', '', '1')];
    const { summary } = await at.end(at.placeAll(rows, { readAhead, onInvalid: 'stop' }));
    expect(summary.stopped).toMatchObject({
      by: 'invalid_rows',
      what: `A row of the batch is wrong, so ${said}.`,
    });
  });

  it('are reported beside the others where that was asked for', async () => {
    const at = desk();
    const { results, summary } = await at.end(at.placeAll([good, bad], { onInvalid: 'report' }));
    expect(statuses(results)).toEqual({ r1: 'accepted', r2: 'invalid' });
    expect([summary.isComplete, summary.stopped]).toEqual([false, undefined]);
  });

  it.each<[what: string, rowId: unknown]>([
    ['none', undefined],
    ['an empty one', ''],
    ['a number', 7],
    ['one with a space at its end', 'r1 '],
    ['one with a line break', 'r\n1'],
    ['one outside ASCII', 'é'],
    ['one that is too long', 'x'.repeat(121)],
    ['one that a spreadsheet has shortened', '4.65E+15'],
  ])('have a row id that can name nothing: %s', async (_, rowId) => {
    const at = desk();
    const rows: BulkRow[] = [Object.assign({ ...good }, { rowId })];
    const { results } = await at.end(at.placeAll(rows));
    expect(results[0]).toMatchObject({ status: 'invalid', issues: [{ path: 'rowId' }] });
  });

  it('are told by the columns of their file', async () => {
    const at = desk();
    const text =
      'row_id,lot_id,amount,bidder_reference,closes_at\nr1,lot_1,100,b,soon\nr2,lot_2,200,b,\nr2,lot_3,300,b,';
    const { results } = await at.end(at.placeAll(readBidsCsv([text]), { onInvalid: 'report' }));
    const wrong = results.filter(({ status }) => status === 'invalid');
    expect(wrong.map(({ line, issues }) => [line, issues?.map(({ path }) => path)])).toEqual([
      [2, ['closes_at']],
      [4, ['row_id']],
    ]);
    expect(wrong[1]?.what).toBe('row_id is that of line 3 too.');
  });

  it('take a row id again', async () => {
    const at = desk();
    const rows = [good, row('r1', 'lot_9', '999'), row('r1', 'lot_8', '888')];
    const { results } = await at.end(at.placeAll(rows, { onInvalid: 'report' }));
    expect(results.map(({ status }) => status).sort()).toEqual(['accepted', 'invalid', 'invalid']);
    expect(results.find(({ position }) => position === 3)?.what).toContain('is that of row 1 too');
    expect(at.placings).toHaveLength(1);
  });

  it('bid what another row bids', async () => {
    const at = desk();
    const rows = [good, row('r2', 'lot_1', '100.00'), row('r3', 'lot_1', '100', { dealerId: 'D-1' })];
    const { results } = await at.end(at.placeAll(rows, { onInvalid: 'report' }));
    expect(statuses(results)).toEqual({ r1: 'accepted', r2: 'invalid', r3: 'invalid' });
    const others = [
      good,
      row('r2', 'lot_1', '100', { bidderReference: 'b2' }),
      row('r3', 'lot_1', '100', { dealerId: 'D-2' }),
    ];
    const again = desk();
    expect(statuses((await again.end(again.placeAll(others))).results)).toEqual({
      r1: 'accepted',
      r2: 'accepted',
      r3: 'accepted',
    });
  });

  it.each([null, 'r1', 7])('are no rows at all: %j', async (thing) => {
    const at = desk();
    const rows: BulkRow[] = JSON.parse(JSON.stringify([thing]));
    const { results } = await at.end(at.placeAll(rows));
    expect(results[0]).toMatchObject({ status: 'invalid', row: thing, what: 'row must be an object.' });
  });

  it('may come as such from the source, with their line', async () => {
    const at = desk();
    const unreadable = { issues: [{ path: 'amount', message: 'is smudged' }], line: 7, rowId: 'r9' };
    const { results } = await at.end(at.placeAll([good, unreadable]));
    expect(results[0]).toMatchObject({
      status: 'invalid',
      line: 7,
      rowId: 'r9',
      what: 'amount is smudged.',
      row: unreadable,
    });
  });

  it('name a moment that is none', async () => {
    const at = desk();
    const { results } = await at.end(at.placeAll([row('r1', 'lot_1', '1', { closesAt: 'tomorrow' })]));
    expect(results[0]).toMatchObject({ issues: [{ path: 'closesAt' }] });
  });
});

describe('the order', () => {
  it('is by close: of the row, of the lot, of the event, as looked up; the unknown last as they came', async () => {
    const at = desk({ closes: { lot_up: 4_000 } });
    const inMs = (ms: number) => new Date(at.start + ms).toISOString();
    const event = { bid_increment: '0', ends_at: inMs(3_000) };
    const rows: BulkRow[] = [
      row('none-1', 'lot_x', '1'),
      row('looked-up', 'lot_up', '1'),
      row('by-event', 'lot_e', '1', { event }),
      row('none-2', 'lot_y', '1'),
      row('by-lot', '', '1', { lot: { id: 'lot_l', starting_price: '1', ends_at: inMs(2_000) }, event }),
      row('by-row', 'lot_r', '1', { closesAt: at.start + 1_000 }),
      row('by-status', '', '1', { lot: { lot_id: 'lot_s', effective_close_at: inMs(2_500) } }),
      row('place-by', 'lot_z', '1', { placeBy: new Date(at.start + 500) }),
    ];
    await at.end(at.placeAll(rows, { concurrency: 1 }));
    expect(order(at)).toEqual([
      'place-by',
      'by-row',
      'by-lot',
      'by-status',
      'by-event',
      'looked-up',
      'none-1',
      'none-2',
    ]);
    expect(at.looks).toEqual([['lot_x', 'lot_up', 'lot_y', 'lot_z']]);
    // Each may be sent until its lot closes; where nothing is known, place has its own limit.
    const placeBy = Object.fromEntries(at.placings.map(({ rowId, bid }) => [rowId, bid.placeBy]));
    expect(placeBy).toMatchObject({
      'by-row': at.start + 1_000,
      'looked-up': at.start + 4_000,
      'none-1': undefined,
    });
    expect(placeBy['place-by']).toBe(at.start + 500);
  });

  it('is looked up a hundred lots at a time, and fewer where the service refuses so many', async () => {
    const rows = Array.from({ length: 230 }, (_, index) => row(`r${index}`, `lot_${index}`, '1'));
    const at = desk();
    await at.end(at.placeAll(rows));
    expect(at.looks.map((lots) => lots.length)).toEqual([100, 100, 30]);

    const sizes: number[] = [];
    const strict = desk({
      parts: {
        statusBatch: async ({ lot_ids }) => {
          sizes.push(lot_ids.length);
          if (lot_ids.length <= 50) return [];
          throw new ApiError({
            status: 422,
            codes: [],
            outcome: 'refused',
            what: 'Too many.',
            nextStep: 'Less.',
          });
        },
      },
    });
    const { summary } = await strict.end(strict.placeAll(rows));
    expect(sizes).toEqual([100, 50, 50, 100, 50, 50, 30]);
    expect(summary.warnings).toEqual([]);
  });

  it('does without closes that nobody can look up, and says so', async () => {
    const failure = new ConnectionError({ outcome: 'unknown', what: 'No line.', nextStep: 'Wait.' });
    const at = desk({ parts: { statusBatch: () => Promise.reject(failure) } });
    const warned: BulkWarning[] = [];
    const rows = [
      row('r1', 'lot_1', '1'),
      row('r2', 'lot_2', '1'),
      row('r3', 'lot_3', '1', { closesAt: at.start + 5_000 }),
    ];
    const { summary } = await at.end(
      at.placeAll(rows, { concurrency: 1, onWarning: (one) => warned.push(one) }),
    );
    expect(order(at)).toEqual(['r3', 'r1', 'r2']);
    expect(summary.counts.accepted).toBe(3);
    expect(warned).toEqual([expect.objectContaining({ type: 'closes_unknown', lots: 2, error: failure })]);
    expect(at.logged).toEqual([
      expect.stringContaining('not known when 2 lots close, so their rows go last'),
    ]);
    const one = desk({ parts: { statusBatch: () => Promise.reject(failure) } });
    await one.end(one.placeAll(rows.slice(0, 1)));
    expect(one.logged).toEqual([
      expect.stringContaining('not known when 1 lot closes, so its rows go last: No line.'),
    ]);
  });

  it('takes closes from a function, or from nowhere', async () => {
    const at = desk();
    const closes = vi.fn(async () => new Map([['lot_2', at.start + 9_000]]));
    const rows = [row('r1', 'lot_1', '1'), row('r2', 'lot_2', '1')];
    await at.end(at.placeAll(rows, { concurrency: 1, closes }));
    expect(order(at)).toEqual(['r2', 'r1']);
    expect(closes).toHaveBeenCalledExactlyOnceWith(['lot_1', 'lot_2'], { signal: expect.any(AbortSignal) });
    const other = desk();
    await other.end(other.placeAll(rows, { concurrency: 1, closes: 'as_given' }));
    expect([order(other), at.looks, other.looks]).toEqual([['r1', 'r2'], [], []]);
  });

  it('keeps at most so many rows under way', async () => {
    const at = desk();
    const rows = Array.from({ length: 40 }, (_, index) => row(`r${index}`, `lot_${index}`, '1'));
    await at.end(at.placeAll(rows));
    expect(at.mostUnderWay).toBe(16);
    const few = desk();
    await few.end(few.placeAll(rows, { concurrency: 3 }));
    expect(few.mostUnderWay).toBe(3);
  });
});

describe('bids on one lot', () => {
  const rising = [
    row('r3', 'lot_1', '300', { bidderReference: 'b1' }),
    row('r1', 'lot_1', '100', { bidderReference: 'b2' }),
    row('r2', 'lot_1', '200', { bidderReference: 'b1' }),
  ];
  const event = (bid_type: string) => ({ event: { bid_increment: '0', bid_type } });

  it('follow one another by ascending amount, whoever bids', async () => {
    const at = desk();
    await at.end(at.placeAll(rising));
    expect(at.placings.map(({ rowId, begunAt, endedAt }) => [rowId, begunAt, endedAt])).toEqual([
      ['r1', 0, 100],
      ['r2', 100, 200],
      ['r3', 200, 300],
    ]);
  });

  it('follow one another in a closed auction for one buyer only', async () => {
    const at = desk();
    await at.end(at.placeAll(rising.map((one) => ({ ...one, ...event('closed') }))));
    expect(at.placings.map(({ rowId, begunAt }) => [rowId, begunAt])).toEqual([
      ['r1', 0],
      ['r2', 0],
      ['r3', 100],
    ]);
  });

  it('are taken for an open auction as soon as one row says so', async () => {
    const at = desk();
    const [first, ...others] = rising;
    if (first === undefined) throw new Error('no rows');
    const mixed = [{ ...first, ...event('open') }, ...others.map((one) => ({ ...one, ...event('closed') }))];
    await at.end(at.placeAll(mixed));
    expect(at.mostUnderWay).toBe(1);
  });

  it.each(['rejected', 'refused', 'not_sent'] as const)('go on after one that is %s', async (status) => {
    const at = desk({ answers: { r1: status } });
    const { results } = await at.end(at.placeAll(rising));
    expect(statuses(results)).toEqual({ r3: 'accepted', r1: status, r2: 'accepted' });
  });

  it('stop behind one that is unknown, and each names the key in doubt', async () => {
    const at = desk({ answers: { r2: 'unknown' } });
    const other = row('r9', 'lot_9', '1');
    const { results, summary } = await at.end(at.placeAll([...rising, other]));
    expect(statuses(results)).toEqual({ r3: 'not_sent', r1: 'accepted', r2: 'unknown', r9: 'accepted' });
    const key = bulkKey('cl_1', 'b1', 'r2');
    expect(results.find(({ rowId }) => rowId === 'r3')).toMatchObject({
      what: expect.stringContaining(`row r2 on the same lot is in doubt (key ${key})`),
      idempotencyKey: bulkKey('cl_1', 'b1', 'r3'),
      outcome: { status: 'not_sent', attempts: 0 },
    });
    expect([summary.inDoubt, summary.isComplete]).toEqual([[key], false]);
  });

  it('go on behind one that was abandoned, which leaves nothing to do', async () => {
    const key = bulkKey('cl_1', 'b1', 'r2');
    const given = unknown(key, { abandoned: { reason: 'by hand' } });
    const at = desk({ answers: { r2: () => given } });
    const { results, summary } = await at.end(at.placeAll(rising));
    expect(statuses(results)).toEqual({ r3: 'accepted', r1: 'accepted', r2: 'unknown' });
    expect(summary).toMatchObject({ isComplete: true, inDoubt: [], abandoned: [key] });
  });

  it('of other buyers go on behind an unknown one where the auction is closed', async () => {
    const at = desk({ answers: { r2: 'unknown' } });
    const closed = rising.map((one) => ({ ...one, ...event('closed') }));
    const { results } = await at.end(at.placeAll(closed));
    expect(statuses(results)).toEqual({ r3: 'not_sent', r1: 'accepted', r2: 'unknown' });
  });

  it('go on over an unknown one where that was asked for', async () => {
    const at = desk({ answers: { r2: 'unknown' } });
    const { results } = await at.end(at.placeAll(rising, { overInDoubt: true }));
    expect(statuses(results)).toEqual({ r3: 'accepted', r1: 'accepted', r2: 'unknown' });
  });
});

describe('what placing a row throws', () => {
  const rows = [row('r1', 'lot_1', '100'), row('r2', 'lot_1', '200'), row('r3', 'lot_3', '1')];
  const thrown = (error: unknown) => ({ answers: { r1: () => Promise.reject(error) } });
  const facts = { outcome: 'not_sent', what: 'Known otherwise.', nextStep: 'Take another key.' } as const;

  it.each([
    [
      'another bid under its key',
      new IdempotencyConflictError({ ...facts, status: 409, codes: ['IDEMPOTENCY_CONFLICT'] }),
    ],
    ['an earlier bid in doubt', new InDoubtError([], facts)],
    ['a lease that was lost', new LeaseLostError('k')],
    ['a mistake', new InvalidRequestError([{ path: 'amount', message: 'is off the grid' }])],
  ])('%s, is its result, and the others go on', async (_, error) => {
    const at = desk(thrown(error));
    const { results, summary } = await at.end(at.placeAll(rows));
    expect(statuses(results)).toEqual({ r1: 'error', r2: 'accepted', r3: 'accepted' });
    expect(results.find(({ rowId }) => rowId === 'r1')).toMatchObject({
      error,
      what: error.message.replace(` ${error.nextStep}`, ''), // which stands beside it
      nextStep: error.nextStep,
      idempotencyKey: bulkKey('cl_1', 'b1', 'r1'),
    });
    expect([summary.inDoubt, summary.isComplete, summary.stopped]).toEqual([[], false, undefined]);
  });

  it.each([
    ['an effect that is unknown', new ConnectionError({ ...facts, outcome: 'unknown' })],
    ['something that nobody expects', new TypeError('x is not a function')],
    ['something that is no error', 'oops'],
  ])('%s, is in doubt: nothing overtakes it', async (_, error) => {
    const at = desk(thrown(error));
    const { results, summary } = await at.end(at.placeAll(rows));
    expect(statuses(results)).toEqual({ r1: 'error', r2: 'not_sent', r3: 'accepted' });
    expect(summary.inDoubt).toEqual([bulkKey('cl_1', 'b1', 'r1')]);
  });

  it.each<JournalFault>([
    'full',
    'sync_failed',
    'damaged',
    'closed',
    'owned',
    'foreign_write',
    'unavailable',
  ])('a journal that is %s ends the batch', async (fault) => {
    const error = new JournalError({ ...facts, fault });
    const at = desk({ ...thrown(error), takes: (rowId) => (rowId === 'r1' ? 100 : 300) });
    const more = [...rows, row('r4', 'lot_4', '1')];
    const { results, summary } = await at.end(at.placeAll(more, { concurrency: 2 }));
    expect(statuses(results)).toEqual({ r1: 'error', r2: 'not_sent', r3: 'accepted', r4: 'not_sent' });
    expect(summary.stopped).toMatchObject({ by: 'journal', error });
    expect(results.find(({ rowId }) => rowId === 'r4')?.what).toContain('journal');
    expect(at.logged).toEqual([summary.stopped?.what]);
  });

  it.each<[what: string, httpStatus: number, codes: readonly string[]]>([
    ['credentials that are refused', 401, ['KEY_REVOKED']],
    ['credentials that are refused without a code', 401, []],
    ['an address that is not allowed', 403, ['IP_NOT_ALLOWED']],
    ['a partner that is not active', 403, ['BUYER_NOT_ELIGIBLE', 'PARTNER_NOT_ACTIVE']],
    ['a bank without a subscription', 402, ['BANK_UNAVAILABLE']],
  ])('%s: the batch ends, and what waits is not sent', async (_, httpStatus, codes) => {
    const at = desk({ answers: { r1: () => ({ ...outcome('refused', 'k'), httpStatus, codes }) } });
    const { results, summary } = await at.end(at.placeAll(rows, { concurrency: 1 }));
    expect(statuses(results)).toEqual({ r1: 'refused', r2: 'not_sent', r3: 'not_sent' });
    expect(summary.stopped).toMatchObject({
      by: 'refused',
      what: expect.stringContaining(codes.at(-1) ?? 'status 401'),
    });
    expect(results.at(-1)).toMatchObject({
      what: summary.stopped?.what,
      nextStep: expect.stringContaining('same batch again'),
    });
    expect(at.logged).toEqual([summary.stopped?.what]);
  });

  it.each<[httpStatus: number, codes: readonly string[]]>([
    [403, ['AUCTION_ACCESS_DENIED']],
    [403, ['EMD_EXPIRED']],
    [404, []],
    [403, ['A_NEW_CODE']],
  ])('a refusal that concerns one bid lets the others go on: %i %j', async (httpStatus, codes) => {
    const at = desk({ answers: { r1: () => ({ ...outcome('refused', 'k'), httpStatus, codes }) } });
    const { results, summary } = await at.end(at.placeAll(rows, { concurrency: 1 }));
    expect(statuses(results)).toEqual({ r1: 'refused', r2: 'accepted', r3: 'accepted' });
    expect(summary.stopped).toBeUndefined();
  });

  it('a client that is closed ends the batch', async () => {
    const error = new AbortedError({ ...facts, what: 'The client is closed.' });
    const at = desk(thrown(error));
    const { results, summary } = await at.end(at.placeAll(rows, { concurrency: 1 }));
    expect(statuses(results)).toEqual({ r1: 'error', r2: 'not_sent', r3: 'not_sent' });
    expect(summary.stopped).toMatchObject({ by: 'closed', error });
  });

  it('credentials that cannot be had end the batch, loudly', async () => {
    const error = new ConfigurationError('credentials', 'could not be fetched');
    const at = desk(thrown(error));
    const run = at.placeAll(rows, { concurrency: 1 });
    const reading = expect(run.toArray()).rejects.toBe(error);
    await at.clock.advance(1_000);
    expect((await run.summary).stopped).toMatchObject({ by: 'failure', error });
    await reading;
    expect(at.placings).toHaveLength(1);
    expect(at.logged).toEqual([`The batch could not go on: ${error.message}`]);
  });

  it('a check that fails by itself ends the batch, and settles every row that was read', async () => {
    const error = new Error('no randomness');
    let checks = 0;
    const check = () => {
      checks += 1;
      if (checks > 2) throw error;
      return [];
    };
    const at = desk({ parts: { check } });
    const run = at.placeAll(rows);
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const { rowId, status } of run) seen.push(`${rowId} ${status}`);
    })();
    await expect(reading).rejects.toBe(error);
    expect(seen).toEqual(['r1 not_sent', 'r2 not_sent']);
    expect(await run.summary).toMatchObject({ rows: 2, stopped: { by: 'failure', error } });
  });

  it('a client id that cannot be had keeps the batch from beginning', async () => {
    const error = new ConfigurationError('credentials', 'could not be fetched');
    const at = desk({ parts: { clientId: () => Promise.reject(error) } });
    const run = at.placeAll(rows);
    await expect(run.toArray()).rejects.toBe(error);
    expect(await run.summary).toMatchObject({
      rows: 0,
      isComplete: false,
      stopped: { by: 'failure', error },
    });
    expect(await run.plan).toMatchObject({ rows: 0, toPlace: 0 });
  });
});

describe('a batch that is stopped', () => {
  const rows = Array.from({ length: 6 }, (_, index) => row(`r${index + 1}`, `lot_${index + 1}`, '1'));

  it.each(['its signal', 'stop()'])(
    'by %s settles what is under way and lists the rest with their keys',
    async (how) => {
      const at = desk();
      const stop = new AbortController();
      const run = at.placeAll(rows, { concurrency: 2, signal: stop.signal });
      await at.clock.advance(150);
      if (how === 'stop()') run.stop();
      else stop.abort();
      const { results, summary } = await at.end(run);
      expect(statuses(results)).toEqual({
        r1: 'accepted',
        r2: 'accepted',
        r3: 'accepted',
        r4: 'accepted',
        r5: 'not_sent',
        r6: 'not_sent',
      });
      expect(at.placings.every(({ options }) => options.signal === undefined)).toBe(true);
      expect(results.at(-1)?.idempotencyKey).toBe(bulkKey('cl_1', 'b1', results.at(-1)?.rowId ?? ''));
      expect(summary).toMatchObject({ isComplete: false, stopped: { by: 'signal' } });
      expect(at.logged).toEqual([]);
    },
  );

  it('before it began reads nothing', async () => {
    const at = desk();
    const { results, summary } = await at.end(at.placeAll(rows, { signal: AbortSignal.abort() }));
    expect([results, summary.rows, summary.isComplete]).toEqual([[], 0, false]);
    expect(at.placings).toEqual([]);
  });

  it('while closes are looked up begins nothing', async () => {
    const at = desk({
      parts: {
        statusBatch: (_, { signal }) =>
          new Promise((_resolve, reject) => signal?.addEventListener('abort', reject)),
      },
    });
    const run = at.placeAll(rows);
    await at.clock.advance(10);
    run.stop();
    const { results, summary } = await at.end(run);
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['not_sent']));
    expect([results.length, summary.warnings, at.placings]).toEqual([6, [], []]);
  });
});

describe('progress', () => {
  it('tells where the batch stands whenever a row settles', async () => {
    const at = desk({ answers: { r2: 'unknown' } });
    const told: BulkProgress<BulkRow>[] = [];
    const rows = [row('r1', 'lot_1', '1'), row('r2', 'lot_1', '2'), row('r3', 'lot_1', '3')];
    await at.end(at.placeAll(rows, { onProgress: (one) => told.push(one) }));
    expect(
      told.map(({ phase, settled, inFlight, waiting, latest }) => [
        phase,
        settled,
        inFlight,
        waiting,
        latest?.rowId,
      ]),
    ).toEqual([
      ['bidding', 0, 0, 3, undefined],
      ['bidding', 1, 0, 2, 'r1'],
      ['bidding', 2, 0, 1, 'r2'],
      ['bidding', 3, 0, 0, 'r3'],
      ['done', 3, 0, 0, 'r3'],
    ]);
    expect(told[1]).toMatchObject({ read: 3, isReadToEnd: true, perMinute: 1, expectedEndAt: at.start });
    expect(told.at(-1)).toMatchObject({
      counts: { accepted: 1, unknown: 1, not_sent: 1 },
      perMinute: 2,
    });
    expect(told.at(-1)?.expectedEndAt).toBeUndefined();
    // Each is a snapshot.
    expect(told[0]?.counts.accepted).toBe(0);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no screen');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('no screen');
      },
    ],
  ])('is told to somebody who %s without harm', async (_, onProgress) => {
    const at = desk();
    const { summary } = await at.end(
      at.placeAll([row('r1', 'lot_1', '1')], { onProgress, onWarning: onProgress }),
    );
    expect(summary.isComplete).toBe(true);
    expect(at.logged).toContain('onProgress of a batch threw');
  });

  it('has a plan before the first bid', async () => {
    const at = desk({ closes: { lot_1: 60_000, lot_2: 60_000 } });
    const rows = [
      row('r1', 'lot_1', '1'),
      row('r2', 'lot_1', '2'),
      row('r3', 'lot_2', '1'),
      row('r4', 'lot_3', '1'),
      row('r5', 'lot_4', 'x'),
    ];
    const run = at.placeAll(rows, { onInvalid: 'report' });
    await settle();
    expect(await run.plan).toEqual({
      rows: 5,
      toPlace: 4,
      invalid: 1,
      settledEarlier: 0,
      lots: 3,
      lotsWithoutClose: 1,
      requests: 4,
      lastLeavesAt: at.start,
      late: 0,
      lateCloses: [],
    });
    await at.end(run);
  });
});
