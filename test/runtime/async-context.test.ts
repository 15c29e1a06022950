import { afterEach, expect, it, vi } from 'vitest';
import { asyncContext } from '../../src/runtime/async-context.js';

afterEach(() => vi.restoreAllMocks());

it('A value follows work through its awaits, and no other work', async () => {
  const context = asyncContext<string>();
  expect([context.isSupported, context.get()]).toEqual([true, undefined]);
  const seen = await context.run('mine', async () => {
    await Promise.resolve();
    return context.run('inner', async () => context.get());
  });
  expect([seen, context.get()]).toEqual(['inner', undefined]);
});

it('A runtime that cannot follow work runs it without a value', () => {
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => undefined);
  const context = asyncContext<string>();
  expect([context.isSupported, context.run('mine', () => 'done'), context.get()]).toEqual([
    false,
    'done',
    undefined,
  ]);
});
