import { expect, it } from 'vitest';
import { textOf } from '../support/sources.js';

interface Locked {
  readonly resolved?: string;
  readonly integrity?: string;
}

it('The lockfile says of every package where it comes from, and its digest', () => {
  const { packages }: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
    textOf('package-lock.json'),
  );
  const entries = Object.entries(packages).filter(([path]) => path !== '');
  expect(entries.length).toBeGreaterThan(100);
  const incomplete = entries.filter(
    ([, { resolved = '', integrity = '' }]) =>
      !resolved.startsWith('https://registry.npmjs.org/') || !/^sha512-\S{88}$/.test(integrity),
  );
  expect(incomplete.map(([path]) => path)).toEqual([]);
});

it('Nothing of the package runs when it is installed', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { readonly scripts: object };
  const atInstall = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish', 'preprepare'];
  expect(atInstall.filter((name) => Object.hasOwn(scripts, name))).toEqual([]);
});
