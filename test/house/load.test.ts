import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../support/sources.js';

/** Every file under `dist` that a module loads at import, itself included, and every package, by name. */
function loadedBy(file: string): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string): void => {
    if (files.has(path)) return;
    files.add(path);
    const text = readFileSync(join(root, path), 'utf8');
    // What is loaded at first use stands in `import()`.
    const taken = /(?:^|[;}\n])\s*(?:import|export)\s*(?:[^'"();]*?from\s*)?["']([^"']+)["']/g;
    for (const [, target = ''] of text.matchAll(taken)) {
      if (target.startsWith('.')) visit(join(dirname(path), target));
      // See `imports` of package.json.
      else if (target.startsWith('#')) visit(`dist/${target.slice(1)}-on-node.js`);
      else if (!target.startsWith('node:')) packages.add(target);
    }
  };
  visit(file);
  return { files, packages };
}

/** Every module that Node has in memory after a `require`, as paths from the root. */
function requiredBy(file: string): string[] {
  const code = `require('./${file}'); console.log(JSON.stringify(Object.keys(require.cache)))`;
  const paths: string[] = JSON.parse(execFileSync(process.execPath, ['-e', code], { cwd: root }).toString());
  return paths.map((path) => path.slice(root.length).replaceAll('\\', '/'));
}

const isBuiltin = (name: string) => process.getBuiltinModule(name) !== undefined;

/** The folders of src whose code a set of built files holds. */
function foldersIn(files: Iterable<string>): string[] {
  const texts = [...files].map((file) => readFileSync(join(root, file), 'utf8'));
  const sources = texts.flatMap((text) => [...text.matchAll(/^\/\/ src\/([\w/-]+)\.ts$/gm)]);
  return [...new Set(sources.map(([, source = '']) => source.replace(/\/[\w-]+$/, '')))];
}

describe.each(['dist/index.js', 'dist/webhooks.js'])('importing %s', (entry) => {
  const { files, packages } = loadedBy(entry);

  it('loads no package: zod is for the sandbox, and undici comes with the first call', () => {
    expect([...packages].filter((name) => !isBuiltin(name))).toEqual([]);
  });

  it('loads no description of an operation, and nothing of the sandbox', () => {
    const texts = [...files].map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
    expect(texts).not.toMatch(/^\/\/ src\/(sandbox|csv|postgres|testing|cli)\//m);
    const described = [...texts.matchAll(/^\/\/ (src\/api\/[\w-]+\.ts)$/gm)].map(([, path]) => path);
    expect(described).not.toContain('src/api/bids.ts');
    expect(described).not.toContain('src/api/common.ts');
    expect(texts).not.toContain('.describe(');
  });
});

it('The webhooks entry loads nothing of the client', () => {
  const folders = foldersIn(loadedBy('dist/webhooks.js').files);
  expect(folders).toContain('webhooks');
  for (const folder of ['client', 'core', 'generated', 'bids']) expect(folders).not.toContain(folder);
});

describe.each(['dist/index.cjs', 'dist/webhooks.cjs'])('requiring %s', (entry) => {
  it('runs files of the package itself only', () => {
    const paths = requiredBy(entry);
    expect(paths).toContain(entry);
    expect(paths.filter((path) => !path.startsWith('dist/'))).toEqual([]);
  });

  it('runs no description of an operation, and nothing of the sandbox', () => {
    const texts = requiredBy(entry)
      .map((path) => readFileSync(join(root, path), 'utf8'))
      .join('\n');
    expect(texts).not.toMatch(/^\/\/ src\/(sandbox|csv|postgres|testing|cli)\//m);
    expect(texts).not.toContain('.describe(');
  });
});

it('The check would notice the sandbox, and zod, which the sandbox loads', () => {
  expect(readFileSync(join(root, 'dist/sandbox.js'), 'utf8')).toContain("from './sandbox.cjs'");
  expect(requiredBy('dist/sandbox.cjs').join('\n')).toContain('node_modules/zod/');
});

describe('the command', () => {
  it('prints its help without the sandbox, the client, schemas and the network', () => {
    const code =
      "process.argv.push('cli', '--help'); require('./dist/cli.cjs'); process.on('exit', () => console.error(JSON.stringify(Object.keys(require.cache))))";
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', code], { cwd: root, encoding: 'utf8' });
    expect(stdout).toContain('Usage: vehicle-auction-sdk');
    const paths: string[] = JSON.parse(stderr);
    const loaded = paths.map((path) => path.slice(root.length).replaceAll('\\', '/'));
    expect(loaded.filter((path) => path.includes('node_modules'))).toEqual([]);
    const folders = foldersIn(loaded).filter((folder) =>
      /^(sandbox|client|core|csv|sqlite|postgres)\b/.test(folder),
    );
    // The version and the spelling of names; the address and the log lines of a sandbox that runs elsewhere.
    expect(folders.toSorted()).toEqual(['client', 'sandbox/http', 'sandbox/inspector']);
  });
});
