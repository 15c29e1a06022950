import { onTestFinished, vi } from 'vitest';

/** Imports modules in a process whose runtime has no `node:crypto`, until the test is over. */
export async function withoutNodeCrypto<T>(load: () => Promise<T>): Promise<T> {
  const { getBuiltinModule } = process;
  const spy = vi
    .spyOn(process, 'getBuiltinModule')
    .mockImplementation((id: string) => (id === 'node:crypto' ? undefined : getBuiltinModule(id)));
  vi.resetModules();
  onTestFinished(() => void vi.resetModules());
  try {
    return await load();
  } finally {
    spy.mockRestore();
  }
}
