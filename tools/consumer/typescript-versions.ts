import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyInto, installedVersion, projectWith } from './project.js';
import { allOf, inParallel, run } from './run.js';
import type { Row } from './table.js';

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
const both = { files: ['typed.mts', 'typed.cts', 'required.cts', 'streams.mts', 'streams.cts'] };
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
    files: ['typed.ts', 'streams.ts'],
  },
};

type Way = keyof typeof ways;

/** Compiles typed consumers, ESM and CommonJS, and every declaration of the package with them. */
export async function underEveryTypeScript(scratch: string, tarball: string): Promise<Row[]> {
  const folder = join(scratch, 'typescripts');
  const [projects] = await allOf([
    typedProjects(scratch, tarball),
    projectWith(
      folder,
      Object.fromEntries(pairs.map(({ typescript }) => [`ts-${typescript}`, `npm:typescript@${typescript}`])),
    ),
  ]);
  const tried = new Map<string, { row: Row; compilations: (() => Promise<unknown>)[] }>();
  for (const { typescript, types } of pairs) {
    const version = installedVersion(folder, `ts-${typescript}`);
    const project = projects.get(types) ?? '';
    const named = waysOf(version);
    const tsc = join(folder, 'node_modules', `ts-${typescript}`, 'bin', 'tsc');
    tried.set(version, {
      row: [
        `TypeScript ${version}`,
        `${named.join(', ')}; @types/node ${installedVersion(project, '@types/node')}`,
      ],
      compilations: named.map((way) => () => run(process.execPath, [tsc, '-p', `${way}.json`], project)),
    });
  }
  await inParallel([...tried.values()].flatMap(({ compilations }) => compilations));
  return [...tried.values()].map(({ row }) => row);
}

function waysOf(version: string): Way[] {
  const all: Way[] = ['node16', 'nodenext', 'bundler', 'bare'];
  // Deprecated in 6, gone in 7.
  return Number.parseInt(version, 10) < 6 ? [...all, 'node10'] : all;
}

/** One project for each `@types/node`. */
async function typedProjects(scratch: string, tarball: string): Promise<Map<string, string>> {
  const projects = new Map<string, string>();
  for (const { types } of pairs) projects.set(types, join(scratch, `types-${types}`));
  await inParallel(
    [...projects].map(([types, project]) => async () => {
      await projectWith(project, { 'vehicle-auction-sdk': `file:${tarball}`, '@types/node': types });
      copyInto(project, 'typed');
      for (const extension of ['mts', 'cts']) {
        for (const name of ['typed', 'streams']) {
          copyFileSync(join(project, `${name}.ts`), join(project, `${name}.${extension}`));
        }
      }
      for (const [way, config] of Object.entries(ways)) {
        writeFileSync(join(project, `${way}.json`), JSON.stringify(config));
      }
    }),
  );
  return projects;
}
