import { againstServer } from './calls.js';
import { compare, type Ratio } from './measure.js';
import { signedByHand, signedByUs } from './signing.js';

// `--quick` only shows that the benchmarks run: its figures mean little.
const quick = process.argv.includes('--quick');
const rounds = quick ? 2 : 15;

const ratios: Ratio[] = [
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
];

console.log('CPU of ours over CPU of theirs, measured in turn within this run; lower is better.\n');
for (const { name, ratio, lowest, highest, oursMicros, theirsMicros } of ratios) {
  console.log(
    `${name.padEnd(46)} ${ratio.toFixed(2)}  (${lowest.toFixed(2)} to ${highest.toFixed(2)}; ${oursMicros.toFixed(1)} against ${theirsMicros.toFixed(1)} µs)`,
  );
}
