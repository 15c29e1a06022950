import { loadDeriveKey } from '../../src/intents/derived-key.js';
import type { Clock } from '../../src/ports/clock.js';

// Loading a package takes real time, which must not count as time of this clock.
await loadDeriveKey();

interface Timer {
  readonly at: number;
  readonly ms: number;
  readonly fire: () => void;
}

/** Time that moves only when told to. Wall clock and monotonic clock move together unless the wall is set. */
export class VirtualClock implements Clock {
  #now: number;
  #monotonic = 0;
  #timers: Timer[] = [];
  /** Every delay that was ever asked for, in ms, in order. */
  readonly asked: number[] = [];

  constructor(start = Date.parse('2026-03-02T06:00:00Z')) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(ms: number, callback: () => void): () => void {
    const timer: Timer = { at: this.#monotonic + ms, ms, fire: callback };
    this.asked.push(ms);
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Delays of the timers that are pending now. */
  get pending(): number[] {
    return this.#timers.map((timer) => timer.ms);
  }

  /** Milliseconds until the next timer fires; undefined without one. */
  get idleMs(): number | undefined {
    const times = this.#timers.map(({ at }) => at);
    return times.length === 0 ? undefined : Math.min(...times) - this.#monotonic;
  }

  /** Moves time, firing what falls due in order, and lets promises settle in between. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    for (;;) {
      await settle();
      const due = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#moveTo(due.at);
      this.#timers = this.#timers.filter((timer) => timer !== due);
      due.fire();
    }
    this.#moveTo(end);
    await settle();
  }

  /** Sets the wall clock, Unix ms; the monotonic clock goes on. */
  setWall(ms: number): void {
    this.#now = ms;
  }

  #moveTo(monotonic: number): void {
    this.#now += monotonic - this.#monotonic;
    this.#monotonic = monotonic;
  }
}

/** Lets every promise that can settle without time or I/O do so. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Settles work that reads files: they are read in real time, whatever the clock says. */
export async function inRealTime<T>(work: Promise<T>): Promise<T> {
  let isSettled = false;
  void Promise.allSettled([work]).then(() => {
    isSettled = true;
  });
  while (!isSettled) await settle();
  return work;
}
