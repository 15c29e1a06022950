import {
  BankClient,
  type BidReceipt,
  fetchTransport,
  fileContent,
  PartnerClient,
  type SaleRecord,
  type VehicleAuctionError,
} from 'vehicle-auction-sdk';
import { type PostgresJournal, type PostgresPool, postgresJournal } from 'vehicle-auction-sdk/postgres';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { verifyWebhook } from 'vehicle-auction-sdk/webhooks';

export async function firstBid(): Promise<BidReceipt> {
  const sandbox = await startSandbox();
  const auction = new PartnerClient({
    baseUrl: sandbox.baseUrl,
    credentials: sandbox.credentials.dealer,
    partnerType: 'direct_dealer',
    dealerId: 'D-204',
  });
  // @ts-expect-error a direct dealer names no buyer
  await auction.bids.submit('lot_1', { amount: '1', bidder_reference: 'b' });
  return auction.bids.submit('lot_1', { amount: '465000' });
}

export const bank = new BankClient({ transport: fetchTransport(fetch) });
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

export function journalsOf(pool: PostgresPool): readonly PostgresJournal[] {
  // @ts-expect-error a pool or a connection string, not both
  postgresJournal({ pool, connectionString: 'postgres://127.0.0.1/bids' });
  return [postgresJournal({ pool }), postgresJournal({ connectionString: 'postgres://127.0.0.1/bids' })];
}

export const outcomeOf = (error: VehicleAuctionError) => error.outcome;
export function amountOf(body: Uint8Array, headers: Headers): string | undefined {
  const event = verifyWebhook(body, headers, { secrets: ['a', 'b'] });
  return event.type === 'sale.approved' ? event.data.sale.amount : undefined;
}
