/** Lets what needs the same names happen one at a time, in the order it came; what shares no name doesn't wait. */
export class KeyLocks {
  readonly #last = new Map<string, Promise<void>>();

  async hold<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = names.flatMap((name) => this.#last.get(name) ?? []);
    let release: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (const name of names) this.#last.set(name, mine);
    try {
      if (before.length > 0) await Promise.all(before);
      return await work();
    } finally {
      for (const name of names) if (this.#last.get(name) === mine) this.#last.delete(name);
      release();
    }
  }

  isHeld(name: string): boolean {
    return this.#last.has(name);
  }
}
