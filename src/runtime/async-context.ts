import type * as AsyncHooks from 'node:async_hooks';
import { optionalModule } from './node-modules.js';

/** A value that follows work through its awaits, so that what the work calls can be told from what others call. */
export interface AsyncContext<T> {
  /** Whether this runtime can follow work. */
  readonly isSupported: boolean;
  /** Runs work under a value. */
  run<R>(value: T, work: () => R): R;
  /** The value of the work that asks; undefined outside. */
  get(): T | undefined;
}

/** Made at the first `run`: once one exists, every promise of the process costs a little more on older versions of Node. */
export function asyncContext<T>(): AsyncContext<T> {
  let storage: AsyncHooks.AsyncLocalStorage<T> | undefined;
  const hooks = optionalModule('node:async_hooks');
  return {
    isSupported: hooks !== undefined,
    run(value, work) {
      if (hooks === undefined) return work();
      storage ??= new hooks.AsyncLocalStorage();
      return storage.run(value, work);
    },
    get: () => storage?.getStore(),
  };
}
