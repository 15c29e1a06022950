import { describe, expect, it } from 'vitest';
import { readBidsCsv } from '../../../src/bidding/bulk/read-bids-csv.js';
import type { BulkRow } from '../../../src/bidding/bulk/row.js';
import { PartnerClient } from '../../../src/client/partner-client.js';
import { memoryJournal } from '../../../src/intents/memory-journal.js';
import { fromPaise, toPaise } from '../../../src/money/paise.js';
import { expectOnce, fileOf, office, openings, place } from './office.js';

describe('a batch against the service', () => {
  it('bids every row, the lots that close first before the others, on one lot by ascending amount', async () => {
    await using at = await office();
    const [open, other] = at.lots('live-open');
    const [sealed] = at.lots('live-closed');
    if (open === undefined || other === undefined || sealed === undefined) throw new Error('no lots');
    const higher = fromPaise(toPaise(open.startingPrice) + toPaise('5000'));
    const text = `row_id,lot_id,amount,bidder_reference
r1,${open.id},${higher},buyer-1
r2,${open.id},${open.startingPrice},buyer-2
r3,${sealed.id},${sealed.startingPrice},buyer-1
r4,${other.id},${other.startingPrice}0,buyer-1
`;
    const { byRow, results, summary, plan } = await place(
      at,
      at.client(),
      text.replace(/0,buyer-1\n$/, ',buyer-1\n'),
      {
        concurrency: 1,
      },
    );
    expect(byRow).toEqual({ r1: 'accepted', r2: 'accepted', r3: 'accepted', r4: 'accepted' });
    expect(summary).toMatchObject({ isComplete: true, rows: 4 });
    expect(plan).toMatchObject({ toPlace: 4, lots: 3, lotsWithoutClose: 0, late: 0 });
    // The sealed sale closes first.
    expect(results.map(({ rowId }) => rowId)).toEqual(['r3', 'r2', 'r1', 'r4']);
    expectOnce(at, 4);
  });

  it('takes the rules of the service as results, each with every code', async () => {
    await using at = await office();
    const [lot] = at.lots('live-open');
    const text = `row_id,lot_id,amount,bidder_reference
low,${lot?.id},1,buyer-1
none,lot_nowhere,500000,buyer-1
`;
    const { byRow, results } = await place(at, at.client(), text);
    expect(byRow).toEqual({ low: 'rejected', none: expect.stringMatching(/refused|rejected/) });
    expect(results.find(({ rowId }) => rowId === 'low')?.codes.length).toBeGreaterThan(0);
  });

  it('checks each row as a single bid would be, before anything is sent', async () => {
    await using at = await office();
    const [lot] = at.lots('live-open');
    const event = { bid_increment: '5000' };
    const record = { id: lot?.id ?? '', starting_price: lot?.startingPrice ?? '' };
    const good = { rowId: 'good', lot: record, event, amount: record.starting_price, bidderReference: 'b1' };
    const rows = [
      good,
      { ...good, rowId: 'grid', amount: '1.01' },
      { ...good, rowId: 'buyer', bidderReference: 'b 1' },
      { ...good, rowId: 'dealer', dealerId: 'D'.repeat(33) },
      { ...good, rowId: 'lot', lot: 'lot/1' },
      { ...good, rowId: 'time', clientBidTime: 'now' },
      { ...good, rowId: 'until', placeBy: 'soon' },
    ];
    const run = at.client().bidding.placeAll(rows, { batchId: 'b1' });
    const wrong = (await at.pass(run.toArray())).flatMap(({ rowId, issues = [] }) =>
      issues.map(({ path }) => `${rowId} ${path}`),
    );
    expect(wrong).toEqual([
      'grid amount',
      'buyer bidderReference',
      'dealer dealerId',
      'lot lot',
      'time clientBidTime',
      'until placeBy',
    ]);
    expect(at.sandbox.attempts()).toEqual([]);
  });

  it('warns that not everything can leave in time, with the quota of its client', async () => {
    await using at = await office();
    at.sandbox.auctions.moveClose('live-open', at.sandbox.clock.now() + 90_000);
    const client = at.client({ quota: { limit: 4, windowMs: 60_000, marginMs: 0, scope: 'client' } });
    const { byRow, summary, plan, results } = await place(at, client, openings(at, 12));
    const [warning] = summary.warnings;
    expect(warning).toMatchObject({ type: 'late', rows: 12, quota: { limit: 4, windowMs: 60_000 } });
    // One look for closes and three bids now, four in a minute; the others are too late, and are not sent.
    expect(plan.late).toBe(5);
    expect(Object.values(byRow).filter((status) => status === 'accepted')).toHaveLength(7);
    expect(Object.values(byRow).filter((status) => status === 'not_sent')).toHaveLength(5);
    expect(results.filter(({ nextStep }) => nextStep.startsWith('Its lot has closed'))).toHaveLength(5);
    expectOnce(at, 7);
    // What is settled takes no request, and can't be late.
    const asked = at.sandbox.attempts().length;
    const second = await place(at, client, openings(at, 7), { ifLate: 'refuse' });
    expect(second.plan).toMatchObject({ toPlace: 0, settledEarlier: 7, requests: 0, late: 0 });
    expect(second.summary).toMatchObject({ isComplete: true, warnings: [] });
    expect(at.sandbox.attempts()).toHaveLength(asked);
  });

  it('writes down with each bid where it came', async () => {
    await using at = await office();
    await place(at, at.client(), openings(at, 1));
    const rows = [];
    for await (const { intent } of at.journal.list({})) rows.push(intent.bid?.row);
    expect(rows).toEqual([{ batchId: 'evening', rowId: 'r1' }]);
  });
});

