import { pause, type StopSources, within } from '../../core/stop.js';
import { follow } from '../../quota/follow.js';
import type { Candidate } from './candidate.js';
import { askCloses, closesUnknown, lookUpCloses } from './closes.js';
import { columnOf } from './csv-columns.js';
import { Intake } from './intake.js';
import type { BulkSettings } from './options.js';
import type { BulkParts } from './parts.js';
import { Placer } from './placer.js';
import { lotsWithoutClose, planOf } from './plan.js';
import type { BulkPlan, BulkProgress, BulkStop, BulkSummary } from './progress.js';
import { BidsCsv } from './read-bids-csv.js';
import { Records } from './records.js';
import { Reporter } from './reporter.js';
import { settledEarlier } from './result.js';
import type { BulkRow, RowSource, UnreadableRow } from './row.js';
import { RowReader } from './row-reader.js';
import {
  byInvalidRows,
  byInvalidRowsAhead,
  byLateness,
  bySignal,
  bySource,
  isWorthALine,
  stopOf,
} from './stops.js';

/** For so long rows of an endless source are gathered, so that there is an order to place them in. */
const GATHER_MS = 20;
/** So many row ids of an endless source are remembered. Behind them, the key of a row tells a repeat. */
const REMEMBERED_ROWS = 100_000;

/** One batch from its first row to its last result. */
export class Batch<R extends BulkRow> {
  readonly report: Reporter<R>;
  readonly plan: Promise<BulkPlan>;
  readonly #parts: BulkParts;
  readonly #settings: BulkSettings<R>;
  readonly #reader: RowReader<R | UnreadableRow>;
  readonly #nameOf: (field: string) => string;
  readonly #records: Records<R>;
  readonly #placer: Placer<R>;
  readonly #aborter = new AbortController();
  /** Limits of the batch's own waits. */
  readonly #untilStopped: StopSources;
  readonly #startedAt: number;
  #gathered: Candidate<R>[] = [];
  #phase: BulkProgress<R>['phase'] = 'reading';
  /** Whether the client let it. */
  #hasBegun = false;
  #read = 0;
  #isReadToEnd = false;
  #admitting: Promise<void> | undefined;
  #tellPlan: (plan: BulkPlan) => void = () => undefined;

  constructor(parts: BulkParts, source: RowSource<R>, settings: BulkSettings<R>) {
    this.#parts = parts;
    this.#settings = settings;
    const { signal } = this.#aborter;
    this.#untilStopped = { clock: parts.clock, signal, deadlineAt: Number.POSITIVE_INFINITY };
    this.#startedAt = parts.serverClock.now();
    this.#reader = new RowReader(source);
    this.#nameOf = source instanceof BidsCsv ? columnOf : (field) => field;
    this.report = new Reporter(
      settings,
      parts.log,
      () => parts.clock.monotonic(),
      () => this.#standing(),
    );
    this.#records = new Records(parts);
    this.#placer = new Placer(parts, settings, this.report, this.#records);
    this.plan = new Promise((resolve) => {
      this.#tellPlan = resolve;
    });
  }

  /** Resolves once every row that was read has its result. Never rejects. */
  async run(): Promise<BulkSummary> {
    const { signal } = this.#settings;
    const unfollow = signal === undefined ? undefined : follow(signal, () => this.stop(bySignal));
    if (signal?.aborted === true) this.stop(bySignal);
    try {
      await this.#readAll(await within(this.#untilStopped, this.#parts.clientId()));
    } catch (error) {
      this.stop(stopOf(error));
      await this.#admitting;
      this.#placer.admit(this.#gathered);
    }
    await this.#placer.until(() => this.#placer.inFlight === 0 && this.#placer.waiting === 0);
    unfollow?.();
    this.#placer.end();
    return this.#finish();
  }

  /** Begins no further row. */
  stop(stop: BulkStop = bySignal): void {
    if (this.#placer.stopped === undefined) this.#phase = 'stopping';
    this.#placer.stop(stop);
    this.#aborter.abort();
    this.#reader.close();
  }

  get #isWhole(): boolean {
    return this.#settings.readAhead === Number.POSITIVE_INFINITY;
  }

