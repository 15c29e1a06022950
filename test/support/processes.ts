import type { Store } from '../../src/store/store.js';

/** Several processes on one store, each with a name of its own; one that ended is gone for all others at once. */
export function processes(store: Store) {
  const gone = new Set<string>();
  return {
    /** The store as a process sees it. */
    as: (name: string): Store => ({
      name: store.name,
      durable: store.durable,
      process: { id: `host/${name}`, isGone: (id) => gone.has(id) },
      transaction: (account, work) => store.transaction(account, work),
      close: () => store.close(),
    }),
    end: (name: string) => {
      gone.add(`host/${name}`);
    },
  };
}
