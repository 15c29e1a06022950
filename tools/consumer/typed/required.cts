import sdk = require('vehicle-auction-sdk');
import postgres = require('vehicle-auction-sdk/postgres');
import sandbox = require('vehicle-auction-sdk/sandbox');
import sqlite = require('vehicle-auction-sdk/sqlite');
import webhooks = require('vehicle-auction-sdk/webhooks');

export const client: sdk.PartnerClient<'platform'> = new sdk.PartnerClient({
  environment: 'sandbox',
  partnerType: 'platform',
});
export const started: Promise<sandbox.Sandbox> = sandbox.startSandbox();
export const event: webhooks.WebhookEvent = webhooks.verifyWebhook('', {}, { secrets: 's' });
export const isOurs = (error: unknown): boolean => error instanceof sdk.VehicleAuctionError;
export const store: sdk.Store = postgres.postgresStore({ connectionString: 'postgres://127.0.0.1/bids' });
export const file: sdk.Store = sqlite.sqliteStore('./auction.db');
