import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** How long a program may take, ms: one that hangs is one that fails. */
const LIMIT_MS = 600_000;

/** Runs a program to its end. @throws Error with all that it printed, where it fails or hangs. */
export function run(command: string, args: readonly string[], cwd: string): Promise<Output> {
  // Flags of the caller's Node are no business of the program's.
  const { NODE_OPTIONS: _, NODE_NO_WARNINGS: __, ...env } = process.env;
  return new Promise((resolve, reject) => {
    const options = { cwd, env, encoding: 'utf8', maxBuffer: 2 ** 26, timeout: LIMIT_MS } as const;
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout, stderr });
      else reject(new Error(`${command} ${args.join(' ')} failed in ${cwd}\n${stdout}\n${stderr}`));
    });
  });
}

/** Does the pieces of work, as many at once as there are cores, and returns their results in order. */
export async function inParallel<T>(works: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results = new Map<number, T>();
  const waiting = works.entries();
  const lane = async () => {
    for (const [index, work] of waiting) results.set(index, await work());
  };
  await allOf(Array.from({ length: availableParallelism() }, lane));
  return [...results].sort(([a], [b]) => a - b).map(([, result]) => result);
}

/** Like `Promise.all`, but a failure waits for the others to end: they work in folders that are about to go. */
export async function allOf<const T extends readonly Promise<unknown>[] | []>(promises: T) {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
