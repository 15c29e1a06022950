import type { Clock } from '../../src/ports/clock.js';

/** The clock of a process that can die, or sleep: none of its timers fires from then on, until it wakes. */
export class MortalClock implements Clock {
  readonly #inner: Clock;
  #isAlive = true;
  readonly #missed: (() => void)[] = [];

  constructor(inner: Clock) {
    this.#inner = inner;
  }

  now(): number {
    return this.#inner.now();
  }

  monotonic(): number {
    return this.#inner.monotonic();
  }

  after(ms: number, callback: () => void): () => void {
    let isCancelled = false;
    const fire = () => {
      if (isCancelled) return;
      if (this.#isAlive) callback();
      else this.#missed.push(fire);
    };
    const cancel = this.#inner.after(ms, fire);
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  die(): void {
    this.#isAlive = false;
  }

  /** What has fallen due meanwhile fires now, in its order. */
  wake(): void {
    this.#isAlive = true;
    for (const fire of this.#missed.splice(0)) fire();
  }
}
