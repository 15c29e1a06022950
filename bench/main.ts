import { memoryOfSaving } from './files.js';
import { limitsCost } from './limits.js';
import { rivalBids, sweepOfBuyers } from './live.js';
import { printRatios } from './measure.js';
import { placeCost } from './place.js';
import { retentionCost } from './retention.js';
import { sandboxCost, sandboxMemory } from './sandbox.js';
import { bundleSizes, tarballSize } from './sizes.js';
import { telemetryCost } from './telemetry.js';

// `--quick` only shows that the benchmarks run: its figures mean little. Names run only those. Calls are compared by peers.ts.
const quick = process.argv.includes('--quick');
const rounds = quick ? 2 : 15;

const benchmarks: Readonly<Record<string, () => Promise<void>>> = {
  place: async () =>
    printRatios(
      'A bid that is recorded, with two commits before its first byte and one after its reply.',
      await placeCost(quick ? 10 : 100, rounds),
    ),
  retention: async () =>
    printRatios(
      'A client whose SQLite store is full of settled bids; retention delays no bid by more than 50 ms.',
      await retentionCost(quick ? 2_000 : 200_000),
    ),
  limits: async () =>
    printRatios(
      'The sums of risk limits in a SQLite store that holds many live bids; at most 3.',
      await limitsCost(quick ? 3_000 : 120_000, rounds),
    ),
  telemetry: async () =>
    printRatios(
      'CPU of an instrumented read over that of a read without; at most 1.02 without an SDK, and 1.25 with spans recorded.',
      await telemetryCost(100, quick ? 5 : 300),
    ),
  live: printLive,
  sandbox: async () => {
    printRatios(
      'CPU of the sandbox over that of a bare server that answers the same bytes, each in its process; at most 3.',
      await sandboxCost(quick ? 100 : 2_000, rounds),
    );
    printRatios('Megabytes of heap of a sandbox, late over early: flat is 1.', [
      await (quick ? sandboxMemory(500, 1_000) : sandboxMemory(20_000, 100_000)),
    ]);
  },
  files: async () => {
    const { megabytes, idle, aboveIdle } = await memoryOfSaving(quick ? 20 : 200);
    console.log(
      `Saving a file of ${megabytes} MB takes ${aboveIdle.toFixed(1)} MB above the ${idle.toFixed(0)} MB of an idle process; at most 40.\n`,
    );
  },
  sizes: printSizes,
};

const names = process.argv.slice(2).filter((name) => !name.startsWith('--'));
const unknown = names.find((name) => !Object.hasOwn(benchmarks, name));
if (unknown !== undefined) {
  throw new Error(`"${unknown}" is not a benchmark; choose of ${Object.keys(benchmarks).join(', ')}.`);
}
for (const [name, run] of Object.entries(benchmarks)) {
  if (names.length === 0 || names.includes(name)) await run();
}

async function printLive(): Promise<void> {
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
  const rival = await rivalBids(quick ? 3 : 100);
  console.log('Live lots in virtual time, with the usual quota of 120 requests a minute.\n');
  console.log(
    `  100 lots: a rival's bid is seen after ${seconds(rival.median)} (median; half of 5 is expected) and ${seconds(rival.longest)} (longest; at most 5); ${rival.perMinute} requests a minute (at most 60).`,
  );
  const buyers = await sweepOfBuyers(quick ? 1 : 10);
  console.log(
    `  1,000 lots, 400 buyers: a sweep takes ${buyers.sweepRequests} requests (at most 10) in ${seconds(buyers.sweep)}; ${buyers.perMinute} requests a minute with those of closed auctions (at most 60).`,
  );
  console.log(
    `  It carries ${buyers.standings} standings, ${buyers.derived} derived, ${buyers.doubtful} with doubts, for ${buyers.cpuPerMinute.toFixed(0)} ms of CPU a minute, the sandbox included.\n`,
  );
}

async function printSizes(): Promise<void> {
  const inKilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1).padStart(6)} kB`;
  console.log('Minified bundles for Node with all dependencies.\n');
  for (const { name, minified, gzipped, ownMinified, ownGzipped } of await bundleSizes()) {
    console.log(
      `  ${name.padEnd(18)} ${inKilobytes(minified)}, ${inKilobytes(gzipped)} gzipped; our own ${inKilobytes(ownMinified)}, ${inKilobytes(ownGzipped)} gzipped`,
    );
  }
  const tarball = await tarballSize();
  console.log(
    tarball === undefined
      ? '\n  No declarations are built, so the tarball is not measured: `npm run build` builds them.'
      : `\n  The tarball    ${inKilobytes(tarball.size)}, unpacked ${inKilobytes(tarball.unpackedSize)}`,
  );
}
