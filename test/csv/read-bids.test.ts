import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { UnreadableRow } from '../../src/bids/bulk/types.js';
import { type CsvRow, type CsvSource, type ReadBidsOptions, readBids } from '../../src/csv/index.js';
import { ConfigurationError, InvalidRequestError } from '../../src/errors/local.js';
import { rejection } from '../support/clients.js';

const folder = mkdtempSync(join(tmpdir(), 'csv-read-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function read(source: CsvSource, options?: ReadBidsOptions) {
  const rows: (CsvRow | UnreadableRow)[] = [];
  for await (const row of readBids(source, options)) rows.push(row);
  return rows;
}

const refusal = (source: CsvSource, options?: ReadBidsOptions) => rejection(read(source, options));

const head = 'row_id,lot_id,amount';
const r1 = { line: 2, rowId: 'r1', lot: 'lot_1', amount: '465000' };

describe('reading a bids file', () => {
  it.each([
    ['sep=;\r\nrow_id;lot_id;amount\r\nr1;lot_1;465000\r\n', 3],
    ['sep=,\nrow_id,lot_id,amount\nr1,lot_1,465000', 3],
    ['\ufeffSEP=\t\r\nrow_id\tlot_id\tamount\r\nr1\tlot_1\t465000', 3],
    ['"sep=|"\nrow_id|lot_id|amount\nr1|lot_1|465000', 3],
    ['row_id,lot_id,amount\rr1,lot_1,465000\r', 2],
    ['sep=;\rrow_id;lot_id;amount\rr1;lot_1;465000', 3],
  ])('reads a line with the separator, and the line ends of old Macintosh files: %j', async (text, line) => {
    expect(await read([text])).toEqual([{ ...r1, line }]);
  });

  it('never takes a carriage return inside a line for its end, which would shorten the amount', async () => {
    const [row] = await read([`${head}\nr1,lot_1,465\r000\n`]);
    expect(row).toMatchObject({ issues: [{ path: 'amount' }] });
  });

  it('yields a row for each line, with the cells that are filled in', async () => {
    const text = `row_id,lot_id,amount,bidder_reference,dealer_id,client_bid_time,place_by,closes_at
r1,lot_1,465000,buyer-9,D-4,2026-11-21T18:00:00+05:30,2026-11-21T18:05:00Z,2026-11-21T18:10:00Z
r2,lot_1,470000.50,,,,,
`;
    expect(await read([text])).toEqual([
      {
        ...r1,
        bidderReference: 'buyer-9',
        dealerId: 'D-4',
        clientBidTime: '2026-11-21T18:00:00+05:30',
        placeBy: '2026-11-21T18:05:00Z',
        closesAt: '2026-11-21T18:10:00Z',
      },
      { line: 3, rowId: 'r2', lot: 'lot_1', amount: '470000.50' },
    ]);
  });

  it.each([
    ['a byte order mark', `\uFEFF${head}\nr1,lot_1,465000\n`],
    ['CRLF line breaks', `${head}\r\nr1,lot_1,465000\r\n`],
    ['no line break at the end', `${head}\nr1,lot_1,465000`],
    ['quotes and semicolons', '"row_id";"lot_id";"amount"\nr1;lot_1;465000\n'],
    ['tabs', 'row_id\tlot_id\tamount\nr1\tlot_1\t465000\n'],
    ['columns in another order', 'amount,row_id,lot_id\n465000,r1,lot_1\n'],
    ['capitals and white space', 'Row_ID , LOT_ID,Amount\n r1 , lot_1\u00a0, 465000 \n'],
    ['empty columns at the right', `${head},,\nr1,lot_1,465000,,\n`],
    ['more empty cells than the header', `${head}\nr1,lot_1,465000,,,\n`],
    ['result columns, which are ignored', `status,${head},what\naccepted,r1,lot_1,465000,"Done, ""so"""\n`],
  ])('accepts %s', async (_, text) => {
    expect(await read([text])).toEqual([r1]);
  });

  it('skips columns that are named in ignoreColumns, whatever their cells are', async () => {
    const text = 'row_id,Remark,lot_id,amount,place_by\nr1,#REF!,lot_1,465000,#REF!\n';
    expect(await read([text], { ignoreColumns: [' remark', 'place_by'] })).toEqual([r1]);
  });

  it('counts empty lines and lines within quotes', async () => {
    const text = `\n${head},Remark\r\n\r\n,,\r\nr1,lot_1,1,"one\r\ntwo\nthree"\r\nr2,lot_2,2,\r\n`;
    const rows = await read([text], { ignoreColumns: ['remark'] });
    expect(rows.map(({ line }) => line)).toEqual([5, 8]);
  });

  it('takes a path, a file URL, bytes, text in pieces, Node streams and web streams', async () => {
    const text = `${head},dealer_id\nr1,lot_1,465000,D-₹é😀\n`;
    const bytes = Buffer.from(text);
    const path = join(folder, 'bids.csv');
    writeFileSync(path, bytes);
    const files = [path, pathToFileURL(path), bytes, new Uint8Array(bytes)];
    const pieces = [[text], [...text], Array.from(bytes, (byte) => Uint8Array.of(byte))];
    const streams = [Readable.from([bytes]), new Blob([bytes]).stream()];
    for (const source of [...files, ...pieces, ...streams]) {
      expect(await read(source)).toEqual([{ ...r1, dealerId: 'D-₹é😀' }]);
    }
    // A path is read again each time that it is iterated.
    const file = readBids(path);
    for await (const row of file) expect(row.rowId).toBe('r1');
    writeFileSync(path, `${head}\nr2,lot_1,465000\n`);
    for await (const row of file) expect(row.rowId).toBe('r2');
  });

  it('passes on the error of a stream that fails', async () => {
    const broken = new Error('the line broke');
    async function* failing() {
      yield `${head}\nr1,lot_1,465000\nr2,`;
      throw broken;
    }
    expect(await refusal(failing())).toBe(broken);
  });

  it('yields rows or refuses the file, whatever is in it', async () => {
    const unit = fc.constantFrom('"', ',', '\n', '\r', ' ', 'r', '1', "'", '=', '\0', '\u00a0', '\uFEFF');
    await fc.assert(
      fc.asyncProperty(fc.string({ unit }), async (text) => {
        const error = await read([`${head}\n${text}`]).then(
          () => undefined,
          (one: unknown) => one,
        );
        if (error !== undefined) expect(error).toBeInstanceOf(InvalidRequestError);
      }),
      { seed: 20261123, numRuns: 500 },
    );
  });
});

describe('a bids file is refused as a whole', () => {
  it.each<[what: string, content: string | Uint8Array, path: string]>([
    ['it is empty', '', 'line 1'],
    ['it has only a header', `${head}\n`, 'line 1'],
    ['a required column is missing', 'lot_id,amount\n', 'line 1'],
    ['a column is misspelt', `${head},bider_reference\n`, 'line 1, column 4'],
    ['a column is there twice', `${head},Amount\n`, 'line 1, column 4'],
    ['a result column is there twice', `${head},what,what\n`, 'line 1, column 5'],
    ['a column has no name', 'row_id,,lot_id,amount\n', 'line 1, column 2'],
    ['it has no header', 'r1,lot_1,465000\n', 'line 1'],
    ['it has another separator', 'row_id|lot_id|amount\n', 'line 1'],
    ['a quote is never closed', `${head}\nr1,"l,1\nr2,l,1\n`, 'line 2, column 2'],
    ['a quote is inside a cell', `${head}\nr1,l"1,1\n`, 'line 2, column 2'],
    ['text follows a quote', `${head}\nr1,l,"4"65\n`, 'line 2, column 3'],
    ['the wrong row follows quoted line breaks', `${head}\nr1,"a\r\nb",1\nr2,l"3,1\n`, 'line 4, column 2'],
    ['it has half of a character', `${head}\nr1,\ud83d,1`, 'line 1'],
    ['it is Latin-1', Buffer.from(`${head}\nr1,lot_1,1\nr2,lot_é,1\n`, 'latin1'), 'line 3'],
    ['it ends within a character', Buffer.from([...Buffer.from(`${head}\nr1,l`), 0xe2]), 'line 2'],
    ['it is UTF-16', Buffer.from(`\uFEFF${head}\n`, 'utf16le'), 'line 1'],
  ])('where %s', async (_, content, path) => {
    const error = await refusal(typeof content === 'string' ? [content] : content);
    const issues = expect.arrayContaining([expect.objectContaining({ path })]);
    expect(error).toMatchObject({ name: 'InvalidRequestError', call: 'readBids', issues });
  });

  it('with everything that is wrong with its header', async () => {
    expect(await refusal(['id,row_id,Lot,lot_id\n1,r1,x,lot_1\n'])).toMatchObject({
      issues: [{ path: 'line 1, column 1' }, { path: 'line 1, column 3' }, { path: 'line 1' }],
    });
  });

  it('where a column that it needs is ignored', async () => {
    const options = { ignoreColumns: ['Amount'] };
    expect(await refusal([`${head}\nr1,lot_1,1\n`], options)).toMatchObject({ issues: [{ path: 'line 1' }] });
  });

  it('where it has more rows than maxRows', async () => {
    const text = [head, 'r1,lot_1,1', '', 'r2,lot_1,1', 'r3,lot_1,1'].join('\n');
    expect(await read([text], { maxRows: 3 })).toHaveLength(3);
    expect(await refusal([text], { maxRows: 2 })).toMatchObject({ issues: [{ path: 'line 5' }] });
  });

  it('where it has no end, before it fills the memory', async () => {
    const piece = Buffer.alloc(8_000_000, 'x');
    function* endless() {
      for (;;) yield piece;
    }
    expect(await refusal(endless())).toBeInstanceOf(InvalidRequestError);
  });
});

describe('a row that a spreadsheet or a person has damaged', () => {
  it.each([
    ['4.65E+05', '"4,65,000"', '"465000,50"', '₹465000', '465000 INR', "'465000", '465 000', ''],
    ['465000.001', '0465000', "'-465000", '0', '४६५०००', 'much', '#N/A', '"1\t0"'],
  ])('is reported with its amount, and the file goes on', async (...amounts) => {
    for (const amount of amounts) {
      const [row, next] = await read([`${head}\nr1,lot_1,${amount}\nr2,lot_2,1\n`]);
      expect(row, amount).toMatchObject({ rowId: 'r1', line: 2, issues: [{ path: 'amount' }] });
      expect(next).toMatchObject({ rowId: 'r2' });
    }
  });

  it.each(['465000.00', '465000.5', '0.01', '999999999999.99'])('is not one with %s', async (amount) => {
    expect(await read([`${head}\nr1,lot_1,${amount}\n`])).toMatchObject([{ rowId: 'r1', amount }]);
  });

  it('is reported with everything that is wrong with it, and its cells as they are', async () => {
    const [row] = await read([`${head},dealer_id,place_by\n,"l\r\n1", x ,D-1,########\n`]);
    expect(row).toMatchObject({
      line: 2,
      cells: { lot_id: 'l\r\n1', amount: ' x ', dealer_id: 'D-1', place_by: '########' },
      issues: [{ path: 'row_id' }, { path: 'lot_id' }, { path: 'amount' }, { path: 'place_by' }],
    });
  });

  it.each(['r1,lot_1', 'r1,lot_1,4,65,000'])(
    'is reported for another number of cells in %s, without showing any under a wrong name',
    async (line) => {
      const [row, next] = await read([`${head}\n${line}\nr2,lot_2,1\n`]);
      expect(row).toEqual({ line: 2, issues: [{ path: 'row', message: expect.any(String) }] });
      expect(next).toMatchObject({ rowId: 'r2' });
    },
  );
});

describe('a source or an option that is wrong', () => {
  it.each<[what: string, source: CsvSource, code: string]>([
    ['a path where nothing is', '/nowhere/bids.csv', 'ENOENT'],
    ['a folder', folder, 'EISDIR'],
    ['text in place of a path', `${head}\nr1,lot_1,1\n`, 'ENOENT'],
  ])('is a ConfigurationError with its cause for %s', async (_, source, code) => {
    const facts = { option: 'source', call: 'readBids', cause: { code } };
    expect(await refusal(source)).toMatchObject({ name: 'ConfigurationError', ...facts });
  });

  it('is a ConfigurationError for anything that is neither text nor bytes', async () => {
    const wrong: CsvSource[] = JSON.parse('[null, 7, {}, [7], [null]]');
    for (const source of wrong) expect(await refusal(source)).toMatchObject({ option: 'source' });
  });

  it('is a ConfigurationError at once for maxRows and ignoreColumns', () => {
    for (const maxRows of [0, -1, 1.5, Number.NaN]) {
      expect(() => readBids([head], { maxRows })).toThrow(ConfigurationError);
    }
    expect(() => readBids([head], JSON.parse('{ "ignoreColumns": "remark" }'))).toThrow(ConfigurationError);
  });
});
