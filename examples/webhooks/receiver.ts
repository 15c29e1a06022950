import { sqliteStore } from 'vehicle-auction-sdk/sqlite';
import { webhookReceiver } from 'vehicle-auction-sdk/webhooks';

/** The receiver of the program, shared by all framework recipes. */
export const receiver = webhookReceiver({
  secrets: () => process.env['WEBHOOK_SECRET'] ?? '',
  store: sqliteStore(process.env['AUCTION_STORE'] ?? './auction.db'),
  on: { 'sale.approved': ({ data }) => console.log(data.sale.id, 'approved at', data.sale.amount) },
});
