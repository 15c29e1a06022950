import { type Moment, unixMs } from './times.js';

/** Server time of a sandbox; it also fits wherever the SDK takes a clock. */
export class SandboxClock {
  readonly #startedAt: number;
  /** By their due time; of equal ones the one that was set first. */
  readonly #timers: Timer[] = [];
  #shift = 0;
  /** When it started to run, on the machine's clock; undefined while it is stopped. */
  #runningSince: number | undefined;
  #armed: NodeJS.Timeout | undefined;

  /** `startedAt` is the first answer of `now()`, Unix milliseconds. */
  constructor(mode: 'real' | 'manual', startedAt: number) {
    this.#startedAt = startedAt;
    if (mode === 'real') this.#runningSince = performance.now();
  }

  /** Server time, Unix milliseconds. */
  now(): number {
    return Math.floor(this.#startedAt + this.monotonic());
  }

  /** Milliseconds since the sandbox started, advances included and pauses left out. */
  monotonic(): number {
    return this.#shift + (this.#runningSince === undefined ? 0 : performance.now() - this.#runningSince);
  }

  /** Whether it runs with the machine's clock; otherwise only `advance` moves it. */
  get running(): boolean {
    return this.#runningSince !== undefined;
  }

  /**
   * Calls `callback` once after `ms` milliseconds of sandbox time; the returned function cancels it. Throws a
   * RangeError when `ms` is no number.
   */
  after(ms: number, callback: () => void): () => void {
    return this.#set(ms, callback, true);
  }

  /** @internal The same for what the sandbox has in its calendar: it alone keeps no process alive. */
  schedule(ms: number, callback: () => void): () => void {
    return this.#set(ms, callback, false);
  }

  /**
   * Moves time forward by `ms` milliseconds and fires what falls due, in order, each at its own moment; what is set
   * meanwhile and falls due as well fires too. A callback that throws keeps nothing else from firing: what it threw
   * is thrown at the end, an AggregateError where there were several. Throws a RangeError unless `ms` is 0 or more.
   */
  advance(ms: number): void {
    if (!(ms >= 0) || !Number.isFinite(ms)) throw new RangeError('advance() takes milliseconds, 0 or more');
    this.#runUntil(this.monotonic() + ms);
  }

  /** The same, up to a moment: Unix milliseconds or ISO 8601 with a zone. Throws a RangeError when it has passed. */
  advanceTo(moment: Moment): void {
    const target = unixMs(moment);
    if (target < this.now()) {
      throw new RangeError(
        `it is ${new Date(this.now()).toISOString()}; time does not go back to ${new Date(target).toISOString()}`,
      );
    }
    this.#runUntil(Math.max(target - this.#startedAt, this.monotonic()));
  }

  /** Stops time where it is: from now on it moves by `advance` only. */
  pause(): void {
    this.#shift = this.monotonic();
    this.#runningSince = undefined;
    this.#arm();
  }

  /** Lets time run with the machine's clock, from the current sandbox time. */
  resume(): void {
    this.#runningSince ??= performance.now();
    this.#arm();
  }

  /** @internal Fires what is due by now. Errors of callbacks surface as uncaught ones: the caller has no part in them. */
  catchUp(): void {
    const first = this.#timers[0];
    if (first === undefined || first.due > this.monotonic()) return;
    try {
      this.#runUntil(this.monotonic());
    } catch (error) {
      setImmediate(() => {
        throw error;
      });
    }
  }

  /** Forgets every timer; none fires any more. */
  stop(): void {
    this.#timers.length = 0;
    this.#arm();
  }

  #set(ms: number, callback: () => void, holds: boolean): () => void {
    if (Number.isNaN(ms)) throw new RangeError('after() takes milliseconds');
    const timer: Timer = { due: this.monotonic() + Math.max(0, ms), callback, holds };
    this.#timers.splice(this.#timers.findLastIndex(({ due }) => due <= timer.due) + 1, 0, timer);
    this.#arm();
    return () => {
      const at = this.#timers.indexOf(timer);
      if (at >= 0) this.#timers.splice(at, 1);
      this.#arm();
    };
  }

  #runUntil(target: number): void {
    const thrown: unknown[] = [];
    for (let next = this.#takeDue(target); next !== undefined; next = this.#takeDue(target)) {
      this.#moveTo(next.due);
      try {
        next.callback();
      } catch (error) {
        thrown.push(error);
      }
    }
    this.#moveTo(target);
    this.#arm();
    if (thrown.length > 1) throw new AggregateError(thrown, `${thrown.length} timers of the sandbox threw`);
    if (thrown.length === 1) throw thrown[0];
  }

  #moveTo(moment: number): void {
    this.#shift += Math.max(0, moment - this.monotonic());
  }

  #takeDue(moment: number): Timer | undefined {
    const first = this.#timers[0];
    return first !== undefined && first.due <= moment ? this.#timers.shift() : undefined;
  }

  /** Keeps one timer of the machine for the earliest of ours; a stopped clock needs one for what is due at once. */
  #arm(): void {
    clearTimeout(this.#armed);
    this.#armed = undefined;
    const first = this.#timers[0];
    if (first === undefined) return;
    const wait = Math.min(Math.max(0, Math.ceil(first.due - this.monotonic())), longestTimeout);
    if (!this.running && wait > 0) return;
    this.#armed = setTimeout(() => this.#runUntil(this.monotonic()), wait);
    if (!this.#timers.some(({ holds }) => holds)) this.#armed.unref?.();
  }
}

interface Timer {
  readonly due: number;
  readonly callback: () => void;
  /** Whether a process has to stay alive for it. */
  readonly holds: boolean;
}

/** setTimeout fires at once beyond this; a longer wait is armed again when it runs out. */
const longestTimeout = 2 ** 31 - 1;
