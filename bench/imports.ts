import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Pair, printRatios, type Ratio, ratioOf } from './measure.js';

/** `npm run bench:imports`: CPU of loading an entry over that of loading zod, each time in a process of its own. */

const root = fileURLToPath(new URL('..', import.meta.url));

const loaders = {
  ESM: { type: 'module', load: 'await import' },
  CJS: { type: 'commonjs', load: 'require' },
} as const;

const entries = ['vehicle-auction-sdk', 'vehicle-auction-sdk/webhooks', 'vehicle-auction-sdk/sandbox'];

function importCosts(rounds: number): Ratio[] {
  const pairs = new Map<string, Pair[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of ['ESM', 'CJS'] as const) {
      const theirs = loadingMillis('zod', kind);
      for (const entry of entries) {
        const row = `${kind} ${entry} ÷ zod`;
        pairs.set(row, [...(pairs.get(row) ?? []), { ours: loadingMillis(entry, kind), theirs }]);
      }
    }
  }
  return [...pairs].sort().map(([row, of]) => ratioOf(row, of, 'ms'));
}

function loadingMillis(name: string, kind: keyof typeof loaders): number {
  const { type, load } = loaders[kind];
  const code = `const before = process.cpuUsage(); ${load}('${name}'); const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000);`;
  return Number(execFileSync(process.execPath, [`--input-type=${type}`, '-e', code], { cwd: root }));
}

printRatios(
  'CPU of a cold import; aim for 0.55 (`.`) and 0.2 (`./webhooks`).',
  importCosts(process.argv.includes('--quick') ? 2 : 25),
);
