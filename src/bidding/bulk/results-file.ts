import {
  close,
  closeSync,
  fdatasync,
  openSync,
  renameSync,
  unlinkSync,
  writeFile,
  writeFileSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { ConfigurationError } from '../../errors/local.js';
import type { BulkRun } from './bulk-run.js';
import type { BulkSummary } from './progress.js';
import type { BulkResult } from './result.js';
import { resultsHeader, resultsLine } from './results-csv.js';
import {
  batchStopped,
  closedBefore,
  codeOf,
  isFolder,
  notMade,
  notMoved,
  notWritten,
} from './results-file-errors.js';
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
  readonly #path: string;
  readonly #file: number;
  #unwritten = '';
  #tail: Promise<unknown> = Promise.resolve();
  #failure: ConfigurationError | undefined;
  #closing: Promise<void> | undefined;

  /** @internal */
  constructor(path: string, { replace = false }: ResultsFileOptions) {
    if (replace) moveAside(path);
    this.#path = path;
    this.#file = begun(path);
  }

  /**
   * Writes a result behind the others; it is on the disk when this resolves. Results that come meanwhile share the next
   * write.
   *
   * @throws ConfigurationError where the file is closed, or can't be written on, now or earlier: nothing is written behind
   * half a line. What the system said is its `cause`.
   */
  async write<R extends BulkRow>(result: BulkResult<R>): Promise<void> {
    if (this.#closing !== undefined) {
      throw closedBefore(this.#path, `row ${result.rowId ?? result.position}`);
    }
    this.#unwritten += resultsLine(result);
    await this.#inTurn(() => this.#flush());
  }

  /** Writes what isn't written yet, and lets go of the file. @throws as `write` does */
  close(): Promise<void> {
    this.#closing ??= this.#inTurn(async () => {
      await promisify(close)(this.#file).catch((error: unknown) => {
        this.#failure ??= notWritten(this.#path, error);
      });
      if (this.#failure !== undefined) throw this.#failure;
    });
    return this.#closing;
  }

  async #flush(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const text = this.#unwritten;
    // An earlier turn has written it along with its own.
    if (text === '') return;
    this.#unwritten = '';
    try {
      await promisify<number, string, void>(writeFile)(this.#file, text);
      await promisify(fdatasync)(this.#file);
    } catch (error) {
      this.#failure = notWritten(this.#path, error);
      throw this.#failure;
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
 * @throws ConfigurationError where it can't be made, or is there and isn't to be replaced. What the system said is its
 * `cause`.
 */
export function openResultsCsv(path: string, options: ResultsFileOptions = {}): ResultsFile {
  return new ResultsFile(path, options);
}

/**
 * Writes the results of a batch to a file as they settle, and resolves with its summary.
 *
 * @throws ConfigurationError as `openResultsCsv` and `write` do. Where the file can't be made, the batch is stopped:
 * called at once, before its first bid. Where it can't be written on later, the batch is placed to its end first, and
 * placing it again gives the same results.
 */
export async function writeResultsCsv<R extends BulkRow>(
  run: BulkRun<R>,
  path: string,
  options: ResultsFileOptions = {},
): Promise<BulkSummary> {
  const file = await openOrStop(run, path, options);
  try {
    // Not awaited one by one: a slow disk must not have results of a thousand rows synced a thousand times.
    for await (const result of run) void file.write(result).catch(() => undefined);
  } finally {
    await file.close();
  }
  return run.summary;
}

async function openOrStop<R>(
  run: BulkRun<R>,
  path: string,
  options: ResultsFileOptions,
): Promise<ResultsFile> {
  try {
    return openResultsCsv(path, options);
  } catch (error) {
    run.stop();
    const { invalid, not_sent, ...begun } = (await run.summary).counts;
    const isBegun = Object.values(begun).some((count) => count > 0);
    throw error instanceof ConfigurationError ? batchStopped(error, isBegun) : error;
  }
}

/** A new file with its header, or none. */
function begun(path: string): number {
  try {
    // Who bids what is nobody else's business on this machine.
    const file = openSync(path, 'ax', 0o600);
    try {
      writeFileSync(file, resultsHeader());
    } catch (error) {
      closeSync(file);
      unlinkSync(path);
      throw error;
    }
    return file;
  } catch (error) {
    throw notMade(path, error);
  }
}

function moveAside(path: string): void {
  // A folder isn't what anybody means to replace; making the file says so.
  if (isFolder(path)) return;
  try {
    renameSync(path, `${path}.old`);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw notMoved(path, `${path}.old`, error);
  }
}
