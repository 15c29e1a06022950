import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { playApprovals } from '../approvals/runs.js';
import type { PlantedBug } from './planted-bugs.js';
import { playSeed } from './run.js';

/** Scripts and tests are started there. */
const root = process.cwd();

/** Seeds that are tried before a bug counts as not found. */
const MAX_SEEDS = 1_500;

/** Where a bug showed. */
export interface Catch {
  readonly seed: number;
  /** Why the bug doesn't count as noticed; empty where it does. */
  readonly wrong: readonly string[];
}

type Play = (
  seed: number,
  settings?: PlantedBug['settings'],
) => Promise<{ readonly violations: readonly string[] }>;

/** The seeded runs that bugs are hunted in: where they are, the name of what plays a seed, and that without a bug. */
const suites: Readonly<Record<PlantedBug['suite'], readonly [file: string, name: string, play: Play]>> = {
  simulation: ['test/simulation/run.ts', 'playSeed', playSeed],
  approvals: ['test/approvals/runs.ts', 'playApprovals', playApprovals],
};

/** Builds the package with the bug in it, and plays runs against it until one finds fault. */
export async function hunt(bug: PlantedBug): Promise<Catch> {
  const [, , playWithout] = suites[bug.suite];
  const play = await withBug(bug);
  for (let seed = bug.seed ?? 1; seed <= MAX_SEEDS; seed += 1) {
    const { violations } = await play(seed, bug.settings);
    if (violations.length === 0) continue;
    // What the same run shows without the bug: nothing, or it wasn't the bug.
    const without = await playWithout(seed, bug.settings);
    const wrong = without.violations.map((text) => `${bug.name}: not by the bug, seed ${seed}: ${text}`);
    const isMeant = violations.some((text) => bug.caughtBy.includes(text.split(':')[0] ?? ''));
    if (!isMeant) wrong.push(`${bug.name}: noticed otherwise, seed ${seed}: ${violations.join('; ')}`);
    return { seed, wrong };
  }
  return { seed: MAX_SEEDS, wrong: [`The harness doesn't notice: ${bug.name}`] };
}

/** The suite over a build of its own. @throws where the snippet isn't there exactly once */
async function withBug(bug: PlantedBug): Promise<Play> {
  const [file, name] = suites[bug.suite];
  // Inside the project, so that packages are found from there.
  const folder = join(root, 'node_modules', '.cache', 'vehicle-auction-simulation', String(process.pid));
  const outfile = join(folder, `${bug.name.replace(/\W+/g, '-')}.mjs`);
  mkdirSync(folder, { recursive: true });
  try {
    await build({
      entryPoints: [join(root, file)],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      logLevel: 'silent',
      plugins: [replacing(bug)],
    });
    const built: Record<string, Play | undefined> = await import(
      /* @vite-ignore */ pathToFileURL(outfile).href
    );
    const play = built[name];
    if (play === undefined) throw new Error(`${file} exports no ${name}`);
    return play;
  } finally {
    rmSync(outfile, { force: true });
  }
}

function replacing({ name, file, find, replace }: PlantedBug): Plugin {
  return {
    name: 'planted-bug',
    setup: ({ onLoad, onEnd }) => {
      let isPlanted = false;
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (path !== join(root, file)) return undefined;
        const parts = readFileSync(path, 'utf8').split(find);
        if (parts.length !== 2) {
          return { errors: [{ text: `${name}: ${parts.length - 1} places in ${file} match` }] };
        }
        isPlanted = true;
        return { contents: parts.join(replace), loader: 'ts' };
      });
      onEnd(({ errors }) => {
        if (!isPlanted && errors.length === 0) throw new Error(`${name}: ${file} is no part of the build`);
      });
    },
  };
}
