import { thoroughly } from '../support/thorough.js';
import { play } from './run.js';
import { Enumeration } from './world/choices.js';
import { calm, type FaultPoint, faultPoints } from './world/faults.js';

/** What an enumeration is free to decide; everything else goes the uneventful way. */
export interface Scope {
  readonly name: string;
  /** Faults that may strike wherever they can. */
  readonly faults: readonly FaultPoint[];
  /** Other decisions, by their labels. */
  readonly labels: readonly string[];
  /** How often a run may leave the uneventful way: where everybody waits, and in full. */
  readonly deviations: { readonly short: number; readonly long: number };
}

/**
 * Two processes that share a store and place the same bid with three attempts, one crash at the most, and a service that
 * may forget; looked at from several sides.
 */
export const scopes: readonly Scope[] = [
  {
    name: 'a crash anywhere',
    faults: [...faultPoints.filter((point) => point.startsWith('crash ')), 'reply lost', 'request late'],
    labels: ['late', 'restart', 'after a restart'],
    deviations: { short: 1, long: 2 },
  },
  {
    name: 'copies, reordered and late',
    faults: [
      'copy made',
      'copy overtakes',
      'request late',
      'request too late',
      'request lost',
      'reply lost',
      'two verdicts',
    ],
    labels: ['late', 'edge', 'forgets', 'come back after', 'come back'],
    deviations: { short: thoroughly(1, 2), long: 3 },
  },
  {
    name: 'commits whose answer is lost',
    faults: [
      'transaction failed',
      'transaction runs again',
      'commit lost',
      'commit unheard',
      'commit lands late',
      'crash after a commit',
      'reply lost',
    ],
    labels: ['landing', 'stops when unsure', 'restart', 'after a restart'],
    deviations: { short: 1, long: 2 },
  },
  {
    name: 'one that stands still',
    faults: [
      'process stalls',
      'living process taken for gone',
      'commit unheard',
      'reply lost',
      'request late',
    ],
    labels: ['still', 'late', 'forgets', 'one host', 'come back after', 'come back'],
    deviations: { short: 1, long: 2 },
  },
  {
    name: 'words of refusal',
    faults: [
      'service answers 403',
      'service answers 404',
      'service answers 422 for a field',
      'proxy answers 422 in HTML',
      'gateway refuses by itself',
      'gateway answers early',
      'gateway replaces the reply',
      'service fails after the commit',
      'service answers 429 after the commit',
      'connect failed',
      'request late',
      'look-up fails',
      'rival bids',
    ],
    labels: ['late', 'forgets', 'come back after', 'come back'],
    deviations: { short: 1, long: 2 },
  },
  {
    name: 'a backup that is restored',
    faults: ['backup restored', 'reply lost', 'request late', 'request lost', 'crash after a commit'],
    labels: ['backup', 'needed', 'late', 'forgets', 'restart', 'after a restart'],
    deviations: { short: 1, long: 3 },
  },
];

/** What all sequences of choices in a scope came to. */
export interface Exhausted {
  readonly runs: number;
  /** The first that went wrong: what it decided, and what was wrong. */
  readonly wrong: { readonly choices: string; readonly violations: readonly string[] } | undefined;
}

/** Plays every run of a scope with at most so many deviations from the uneventful way. */
export async function exhaust({ faults, labels }: Scope, deviations: number): Promise<Exhausted> {
  const enumeration = new Enumeration([...faults, ...labels], deviations);
  let runs = 0;
  for (let choices = enumeration.next(); choices !== undefined; choices = enumeration.next()) {
    const { violations } = await play(choices, { processes: 2, moods: calm, crashes: 1 }, faults);
    runs += 1;
    if (violations.length > 0) return { runs, wrong: { choices: choices.toString(), violations } };
    enumeration.played(choices);
  }
  return { runs, wrong: undefined };
}
