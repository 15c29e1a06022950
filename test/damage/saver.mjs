// A process that saves photos into a folder until it is done or killed.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { PartnerClient } from 'vehicle-auction-sdk';

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { baseUrl, credentials, urls, folder } = JSON.parse((await lines.next()).value);
const client = new PartnerClient({
  baseUrl,
  environment: 'sandbox',
  credentials,
  partnerType: 'direct_dealer',
  quota: { limit: Number.POSITIVE_INFINITY },
  logLevel: 'off',
});

say({ type: 'ready' });
const saved = await client.media.saveAll(urls, folder, { concurrency: 8 });
const failed = saved.find(({ status }) => status === 'failed');
say(failed === undefined ? { type: 'finished' } : { type: 'ended', message: failed.error.message });
await client.close();
process.exit();

function say(line) {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
