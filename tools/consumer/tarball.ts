import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root, run } from './project.js';

export interface Tarball {
  readonly path: string;
  /** Bytes, packed and unpacked. */
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly string[];
}

/** Packs the built tarball of `npm publish` and checks its content. */
export async function pack(into: string): Promise<Tarball> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', into], root);
  const [packed] = JSON.parse(stdout) as {
    filename: string;
    size: number;
    unpackedSize: number;
    files: { path: string }[];
  }[];
  if (packed === undefined) throw new Error('npm pack made nothing');
  const { size, unpackedSize } = packed;
  const files = packed.files.map((file) => file.path);
  for (const [problem, found] of Object.entries(problemsOf(files))) {
    if (found.length > 0) throw new Error(`The tarball ${problem} ${found.join(', ')}`);
  }
  if (size > MOST) throw new Error(`The tarball has ${size} bytes, and may have ${MOST}`);
  return { path: join(into, packed.filename), size, unpackedSize, files };
}

/** Pages of the site, which README says how to build, and which are not published. */
const siteOnly =
  /^(CHANGELOG|docs\/(conformance|architecture|open-questions|reference\/[\w-]+|pictures\/README))\.md$/;

/** Bytes of a tarball at the most. */
const MOST = 1_100_000;

function problemsOf(files: readonly string[]): Record<string, string[]> {
  const declarations = files.filter((path) => /^dist\/.*\.d\.c?ts$/.test(path));
  const linked = files
    .filter((path) => path.endsWith('.md'))
    .flatMap((page) =>
      [...textOf(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, to = '']) =>
        posix.join(posix.dirname(page), to),
      ),
    );
  return {
    'lacks files that its pages lead to:': linked.filter(
      (path) => !files.includes(path) && !siteOnly.test(path),
    ),
    // An entry that is not packed has a name of its own, and the chunks lead to it.
    'lacks modules that its code loads:': files
      .filter((path) => /^dist\/.*\.c?js$/.test(path))
      .flatMap((path) =>
        [...textOf(path).matchAll(/["']\.\/([\w-]+\.c?js)["']/g)].map(([, to = '']) => `dist/${to}`),
      )
      .filter((path) => !files.includes(path) && existsSync(join(root, path))),
    // A consumer's compiler should not have to read zod.
    'shows types of dependencies in': declarations.filter((path) =>
      /from ['"](zod|undici|@noble|uuid|big\.js|csv-parse|libsql|pg['"])/.test(textOf(path)),
    ),
  };
}

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
