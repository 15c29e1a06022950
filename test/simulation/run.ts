import { loadDeriveKey } from '../../src/intents/derived-key.js';
import { faultsAtTheEnd } from './checks/verdict.js';
import { type Choices, SeededChoices } from './world/choices.js';
import type { FaultPoint, Settings } from './world/faults.js';
import { World } from './world/world.js';

// Loading a package takes real time, which virtual time does not wait for.
await loadDeriveKey();

/** What a run came to. */
export interface Result {
  /** What must not have been; empty where all is well. */
  readonly violations: readonly string[];
  /** How often each fault struck. */
  readonly counts: ReadonlyMap<string, number>;
  /** One line for each thing that happened. */
  readonly trace: readonly string[];
  readonly steps: number;
}

/** Plays the run that a seed names. */
export function playSeed(seed: number, settings: Settings = {}): Promise<Result> {
  return play(new SeededChoices(seed), settings);
}

/** Plays one run: the application at work amid faults, then calm, then what is left once the service has forgotten. */
export async function play(
  choices: Choices,
  settings: Settings,
  free: readonly FaultPoint[] = [],
): Promise<Result> {
  const world = new World(choices, settings, free);
  const { witness } = world;
  await world.live();
  if (witness.violations.length === 0) await world.calmDown();
  if (witness.violations.length === 0) await world.growOld();
  if (witness.violations.length === 0) await world.rememberWithoutService();
  for (const [kind, detail] of faultsAtTheEnd(world.outcome)) witness.violated(kind, detail);
  world.end();
  const { counts } = world.faults;
  return { violations: witness.violations, counts, trace: world.trace, steps: world.timeline.steps };
}
