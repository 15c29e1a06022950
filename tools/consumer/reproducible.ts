import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Row, root, run } from './project.js';

/** What a build reads. */
const SOURCES = /^(src|tools|docs|examples|[\w.-]+\.(ts|json|md|npmrc)|LICENSE|\.npmrc)$/;

/** Builds and packs the sources in two folders, and compares the tarballs byte by byte. */
export async function builtTwice(scratch: string): Promise<Row[]> {
  const digests: string[] = [];
  for (const name of ['one', join('another', 'longer-name')]) {
    const folder = join(scratch, 'builds', name);
    mkdirSync(folder, { recursive: true });
    for (const entry of readdirSync(root).filter((each) => SOURCES.test(each)))
      cpSync(join(root, entry), join(folder, entry), { recursive: true });
    // Copied, because the build names files of packages by their place.
    cpSync(join(root, 'node_modules'), join(folder, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    await run('npm', ['run', '--silent', 'build'], folder);
    await run('npm', ['pack', '--silent'], folder);
    const tarball = readdirSync(folder).find((each) => each.endsWith('.tgz'));
    if (tarball === undefined) throw new Error('npm pack made nothing');
    digests.push(
      createHash('sha256')
        .update(readFileSync(join(folder, tarball)))
        .digest('hex'),
    );
  }
  const [first = '', second] = digests;
  if (first !== second) throw new Error(`Two builds differ: ${digests.join(' and ')}`);
  return [['two builds in two folders', `the same bytes, sha256 ${first.slice(0, 16)}…`]];
}
