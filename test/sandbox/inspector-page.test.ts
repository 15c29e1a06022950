import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/index.js';
import { root } from '../support/sources.js';
import { ask } from './inspecting.js';

const folder = `${root}src/sandbox/assets/inspector/`;
const scripts = readdirSync(folder)
  .filter((name) => name.endsWith('.js'))
  .map((name) => [name, readFileSync(folder + name, 'utf8')] as const);

test('the scripts of the page are typed: the compiler finds nothing in them', () => {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', `${folder}tsconfig.json`], { stdio: 'pipe' });
  expect(scripts.every(([, text]) => text.startsWith('// @ts-check\n'))).toBe(true);
});

test('nothing that a request carries could become markup or code', () => {
  for (const [name, text] of scripts) {
    expect(text, name).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(|srcdoc|DOMParser/,
    );
    expect(text, name).not.toMatch(/https?:\/\//);
  }
});

test('every script is served, and every one that is loaded is there', async () => {
  const imported = scripts.flatMap(([, text]) =>
    [...text.matchAll(/^import .* from '\.\/(.*)';$/gm)].map(([, name = '']) => name),
  );
  expect(new Set(['main.js', ...imported])).toEqual(new Set(scripts.map(([name]) => name)));
  await using sandbox = await startSandbox({ clock: 'manual' });
  for (const [name, text] of scripts) {
    const got = await ask(sandbox, 'GET', `/_sandbox/page/${name}`);
    expect([got.status, got.headers['content-type'], got.text]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      text,
    ]);
  }
});
