import { describe, expectTypeOf, it } from 'vitest';
import type { BatchRun, BidRow, RowSource, UnreadableRow } from '../../../src/bids/bulk/types.js';
import type { PartnerClient } from '../../../src/client/partner-client.js';
import { type CsvRow, readBids } from '../../../src/csv/index.js';

declare const dealer: PartnerClient<'direct_dealer'>;
declare const platform: PartnerClient<'platform'>;
declare const aggregator: PartnerClient<'aggregator'>;
declare const either: PartnerClient;

/** Compiled, never run. Each error stands where the mistake is. */
function compiled(): void {
  const bid = { rowId: 'r1', lot: 'lot_1', amount: '465000' };
  const buyersBid = { ...bid, bidderReference: 'buyer-9' };
  const batchId = 'b1';
  dealer.bids.placeAll([bid], { batchId });
  either.bids.placeAll([bid, buyersBid], { batchId });
  platform.bids.placeAll([buyersBid], {
    batchId,
    concurrency: 3,
    onInvalid: 'report',
    place: { timeout: 5 },
  });
  platform.bids.placeAll([{ ...buyersBid, event: { bid_increment: '100', bid_type: 'closed' } }], {
    batchId,
  });

  // @ts-expect-error a row has a name
  platform.bids.placeAll([{ lot: 'lot_1', amount: '465000', bidderReference: 'buyer-9' }], { batchId });
  // @ts-expect-error a platform names the buyer
  platform.bids.placeAll([{ rowId: 'r1', lot: 'lot_1', amount: '465000' }], { batchId });
  // @ts-expect-error an aggregator names the buyer
  aggregator.bids.placeAll([bid], { batchId });
  // @ts-expect-error a line number doesn't make a row that of a file
  platform.bids.placeAll([{ ...bid, line: 1 }], { batchId });
  // @ts-expect-error a buyer is named by a string
  platform.bids.placeAll([{ ...bid, bidderReference: 9 }], { batchId });
  // @ts-expect-error a direct dealer names no buyer
  dealer.bids.placeAll([{ ...bid, bidderReference: 'buyer-9' }], { batchId });
  // @ts-expect-error money is never a number
  dealer.bids.placeAll([{ rowId: 'r1', lot: 'lot_1', amount: 465000 }], { batchId });
  // @ts-expect-error a misspelt field that is required
  dealer.bids.placeAll([{ rowId: 'r1', lotId: 'lot_1', amount: '465000' }], { batchId });
  // @ts-expect-error rows in an iterator
  platform.bids.placeAll([bid].values(), { batchId });
  // @ts-expect-error a file is read with readBids
  dealer.bids.placeAll('bids.csv', { batchId });
  // @ts-expect-error a batch has a name
  dealer.bids.placeAll([bid], {});
  dealer.bids.placeAll([bid], {
    batchId,
    // @ts-expect-error a misspelt option
    concurency: 3,
  });
  platform.bids.placeAll(readBids('bids.csv'), {
    batchId,
    // @ts-expect-error the set of values is complete
    onInvalid: 'skip',
  });
}

interface MyRow {
  readonly rowId: string;
  readonly lot: string;
  readonly amount: string;
  readonly bidderReference: string;
  readonly note: number;
}

/** Compiled, never run. */
function rowsThatComeBack(rows: readonly MyRow[], mixed: Iterable<MyRow | UnreadableRow>) {
  const options = { batchId: 'b1' };
  async function* some() {
    yield* rows;
  }
  const one = { rowId: 'r1', lot: 'lot_1', amount: '1', bidderReference: 'buyer-9' };
  const { bids } = platform;
  return {
    array: bids.placeAll(rows, options),
    set: bids.placeAll(new Set(rows), options),
    iterator: bids.placeAll(rows.values(), options),
    generator: bids.placeAll(some(), options),
    mixed: bids.placeAll(mixed, options),
    literal: bids.placeAll([{ ...one, note: 1 }], options),
    dealersFile: dealer.bids.placeAll(readBids('bids.csv'), options),
    platformsFile: bids.placeAll(readBids('bids.csv'), options),
    aggregatorsFile: aggregator.bids.placeAll(readBids('bids.csv'), options),
    anyFile: either.bids.placeAll(readBids('bids.csv'), options),
    wrapped: <R extends BidRow<'platform'>>(any: RowSource<R>): BatchRun<R> => bids.placeAll(any, options),
  };
}

/** The status of a result tells what else is there; compiled, never run. */
async function narrowed(run: BatchRun<MyRow>) {
  for await (const result of run) {
    // @ts-expect-error not every outcome has a bid id
    result.outcome?.bidId;
    if (result.status === 'accepted') return result.outcome.bidId;
    if (result.status === 'not_sent') return result.outcome.reason;
    if (result.status === 'invalid') return result.issues;
    if (result.status === 'error') return result.error;
  }
  return result(run);
}

async function result(run: BatchRun<MyRow>) {
  return (await run.summary).stopped?.reason;
}

describe('the types of placeAll', () => {
  it('refuse rows that do not fit the kind of partner, at the row', () => {
    expectTypeOf(compiled).toBeFunction();
    expectTypeOf(narrowed).toBeFunction();
  });

  it('give every row back as it was, and files to every kind of partner', () => {
    type Back = ReturnType<typeof rowsThatComeBack>;
    expectTypeOf<Back['array']>().toEqualTypeOf<BatchRun<MyRow>>();
    expectTypeOf<Back['set']>().toEqualTypeOf<BatchRun<MyRow>>();
    expectTypeOf<Back['iterator']>().toEqualTypeOf<BatchRun<MyRow>>();
    expectTypeOf<Back['generator']>().toEqualTypeOf<BatchRun<MyRow>>();
    expectTypeOf<Back['mixed']>().toEqualTypeOf<BatchRun<MyRow>>();
    expectTypeOf<Back['literal']>().toExtend<BatchRun<{ note: number }>>();
    expectTypeOf<Back['dealersFile']>().toEqualTypeOf<BatchRun<CsvRow>>();
    expectTypeOf<Back['platformsFile']>().toEqualTypeOf<BatchRun<CsvRow>>();
    expectTypeOf<Back['aggregatorsFile']>().toEqualTypeOf<BatchRun<CsvRow>>();
    expectTypeOf<Back['anyFile']>().toEqualTypeOf<BatchRun<CsvRow>>();
  });
});
