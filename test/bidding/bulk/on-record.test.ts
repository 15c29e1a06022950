import { describe, expect, it } from 'vitest';
import { bulkKey } from '../../../src/bidding/bulk/key.js';
import type { BulkParts, RecordedBid } from '../../../src/bidding/bulk/parts.js';
import type { BulkRow, EarlierResult } from '../../../src/bidding/bulk/row.js';
import type { BidOutcome } from '../../../src/bidding/outcome.js';
import { JournalError } from '../../../src/errors/journal.js';
import { memoryJournal } from '../../../src/intents/memory-journal.js';
import { toPaise } from '../../../src/money/paise.js';
import { Scene } from '../../support/bidders.js';
import { settle } from '../../support/virtual-clock.js';
import { desk, outcome, row, unknown } from './desk.js';
import { expectOnce, office, openings, place } from './office.js';

const keyOf = (rowId: string) => bulkKey('cl_1', 'b1', rowId);

/** A journal that has these rows, each as they are given and with its outcome. */
function journal(...rows: readonly (readonly [BulkRow, BidOutcome])[]): BulkParts['recorded'] {
  const bids = new Map<string, RecordedBid>();
  for (const [{ rowId, lot, amount, bidderReference }, outcomeOfIt] of rows) {
    const lotId = String(lot);
    const content = { lotId, paise: toPaise(amount), bidderReference, dealerId: 'D-1' };
    bids.set(keyOf(rowId), { outcome: outcomeOfIt, content });
  }
  return async (key) => bids.get(key);
}

const failing = new JournalError({ fault: 'unavailable', what: 'It is away.', nextStep: 'Wait.' });

