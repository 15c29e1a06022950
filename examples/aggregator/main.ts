import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { fileJournal, PartnerClient } from 'vehicle-auction-sdk';
import { exits, runBatch } from './batch.js';
import { tryInSandbox } from './sample.js';

const usage = `Bids every row of a CSV file once.

  npx tsx examples/aggregator/main.ts <bids.csv> --batch <id> [--results <file.csv>] [--journal <file>]
  npx tsx examples/aggregator/main.ts --sandbox

The batch id names this set of bids and no other. See README.md beside this file.`;

const stop = new AbortController();
// Only once: a second Ctrl-C ends the program at once, and the next run settles what was under way.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    console.log('Stopping: bids under way are settled, no further one is sent.');
    stop.abort();
  });
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = exits.nothingSent;
  },
);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      batch: { type: 'string' },
      results: { type: 'string' },
      journal: { type: 'string' },
      'crash-after': { type: 'string' },
      sandbox: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  const say = (line: string) => console.log(line);
  if (values.sandbox) return tryInSandbox(say);
  const [bids, ...others] = positionals;
  const { batch = '' } = values;
  // It stands in the name of a file, too.
  if (bids === undefined || others.length > 0 || !/^[\w.-]{1,120}$/.test(batch)) {
    console.error(usage);
    return exits.nothingSent;
  }
  // The client reads the rest from the environment by itself: see docs/getting-started.md.
  const dealerId = process.env['VEHICLE_AUCTION_DEALER_ID'];
  if (!dealerId) throw new Error('VEHICLE_AUCTION_DEALER_ID must be set in the environment.');
  await using auction = new PartnerClient({
    partnerType: 'aggregator',
    dealerId,
    journal: fileJournal(values.journal ?? join(dirname(bids), 'bids.journal')),
  });
  return await runBatch({
    auction,
    bids,
    batchId: batch,
    results: values.results ?? `${bids.replace(/\.csv$/, '')}.${batch}.results.csv`,
    say,
    signal: stop.signal,
    crashAfter: Number(values['crash-after'] ?? Number.POSITIVE_INFINITY),
  });
}
