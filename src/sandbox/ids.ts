import { hash } from 'node:crypto';

/** Ids that look random and come out the same for the same seed. */
export class Ids {
  readonly #seed: number;
  readonly #counts = new Map<string, number>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** `kind_` and twelve hex digits; never the same twice. */
  next(kind: string): string {
    return `${kind}_${this.#digest(kind).slice(0, 12)}`;
  }

  /** A version 4 UUID in shape. */
  uuid(): string {
    return asUuid(this.#digest('uuid'));
  }

  /** The same for one thing by its name: it is the same whenever it is asked for. */
  uuidOf(name: string): string {
    return asUuid(hash('sha256', `${this.#seed}/uuid of ${name}`));
  }

  #digest(kind: string): string {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    return hash('sha256', `${this.#seed}/${kind}/${count}`, 'hex');
  }
}

/** The digits of a hash in the shape of a version 4 UUID. */
function asUuid(hex: string): string {
  const digits = `${hex.slice(0, 12)}4${hex.slice(13, 16)}8${hex.slice(17, 32)}`;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A small generator (mulberry32): the same seed gives the same sandbox. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to `below` - 1. */
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

  /** `length` characters out of `alphabet`. */
  text(length: number, alphabet: string): string {
    let text = '';
    while (text.length < length) text += alphabet.charAt(this.int(alphabet.length));
    return text;
  }
}
