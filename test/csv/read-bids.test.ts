import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { BidRow, UnreadableRow } from '../../src/bids/bulk/types.js';
import { type CsvRow, type CsvSource, type ReadBidsOptions, readBids } from '../../src/csv/index.js';
import { ConfigurationError, InvalidRequestError } from '../../src/errors/local.js';

const folder = mkdtempSync(join(tmpdir(), 'csv-read-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function read(source: CsvSource, options?: ReadBidsOptions) {
  const { rows, error } = await readUntilError(source, options);
  if (error !== undefined) throw error;
  return rows;
}

/** What reading throws, and the rows before that. */
async function readUntilError(source: CsvSource, options?: ReadBidsOptions) {
  const rows: (CsvRow | UnreadableRow)[] = [];
  try {
    for await (const row of readBids(source, options)) rows.push(row);
  } catch (error) {
    return { rows, error };
  }
  return { rows, error: undefined };
}

const head = 'row_id,lot_id,amount';
const r1 = { line: 2, rowId: 'r1', lot: 'lot_1', amount: '465000' };

describe('reading a bids file', () => {
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

  it('yields rows that placeAll takes, from a source that is known to end', () => {
    const asBidRow = (row: CsvRow): BidRow => row;
    expect(asBidRow(r1)).toBe(r1);
    expect(readBids([''])).toHaveProperty('isFinite', true);
  });

  it.each<[what: string, text: string]>([
    ['a byte order mark', `\uFEFF${head}\nr1,lot_1,465000\n`],
    ['CRLF line breaks', `${head}\r\nr1,lot_1,465000\r\n`],
    ['no line break at the end', `${head}\nr1,lot_1,465000`],
    ['quotes', `"row_id","lot_id","amount"\n"r1","lot_1","465000"\n`],
    ['semicolons', 'row_id;lot_id;amount\nr1;lot_1;465000\n'],
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

  it('skips empty lines and still counts them', async () => {
    expect(await read([`\n\n${head}\n\n,,\n  \nr1,lot_1,465000\n\n`])).toEqual([{ ...r1, line: 7 }]);
  });

  it('counts a row with quoted line breaks, CRLF or LF, as the lines it has', async () => {
    const text = `${head},Remark\r\nr1,lot_1,1,"one\r\ntwo\nthree"\r\nr2,lot_2,2,\r\n`;
    const rows = await read([text], { ignoreColumns: ['remark'] });
    expect(rows.map(({ line }) => line)).toEqual([2, 5]);
  });

  it('takes a path, a file URL, bytes, text in pieces, Node streams and web streams', async () => {
    const text = `${head},dealer_id\nr1,lot_1,465000,D-₹é😀\n`;
    const bytes = Buffer.from(text);
    const path = join(folder, 'bids.csv');
    writeFileSync(path, bytes);
    const files = [path, pathToFileURL(path), bytes, new Uint8Array(bytes)];
    const streams = [Readable.from([bytes]), new Blob([bytes]).stream()];
    for (const source of [...files, [text], [...text], ...streams]) {
      expect(await read(source)).toEqual([{ ...r1, dealerId: 'D-₹é😀' }]);
    }
  });

  it('yields the same rows wherever the bytes are cut', async () => {
    const bytes = Buffer.from(`\uFEFF"row_id",lot_id,amount\r\n"r""1",lot_é,465000\r\nr2,"lot,2",1`);
    const whole = await read(bytes);
    expect(whole).toEqual([
      { line: 2, rowId: 'r"1', lot: 'lot_é', amount: '465000' },
      { line: 3, rowId: 'r2', lot: 'lot,2', amount: '1' },
    ]);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(await read([bytes.subarray(0, at), bytes.subarray(at)]), `cut at ${at}`).toEqual(whole);
    }
    expect(await read(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  it('reads a path again each time that it is iterated', async () => {
    const path = join(folder, 'again.csv');
    writeFileSync(path, `${head}\nr1,lot_1,465000\n`);
    const file = readBids(path);
    for (const _ of [1, 2]) for await (const row of file) expect(row).toEqual(r1);
    writeFileSync(path, `${head}\nr2,lot_1,465000\n`);
    for await (const row of file) expect(row.rowId).toBe('r2');
  });

  it('closes its stream where the reader stops early', async () => {
    const stream = Readable.from([`${head}\nr1,lot_1,1\nr2,lot_2,1\n`, 'r3,lot_3,1\n']);
    for await (const _ of readBids(stream)) break;
    expect(stream.destroyed).toBe(true);
  });

  it('passes on the error of a stream that fails, after the rows before it', async () => {
    const broken = new Error('the line broke');
    async function* failing() {
      yield `${head}\nr1,lot_1,465000\nr2,`;
      throw broken;
    }
    expect(await readUntilError(failing())).toEqual({ rows: [r1], error: broken });
  });

  it('yields rows or refuses the file for any text, wherever it is cut', async () => {
    const unit = fc.constantFrom('"', ',', '\n', '\r', ' ', 'r', '1', "'", '=', '\0', '\u00a0', '\uFEFF');
    await fc.assert(
      fc.asyncProperty(fc.string({ unit }), fc.nat(), async (text, at) => {
        const file = `${head}\n${text}`;
        const cut = at % file.length;
        const { rows, error } = await readUntilError([file]);
        expect(await readUntilError([file.slice(0, cut), file.slice(cut)])).toEqual({ rows, error });
        if (error !== undefined) expect(error).toBeInstanceOf(InvalidRequestError);
        if (error !== undefined) expect(String(error)).toMatch(/line \d+/);
      }),
      { seed: 20261123, numRuns: 1_000 },
    );
  });
});

describe('a bids file is refused as a whole', () => {
  it.each<[what: string, text: string, path: string, message: string]>([
    ['it is empty', '', 'line 1', 'is empty'],
    ['it has only empty lines', '\n\n', 'line 1', 'is empty'],
    ['it has only a header', `${head}\n`, 'line 1', 'without any rows'],
    ['a required column is missing', 'lot_id,amount\n', 'line 1', 'has no column row_id'],
    ['a column is misspelt', `${head},bider_reference\n`, 'line 1, column 4', '"bider_reference"'],
    ['a column is there twice', `${head},Amount\n`, 'line 1, column 4', 'repeats the column amount'],
    ['a result column is there twice', `${head},what,what\n`, 'line 1, column 5', 'repeats the column what'],
    ['a column has no name', 'row_id,,lot_id,amount\n', 'line 1, column 2', 'has no name'],
    ['it has no header', 'r1,lot_1,465000\n', 'line 1', 'name (it begins "r1", "lot_1", "465000")'],
    ['it has another separator', 'row_id|lot_id|amount\n', 'line 1', 'has no known column name'],
    ['a quote is never closed', `${head}\nr1,"l,1\nr2,l,1\n`, 'line 2, column 2', 'is never closed'],
    ['a quote is inside a cell', `${head}\nr1,l"1,1\n`, 'line 2, column 2', 'has a quote inside a cell'],
    ['a quote follows white space', `${head}\nr1, "l",1\n`, 'line 2, column 2', 'has a quote inside a cell'],
    ['text follows a quote', `${head}\nr1,l,"4"65\n`, 'line 2, column 3', 'text after its closing quote'],
    ['a cell is quoted twice', `${head}\nr1,l,"" "1"\n`, 'line 2, column 3', 'text after its closing quote'],
    ['carriage returns end its lines', `${head}\rr1,l,1\r`, 'line 1, column 3', 'which is unknown'],
    ['it is UTF-16 without a mark', 'r\0o\0w\0,\0', 'line 1', 'has no known column name'],
    ['it has half of a character', `${head}\nr1,\ud83d,1`, 'line 1', 'is not UTF-8'],
  ])('where %s', async (_, text, path, message) => {
    const { error } = await readUntilError([text]);
    expect(error).toBeInstanceOf(InvalidRequestError);
    const issue = { path, message: expect.stringContaining(message) };
    expect(error).toMatchObject({ call: 'readBids', issues: expect.arrayContaining([issue]) });
  });

  it.each<[what: string, bytes: Uint8Array, line: number, message: string]>([
    ['it is Latin-1', Buffer.from(`${head}\nr1,lot_1,1\nr2,lot_é,1\n`, 'latin1'), 3, 'is not UTF-8'],
    ['it ends within a character', Buffer.from([...Buffer.from(`${head}\nr1,l`), 0xe2]), 2, 'is not UTF-8'],
    ['it is UTF-16', Buffer.from(`\uFEFF${head}\n`, 'utf16le'), 1, 'save the file as "CSV UTF-8"'],
    ['it is a workbook', Buffer.from('PK\u0003\u0004\u0014...'), 1, 'has no known column name'],
    ['it is an old workbook', Buffer.of(0xd0, 0xcf, 0x11, 0xe0), 1, 'save the file as "CSV UTF-8"'],
  ])('where %s', async (_, bytes, line, message) => {
    const issues = [{ path: `line ${line}`, message: expect.stringContaining(message) }];
    expect(await readUntilError(bytes)).toMatchObject({ error: { name: 'InvalidRequestError', issues } });
  });

  it('with everything that is wrong with its header, and the columns to use', async () => {
    const { error } = await readUntilError(['id,row_id,Lot,lot_id\n1,r1,x,lot_1\n']);
    expect(error).toHaveProperty(
      'message',
      'line 1, column 1 is named "id", which is unknown; line 1, column 3 is named "lot", which is unknown; line 1 has no column amount. Save the file as "CSV UTF-8" with the columns row_id, lot_id, amount, bidder_reference, dealer_id, client_bid_time, place_by, closes_at, and name those to be ignored in ignoreColumns.',
    );
  });

  it('where a column that it needs is ignored', async () => {
    const { error } = await readUntilError([`${head}\nr1,lot_1,1\n`], { ignoreColumns: ['Amount'] });
    expect(error).toMatchObject({ issues: [{ path: 'line 1', message: 'has no column amount' }] });
  });

  it('after the rows before the error, and by the line on which the wrong row begins', async () => {
    const text = `${head}\nr1,lot_1,465000\r\nr2,"a\r\nb",1\nr3,l"3,1\n`;
    const { rows, error } = await readUntilError([text]);
    expect(rows.map(({ rowId }) => rowId)).toEqual(['r1', 'r2']);
    expect(error).toMatchObject({ issues: [{ path: 'line 5, column 2' }] });
  });

  it('where it has more rows than maxRows', async () => {
    const text = [head, 'r1,lot_1,1', '', 'r2,lot_1,1', 'r3,lot_1,1'].join('\n');
    expect(await read([text], { maxRows: 3 })).toHaveLength(3);
    const { rows, error } = await readUntilError([text], { maxRows: 2 });
    expect(rows).toHaveLength(2);
    const message = 'is row 3, and maxRows is 2: split the file or raise maxRows';
    expect(error).toMatchObject({ issues: [{ path: 'line 5', message }] });
  });

  it('where a row or a header has no end, before it fills the memory', async () => {
    for (const start of [`${head}\nr1,"`, 'row_id']) {
      let pieces = 0;
      async function* endless() {
        yield start;
        for (; pieces < 100; pieces += 1) yield 'x'.repeat(100_000);
      }
      expect(await readUntilError(endless())).toMatchObject({ error: { name: 'InvalidRequestError' } });
      expect(pieces).toBeLessThan(20);
    }
  });
});

describe('a row that a spreadsheet or a person has damaged', () => {
  it.each([
    '4.65E+05',
    '"4,65,000"',
    '"465,000.00"',
    '"465000,50"',
    '₹465000',
    'Rs. 465000',
    '465000 INR',
    "'465000",
    '465 000',
    '465000.0000001',
    '0465000',
    "'-465000",
    '0',
    '४६५०००',
    'much',
  ])('is reported with how to write the amount %j, and the file goes on', async (amount) => {
    const [row, next] = await read([`${head}\nr1,lot_1,${amount}\nr2,lot_2,1\n`]);
    const issue = {
      path: 'amount',
      message: expect.stringMatching(/^must be written like 465000 or 465000.50/),
    };
    expect(row).toMatchObject({ rowId: 'r1', line: 2, issues: [issue] });
    expect(next).toMatchObject({ rowId: 'r2' });
  });

  it('is reported where its amount is missing', async () => {
    const [row] = await read([`${head}\nr1,lot_1,\n`]);
    expect(row).toMatchObject({ issues: [{ path: 'amount', message: 'is missing' }] });
  });

  it.each(['465000.00', '465000.5', '0.01', '999999999999.99'])('is not one with %s', async (amount) => {
    expect(await read([`${head}\nr1,lot_1,${amount}\n`])).toMatchObject([{ rowId: 'r1', amount }]);
  });

  it('is reported at once even where its amount is as long as a row may be', async () => {
    for (const part of ['1,', '1 ', "'", '#', '1.', 'Rs ']) {
      const amount = `${part.repeat(300_000)}x`;
      const [row] = await read([`${head}\nr1,lot_1,"${amount}"\n`]);
      expect(row).toMatchObject({ rowId: 'r1', issues: [{ path: 'amount' }] });
    }
  });

  it('is reported with everything that is wrong with it, and its cells as they are', async () => {
    const [row] = await read([`${head},dealer_id,place_by\n,#N/A, x ,D-1,########\n`]);
    expect(row).toEqual({
      line: 2,
      cells: { lot_id: '#N/A', amount: ' x ', dealer_id: 'D-1', place_by: '########' },
      issues: [
        { path: 'row_id', message: 'is missing' },
        { path: 'lot_id', message: 'is an error of a spreadsheet: replace it by its value' },
        { path: 'amount', message: expect.stringContaining('above 0') },
        { path: 'place_by', message: 'is an error of a spreadsheet: replace it by its value' },
      ],
    });
  });

  it.each(['"r\n1",lot_1,1', 'r1,"lot\r\n1",1', 'r1,lot\0_1,1', 'r1,lot_1,"1\t0"'])(
    'is reported for the control character in %j',
    async (line) => {
      const [row] = await read([`${head}\n${line}\n`]);
      expect(row).toMatchObject({ issues: [{ message: expect.stringContaining('control character') }] });
    },
  );

  it.each([
    ['too few cells', 'r1,lot_1', 2],
    ['too many cells', 'r1,lot_1,4,65,000', 5],
  ])('is reported for %s, without showing any under a wrong name', async (_, line, count) => {
    const [row, next] = await read([`${head}\n${line}\nr2,lot_2,1\n`]);
    const message = expect.stringContaining(`has ${count} cells, and the header has 3`);
    expect(row).toEqual({ line: 2, issues: [{ path: 'row', message }] });
    expect(next).toMatchObject({ rowId: 'r2' });
  });
});

describe('a source or an option that is wrong', () => {
  it.each<[what: string, source: CsvSource, code: string]>([
    ['a path where nothing is', '/nowhere/bids.csv', 'ENOENT'],
    ['a folder', folder, 'EISDIR'],
    ['text in place of a path', `${head}\nr1,lot_1,1\n`, 'ENOENT'],
  ])('is an error that says what to pass, for %s', async (_, source, code) => {
    const { error } = await readUntilError(source);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ option: 'source', call: 'readBids', cause: { code } });
    expect(error).toHaveProperty(
      'message',
      expect.stringMatching(/text in an array: readBids\(\[text\]\)\.$/),
    );
  });

  it('is an error for anything that is neither text nor bytes', async () => {
    const wrong: CsvSource[] = JSON.parse('[null, 7, {}, [7], [null]]');
    for (const source of wrong) {
      expect(await readUntilError(source)).toMatchObject({ error: { option: 'source' } });
    }
  });

  it('is an error at once for maxRows and ignoreColumns', () => {
    for (const maxRows of [0, -1, 1.5, Number.NaN]) {
      expect(() => readBids([head], { maxRows })).toThrow('maxRows must be a whole number above 0');
    }
    expect(() => readBids([head], JSON.parse('{ "ignoreColumns": "remark" }'))).toThrow(ConfigurationError);
  });
});
