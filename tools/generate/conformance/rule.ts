/**
 * Files, and what is meant in each. Of code: declarations, members after a point. Of tests: titles, the outer ones
 * first, joined by ` > `; behind the title of a table of cases the literal that stands in its row may follow.
 */
export type Places = Readonly<Record<string, string | readonly string[]>>;

/** Who sees to it that a rule is kept. */
export type Keeper = 'client' | 'sandbox' | 'client and sandbox' | 'service';

export interface Rule {
  /** Its number in the API text, or the name of its row. */
  readonly label: string;
  /** What it asks, and what the SDK does about it, in words of our own. */
  readonly text: string;
  readonly kept: Keeper;
  readonly code?: Places;
  readonly tests?: Places;
}

/** The rules of one list or table of the API text, in its order. */
export interface Section {
  readonly title: string;
  /** The chapter of the API text that it stands in. */
  readonly chapter: string;
  readonly rules: readonly Rule[];
}
