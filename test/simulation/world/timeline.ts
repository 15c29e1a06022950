import { loadDeriveKey } from '../../../src/intents/derived-key.js';

// Loading a package takes real time, which must not count as time of the simulation.
await loadDeriveKey();

interface Event {
  readonly at: number;
  run: (() => void) | undefined;
}

const realImmediate = globalThis.setImmediate;

/**
 * One queue of events in virtual time, for everything. Between two events all promises come to rest, so what runs
 * depends on the queue alone.
 */
export class Timeline {
  /** True time, Unix ms. */
  now: number;
  /** Events that ran. */
  steps = 0;
  /** What is to come, in its order. */
  readonly #events: Event[] = [];

  constructor(start: number) {
    this.now = start;
  }

  /** Runs `work` once after so many ms; the returned function cancels it. */
  after(ms: number, work: () => void): () => void {
    const event: Event = { at: this.now + Math.max(0, ms), run: work };
    this.#events.splice(this.#events.findLastIndex(({ at }) => at <= event.at) + 1, 0, event);
    return () => {
      event.run = undefined;
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /**
   * Runs events until `isOver`, nothing is left to happen, or `maxSteps` more have run.
   *
   * @returns whether `isOver`
   */
  async play(isOver: () => boolean, maxSteps: number): Promise<boolean> {
    const restore = countImmediates();
    try {
      await settle();
      for (const end = this.steps + maxSteps; this.steps < end && !isOver(); ) {
        const event = this.#events.shift();
        if (event === undefined) break;
        if (event.run === undefined) continue;
        this.now = event.at;
        this.steps += 1;
        event.run();
        await settle();
      }
      return isOver();
    } finally {
      restore();
    }
  }
}

let immediates = 0;

/** Lets all promises come to rest: a turn of the loop does, unless the code under test asked for turns itself. */
async function settle(): Promise<void> {
  do await new Promise((resolve) => realImmediate(resolve));
  while (immediates > 0);
}

/** Counts the turns of the loop that the code under test waits for. */
function countImmediates(): () => void {
  const before = globalThis.setImmediate;
  immediates = 0;
  const counting: (...args: Parameters<typeof realImmediate>) => NodeJS.Immediate = (work, ...args) => {
    immediates += 1;
    return realImmediate(() => {
      immediates -= 1;
      work(...args);
    });
  };
  globalThis.setImmediate = Object.assign(counting, { __promisify__: before.__promisify__ });
  return () => {
    globalThis.setImmediate = before;
  };
}
