import { codeFacts } from '../../api/codes.js';
import { VehicleAuctionError } from '../../errors/base.js';
import { AbortedError } from '../../errors/connection.js';
import { ConfigurationError } from '../../errors/local.js';
import { StoreError } from '../../errors/store.js';
import { thrownMessage } from '../../errors/thrown.js';
import { refuseWithoutStore, serverTimeFor } from '../../intents/caller.js';
import type { IntendedBid } from '../../intents/content.js';
import { loadDeriveKey } from '../../intents/derived-key.js';
import type { Intent, Ledger } from '../../intents/ledger.js';
import { Changes, nextTurn, onceAborted } from '../../runtime/timers.js';
import { notify } from '../../runtime/user-code.js';
import { bidFacts, wouldBeUnsent } from '../outcome.js';
import { placeBid } from '../place.js';
import type { BidPorts } from '../ports.js';
import { bidOutcome } from '../settle.js';
import type { BidOutcome, UnsentReason } from '../types.js';
import { type Forecast, forecastRows } from './forecast.js';
import { failedRow, placedRow, Results, wouldSendRow } from './results.js';
import {
  type BatchSettings,
  batchSettings,
  type Candidate,
  RowChecker,
  RowQueue,
  RowReader,
} from './rows.js';
import type {
  BatchRun,
  BatchStop,
  BatchSummary,
  BidRow,
  PlaceAllOptions,
  RowResult,
  RowSource,
  UnreadableRow,
} from './types.js';

/** Rows that are looked up in the store in one transaction. */
const READ_TOGETHER = 100;

/** Rows to read before other work gets a turn, because a source without waits would block it. */
const PAUSE_EVERY = 200;

const context = { call: 'bids.placeAll', operation: 'bids.placeAll' } as const;

/** Places every row of a source, each once. @throws InvalidRequestError for options that can't work */
export function placeAll<R extends BidRow>(
  parts: BidPorts,
  source: RowSource<R>,
  options: PlaceAllOptions<R>,
): BatchRun<R> {
  const batch = new Batch<R>(parts, source, batchSettings(parts.limits, source, options));
  const isClosed = parts.recording.closing().unsent?.aborted === true;
  const run: BatchRun<R> = {
    summary: isClosed ? batch.run() : parts.during(context.call, () => batch.run()),
    stop: () => batch.stop(byStop),
    toArray: async () => {
      const results: RowResult<R>[] = [];
      for await (const result of run) results.push(result);
      return results;
    },
    // No `return` method: leaving the loop early neither stops the batch nor loses a result.
    [Symbol.asyncIterator]: () => ({ next: () => batch.results.next() }),
  };
  return run;
}

/** One batch, from its first row to its summary. */
class Batch<R extends BidRow> {
  readonly results = new Results<R>();
  readonly #parts: BidPorts;
  readonly #settings: BatchSettings<R>;
  readonly #reader: RowReader<R | UnreadableRow>;
  readonly #checker: RowChecker<R>;
  readonly #queue = new RowQueue<R>();
  /** Prevents further bids from being sent. */
  readonly #halt = new AbortController();
  #stopped: BatchStop | undefined;
  #inFlight = 0;
  #isReady = false;
  /** Start of the first row, Unix ms in server time. */
  #begunAt = 0;
  #leavingOut: Promise<void> | undefined;
  #isReadToEnd = false;
  readonly #changes = new Changes();

  constructor(parts: BidPorts, source: RowSource<R>, settings: BatchSettings<R>) {
    this.#parts = parts;
    this.#settings = settings;
    this.#reader = new RowReader(source);
    this.#checker = new RowChecker(parts, settings);
  }

