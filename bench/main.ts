import { memoryOfSaving } from './files.js';
import { limitsCost } from './limits.js';
import { printRatios } from './measure.js';
import { placeCost } from './place.js';
import { retentionCost } from './retention.js';
import { sandboxCost, sandboxMemory } from './sandbox.js';
import { bundleSizes, tarballSize } from './sizes.js';

// `--quick` only shows that the benchmarks run: its figures mean little. Calls are compared by peers.ts.
const quick = process.argv.includes('--quick');
const rounds = quick ? 2 : 15;

printRatios(
  'A bid that is recorded, with two commits before its first byte and one after its reply.',
  await placeCost(quick ? 10 : 100, rounds),
);
printRatios(
  'A client whose SQLite store is full of settled bids; retention delays no bid by more than 50 ms.',
  await retentionCost(quick ? 2_000 : 200_000),
);
printRatios(
  'The sums of risk limits in a SQLite store that holds many live bids; at most 3.',
  await limitsCost(quick ? 3_000 : 120_000, rounds),
);
printRatios(
  'CPU of the sandbox over that of a bare server that answers the same bytes, each in its process; at most 3.',
  await sandboxCost(quick ? 100 : 2_000, rounds),
);
printRatios('Megabytes of heap of a sandbox, late over early: flat is 1.', [
  await (quick ? sandboxMemory(500, 1_000) : sandboxMemory(20_000, 100_000)),
]);

const { megabytes, idle, aboveIdle } = await memoryOfSaving(quick ? 20 : 200);
console.log(
  `Saving a file of ${megabytes} MB takes ${aboveIdle.toFixed(1)} MB above the ${idle.toFixed(0)} MB of an idle process; at most 40.\n`,
);

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
