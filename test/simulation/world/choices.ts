import { numbersFrom } from '../../support/random.js';

/** Where every free decision of a run comes from: the same choices make the same run. */
export interface Choices {
  /** A whole number from 0 to below `below`; 0 is the uneventful one. */
  choose(label: string, below: number): number;
}

/** Choices by lot: a seed names a run. */
export class SeededChoices implements Choices {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = numbersFrom(seed);
  }

  choose(_label: string, below: number): number {
    return Math.floor(this.#next() * below);
  }
}

/** A decision that an enumeration took. */
interface Branch {
  readonly label: string;
  readonly below: number;
  readonly taken: number;
}

/**
 * Every sequence of choices, one run after the other, depth first. Only decisions under `labels` branch; all others
 * take the uneventful way. A run that has left that way `deviations` times doesn't leave it again.
 */
export class Enumeration {
  readonly #labels: ReadonlySet<string>;
  readonly #deviations: number;
  #prefix: readonly Branch[] | undefined = [];

  constructor(labels: Iterable<string>, deviations: number) {
    this.#labels = new Set(labels);
    this.#deviations = deviations;
  }

  /** The choices of the next run; undefined once all have been made. Play the run to its end before the next one. */
  next(): RecordedChoices | undefined {
    if (this.#prefix === undefined) return undefined;
    const choices = new RecordedChoices(this.#prefix, this.#labels, this.#deviations);
    this.#prefix = undefined;
    return choices;
  }

  /** Takes over what a run decided, and so finds the next one. */
  played({ branches }: RecordedChoices): void {
    const last = branches.findLastIndex(({ taken, below }) => taken < below - 1);
    const branch = branches[last];
    if (branch === undefined) return;
    this.#prefix = [...branches.slice(0, last), { ...branch, taken: branch.taken + 1 }];
  }
}

/** Choices of one run of an enumeration: a given beginning, and the uneventful way from there. */
export class RecordedChoices implements Choices {
  readonly branches: Branch[] = [];
  readonly #prefix: readonly Branch[];
  readonly #labels: ReadonlySet<string>;
  #left: number;

  constructor(prefix: readonly Branch[], labels: ReadonlySet<string>, deviations: number) {
    this.#prefix = prefix;
    this.#labels = labels;
    this.#left = deviations;
  }

  choose(label: string, below: number): number {
    if (below <= 1 || this.#left === 0 || !this.#labels.has(label)) return 0;
    const known = this.#prefix[this.branches.length];
    if (known !== undefined && (known.label !== label || known.below !== below)) {
      throw new Error(`The run isn't the same twice: ${known.label} was decided here, now ${label}`);
    }
    const taken = known?.taken ?? 0;
    this.branches.push({ label, below, taken });
    if (taken > 0) this.#left -= 1;
    return taken;
  }

  /** What this run decided otherwise than uneventfully, for people. */
  toString(): string {
    return this.branches
      .filter(({ taken }) => taken > 0)
      .map(({ label, taken }) => `${label}=${taken}`)
      .join(' ');
  }
}