  /** Resolves once every row that was read has its result. Never rejects. */
  async run(): Promise<BatchSummary> {
    const { signal } = this.#settings;
    const unfollow = onceAborted(signal, () => this.stop(bySignal));
    const unfollowClosing = onceAborted(this.#parts.recording.closing().unsent, () => this.stop(byClosing));
    try {
      await this.#readRows();
    } catch (error) {
      this.stop(stopByError(error) ?? byFailure(error));
    }
    await this.#changes.until(() => this.#stopped !== undefined || this.#unsettled === 0);
    await this.#leavingOut;
    // A row may have been read while the batch stopped.
    await this.#leaveOut();
    await this.#changes.until(() => this.#inFlight === 0);
    unfollow();
    unfollowClosing();
    return this.#finish();
  }

  /** Stops the batch: no further bid is sent. */
  stop(stop: BatchStop | undefined): void {
    if (stop === undefined || this.#stopped !== undefined) return;
    this.#stopped = stop;
    this.#halt.abort();
    this.#reader.close();
    this.#leavingOut = this.#leaveOut();
    this.#changes.notify();
  }

  get #unsettled(): number {
    return this.#queue.size + this.#inFlight;
  }

  /** Reads and checks all rows before the first bid, or places rows as they are read. */
  async #readRows(): Promise<void> {
    const { readsAhead, onInvalid, concurrency } = this.#settings;
    const deriveKey = await loadDeriveKey();
    for (;;) {
      if (!readsAhead)
        await this.#changes.until(() => this.#stopped !== undefined || this.#unsettled < concurrency);
      const next = await this.#nextRow();
      if (next === undefined) break;
      const taken = this.#checker.take(next.row, deriveKey);
      if (!('issues' in taken)) {
        this.#queue.add(taken);
        if (!readsAhead) await this.#startRows();
        continue;
      }
      this.#settle(taken);
      if (!readsAhead && onInvalid === 'stop') this.stop(byInvalidRows(readsAhead));
    }
    if (readsAhead && onInvalid === 'stop' && this.results.counts.invalid > 0)
      this.stop(byInvalidRows(readsAhead));
    await this.#startRows();
  }

  /** The next row; undefined at the end of the source and of the batch. */
  async #nextRow(): Promise<{ readonly row: R | UnreadableRow } | undefined> {
    if (this.#stopped !== undefined) return undefined;
    const { rows } = this.#checker;
    if (rows > 0 && rows % PAUSE_EVERY === 0) await nextTurn();
    try {
      const { done, value } = await this.#reader.next();
      if (done !== true) return { row: value };
      this.#isReadToEnd = this.#stopped === undefined;
    } catch (error) {
      this.stop(bySource(error));
    }
    return undefined;
  }

