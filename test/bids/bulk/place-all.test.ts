import { describe, expect, it, vi } from 'vitest';
import { rowKey } from '../../../src/bids/bulk/rows.js';
import type { BatchProgress, BidRow } from '../../../src/bids/bulk/types.js';
import { IdempotencyConflictError } from '../../../src/errors/api.js';
import { loadDeriveKey } from '../../../src/intents/derived-key.js';
import { failingWays, loggedOf, warnings } from '../../support/failing-callbacks.js';
import { desk, row, rows, statuses } from './desk.js';

type Row = BidRow<'platform'>;

describe('a batch', () => {
  it('of no rows is complete, and makes no request', async () => {
    const at = desk();
    const { results, summary } = await at.end(at.placeAll([]));
    expect([results, summary.rows, summary.isComplete, at.timeAsked]).toEqual([[], 0, true, 0]);
  });

  it('records no more rows at once than its concurrency, one hundred when left out', async () => {
    const few = desk();
    await few.end(few.placeAll(rows(20), { concurrency: 3 }));
    expect(few.service.mostInFlight).toBe(3);
    const many = desk();
    await many.end(many.placeAll(rows(130)));
    expect(many.service.mostInFlight).toBe(100);
  });

  it('lets other work go on while a long source is read', async () => {
    const at = desk();
    let read = 0;
    let readMeanwhile: number | undefined;
    const given = rows(1_000).map((one) => ({ ...one, amount: '0' }));
    const run = at.placeAll(given, {
      onProgress: (progress) => {
        read = progress.read;
      },
    });
    setImmediate(() => {
      readMeanwhile = read;
    });
    await at.end(run);
    expect(readMeanwhile).toBeLessThan(500);
  });

  it('gives each result out once, as soon as its row settles', async () => {
    const at = desk({ takes: ({ lot }) => (lot === 'lot_1' ? 900 : 100) });
    const run = at.placeAll(rows(2));
    const walk = run[Symbol.asyncIterator]();
    const other = run[Symbol.asyncIterator]();
    const [first, second] = [walk.next(), other.next()];
    await at.clock.advance(500);
    expect((await first).value).toMatchObject({ rowId: 'r2' });
    await at.clock.advance(1_000);
    expect((await second).value).toMatchObject({ rowId: 'r1' });
    expect([await walk.next(), await other.next()]).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
  });

  it('goes on where a reader leaves its loop, and keeps the other results', async () => {
    const at = desk();
    const run = at.placeAll(rows(3));
    const reading = (async () => {
      for await (const _ of run) break;
    })();
    const { results, summary } = await at.end(run);
    await reading;
    expect([results.length, summary.counts.accepted]).toEqual([2, 3]);
  });

  it('lets a row wait for the quota longer than a single call may take', async () => {
    const at = desk({ client: { quota: { limit: 1, window: 55_000, margin: 0, scope: 'client' } } });
    const { summary } = await at.end(at.placeAll(rows(2)));
    // A01 takes the first place of the quota; a single call ends after 90 seconds. Without a margin, the window begins
    // when the reply to the first bid arrives, 100 ms after it left.
    expect([summary.counts.accepted, at.sent.map(({ at: ms }) => ms)]).toEqual([2, [55_000, 110_100]]);
  });

  it.each<[path: string, options: object]>([
    ['batchId', { batchId: undefined }],
    ['batchId', { batchId: '' }],
    ['batchId', { batchId: 'a/b' }],
    ['batchId', { batchId: 'x'.repeat(121) }],
    ['concurrency', { concurrency: 0 }],
    ['concurrency', { concurrency: 1.5 }],
    ['onInvalid', { onInvalid: 'skip' }],
    ['allowUnresolved', { allowUnresolved: 'no' }],
    ['confirm', { confirm: 'no' }],
    ['signal', { signal: {} }],
    ['place', { place: 'fast' }],
    ['place.idempotencyKey', { place: { idempotencyKey: 'k' } }],
    ['place.signal', { place: { signal: AbortSignal.abort() } }],
    ['place.timeout', { place: { timeout: 0 } }],
    ['place.lane', { place: { lane: 'fast' } }],
    ['onProgress', { onProgress: 'log' }],
    ['batch', { batch: 'b1' }],
  ])('with a wrong option %s (%j) is refused, and nothing is read', (path, options) => {
    const at = desk();
    const read = vi.fn();
    const source = { [Symbol.iterator]: read };
    expect(() => at.placeAll(source, options)).toThrow(refusalOf(path));
    expect(read).not.toHaveBeenCalled();
  });

  it('of a path, bytes or one row in place of rows is refused', () => {
    const at = desk();
    const sources = ['bids.csv', new URL('file:///b'), Buffer.from('r'), row('r1', 'lot_1', '1'), undefined];
    for (const source of sources) {
      expect(() => Reflect.apply(at.placeAll, undefined, [source])).toThrow(refusalOf('rows'));
    }
  });
});

const deriveKey = await loadDeriveKey();

