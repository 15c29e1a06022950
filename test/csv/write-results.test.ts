import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BidRow, RowResult, UnreadableRow } from '../../src/bids/bulk/types.js';
import { csvLine, unmarked } from '../../src/csv/format.js';
import { type BatchResults, type CsvRow, readBids, writeResults } from '../../src/csv/index.js';
import { rejection } from '../support/clients.js';

const folder = mkdtempSync(join(tmpdir(), 'csv-write-'));
afterAll(() => rmSync(folder, { recursive: true }));
let path = '';
let files = 0;
beforeEach(() => {
  files += 1;
  path = join(folder, `results-${files}.csv`);
});
afterEach(() => void vi.restoreAllMocks());

const header =
  'row_id,lot_id,amount,bidder_reference,dealer_id,client_bid_time,place_by,closes_at,batch_id,status,idempotency_key,bid_id,codes,reason,attempts,what,next_step\r\n';

type Result = RowResult<BidRow>;
const facts = { batchId: 'b1', position: 1, codes: [], what: 'Accepted.', nextStep: 'Wait.' };

function accepted(rowId: string, more: Partial<BidRow> = {}): Result {
  const row = { rowId, lot: 'lot_1', amount: '465000', ...more };
  const given = { ...facts, status: 'accepted', idempotencyKey: `key-${rowId}` } as const;
  const reply = { call: 'bids.place', bidId: `bid-${rowId}`, replayed: false, attempts: 1 } as const;
  return { ...given, row, rowId, outcome: { ...given, ...reply } };
}

function invalid(row: BidRow | UnreadableRow): Result {
  return { ...facts, status: 'invalid', row, issues: [{ path: 'amount', message: 'is missing' }] };
}

/** The text that is written to a stream. */
async function textOf(results: BatchResults<BidRow>): Promise<string> {
  const stream = new PassThrough();
  const written = text(stream);
  await writeResults(results, stream);
  stream.end();
  return written;
}

async function rowsOf(source: string | [string]) {
  const rows: (CsvRow | UnreadableRow)[] = [];
  for await (const row of readBids(source)) rows.push(row);
  return rows;
}

describe('a results file', () => {
  it('has the bid of each row, then what became of it', async () => {
    const result = accepted('r1', {
      lot: { lot_id: 'lot_1', effective_close_at: null },
      bidderReference: 'buyer-9',
      dealerId: 'D-9',
      clientBidTime: '2026-03-02T06:59:00Z',
      placeBy: new Date('2026-03-02T07:00:00Z'),
      closesAt: Date.parse('2026-03-02T08:00:00Z'),
    });
    const codes = ['BID_BELOW_MINIMUM', 'LOT_NOT_LIVE'];
    expect(
      await textOf([{ ...result, codes, reason: 'BID_BELOW_MINIMUM', what: 'It said "no", twice.' }]),
    ).toBe(
      `${header}r1,lot_1,465000,buyer-9,D-9,2026-03-02T06:59:00Z,2026-03-02T07:00:00.000Z,2026-03-02T08:00:00.000Z,b1,accepted,key-r1,bid-r1,BID_BELOW_MINIMUM LOT_NOT_LIVE,BID_BELOW_MINIMUM,1,"It said ""no"", twice.",Wait.\r\n`,
    );
  });

  it('quotes what a spreadsheet of another country would split', async () => {
    const text = await textOf([{ ...accepted('r1', { lot: 'lot_1' }), what: 'One; two', nextStep: 'a\tb' }]);
    expect(text).toContain(',"One; two","a\tb"\r\n');
  });

  it('has of a row that is no bid only what is text, and of one that throws when it is read nothing', async () => {
    const rows: BidRow[] = JSON.parse('[null, 7, {"rowId": ["x"], "amount": 7, "lot": {"a": 1}}]');
    const get = () => {
      throw new Error('not readable');
    };
    const throwing = new Proxy({ rowId: 'r', lot: 'l', amount: '1' }, { get });
    const wrongDate = { rowId: 'r5', lot: 'l', amount: '1', closesAt: new Date('never') };
    const lines = (await textOf([...rows, throwing, wrongDate].map(invalid))).split('\r\n').slice(1, 6);
    const bids = lines.map((line) => line.replace(',,,,,b1,invalid,,,,,,Accepted.,Wait.', ''));
    expect(bids).toEqual([',,,', ',,,', ',,7,', ',,,', 'r5,l,1,']);
  });

  it('can be read as the bids file that it came from, wrong rows included', async () => {
    const bids =
      'row_id,lot_id,amount,place_by\nr1,lot_1,465000,2026-11-21T18:05:00Z\n,lot_2, ₹1,\nr3,lot_3,1,\n';
    const rows = await rowsOf([bids]);
    const results = rows.map((row) => ('issues' in row ? invalid(row) : accepted(row.rowId, row)));
    expect(await rowsOf([await textOf(results)])).toEqual(rows);
  });
});

