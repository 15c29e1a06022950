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
