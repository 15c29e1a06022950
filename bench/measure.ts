import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Work to be measured: does one unit `count` times. */
export type Work = (count: number) => Promise<void> | void;

export interface Pair {
  readonly ours: number;
  readonly theirs: number;
}

export interface Ratio extends Pair {
  readonly name: string;
  /** Ours over theirs: the median of pairs measured next to each other. */
  readonly ratio: number;
  readonly lowest: number;
  readonly highest: number;
  /** Of `ours` and `theirs`, which are for orientation only: they depend on the machine. */
  readonly unit: 'µs' | 'ms' | 'MB';
}

/** CPU of each piece of work over that of the first; measured in turn, so that whatever slows the machine slows all. */
export async function compare(
  works: Readonly<Record<string, Work>>,
  count: number,
  rounds: number,
): Promise<Ratio[]> {
  const all = Object.entries(works);
  const taken = new Map<string, number[]>(all.map(([name]) => [name, []]));
  for (const [, work] of all) await work(count);
  for (let round = 0; round < rounds; round += 1) {
    // The order changes, so that none always finds the warmer machine.
    const from = round % all.length;
    for (const [name, work] of [...all.slice(from), ...all.slice(0, from)])
      taken.get(name)?.push(await cpuMicros(work, count));
  }
  const [[, baseline = []] = [], ...others] = taken;
  return others.map(([name, micros]) =>
    ratioOf(
      name,
      micros.map((ours, round) => ({ ours, theirs: baseline[round] ?? Number.NaN })),
      'µs',
    ),
  );
}

/** What pairs that were measured next to each other say together. */
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

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The longest time for which nothing else could run in this process during some work, ms. */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isOver = true;
  look();
  return longest;
}

async function cpuMicros(work: Work, count: number): Promise<number> {
  const before = process.cpuUsage();
  await work(count);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

export function printRatios(title: string, ratios: readonly Ratio[]): void {
  console.log(`${title}\n`);
  for (const { name, ratio, lowest, highest, ours, theirs, unit } of ratios) {
    console.log(
      `  ${name.padEnd(46)} ${ratio.toFixed(2)}  (${lowest.toFixed(2)} to ${highest.toFixed(2)}; ${ours.toFixed(1)} against ${theirs.toFixed(1)} ${unit})`,
    );
  }
  console.log('');
}

/** Whether a process can be kept on one core, away from what it talks to. */
export const canPin = availableParallelism() > 1 && hasTaskset();

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A Node process on a core of its own, where the system allows that. */
export function nodeOn(core: 0 | 1, args: readonly string[]): ChildProcess {
  const [command, ...before] = canPin
    ? ['taskset', '-c', String(core), process.execPath]
    : [process.execPath];
  return spawn(command ?? '', [...before, ...args], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
}

/** A bare server in a process of its own; `close()` ends it. */
export async function serverApart(): Promise<{ readonly origin: string; close(): void }> {
  const server = nodeOn(0, [new URL('server.mjs', import.meta.url).pathname]);
  const port = await new Promise<number>((resolve) =>
    server.once('message', (message) => resolve(Number(message))),
  );
  return { origin: `http://127.0.0.1:${port}`, close: () => server.disconnect() };
}
