import type { Clock } from '../../src/ports/clock.js';

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

/** A monotonic clock whose timers fire early or late, as told, and that can jump over them. */
export class LooseClock implements Clock {
  #monotonic = 0;
  readonly #timers = new Set<Timer>();
  readonly #slack: () => number;

  /** `slack` says by how many ms the next timer is late; early where negative. */
  constructor(slack: () => number = () => 0) {
    this.#slack = slack;
  }

  /** Stands still: the wall clock has no say here. */
  now(): number {
    return 0;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#monotonic + Math.max(1, ms + this.#slack()), fire: callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Runs on for `ms`, firing what falls due on the way. */
  async advance(ms: number): Promise<void> {
    await promisesSettled();
    const end = this.#monotonic + ms;
    for (let due = this.#dueBy(end); due !== undefined; due = this.#dueBy(end)) {
      this.#monotonic = Math.max(this.#monotonic, due.at);
      await this.#fire(due);
    }
    this.#monotonic = end;
  }

  /** Is suddenly `ms` further on; what fell due meanwhile fires only then. */
  async jump(ms: number): Promise<void> {
    this.#monotonic += ms;
    await this.advance(0);
  }

  #dueBy(end: number): Timer | undefined {
    return [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }

  async #fire(timer: Timer): Promise<void> {
    this.#timers.delete(timer);
    timer.fire();
    await promisesSettled();
  }
}

/** Lets promises settle that wait for no time. */
export function promisesSettled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
