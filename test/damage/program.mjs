// What the programs of this folder share: orders that come on standard input, lines that are printed at once, because the
// next moment may be the last, a store, and clients.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { BankClient, PartnerClient } from 'vehicle-auction-sdk';
import { postgresStore } from 'vehicle-auction-sdk/postgres';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** Undefined once no order can come any more. */
export async function nextOrder() {
  const { value, done } = await lines.next();
  return done ? undefined : JSON.parse(value);
}

export function say(type, facts) {
  writeSync(1, `${JSON.stringify({ type, ...facts })}\n`);
}

export function storeAt({ file, url }) {
  return file === undefined ? postgresStore({ connectionString: url }) : sqliteStore(file);
}

export function dealerClient(options) {
  const { dealerId } = options.credentials;
  return new PartnerClient({ ...common, partnerType: 'direct_dealer', dealerId, ...options });
}

export function bankClient(options) {
  return new BankClient({ ...common, ...options });
}

/** Creates a vehicle once. */
export function createVehicle(bank, { name, schemaVersion }) {
  return bank.runOnce(['create', name], (idempotencyKey) => {
    // Another one each time the function runs: the service would detect a second vehicle with the same id.
    const external_id = `${name}.${process.hrtime.bigint()}`;
    const vehicle = { title: name, external_id, schema_version: schemaVersion, values: {} };
    return bank.inventory.createVehicle(vehicle, { idempotencyKey });
  });
}

const common = { environment: 'sandbox', quota: { limit: Number.POSITIVE_INFINITY }, logLevel: 'off' };
