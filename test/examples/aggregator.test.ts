import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { v5 } from 'uuid';
import {
  PartnerClient,
  type PartnerClientOptions,
  type Transport,
  undiciTransport,
} from 'vehicle-auction-sdk';
import { type Fault, type Sandbox, type SandboxOptions, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { describe, expect, it, vi } from 'vitest';
import { exits, runBatch } from '../../examples/aggregator/batch.js';
import { csvLine, readCsv } from '../../examples/aggregator/csv.js';
import { chainsOf, keyOf, readBids } from '../../examples/aggregator/plan.js';
import { Results } from '../../examples/aggregator/results.js';
import { root } from '../support/sources.js';

type Rows = readonly (readonly [row: string, lot: string, buyer: string, amount: string])[];

interface Settings {
  readonly sandbox?: SandboxOptions;
  readonly client?: Partial<PartnerClientOptions<'aggregator'>>;
}

/** A sandbox, a client in its time, and a folder for the files. Waits pass at once, and move that time. */
async function office({ sandbox: options, client }: Settings = {}) {
  const sandbox = await startSandbox({ clock: 'manual', rateLimit: false, ...options });
  const { aggregator } = sandbox.credentials;
  const wire = undiciTransport();
  let underWay = 0;
  const counted: Transport['send'] = async (request) => {
    underWay += 1;
    try {
      return await wire.send(request);
    } finally {
      underWay -= 1;
    }
  };
  const auction = new PartnerClient({
    baseUrl: sandbox.baseUrl,
    credentials: aggregator,
    partnerType: 'aggregator',
    dealerId: aggregator.dealerId,
    logLevel: 'off',
    quota: { limit: Number.POSITIVE_INFINITY },
    timeout: attemptMs,
    deadline: 10 * attemptMs,
    clock: eager(sandbox, () => underWay),
    transport: { send: counted, close: () => wire.close() },
    ...client,
  });
  const folder = mkdtempSync(join(tmpdir(), 'aggregator-'));
  const files = { bids: join(folder, 'bids.csv'), results: join(folder, 'results.csv') };
  const said: string[] = [];
  const stop = new AbortController();
  const lots = (label: string) => sandbox.auctions.get(label).lots;
  const run = (over: { pause?: () => Promise<unknown>; say?: (line: string) => void; batch?: string } = {}) =>
    runBatch({
      ...files,
      auction,
      batch: { id: over.batch ?? 'b1', clientId: aggregator.clientId },
      say: over.say ?? ((line) => said.push(line)),
      pause: over.pause ?? (async () => undefined),
      signal: stop.signal,
    });
  return {
    sandbox,
    files,
    said,
    stop,
    lots,
    run,
    write: (rows: Rows) => writeFileSync(files.bids, bidsFile(rows)),
    /** The result file, line by line: row, status, codes. */
    results: () =>
      readCsv(readFileSync(files.results, 'utf8'))
        .slice(1)
        .map(({ cells }) => [cells[0], cells[4], cells[5]]),
    sent: () => sandbox.attempts().filter(({ operation }) => operation === 'bids.submit'),
    [Symbol.asyncDispose]: async () => {
      await auction.close();
      await wire.close();
      await sandbox.close();
      rmSync(folder, { recursive: true });
    },
  };
}

type Office = Awaited<ReturnType<typeof office>>;

/** Longer than any wait that these tests mean to pass. */
const attemptMs = 600_000;

/** Sandbox time in which waits pass as soon as nothing is under way, and an attempt takes as long as it takes. */
function eager({ clock }: Sandbox, underWay: () => number) {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms: number, callback: () => void) => {
      if (ms >= attemptMs) return () => undefined;
      const due = clock.monotonic() + ms;
      let timer: NodeJS.Immediate;
      const look = () => {
        if (underWay() > 0) {
          timer = setImmediate(look);
          return;
        }
        clock.advance(Math.max(0, due - clock.monotonic()));
        callback();
      };
      timer = setImmediate(look);
      return () => clearImmediate(timer);
    },
  };
}

