import {
  closeSync,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { csvLine, readCsv } from './csv.js';
import { type Bid, twoDecimals } from './plan.js';

const statuses = ['accepted', 'rejected', 'refused', 'not_sent', 'unknown'] as const;
export type Status = (typeof statuses)[number];

/** What became of a row. */
export interface Result extends Bid {
  readonly status: Status;
  /** Every code that the service gave. */
  readonly codes: readonly string[];
  /** Empty where there is none; by itself no proof of acceptance. */
  readonly bidId: string;
}

/** Answered for good: the row is never sent again. */
export function isSettled(result: Result | undefined): boolean {
  return result?.status === 'accepted' || result?.status === 'rejected';
}

/**
 * The result file. A row is noted as `unknown` before its bid leaves and again once its outcome is known; the last
 * line of a row counts. So whatever happens to this program, the file never says less than it must.
 */
export class Results {
  readonly #path: string;
  readonly #byRow: Map<string, Result>;
  #file: number | undefined;
  #failure: unknown;

  private constructor(path: string, byRow: Map<string, Result>) {
    this.#path = path;
    this.#byRow = byRow;
  }

  /** Reads the file of an earlier run, if there is one. @throws Error where it is something else. */
  static read(path: string): Results {
    if (!existsSync(path)) return new Results(path, new Map());
    const file = readFileSync(path);
    const [names, ...records] = readCsv(wholeLines(file).toString());
    const isOurs =
      names === undefined
        ? csvLine(header).startsWith(file.toString())
        : names.cells.join() === header.join();
    if (!isOurs) {
      throw new Error(`${path} is no result file of this program; give another with --results`);
    }
    return new Results(
      path,
      new Map(records.map(({ line, cells }) => [cells[0] ?? '', resultOf(cells, `${path}, line ${line}`)])),
    );
  }

  of(row: string): Result | undefined {
    return this.#byRow.get(row);
  }

  /** Where the file and the bids don't belong together: what was begun must not have changed meanwhile. */
  contradictions(bids: readonly Bid[]): string[] {
    const byRow = new Map(bids.map((bid) => [bid.row, bid]));
    return [...this.#byRow.values()]
      .filter(({ status }) => status !== 'refused' && status !== 'not_sent')
      .flatMap((earlier) => {
        const bid = byRow.get(earlier.row);
        if (bid === undefined) {
          return earlier.status === 'unknown' ? [`row ${earlier.row} is unsettled: put it back`] : [];
        }
        if (bid.key !== earlier.key)
          return [`row ${bid.row} was begun in another batch, or by another client`];
        const isSame =
          bid.lot === earlier.lot && bid.buyer === earlier.buyer && bid.amount === earlier.amount;
        return isSame ? [] : [`row ${bid.row} has changed since it was begun: a changed bid is a new row`];
      });
  }

  /** Makes ready to write. @throws Error where that can't be. */
  open(): void {
    const whole = existsSync(this.#path) ? wholeLines(readFileSync(this.#path)).length : 0;
    this.#file = openSync(this.#path, 'a', ownerOnly);
    ftruncateSync(this.#file, whole);
    if (whole === 0) writeFileSync(this.#file, csvLine(header));
  }

  /**
   * Writes a result; it is on the disk when this returns.
   *
   * @throws Error where it can't be, now or earlier: then nothing must be sent, and nothing is written behind half a line.
   */
  note(result: Result): void {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      if (this.#file === undefined) throw new Error('the result file is not open');
      writeFileSync(this.#file, lineOf(result));
      fdatasyncSync(this.#file);
    } catch (error) {
      this.#failure = error;
      throw error;
    }
    this.#byRow.set(result.row, result);
  }

  /** Puts the file in the order of the bids, one line for each row. */
  finish(bids: readonly Bid[]): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    const listed = new Set(bids.map(({ row }) => row));
    const gone = [...this.#byRow.values()].filter(({ row }) => !listed.has(row));
    const results = [...bids.flatMap(({ row }) => this.of(row) ?? []), ...gone];
    const draft = openSync(`${this.#path}.draft`, 'w', ownerOnly);
    writeFileSync(draft, csvLine(header) + results.map(lineOf).join(''));
    fdatasyncSync(draft);
    closeSync(draft);
    renameSync(`${this.#path}.draft`, this.#path);
  }
}

const header = ['row', 'lot', 'buyer', 'amount', 'status', 'codes', 'bid_id', 'key'];
const ownerOnly = 0o600;

/** A crash can break the last line off; nothing had been sent, or learnt, when it did. */
function wholeLines(file: Buffer): Buffer {
  return file.subarray(0, file.lastIndexOf('\n') + 1);
}

function lineOf({ row, lot, buyer, amount, status, codes, bidId, key }: Result): string {
  return csvLine([row, lot, buyer, amount, status, codes.join(' '), bidId, key]);
}

function resultOf(cells: readonly string[], place: string): Result {
  const [row = '', lot = '', buyer = '', amount = '', word, codes = '', bidId = '', key = ''] = cells;
  const status = statuses.find((each) => each === word);
  if (status === undefined) throw new Error(`${place}: ${JSON.stringify(word)} is no status`);
  const whole = { row, lot, buyer, amount: twoDecimals(amount), key };
  return { ...whole, status, codes: codes.split(' ').filter(Boolean), bidId };
}
