// Saves a small file, then a large one, and prints the memory of this process before the large one and at most during it.
import { join } from 'node:path';
import { PartnerClient } from 'vehicle-auction-sdk';

const [baseUrl, folder] = process.argv.slice(2);
const client = new PartnerClient({
  baseUrl,
  environment: 'sandbox',
  credentials: { clientId: 'cl_1', keyId: 'key_1', signingSecret: 'secret of a bench' },
  partnerType: 'direct_dealer',
  logLevel: 'off',
});
const save = (name) =>
  client.media.save(`${baseUrl}/media/${name}`, join(folder, name), { deadline: 600_000 });

for (let round = 0; round < 5; round += 1) await save('small');
globalThis.gc();
const idle = process.memoryUsage.rss();
let peak = idle;
const sample = () => {
  peak = Math.max(peak, process.memoryUsage.rss());
};
const timer = setInterval(sample, 5);
await save('large');
clearInterval(timer);
sample();
await client.close();
console.log(JSON.stringify({ idle, peak }));
