import type { Variants } from './variants.js';
import type { World } from './world.js';

/** What is said in the place of a known value, to prove that clients pass on what they don't know. */
export const unfamiliar = 'unfamiliar_to_all';

/** A value that is known to be sent, or the unfamiliar one where its row is switched to that. */
export function knownUnlessSwitched(
  { settings }: Pick<World, 'settings'>,
  row: RowsOfValues,
  known: string,
): string {
  return settings.variants[row] === 'unfamiliar' ? unfamiliar : known;
}

type RowsOfValues = {
  [Row in keyof Variants]: 'unfamiliar' extends Variants[Row] ? Row : never;
}[keyof Variants];
