import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { PartnerClient, type RowCounts } from 'vehicle-auction-sdk';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';
import { countsLine, exits, runBatch } from './batch.js';
import { tryInSandbox } from './sample.js';

const usage = `Bids every row of a CSV file once.

  npx tsx main.ts <bids.csv> --batch <id> [--results <file.csv>] [--store <file.db>] [--plan] [--production]
  npx tsx main.ts --sandbox

The batch id names this set of bids and no other. See README.md in this folder.`;

const stop = new AbortController();
let counts: RowCounts | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (!stop.signal.aborted) {
      console.log(
        'Stopping: waiting for requests in flight, sending no further bids. Press Ctrl-C again to end at once.',
      );
      stop.abort();
      return;
    }
    console.log(
      `Ended at once: ${counts === undefined ? 'no results' : countsLine(counts)}. Run the same again to settle the rest.`,
    );
    process.exit(exits.unknown);
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
      store: { type: 'string' },
      plan: { type: 'boolean', default: false },
      production: { type: 'boolean', default: false },
      'crash-after': { type: 'string' },
      sandbox: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  const say = (line: string) => console.log(line);
  if (values.sandbox) return tryInSandbox(say);
  const [bids, ...others] = positionals;
  const { batch = '' } = values;
  // The batch id is also part of a file name.
  if (bids === undefined || others.length > 0 || !/^[\w.-]{1,120}$/.test(batch)) {
    console.error(usage);
    return exits.nothingSent;
  }
  // The client reads the rest from the environment: see docs/getting-started.md.
  const dealerId = process.env['VEHICLE_AUCTION_DEALER_ID'];
  if (!dealerId) throw new Error('VEHICLE_AUCTION_DEALER_ID must be set in the environment.');
  await using auction = new PartnerClient({
    environment: values.production ? 'production' : 'sandbox',
    partnerType: 'aggregator',
    dealerId,
    store: sqliteStore(values.store ?? join(dirname(bids), 'auction.db')),
  });
  return await runBatch({
    auction,
    bids,
    batchId: batch,
    onlyPlan: values.plan,
    results: values.results ?? `${bids.replace(/\.csv$/, '')}.${batch}.results.csv`,
    say,
    signal: stop.signal,
    onCounts: (now) => {
      counts = now;
    },
    crashAfter: Number(values['crash-after'] ?? Number.POSITIVE_INFINITY),
  });
}
