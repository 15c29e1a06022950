import { exhaust, scopes } from '../../test/simulation/exhaustive.js';
import { plantedBugs } from '../../test/simulation/planted-bugs.js';
import { hunt } from '../../test/simulation/planting.js';
import { playSeed } from '../../test/simulation/run.js';

/** A piece of the long form that one worker does by itself. */
export type Task =
  | { readonly kind: 'seeds'; readonly from: number; readonly to: number }
  | { readonly kind: 'scope'; readonly name: string }
  | { readonly kind: 'bug'; readonly name: string };

/** What a task came to; `wrong` is for people, and empty where all is well. */
export interface Done {
  readonly task: Task;
  readonly runs: number;
  readonly wrong: readonly string[];
  /** How often each fault struck, where seeds were played. */
  readonly counts: readonly (readonly [string, number])[];
}

export async function perform(task: Task): Promise<Done> {
  switch (task.kind) {
    case 'seeds':
      return seeds(task);
    case 'scope': {
      const scope = scopes.find(({ name }) => name === task.name);
      if (scope === undefined) throw new Error(`No scope ${task.name}`);
      const { runs, wrong } = await exhaust(scope, scope.deviations.long);
      const text =
        wrong === undefined ? [] : [`${scope.name}, ${wrong.choices}: ${wrong.violations.join('; ')}`];
      return { task, runs, wrong: text, counts: [] };
    }
    case 'bug': {
      const bug = plantedBugs.find(({ name }) => name === task.name);
      if (bug === undefined) throw new Error(`No bug ${task.name}`);
      const caught = await hunt(bug);
      const isCaught = caught?.violations.some((violation) =>
        bug.caughtBy.includes(violation.split(':')[0] ?? ''),
      );
      const wrong = [
        ...(isCaught === true ? [] : [`The harness doesn't notice: ${bug.name}`]),
        ...(caught?.without ?? []).map(
          (violation) => `${bug.name}: not by the bug, seed ${caught?.seed}: ${violation}`,
        ),
      ];
      return { task, runs: caught?.seed ?? 0, wrong, counts: [] };
    }
  }
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
