import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { PartnerClient } from 'vehicle-auction-sdk';
import { exits, runBatch } from './batch.js';
import { tryInSandbox } from './sample.js';

const usage = `Bids every row of a CSV file once.

  npx tsx examples/aggregator/main.ts <bids.csv> --batch <id> [--results <file.csv>]
  npx tsx examples/aggregator/main.ts --sandbox

The batch id names this batch and no other: one id, one set of bids. See README.md beside this file.`;

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
    options: { batch: { type: 'string' }, results: { type: 'string' }, sandbox: { type: 'boolean' } },
    allowPositionals: true,
  });
  const say = (line: string) => console.log(line);
  if (values.sandbox) return tryInSandbox({ say, pause, signal: stop.signal });
  const [bids, ...others] = positionals;
  const id = values.batch ?? '';
  if (bids === undefined || others.length > 0 || !/^[\w.-]{1,100}$/.test(id)) {
    console.error(usage);
    return exits.nothingSent;
  }
  // The client reads the rest from the environment by itself: see docs/getting-started.md.
  const clientId = variable('VEHICLE_AUCTION_CLIENT_ID');
  const dealerId = variable('VEHICLE_AUCTION_DEALER_ID');
  await using auction = new PartnerClient({ partnerType: 'aggregator', dealerId });
  return await runBatch({
    auction,
    batch: { id, clientId },
    bids,
    results: values.results ?? `${bids.replace(/\.csv$/, '')}.${id}.results.csv`,
    say,
    pause,
    signal: stop.signal,
  });
}

function variable(name: string): string {
  const value = process.env[name] ?? '';
  if (value === '') throw new Error(`${name} must be set in the environment.`);
  return value;
}