describe('rows that a run leaves out', () => {
  const rows = [1, 2, 3].map((number) => row(`r${number}`, `lot_${number}`, `${number}`));
  const [first, second, third] = rows;
  if (first === undefined || second === undefined || third === undefined) throw new Error('no rows');
  const wrong = row('bad', '', '1');

  it('are told as they stand on record, with why they were left out', async () => {
    const accepted = outcome('accepted', keyOf('r1'));
    const doubted = unknown(keyOf('r2'), { attempts: 1, what: 'It may stand.', nextStep: 'Reconcile it.' });
    const recorded = journal([first, accepted], [second, doubted]);
    const at = desk({ parts: { recorded } });
    const { results, summary } = await at.end(at.placeAll([...rows, wrong]));
    const why = 'A row of the batch is wrong, so none was begun.';
    expect(results.filter(({ status }) => status !== 'invalid')).toMatchObject([
      {
        rowId: 'r1',
        status: 'accepted',
        earlier: true,
        what: `It is accepted. This run didn't look at it: ${why}`,
        nextStep: 'Go on.',
        bidCheck: expect.stringMatching(/./),
      },
      {
        rowId: 'r2',
        status: 'unknown',
        earlier: false,
        what: `It may stand. This run didn't look at it: ${why}`,
        nextStep: 'Reconcile it.',
        outcome: { attempts: 1 },
      },
      { rowId: 'r3', status: 'not_sent', what: why, outcome: { attempts: 0 } },
    ]);
    expect(results.at(-1)).not.toHaveProperty('bidCheck');
    expect(summary).toMatchObject({
      inDoubt: [keyOf('r2')],
      counts: { accepted: 1, unknown: 1, not_sent: 1, invalid: 1 },
    });
    expect(at.placings).toEqual([]);
  });

  it('and were not sent before, say how they are', async () => {
    const withdrawn = outcome('not_sent', keyOf('r1'));
    const at = desk({ parts: { recorded: journal([first, withdrawn]) } });
    const { results } = await at.end(at.placeAll([first, wrong]));
    expect(results.at(-1)).toMatchObject({
      status: 'not_sent',
      what: expect.stringMatching(/^It is not_sent\. This run/),
      nextStep: expect.stringContaining('same batch again'),
    });
  });

  it('tell in their outcome what was to be bid', async () => {
    const at = desk();
    const { results } = await at.end(at.placeAll([first, wrong]));
    expect(results.at(-1)?.outcome).toMatchObject({
      status: 'not_sent',
      lot: 'lot_1',
      amount: '1.00',
      bidderReference: 'buyer-1',
    });
  });

  it('and bid something else than is on record are wrong, and say what became of the earlier bid', async () => {
    const recorded = journal([first, outcome('accepted', keyOf('r1'))]);
    const at = desk({ parts: { recorded } });
    const { results } = await at.end(at.placeAll([row('r1', 'lot_1', '2'), wrong]));
    expect(results.at(-1)).toMatchObject({
      rowId: 'r1',
      status: 'invalid',
      issues: [{ path: 'row' }],
      nextStep: expect.stringContaining('the earlier bid under this row id is accepted'),
    });
  });

  it('of which nobody can tell are not called unsent', async () => {
    const at = desk({ parts: { recorded: () => Promise.reject(failing) } });
    const { results, summary } = await at.end(at.placeAll([first, second, wrong]));
    expect(results.slice(-2)).toMatchObject([
      { rowId: 'r1', status: 'unknown', what: expect.stringContaining('journal could not be asked') },
      { rowId: 'r2', status: 'unknown', outcome: { attempts: 0 } },
    ]);
    expect(results.at(-1)).not.toHaveProperty('bidCheck');
    expect(summary.inDoubt).toEqual([keyOf('r1'), keyOf('r2')]);
  });

  it('of which the journal can no longer tell are told as it said before, or else as a result file says', async () => {
    let asked = 0;
    const recorded = async () => {
      asked += 1;
      if (asked > 3) throw failing;
      return undefined;
    };
    const at = desk({ parts: { recorded } });
    const run = at.placeAll(rows, { concurrency: 1 });
    await at.clock.advance(50);
    run.stop();
    const { results } = await at.end(run);
    expect(results.map(({ status }) => status)).toEqual(['not_sent', 'not_sent', 'accepted']);

    const blind = desk({ parts: { recorded: () => Promise.reject(failing) } });
    const earlierResult = (status: string, rowId: string): { earlierResult: EarlierResult } => ({
      earlierResult: {
        ...{ batchId: 'b1', status, idempotencyKey: keyOf(rowId), bidId: '', codes: [], attempts: 3 },
        ...{ what: 'As in the file.', nextStep: 'Go on.', bidCheck: '' },
      },
    });
    const told = [
      { ...first, ...earlierResult('refused', 'r1') },
      { ...second, ...earlierResult('not_sent', 'r2') },
      wrong,
    ];
    const ended = await blind.end(blind.placeAll(told));
    expect(ended.results.slice(-2)).toMatchObject([
      {
        rowId: 'r1',
        status: 'refused',
        outcome: { attempts: 3 },
        what: expect.stringMatching(/^As in the file\. This run/),
      },
      { rowId: 'r2', status: 'unknown' },
    ]);
  });

  it('ask the journal for few at once, in their order, and for no further one where it fails', async () => {
    let underWay = 0;
    let most = 0;
    const asked: string[] = [];
    let end: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      end = resolve;
    });
    const recorded = async (key: string) => {
      asked.push(key);
      underWay += 1;
      most = Math.max(most, underWay);
      await gate;
      underWay -= 1;
      if (key === keyOf('r20')) throw failing;
      return undefined;
    };
    const at = desk({ parts: { recorded } });
    const many = Array.from({ length: 100 }, (_, index) => row(`r${index + 1}`, `lot_${index}`, '1'));
    const run = at.placeAll([...many, wrong]);
    let isOver = false;
    void run.summary.then(() => {
      isOver = true;
    });
    await settle();
    expect([most, isOver]).toEqual([16, false]);
    end();
    const { results, summary } = await at.end(run);
    expect(asked).toHaveLength(32);
    expect(results.slice(1).map(({ rowId }) => rowId)).toEqual(many.map(({ rowId }) => rowId));
    // Those that it had answered for, and those that it was no longer asked for.
    expect(summary.counts).toMatchObject({ not_sent: 31, unknown: 69, invalid: 1 });
  });
});