describe('a direct dealer', () => {
  it('names no buyer', async () => {
    await using at = await office();
    const { dealer } = at.sandbox.credentials;
    const { baseUrl } = at.sandbox;
    const client = new PartnerClient({
      baseUrl,
      credentials: dealer,
      partnerType: 'direct_dealer',
      dealerId: dealer.dealerId,
      logLevel: 'off',
    });
    const [lot] = at.lots('live-open');
    const row = { rowId: 'r1', lot: lot?.id ?? '', amount: '1' };
    // @ts-expect-error It bids for itself.
    const rows: BulkRow<'direct_dealer'>[] = [{ ...row, bidderReference: 'buyer-1' }];
    const results = await client.bidding.placeAll(rows, { batchId: 'b1' }).toArray();
    expect(results[0]).toMatchObject({ status: 'invalid', issues: [{ path: 'bidderReference' }] });
    expect(at.sandbox.attempts()).toEqual([]);
    await client.close();
  });
});

describe('the same file', () => {
  it('twice bids once: by the same client, by another, and reordered', async () => {
    await using at = await office();
    const text = openings(at, 6);
    const client = at.client();
    await place(at, client, text);
    const sent = at.sent().length;
    for (const auction of [client, at.client()]) {
      const [head, ...rows] = text.trim().split('\n');
      const again = await place(at, auction, [head, ...rows.reverse()].join('\n'));
      expect(again.summary).toMatchObject({ isComplete: true, counts: { accepted: 6 } });
      expect(at.sent()).toHaveLength(sent);
    }
    expectOnce(at, 6);
  });

  it('without its journal doubles nothing, and has a person look', async () => {
    await using at = await office();
    const text = openings(at, 3);
    await place(at, at.client(), text);
    const { byRow, results } = await place(at, at.client({ journal: memoryJournal() }), text);
    expect(new Set(Object.values(byRow))).toEqual(new Set(['unknown']));
    expect(
      results.every(({ outcome }) => outcome?.status === 'unknown' && outcome.quarantined !== undefined),
    ).toBe(true);
    expectOnce(at, 3);
  });

  it('holds a lot behind a bid that only a person can settle, until he has abandoned it', async () => {
    await using at = await office();
    const [lot] = at.lots('live-open');
    const higher = fromPaise(toPaise(lot?.startingPrice ?? '0') + toPaise('5000'));
    const text = `row_id,lot_id,amount,bidder_reference
r1,${lot?.id},${lot?.startingPrice},buyer-1
`;
    await place(at, at.client({ journal: memoryJournal() }), text);
    const client = at.client();
    const more = `${text}r2,${lot?.id},${higher},buyer-2\n`;
    const { byRow, summary } = await place(at, client, more);
    expect(byRow).toEqual({ r1: 'unknown', r2: 'not_sent' });
    await at.pass(client.bidding.abandon(summary.inDoubt[0] ?? '', 'seen in the list of bids'));
    expect((await place(at, client, more)).byRow).toEqual({ r1: 'unknown', r2: 'accepted' });
    expectOnce(at, 2);
  });

  it('with another amount under a row id that was used bids nothing for that row', async () => {
    await using at = await office();
    const text = openings(at, 3);
    await place(at, at.client(), text);
    const [lot] = at.lots('live-open');
    const higher = fromPaise(toPaise(lot?.startingPrice ?? '0') + toPaise('5000'));
    const { byRow, results } = await place(
      at,
      at.client(),
      text.replace(`,${lot?.startingPrice},`, `,${higher},`),
    );
    expect(byRow).toEqual({ r1: 'error', r2: 'accepted', r3: 'accepted' });
    expect(results.find(({ rowId }) => rowId === 'r1')).toMatchObject({ codes: ['IDEMPOTENCY_CONFLICT'] });
    expectOnce(at, 3);
  });

  it('in another spelling of its amounts is the same', async () => {
    await using at = await office();
    const text = openings(at, 3);
    await place(at, at.client(), text);
    const respelt = text.replaceAll(/,(\d+)(?:\.\d+)?,buyer/g, ',$1.0,buyer');
    expect(respelt).not.toBe(text);
    const { summary } = await place(at, at.client(), respelt);
    expect(summary.counts.accepted).toBe(3);
    expectOnce(at, 3);
  });
});

