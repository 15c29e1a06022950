import type { SandboxClock } from '../clock.js';

/** What a scan can find. */
export type ScanResult = 'clean' | 'unclean';

/** A file as the scanner sees it. */
export interface ScannedFile {
  readonly documentId: string;
  readonly saleId: string;
  readonly purpose: string;
  readonly filename: string;
  /** Its media type, as the service reports it. */
  readonly mime: string;
  readonly content: Uint8Array;
}

/**
 * The scanner of uploaded evidence. After a while it finds a file clean, unless it holds the test signature that all
 * virus scanners know (EICAR), or it was told to find otherwise. While it is down, files wait.
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

  /** Whether it scans. */
  get running(): boolean {
    return this.#running;
  }

  /** Stops scanning: what is uploaded stays `awaiting_scan`. */
  pause(): void {
    this.#running = false;
  }

  /** Scans on, first of all what waited meanwhile. */
  resume(): void {
    this.#running = true;
    for (const finish of this.#waiting) finish();
  }

  /**
   * Says what the scans that end from now on find: the same for every file, or file by file. Without a result it finds
   * as it did at the start.
   */
  finds(result?: ScanResult | ((file: ScannedFile) => ScanResult)): void {
    if (result !== undefined && typeof result !== 'function' && result !== 'clean' && result !== 'unclean') {
      throw new RangeError('a scan finds "clean" or "unclean"');
    }
    this.#judge = typeof result === 'function' ? result : result === undefined ? bySignature : () => result;
  }

  /** @internal Takes a file in; `found` is called once with what is found. */
  scan(file: ScannedFile, found: (result: ScanResult) => void): void {
    const finish = () => {
      this.#waiting.delete(finish);
      // What isn't found clean never passes.
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

/** In two parts, so that no scanner takes this file for it. */
const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');
