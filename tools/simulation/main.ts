import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { scopes } from '../../test/simulation/exhaustive.js';
import { plantedBugs } from '../../test/simulation/planted-bugs.js';
import { playSeed } from '../../test/simulation/run.js';
import { databaseName } from '../../test/simulation/world/database.js';
import { faultPoints } from '../../test/simulation/world/faults.js';
import { performAll } from './pool.js';
import type { Done, Task } from './tasks.js';

/**
 * The simulation in full: 10,000 seeds, every sequence of choices in the small scopes, and every planted bug. One seed
 * by itself, with everything that happens in it: `npm run test:simulation -- --seed 1234 --trace`.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '10000' },
    /** Leaves out the small scopes and the planted bugs, whose short forms `npm test` has. */
    'seeds-only': { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
  },
});

const CHUNK = 250;
/** How often each fault has to strike in 10,000 seeds. */
const HITS = 20;

process.exitCode = values.seed === undefined ? await everything() : await one(Number(values.seed));

async function one(seed: number): Promise<number> {
  const { violations, trace, steps } = await playSeed(seed);
  if (values.trace) console.log(trace.join('\n'));
  console.log(`seed ${seed}: ${steps} events, ${violations.length} violations`);
  for (const violation of violations) console.log(`  ${violation}`);
  return violations.length === 0 ? 0 : 1;
}

async function everything(): Promise<number> {
  const begun = performance.now();
  const last = Number(values.seeds);
  const tasks: Task[] = values['seeds-only']
    ? []
    : [
        ...scopes.map(({ name }) => ({ kind: 'scope', name }) as const),
        ...plantedBugs.map(({ name }) => ({ kind: 'bug', name }) as const),
      ];
  for (let from = 1; from <= last; from += CHUNK) {
    tasks.push({ kind: 'seeds', from, to: Math.min(last, from + CHUNK - 1) });
  }
  const done = await performAll(tasks, availableParallelism(), show);
  const counts = new Map<string, number>(faultPoints.map((point) => [point, 0]));
  for (const [point, count] of done.flatMap((each) => each.counts)) {
    counts.set(point, (counts.get(point) ?? 0) + count);
  }
  const rare = [...counts].filter(([, count]) => count < (HITS * last) / 10_000);
  const wrong = done.flatMap((each) => each.wrong);
  report(done, counts, begun);
  for (const text of wrong.slice(0, 20)) console.log(`WRONG  ${text}`);
  for (const [point, count] of rare) console.log(`RARE   ${point} struck ${count} times only`);
  const seed = /^seed (\d+)/.exec(wrong.find((text) => text.startsWith('seed')) ?? '')?.[1];
  if (seed !== undefined) console.log(`See it again with: npm run test:simulation -- --seed ${seed} --trace`);
  return wrong.length + rare.length === 0 ? 0 : 1;
}

function show({ task, runs, wrong }: Done): void {
  const is = wrong.length === 0 ? 'ok' : 'WRONG';
  if (task.kind === 'scope') console.log(`${is}  ${task.name}: ${runs} runs, all there are`);
  if (task.kind === 'bug') console.log(`${is}  ${task.name}: noticed after ${runs} seeds`);
  if (task.kind === 'seeds' && wrong.length > 0) console.log(`${is}  seeds ${task.from} to ${task.to}`);
}

function report(done: readonly Done[], counts: ReadonlyMap<string, number>, begun: number): void {
  const runsOf = (kind: Task['kind']) =>
    done.filter(({ task }) => task.kind === kind).reduce((sum, { runs }) => sum + runs, 0);
  console.log('How often each fault struck:');
  for (const [point, count] of [...counts].sort(([, a], [, b]) => a - b)) {
    console.log(`${String(count).padStart(8)}  ${point}`);
  }
  console.log(
    `${runsOf('seeds')} seeds, ${runsOf('scope')} runs of small scopes, ${done.filter(({ task }) => task.kind === 'bug').length} planted bugs, in ${Math.round((performance.now() - begun) / 1000)} s, on Node ${process.versions.node} with ${databaseName()}`,
  );
}