describe('a batch of which much is settled', () => {
  const rows = [1, 2, 3].map((number) => row(`r${number}`, `lot_${number}`, `${number}`));

  it('counts it as such in its plan, looks nothing up for it, and is late for nothing of it', async () => {
    const settled = (['accepted', 'rejected'] as const).map(
      (status, index) => [rows[index] ?? row('', '', ''), outcome(status, keyOf(`r${index + 1}`))] as const,
    );
    const at = desk({ closes: { lot_3: 60_000 }, parts: { recorded: journal(...settled) } });
    const late = rows.map((one, index) => (index < 2 ? { ...one, placeBy: at.start - 1 } : one));
    const run = at.placeAll(late, { ifLate: 'refuse' });
    const { results, summary } = await at.end(run);
    expect(await run.plan).toMatchObject({ rows: 3, toPlace: 1, settledEarlier: 2, requests: 1, late: 0 });
    expect(at.looks).toEqual([['lot_3']]);
    expect(at.placings.map(({ rowId }) => rowId)).toEqual(['r3']);
    expect(
      results.map((result) => [result.rowId, result.status, 'earlier' in result && result.earlier]),
    ).toEqual([
      ['r1', 'accepted', true],
      ['r2', 'rejected', true],
      ['r3', 'accepted', false],
    ]);
    expect(summary.isComplete).toBe(true);
  });

  it('places what was edited, so that it is refused as such', async () => {
    const [first] = rows;
    if (first === undefined) throw new Error('no rows');
    const recorded = journal([first, outcome('accepted', keyOf('r1'))]);
    const at = desk({ parts: { recorded } });
    await at.end(at.placeAll([{ ...first, amount: '9' }]));
    expect(at.placings).toHaveLength(1);
  });

  it('is placed all the same by a journal that cannot be asked', async () => {
    const at = desk({ parts: { recorded: () => Promise.reject(failing) } });
    const { summary } = await at.end(at.placeAll(rows));
    expect(summary.counts.accepted).toBe(3);
  });

  it('is stopped at once while the journal is asked', async () => {
    let asked = 0;
    const recorded = async () => {
      asked += 1;
      return asked > 3 ? undefined : new Promise<undefined>(() => undefined);
    };
    const at = desk({ parts: { recorded } });
    const run = at.placeAll(rows);
    await settle();
    run.stop();
    const { summary } = await at.end(run);
    expect([summary.counts.not_sent, at.placings, at.looks]).toEqual([3, [], []]);
  });
});

