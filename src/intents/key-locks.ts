import { type StopSources, within } from '../core/deadline.js';

/** Work on one name follows each other within this process: one key, or one buyer on one lot. */
export class Locks {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Waits for earlier work on this name, as long as `sources` allow. @throws Stopped */
  async alone<T>(name: string, sources: StopSources, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    let done: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => {
      done = resolve;
    });
    const chained = before === undefined ? mine : before.then(() => mine);
    this.#last.set(name, chained);
    try {
      if (before !== undefined) await within(sources, before);
      return await work();
    } finally {
      done();
      if (this.#last.get(name) === chained) this.#last.delete(name);
    }
  }
}
