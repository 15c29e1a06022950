import { events } from './cases/events.js';
import { intents } from './cases/intents.js';
import { retention } from './cases/retention.js';
import { transactions } from './cases/transactions.js';
import { Finding, Setting, type StoreStorage } from './setting.js';

export type { StoreStorage };

export interface StoreConformanceOptions {
  /** Whether several stores can share one storage. If true, races run on three stores. Defaults to false. */
  readonly shared?: boolean | undefined;
  /** Silence of a dead owner in the ownership cases, ms. Defaults to 60,000. */
  readonly silence?: number | undefined;
}

/** One case of the suite. */
export interface StoreCase {
  /** A unique sentence about a store, such as `insert: a key is taken only once in an account`. */
  readonly name: string;
  /** Rejects with an Error that names the expected and the actual value. */
  run(): Promise<void>;
}

/**
 * Returns the cases that every store must pass.
 *
 * The cases need no test framework. Run them in sequence or in parallel. A case that rejects has failed.
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
        // Report the failure of the case, not of its clean-up.
        await setting.end().catch(() => undefined);
        throw error instanceof Finding ? error : findingOf(error);
      }
      await setting.end();
    },
  }));
}

function findingOf(error: unknown): Finding {
  return new Finding(`expected the store to work, found ${String(error)}`, { cause: error });
}
