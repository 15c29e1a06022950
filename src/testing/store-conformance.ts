import { events } from './cases/events.js';
import { intents } from './cases/intents.js';
import { retention } from './cases/retention.js';
import { transactions } from './cases/transactions.js';
import { Finding, Setting, type StoreStorage } from './setting.js';

export type { StoreStorage };

export interface StoreConformanceOptions {
  /** Whether several stores can be open over one storage: races then run on three of them. Defaults to false. */
  readonly shared?: boolean | undefined;
  /** How long an owner is silent in the cases about it, ms; defaults to 60,000. */
  readonly silence?: number | undefined;
}

/** One case of the suite. */
export interface StoreCase {
  /** A sentence that holds for a store: `insert: a key is taken only once in an account`. Unique in the suite. */
  readonly name: string;
  /** Rejects with an Error that says what was expected and what was found. */
  run(): Promise<void>;
}

/**
 * Tests a store: the cases that every store must pass.
 *
 * They need no test framework. Run each, one after the other or all at once; a case that rejects has failed.
 *
 * ```ts
 * for (const { name, run } of storeConformance(() => newStorage(), { shared: true })) it(name, run);
 * ```
 *
 * @param newStorage called once for each case
 */
export function storeConformance(
  newStorage: () => StoreStorage | Promise<StoreStorage>,
  { shared = false, silence = 60_000 }: StoreConformanceOptions = {},
): readonly StoreCase[] {
  const cases = { ...intents, ...transactions, ...retention, ...events };
  return Object.entries(cases).map(([name, run]) => ({
    name,
    async run() {
      const setting = new Setting(await newStorage(), shared, silence);
      try {
        await run(await setting.open(), setting);
      } catch (error) {
        // What is wrong already matters more than what goes wrong during clean-up.
        await setting.end().catch(() => undefined);
        throw error instanceof Finding ? error : failure(error);
      }
      await setting.end();
    },
  }));
}

function failure(error: unknown): Finding {
  return new Finding(`expected the store to work, found ${String(error)}`, { cause: error });
}
