import { describe, expect, it } from 'vitest';
import {
  type JournalConformanceOptions,
  journalConformance,
} from '../../src/intents/conformance/conformance.js';
import type { JournalStorage } from '../../src/intents/conformance/storage.js';
import { IntentTable } from '../../src/intents/intent-table.js';
import type { Journal } from '../../src/intents/journal.js';
import { memoryJournal } from '../../src/intents/memory-journal.js';
import { brokenJournals } from './broken-journals.js';
import { TableJournal } from './table-journal.js';

/** Storages on a clock that is moved. */
function onVirtualTime(openerOf: (now: () => number) => () => Journal): () => JournalStorage {
  return () => {
    let time = 0;
    return {
      open: openerOf(() => time),
      pass: (ms) => {
        time += ms;
      },
      kill: () => undefined,
    };
  };
}

function overTables(journal: new (table: IntentTable) => Journal): () => JournalStorage {
  return onVirtualTime((now) => {
    const table = new IntentTable(now);
    return () => new journal(table);
  });
}

const sound: readonly (readonly [string, () => JournalStorage, JournalConformanceOptions])[] = [
  ['the memory journal', onVirtualTime((now) => () => memoryJournal({ now })), {}],
  ['a durable journal that is shared', overTables(TableJournal), { shared: true, leaseMs: 50 }],
];

describe.each(sound)('%s', (_, newStorage, options) => {
  const cases = journalConformance(newStorage, options);

  it.each(cases)('$name', ({ run }) => run());
});

describe('the suite', () => {
  const cases = journalConformance(overTables(TableJournal));

  it('has a name of its own for every case', () => {
    const names = cases.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(70);
  });

  it.each(brokenJournals)('catches a journal that $flaw', async ({ journal, caughtBy }) => {
    const found = journalConformance(overTables(journal)).find(({ name }) => name === caughtBy);
    await expect(found?.run()).rejects.toThrow(/expected .+, found /s);
  });

  it('is tried on a flaw in every part of the port', () => {
    const tried = new Set(brokenJournals.map(({ caughtBy }) => caughtBy));
    const parts = new Set([...tried].map((name) => name.split(/[:,]/)[0]));
    expect([...parts].sort()).toEqual([...new Set(cases.map(({ name }) => name.split(/[:,]/)[0]))].sort());
  });

  it('clears up after each case, be it failed or not', async () => {
    const steps: string[] = [];
    const [sound] = journalConformance(() => ({
      ...overTables(TableJournal)(),
      remove: () => {
        steps.push('removed');
      },
    }));
    await sound?.run();
    class Useless extends TableJournal {
      override async create(): Promise<never> {
        throw new Error('no room');
      }
      override async close() {
        steps.push('closed');
        throw new Error('not closed either');
      }
    }
    const [broken] = journalConformance(() => ({
      ...overTables(Useless)(),
      remove: () => {
        steps.push('removed');
      },
    }));
    await expect(broken?.run()).rejects.toThrow(
      'expected the journal to do as it was asked, found Error: no room',
    );
    expect(steps).toEqual(['removed', 'closed', 'removed']);
  });

  it('asks nothing of restarts where nothing is durable', async () => {
    let opened = 0;
    const restarts = journalConformance(() => ({
      open: () => {
        opened += 1;
        return memoryJournal();
      },
      pass: () => undefined,
    })).filter(({ name }) => name.startsWith('restart'));
    for (const { run } of restarts) await run();
    expect(opened).toBe(restarts.length);
  });

  it('says what it expected, what it found, and where they differ', async () => {
    const trims = brokenJournals.find(({ flaw }) => flaw === 'trims bodies');
    const found = journalConformance(overTables(trims?.journal ?? TableJournal)).find(
      ({ name }) => name === trims?.caughtBy,
    );
    await expect(found?.run()).rejects.toThrow(/^the intent: expected ….*end "\}.*, found ….*end"\}/);
  });
});
