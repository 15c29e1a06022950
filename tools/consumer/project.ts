import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A check and its environment. */
export type Row = readonly [what: string, how: string];

/** Timeout of a program, ms. */
const LIMIT_MS = 600_000;

/** Runs a program to its end. @throws Error with its output if it fails or times out */
export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  // Do not pass on Node flags of the caller.
  const { NODE_OPTIONS: _, NODE_NO_WARNINGS: __, ...env } = environment;
  return new Promise((resolve, reject) => {
    const options = { cwd, env, encoding: 'utf8', maxBuffer: 2 ** 26, timeout: LIMIT_MS } as const;
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout, stderr });
      else reject(new Error(`${command} ${args.join(' ')} failed in ${cwd}\n${stdout}\n${stderr}`));
    });
  });
}

/** Creates an empty project with these packages: name to version, `npm:` alias or path. */
export async function projectWith(folder: string, dependencies: Readonly<Record<string, string>>) {
  mkdirSync(folder, { recursive: true });
  const manifest = { name: 'consumer', private: true, type: 'module', dependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--no-package-lock'], folder);
  return folder;
}

/** The installed version of a package. */
export function installedVersion(project: string, name: string): string {
  const text = readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Runs tasks with one at a time per core. */
export async function inParallel(works: readonly (() => Promise<unknown>)[]): Promise<void> {
  const waiting = works.values();
  const lane = async () => {
    for (const work of waiting) await work();
  };
  await allOf(Array.from({ length: availableParallelism() }, lane));
}

/** Like `Promise.all`, but a failure waits for the others to end: they work in folders that are about to go. */
export async function allOf<const T extends readonly Promise<unknown>[] | []>(promises: T) {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