describe('the idempotency key of a row', () => {
  it('is the same for the same account, batch and row, in any process, and never changes between releases', () => {
    expect(rowKey(deriveKey, 'sandbox', 'b1', 'r1')).toBe('020f9225-26a9-5d90-bfef-b05563dbfd47');
  });

  it('differs by account, batch and row', () => {
    const others = [
      ['production', 'b1', 'r1'],
      ['sandbox/bank-2', 'b1', 'r1'],
      ['sandbox', 'b2', 'r1'],
      ['sandbox', 'b1', 'r2'],
      ['sandbox', 'b1r', '1'],
    ] as const;
    expect(new Set(others.map(([account, batch, id]) => rowKey(deriveKey, account, batch, id))).size).toBe(
      others.length,
    );
  });
});

describe('the same batch again', () => {
  it('sends rows that are new or were refused, whichever client places it and in whatever order', async () => {
    const no = { status: 422, json: { message: 'Invalid.', errors: { amount: ['No.'] } } };
    let isOpen = false;
    const at = desk({ answer: ({ lot }) => (lot === 'lot_2' && !isOpen ? no : undefined) });
    const first = await at.end(at.placeAll(rows(2)));
    expect(statuses(first.results)).toEqual({ r1: 'accepted', r2: 'refused' });
    isOpen = true;
    const again = await at.end(at.placeAll(rows(3).reverse(), {}, at.newClient()));
    expect(again.summary).toMatchObject({ isComplete: true, counts: { accepted: 3 } });
    expect(at.sent.map(({ lot }) => lot).sort()).toEqual(['lot_1', 'lot_2', 'lot_2', 'lot_3']);
  });

  it('takes two spellings of an amount for the same bid', async () => {
    const at = desk();
    await at.end(at.placeAll([row('r1', 'lot_1', '465000')]));
    const { summary } = await at.end(at.placeAll([row('r1', 'lot_1', '465000.00')]));
    expect([summary.counts.accepted, at.sent.length]).toEqual([1, 1]);
  });

  it.each<[what: string, changed: Row]>([
    ['amount', row('r1', 'lot_1', '200')],
    ['lot', row('r1', 'lot_2', '100')],
    ['buyer', row('r1', 'lot_1', '100', { bidderReference: 'buyer-2' })],
  ])('reports a row whose %s was changed as an error and sends nothing of it', async (_, changed) => {
    const at = desk();
    await at.end(at.placeAll([row('r1', 'lot_1', '100')]));
    const { results, summary } = await at.end(at.placeAll([changed, row('r9', 'lot_9', '1')]));
    expect(statuses(results)).toEqual({ r1: 'error', r9: 'accepted' });
    const [error] = results.flatMap((result) => (result.status === 'error' ? [result.error] : []));
    expect(error).toBeInstanceOf(IdempotencyConflictError);
    expect([summary.inDoubt, summary.stopped, at.sent.length]).toEqual([[], undefined, 2]);
  });
});

describe('a row is bid as it was when it was read', () => {
  it('where the source reuses one object for all of them, with its lot and event', async () => {
    const at = desk();
    const lot = { id: '', starting_price: '100' };
    const event = { bid_increment: '10', bid_type: 'open' };
    const one = { rowId: '', lot, event, amount: '', bidderReference: 'buyer-1' };
    const source = {
      isFinite: true,
      async *[Symbol.asyncIterator]() {
        for (const number of [1, 2]) {
          lot.id = `lot_${number}`;
          lot.starting_price = `${number * 100 - 70}`;
          event.bid_increment = `${number * 35}`;
          yield Object.assign(one, { rowId: `r${number}`, amount: `${number * 100}` });
        }
        lot.id = 'lot_9';
        event.bid_increment = '9';
      },
    };
    const { summary } = await at.end(at.placeAll(source));
    expect(at.sent.map((bid) => [bid.lot, bid.amount])).toEqual([
      ['lot_1', '100.00'],
      ['lot_2', '200.00'],
    ]);
    expect(summary.counts.accepted).toBe(2);
  });
});

describe('progress', () => {
  it('is reported whenever a row settles, as a snapshot', async () => {
    const at = desk();
    const told: BatchProgress<Row>[] = [];
    const given = [row('r1', 'lot_1', '1'), row('r2', 'lot_1', '2'), row('r3', 'lot_1', 'x')];
    await at.end(at.placeAll(given, { onInvalid: 'report', onProgress: (one) => told.push(one) }));
    expect(told).toMatchObject([
      { read: 3, isReadToEnd: false, settled: 1, inFlight: 0, latest: { rowId: 'r3' } },
      { read: 3, isReadToEnd: true, settled: 2, inFlight: 0, latest: { rowId: 'r1' } },
      { read: 3, isReadToEnd: true, settled: 3, inFlight: 0, latest: { rowId: 'r2' } },
    ]);
    expect(told[0]?.counts).toMatchObject({ invalid: 1, accepted: 0 });
    expect(told[2]?.counts).toMatchObject({ invalid: 1, accepted: 2 });
  });

  it.each(failingWays)(
    'that %s harms nothing, and its failure is logged with its stack',
    async (way, onProgress) => {
      const { lines, logger } = warnings();
      const at = desk({ client: { logger } });
      const { summary } = await at.end(at.placeAll(rows(2), { onProgress }));
      expect(summary.isComplete).toBe(true);
      expect(lines).toEqual(loggedOf(way, 'onProgress', 2));
    },
  );
});

function refusalOf(path: string) {
  const issues = [expect.objectContaining({ path })];
  const refused = { name: 'InvalidRequestError', call: 'bids.placeAll', outcome: 'not_sent', issues };
  return expect.objectContaining(refused);
}
