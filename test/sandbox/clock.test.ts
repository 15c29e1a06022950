import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z' });
});
afterEach(() => sandbox.close());

test('a manual clock stands still, and fires what falls due as it is moved, each at its moment', () => {
  const { clock } = sandbox;
  const fired: [string, number][] = [];
  for (const [name, ms] of [
    ['late', 2_000],
    ['early', 1_000],
    ['twin', 1_000],
    ['far', 2_001],
  ] as const) {
    clock.after(ms, () => fired.push([name, clock.now()]));
  }
  clock.after(1_500, () => fired.push(['cancelled', 0]))();
  clock.advance(2_000);
  const start = Date.parse('2026-03-01T10:00:00Z');
  expect(fired).toEqual([
    ['early', start + 1_000],
    ['twin', start + 1_000],
    ['late', start + 2_000],
  ]);
});

test('what is due at once fires by itself, on a manual clock as well', async () => {
  const { clock } = sandbox;
  let early = true;
  const fired = new Promise<boolean>((resolve) => {
    clock.after(0, () => resolve(early));
  });
  early = false;
  expect(await fired).toBe(false);
  expect(clock.now()).toBe(Date.parse('2026-03-01T10:00:00Z'));
});
