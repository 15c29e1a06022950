import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('../../src', import.meta.url));
const files = readdirSync(join(src, 'sandbox'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => join(src, 'sandbox', file));

test('the sandbox leans on nothing of the SDK but the api as data, its timers, and how optional modules are loaded', () => {
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export|\}).* from '([^']+)';$/gm,
    )) {
      const target = from.startsWith('.') ? relative(src, resolve(dirname(file), from)) : from;
      expect(target, file).toMatch(/^(?:sandbox\/|api\/|runtime\/(?:timers|required)\.js$|node:|zod$)/);
    }
  }
});