describe('writing results to a path', () => {
  it('creates a file that only its owner can read, and has each row in it before it asks for the next', async () => {
    async function* results() {
      yield accepted('r1');
      expect(await rowsOf(path)).toHaveLength(1);
      yield accepted('r2');
      expect(await rowsOf(path)).toMatchObject([{ rowId: 'r1' }, { rowId: 'r2' }]);
    }
    expect(await writeResults(results(), path)).toBe(2);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('does not overwrite a file, and stops the batch', async () => {
    await writeFile(path, 'precious');
    const stop = vi.fn();
    const error = await rejection(writeResults(Object.assign([accepted('r1')], { stop }), path));
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      option: 'target',
      outcome: 'unknown',
      cause: { code: 'EEXIST' },
    });
    expect(stop).toHaveBeenCalledOnce();
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });

  it.each([
    ['in a folder that does not exist', 'ENOENT', () => join(path, 'results.csv'), false],
    ['that is a folder', 'EISDIR', () => folder, true],
  ])('refuses a path %s', async (_, code, target, overwrite) => {
    const error = await rejection(writeResults([accepted('r1')], target(), { overwrite }));
    expect(error).toMatchObject({ name: 'ConfigurationError', cause: { code } });
  });

  it('with overwrite replaces a file, even the one that the batch is read from', async () => {
    const rowIds = Array.from({ length: 3_000 }, (_, index) => `r${index}`);
    const first = rowIds.map((rowId) => accepted(rowId));
    await writeResults(first, path);
    async function* placedAgain() {
      for await (const { rowId = '' } of readBids(path)) yield accepted(rowId, { amount: '470000' });
    }
    expect(await writeResults(placedAgain(), path, { overwrite: true })).toBe(3_000);
    const rows = await rowsOf(path);
    expect(rows.map(({ rowId }) => rowId)).toEqual(rowIds);
    expect(rows[2_999]).toMatchObject({ amount: '470000' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

it('Results that replace a file remove what killed runs left, and nothing of a process that runs', async () => {
  const running = `${path}.${process.ppid}.tmp`;
  for (const each of [path, `${path}.2147483646.tmp`, running]) await writeFile(each, 'half');
  await writeResults([accepted('r1')], path, { overwrite: true });
  const left = readdirSync(folder).map((name) => join(folder, name));
  expect(left.filter((each) => each.startsWith(path)).sort()).toEqual([path, running].sort());
});

describe('results that end with an error', () => {
  const broken = new Error('the store is gone');
  async function* breaking() {
    yield accepted('r1');
    throw broken;
  }

  it('are in the file, which is closed before the error is rethrown', async () => {
    const synced = vi.spyOn(await handlePrototype(), 'sync');
    expect(await rejection(writeResults(breaking(), path))).toBe(broken);
    expect(synced.mock.contexts).toMatchObject([{ fd: -1 }]);
    expect(await rowsOf(path)).toHaveLength(1);
  });

  it('do not replace the file that overwrite names, and do not hinder the next run', async () => {
    await writeFile(path, 'precious');
    expect(await rejection(writeResults(breaking(), path, { overwrite: true }))).toBe(broken);
    expect(readFileSync(path, 'utf8')).toBe('precious');
    expect(await rowsOf(`${path}.${process.pid}.tmp`)).toHaveLength(1);
    expect(await writeResults([accepted('r2')], path, { overwrite: true })).toBe(1);
  });
});

describe('a disk that fails', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

  it('does not hold the batch up, and is reported at its end', async () => {
    const handle = await handlePrototype();
    const append = handle.appendFile;
    const appended = vi.spyOn(handle, 'appendFile');
    // The third write is the second row: only half of it fits.
    appended.mockImplementation(async function (this: FileHandle, line) {
      if (appended.mock.calls.length < 3) return append.call(this, line);
      await append.call(this, String(line).slice(0, 5));
      throw full;
    });
    const synced = vi.spyOn(handle, 'sync');
    const asked = vi.fn();
    async function* results() {
      for (const rowId of ['row1', 'row2', 'row3']) yield accepted(rowId, { lot: 'lot_1' });
      asked();
    }
    const error = await rejection(writeResults(results(), path));
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      option: 'target',
      outcome: 'unknown',
      cause: full,
    });
    expect(asked).toHaveBeenCalledOnce();
    expect(readFileSync(path, 'utf8')).toMatch(/\r\nrow1,[^\n]*\r\nrow2,$/);
    expect(synced.mock.contexts).toMatchObject([{ fd: -1 }]);
  });

  it('is reported where it loses data only at the end, and the earlier file stays', async () => {
    await writeFile(path, 'precious');
    const synced = vi.spyOn(await handlePrototype(), 'sync').mockRejectedValue(full);
    const error = await rejection(writeResults([accepted('r1')], path, { overwrite: true }));
    expect(error).toMatchObject({ name: 'ConfigurationError', cause: full });
    expect(synced.mock.contexts).toMatchObject([{ fd: -1 }]);
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });
});

describe('writing results to a stream', () => {
  it('waits for a slow stream, and leaves it open and without listeners', async () => {
    const stream = new PassThrough({ highWaterMark: 1 });
    const listeners = stream.listenerCount('error');
    let given = 0;
    function* results() {
      for (; given < 20; given += 1) yield accepted(`r${given}`);
    }
    const writing = writeResults(results(), stream);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(given).toBeLessThan(3);
    stream.resume();
    expect(await writing).toBe(20);
    expect(stream.writableEnded).toBe(false);
    expect(stream.listenerCount('error')).toBe(listeners);
    stream.end();
  });

  it('reports a stream that fails, is destroyed, was ended or is none, and leaves no error unhandled', async () => {
    const failing = createWriteStream(join(path, 'nowhere.csv'));
    const error = await rejection(writeResults([accepted('r1'), accepted('r2')], failing));
    expect(error).toMatchObject({ name: 'ConfigurationError', cause: { code: 'ENOENT' } });
    const ended = new PassThrough();
    ended.end();
    for (const stream of [failing, ended, ...JSON.parse('[null, 7, {}]')]) {
      const again = await rejection(writeResults([accepted('r1')], stream));
      expect(again).toMatchObject({ name: 'ConfigurationError', option: 'target' });
    }
  });
});

describe('cells that are written and read', () => {
  const unit = fc.constantFrom(
    ...['"', ',', ';', '\n', '\r', '\r\n', '\t', ' ', '\0', '\u0007', '\u00a0', '\u200b', '\u2060', '\uFEFF'],
    ...['\u00ad', '\u3164', '\u202e', "'", '=', '+', '-', '@', '＝', '＋', '－', '＠', 'a', '1', '₹', '😀'],
  );
  const cell = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit, maxLength: 6 }));

  it('come back from a results file exactly, whatever is in them and in the sentences after them', async () => {
    const row = fc.record({ row_id: cell, lot_id: cell, bidder_reference: cell, dealer_id: cell });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 4 }), cell, async (rows, what) => {
        // Their amount is wrong, so that all come back as cells.
        const given = rows.map((cells) => ({ ...cells, amount: 'x' }));
        const file = await textOf(given.map((cells) => ({ ...invalid({ issues: [], cells }), what })));
        const found = (await rowsOf([file])).map((one) => 'cells' in one && one.cells);
        expect(found).toEqual(given.map((cells) => Object.fromEntries(filledIn(cells))));
      }),
      { seed: 20261123, numRuns: 500 },
    );
  });

  it('are neutralised with an apostrophe where they begin like a formula', () => {
    const spaces = ['', ' ', '\t', '\r\n', '\0', '\u00a0'];
    const invisible = [...spaces, '\u200b', '\u2060\u00ad', '\uFEFF', '\u3164', '\u202e'];
    for (const start of ['', "'", "''"]) {
      for (const before of invisible) {
        for (const sign of '=+-@＝＋－＠') {
          const text = `${start}${before}${sign}1`;
          expect(csvLine([text, 'x']).replace(/^"/, ''), JSON.stringify(text)).toMatch(`'${text}`);
          expect(unmarked(`'${text}`)).toBe(text);
        }
      }
    }
  });

  it('are left as they are where they do not begin like a formula', () => {
    for (const text of ['a=1', "'a", "'465000", "'", '', '1-2', "\u200b'=1", '465000', '₹-1']) {
      expect(csvLine([text])).toBe(`${text}\r\n`);
      expect(unmarked(text)).toBe(text);
    }
  });
});

function filledIn(cells: Readonly<Record<string, string>>) {
  return Object.entries(cells).filter(([, cell]) => cell !== '');
}

/** What all file handles inherit from: with it, a test sees what becomes of them or lets the disk fail. */
async function handlePrototype(): Promise<FileHandle> {
  const handle = await open(folder);
  await handle.close();
  return Object.getPrototypeOf(handle);
}
