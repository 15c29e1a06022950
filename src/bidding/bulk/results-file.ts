import { close, fdatasync, openSync, renameSync, writeFile, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { BulkRun } from './bulk-run.js';
import type { BulkSummary } from './progress.js';
import type { BulkResult } from './result.js';
import { resultsHeader, resultsLine } from './results-csv.js';
import type { BulkRow } from './row.js';

export interface ResultsFileOptions {
  /** Moves a file that is there to `<path>.old` first, in place of an older one. It is refused when left out. */
  readonly replace?: boolean | undefined;
}

/**
 * A result file that grows row by row, readable at every moment. It is a report: the journal is what bids are known by,
 * so the same batch again writes all of its results once more.
 */
export class ResultsFile {
  readonly #file: number;
  #unwritten = '';
  #tail: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  #closing: Promise<void> | undefined;

  /** @internal */
  constructor(path: string, { replace = false }: ResultsFileOptions) {
    if (replace) moveAside(path);
    // Who bids what is nobody else's business on this machine.
    this.#file = openSync(path, 'ax', 0o600);
    writeFileSync(this.#file, resultsHeader());
  }

  /**
   * Writes a result behind the others; it is on the disk when this resolves. Results that come meanwhile share the next
   * write.
   *
   * @throws the error of the system where the file can't be written, now or earlier: nothing is written behind half a line.
   */
  async write<R extends BulkRow>(result: BulkResult<R>): Promise<void> {
    if (this.#closing !== undefined) throw new Error('the result file is closed');
    this.#unwritten += resultsLine(result);
    await this.#inTurn(() => this.#flush());
  }

  /** Writes what isn't written yet, and lets go of the file. @throws as `write` does */
  close(): Promise<void> {
    this.#closing ??= this.#inTurn(async () => {
      await promisify(close)(this.#file);
      if (this.#failure !== undefined) throw this.#failure.error;
    });
    return this.#closing;
  }

  async #flush(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    const text = this.#unwritten;
    // An earlier turn has written it along with its own.
    if (text === '') return;
    this.#unwritten = '';
    try {
      await promisify<number, string, void>(writeFile)(this.#file, text);
      await promisify(fdatasync)(this.#file);
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#tail.then(work);
    this.#tail = turn.catch(() => undefined);
    return turn;
  }
}

/**
 * Makes a result file, with its header. Make it before you place the batch: what keeps it from being made is known then.
 *
 * @throws the error of the system; `EEXIST` where there is a file that isn't to be replaced.
 */
export function openResultsCsv(path: string, options: ResultsFileOptions = {}): ResultsFile {
  return new ResultsFile(path, options);
}

/**
 * Writes the results of a batch to a file as they settle, and resolves with its summary.
 *
 * @throws the error of the system. Where the file can't be made, the batch is stopped before its first bid; where it
 * can't be written later, the batch is placed to its end first, and placing it again gives the same results.
 */
export async function writeResultsCsv<R extends BulkRow>(
  run: BulkRun<R>,
  path: string,
  options: ResultsFileOptions = {},
): Promise<BulkSummary> {
  const file = openOrStop(run, path, options);
  try {
    // Not awaited one by one: a slow disk must not have results of a thousand rows synced a thousand times.
    for await (const result of run) void file.write(result).catch(() => undefined);
  } finally {
    await file.close();
  }
  return run.summary;
}

function openOrStop<R>(run: BulkRun<R>, path: string, options: ResultsFileOptions): ResultsFile {
  try {
    return openResultsCsv(path, options);
  } catch (error) {
    run.stop();
    throw error;
  }
}

function moveAside(path: string): void {
  try {
    renameSync(path, `${path}.old`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
