import type { SandboxClock } from '../clock.js';

/** The scanner of uploaded evidence: it finds every file clean, after a while. While it is down, files wait. */
export class Scanner {
  readonly #clock: SandboxClock;
  readonly #scanMs: number;
  readonly #waiting = new Set<() => void>();
  #running = true;

  /** @internal */
  constructor(clock: SandboxClock, scanMs: number) {
    this.#clock = clock;
    this.#scanMs = scanMs;
  }

  /** Stops scanning: what is uploaded stays `awaiting_scan`. */
  pause(): void {
    this.#running = false;
  }

  /** Scans on, first of all what waited meanwhile. */
  resume(): void {
    this.#running = true;
    for (const found of this.#waiting) this.#finish(found);
  }

  /** @internal Takes a file in; `found` is called once it is found clean. */
  scan(found: () => void): void {
    this.#clock.after(this.#scanMs, () => {
      if (this.#running) this.#finish(found);
      else this.#waiting.add(found);
    });
  }

  #finish(found: () => void): void {
    this.#waiting.delete(found);
    found();
  }
}
