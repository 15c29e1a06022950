import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Pair, type Ratio, ratioOf } from './measure.js';

const root = fileURLToPath(new URL('..', import.meta.url));

const loaders = {
  ESM: { type: 'module', load: 'await import' },
  CJS: { type: 'commonjs', load: 'require' },
} as const;

/** undici is loaded at the first call, not at import: it stands here to show what that saves. */
const names = [
  'vehicle-auction-sdk',
  'vehicle-auction-sdk/webhooks',
  'vehicle-auction-sdk/sandbox',
  'undici',
];

/** What loading each entry costs over loading zod, its heaviest dependency, each time in a process of its own. */
export async function importTimes(rounds: number): Promise<Ratio[]> {
  const pairs = new Map<string, Pair[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of ['ESM', 'CJS'] as const) {
      const theirs = await loadingMillis('zod', kind);
      for (const name of names) {
        const row = `${kind} ${name} ÷ zod`;
        const ours = await loadingMillis(name, kind);
        pairs.set(row, [...(pairs.get(row) ?? []), { ours, theirs }]);
      }
    }
  }
  return [...pairs].map(([row, of]) => ratioOf(row, of, 'ms'));
}

async function loadingMillis(name: string, kind: keyof typeof loaders): Promise<number> {
  const { type, load } = loaders[kind];
  const code = `const begun = performance.now(); ${load}('${name}'); console.log(performance.now() - begun);`;
  const { stdout } = await promisify(execFile)(process.execPath, [`--input-type=${type}`, '-e', code], {
    cwd: root,
  });
  return Number(stdout);
}
