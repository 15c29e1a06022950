import { againstServer } from './calls.js';
import { importTimes } from './imports.js';
import { compare } from './measure.js';
import { placeCost } from './place.js';
import { inKilobytes, printRatios, printSizes } from './print.js';
import { retentionCost } from './retention.js';
import { sandboxCost, sandboxMemory } from './sandbox.js';
import { signedByHand, signedByUs } from './signing.js';
import { bundleSizes, tarballSize } from './sizes.js';
import { storeCost, storeSize } from './store.js';

// `--quick` only shows that the benchmarks run: its figures mean little.
const quick = process.argv.includes('--quick');
const rounds = quick ? 2 : 15;

printRatios('CPU of ours over CPU of theirs, measured in turn within this run; lower is better.', [
  await compare(
    'signing a 300-byte bid ÷ node:crypto by hand',
    signedByUs(),
    signedByHand,
    quick ? 2_000 : 50_000,
    rounds,
  ),
  ...(await againstServer(async (make) => {
    const one = make(1);
    const fifty = make(50);
    return [
      await compare('a signed call ÷ bare undici.request', one.ours, one.bare, quick ? 100 : 2_000, rounds),
      await compare('50 signed calls at once ÷ 50 bare', fifty.ours, fifty.bare, quick ? 200 : 5_000, rounds),
    ];
  })),
]);
printRatios(
  'Time to import ours over time to import zod, which it stands on; lower is better.',
  await importTimes(rounds),
);
printRatios(
  'CPU of the sandbox over that of a bare server that answers the same bytes, each in its process; at most 3.',
  await sandboxCost(quick ? 100 : 2_000, rounds),
);
printRatios('Megabytes of heap of a sandbox, late over early: flat is 1.', [
  await (quick ? sandboxMemory(500, 1_000) : sandboxMemory(20_000, 100_000)),
]);
printRatios(
  'Time of the SQLite store, taken in turn with what it stands on.',
  await storeCost(quick ? 20 : 200, rounds),
);
printRatios(
  'A SQLite store with many settled intents over one with few: flat is 1; at most 60 MB and 1,000 ms.',
  [...(await (quick ? storeSize(200, 2_000, 1) : storeSize(2_000, 200_000, 5)))],
);
printRatios(
  'A bid that is recorded, with two commits before its first byte and one after its reply.',
  await placeCost(quick ? 10 : 100, rounds),
);
printRatios(
  'A client whose SQLite store is full of settled bids; retention delays no bid by more than 50 ms.',
  await retentionCost(quick ? 2_000 : 200_000),
);
printSizes('Minified bundles for Node with all dependencies.', await bundleSizes());

const tarball = await tarballSize();
console.log(
  tarball === undefined
    ? '\n  No declarations are built, so the tarball is not measured: `npm run build` builds them.'
    : `\n  The tarball    ${inKilobytes(tarball.size)}, unpacked ${inKilobytes(tarball.unpackedSize)}`,
);
