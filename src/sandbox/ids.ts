import { hash } from 'node:crypto';

/** Ids that look random and come out the same for the same seed. */
export class Ids {
  readonly #seed: number;
  readonly #form: 'hex' | 'punctuated';
  readonly #counts = new Map<string, number>();

  constructor(seed: number, form: 'hex' | 'punctuated' = 'hex') {
    this.#seed = seed;
    this.#form = form;
  }

  /** `kind_` and twelve hex digits, with other characters between them where the form says so; never the same twice. */
  next(kind: string): string {
    const hex = this.#digest(kind).slice(0, 12);
    if (this.#form === 'hex') return `${kind}_${hex}`;
    return `${kind}_${hex.slice(0, 4).toUpperCase()}.${hex.slice(4, 8)}:${hex.slice(8)}~`;
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

function asUuid(hex: string): string {
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
