/** Work to be measured: does one unit `count` times. */
export type Work = (count: number) => Promise<void> | void;

export interface Pair {
  readonly ours: number;
  readonly theirs: number;
}

export interface Ratio extends Pair {
  readonly name: string;
  /** Ours over theirs: the median of pairs measured side by side. */
  readonly ratio: number;
  readonly lowest: number;
  readonly highest: number;
  /** Of `ours` and `theirs`, which are for orientation only: they depend on the machine. */
  readonly unit: 'µs' | 'ms' | 'MB';
}

/** Measures the CPU time of two pieces of work in turn, so that whatever slows the machine slows both. */
export async function compare(
  name: string,
  ours: Work,
  theirs: Work,
  count: number,
  rounds: number,
): Promise<Ratio> {
  await ours(count);
  await theirs(count);
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // Who goes first alternates, so that neither always finds the warmer machine.
    const first = round % 2 === 0;
    const a = await cpuMicros(first ? ours : theirs, count);
    const b = await cpuMicros(first ? theirs : ours, count);
    pairs.push(first ? { ours: a, theirs: b } : { ours: b, theirs: a });
  }
  return ratioOf(name, pairs, 'µs');
}

/** What pairs that were measured side by side say together. */
export function ratioOf(name: string, pairs: readonly Pair[], unit: Ratio['unit']): Ratio {
  const ratios = pairs.map((pair) => pair.ours / pair.theirs);
  return {
    name,
    ratio: median(ratios),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
    ours: median(pairs.map((pair) => pair.ours)),
    theirs: median(pairs.map((pair) => pair.theirs)),
    unit,
  };
}

async function cpuMicros(work: Work, count: number): Promise<number> {
  const before = process.cpuUsage();
  await work(count);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
