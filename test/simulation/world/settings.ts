import type { Choices } from './choices.js';
import { type Moods, type Rates, troubles } from './faults.js';

/** What is fixed for a run; the choices decide everything else. */
export interface Settings {
  /** How many processes share the store. */
  readonly processes?: 1 | 2 | 3;
  /** The service checks access before it looks at the nonce: docs/recovery.md states it as an exception. */
  readonly checksAccessFirst?: boolean;
  /** How much there is of each trouble: 0, 1 or 2. */
  readonly moods?: Partial<Moods>;
  /** How often some faults strike, per thousand, in place of what the moods make of them. */
  readonly rates?: Rates;
  /** How often processes may end before their time. */
  readonly crashes?: number;
}

/** No trouble at all. */
export const calm: Moods = {
  crash: 0,
  deploy: 0,
  network: 0,
  people: 0,
  proxy: 0,
  refusal: 0,
  service: 0,
  store: 0,
  time: 0,
};

/** Moods of a run: about half of the troubles don't show at all, so that the others can be seen apart. */
export function moodsOf(choices: Choices, given: Partial<Moods> = {}): Moods {
  const drawn = troubles.map(
    (trouble) => [trouble, Math.max(0, choices.choose(`mood: ${trouble}`, 4) - 1)] as const,
  );
  return { ...calm, ...Object.fromEntries(drawn), ...given };
}
