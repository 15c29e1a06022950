import { copyFileSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inParallel, installedVersion, projectWith, type Row, root, run } from './project.js';

/** TypeScript, and the `@types/node` that goes with it. The first pair is the lowest that the README promises. */
const pairs = [
  { typescript: '5.4', types: '20.19.0' },
  { typescript: '5.6', types: '22' },
  { typescript: '5.9', types: '24' },
  { typescript: '6', types: 'latest' },
  { typescript: '7', types: 'latest' },
  { typescript: 'latest', types: 'latest' },
];

const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2022',
  types: ['node'],
};
const both = {
  files: ['typed.mts', 'typed.cts', 'required.cts', 'streams.mts', 'streams.cts', 'day.mts', 'day.cts'],
};
const ways = {
  node16: { compilerOptions: { ...strict, lib: ['es2022'], module: 'node16' }, ...both },
  nodenext: { compilerOptions: { ...strict, lib: ['es2022'], module: 'nodenext' }, ...both },
  // With the library of browsers, which bundled projects have.
  bundler: { compilerOptions: { ...strict, module: 'preserve', moduleResolution: 'bundler' }, ...both },
  // A newcomer's configuration: from TypeScript 6 on, without the types of Node.
  bare: { compilerOptions: { module: 'nodenext', noEmit: true }, files: ['typed.mts'] },
  // What `module: commonjs` meant before TypeScript 6; it reads no `exports`.
  node10: {
    compilerOptions: { ...strict, lib: ['es2022'], module: 'commonjs', moduleResolution: 'node10' },
    files: ['typed.ts', 'streams.ts', 'day.ts'],
  },
};

/** Compiles typed consumers, ESM and CommonJS, and every declaration of the package with them. */
export async function underEveryTypeScript(scratch: string, tarball: string): Promise<Row[]> {
  const aliases = pairs.map(({ typescript }) => [`ts-${typescript}`, `npm:typescript@${typescript}`]);
  const folder = await projectWith(join(scratch, 'typescripts'), Object.fromEntries(aliases));
  const types = new Set(pairs.map((pair) => pair.types));
  await inParallel([...types].map((version) => () => typedProject(projectOf(version), version)));
  const compilations: (() => Promise<unknown>)[] = [];
  const rows = new Map<string, Row>();
  for (const { typescript, types } of pairs) {
    const version = installedVersion(folder, `ts-${typescript}`);
    const project = projectOf(types);
    // Deprecated in 6, gone in 7.
    const named = Object.keys(ways).filter((way) => way !== 'node10' || Number.parseInt(version, 10) < 6);
    const tsc = join(folder, 'node_modules', `ts-${typescript}`, 'bin', 'tsc');
    const node = `@types/node ${installedVersion(project, '@types/node')}`;
    // Two ranges can come to one version.
    if (rows.has(version)) continue;
    rows.set(version, [`TypeScript ${version}`, `${named.join(', ')}; ${node}`]);
    for (const way of named)
      compilations.push(() => run(process.execPath, [tsc, '-p', `${way}.json`], project));
  }
  await inParallel(compilations);
  return [...rows.values()];

  function projectOf(version: string): string {
    return join(scratch, `types-${version}`);
  }

  async function typedProject(project: string, version: string): Promise<void> {
    await projectWith(project, { 'vehicle-auction-sdk': `file:${tarball}`, '@types/node': version });
    cpSync(join(root, 'tools/consumer/typed'), project, { recursive: true });
    for (const name of ['typed', 'streams', 'day'])
      for (const extension of ['mts', 'cts'])
        copyFileSync(join(project, `${name}.ts`), join(project, `${name}.${extension}`));
    for (const [way, config] of Object.entries(ways))
      writeFileSync(join(project, `${way}.json`), JSON.stringify(config));
  }
}
