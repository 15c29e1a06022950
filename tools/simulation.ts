import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { exhaust, scopes } from '../test/simulation/exhaustive.js';
import { plantedBugs } from '../test/simulation/planted-bugs.js';
import { hunt } from '../test/simulation/planting.js';
import { playSeed } from '../test/simulation/run.js';
import { databaseName } from '../test/simulation/world/database.js';
import { faultPoints } from '../test/simulation/world/faults.js';

/**
 * The simulation in full: 10,000 seeds, every sequence of choices in the small scopes, and every planted bug. One seed
 * by itself, with everything that happens in it: `npm run test:simulation -- --seed 1234 --trace`.
 */

const CHUNK = 250;
/** Required number of occurrences of each fault in 10,000 seeds. */
const HITS = 20;

/** A part of the long form for one thread. */
type Task =
  | { readonly kind: 'seeds'; readonly from: number; readonly to: number }
  | { readonly kind: 'scope' | 'bug'; readonly name: string };

/** Result of a task. `wrong` describes failures; empty on success. */
interface Done {
  readonly task: Task;
  readonly runs: number;
  readonly wrong: readonly string[];
  /** Number of occurrences of each fault, for tasks with seeds. */
  readonly counts?: readonly (readonly [string, number])[];
}

if (isMainThread) {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string', default: '10000' },
      /** Leaves out the small scopes and the planted bugs, whose short forms `npm test` has. */
      'seeds-only': { type: 'boolean', default: false },
      trace: { type: 'boolean', default: false },
    },
  });
  const isClean =
    values.seed === undefined
      ? await everything(Number(values.seeds), values['seeds-only'])
      : await one(Number(values.seed), values.trace);
  process.exitCode = isClean ? 0 : 1;
} else {
  // One task at a time; the answer to one asks for the next. What a task throws ends the whole.
  parentPort?.on('message', async (task: Task) => parentPort?.postMessage(await perform(task)));
}

async function one(seed: number, showsTrace: boolean): Promise<boolean> {
  const { violations, trace, steps } = await playSeed(seed);
  if (showsTrace) console.log(trace.join('\n'));
  console.log(`seed ${seed}: ${steps} events, ${violations.length} violations`);
  for (const violation of violations) console.log(`  ${violation}`);
  return violations.length === 0;
}

async function everything(last: number, seedsOnly: boolean): Promise<boolean> {
  const begun = performance.now();
  const tasks: Task[] = [];
  if (!seedsOnly) {
    tasks.push(...scopes.map(({ name }) => ({ kind: 'scope', name }) as const));
    tasks.push(...plantedBugs.map(({ name }) => ({ kind: 'bug', name }) as const));
  }
  for (let from = 1; from <= last; from += CHUNK)
    tasks.push({ kind: 'seeds', from, to: Math.min(last, from + CHUNK - 1) });
  const done = await performAll(tasks);
  const counts = new Map<string, number>(faultPoints.map((point) => [point, 0]));
  for (const [point, count] of done.flatMap((each) => each.counts ?? []))
    counts.set(point, (counts.get(point) ?? 0) + count);
  const rare = [...counts].filter(([, count]) => count < (HITS * last) / 10_000);
  const wrong = done.flatMap((each) => each.wrong);
  console.log('How often each fault struck:');
  for (const [point, count] of [...counts].sort(([, a], [, b]) => a - b))
    console.log(`${String(count).padStart(8)}  ${point}`);
  const scopeRuns = done.reduce((sum, { task, runs }) => sum + (task.kind === 'scope' ? runs : 0), 0);
  const bugs = tasks.filter(({ kind }) => kind === 'bug').length;
  const seconds = Math.round((performance.now() - begun) / 1000);
  console.log(`${last} seeds, ${scopeRuns} runs of small scopes, ${bugs} planted bugs, in ${seconds} s`);
  console.log(`on Node ${process.versions.node} with ${databaseName()}`);
  for (const text of wrong.slice(0, 20)) console.log(`WRONG  ${text}`);
  for (const [point, count] of rare) console.log(`RARE   ${point} struck ${count} times only`);
  const seed = /^seed (\d+)/.exec(wrong.find((text) => text.startsWith('seed')) ?? '')?.[1];
  if (seed !== undefined) console.log(`See it again with: npm run test:simulation -- --seed ${seed} --trace`);
  return wrong.length + rare.length === 0;
}

/** Runs tasks on one thread per core. */
async function performAll(tasks: readonly Task[]): Promise<Done[]> {
  const left = [...tasks];
  const all: Done[] = [];
  // Threads don't inherit the TypeScript loader.
  const thread = `import('tsx/esm/api').then(({ register }) => {
    register();
    return import(${JSON.stringify(import.meta.url)});
  })`;
  const work = () =>
    new Promise<unknown>((resolve, reject) => {
      const worker = new Worker(thread, { eval: true });
      const next = () => {
        const task = left.shift();
        if (task === undefined) resolve(worker.terminate());
        else worker.postMessage(task);
      };
      worker.on('message', (done: Done) => {
        all.push(done);
        show(done);
        next();
      });
      worker.on('error', reject);
      next();
    });
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return all;
}

function show({ task, runs, wrong }: Done): void {
  const is = wrong.length === 0 ? 'ok' : 'WRONG';
  if (task.kind === 'scope') console.log(`${is}  ${task.name}: ${runs} runs, all there are`);
  if (task.kind === 'bug') console.log(`${is}  ${task.name}: noticed after ${runs} seeds`);
  if (task.kind === 'seeds' && wrong.length > 0) console.log(`${is}  seeds ${task.from} to ${task.to}`);
}

async function perform(task: Task): Promise<Done> {
  if (task.kind === 'seeds') return seeds(task);
  if (task.kind === 'scope') {
    const scope = named(scopes, task.name);
    const { runs, wrong } = await exhaust(scope, scope.deviations.long);
    const violations = wrong?.violations.join('; ');
    return { task, runs, wrong: wrong ? [`${task.name}, ${wrong.choices}: ${violations}`] : [] };
  }
  const { seed, wrong } = await hunt(named(plantedBugs, task.name));
  return { task, runs: seed, wrong };
}

async function seeds(task: Extract<Task, { kind: 'seeds' }>): Promise<Done> {
  const counts = new Map<string, number>();
  const wrong: string[] = [];
  for (let seed = task.from; seed <= task.to; seed += 1) {
    const result = await playSeed(seed);
    for (const [point, count] of result.counts) counts.set(point, (counts.get(point) ?? 0) + count);
    if (result.violations.length > 0) wrong.push(`seed ${seed}: ${result.violations.join('; ')}`);
  }
  return { task, runs: task.to - task.from + 1, wrong, counts: [...counts] };
}

function named<T extends { readonly name: string }>(all: readonly T[], name: string): T {
  const found = all.find((each) => each.name === name);
  if (found === undefined) throw new Error(`Nothing is called ${name}`);
  return found;
}
