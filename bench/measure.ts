/** Work to be measured: does one unit `count` times. */
export type Work = (count: number) => Promise<void> | void;

export interface Ratio {
  readonly name: string;
  /** CPU of ours over CPU of theirs: the median of pairs measured side by side. */
  readonly ratio: number;
  readonly lowest: number;
  readonly highest: number;
  /** Microseconds of CPU per unit, for orientation only: they depend on the machine. */
  readonly oursMicros: number;
  readonly theirsMicros: number;
}

/** Measures two pieces of work in turn, so that whatever slows the machine slows both. */
export async function compare(
  name: string,
  ours: Work,
  theirs: Work,
  count: number,
  rounds: number,
): Promise<Ratio> {
  await ours(count);
  await theirs(count);
  const pairs: { ours: number; theirs: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // Who goes first alternates, so that neither always finds the warmer machine.
    const first = round % 2 === 0;
    const a = await cpuMicros(first ? ours : theirs, count);
    const b = await cpuMicros(first ? theirs : ours, count);
    pairs.push(first ? { ours: a, theirs: b } : { ours: b, theirs: a });
  }
  const ratios = pairs.map((pair) => pair.ours / pair.theirs).sort((a, b) => a - b);
  return {
    name,
    ratio: median(ratios),
    lowest: ratios[0] ?? Number.NaN,
    highest: ratios.at(-1) ?? Number.NaN,
    oursMicros: median(pairs.map((pair) => pair.ours).sort((a, b) => a - b)),
    theirsMicros: median(pairs.map((pair) => pair.theirs).sort((a, b) => a - b)),
  };
}

async function cpuMicros(work: Work, count: number): Promise<number> {
  const before = process.cpuUsage();
  await work(count);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

function median(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
