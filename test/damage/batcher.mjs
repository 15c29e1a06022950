// A process that places a batch of bids, until it is done or killed.
import { dealerClient, nextOrder, say, storeAt } from './program.mjs';

const { baseUrl, credentials, store, rows, quota } = await nextOrder();
const dealer = dealerClient({ baseUrl, credentials, store: storeAt(store), quota });

say('ready');
const run = dealer.bids.placeAll(rows, { batchId: 'evening' });
const { counts, isComplete } = await run.summary;
say('finished', { message: JSON.stringify({ counts, isComplete }) });
await dealer.close();
process.exit();
