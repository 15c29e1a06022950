import { BankClient, type BidReceipt, PartnerClient, type VehicleAuctionError } from 'vehicle-auction-sdk';
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

export const bank = new BankClient();
export const outcomeOf = (error: VehicleAuctionError) => error.outcome;
export function amountOf(body: Uint8Array, headers: Headers): string | undefined {
  const event = verifyWebhook(body, headers, { secrets: ['a', 'b'] });
  return event.type === 'sale.approved' ? event.data.sale.amount : undefined;
}
