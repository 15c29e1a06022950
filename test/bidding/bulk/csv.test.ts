import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine, plainCell } from '../../../src/bidding/bulk/csv-cells.js';
import { CsvScanner } from '../../../src/bidding/bulk/csv-scanner.js';
import type { CsvSource } from '../../../src/bidding/bulk/csv-text.js';
import { type ReadBidsCsvOptions, readBidsCsv } from '../../../src/bidding/bulk/read-bids-csv.js';
import { InvalidRequestError } from '../../../src/errors/local.js';

fc.configureGlobal({ seed: 20261121, numRuns: 300 });

async function read(source: CsvSource, options?: ReadBidsCsvOptions) {
  const rows = [];
  for await (const row of readBidsCsv(source, options)) rows.push(row);
  return rows;
}

const readText = (text: string, options?: ReadBidsCsvOptions) => read([text], options);

/** Everything that a row says is wrong with it. */
async function issuesOf(text: string) {
  return (await readText(text)).flatMap((row) =>
    'issues' in row ? row.issues.map(({ path, message }) => `${row.line} ${path} ${message}`) : [],
  );
}

const head = 'row_id,lot_id,amount';
const r1 = { line: 2, rowId: 'r1', lot: 'lot_1', amount: '465000' };

describe('a bids file', () => {
  it('has a row for each line, with what is filled in', async () => {
    const text = `row_id,lot_id,amount,bidder_reference,dealer_id,client_bid_time,place_by,closes_at
r1,lot_1,465000,buyer-9,D-4,2026-11-21T18:00:00+05:30,2026-11-21T18:05:00Z,2026-11-21T18:10:00Z
r2,lot_1,470000.50,,,,,
`;
    expect(await readText(text)).toEqual([
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

  it.each<[what: string, text: string]>([
    ['a byte order mark', `\uFEFF${head}\nr1,lot_1,465000\n`],
    ['CRLF', `${head}\r\nr1,lot_1,465000\r\n`],
    ['no line break at its end', `${head}\nr1,lot_1,465000`],
    ['quotes', `"row_id","lot_id","amount"\n"r1","lot_1","465000"\n`],
    ['semicolons', 'row_id;lot_id;amount\nr1;lot_1;465000\n'],
    ['quotes and semicolons', '"row_id";"lot_id";"amount"\nr1;lot_1;465000\n'],
    ['tabs', 'row_id\tlot_id\tamount\nr1\tlot_1\t465000\n'],
    ['columns in another order', 'amount,row_id,lot_id\n465000,r1,lot_1\n'],
    [
      'names in capitals, and spaces around everything',
      'Row_ID , LOT_ID, Amount\n r1 , lot_1\u00a0, 465000 \n',
    ],
    ['empty columns at its right', `${head},,\nr1,lot_1,465000,,\n`],
    ['more empty cells than the header', `${head}\nr1,lot_1,465000,,,\n`],
  ])('may have %s', async (_, text) => {
    expect(await readText(text)).toEqual([r1]);
  });

  it('may have empty lines, and keeps count of them', async () => {
    expect(await readText(`\n\n${head}\n\n,,\n  \nr1,lot_1,465000\n\n`)).toEqual([{ ...r1, line: 7 }]);
  });

  it('may have cells with separators, quotes and line breaks', async () => {
    const [row, next] = await readText(`${head}\n"r""1","lot,\r\n1",465000\nr2,lot_2,1\n`);
    expect(row).toEqual({ ...r1, rowId: 'r"1', lot: 'lot,\r\n1' });
    expect(next).toMatchObject({ line: 4, rowId: 'r2' });
  });

  it('may have further columns where they were named', async () => {
    const text = 'row_id,Remark,lot_id,amount\nr1,he said,lot_1,465000\n';
    expect(await readText(text, { ignoreColumns: ['remark'] })).toEqual([r1]);
    await expect(readText(text)).rejects.toThrow('line 1, column 2 is named "remark"');
  });

  it('may come as bytes, in pieces, from a stream or a path', async () => {
    const bytes = Buffer.from(`${head},dealer_id\nr1,lot_1,465000,D-₹é😀\n`);
    const expected = [{ ...r1, dealerId: 'D-₹é😀' }];
    expect(await read(bytes)).toEqual(expected);
    expect(await read(Readable.from([bytes]))).toEqual(expected);
    const one = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(await read(one)).toEqual(expected);
    expect(await read(new Blob([bytes]).stream())).toEqual(expected);
    await expect(read('/nowhere/bids.csv')).rejects.toMatchObject({
      name: 'InvalidRequestError',
      issues: [{ path: 'source', message: expect.stringContaining('ENOENT') }],
    });
  });

  it('reads the same wherever its bytes are cut', async () => {
    const bytes = Buffer.from(`\uFEFF"row_id",lot_id,amount\r\n"r""\r\n1",lot_é,465000\r\nr2,"lot,2",1`);
    const whole = await read(bytes);
    expect(whole).toHaveLength(2);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(await read([bytes.subarray(0, at), bytes.subarray(at)]), `cut at ${at}`).toEqual(whole);
    }
  });
});

describe('a file that is refused as a whole', () => {
  it.each<[what: string, text: string, why: string | RegExp]>([
    ['nothing', '', 'line 1 is empty'],
    ['only empty lines', '\n\n', 'line 1 is empty'],
    ['only a header', `${head}\n`, 'line 1 is all there is'],
    ['no row_id', 'lot_id,amount\nlot_1,1\n', 'line 1 has no column row_id'],
    ['no amount and no lot_id', 'row_id\nr1\n', 'has no column lot_id; line 1 has no column amount'],
    [
      'a misspelt column',
      `${head},bider_reference\nr1,lot_1,1,b\n`,
      'line 1, column 4 is named "bider_reference"; known are row_id',
    ],
    ['a column twice', `${head},amount\nr1,lot_1,1,2\n`, 'line 1, column 4 is amount again'],
    ['a column without a name', 'row_id,,lot_id,amount\nr1,,lot_1,1\n', 'line 1, column 2 has no name'],
    [
      'no header',
      'r1,lot_1,465000\n',
      /^line 1 holds no column name that is known \("r1", "lot_1", "465000"\): it must name row_id,lot_id,amount, and where they are needed bidder_reference,dealer_id,client_bid_time,place_by,closes_at\. Nothing/,
    ],
    [
      'a header of other names',
      'Id|Lot|Amount in INR|Buyer\n1|2|3|4\n',
      'line 1 holds no column name that is known ("id|lot|amount in inr|buyer"): it must name row_id,',
    ],
    [
      'a quote that is never closed',
      `${head}\nr1,"lot_1,1\nr2,lot_2,1\n`,
      'opened on line 2 and never closed',
    ],
    ['a quote inside a cell', `${head}\nr1,lot"1,1\n`, 'line 2, column 2 has a quote inside a cell'],
    ['text behind a quote', `${head}\nr1,"lot"1,1\n`, 'line 2, column 2 goes on behind its closing quote'],
    ['carriage returns alone', `${head}\rr1,lot_1,1\r`, 'carriage return'],
    ['a carriage return at its end', `${head}\nr1,lot_1,1\r`, 'carriage return'],
    ['NUL characters', `${head}\nr1,lot_1\0,1\n`, 'line 2 holds a NUL'],
    ['a cell without end', `${head}\nr1,"${'x\n'.repeat(6_000)}`, 'is the quote of line 2 never closed?'],
    ['cells without end', `${head}\n${','.repeat(300)}\n`, 'more than 256 cells'],
    [
      'some of the columns of a result file',
      `${head},status,bid_id\nr1,lot_1,1,accepted,\n`,
      'line 1 has no column batch_id',
    ],
  ])('has %s', async (_, text, why) => {
    const reading = readText(text);
    await expect(reading).rejects.toThrow(InvalidRequestError);
    await expect(reading).rejects.toThrow(why);
  });

  it('names the columns that are known once, however many it has besides', async () => {
    const reading = readText('id,row_id,Lot,lot_id,Remark,amount\n1,r1,x,lot_1,y,1\n');
    await expect(reading).rejects.toThrow(
      /^line 1, column 1 is named "id"; known are row_id, lot_id, amount, bidder_reference, dealer_id, client_bid_time, place_by, closes_at \(ignoreColumns lets others be\); line 1, column 3 is named "lot"; line 1, column 5 is named "remark"\. Nothing/,
    );
  });

  it.each<[what: string, bytes: Uint8Array, why: string]>([
    ['Latin-1', Buffer.from(`${head}\nr1,lot_1,1\nr2,lot_é,1\n`, 'latin1'), 'line 3 is not UTF-8'],
    [
      'a character cut off',
      Buffer.concat([Buffer.from(`${head}\nr1,lot_`), Buffer.of(0xe2, 0x82)]),
      'is not UTF-8',
    ],
    ['UTF-16', Buffer.from(`\uFEFF${head}\n`, 'utf16le'), 'line 1 begins UTF-16'],
    ['a workbook', Buffer.from('PK\u0003\u0004...'), 'line 1 begins a workbook'],
    ['an old workbook', Buffer.of(0xd0, 0xcf, 0x11, 0xe0), 'line 1 begins an old workbook'],
  ])('is %s', async (_, bytes, why) => {
    await expect(read(bytes)).rejects.toThrow(why);
  });

  it('has more rows than are allowed', async () => {
    const rows = Array.from({ length: 5 }, (_, index) => `r${index},lot_1,1`);
    await expect(readText([head, ...rows].join('\n'), { maxRows: 4 })).rejects.toThrow(
      'line 6 is one row more',
    );
    expect(await readText([head, ...rows].join('\n'), { maxRows: 5 })).toHaveLength(5);
  });

  it('is given up before it is read to its end', async () => {
    let pieces = 0;
    async function* flood() {
      yield `${head}\nr1,"`;
      for (;;) {
        pieces += 1;
        yield 'x'.repeat(1_000);
      }
    }
    await expect(read(flood())).rejects.toThrow('never closed?');
    expect(pieces).toBe(11);
    async function* noHeader() {
      for (;;) {
        pieces += 1;
        yield 'x'.repeat(1_000);
      }
    }
    await expect(read(noHeader())).rejects.toThrow('more than 10000 characters');
    expect(pieces).toBeLessThan(100);
  });
});

describe('a row that a spreadsheet or a person has damaged', () => {
  it.each<[amount: string, why: string]>([
    ['4.65E+05', 'was shortened by a spreadsheet'],
    ['4.65e5', 'was shortened by a spreadsheet'],
    ['"4,65,000"', 'has commas between its digits'],
    ['"465,000.00"', 'has commas between its digits'],
    ['"465000,50"', 'has a comma for its point'],
    ['₹465000', 'has a currency'],
    ['Rs. 465000', 'has a currency'],
    ['465000 INR', 'has a currency'],
    ["'465000", 'has an apostrophe before it'],
    ['465 000', 'has spaces between its digits'],
    ['465000.0000001', 'has more than two decimals'],
    ['0465000', 'has a zero before it'],
    ['-465000', 'must be a positive amount'],
    ['0', 'must be a positive amount'],
    ['much', 'must be a positive amount'],
    ['', 'is missing'],
    ['#REF!', 'is an error of a spreadsheet'],
    ['########', 'is an error of a spreadsheet'],
  ])('by the amount %s is told how to mend it', async (amount, why) => {
    const found = await issuesOf(`${head}\nr1,lot_1,${amount}\n`);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^2 amount /);
    expect(found[0]).toContain(why);
  });

  it.each(['465000.00', '465000.5', '0.01', '999999999999.99'])(
    'is not one by the amount %s',
    async (amount) => {
      expect(await readText(`${head}\nr1,lot_1,${amount}\n`)).toMatchObject([{ amount }]);
    },
  );

  it('tells everything that is wrong, and shows its cells again', async () => {
    const [row] = await readText(`${head},dealer_id\n,#N/A,x,D-1\n`);
    expect(row).toEqual({
      line: 2,
      cells: { lot_id: '#N/A', amount: 'x', dealer_id: 'D-1' },
      issues: [
        { path: 'lot_id', message: 'is an error of a spreadsheet, not a value' },
        { path: 'row_id', message: 'is missing' },
        { path: 'amount', message: expect.stringContaining('must be a positive amount') },
      ],
    });
  });

  it.each([
    ['too few cells', 'r1,lot_1'],
    ['too many cells', 'r1,lot_1,4,65,000'],
  ])('has %s, and none of them is taken for another', async (_, line) => {
    const [row, next] = await readText(`${head}\n${line}\nr2,lot_2,1\n`);
    expect(row).toEqual({
      line: 2,
      issues: [{ path: 'row', message: expect.stringContaining('where the header has 3') }],
    });
    expect(next).toMatchObject({ rowId: 'r2' });
  });
});

describe('cells that are written and read', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('"', ',', '\n', '\r', ';', ' ', "'", '=', '+', '-', '@', '\t', 'a', '1', '₹'),
    }),
  );

  it('are the same, wherever the text is cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { maxLength: 6 }),
        fc.nat(),
        (rows, at) => {
          const text = rows.map(csvLine).join('');
          const scanner = new CsvScanner(',');
          const cut = text.length === 0 ? 0 : at % text.length;
          const records = [
            ...scanner.push(text.slice(0, cut)),
            ...scanner.push(text.slice(cut)),
            ...scanner.end(),
          ];
          expect(records.map(({ cells }) => cells.map(plainCell))).toEqual(
            rows.map((cells) => cells.map((one) => plainCell(csvSafe(one)))),
          );
          expect(records.map(({ cells }) => cells.length)).toEqual(rows.map((cells) => cells.length));
        },
      ),
    );
  });

  it('say what they said, without the white space around it', () => {
    fc.assert(
      fc.property(cell, (text) => {
        const value = text.trim();
        const [record] = new CsvScanner(',').push(csvLine([value, 'x']));
        expect(plainCell(record?.cells[0] ?? '')).toBe(value);
      }),
    );
  });

  it('are never a formula to a spreadsheet', () => {
    fc.assert(
      fc.property(cell, (text) => {
        const [record] = new CsvScanner(',').push(csvLine([text, 'x']));
        expect(record?.cells[0] ?? '').not.toMatch(/^[=+\-@\t\r]/);
      }),
    );
    expect(csvLine(['=HYPERLINK("x")', '-1', "'=1", "'a"])).toBe(`"'=HYPERLINK(""x"")",'-1,''=1,'a\r\n`);
  });

  it('that are any text at all are read or refused, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', ' ', 'r', '1', "'", '=') }),
        async (text) => {
          try {
            for (const row of await readText(`${head}\n${text}`)) expect(row.line).toBeGreaterThan(1);
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidRequestError);
            expect(String(error)).toMatch(/line \d+/);
          }
        },
      ),
    );
  });
});

/** A cell as it stands between separators. */
function csvSafe(cell: string): string {
  return new CsvScanner(',').push(csvLine([cell, 'x']))[0]?.cells[0] ?? '';
}
