import { hash } from 'node:crypto';

/** Deterministic random-looking ids for a seed. */
export class Ids {
  readonly #seed: number;
  readonly #counts = new Map<string, number>();
  readonly #numbered: ReadonlySet<string>;
  #lastNumber = 1_000;

  /** Ids of `numbered` kinds are digits, from one sequence. */
  constructor(seed: number, numbered: readonly string[] = []) {
    this.#seed = seed;
    this.#numbered = new Set(numbered);
  }

  /** Returns a new id: `kind_` and twelve hex digits, or only digits. */
  next(kind: string): string {
    if (this.#numbered.has(kind)) {
      this.#lastNumber += 1;
      return String(this.#lastNumber);
    }
    return `${kind}_${this.#digest(kind).slice(0, 12)}`;
  }

  /** Returns a new UUID in version 4 format. */
  uuid(): string {
    return asUuid(this.#digest('uuid'));
  }

  /** Returns the UUID of a name. The same name always gives the same UUID. */
  uuidOf(name: string): string {
    return asUuid(hash('sha256', `${this.#seed}/uuid of ${name}`));
  }

  #digest(kind: string): string {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    return hash('sha256', `${this.#seed}/${kind}/${count}`, 'hex');
  }
}

/** Formats hash digits as a version 4 UUID. */
function asUuid(hex: string): string {
  const digits = `${hex.slice(0, 12)}4${hex.slice(13, 16)}8${hex.slice(17, 32)}`;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A small seeded random generator (mulberry32). */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a whole number from 0 to `below` - 1. */
  int(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  }

  pick<T>(items: readonly [T, ...T[]] | readonly T[]): T {
    const item = items[this.int(items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  /** Returns `length` characters from `alphabet`. */
  text(length: number, alphabet: string): string {
    let text = '';
    while (text.length < length) text += alphabet.charAt(this.int(alphabet.length));
    return text;
  }
}
