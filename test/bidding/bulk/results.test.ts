import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bulkKey } from '../../../src/bidding/bulk/key.js';
import { readBidsCsv } from '../../../src/bidding/bulk/read-bids-csv.js';
import type { BulkResult } from '../../../src/bidding/bulk/result.js';
import { resultsCsv, resultsLine } from '../../../src/bidding/bulk/results-csv.js';
import { openResultsCsv, writeResultsCsv } from '../../../src/bidding/bulk/results-file.js';
import type { BulkRow } from '../../../src/bidding/bulk/row.js';
import type { BidOutcome } from '../../../src/bidding/outcome.js';
import { desk, outcome, row, unknown } from './desk.js';

const folder = mkdtempSync(join(tmpdir(), 'bulk-results-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
function newPath(): string {
  files += 1;
  return join(folder, `results-${files}.csv`);
}

const header =
  'row_id,lot_id,amount,bidder_reference,dealer_id,client_bid_time,place_by,closes_at,batch_id,status,idempotency_key,bid_id,codes,attempts,what,next_step,bid_check\r\n';

async function textOf(
  results: AsyncIterable<BulkResult<BulkRow>> | Iterable<BulkResult<BulkRow>>,
): Promise<string> {
  let text = '';
  for await (const line of resultsCsv(results)) text += line;
  return text;
}

/** Places a CSV file, and gives its results as CSV. */
async function placed(text: string, settings: Parameters<typeof desk>[0] = {}, batchId = 'b1') {
  const at = desk(settings);
  const run = at.placeAll(readBidsCsv([text]), { batchId, onInvalid: 'report', concurrency: 1 });
  const { results, summary } = await at.end(run);
  return { at, results, summary, csv: await textOf(results) };
}

const bids = `row_id,lot_id,amount,bidder_reference
r1,lot_1,100,buyer-1
r2,lot_2,200.5,buyer-1
r3,lot_3,300,buyer-2
r4,lot_4,400,buyer-2
`;

describe('a result file', () => {
  it('has the row, and what became of it', async () => {
    const rejection: BidOutcome = {
      ...outcome('rejected', bulkKey('cl_1', 'b1', 'r1')),
      codes: ['BID_BELOW_MINIMUM', 'LOT_NOT_LIVE'],
      what: 'The service rejected it, "twice".',
    };
    const at = desk({ answers: { r1: () => rejection } });
    const rows = [
      row('r1', '', '100', {
        lot: { lot_id: 'lot_1', effective_close_at: null },
        dealerId: 'D-9',
        placeBy: new Date('2026-03-02T07:00:00Z'),
        closesAt: Date.parse('2026-03-02T08:00:00Z'),
      }),
    ];
    const { results } = await at.end(at.placeAll(rows));
    const check = results[0]?.status === 'rejected' ? results[0].bidCheck : '';
    expect(check).toMatch(/^[0-9a-f-]{36}$/);
    expect(await textOf(results)).toBe(
      `${header}r1,lot_1,100,buyer-1,D-9,,2026-03-02T07:00:00.000Z,2026-03-02T08:00:00.000Z,b1,rejected,${rejection.idempotencyKey},,BID_BELOW_MINIMUM LOT_NOT_LIVE,1,"The service rejected it, ""twice"".",Go on.,${check}\r\n`,
    );
  });

  it('has the id of a bid that only a person can settle, where the service has said it', async () => {
    const said = { status: 'accepted', bidId: 'bid_7', codes: [] } as const;
    const key = bulkKey('cl_1', 'b1', 'r1');
    const answer = unknown(key, { quarantined: { reason: 'it is strange', said } });
    const { csv } = await placed(bids, { answers: { r1: () => answer } });
    expect(csv).toContain(`,unknown,${key},bid_7,`);
  });

  it('has the cells of a row that is wrong, but those of one that came apart only by its line', async () => {
    const { csv } = await placed('row_id,lot_id,amount\nr1,lot_1,4.65E+05\nr2,lot_2,4,65,000\n');
    const [, first, second] = csv.split('\r\n');
    expect(first).toMatch(/^r1,lot_1,4\.65E\+05,,,,,,b1,invalid,,,,0,"?amount was shortened/);
    expect(second).toMatch(/^,,,,,,,,b1,invalid,,,,0,"row has 5 cells/);
  });

  it('shows of rows that are no rows what is text, and no formula anywhere', async () => {
    const rows: BulkRow[] = JSON.parse(
      '[null, {"rowId":"=1+1","lot":{"a":1},"amount":7,"bidderReference":["x"]}]',
    );
    const at = desk();
    const { results } = await at.end(at.placeAll(rows));
    const lines = (await textOf(results)).split('\r\n');
    expect(lines[1]).toMatch(/^,,,,,,,,b1,invalid,/);
    expect(lines[2]).toMatch(/^'=1\+1,,7,,,,,,b1,invalid,/);
  });
});

describe('a result file that is placed again', () => {
  it('leaves what is settled, places what is not, and needs no journal for it', async () => {
    const first = await placed(bids, { answers: { r2: 'rejected', r3: 'unknown', r4: 'refused' } });
    expect(first.at.placings).toHaveLength(4);
    const second = await placed(first.csv);
    expect(second.at.placings.map(({ rowId }) => rowId)).toEqual(['r3', 'r4']);
    for (const { bid, rowId } of second.at.placings) {
      expect(bid).toEqual(first.at.placings.find((one) => one.rowId === rowId)?.bid);
    }
    expect(second.summary).toMatchObject({ isComplete: true, counts: { accepted: 3, rejected: 1 } });
    const [r1, r2] = second.results;
    expect(r1).toMatchObject({
      rowId: 'r1',
      earlier: true,
      status: 'accepted',
      outcome: { ...outcome('accepted', bulkKey('cl_1', 'b1', 'r1')), bidId: expect.stringMatching(/^bid_/) },
    });
    expect(r2).toMatchObject({ rowId: 'r2', earlier: true, codes: ['BID_BELOW_MINIMUM'] });
    const third = await placed(second.csv);
    expect(third.at.placings).toEqual([]);
    expect(third.csv).toBe(second.csv);
  });

  it('may have grown by new rows', async () => {
    const first = await placed(bids);
    const second = await placed(`${first.csv}r5,lot_5,500,buyer-1${','.repeat(13)}\r\n`);
    expect(second.at.placings.map(({ rowId }) => rowId)).toEqual(['r5']);
  });

  it('may have been through a spreadsheet', async () => {
    const first = await placed(bids, { answers: { r3: 'unknown' } });
    const saved = first.csv
      .replaceAll('200.5', '200.50')
      .split('\r\n')
      .map((line) => line.replaceAll(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/g, ';'))
      .join('\n');
    const second = await placed(`\uFEFF${saved}`);
    expect(second.at.placings.map(({ rowId }) => rowId)).toEqual(['r3']);
    expect(second.summary.isComplete).toBe(true);
  });

  it.each<[what: string, spoil: (csv: string) => string, path: string, batchId?: string]>([
    ['is of another batch', (csv) => csv, 'batch_id', 'b2'],
    ['has another amount on a settled row', (csv) => csv.replace('lot_1,100,', 'lot_1,150,'), 'row'],
    ['has another buyer on a settled row', (csv) => csv.replace('100,buyer-1', '100,buyer-7'), 'row'],
    ['has another lot on a row in doubt', (csv) => csv.replace('lot_3,300', 'lot_9,300'), 'row'],
    ['has another row id', (csv) => csv.replace('r1,lot_1', 'r9,lot_1'), 'idempotency_key'],
    ['lacks what a settled row was', (csv) => csv.replace(/,[0-9a-f-]{36}\r\n/, ',\r\n'), 'bid_check'],
  ])('is refused where it %s', async (_, spoil, path, batchId) => {
    const first = await placed(bids, { answers: { r3: 'unknown' } });
    const spoilt = spoil(first.csv);
    const at = desk();
    const run = at.placeAll(readBidsCsv([spoilt]), { batchId: batchId ?? 'b1' });
    const { results } = await at.end(run);
    expect(at.placings).toEqual([]);
    const wrong = results.flatMap(({ status, issues }) =>
      status === 'invalid' ? issues.map((issue) => issue.path) : [],
    );
    expect(wrong).toContain(path);
  });

  it('says of an edited row what the bid is that was placed under its id', async () => {
    const first = await placed(bids, { answers: { r3: 'unknown' } });
    const edited = first.csv.replace('lot_1,100,', 'lot_1,150,').replace('lot_3,300', 'lot_9,300');
    const { results } = await placed(edited);
    const steps = Object.fromEntries(results.map(({ rowId, nextStep }) => [rowId, nextStep]));
    expect(steps).toMatchObject({
      r1: expect.stringContaining('the earlier bid under this row id is accepted'),
      r3: expect.stringContaining('the earlier bid under this row id is unknown'),
    });
  });

  it('is refused where another client wrote it', async () => {
    const first = await placed(bids);
    const at = desk({ parts: { clientId: async () => 'cl_2' } });
    const { results } = await at.end(at.placeAll(readBidsCsv([first.csv])));
    expect(at.placings).toEqual([]);
    expect(results[0]?.what).toContain('another API client');
  });

  it('lets a wrong row be mended, and one that was never placed be changed', async () => {
    const first = await placed(
      bids.replace('300', 'much').replace('buyer-1\nr2', 'buyer-1\nr1b,lot_1,150,buyer-1\nr2'),
      {
        answers: { r1: 'unknown' },
      },
    );
    expect(first.results.map(({ rowId, status }) => `${rowId} ${status}`)).toContain('r1b not_sent');
    const mended = first.csv.replace('much', '300').replace('r1b,lot_1,150', 'r1b,lot_1,175');
    const second = await placed(mended);
    expect(second.at.placings.map(({ rowId, bid }) => [rowId, bid.amount]).sort()).toEqual([
      ['r1', '100.00'],
      ['r1b', '175.00'],
      ['r3', '300.00'],
    ]);
  });

  it('that ends in the middle of a line is refused by that line', async () => {
    const first = await placed(bids);
    for (const length of [first.csv.length - 40, first.csv.length - 90]) {
      const at = desk();
      const run = at.placeAll(readBidsCsv([first.csv.slice(0, length)]));
      const { summary } = await at.end(run);
      expect(summary).toMatchObject({ stopped: { by: 'invalid_rows' }, counts: { invalid: 1 } });
    }
  });
});

describe('writing results to a file', () => {
  it('writes each row as it settles, so that it can be read at every moment', async () => {
    const path = newPath();
    const at = desk({ takes: (rowId) => (rowId === 'r2' ? 5_000 : 100) });
    const run = at.placeAll([row('r1', 'lot_1', '1'), row('r2', 'lot_2', '1')]);
    const writing = writeResultsCsv(run, path);
    await at.clock.advance(1_000);
    await until(() => readFileSync(path, 'utf8').includes('accepted'));
    const half = await rowsOf(path);
    expect(half.map(({ rowId }) => rowId)).toEqual(['r1']);
    await at.clock.advance(10_000);
    expect(await writing).toMatchObject({ isComplete: true });
    expect((await rowsOf(path)).map(({ rowId }) => rowId)).toEqual(['r1', 'r2']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('overwrites nothing unless told, and then keeps what was there', async () => {
    const path = newPath();
    writeFileSync(path, 'precious');
    const at = desk();
    const run = at.placeAll([row('r1', 'lot_1', '1')]);
    await expect(writeResultsCsv(run, path)).rejects.toMatchObject({ cause: { code: 'EEXIST' } });
    const { summary } = await at.end(run);
    expect(summary.stopped?.by).toBe('signal');
    expect(at.placings).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe('precious');

    const file = openResultsCsv(path, { replace: true });
    await file.close();
    expect(readFileSync(path, 'utf8')).toBe(header);
    expect(readFileSync(`${path}.old`, 'utf8')).toBe('precious');
    await openResultsCsv(newPath(), { replace: true }).close();
  });

  it('writes from a loop, and closes once', async () => {
    const path = newPath();
    const at = desk();
    const file = openResultsCsv(path);
    const rows = Array.from({ length: 50 }, (_, index) => row(`r${index}`, `lot_${index}`, '1'));
    const { results } = await at.end(at.placeAll(rows));
    await Promise.all(results.map((result) => file.write(result)));
    await Promise.all([file.close(), file.close()]);
    expect(await rowsOf(path)).toHaveLength(50);
  });

  it('closes behind what is still to be written', async () => {
    const path = newPath();
    const at = desk();
    const { results } = await at.end(at.placeAll([row('r1', 'lot_1', '1'), row('r2', 'lot_2', '1')]));
    const file = openResultsCsv(path);
    const writes = results.map((result) => file.write(result));
    await file.close();
    await Promise.all(writes);
    expect(readFileSync(path, 'utf8')).toBe(header + results.map(resultsLine).join(''));
  });
});

async function rowsOf(path: string) {
  const rows = [];
  for await (const one of readBidsCsv(path)) rows.push(one);
  return rows;
}

/** Real files take real time; nothing depends on how much. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
