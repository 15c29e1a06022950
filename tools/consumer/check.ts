import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { inBundles } from './bundles.js';
import { inNext } from './next.js';
import { onEveryNode } from './node-versions.js';
import { allOf, root, run } from './project.js';
import { underEveryTypeScript } from './typescript-versions.js';

/** Packs the tarball as it is built, installs it in empty projects, and uses it there as its users would. */

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'vehicle-auction-consumer-')));
const begun = performance.now();
try {
  const { path, filename, size, unpackedSize, files } = await pack(scratch);
  const [nodes, typescripts] = await allOf([onEveryNode(scratch, path), underEveryTypeScript(scratch, path)]);
  const bundles = await inBundles(scratch, join(scratch, 'bare'));
  const rows = [...nodes, ...typescripts, ...bundles, ...(await inNext(scratch, path))];
  const [packed, unpacked] = [size, unpackedSize].map((bytes) => `${Math.round(bytes / 1000)} kB`);
  const seconds = Math.round((performance.now() - begun) / 1000);
  console.log(`consumer check: ${filename}, ${packed}, unpacked ${unpacked}, ${files.length} files`);
  console.log(`All of this held, in ${seconds} s:`);
  const width = Math.max(...rows.map(([what]) => what.length));
  for (const [what, how] of rows) console.log(`  ${what.padEnd(width)}  ${how}`);
} finally {
  rmSync(scratch, { recursive: true });
}

/** Packs what `npm publish` would publish, as it is built, and checks what is in it. */
async function pack(into: string) {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', into], root);
  const [packed] = JSON.parse(stdout) as {
    filename: string;
    size: number;
    unpackedSize: number;
    files: { path: string }[];
  }[];
  if (packed === undefined) throw new Error('npm pack made nothing');
  const files = packed.files.map((file) => file.path);
  for (const [problem, found] of Object.entries(problemsOf(files)))
    if (found.length > 0) throw new Error(`The tarball ${problem} ${found.join(', ')}`);
  return { ...packed, path: join(into, packed.filename) };
}

/** What is of use beside the sources only, and stays with them. */
const leftInTheRepository =
  /^(CHANGELOG|docs\/(conformance|architecture|open-questions|reference\/[\w-]+))\.md$/;

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
      (path) => !files.includes(path) && !leftInTheRepository.test(path),
    ),
    // A consumer's compiler should not have to read zod.
    'shows types of dependencies in': declarations.filter((path) =>
      /from ['"](zod|undici|@noble|uuid|big\.js|csv-parse|libsql|pg['"])/.test(textOf(path)),
    ),
  };
}

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