function bidsFile(rows: Rows): string {
  return [['row', 'lot', 'buyer', 'amount'], ...rows].map(csvLine).join('');
}

/** `count` rows, each for a lot of its own, at the opening price. */
function openings({ lots }: Office, count: number, label = 'live-open'): Rows {
  return lots(label)
    .slice(0, count)
    .map((lot, at) => [`r${at + 1}`, lot.id, `buyer-${at % 3}`, lot.startingPrice] as const);
}

/** What the service has committed: each key once, each body the same whenever it was sent. */
function expectOnce({ sandbox, sent }: Office, rows: number): void {
  const keys = sandbox.ledger().map(({ idempotencyKey }) => idempotencyKey);
  expect(keys).toHaveLength(rows);
  expect(new Set(keys).size).toBe(rows);
  const bodies = new Set(sent().map(({ idempotencyKey, bodySha256 }) => `${idempotencyKey} ${bodySha256}`));
  expect(bodies.size).toBe(new Set(sent().map(({ idempotencyKey }) => idempotencyKey)).size);
}

describe('the bids file', () => {
  const batch = { id: 'b1', clientId: 'cl_1' };
  const read = (text: string) => readBids(text, batch);

  it('may come from anywhere: quotes, CRLF, a byte order mark, columns in any order, more of them', () => {
    const { bids, problems } = read(
      '\uFEFFAmount,Remark,row,buyer,lot\r\n"465000","said ""now"", he\r\ndid",r1, buyer-9 ,lot_1\r\n\r\n465000.5,,r2,buyer-9,lot_1',
    );
    expect(problems).toEqual([]);
    expect(bids.map(({ key: _, ...bid }) => bid)).toEqual([
      { row: 'r1', lot: 'lot_1', buyer: 'buyer-9', amount: '465000.00' },
      { row: 'r2', lot: 'lot_1', buyer: 'buyer-9', amount: '465000.50' },
    ]);
    expect(readCsv(csvLine(['a,b', 'c"d', 'e\nf', '']))[0]?.cells).toEqual(['a,b', 'c"d', 'e\nf', '']);
  });

  it('gives every row a key that stays: UUIDv5 of client, batch and row', () => {
    const name = JSON.stringify(['cl_1', 'b1', 'r1']);
    expect(keyOf(batch, 'r1')).toBe(v5(name, '5f0c1a7e-90d3-4b8e-a3c6-2d71e4f8b905'));
    const others = [
      keyOf(batch, 'r2'),
      keyOf({ ...batch, id: 'b2' }, 'r1'),
      keyOf({ ...batch, clientId: 'cl_2' }, 'r1'),
    ];
    expect(new Set([keyOf(batch, 'r1'), ...others]).size).toBe(4);
  });

  it('is told everything that is wrong with it at once, line by line', () => {
    const rows: Rows = [
      ['r1', 'lot_1', 'buyer-9', '465000'],
      ['r2', 'lot_1', 'buyer 9', '4,65,000'],
      ['r1', 'lot_2', 'buyer-9', '465000'],
      ['r4', 'lot 2', '', '1e5'],
      ['r5', 'lot_1', 'buyer-9', '465000.00'],
      ['', 'lot_2', 'buyer-9', '0'],
    ];
    const { problems } = read(`${bidsFile(rows)}r7,lot_1,buyer-9,4,65,000\n`);
    expect(problems.map((problem) => problem.slice(0, 40))).toEqual(
      [
        'line 3: buyer "buyer 9" must be 1 to 120',
        'line 3: amount "4,65,000" must be rupees',
        'line 4: row r1 stands on line 2 too',
        'line 5: lot "lot 2" is no lot id, like l',
        'line 5: buyer "" must be 1 to 120 letters',
        'line 5: amount "1e5" must be rupees like',
        'line 6: says the same as row r1: same lot'.slice(0, 40),
        'line 7: row must be 1 to 100 characters',
        'line 7: amount "0" must be rupees like 46',
        'line 8: has 6 cells, the header 4; cells',
      ].map((problem) => problem.slice(0, 40)),
    );
  });

  it.each([
    ['', 'no column row, lot, buyer, amount'],
    ['row;lot;buyer;amount\nr1;lot_1;b;1', 'no column'],
    ['row,lot,amount\nr1,lot_1,1', 'no column buyer'],
    ['row,lot,buyer,amount\n', 'no row'],
  ])('needs its columns and a row: %j', (text, problem) => {
    expect(read(text).problems.join()).toContain(problem);
  });

  it('with a quote left open is no file at all', () => {
    expect(() => read('row,lot,buyer,amount\nr1,"lot_1,b,1\n')).toThrow(/line 2.*never closed/);
  });

  it('is bid earliest close first, and on one lot by ascending amount', () => {
    const rows: Rows = [
      ['r1', 'lot_late', 'b1', '10000'],
      ['r2', 'lot_soon', 'b1', '9000'],
      ['r3', 'lot_none', 'b1', '1'],
      ['r4', 'lot_soon', 'b2', '999.50'],
      ['r5', 'lot_soon', 'b3', '9000'],
    ];
    const closes = new Map([
      ['lot_late', 2],
      ['lot_soon', 1],
    ]);
    const chains = chainsOf(read(bidsFile(rows)).bids, closes).map((chain) => chain.map(({ row }) => row));
    expect(chains).toEqual([['r4', 'r2', 'r5'], ['r1'], ['r3']]);
  });
});

