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

it('The assurance gives the figures of the endurance test and of the quota', () => {
  const figure = (option: string) => new RegExp(`\\b${option}: \\{ type: 'string', default: '(\\d+)' \\}`);
  const endurance = textOf('tools/sandbox-endurance.ts');
  const [fuzz, connections] = ['fuzz', 'connections'].map((option) =>
    Number(figure(option).exec(endurance)?.[1]).toLocaleString('en-US'),
  );
  expect(textOf('docs/assurance.md')).toContain(
    `${fuzz} arbitrary requests without a 5xx, keeps ${connections} connections`,
  );
  const { scripts } = JSON.parse(textOf('package.json')) as { readonly scripts: Record<string, string> };
  expect(scripts['test:quota']).toContain('QUOTA_SEEDS=100 ');
  expect(textOf('docs/assurance.md')).toContain('| Quota | 100 virtual hours');
});

it('The assurance counts the planted bugs', () => {
  expect(textOf('docs/assurance.md')).toContain(`| Planted bugs | ${plantedBugs.length} mistakes`);
});
