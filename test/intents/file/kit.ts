import { expect } from 'vitest';
import { JournalError, type JournalFault } from '../../../src/errors/journal.js';
import {
  all,
  attempt,
  changeTo,
  idOf,
  intentWith,
  lasting,
  lease,
  made,
} from '../../../src/intents/conformance/material.js';
import type { Disk } from '../../../src/intents/file/disk.js';
import { openFileJournal } from '../../../src/intents/file/journal-in-file.js';
import type { FileJournalOptions } from '../../../src/intents/file/options.js';
import type { FileJournal } from '../../../src/intents/file/port.js';
import type { Surroundings } from '../../../src/intents/file/surroundings.js';
import type { IntentState } from '../../../src/intents/intent.js';
import type { Journal } from '../../../src/intents/journal.js';
import type { Choose } from '../../support/virtual-disk.js';

export { all, attempt, changeTo, idOf, intentWith, lasting, lease, made };

/** Where the journals of these tests lie. */
export const PATH = '/data/bids.journal';
/** Unix ms: the time of what `material` makes. */
export const START = 1_772_431_200_000;

/** A journal on a disk of its own, at a time that stands still, with nobody to share it with. */
export function journalOn(
  disk: Disk,
  surroundings: Partial<Surroundings> = {},
  options: FileJournalOptions = {},
): FileJournal {
  return openFileJournal(
    PATH,
    {
      disk,
      clock: { now: () => START, monotonic: () => 0 },
      pid: 42,
      locate: async (path) => path,
      lock: async () => async () => undefined,
      ...surroundings,
    },
    options,
  );
}

/** Where every intent of a journal stands: `key-1 unknown 1,2`, in order. */
export async function standings(journal: Journal): Promise<string[]> {
  const found: string[] = [];
  for await (const { intent, state, entries } of journal.list({})) {
    const attempts = entries.map((entry) => ('attempt' in entry ? entry.attempt : entry.type));
    found.push(`${intent.key} ${state} ${attempts.join()}`.trimEnd());
  }
  return found;
}

/** Makes an intent of a few hundred bytes, or of more. */
export async function make(
  journal: Journal,
  key: string,
  state: IntentState = 'prepared',
  bytes = 40,
): Promise<number> {
  return made(journal, intentWith(key, { lot: `lot of ${key}`, text: 'x'.repeat(bytes) }), state);
}

export async function change(
  journal: Journal,
  key: string,
  fence: number,
  state: IntentState,
  number: number,
): Promise<void> {
  await journal.append(idOf(intentWith(key)), fence, changeTo(state, attempt(number)));
}

/** What an action is refused with. */
export async function faultOf(action: Promise<unknown>): Promise<JournalFault | undefined> {
  return (await errorOf(action))?.fault;
}

export async function errorOf(action: Promise<unknown>): Promise<JournalError | undefined> {
  try {
    await action;
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(JournalError);
    return error instanceof JournalError ? error : undefined;
  }
}

/** Draws lots that are the same for the same seed. */
export function lots(seed: number): Choose {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
