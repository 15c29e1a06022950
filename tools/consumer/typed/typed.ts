import {
  BankClient,
  type BatchSummary,
  type BidReceipt,
  fetchTransport,
  fileContent,
  PartnerClient,
  type SaleRecord,
  type VehicleAuctionError,
} from 'vehicle-auction-sdk';
import { type ResultsStream, readBids, writeResults } from 'vehicle-auction-sdk/csv';
import { type PostgresPool, postgresStore } from 'vehicle-auction-sdk/postgres';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { type SqliteDatabase, sqliteStore } from 'vehicle-auction-sdk/sqlite';
import type { Store } from 'vehicle-auction-sdk/store';
import { type StoreCase, storeConformance } from 'vehicle-auction-sdk/testing';
import { verifyWebhook } from 'vehicle-auction-sdk/webhooks';

export async function firstBid(): Promise<BidReceipt> {
  const sandbox = await startSandbox();
  const auction = new PartnerClient({
    baseUrl: sandbox.baseUrl,
    environment: 'sandbox',
    credentials: sandbox.credentials.dealer,
    partnerType: 'direct_dealer',
    dealerId: 'D-204',
  });
  // @ts-expect-error a direct dealer names no buyer
  await auction.bids.submit('lot_1', { amount: '1', bidder_reference: 'b' });
  return auction.bids.submit('lot_1', { amount: '465000' });
}

// @ts-expect-error the environment is never guessed
export const vague = (): BankClient => new BankClient({});
export const bank = new BankClient({ environment: 'sandbox', transport: fetchTransport(fetch) });
export async function approve(id: string): Promise<string> {
  const sale: SaleRecord = await bank.saleCases.get(id);
  const approved = await bank.saleCases.decide(sale, { decision: 'approved', reason: 'Highest bid' });
  await bank.documents.upload({
    sale_id: id,
    purpose: 'payment_evidence',
    filename: 'slip.pdf',
    content_base64: fileContent('./slip.pdf'),
  });
  // @ts-expect-error an id alone has no version
  await bank.saleCases.decide(id, { decision: 'approved' });
  return approved.state;
}

export function storesOf(pool: PostgresPool, database: SqliteDatabase): readonly Store[] {
  // @ts-expect-error a pool or a connection string, not both
  postgresStore({ pool, connectionString: 'postgres://127.0.0.1/bids' });
  return [postgresStore({ pool }), sqliteStore('./auction.db'), sqliteStore({ database })];
}
export const casesOf = (store: Store): readonly StoreCase[] =>
  storeConformance(() => ({ open: () => store, pass: () => undefined }));

export async function placeFile(
  auction: PartnerClient<'aggregator'>,
  output: ResultsStream,
): Promise<BatchSummary> {
  const batch = auction.bids.placeAll(readBids('bids.csv'), { batchId: 'evening' });
  await writeResults(batch, output);
  // @ts-expect-error an aggregator names the buyer
  await auction.bids.place({ lot: 'lot_1', amount: '465000' });
  return batch.summary;
}

export const outcomeOf = (error: VehicleAuctionError) => error.outcome;
export function amountOf(body: Uint8Array, headers: Headers): string | undefined {
  const event = verifyWebhook(body, headers, { secrets: ['a', 'b'] });
  return event.type === 'sale.approved' ? event.data.sale.amount : undefined;
}
