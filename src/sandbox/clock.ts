/** Server time of a sandbox; it also fits wherever the SDK takes a clock. */
export class SandboxClock {
  readonly #mode: 'real' | 'manual';
  readonly #startedAt: number;
  readonly #origin = performance.now();
  readonly #timers: Timer[] = [];
  #shift = 0;
  #order = 0;
  #armed: NodeJS.Timeout | undefined;

  /** `startedAt` is the first answer of `now()`, Unix milliseconds. */
  constructor(mode: 'real' | 'manual', startedAt: number) {
    this.#mode = mode;
    this.#startedAt = startedAt;
  }

  /** Server time, Unix milliseconds. */
  now(): number {
    return Math.floor(this.#startedAt + this.monotonic());
  }

  /** Milliseconds since the sandbox started, advances included. */
  monotonic(): number {
    return this.#shift + (this.#mode === 'real' ? performance.now() - this.#origin : 0);
  }

  /** Calls `callback` once after `ms` milliseconds of sandbox time; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void {
    const timer: Timer = { due: this.monotonic() + Math.max(0, ms), order: this.#order++, callback };
    this.#timers.push(timer);
    this.#timers.sort((a, b) => a.due - b.due || a.order - b.order);
    this.#arm();
    return () => {
      const at = this.#timers.indexOf(timer);
      if (at >= 0) this.#timers.splice(at, 1);
      this.#arm();
    };
  }

  /** Moves time forward by `ms` milliseconds and fires what falls due, in order, each at its own moment. */
  advance(ms: number): void {
    if (!(ms >= 0) || !Number.isFinite(ms)) throw new RangeError('advance() takes milliseconds, 0 or more');
    const target = this.monotonic() + ms;
    for (let next = this.#takeDue(target); next !== undefined; next = this.#takeDue(target)) {
      this.#moveTo(next.due);
      next.callback();
    }
    this.#moveTo(target);
    this.#arm();
  }

  /** Forgets every timer; none fires any more. */
  stop(): void {
    this.#timers.length = 0;
    this.#arm();
  }

  #moveTo(moment: number): void {
    this.#shift += Math.max(0, moment - this.monotonic());
  }

  #takeDue(moment: number): Timer | undefined {
    const first = this.#timers[0];
    return first !== undefined && first.due <= moment ? this.#timers.shift() : undefined;
  }

  /** Keeps one timer of the machine for the earliest of ours; a manual clock needs one for what is due at once. */
  #arm(): void {
    clearTimeout(this.#armed);
    this.#armed = undefined;
    const first = this.#timers[0];
    if (first === undefined) return;
    const wait = Math.min(Math.max(0, Math.ceil(first.due - this.monotonic())), longestTimeout);
    if (this.#mode === 'manual' && wait > 0) return;
    this.#armed = setTimeout(() => this.advance(0), wait);
  }
}

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** setTimeout fires at once beyond this; a longer wait is armed again when it runs out. */
const longestTimeout = 2 ** 31 - 1;
