import { expectTypeOf, it } from 'vitest';
import type { BatchRun, BidRow, RowSource, UnreadableRow } from '../../src/bids/bulk/types.js';
import type { PlacedBid } from '../../src/bids/types.js';
import type { BankClient } from '../../src/client/bank-client.js';
import type { PartnerClient } from '../../src/client/partner-client.js';
import { type CsvRow, readBids } from '../../src/csv/index.js';

declare const dealer: PartnerClient<'direct_dealer'>;
declare const platform: PartnerClient<'platform'>;
declare const aggregator: PartnerClient<'aggregator'>;
declare const bank: BankClient;

const bid = { lot: 'lot_1', amount: '465000' };
const row = { ...bid, rowId: 'r1' };
const batch = { batchId: 'b1' };

/** Compiled, never run. */
function compiled(): void {
  // @ts-expect-error a direct dealer names no buyer
  dealer.bids.place({ ...bid, bidderReference: 'b' });
  // @ts-expect-error a platform names the buyer
  platform.bids.place(bid);
  // @ts-expect-error so does an aggregator
  aggregator.bids.place(bid);
  // @ts-expect-error money is never a number
  dealer.bids.place({ ...bid, amount: 465000 });
  // @ts-expect-error a bid is exactly what the API describes
  dealer.bids.place(bid, { extraBody: { note: 'x' } });
  // @ts-expect-error a bank places no bids
  bank.bids.place;
  // @ts-expect-error abandon needs a reason
  dealer.intents.abandon('key');

  // @ts-expect-error a platform names the buyer
  platform.bids.placeAll([row], batch);
  // @ts-expect-error a line number doesn't make a row that of a file
  platform.bids.placeAll([{ ...row, line: 1 }], batch);
  // @ts-expect-error a file is read with readBids
  dealer.bids.placeAll('bids.csv', batch);
  // @ts-expect-error a batch has a name
  dealer.bids.placeAll([row], {});
}

interface MyRow {
  readonly rowId: string;
  readonly lot: string;
  readonly amount: string;
  readonly bidderReference: string;
  readonly note: number;
}

/** Compiled, never run. */
function batches({ bids }: typeof platform, rows: readonly MyRow[], mixed: Iterable<MyRow | UnreadableRow>) {
  return {
    array: bids.placeAll(rows, batch),
    iterator: bids.placeAll(rows.values(), batch),
    mixed: bids.placeAll(mixed, batch),
    file: bids.placeAll(readBids('bids.csv'), batch),
    wrapped: <R extends BidRow<'platform'>>(any: RowSource<R>): BatchRun<R> => bids.placeAll(any, batch),
  };
}

/** The status of a result tells what else is there; compiled, never run. */
async function narrowed(run: BatchRun<MyRow>) {
  for await (const result of run) {
    // @ts-expect-error not every outcome has a bid id
    result.outcome?.bidId;
    if (result.status === 'accepted') return result.outcome.bidId;
    if (result.status === 'invalid') return result.issues;
  }
  return undefined;
}

it('the types know who may place what, and give every row back as it was', () => {
  expectTypeOf(compiled).toBeFunction();
  expectTypeOf(narrowed).toBeFunction();
  expectTypeOf<(typeof dealer)['bids']['place']>().returns.resolves.toEqualTypeOf<PlacedBid>();
  expectTypeOf<PlacedBid['amount']>().toEqualTypeOf<string>();
  type Runs = ReturnType<typeof batches>;
  expectTypeOf<Runs['array' | 'iterator' | 'mixed']>().toEqualTypeOf<BatchRun<MyRow>>();
  expectTypeOf<Runs['file']>().toEqualTypeOf<BatchRun<CsvRow>>();
});
