import sdk = require('vehicle-auction-sdk');
import postgres = require('vehicle-auction-sdk/postgres');
import sandbox = require('vehicle-auction-sdk/sandbox');
import sqlite = require('vehicle-auction-sdk/sqlite');
import store = require('vehicle-auction-sdk/store');
import webhooks = require('vehicle-auction-sdk/webhooks');

export const client: sdk.PartnerClient<'platform'> = new sdk.PartnerClient({
  environment: 'sandbox',
  partnerType: 'platform',
});
export const started: Promise<sandbox.Sandbox> = sandbox.startSandbox();
export const event: webhooks.WebhookEvent = webhooks.verifyWebhook('', {}, { secrets: 's' });
export const isOurs = (error: unknown): boolean => error instanceof sdk.VehicleAuctionError;
export const shared: store.Store = postgres.postgresStore({ connectionString: 'postgres://127.0.0.1/bids' });
export const file: store.Store = sqlite.sqliteStore('./auction.db');
