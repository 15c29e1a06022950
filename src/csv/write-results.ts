import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { RowResult } from '../bids/bulk/types.js';
import { ConfigurationError } from '../errors/local.js';
import { thrownCode, thrownMessage } from '../errors/thrown.js';
import { type BidColumn, bidColumns, csvLine, type ResultColumn, resultColumns } from './format.js';

/** Options of `writeResults`. */
export interface WriteResultsOptions {
  /**
   * Replaces an existing file at the end, if no error occurred. Until then, rows go to `<path>.<process id>.tmp`,
   * so a batch can be read from the file that its results replace. Without it, an existing file is refused.
   */
  readonly overwrite?: boolean | undefined;
}

/** The part of a Node stream that `writeResults` uses, declared here so that `@types/node` is optional. */
export interface ResultsStream {
  write(text: string, done: (error?: Error | null) => void): unknown;
  once(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}

/** Results of a batch: what `placeAll` returns, or an iterable made from it. */
export type BatchResults<R> = (AsyncIterable<RowResult<R>> | Iterable<RowResult<R>>) & {
  /** Stops the batch. Called if the target can't be opened. */
  stop?(): void;
};

/**
 * Writes the results of a batch as CSV, each row as it settles.
 *
 * The columns are those of a bids file, then `batch_id`, `status`, `idempotency_key`, `bid_id`, `codes`, `reason`,
 * `attempts`, `what` and `next_step`. `readBids` can read the file as a bids file. Only its owner can read a new
 * file. A file is always closed; a stream stays open. Errors of `results` are rethrown afterwards.
 *
 * @param target path of a file, or a Node stream
 * @returns the number of written results
 * @throws ConfigurationError if the target can't be opened (the batch is stopped) or written (the batch runs to
 * its end first). `cause` is the system error
 */
export async function writeResults<R>(
  results: BatchResults<R>,
  target: string | ResultsStream,
  options: WriteResultsOptions = {},
): Promise<number> {
  return writeLines(results, target, {
    overwrite: options.overwrite === true,
    call: 'writeResults',
    header: csvLine([...bidColumns, ...resultColumns]),
    lineOf: resultLine,
  });
}

/** Conversion of results to lines. */
interface Lines<T> {
  readonly overwrite: boolean;
  /** The function that errors name. */
  readonly call: string;
  /** The first line; empty for none. */
  readonly header: string;
  readonly lineOf: (result: T) => string;
}

/** Writes a line for each result, as it comes. */
export async function writeLines<T>(
  results: (AsyncIterable<T> | Iterable<T>) & { stop?(): void },
  target: string | ResultsStream,
  { overwrite, call, header, lineOf }: Lines<T>,
): Promise<number> {
  const sink = await openSink(target, { overwrite, call }).catch((error: unknown) => {
    results.stop?.();
    throw error;
  });
  const failures: ConfigurationError[] = [];
  const attempt = async (work: Promise<void>) => {
    await work.catch((cause: unknown) => failures.push(notWritten(call, sink.name, cause)));
  };
  let written = 0;
  let isWhole = false;
  try {
    if (header !== '') await attempt(sink.write(header));
    for await (const result of results) {
      // A failed write may leave half a row, so nothing is written after it.
      if (failures.length === 0) await attempt(sink.write(lineOf(result)));
      written += 1;
    }
    isWhole = failures.length === 0;
  } finally {
    await attempt(sink.close(isWhole));
  }
  if (failures[0] !== undefined) throw failures[0];
  return written;
}

interface Sink {
  /** Name for error messages. */
  readonly name: string;
  write(text: string): Promise<void>;
  close(isWhole: boolean): Promise<void>;
}

async function openSink(
  target: string | ResultsStream,
  { overwrite, call }: { readonly overwrite: boolean; readonly call: string },
): Promise<Sink> {
  if (typeof target !== 'string') return streamSink(call, target);
  try {
    return await fileSink(target, overwrite);
  } catch (cause) {
    const exists = hasCode(cause, 'EEXIST');
    const problem = exists ? 'already exists' : `can't be created: ${thrownMessage(cause)}`;
    const advice = exists
      ? 'Choose another path or pass overwrite: true'
      : 'Check the path, its folder and the disk';
    const nextStep = `${advice}, then ${again[call]}: it continues where it stopped.`;
    throw writeFailure(call, `${JSON.stringify(target)} ${problem}`, nextStep, cause);
  }
}

async function fileSink(path: string, overwrite: boolean): Promise<Sink> {
  const workingPath = overwrite ? `${path}.${process.pid}.tmp` : path;
  if (overwrite) {
    await checkReplaceable(path);
    await rm(workingPath, { force: true });
  }
  // Bids are confidential, so only the owner can read the file.
  const file = await open(workingPath, 'wx', 0o600);
  return {
    name: JSON.stringify(path),
    write: (text) => file.appendFile(text),
    close: async (isWhole) => {
      await file.sync().finally(() => file.close());
      if (!overwrite || !isWhole) return;
      await rename(workingPath, path);
      // The results are whole. If the folder can't be listed, abandoned files stay in it.
      await removeAbandoned(path).catch(() => undefined);
    },
  };
}

/** Throws for a folder or a read-only file before the first bid instead of after the last. */
async function checkReplaceable(path: string): Promise<void> {
  try {
    const file = await open(path, 'r+');
    await file.close();
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/** Removes unfinished files of killed processes. */
async function removeAbandoned(path: string): Promise<void> {
  const folder = dirname(path);
  const name = basename(path);
  for (const each of await readdir(folder)) {
    const [, pid] = each.startsWith(`${name}.`) ? (/^\.(\d+)\.tmp$/.exec(each.slice(name.length)) ?? []) : [];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(folder, each), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process exists and belongs to another user.
    return thrownCode(error) === 'EPERM';
  }
}

function streamSink(call: string, stream: ResultsStream): Sink {
  if (typeof stream?.write !== 'function') {
    throw new ConfigurationError('target', 'must be a path or a Node stream', { call });
  }
  return {
    name: 'the stream',
    write: (text) =>
      new Promise((resolve, reject) => {
        // The stream emits the error after the callback. The remaining listener prevents an uncaught error.
        stream.once('error', reject);
        stream.write(text, (error) => {
          if (error) return reject(error);
          stream.off('error', reject);
          resolve();
        });
      }),
    close: () => Promise.resolve(),
  };
}

/** Formats a result as a row of the file: the input row, then its outcome. */
function resultLine<R>(result: RowResult<R>): string {
  const { row, rowId } = result;
  // An invalid row may be any value, including one with throwing getters.
  const field = (name: string, column: BidColumn) =>
    cellText(propertyOf(row, name)) || cellText(propertyOf(propertyOf(row, 'cells'), column));
  const lot = propertyOf(row, 'lot');
  const outcome = 'outcome' in result ? result.outcome : undefined;
  const bidId = outcome !== undefined && 'bidId' in outcome ? outcome.bidId : undefined;
  const cells: Record<BidColumn | ResultColumn, string> = {
    row_id: rowId ?? field('rowId', 'row_id'),
    lot_id: cellText(propertyOf(lot, 'id')) || cellText(propertyOf(lot, 'lot_id')) || field('lot', 'lot_id'),
    amount: field('amount', 'amount'),
    bidder_reference: field('bidderReference', 'bidder_reference'),
    dealer_id: field('dealerId', 'dealer_id'),
    client_bid_time: field('clientBidTime', 'client_bid_time'),
    place_by: isoCell(propertyOf(row, 'placeBy')) || field('placeBy', 'place_by'),
    closes_at: isoCell(propertyOf(row, 'closesAt')) || field('closesAt', 'closes_at'),
    batch_id: result.batchId,
    status: result.status,
    idempotency_key: 'idempotencyKey' in result ? result.idempotencyKey : '',
    bid_id: bidId ?? '',
    codes: result.codes.join(' '),
    reason: result.reason ?? '',
    attempts: cellText(outcome?.attempts),
    what: result.what,
    next_step: result.nextStep,
  };
  return csvLine([...bidColumns, ...resultColumns].map((column) => cells[column]));
}

function propertyOf(value: unknown, name: string): unknown {
  try {
    return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  } catch {
    return undefined;
  }
}

function cellText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** Formats a Date or Unix ms as ISO 8601; empty for anything else. */
function isoCell(value: unknown): string {
  const date = typeof value === 'number' ? new Date(value) : value;
  return date instanceof Date && !Number.isNaN(date.getTime()) ? date.toISOString() : '';
}

const again: Readonly<Record<string, string>> = {
  writeResults: 'place the same batch again',
  writeImport: 'run the same import again',
};

function notWritten(call: string, name: string, cause: unknown): ConfigurationError {
  return writeFailure(
    call,
    `${name} can't be written: ${thrownMessage(cause)}`,
    `The store has every result: fix the cause, then ${again[call]} with another results file.`,
    cause,
  );
}

function writeFailure(call: string, problem: string, nextStep: string, cause: unknown): ConfigurationError {
  // Bids may have been placed even though their report is lost.
  const outcome = 'unknown';
  return new ConfigurationError('target', problem, { call, outcome, nextStep, cause });
}

function hasCode(error: unknown, code: string): boolean {
  return thrownCode(error) === code;
}