describe('a batch that was placed, run again and ended early', () => {
  const buyer = { bidderReference: 'buyer-1' };
  /** Ends it once every row was read. */
  type End = (ends: { readonly stop: () => void; readonly abort: () => void }) => void;

  it.each<[how: string, end: End, more: readonly BulkRow<'aggregator'>[]]>([
    ['its signal', ({ abort }) => abort(), []],
    ['stop()', ({ stop }) => stop(), []],
    ['a row that is wrong', () => undefined, [{ ...buyer, rowId: 'bad', lot: 'lot_1', amount: '1,0' }]],
    [
      'a row that would be late',
      () => undefined,
      [{ ...buyer, rowId: 'late', lot: 'lot_1', amount: '10', placeBy: 0 }],
    ],
  ])('by %s calls nothing unsent that the service has', async (_, end, more) => {
    await using at = await office();
    const rows: BulkRow<'aggregator'>[] = at
      .lots('live-open')
      .slice(0, 5)
      .map(({ id, startingPrice }) => ({ ...buyer, rowId: id, lot: id, amount: startingPrice }));
    const { bidding } = at.client();
    await at.pass(bidding.placeAll(rows, { batchId: 'b1' }).summary);
    const aborter = new AbortController();
    function* source() {
      yield* [...rows, ...more];
      end({ stop: () => run.stop(), abort: () => aborter.abort() });
    }
    const { signal } = aborter;
    const run = bidding.placeAll(source(), { batchId: 'b1', readAhead: 'all', ifLate: 'refuse', signal });
    const { counts, inDoubt, stopped } = await at.pass(run.summary);
    expect(counts).toMatchObject({ accepted: 5, unknown: 0 });
    expect(counts.not_sent + counts.invalid).toBe(more.length);
    expect([inDoubt, stopped?.what]).toEqual([[], expect.any(String)]);
    expectOnce(at, 5);
  });

  it('twice by its owner, who has abandoned what only a person can settle, is complete', async () => {
    await using at = await office();
    const text = openings(at, 2);
    await place(at, at.client({ journal: memoryJournal() }), text);
    const client = at.client();
    const { summary, results } = await place(at, client, text);
    expect([summary.inDoubt, summary.abandoned, summary.isComplete]).toEqual([
      results.map(({ idempotencyKey }) => idempotencyKey),
      [],
      false,
    ]);
    for (const key of summary.inDoubt) await at.pass(client.bidding.abandon(key, 'seen in the list of bids'));
    const again = await place(at, client, text);
    expect(again.byRow).toEqual({ r1: 'unknown', r2: 'unknown' });
    expect(again.summary).toMatchObject({ inDoubt: [], abandoned: summary.inDoubt, isComplete: true });
  });
});

describe('a row held back behind a bid in doubt', () => {
  it('is told as it stands, where another process has placed it meanwhile', async () => {
    const rows = [row('r1', 'lot_1', '1'), row('r2', 'lot_1', '2')];
    const [, second] = rows;
    if (second === undefined) throw new Error('no rows');
    const later = journal([second, outcome('accepted', keyOf('r2'))]);
    const at = desk({
      answers: { r1: 'unknown' },
      parts: { recorded: async (key) => (at.placings.length === 0 ? undefined : later(key)) },
    });
    const { results, summary } = await at.end(at.placeAll(rows));
    expect(results.map(({ status }) => status)).toEqual(['unknown', 'accepted']);
    expect(results[1]?.what).toContain("This run didn't look at it: Held back, because row r1");
    expect(summary.inDoubt).toEqual([keyOf('r1')]);
  });
});

describe('what the journal of a client has under a key', () => {
  it('may change at any moment, while another call of the client is at work on it', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([{ hang: true }]);
    const rows = [{ rowId: 'r1', lot: 'lot_1', amount: '1' }];
    const place = { maxAttempts: 1, deadline: 5_000 };
    const first = client.bidding.placeAll(rows, { batchId: 'b1', closes: 'as_given', place });
    await settle();
    const second = client.bidding.placeAll([...rows, { ...rows[0], rowId: 'bad', amount: 'x', lot: '' }], {
      batchId: 'b1',
    });
    const results = await scene.during(second.toArray());
    expect(results.find(({ rowId }) => rowId === 'r1')).toMatchObject({
      status: 'unknown',
      nextStep: expect.stringContaining('is at work on it'),
    });
    await scene.during(first.summary);
  });

  it('is of somebody else, where the key is', async () => {
    await using at = await office();
    const text = openings(at, 1);
    await place(at, at.client({ environment: 'sandbox' }), text);
    const { results } = await place(at, at.client(), `${text}bad,lot_1,"1,0",buyer-1\n`);
    expect(results.find(({ rowId }) => rowId === 'r1')).toMatchObject({
      status: 'unknown',
      outcome: { quarantined: { reason: expect.stringContaining('environment sandbox') } },
    });
  });
});