  async #startRows(): Promise<void> {
    if (this.#stopped !== undefined || this.#queue.size === 0) return;
    if (this.#settings.dryRun) return this.#forecast();
    if (!this.#isReady) await this.#getReady();
    this.#isReady = true;
    this.#startNext();
  }

  /** Gives every row the result of a dry run. */
  async #forecast(): Promise<void> {
    const { recording } = this.#parts;
    refuseWithoutStore(recording, context);
    const forecasts = await forecastRows(this.#parts, this.#queue.waiting);
    if (this.#stopped !== undefined) return;
    this.#queue.drain();
    const now = recording.ledger.now();
    for (const { row, forecast } of forecasts) this.#settle(this.#resultOf(row, forecast, now));
  }

  #resultOf({ facts, bid, dueAt }: Candidate<R>, forecast: Forecast, now: number): RowResult<R> {
    const { key, intended } = bid;
    if (forecast.kind === 'recorded') return placedRow(facts, bidOutcome(this.#parts, forecast.intent));
    if (forecast.kind === 'error') return failedRow(facts, key, forecast.error);
    if (forecast.kind === 'held_back') {
      const { reason, why } = forecast;
      return placedRow(facts, wouldBeUnsent(intended, key, reason, why));
    }
    if (bid.isOver || dueAt <= now) {
      const isClosed = bid.isOver || dueAt === bid.closesAt;
      const why = isClosed ? `Lot ${intended.lot} has closed.` : 'Its placeBy has passed.';
      return placedRow(facts, wouldBeUnsent(intended, key, isClosed ? 'closed' : 'deadline', why));
    }
    return wouldSendRow(facts, key, { leavesAt: forecast.leavesAt, dueAt, now });
  }

  /** Checks, before the first row, everything that all rows need. */
  async #getReady(): Promise<void> {
    const { pipeline, recording, limits } = this.#parts;
    refuseWithoutStore(recording, context);
    const { signal } = this.#halt;
    const isPatient = (this.#settings.place.maxAttempts ?? limits.maxAttempts) === undefined;
    const options = { deadlineMs: limits.deadline, signal, isPatient };
    await serverTimeFor(pipeline, recording, options, context);
    this.#begunAt = recording.ledger.now();
  }

  #startNext(): void {
    while (this.#stopped === undefined && this.#inFlight < this.#settings.concurrency) {
      const row = this.#queue.take();
      if (row === undefined) return;
      this.#inFlight += 1;
      void this.#place(row);
    }
  }

  /** Places one row, then continues with the next one. */
  async #place(row: Candidate<R>): Promise<void> {
    let result: RowResult<R>;
    try {
      result = await this.#parts.during(context.call, () => this.#placed(row));
    } catch (error) {
      this.stop(stopByError(error));
      result = failedRow(row.facts, row.bid.key, error);
    }
    this.#inFlight -= 1;
    this.#queue.release(row);
    this.#settle(result);
    this.#startNext();
    this.#changes.notify();
  }

  async #placed(row: Candidate<R>): Promise<RowResult<R>> {
    let outcome: BidOutcome;
    try {
      outcome = await placeBid(this.#parts, row.bid, this.#halt.signal);
    } catch (error) {
      const isHalted = error instanceof AbortedError && this.#stopped !== undefined;
      if (!isHalted || error.outcome !== 'not_sent') throw error;
      // This run did not begin the row; an earlier one may have placed it.
      const [intent] = await this.#recorded([row]);
      outcome = this.#onRecord(row, intent);
    }
    this.stop(await stopByOutcome(outcome, this.#begunAt, this.#parts.recording.ledger));
    return placedRow(row.facts, outcome);
  }

  /** Reports rows that did not begin by their records, because an earlier run may have placed them. */
  async #leaveOut(): Promise<void> {
    const rows = this.#queue.drain();
    let settled = 0;
    try {
      for (let from = 0; from < rows.length; from += READ_TOGETHER) {
        const some = rows.slice(from, from + READ_TOGETHER);
        const intents = await this.#recorded(some);
        for (const [index, row] of some.entries()) {
          this.#settle(placedRow(row.facts, this.#onRecord(row, intents[index])));
          settled += 1;
        }
      }
    } catch (error) {
      for (const { facts, bid } of rows.slice(settled)) this.#settle(failedRow(facts, bid.key, error));
    }
  }

  #recorded(rows: readonly Candidate<R>[]): Promise<readonly (Intent | undefined)[]> {
    const { ledger } = this.#parts.recording;
    return ledger.within(async (tx) => {
      const intents = [];
      for (const { bid } of rows) intents.push(ledger.intentOf(await tx.intents.get(bid.key)));
      return intents;
    });
  }

  #onRecord(row: Candidate<R>, intent: Intent | undefined): BidOutcome {
    const { intended, key } = row.bid;
    const { batchId, rowId } = row.facts;
    if (intent !== undefined && isSameBid(intent.content.bid, intended))
      return bidOutcome(this.#parts, intent);
    const stop = this.#stopped ?? bySignal;
    return {
      ...bidFacts(key, intended),
      status: 'not_sent',
      reason: unsentReasonOf(stop),
      what: `This bid was not sent, because the batch ended first. ${stop.what}`,
      nextStep:
        intent === undefined
          ? `If you still want it, run batch ${batchId} again.`
          : `Give this bid its own rowId: ${rowId} of batch ${batchId} is recorded for another bid.`,
    };
  }

  #settle(result: RowResult<R>): void {
    this.results.add(result);
    const { onProgress } = this.#settings;
    if (onProgress === undefined) return;
    const progress = {
      read: this.#checker.rows,
      isReadToEnd: this.#isReadToEnd,
      counts: { ...this.results.counts },
      settled: this.results.settled,
      inFlight: this.#inFlight,
      latest: result,
    };
    notify('onProgress', () => onProgress(progress), this.#parts.recording.log.warn);
  }

  #finish(): BatchSummary {
    const { batchId } = this.#settings;
    const { counts, inDoubt, abandoned, causes } = this.results;
    const stopped = this.#stopped;
    const rows = this.#checker.rows;
    if (stopped !== undefined && isUnexpected(stopped)) {
      this.#parts.recording.log.warn(stopped.what, () => ({ batchId, reason: stopped.reason }));
    }
    this.results.end(stopped?.reason === 'source' ? { error: stopped.error } : {});
    return {
      batchId,
      rows,
      counts: { ...counts },
      isComplete: this.#isReadToEnd && counts.accepted + counts.rejected + abandoned.length === rows,
      inDoubt: [...inDoubt],
      causes,
      abandoned: [...abandoned],
      ...(stopped !== undefined && { stopped }),
    };
  }
}

function isSameBid(recorded: IntendedBid | undefined, row: IntendedBid): boolean {
  const fields = ['lot', 'amount', 'bidderReference', 'dealerId'] as const;
  return recorded !== undefined && fields.every((field) => recorded[field] === row[field]);
}

/** Reasons to end a batch early. Running the same batch again continues where it ended. */

export const bySignal: BatchStop = { reason: 'signal', what: 'Your signal stopped the batch.' };

const byStop: BatchStop = { reason: 'stop', what: 'The batch was stopped by stop().' };

const byClosing: BatchStop = { reason: 'closed', what: 'The client was closed.' };

export function byInvalidRows(readsAhead: boolean): BatchStop {
  const extent = readsAhead ? 'nothing was sent' : 'nothing more was sent';
  return { reason: 'invalid_rows', what: `A row of the batch is invalid, so ${extent}.` };
}

export function bySource(error: unknown): BatchStop {
  return { reason: 'source', what: `The rows could not be read: ${thrownMessage(error)}`, error };
}

/** The stop that an error of one row causes for the batch; undefined if it concerns that row alone. */
export function stopByError(error: unknown): BatchStop | undefined {
  if (error instanceof StoreError) {
    return { reason: 'store', what: `The store failed. Bids that can't be recorded are not sent.`, error };
  }
  if (error instanceof AbortedError && error.outcome === 'not_sent') {
    return { ...byClosing, error };
  }
  // Another client recorded the key of this row; the other rows may be this client's.
  if (error instanceof ConfigurationError) return error.option === 'account' ? undefined : byFailure(error);
  return error instanceof VehicleAuctionError ? undefined : byFailure(error);
}

export function byFailure(error: unknown): BatchStop {
  return { reason: 'failure', what: `The batch failed: ${thrownMessage(error)}`, error };
}

/**
 * The stop that the outcome of one row causes for the batch; undefined if it concerns that row alone.
 *
 * @param since start of the batch; replies to earlier runs are ignored
 */
export async function stopByOutcome(
  outcome: BidOutcome,
  since: number,
  ledger: Pick<Ledger, 'read'>,
): Promise<BatchStop | undefined> {
  if (outcome.status === 'not_sent' && outcome.reason === 'halted') {
    return { reason: 'halted', what: 'Bidding is halted with bids.halt().' };
  }
  if ((outcome.status !== 'refused' && outcome.status !== 'unknown') || outcome.attempts === 0)
    return undefined;
  try {
    const intent = await ledger.read(outcome.idempotencyKey);
    const last = intent?.content.log.findLast((event) => event.type === 'result');
    if (last === undefined || last.at < since) return undefined;
    // A bare 401 leaves a bid in doubt, because lookups are refused, too.
    const isRefused = outcome.status === 'refused';
    return isRefused ? turnedAway(outcome.httpStatus, outcome.codes) : turnedAway(last.status, []);
  } catch (error) {
    return stopByError(error);
  }
}

/** True if the service refuses the credentials, the client or its partner, not one bid. */
function turnedAway(httpStatus: number | undefined, codes: readonly string[]): BatchStop | undefined {
  const code = codes.find((one) => codeFacts(one)?.everywhere === true);
  if (httpStatus !== 401 && code === undefined) return undefined;
  const why = code ?? `HTTP ${httpStatus}`;
  return { reason: 'refused', what: `The service refuses every bid of this client (${why}).` };
}

/** Why a row was not sent before the batch ended. */
export function unsentReasonOf({ reason }: BatchStop): UnsentReason {
  if (reason === 'halted') return 'halted';
  return reason === 'store' || reason === 'failure' ? 'failure' : 'aborted';
}

/** Whether the stop is logged, in case no code awaits the summary. A requested stop is not. */
export function isUnexpected({ reason }: BatchStop): boolean {
  return reason === 'source' || reason === 'failure' || reason === 'store' || reason === 'refused';
}
