// A process that saves photos into a folder until it is done or killed.
import { dealerClient, nextOrder, say } from './program.mjs';

const { baseUrl, credentials, urls, folder } = await nextOrder();
const client = dealerClient({ baseUrl, credentials });

say('ready');
const saved = await client.media.saveAll(urls, folder, { concurrency: 8 });
const failed = saved.find(({ status }) => status === 'failed');
say(failed === undefined ? 'finished' : 'ended', { message: failed?.error.message });
await client.close();
process.exit();
