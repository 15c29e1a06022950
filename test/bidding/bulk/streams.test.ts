import { describe, expect, it } from 'vitest';
import { bulkSettings } from '../../../src/bidding/bulk/options.js';
import type { BulkRow } from '../../../src/bidding/bulk/row.js';
import { settle } from '../../support/virtual-clock.js';
import { desk, row } from './desk.js';

/** Rows without end, and how many of them were asked for. */
function endless(lotOf: (index: number) => string = (index) => `lot_${index}`) {
  const source = {
    read: 0,
    isClosed: false,
    *[Symbol.iterator](): Generator<BulkRow> {
      try {
        for (;;) {
          source.read += 1;
          yield row(`r${source.read}`, lotOf(source.read), '100');
        }
      } finally {
        source.isClosed = true;
      }
    },
  };
  return source;
}

/** Rows that somebody pushes. */
function pushed() {
  const rows: BulkRow[] = [];
  let wake = (): void => undefined;
  let isOver = false;
  let failure: unknown;
  const source = {
    returned: 0,
    push(...more: BulkRow[]) {
      rows.push(...more);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
    fail(error: unknown) {
      failure = error;
      wake();
    },
    [Symbol.asyncIterator]: (): AsyncIterator<BulkRow> => ({
      next: async () => {
        for (;;) {
          const value = rows.shift();
          if (value !== undefined) return { done: false, value };
          if (failure !== undefined) throw failure;
          if (isOver) return { done: true, value: undefined };
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      },
      return: async () => {
        source.returned += 1;
        return { done: true, value: undefined };
      },
    }),
  };
  return source;
}

describe('a source that is no source', () => {
  it.each<[what: string, source: unknown, hint: string]>([
    ['a path', 'bids.csv', 'of rows; for a file: readBidsCsv(path). Nothing'],
    ['a URL', new URL('file:///bids.csv'), 'of rows; for a file: readBidsCsv(path). Nothing'],
    ['bytes', Buffer.from('row_id'), 'of rows; for the bytes of a file: readBidsCsv(bytes). Nothing'],
    ['text', 'row_id,lot_id\nr1,lot_1', 'of rows; for the text of a file: readBidsCsv([text]). Nothing'],
    ['one row', row('r1', 'lot_1', '1'), 'of rows. Nothing'],
    ['nothing', undefined, 'of rows. Nothing'],
  ])('is refused with what would be one: %s', (_, source, hint) => {
    expect(() => bulkSettings(source, { batchId: 'b1' })).toThrow(
      `rows must be an iterable or async iterable ${hint}`,
    );
  });
});

describe('a source without an end', () => {
  it('is never read far ahead of what is settled', async () => {
    const at = desk({ takes: 1_000 });
    const source = endless();
    const run = at.placeAll(source, { readAhead: 50, closes: 'as_given' });
    await at.clock.advance(500);
    expect([source.read, at.placings.length]).toEqual([50, 16]);
    await at.clock.advance(1_000);
    expect([source.read, at.placings.length]).toEqual([66, 32]);
    run.stop();
    const { summary, results } = await at.end(run);
    expect(source.isClosed).toBe(true);
    expect([source.read, summary.rows, results.length]).toEqual([66, 66, 66]);
    expect(summary).toMatchObject({ isComplete: false, counts: { accepted: 32, not_sent: 34 } });
  });

  it('is read five hundred rows ahead when nothing is said', async () => {
    const at = desk();
    const source = endless();
    const run = at.placeAll(source, { closes: 'as_given' });
    await settle();
    await at.clock.advance(10);
    expect(source.read).toBe(500);
    run.stop();
    await at.end(run);
  });

  it('is placed in order as far as it is known', async () => {
    const at = desk();
    const source = pushed();
    const run = at.placeAll(source, { concurrency: 1 });
    source.push(
      row('r1', 'lot_1', '1', { closesAt: at.start + 90_000 }),
      row('r2', 'lot_2', '1', { closesAt: at.start + 80_000 }),
      row('r3', 'lot_3', '1', { closesAt: at.start + 70_000 }),
    );
    await at.clock.advance(150);
    source.push(row('r4', 'lot_4', '1', { closesAt: at.start + 60_000 }));
    source.end();
    const { summary } = await at.end(run);
    expect(at.placings.map(({ rowId }) => rowId)).toEqual(['r3', 'r2', 'r4', 'r1']);
    expect(summary.isComplete).toBe(true);
  });

  it('that is slow has each row placed at once, without a look at its close', async () => {
    const at = desk();
    const source = pushed();
    const run = at.placeAll(source);
    for (const number of [1, 2, 3]) {
      source.push(row(`r${number}`, `lot_${number}`, '1'));
      await at.clock.advance(1_000);
    }
    source.end();
    await at.end(run);
    expect(at.placings.map(({ begunAt }) => begunAt)).toEqual([20, 1_020, 2_020]);
    expect(at.looks).toEqual([]);
  });

  it('that is quick has closes looked up for rows that wait anyhow', async () => {
    const at = desk({ closes: { lot_1: 9_000, lot_2: 8_000, lot_3: 7_000 } });
    const source = pushed();
    const run = at.placeAll(source, { concurrency: 1 });
    source.push(row('r1', 'lot_1', '1'), row('r2', 'lot_2', '1'), row('r3', 'lot_3', '1'));
    source.end();
    await at.end(run);
    expect(at.looks).toEqual([['lot_1', 'lot_2', 'lot_3']]);
    expect(at.placings.map(({ rowId }) => rowId)).toEqual(['r3', 'r2', 'r1']);
  });

  it('has its wrong rows reported, and goes on; or stops there where that was asked for', async () => {
    const bad = row('r2', 'lot_2', 'much');
    const at = desk();
    const source = pushed();
    source.push(row('r1', 'lot_1', '1'), bad, row('r3', 'lot_3', '1'));
    source.end();
    const { summary } = await at.end(at.placeAll(source));
    expect(summary.counts).toMatchObject({ accepted: 2, invalid: 1 });

    const strict = desk();
    const other = pushed();
    const run = strict.placeAll(other, { onInvalid: 'stop' });
    other.push(row('r1', 'lot_1', '1'));
    await strict.clock.advance(500);
    other.push(row('r0', 'lot_0', '1'), bad, row('r3', 'lot_3', '1'));
    const { summary: stopped, results } = await strict.end(run);
    expect(results.map(({ rowId, status }) => [rowId, status])).toEqual([
      ['r1', 'accepted'],
      ['r2', 'invalid'],
      ['r0', 'not_sent'],
    ]);
    expect([stopped.stopped?.by, stopped.rows, other.returned]).toEqual(['invalid_rows', 3, 1]);
  });

  it('that breaks has every row that came settled, and is told behind the last result', async () => {
    const at = desk();
    const source = pushed();
    const error = new Error('the database is gone');
    const run = at.placeAll(source, { concurrency: 1 });
    source.push(row('r1', 'lot_1', '1'), row('r2', 'lot_2', '1'));
    await at.clock.advance(50);
    source.fail(error);
    await at.clock.advance(5_000);
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const { rowId, status } of run) seen.push([rowId, status]);
    })();
    await expect(reading).rejects.toBe(error);
    expect(seen).toEqual([
      ['r2', 'not_sent'],
      ['r1', 'accepted'],
    ]);
    expect(await run.summary).toMatchObject({ isComplete: false, stopped: { by: 'source', error } });
    // Whoever awaits nothing of it learns of it all the same.
    expect(at.logged).toEqual(['The rows could not be read on: the database is gone']);
  });

  it('that breaks before a whole batch was read has nothing sent', async () => {
    const at = desk();
    const source = pushed();
    const error = new Error('line 7 can not be read');
    source.push(row('r1', 'lot_1', '1'));
    source.fail(error);
    const run = at.placeAll(source, { readAhead: 'all' });
    await expect(run.toArray()).rejects.toBe(error);
    expect(at.placings).toEqual([]);
    expect((await run.summary).counts.not_sent).toBe(1);
  });

  it('that is stuck is let go of when the batch is stopped', async () => {
    const at = desk();
    const source = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) };
    const run = at.placeAll<BulkRow>(source);
    await at.clock.advance(100);
    run.stop();
    const { summary } = await at.end(run);
    expect(summary).toMatchObject({ rows: 0, stopped: { by: 'signal' } });
  });

  it('that cannot be closed does no harm', async () => {
    const at = desk();
    const source = {
      [Symbol.iterator]: () => ({
        next: () => ({ done: false, value: row('r1', 'lot_1', '1') }),
        return: () => {
          throw new Error('no');
        },
      }),
    };
    const run = at.placeAll<BulkRow>(source, { onInvalid: 'stop' });
    const { summary } = await at.end(run);
    expect(summary.counts).toMatchObject({ invalid: 1, not_sent: 1 });
  });

  it('keeps a chain held for the rows that come later', async () => {
    const at = desk({ answers: { r1: 'unknown' } });
    const source = pushed();
    const run = at.placeAll(source);
    source.push(row('r1', 'lot_1', '1'));
    await at.clock.advance(500);
    source.push(row('r2', 'lot_1', '2'), row('r3', 'lot_2', '2'));
    source.end();
    const { results } = await at.end(run);
    expect(results.map(({ rowId, status }) => [rowId, status])).toEqual([
      ['r1', 'unknown'],
      ['r2', 'not_sent'],
      ['r3', 'accepted'],
    ]);
  });

  it('may say the same twice under two row ids: the service judges', async () => {
    const at = desk();
    const source = pushed();
    source.push(row('r1', 'lot_1', '1'), row('r2', 'lot_1', '1'));
    source.end();
    const { summary } = await at.end(at.placeAll(source));
    expect(summary.counts.accepted).toBe(2);
  });
});
