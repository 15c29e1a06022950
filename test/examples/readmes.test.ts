import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../support/sources.js';

const folder = join(root, 'examples');
const programs = ['aggregator', 'bank-approvals', 'dbos', 'dealer-platform', 'pg-boss', 'testing'];

it.each(programs)('the README of %s installs each package that its files import', (name) => {
  const readme = readFileSync(join(folder, name, 'README.md'), 'utf8');
  const commands = [...readme.matchAll(/^npm install (.+)$/gm)].map(([, words = '']) => words);
  const installed = commands.flatMap((words) =>
    words.split(' ').map((word) => word.replace(/(?<=.)@\d+$/, '')),
  );
  const needed = new Set(['tsx', ...packagesOf(name)]);
  // A test runner brings its own loader.
  if (installed.includes('vitest')) needed.delete('tsx');
  for (const each of needed) expect(installed).toContain(each);
  expect(readme).toContain(`cp -r node_modules/vehicle-auction-sdk/examples/${name} .`);
});

it.each(programs.filter((name) => name !== 'testing'))('the README of %s sets the module type', (name) => {
  const readme = readFileSync(join(folder, name, 'README.md'), 'utf8');
  expect(readme).toContain('npm pkg set type=module');
  expect(readme).toContain('ES modules');
});

/** Packages that the files of an example import, and the drivers of the stores that they open. */
function packagesOf(name: string): string[] {
  const files = readdirSync(join(folder, name)).filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(0);
  return files.flatMap((file) => {
    const text = readFileSync(join(folder, name, file), 'utf8');
    const specifiers = [...text.matchAll(/ from '([^'.][^']*)'/g)].map(([, specifier = '']) => specifier);
    const drivers = specifiers.includes('vehicle-auction-sdk/sqlite') ? ['libsql'] : [];
    return [...specifiers.filter(isPackage).map(packageOf), ...drivers];
  });
}

function isPackage(specifier: string): boolean {
  return !specifier.startsWith('node:') && !builtinModules.includes(specifier);
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
