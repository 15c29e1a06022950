import type { Ratio } from './measure.js';
import type { Size } from './sizes.js';

export function printRatios(title: string, ratios: readonly Ratio[]): void {
  console.log(`${title}\n`);
  for (const { name, ratio, lowest, highest, ours, theirs, unit } of ratios) {
    console.log(
      `  ${name.padEnd(46)} ${ratio.toFixed(2)}  (${lowest.toFixed(2)} to ${highest.toFixed(2)}; ${ours.toFixed(1)} against ${theirs.toFixed(1)} ${unit})`,
    );
  }
  console.log('');
}

export function printSizes(title: string, sizes: readonly Size[]): void {
  console.log(`${title}\n`);
  for (const { name, minified, gzipped, ownMinified, ownGzipped } of sizes) {
    console.log(
      `  ${name.padEnd(18)} ${inKilobytes(minified)}, ${inKilobytes(gzipped)} gzipped; our own ${inKilobytes(ownMinified)}, ${inKilobytes(ownGzipped)} gzipped`,
    );
  }
}

export function inKilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1).padStart(6)} kB`;
}
