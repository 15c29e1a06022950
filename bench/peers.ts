import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CallFigures } from './calls.js';
import { peers } from './contestants.js';
import { canPin, nodeOn, type Pair, printRatios, type Ratio, ratioOf, serverApart } from './measure.js';

/**
 * Compares calls with bare `undici.request`, bare `fetch` and other SDKs, which it installs into a folder apart.
 * `--quick` only shows that it runs, `--alone` leaves the other SDKs out, `--write` puts the figures into docs/performance.md.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const quick = process.argv.includes('--quick');
const folder = process.argv.includes('--alone') ? undefined : installed();
const { scenarios, uploadHoldMs } = await callFigures();
const imports = await importTimes(quick ? 2 : 15);

for (const [scenario, ratios] of Object.entries(scenarios))
  printRatios(`${scenario}: CPU over the bare work; lower is better.`, ratios);
printRatios('import: time over that of zod; lower is better.', imports);
console.log(`An upload of 25 MB holds the event loop for ${uploadHoldMs.toFixed(1)} ms at most.`);
if (process.argv.includes('--write')) write();

function installed(): string {
  const path = join(root, 'node_modules', '.cache', 'vehicle-auction-bench-peers');
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'package.json'), '{"private":true}');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', ...peers], {
    cwd: path,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return path;
}

/** Worker and server are on a core each, where the system allows that. */
async function callFigures(): Promise<CallFigures> {
  const server = await serverApart();
  const worker = nodeOn(1, [
    '--import',
    'tsx',
    join(root, 'bench/calls.ts'),
    server.origin,
    folder ?? '',
    quick ? 'quick' : 'long',
  ]);
  try {
    const [output] = await Promise.all([text(worker.stdout ?? process.stdin), once(worker, 'close')]);
    return JSON.parse(output);
  } finally {
    server.close();
  }
}

/** What loading each entry costs over loading zod, its heaviest dependency, each time in a process of its own. */
async function importTimes(rounds: number): Promise<Ratio[]> {
  const own = ['vehicle-auction-sdk', 'vehicle-auction-sdk/webhooks', 'vehicle-auction-sdk/sandbox'];
  const pairs = new Map<string, Pair[]>();
  for (let round = 0; round < rounds; round += 1) {
    const theirs = await loadingMillis('zod', root);
    for (const name of [...own, ...(folder === undefined ? [] : peers)]) {
      const ours = await loadingMillis(name, own.includes(name) ? root : (folder ?? root));
      pairs.set(name, [...(pairs.get(name) ?? []), { ours, theirs }]);
    }
  }
  return [...pairs].map(([name, of]) => ratioOf(name, of, 'ms'));
}

async function loadingMillis(name: string, cwd: string): Promise<number> {
  const code = `const begun = performance.now(); await import('${name}'); console.log(performance.now() - begun);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
    cwd,
  });
  return Number(stdout);
}

function write(): void {
  const path = join(root, 'docs/performance.md');
  const [before = '', , after] = readFileSync(path, 'utf8').split(/<!-- \/?figures -->/);
  if (after === undefined) throw new Error('docs/performance.md has no place for figures');
  writeFileSync(path, `${before}<!-- figures -->\n${figures()}\n<!-- /figures -->${after}`);
}

function figures(): string {
  const names = [
    ...new Set(Object.values(scenarios).flatMap((ratios) => ratios.map(({ name }) => name))),
  ].sort((a, b) => Number(b.startsWith('vehicle')) - Number(a.startsWith('vehicle')));
  const rows = Object.entries(scenarios).map(([scenario, ratios]) => [
    scenario,
    ...names.map((name) => ratios.find((ratio) => ratio.name === name)?.ratio.toFixed(2) ?? ''),
  ]);
  const table = (lines: readonly (readonly string[])[]) =>
    lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const [cpu] = cpus();
  const versions = folder === undefined ? '' : `, against ${peers.map(versionOf).join(', ')}`;
  return `
Measured on Node ${process.versions.node}, ${cpu?.model ?? 'an unknown processor'}, ${cpus().length} cores${canPin ? ', client and server on a core each' : ''}${versions}.${quick ? ' This was a `--quick` run: its figures mean little.' : ''}

${table([['CPU over the bare work', ...names], ['---', ...names.map(() => '---')], ...rows])}

${table([
  ['Import', 'Time over that of zod'],
  ['---', '---'],
  ...imports.map(({ name, ratio }) => [`\`${name}\``, ratio.toFixed(2)]),
])}

An upload of 25 MB holds the event loop for ${uploadHoldMs.toFixed(1)} ms at most.
`;
}

function versionOf(name: string): string {
  const manifest = readFileSync(join(folder ?? root, 'node_modules', name, 'package.json'), 'utf8');
  return `${name} ${JSON.parse(manifest).version}`;
}
