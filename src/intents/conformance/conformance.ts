import { appending } from './appending.js';
import { Finding } from './check.js';
import { claimingOpen } from './claiming-open.js';
import { closing } from './closing.js';
import { creating } from './creating.js';
import { exactness } from './exactness.js';
import { fencing } from './fencing.js';
import { leasing } from './leasing.js';
import { listing } from './listing.js';
import { racing } from './racing.js';
import { reading } from './reading.js';
import { reopening } from './reopening.js';
import { type Case, Setting } from './setting.js';
import type { JournalStorage } from './storage.js';
import { unwaited } from './unwaited.js';

/** One case of the suite. */
export interface JournalCase {
  /** A sentence that holds for a journal: `create: of many that race for a key, one wins`. Unique in the suite. */
  readonly name: string;
  /** Rejects with an Error that says what was expected and what was found. */
  run(): Promise<void>;
}

export interface JournalConformanceOptions {
  /** True where many processes may have a storage open at once: races are then run on three journals. False by default. */
  readonly shared?: boolean | undefined;
  /** Milliseconds of the leases that are meant to run out; 60,000 by default. */
  readonly leaseMs?: number | undefined;
}

/**
 * What every journal has to hold to, as cases that need no test framework: run each, one after the other or all at once,
 * and take a rejection for a failure. What a restart must keep is asked of journals only that say they are `durable`.
 *
 * ```ts
 * for (const { name, run } of journalConformance(() => newStorage())) it(name, run);
 * ```
 *
 * @param newStorage called once for each case.
 */
export function journalConformance(
  newStorage: () => JournalStorage | Promise<JournalStorage>,
  { shared = false, leaseMs = 60_000 }: JournalConformanceOptions = {},
): readonly JournalCase[] {
  return allCases().map(({ name, run }) => ({
    name,
    run: async () => {
      const setting = new Setting(await newStorage(), shared, leaseMs);
      try {
        await run(setting);
      } catch (error) {
        // What is wrong by now is worth more than what goes wrong while clearing up.
        await setting.end().catch(() => undefined);
        throw error instanceof Finding ? error : failure(error);
      }
      await setting.end();
    },
  }));
}

function failure(error: unknown): Finding {
  return new Finding(`expected the journal to do as it was asked, found ${String(error)}`, { cause: error });
}

/** Made when it is asked for, so that bundles of programs that don't ask can leave all of it out. */
function allCases(): readonly Case[] {
  return [
    ...creating(),
    ...racing(),
    ...appending(),
    ...unwaited(),
    ...leasing(),
    ...fencing(),
    ...claimingOpen(),
    ...reading(),
    ...listing(),
    ...exactness(),
    ...closing(),
    ...reopening(),
  ];
}