describe('a batch', () => {
  it('bids every row once, in order, and says what came of it', async () => {
    await using at = await office();
    const [open] = at.lots('live-open');
    const [sealed] = at.lots('live-closed');
    if (open === undefined || sealed === undefined) throw new Error('no lots');
    const higher = String(Number(open.startingPrice) + 5_000);
    at.write([
      ['r1', open.id, 'buyer-1', higher],
      ['r2', open.id, 'buyer-2', open.startingPrice],
      ['r3', sealed.id, 'buyer-1', sealed.startingPrice],
    ]);
    expect(await at.run()).toBe(exits.settled);
    // The sealed sale closes first; and the higher bid on the open lot comes behind the lower.
    expect(at.sandbox.ledger().map(({ lotId, amount }) => [lotId, Number(amount)])).toEqual([
      [sealed.id, Number(sealed.startingPrice)],
      [open.id, Number(open.startingPrice)],
      [open.id, Number(higher)],
    ]);
    expect(at.results()).toEqual([
      ['r1', 'accepted', ''],
      ['r2', 'accepted', ''],
      ['r3', 'accepted', ''],
    ]);
    const written = readCsv(readFileSync(at.files.results, 'utf8'));
    const [, , bidIds] = at.sandbox.ledger();
    expect(written[1]?.cells.slice(6)).toEqual([bidIds?.bidId, bidIds?.idempotencyKey]);
    expect(at.said.at(-1)).toBe('3 accepted');
  });

  it('with one bad row sends nothing, not even a question', async () => {
    await using at = await office();
    at.write([...openings(at, 3), ['r4', 'lot_1', 'buyer-9', '4,65,000']]);
    expect(await at.run()).toBe(exits.nothingSent);
    expect(at.said.join('\n')).toContain('line 5: amount "4,65,000" must be rupees');
    expect(at.sandbox.attempts()).toEqual([]);
    expect(existsSync(at.files.results)).toBe(false);
  });

  it('run twice bids once, with its results and without them', async () => {
    await using at = await office();
    at.write(openings(at, 5));
    expect(await at.run()).toBe(exits.settled);
    const requests = at.sandbox.attempts().length;
    expect(await at.run()).toBe(exits.settled);
    expect(at.sandbox.attempts()).toHaveLength(requests);
    rmSync(at.files.results);
    expect(await at.run()).toBe(exits.settled);
    expect(at.sent()).toHaveLength(10);
    expectOnce(at, 5);
    expect(at.said.join('\n')).toContain('recorded earlier');
  });

  it('may grow: new rows are bid, and the old ones stay', async () => {
    await using at = await office();
    at.write(openings(at, 2));
    await at.run();
    at.write(openings(at, 4));
    expect(await at.run()).toBe(exits.settled);
    expectOnce(at, 4);
    expect(at.results().map(([row]) => row)).toEqual(['r1', 'r2', 'r3', 'r4']);
  });

  it.each([
    [
      'another amount',
      'has changed since it was begun',
      ([row, lot, buyer]: Rows[number]) => [row, lot, buyer, '999999'] as const,
      'b1',
    ],
    [
      'another buyer',
      'has changed since it was begun',
      ([row, lot, , amount]: Rows[number]) => [row, lot, 'buyer-77', amount] as const,
      'b1',
    ],
    ['another batch id', 'was begun in another batch', (row: Rows[number]) => row, 'b2'],
  ])('that was begun takes no row with %s', async (_, problem, change, batch) => {
    await using at = await office();
    const [first, ...rest] = openings(at, 2);
    if (first === undefined) throw new Error('no rows');
    at.write([first, ...rest]);
    await at.run();
    const requests = at.sandbox.attempts().length;
    at.write([change(first), ...rest]);
    expect(await at.run({ batch })).toBe(exits.nothingSent);
    expect(at.said.join('\n')).toContain(`row r1 ${problem}`);
    expect(at.sandbox.attempts()).toHaveLength(requests);
  });

  it('sends nothing where its results cannot be written down first', async () => {
    await using at = await office();
    at.write(openings(at, 3));
    vi.spyOn(Results.prototype, 'open').mockImplementationOnce(() => {
      throw new Error('no space left');
    });
    await expect(at.run()).rejects.toThrow('no space left');
    expect(at.sent()).toEqual([]);
  });

  it('is not begun by a client that is not who it thinks', async () => {
    await using at = await office({ client: { dealerId: 'D-999' } });
    at.write(openings(at, 3));
    expect(await at.run()).toBe(exits.nothingSent);
    expect(at.said.join('\n')).toContain('dealer_id: expected D-999, found D-415');
    expect(at.sent()).toEqual([]);
  });

  it('knows its results again after a spreadsheet has saved them', async () => {
    await using at = await office();
    at.write(openings(at, 3));
    await at.run();
    const saved = readFileSync(at.files.results, 'utf8').replaceAll('.00,', ',').replaceAll('\n', '\r\n');
    writeFileSync(at.files.results, `\uFEFF${saved}`);
    at.write(openings(at, 4));
    expect(await at.run(), at.said.join('\n')).toBe(exits.settled);
    expect(at.sent()).toHaveLength(4);
  });

  it('keeps the results of rows that were settled and are gone', async () => {
    await using at = await office();
    at.write(openings(at, 3));
    await at.run();
    at.write(openings(at, 4).slice(2));
    expect(await at.run()).toBe(exits.settled);
    expect(at.results().map(([row]) => row)).toEqual(['r3', 'r4', 'r1', 'r2']);
    expectOnce(at, 4);
  });

  it('leaves a file that is not its own alone', async () => {
    await using at = await office();
    at.write(openings(at, 1));
    for (const text of ['a note without an end', 'a,b\nc,d\n', readFileSync(at.files.bids, 'utf8')]) {
      writeFileSync(at.files.results, text);
      await expect(at.run()).rejects.toThrow('is no result file');
      expect(readFileSync(at.files.results, 'utf8')).toBe(text);
    }
    expect(at.sandbox.attempts()).toEqual([]);
  });
});

