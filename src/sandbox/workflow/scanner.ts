import type { SandboxClock } from '../clock.js';

/** Result of a scan. */
export type ScanResult = 'clean' | 'unclean';

/** A file to scan. */
export interface ScannedFile {
  readonly documentId: string;
  readonly saleId: string;
  readonly purpose: string;
  readonly filename: string;
  /** Media type, as the service reports it. */
  readonly mime: string;
  readonly content: Uint8Array;
}

/**
 * The scanner for uploaded evidence. After a delay, reports a file as clean unless it contains the standard EICAR
 * test signature or `finds()` sets another result. While paused, files wait.
 */
export class Scanner {
  readonly #clock: SandboxClock;
  readonly #scanMs: number;
  readonly #waiting = new Set<() => void>();
  #running = true;
  #judge: (file: ScannedFile) => ScanResult = bySignature;

  /** @internal */
  constructor(clock: SandboxClock, scanMs: number) {
    this.#clock = clock;
    this.#scanMs = scanMs;
  }

  /** Whether the scanner is running. */
  get running(): boolean {
    return this.#running;
  }

  /** Pauses scanning. Uploaded files stay `awaiting_scan`. */
  pause(): void {
    this.#running = false;
  }

  /** Resumes scanning, starting with the waiting files. */
  resume(): void {
    this.#running = true;
    for (const finish of this.#waiting) finish();
  }

  /**
   * Sets the result of scans that end from now on: one result, or a function per file. Without an argument,
   * restores the default.
   */
  finds(result?: ScanResult | ((file: ScannedFile) => ScanResult)): void {
    if (result !== undefined && typeof result !== 'function' && result !== 'clean' && result !== 'unclean') {
      throw new RangeError('finds() needs "clean", "unclean" or a function.');
    }
    this.#judge = typeof result === 'function' ? result : result === undefined ? bySignature : () => result;
  }

  /** @internal Scans a file and calls `found` once with the result. */
  scan(file: ScannedFile, found: (result: ScanResult) => void): void {
    const finish = () => {
      this.#waiting.delete(finish);
      // Any result other than `clean` counts as unclean.
      found(this.#judge(file) === 'clean' ? 'clean' : 'unclean');
    };
    this.#clock.after(this.#scanMs, () => {
      this.#waiting.add(finish);
      if (this.#running) finish();
    });
  }
}

function bySignature({ content }: ScannedFile): ScanResult {
  return Buffer.from(content).includes(eicar) ? 'unclean' : 'clean';
}

/** Split in two, so that virus scanners do not flag this file. */
const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');
