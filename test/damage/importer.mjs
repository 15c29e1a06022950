// A process that imports vehicles from a file and writes a result file, until it is done or killed.
import { readVehicles, writeImport } from 'vehicle-auction-sdk/csv';
import { bankClient, nextOrder, say, storeAt } from './program.mjs';

const { baseUrl, credentials, store, source, target } = await nextOrder();
const bank = bankClient({ baseUrl, credentials, store: storeAt(store) });

say('ready');
const run = bank.inventory.import(readVehicles(source), { schema: 'vehicles-4' });
await writeImport(run, target);
const { counts, isComplete, stopped } = await run.summary;
say(isComplete ? 'finished' : 'ended', { message: JSON.stringify({ counts, stopped: stopped?.what }) });
await bank.close();
process.exit();