describe('whatever goes wrong in the middle', () => {
  const faults: readonly Fault[] = [
    { fault: 'drop_after_commit' },
    { fault: 'drop_before_commit' },
    { fault: 'error_before_commit' },
    { fault: 'error_after_commit' },
    { fault: 'rate_limit' },
    { fault: 'rate_limit', commit: true },
    { fault: 'truncate' },
    { fault: 'garbage', status: 403 },
    { fault: 'redirect', commit: true },
  ];

  it.each(faults.flatMap((fault) => [1, 4, 11].map((times) => [fault.fault, times, fault] as const)))(
    '%s, %i times in a row: every row is settled, and every bid is there once',
    async (_, times, fault) => {
      await using at = await office();
      at.write(openings(at, 10));
      at.sandbox.inject({ ...fault, operation: 'bids.submit', nth: 3, times });
      expect(await at.run()).toBe(exits.settled);
      expect(at.results().map(([, status]) => status)).toEqual(Array(10).fill('accepted'));
      expectOnce(at, 10);
    },
  );

  it('look-ups that fail too', async () => {
    await using at = await office();
    at.write(openings(at, 4));
    at.sandbox.inject({ operation: 'bids.submit', fault: 'error_after_commit', nth: 2, times: 9 });
    at.sandbox.inject({ operation: 'A06', fault: 'error_before_commit', times: 7 });
    at.sandbox.inject({ operation: 'A05', fault: 'garbage', times: 5 });
    expect(await at.run()).toBe(exits.settled);
    expectOnce(at, 4);
  });

  it('a service that stays down: the rest is unknown or not sent, and the next run settles it', async () => {
    await using at = await office();
    at.write(openings(at, 6));
    const mend = at.sandbox.inject({
      operation: 'bids.submit',
      fault: 'error_after_commit',
      nth: 3,
      times: 999,
    });
    const blind = at.sandbox.inject({ operation: 'A06', fault: 'error_before_commit', times: 999 });
    expect(await at.run()).toBe(exits.unknown);
    expect(at.results().map(([, status]) => status)).toContain('unknown');
    expect(at.said.at(-1)).toContain('neither success nor failure');
    mend();
    blind();
    expect(await at.run()).toBe(exits.settled);
    expectOnce(at, 6);
  });

  it.each([
    ['the client keeps to the limit', { client: { quota: { limit: 10 } } }, 0],
    ['the client does not, and is told to wait', {}, 1],
  ])('a limit of ten requests a minute, where %s', async (_, settings, least) => {
    await using at = await office({ sandbox: { rateLimit: 10 }, ...settings });
    at.write(openings(at, 25));
    expect(await at.run()).toBe(exits.settled);
    expectOnce(at, 25);
    const limited = at.sandbox.attempts().filter(({ status }) => status === 429).length;
    if (least === 0) expect(limited).toBe(0);
    else expect(limited).toBeGreaterThanOrEqual(least);
  });
});

