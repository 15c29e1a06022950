import { afterEach, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../src/errors/local.js';
import { nodeModule, optionalModule } from '../../src/runtime/node-modules.js';

afterEach(() => vi.restoreAllMocks());

it('A module of Node is the module itself where the runtime has it', () => {
  expect(nodeModule('node:path').join('a', 'b')).toBe(process.getBuiltinModule('node:path').join('a', 'b'));
  expect(optionalModule('node:path')).toBe(nodeModule('node:path'));
});

it('A function of a module that the runtime lacks can be taken, and names itself when it is called', () => {
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => undefined);
  expect(optionalModule('node:fs/promises')).toBeUndefined();
  const { open } = nodeModule('node:fs/promises');
  const refusal = expect.objectContaining({
    option: 'runtime',
    message: expect.stringContaining('node:fs/promises (open)'),
    nextStep: expect.stringContaining('nodejs_compat'),
  });
  expect(() => open('file', 'r')).toThrow(refusal);
  expect(() => open('file', 'r')).toThrow(ConfigurationError);
});

it('No value is an instance of a class that the runtime lacks', () => {
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => undefined);
  const { Socket } = nodeModule('node:net');
  expect(Object({}) instanceof Socket).toBe(false);
});
