import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { plantedBugs } from '../simulation/planted-bugs.js';
import { root, textOf } from '../support/sources.js';

it.each(['docs/assurance.md', 'docs/security-model.md'])(
  '%s names only tests and commands that exist',
  (page) => {
    const text = textOf(page);
    const named = [...text.matchAll(/\btest\/[\w/.-]*\w/g)].map(([path]) => path);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const { scripts } = JSON.parse(textOf('package.json')) as { readonly scripts: object };
    const commands = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
    expect(commands.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  },
);

it('The assurance counts the planted bugs', () => {
  expect(textOf('docs/assurance.md')).toContain(`| Planted bugs | ${plantedBugs.length} mistakes`);
});
