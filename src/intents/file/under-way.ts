/** Work that has begun and not ended. */
export class UnderWay {
  readonly #works = new Set<Promise<unknown>>();

  add(work: Promise<unknown>): void {
    this.#works.add(work);
    const done = () => void this.#works.delete(work);
    work.then(done, done);
  }

  /** Resolves when all that is under way now has ended, well or not. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#works);
  }
}
