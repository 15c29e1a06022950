import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import type { Done, Task } from './tasks.js';

const root = process.cwd();

/** Performs tasks on so many threads, each as soon as one is free. */
export async function performAll(
  tasks: readonly Task[],
  threads: number,
  onDone: (done: Done) => void,
): Promise<Done[]> {
  const folder = join(root, 'node_modules', '.cache', 'vehicle-auction-simulation');
  const script = join(folder, `worker-${process.pid}.mjs`);
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(root, 'tools/simulation/worker.ts')],
    outfile: script,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
  });
  const left = [...tasks];
  const all: Done[] = [];
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(script);
      const next = () => {
        const task = left.shift();
        if (task === undefined) worker.terminate().then(() => resolve(), reject);
        else worker.postMessage(task);
      };
      worker.on('message', (done: Done) => {
        all.push(done);
        onDone(done);
        next();
      });
      worker.on('error', reject);
      next();
    });
  try {
    await Promise.all(Array.from({ length: threads }, work));
  } finally {
    rmSync(script, { force: true });
  }
  return all;
}