describe('a batch that is cut off in the middle', () => {
  it.each([
    ['before the service had them', 'drop_before_commit'],
    ['after the service had them', 'drop_after_commit'],
  ] as const)('is taken up by another client: nothing doubled, nothing lost (%s)', async (_, fault) => {
    await using at = await office();
    const text = openings(at, 9);
    const first = at.client();
    at.sandbox.inject({ operation: 'bids.submit', fault, nth: 4, times: 3 });
    const run = first.bidding.placeAll(readBidsCsv([text]), { batchId: 'evening', concurrency: 3 });
    const walk = run[Symbol.asyncIterator]();
    for (const _ of [1, 2, 3]) await at.pass(walk.next());
    at.cut();
    const committed = at.sandbox.ledger().length;
    expect(committed).toBeLessThan(9);
    at.mend();

    const second = at.client();
    const { byRow, summary } = await place(at, second, text);
    expect(new Set(Object.values(byRow))).toEqual(new Set(['accepted']));
    expect(summary).toMatchObject({ isComplete: true, rows: 9, inDoubt: [] });
    expectOnce(at, 9);
  });

  it('leaves what is in doubt to be looked for, and nothing else', async () => {
    await using at = await office();
    const text = openings(at, 4);
    at.sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit', nth: 1, times: 1 });
    const blind = at.sandbox.inject({ operation: 'A06', fault: 'error_before_commit', times: 100 });
    const client = at.client({ maxAttempts: 1 });
    const first = await place(at, client, text, { concurrency: 1 });
    expect(first.byRow).toEqual({ r1: 'unknown', r2: 'accepted', r3: 'accepted', r4: 'accepted' });
    blind();
    const [recovered, ...others] = await at.pass(client.recover());
    expect(recovered).toMatchObject({ status: 'accepted', idempotencyKey: first.summary.inDoubt[0] });
    expect(others).toEqual([]);
    expectOnce(at, 4);
  });
});

describe('a result file', () => {
  it('placed again settles what was open, and bids nothing twice', async () => {
    await using at = await office();
    const text = openings(at, 5);
    const client = at.client({ maxAttempts: 1 });
    at.sandbox.inject({ operation: 'bids.submit', fault: 'refuse', code: 'EMD_EXPIRED', nth: 2 });
    at.sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit', nth: 2 });
    const blind = at.sandbox.inject({ operation: 'A06', fault: 'error_before_commit', times: 100 });
    const first = await place(at, client, text, { concurrency: 1 });
    expect(first.byRow).toEqual({
      r1: 'accepted',
      r2: 'refused',
      r3: 'unknown',
      r4: 'accepted',
      r5: 'accepted',
    });
    blind();
    const sent = at.sent().length;
    const second = await place(at, client, await fileOf(first.results));
    expect(new Set(Object.values(second.byRow))).toEqual(new Set(['accepted']));
    expect(second.results.filter((result) => result.status === 'accepted' && result.earlier)).toHaveLength(3);
    // Only the row that was refused has to be sent again; the one in doubt is found.
    expect(at.sent()).toHaveLength(sent + 1);
    expectOnce(at, 5);
    const third = await place(at, at.client({ journal: memoryJournal() }), await fileOf(second.results));
    expect(third.summary.isComplete).toBe(true);
    expect(at.sent()).toHaveLength(sent + 1);
  });
});