describe('a row that is rejected', () => {
  async function lateBid(at: Office): Promise<void> {
    const [lot] = at.lots('live-open');
    if (lot === undefined) throw new Error('no lots');
    at.sandbox.rival.bid(lot.id, lot.startingPrice);
    at.write(openings(at, 3));
  }

  it('stays rejected, and is never sent again', async () => {
    await using at = await office();
    await lateBid(at);
    expect(await at.run()).toBe(exits.settled);
    expect(at.results()[0]).toEqual(['r1', 'rejected', 'BID_BELOW_MINIMUM']);
    await at.run();
    expect(at.sent()).toHaveLength(3);
    // Without the results it can't be known to be settled; then it is the same bid that is sent, and rejected still.
    rmSync(at.files.results);
    expect(await at.run()).toBe(exits.settled);
    expect(at.results()[0]).toEqual(['r1', 'rejected', 'BID_BELOW_MINIMUM']);
    expect(new Set(at.sent().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3);
    expect(at.sandbox.ledger()).toHaveLength(3);
  });

  it('while its answer is lost is looked up, with every code, and not sent again', async () => {
    await using at = await office();
    await lateBid(at);
    const [first] = openings(at, 1);
    if (first === undefined) throw new Error('no rows');
    at.write([[first[0], first[1], first[2], String(Number(first[3]) - 1_000)]]);
    at.sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit', times: 3 });
    expect(await at.run()).toBe(exits.settled);
    expect(at.results()).toEqual([['r1', 'rejected', 'BID_OFF_OPENING_GRID BID_BELOW_MINIMUM']]);
    expect(at.sent()).toHaveLength(3);
  });
});

describe('a row that stays unknown', () => {
  /** The third of the three copies is lost like the others, and the service never saw any. */
  async function lost(at: Office, during: () => void): Promise<number> {
    const [lot] = at.lots('live-open');
    if (lot === undefined) throw new Error('no lots');
    at.write([
      ['r1', lot.id, 'buyer-1', lot.startingPrice],
      ['r2', lot.id, 'buyer-2', String(Number(lot.startingPrice) + 5_000)],
    ]);
    at.sandbox.inject({ operation: 'bids.submit', fault: 'error_before_commit', times: 3 });
    return at.run({ pause: async () => during() });
  }

  it('holds back the higher bids on its lot, and is not sent again past the close', async () => {
    await using at = await office();
    const { closesAt } = at.sandbox.auctions.get('live-open');
    expect(await lost(at, () => at.sandbox.auctions.close('live-open'))).toBe(exits.unknown);
    expect(at.results()).toEqual([
      ['r1', 'unknown', ''],
      ['r2', 'not_sent', ''],
    ]);
    expect(at.sent()).toHaveLength(3);
    expect(await at.run()).toBe(exits.unknown);
    const keys = new Set(at.sent().map(({ idempotencyKey }) => idempotencyKey));
    expect([at.sent().length, keys.size]).toEqual([3, 1]);
    at.sandbox.auctions.moveClose('live-open', closesAt); // and extended again
    expect(await at.run()).toBe(exits.settled);
    expectOnce(at, 2);
  });

  it('is not called refused because a later copy of it is', async () => {
    await using at = await office();
    const { clientId } = at.sandbox.credentials.aggregator;
    const { emdUntil } = at.sandbox.partners.get(clientId);
    expect(await lost(at, () => at.sandbox.partners.update(clientId, { emdUntil: 0 }))).toBe(exits.unknown);
    expect(at.sent().some(({ status }) => status === 403)).toBe(true);
    expect(at.results()[0]).toEqual(['r1', 'unknown', '']);
    at.sandbox.partners.update(clientId, { emdUntil });
    expect(await at.run()).toBe(exits.settled);
    expectOnce(at, 2);
  });

  it('cannot be taken out of the file', async () => {
    await using at = await office();
    await lost(at, () => at.sandbox.auctions.close('live-open'));
    at.write(openings(at, 3).slice(1));
    expect(await at.run()).toBe(exits.nothingSent);
    expect(at.said.join('\n')).toContain('row r1 is unsettled: put it back');
  });
});

describe('a row that is refused', () => {
  it('is sent again under its key once what is wrong has been mended', async () => {
    await using at = await office();
    const { clientId } = at.sandbox.credentials.aggregator;
    const { emdUntil } = at.sandbox.partners.get(clientId);
    at.write(openings(at, 2));
    at.sandbox.partners.update(clientId, { emdUntil: 0 });
    expect(await at.run()).toBe(exits.incomplete);
    expect(at.results()).toEqual([
      ['r1', 'refused', 'EMD_EXPIRED'],
      ['r2', 'refused', 'EMD_EXPIRED'],
    ]);
    at.sandbox.partners.update(clientId, { emdUntil });
    expect(await at.run()).toBe(exits.settled);
    expectOnce(at, 2);
  });
});

describe('a key that stands for another bid', () => {
  it.each([
    ['as the service says', 0],
    ['as a look-up shows', 3],
  ])('%s, leaves the row unknown and untouched', async (_, lost) => {
    await using at = await office();
    const [first] = openings(at, 1);
    if (first === undefined) throw new Error('no rows');
    at.write([first]);
    await at.run();
    rmSync(at.files.results); // or else the change would be seen before anything is sent
    at.write([[first[0], first[1], first[2], String(Number(first[3]) + 5_000)]]);
    if (lost > 0) at.sandbox.inject({ operation: 'bids.submit', fault: 'error_before_commit', times: lost });
    for (const _again of [1, 2]) {
      expect(await at.run()).toBe(exits.unknown);
      expect(at.results()).toEqual([['r1', 'unknown', 'IDEMPOTENCY_CONFLICT']]);
      expect(at.sent()).toHaveLength(1 + Math.max(1, lost));
      const lookUps = at.sandbox.attempts().filter(({ operation }) => operation === 'A06');
      expect(lookUps).toHaveLength(lost > 0 ? 1 : 0);
    }
    expect(at.sandbox.ledger()).toHaveLength(1);
  });
});

describe('a run that is stopped', () => {
  it('by its signal settles what is under way and sends no more', async () => {
    await using at = await office();
    at.write(openings(at, 12));
    const end = await at.run({
      say: (line) => {
        at.said.push(line);
        if (line.includes('accepted as')) at.stop.abort();
      },
    });
    expect(end).toBe(exits.incomplete);
    const accepted = at.results().filter(([, status]) => status === 'accepted');
    expect(accepted.length).toBe(at.sandbox.ledger().length);
    expect(accepted.length).toBeLessThanOrEqual(4);
    expect(at.results().filter(([, status]) => status === 'not_sent')).toHaveLength(12 - accepted.length);
  });

  it('at any byte of its results is taken up again, and doubles nothing', async () => {
    await using at = await office();
    at.write(openings(at, 3));
    const log: string[] = [];
    const spy = vi.spyOn(Results.prototype, 'finish').mockImplementationOnce(() => {
      log.push(readFileSync(at.files.results, 'utf8'));
    });
    await at.run();
    spy.mockRestore();
    const [whole = ''] = log;
    const bid = { row: 'r9', lot: 'lot_9', buyer: 'b', amount: '1.00', key: 'k' };
    const note = { ...bid, status: 'refused', codes: ['EMD_EXPIRED', 'KYB_REQUIRED'], bidId: '' } as const;
    expect(whole.split('\n')).toHaveLength(1 + 2 * 3 + 1);
    for (let length = 0; length <= whole.length; length += 1) {
      writeFileSync(at.files.results, whole.slice(0, length));
      if (length % 7 === 0 || length === whole.length) {
        expect(await at.run(), `cut at ${length}`).toBe(exits.settled);
        continue;
      }
      const results = Results.read(at.files.results);
      results.open();
      results.note(note);
      expect(Results.read(at.files.results).of('r9'), `cut at ${length}`).toEqual(note);
      results.finish([]);
    }
    expect(at.results().map(([, status]) => status)).toEqual(['accepted', 'accepted', 'accepted']);
    expectOnce(at, 3);
  });
});

describe('the program', () => {
  const program = ['--import', 'tsx', 'examples/aggregator/main.ts'];

  function environment({ sandbox }: Office) {
    const { clientId, keyId, signingSecret, dealerId } = sandbox.credentials.aggregator;
    return {
      ...process.env,
      VEHICLE_AUCTION_BASE_URL: sandbox.baseUrl,
      VEHICLE_AUCTION_CLIENT_ID: clientId,
      VEHICLE_AUCTION_KEY_ID: keyId,
      VEHICLE_AUCTION_SIGNING_SECRET: signingSecret,
      VEHICLE_AUCTION_DEALER_ID: dealerId,
    };
  }

  function start(args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    return startWith(process.execPath, [...program, ...args], env);
  }

  function startWith(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    const child = spawn(command, args, { cwd: root, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
      child.once('close', (code, signal) => resolve(code ?? signal)),
    );
    return { child, ended, output: () => output };
  }

  const argumentsOf = ({ files }: Office) => [files.bids, '--batch', 'b1', '--results', files.results];
  const held = (at: Office) => at.sent().filter(({ status }) => status === 'pending');

  it('shows in the sandbox what it does, and ends by itself', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'aggregator-')); // the sample stays, to be looked at
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...program, '--sandbox'], {
      cwd: root,
      env: { ...process.env, TMPDIR: folder },
    });
    rmSync(folder, { recursive: true });
    expect(stderr).toBe('');
    for (const told of [
      'found by resending',
      'rejected BID_BELOW_MINIMUM',
      '8 accepted, 1 rejected',
      'and 0 more',
    ]) {
      expect(stdout).toContain(told);
    }
    expect(stdout).not.toContain('secret');
  });

  it.each([[[]], [['bids.csv']], [['bids.csv', '--batch', 'a/b']], [['--nonsense']]])(
    'tells how it is called: %j',
    async (args) => {
      const { ended, output } = start(args);
      expect(await ended).toBe(exits.nothingSent);
      expect(output()).toMatch(/main\.ts <bids\.csv> --batch <id>|--nonsense/);
    },
  );

  it('says which variable is missing', async () => {
    await using at = await office();
    at.write(openings(at, 2));
    const { ended, output } = start(argumentsOf(at), { ...environment(at), VEHICLE_AUCTION_DEALER_ID: '' });
    expect(await ended).toBe(exits.nothingSent);
    expect(output()).toContain('VEHICLE_AUCTION_DEALER_ID must be set');
    expect(at.sandbox.attempts()).toEqual([]);
  });

  it('refuses bad rows before the network', async () => {
    await using at = await office();
    at.write([...openings(at, 2), ['r3', 'lot_1', 'no one', '12']]);
    const { ended, output } = start(argumentsOf(at), environment(at));
    expect(await ended).toBe(exits.nothingSent);
    expect(output()).toContain('line 4: buyer "no one"');
    expect(at.sandbox.attempts()).toEqual([]);
  });

  it('on a full disk stops before it sends what it cannot note, and goes on the next time', async () => {
    await using at = await office();
    at.write(openings(at, 20));
    const limited = `ulimit -f 2; exec "$0" "$@"`;
    const first = startWith(
      'sh',
      ['-c', limited, process.execPath, ...program, ...argumentsOf(at)],
      environment(at),
    );
    expect(await first.ended, first.output()).toBe(exits.unknown);
    expect(first.output()).toContain('Stopped: EFBIG');
    const begun = new Set(readCsv(readFileSync(at.files.results, 'utf8')).map(({ cells }) => cells[7]));
    expect(at.sent().length).toBeGreaterThan(0);
    expect(at.sent().filter(({ idempotencyKey }) => !begun.has(idempotencyKey ?? ''))).toEqual([]);
    expect(at.sent().length).toBeLessThan(20);

    const second = start(argumentsOf(at), environment(at));
    expect(await second.ended, second.output()).toBe(exits.settled);
    expectOnce(at, 20);
  });

  it.each(['delay', 'delay_after_commit'] as const)(
    'killed in the middle (%s) and run again doubles nothing and loses nothing',
    async (fault) => {
      await using at = await office();
      at.write(openings(at, 9));
      at.sandbox.inject({ operation: 'bids.submit', fault, ms: 1_000, nth: 3, times: 4 });
      const first = start(argumentsOf(at), environment(at));
      await vi.waitFor(() => expect(held(at)).toHaveLength(4), { timeout: 20_000 });
      first.child.kill('SIGKILL');
      expect(await first.ended).toBe('SIGKILL');
      const lastSaid = new Map(at.results().map(([row, status]) => [row, status]));
      expect([...lastSaid.values()].sort()).toEqual(['accepted', 'accepted', ...Array(4).fill('unknown')]);
      // What had left arrives all the same.
      at.sandbox.clock.advance(1_000);
      await vi.waitFor(() => expect(at.sandbox.ledger()).toHaveLength(6), { timeout: 20_000 });

      const second = start(argumentsOf(at), environment(at));
      expect(await second.ended, second.output()).toBe(exits.settled);
      expect(second.output()).toContain('found by looking it up');
      expect(at.results().map(([, status]) => status)).toEqual(Array(9).fill('accepted'));
      expectOnce(at, 9);
    },
  );

  it('on Ctrl-C settles what is under way and sends no more', async () => {
    await using at = await office();
    at.write(openings(at, 9));
    at.sandbox.inject({ operation: 'bids.submit', fault: 'delay', ms: 1_000, nth: 1, times: 4 });
    const { child, ended, output } = start(argumentsOf(at), environment(at));
    await vi.waitFor(() => expect(held(at)).toHaveLength(4), { timeout: 20_000 });
    child.kill('SIGINT');
    await vi.waitFor(() => expect(output()).toContain('Stopping'), { timeout: 20_000 });
    at.sandbox.clock.advance(1_000);
    expect(await ended).toBe(exits.incomplete);
    expect(output()).toContain('4 accepted, 5 not sent');
    expectOnce(at, 4);
  });
});
