import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.js';
import { root } from './tarball.js';

/** An empty project with nothing but these packages: name to version, `npm:` alias or path. */
export async function projectWith(
  folder: string,
  dependencies: Readonly<Record<string, string>>,
  type: 'module' | 'commonjs' = 'module',
): Promise<string> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, type, dependencies }),
  );
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--no-package-lock'], folder);
  return folder;
}

/** Puts a consumer's files into its project. */
export function copyInto(project: string, consumer: 'esm' | 'cjs' | 'typed' | 'msw' | 'stores'): void {
  cpSync(join(root, 'tools/consumer', consumer), project, { recursive: true });
}

/** The version of a package that a range or an alias came to. */
export function installedVersion(project: string, name: string): string {
  const text = readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  return version;
}
