import sdk = require('vehicle-auction-sdk');
import postgres = require('vehicle-auction-sdk/postgres');
import sandbox = require('vehicle-auction-sdk/sandbox');
import webhooks = require('vehicle-auction-sdk/webhooks');

export const client: sdk.PartnerClient<'platform'> = new sdk.PartnerClient({ partnerType: 'platform' });
export const started: Promise<sandbox.Sandbox> = sandbox.startSandbox();
export const event: webhooks.WebhookEvent = webhooks.verifyWebhook('', {}, { secrets: 's' });
export const isOurs = (error: unknown): boolean => error instanceof sdk.VehicleAuctionError;
export const pruned: Promise<number> = postgres.postgresJournal({ connectionString: '' }).prune();
