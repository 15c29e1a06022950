import { sqliteStore } from 'vehicle-auction-sdk/sqlite';
import { webhookReceiver } from 'vehicle-auction-sdk/webhooks';

/** One receiver for the whole program; the recipes next to it differ only in their framework. */
export const receiver = webhookReceiver({
  secrets: () => process.env['WEBHOOK_SECRET'] ?? '',
  store: sqliteStore(process.env['AUCTION_STORE'] ?? './auction.db'),
  on: { 'sale.approved': ({ data }) => console.log(data.sale.id, 'approved at', data.sale.amount) },
});