  async #readAll(clientId: string): Promise<void> {
    this.#hasBegun = true;
    const { batchId, onInvalid, place = {} } = this.#settings;
    const intake = new Intake<R>({
      batchId,
      clientId,
      dealerId: this.#parts.dealerId,
      check: (bid) => this.#parts.check(bid, place),
      nameOf: this.#nameOf,
      remembered: this.#isWhole ? Number.POSITIVE_INFINITY : REMEMBERED_ROWS,
      twins: this.#isWhole ? 'refused' : 'taken',
    });
    for (let row = await this.#next(); row !== undefined; row = await this.#next()) {
      const { candidate, result } = intake.take(row.value);
      this.#read += 1;
      if (candidate === undefined) this.report.settled(result);
      else this.#gathered.push(candidate);
      if (result?.status === 'invalid' && onInvalid === 'stop' && !this.#isWhole) this.stop(byInvalidRows);
      if (!this.#isWhole) this.#admitSoon();
    }
    await this.#admitting;
    if (this.#isWhole && onInvalid === 'stop' && this.report.tally.counts.invalid > 0)
      this.stop(byInvalidRowsAhead);
    await this.#admit();
  }

  /** The next row, once there is room for it; undefined where no more is to be read. */
  async #next(): Promise<{ readonly value: R | UnreadableRow } | undefined> {
    const isFull = () =>
      this.#gathered.length + this.#placer.waiting + this.#placer.inFlight >= this.#settings.readAhead;
    await this.#placer.until(() => this.#placer.stopped !== undefined || !isFull());
    if (this.#placer.stopped !== undefined) return undefined;
    try {
      const { done, value } = await this.#reader.next();
      if (done !== true) return { value };
      this.#isReadToEnd = this.#placer.stopped === undefined;
    } catch (error) {
      this.stop(bySource(error));
    }
    return undefined;
  }

  /** Rows of an endless source are placed as they come, those that come together in their order. */
  #admitSoon(): void {
    this.#admitting ??= pause(this.#untilStopped, GATHER_MS)
      .then(() => this.#admit())
      .catch((error: unknown) => this.stop(stopOf(error)))
      .finally(() => {
        this.#admitting = undefined;
        if (this.#gathered.length > 0 && this.#placer.stopped === undefined) this.#admitSoon();
      });
  }

  async #admit(): Promise<void> {
    let candidates: readonly Candidate<R>[] = this.#gathered;
    this.#gathered = [];
    try {
      candidates = await this.#unsettled(candidates);
      await this.#learnCloses(candidates);
    } finally {
      this.#placer.admit(candidates);
    }
    if (this.#phase === 'reading') this.#begin(candidates);
    this.#placer.goOn();
  }

  #begin(candidates: readonly Candidate<R>[]): void {
    this.#phase = 'bidding';
    this.#tellPlan(this.#planOf(candidates));
    if (this.#placer.look() > 0 && this.#settings.ifLate === 'refuse') this.stop(byLateness);
    this.report.progress();
  }

  /** Tells those that the journal knows as settled: nothing has to be looked up for them, and they can't be late. */
  async #unsettled(candidates: readonly Candidate<R>[]): Promise<readonly Candidate<R>[]> {
    if (this.#placer.stopped !== undefined) return candidates;
    const known = await within(this.#untilStopped, this.#records.settled(candidates));
    for (const [candidate, outcome] of known) this.report.settled(settledEarlier(candidate, outcome));
    return candidates.filter((candidate) => !known.has(candidate));
  }

  /** Where rows have to wait for each other anyway, it is worth a look who is due first. */
  async #learnCloses(candidates: readonly Candidate<R>[]): Promise<void> {
    const { closes, concurrency } = this.#settings;
    const isQueue = candidates.length + this.#placer.waiting + this.#placer.inFlight > concurrency;
    if (closes === 'as_given' || this.#placer.stopped !== undefined || !(this.#isWhole || isQueue)) return;
    const lots = lotsWithoutClose(candidates, this.#placer);
    if (lots.length === 0) return;
    const { signal } = this.#aborter;
    const looking =
      typeof closes === 'function'
        ? askCloses(closes, lots, signal)
        : lookUpCloses(this.#parts.statusBatch, lots, signal);
    const found = await within(this.#untilStopped, looking);
    const at = this.#parts.serverClock.now();
    this.#placer.lateness.departed(found.requests);
    this.#placer.schedule.learn(found.closes, at);
    if (found.failure === undefined) return;
    const missing = lots.filter((lot) => !found.closes.has(lot)).length;
    this.report.warn(closesUnknown(missing, found, at));
  }

  #planOf(candidates: readonly Candidate<R>[]): BulkPlan {
    return planOf(this.#read, candidates, this.#placer, this.report.tally);
  }

  #standing() {
    const { inFlight, waiting, expectedEndAt } = this.#placer;
    return {
      phase: this.#phase,
      read: this.#read,
      isReadToEnd: this.#isReadToEnd,
      inFlight,
      waiting: waiting + this.#gathered.length,
      ...(expectedEndAt !== undefined && { expectedEndAt }),
    };
  }

  #finish(): BulkSummary {
    const { tally, outbox, warnings } = this.report;
    const { stopped } = this.#placer;
    this.#tellPlan(this.#planOf([]));
    this.#phase = 'done';
    this.report.progress();
    const done = tally.counts.accepted + tally.counts.rejected + tally.abandoned.length;
    if (stopped !== undefined && isWorthALine(stopped)) {
      this.#parts.log.warn(stopped.what, () => ({ batchId: this.#settings.batchId, by: stopped.by }));
    }
    const isLost = stopped?.by === 'source' || stopped?.by === 'failure';
    const isBarred = stopped?.by === 'closed' && !this.#hasBegun;
    outbox.end(isLost || isBarred ? { error: stopped.error } : undefined);
    return {
      batchId: this.#settings.batchId,
      rows: this.#read,
      counts: { ...tally.counts },
      isComplete: this.#isReadToEnd && done === this.#read,
      inDoubt: [...tally.inDoubt],
      abandoned: [...tally.abandoned],
      warnings: [...warnings],
      ...(stopped !== undefined && { stopped }),
      startedAt: this.#startedAt,
      endedAt: this.#parts.serverClock.now(),
    };
  }
}
