import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { root, run } from './project.js';

export interface Tarball {
  readonly path: string;
  /** Bytes, packed and unpacked. */
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly string[];
}

/** Packs what `npm publish` would publish, as it is built, and checks what is in it. */
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
  return { path: join(into, packed.filename), size, unpackedSize, files };
}

/** What is of use beside the sources only, and stays with them. */
const leftInTheRepository =
  /^(CHANGELOG|docs\/(conformance|architecture|open-questions|reference\/[\w-]+))\.md$/;

function problemsOf(files: readonly string[]): Record<string, string[]> {
  const code = files.filter((path) => /^dist\/.*\.c?js$/.test(path));
  const declarations = files.filter((path) => /^dist\/.*\.d\.c?ts$/.test(path));
  const pages = files.filter((path) => path.endsWith('.md'));
  const isMissing = (path: string) => !files.includes(path);
  return {
    'lacks files that its code asks for:': code.flatMap(importedBy).filter(isMissing),
    'lacks pages that its pages lead to:': targets(pages, /\]\(([^)#:]+)(?:#[^)]*)?\)/g).filter(
      (path) => isMissing(path) && !leftInTheRepository.test(path),
    ),
    // A consumer's compiler should not have to read zod.
    'shows types of dependencies in': declarations.filter((path) =>
      /from ['"](zod|undici|@noble|uuid|big\.js|csv-parse|libsql|pg['"])/.test(textOf(path)),
    ),
    carries: files.filter((path) => /^(src|test|tools|bench|node_modules)\//.test(path)),
  };
}

/** What a file of code imports or requires of its neighbours; pages that it carries as text don't count. */
function importedBy(file: string): string[] {
  return ts
    .preProcessFile(textOf(file), true, true)
    .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => posix.join(posix.dirname(file), fileName));
}

/** Relative paths that files name, from the root. */
function targets(files: readonly string[], naming: RegExp): string[] {
  return files.flatMap((file) =>
    [...textOf(file).matchAll(naming)].map(([, path = '']) => posix.join(posix.dirname(file), path)),
  );
}

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
