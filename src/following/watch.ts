import { codeFacts } from '../api/codes.js';
import { zonedTimeMs } from '../clock/reply-time.js';
import { ApiError } from '../errors/api.js';
import type { VehicleAuctionError } from '../errors/base.js';
import { type InputIssue, InvalidRequestError, shownValue } from '../errors/local.js';
import type { LotStatus, LotStatusResult, LotSummary, LotsStatusBatchBody } from '../generated/lots.js';
import type { CallOptions } from '../ports/caller.js';
import { checkMethodOptions, type KnownOptions } from '../runtime/injected.js';
import { follow, LinkedSignal, sleep, Wakeup } from '../runtime/timers.js';
import { gapMs, isTransient, type Pace, pollOptions, retryPause } from './pace.js';

/** A lot of a reply, or its public id. With a record, the closing time is known and polling starts at the right pace. */
export type LotToWatch =
  | string
  | {
      readonly id: string;
      readonly ends_at?: LotSummary['ends_at'];
      /** Auction of the lot, to match `auction.schedule_changed` events. */
      readonly auction_id?: LotSummary['auction_id'];
    }
  | Pick<LotStatus, 'lot_id' | 'effective_close_at'>;

/** Options of `lots.watch`. */
export interface WatchOptions {
  /** Ends the watch. The loop over it ends without an error. */
  readonly signal?: AbortSignal | undefined;
  /** Also reads the standing of this one buyer; platforms and aggregators only. `bids.standings` derives all buyers'. */
  readonly bidderReference?: string | undefined;
  /** Lots per request, 1 to 100; defaults to 100. The watch asks for fewer if the service refuses so many. */
  readonly batchSize?: number | undefined;
  /**
   * How old the status of a live lot may get, ms, from 1,000; defaults to 5,000. It is kept as far as the quota is idle;
   * `state()` says whether it is. Near a close and after changes, lots are read sooner. `Infinity` reads only as often as the time
   * to the close asks for.
   */
  readonly every?: number | undefined;
}

/** How up to date a watch is. */
export interface WatchState {
  /** Lots that are watched, and those of them that are live as far as is known. */
  readonly lots: number;
  readonly live: number;
  /** Age of the oldest status of a live lot, ms; undefined before every live lot was read. */
  readonly staleness: number | undefined;
  /** How old a status of a live lot may get, ms. */
  readonly every: number;
  /** Requests of the last minute, of all watches of the client over these lots. */
  readonly requestsPerMinute: number;
  /**
   * - `kept`: no live lot is older than `every`;
   * - `quota`: others use the request quota, or it is too small for so many lots;
   * - `outage`: the service does not answer;
   * - `starting`: not every live lot has been read yet.
   */
  readonly status: 'kept' | 'quota' | 'outage' | 'starting';
}

/** A change of a watched lot, or of the watch. */
export type LotChange = LotSnapshot | LotChanged | LotUnavailable | WatchOutage | WatchResumed;

/** The first status of a lot, and again after it was unavailable. */
export interface LotSnapshot {
  readonly type: 'snapshot';
  /** Public lot id. */
  readonly lot: string;
  readonly after: LotStatus;
  /** Actions that you may take on this lot now, in the service's words. */
  readonly allowedActions: readonly string[];
}

/** A lot changed. If you read slowly, you get only the latest change; `before` is the status that you got last. */
export interface LotChanged {
  readonly type: 'changed';
  /** Public lot id. */
  readonly lot: string;
  readonly before: LotStatus;
  readonly after: LotStatus;
  /** The fields that differ, such as `highest_amount`. */
  readonly fields: readonly (keyof LotStatus)[];
  /** Actions that you may take on this lot now, in the service's words. */
  readonly allowedActions: readonly string[];
}

/**
 * The service gave no status for this lot. Reported once. The watch keeps asking for the lot, and yields a `snapshot`
 * when it returns.
 */
export interface LotUnavailable {
  readonly type: 'unavailable';
  /** Public lot id. */
  readonly lot: string;
  /** The status that you got last, if any. */
  readonly before?: LotStatus;
  /** HTTP status of this one lot, such as 404; absent where the reply had no item for it. */
  readonly status?: number;
  /** Why, such as `NOT_FOUND`; absent where the service gave no code. */
  readonly code?: string;
}

/** The service can't be reached, so your data gets old. Reported once; the watch keeps retrying. */
export interface WatchOutage {
  readonly type: 'outage';
  /** Start of the outage, Unix ms in server time. */
  readonly since: number;
  readonly error: VehicleAuctionError;
}

/** The service answers again after an outage. Every lot is being read again. */
export interface WatchResumed {
  readonly type: 'resumed';
  /** Start of the outage, Unix ms in server time. */
  readonly since: number;
}

type ReadStatuses = (body: LotsStatusBatchBody, options: CallOptions) => Promise<readonly LotStatusResult[]>;

/** A webhook event about a change of lots. */
export interface LotEvent {
  readonly type: string;
  /** `lot_id` or `auction_id` selects the lots to read. */
  readonly data: object;
}

interface Followed {
  readonly id: string;
  /** Its auction, if known. */
  auction: string | undefined;
  /** Closing time, Unix ms. */
  closesAt: number | undefined;
  /** Time of the last request, on the monotonic clock. */
  askedAt: number;
  /** Time of the last status, on the monotonic clock. */
  heardAt: number;
  changedAt: number;
  inFlight: boolean;
  known: LotStatus | undefined;
  unavailable: boolean;
  /** True if the service refused it, such as with 404; else it only had no status to give. */
  refused: boolean;
  /** True if it was refused when read alone: it must not fail a batch again. */
  alone: boolean;
}

/** Largest batch that the API proposes (A11). */
const MAX_BATCH = 100;
const MAX_IN_FLIGHT = 4;
/** Part of the interval after which a lot is read together with those that are due. */
const NEARLY_DUE = 0.5;
const LONGEST_IDLE_MS = 60_000;
const UNAVAILABLE_MS = 60_000;
/** A lot that is refused when read alone costs a request each time. */
const REFUSED_MS = 600_000;
/** Time after a change in which a lot is read more often, ms. */
const ACTIVE_MS = 60_000;
const CONTEXT = { call: 'lots.watch', operation: 'A11' };
const EVERY_MS = 5_000;
const MINUTE_MS = 60_000;
/** A sweep over all live lots leaves a fifth of the polls to lots near their close and to others. */
const SPARED = 1.25;
/** A status arrives this long after it was due, ms: the time of a request. */
const LATE_MS = 2_000;

/** The changes of many lots. Nothing is sent before you iterate; leaving the loop ends the watch. */
export class LotWatch implements AsyncIterable<LotChange> {
  readonly #pace: Pace;
  readonly #read: ReadStatuses;
  readonly #options: WatchOptions;
  /** The running watches of the client: what one reads, all hear. */
  readonly #siblings: Set<LotWatch>;
  readonly #every: number;
  /** When requests left in the last minute, on the monotonic clock. */
  #departures: number[] = [];
  readonly #lots = new Map<string, Followed>();
  /** Changes that the consumer has not read: at most one per lot. */
  readonly #pending = new Map<string, LotChange>();
  readonly #news = new Wakeup();
  readonly #work = new Wakeup();
  #batchSize: number;
  #inFlight = 0;
  #failures = 0;
  #outage: { readonly since: number; readonly error: VehicleAuctionError } | undefined;
  #fatal: { readonly error: unknown } | undefined;
  #stop: LinkedSignal | undefined;
  #ended = false;

  /** @internal */
  constructor(
    pace: Pace,
    read: ReadStatuses,
    lots: Iterable<LotToWatch>,
    options: WatchOptions = {},
    siblings = new Set<LotWatch>(),
  ) {
    checkMethodOptions(CONTEXT.call, options, watchOptions);
    this.#pace = pace;
    this.#read = read;
    this.#options = options;
    this.#siblings = siblings;
    this.#every = everyOf(options);
    this.#batchSize = batchSizeOf(options);
    this.add(lots);
  }

  /**
   * Adds lots. Lots that are already watched stay unchanged.
   *
   * @throws InvalidRequestError for anything that is not a lot. Then none is added.
   */
  add(lots: Iterable<LotToWatch>): void {
    for (const [id, { closesAt, auction }] of checkedLots(lots)) {
      if (this.#lots.has(id)) continue;
      const never = Number.NEGATIVE_INFINITY;
      this.#lots.set(id, {
        id,
        auction,
        closesAt,
        askedAt: never,
        heardAt: never,
        changedAt: never,
        inFlight: false,
        known: undefined,
        unavailable: false,
        refused: false,
        alone: false,
      });
    }
    this.#work.fire();
  }

  /** Removes lots by their public ids. Changes that were not delivered yet are dropped. */
  remove(lots: Iterable<string>): void {
    for (const id of lots) {
      this.#lots.delete(id);
      this.#pending.delete(id);
    }
  }

  /**
   * Reads a lot at once, or all lots, for example after a webhook. Lots that are not watched are ignored.
   *
   * If a webhook event names an auction, this reads the lots of that auction and lots that were added without their
   * `auction_id`. The watch yields the status that it reads, never the data of the event.
   */
  notify(what?: string | LotEvent): void {
    for (const lot of this.#concerned(what)) lot.askedAt = Number.NEGATIVE_INFINITY;
    this.#work.fire();
  }

  #concerned(what: string | LotEvent | undefined): readonly Followed[] {
    const all = [...this.#lots.values()];
    if (what === undefined) return all;
    const data: { readonly lot_id?: unknown; readonly auction_id?: unknown } =
      typeof what === 'string' ? { lot_id: what } : what.data;
    if (typeof data.lot_id === 'string') return all.filter(({ id }) => id === data.lot_id);
    if (typeof data.auction_id !== 'string') return [];
    return all.filter(({ auction }) => auction === undefined || auction === data.auction_id);
  }

  /** The latest status of a lot that this watch has seen. */
  latest(lot: string): LotStatus | undefined {
    return this.#lots.get(lot)?.known;
  }

  /** How up to date the watch is, and why it is not more. */
  state(): WatchState {
    const now = this.#pace.clock.monotonic();
    const live = [...this.#lots.values()].filter((lot) => this.#isLive(lot));
    const read = live.map(({ heardAt }) => now - heardAt).filter(Number.isFinite);
    const staleness = read.length === live.length ? Math.max(0, ...read) : undefined;
    const isKept = staleness !== undefined && staleness <= this.#every + LATE_MS;
    const status =
      this.#outage === undefined
        ? isKept
          ? 'kept'
          : staleness === undefined
            ? 'starting'
            : 'quota'
        : 'outage';
    return {
      lots: this.#lots.size,
      live: live.length,
      staleness,
      every: this.#every,
      requestsPerMinute: this.#departures.filter((at) => now - at < MINUTE_MS).length,
      status,
    };
  }

  #isLive(lot: Followed): boolean {
    if (lot.unavailable || lot.known?.auction_state === 'over') return false;
    return lot.closesAt === undefined || lot.closesAt > this.#pace.now();
  }

  /** Gives the changes one after another, until the watch stops. */
  [Symbol.asyncIterator](): AsyncIterator<LotChange, undefined> {
    this.#start();
    return {
      next: () => this.#next(),
      return: async () => {
        this.#end();
        return { done: true, value: undefined };
      },
    };
  }

  async #next(): Promise<IteratorResult<LotChange, undefined>> {
    for (;;) {
      if (this.#ended) return { done: true, value: undefined };
      const [next] = this.#pending;
      if (next !== undefined) {
        this.#pending.delete(next[0]);
        return { done: false, value: next[1] };
      }
      if (this.#fatal !== undefined) {
        const { error } = this.#fatal;
        this.#end();
        throw error;
      }
      await this.#news.wait(this.#pace.clock);
    }
  }

  #start(): void {
    if (this.#stop !== undefined || this.#ended) return;
    const stop = new LinkedSignal(this.#options.signal, this.#pace.closing);
    this.#stop = stop;
    follow(stop.signal, () => this.#end());
    if (!stop.signal.aborted) this.#siblings.add(this);
    if (!stop.signal.aborted) this.#run(stop.signal).catch((error: unknown) => this.#fail(error));
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#siblings.delete(this);
    this.#stop?.fire();
    this.#work.fire();
    this.#news.fire();
  }

  #fail(error: unknown): void {
    this.#fatal ??= { error };
    this.#news.fire();
  }

  /** Sends batches, no faster than the idle quota allows and the lots need. */
  async #run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#pace;
    while (!signal.aborted && this.#fatal === undefined) {
      // While the service fails, send one request at a time, with backoff.
      const isFull = this.#inFlight >= (this.#failures > 0 ? 1 : MAX_IN_FLIGHT);
      const batch = isFull ? [] : this.#takeBatch();
      if (batch.length === 0) {
        await this.#work.wait(clock, isFull ? LONGEST_IDLE_MS : this.#idleMs(), signal);
        continue;
      }
      this.#inFlight += 1;
      const sent = this.#readBatch(batch, signal).finally(() => {
        this.#inFlight -= 1;
        for (const watch of this.#together) watch.#mark(batch, false);
        this.#work.fire();
      });
      sent.catch((error: unknown) => this.#fail(error));
      await sleep(clock, gapMs(this.#pace), signal);
    }
  }

  /** Returns the lots that are due or nearly due, the most overdue first. */
  #takeBatch(): readonly Followed[] {
    const now = this.#pace.clock.monotonic();
    const longest = this.#longestInterval();
    const candidates: { readonly lot: Followed; readonly lateness: number }[] = [];
    let isDue = false;
    for (const lot of this.#lots.values()) {
      if (lot.inFlight) continue;
      const lateness = (now - lot.askedAt) / this.#intervalOf(lot, now, longest);
      if (lateness < NEARLY_DUE) continue;
      isDue ||= lateness >= 1;
      candidates.push({ lot, lateness });
    }
    if (!isDue) return [];
    candidates.sort((a, b) => compare(b.lateness, a.lateness));
    const [first] = candidates;
    const size = first?.lot.alone === true ? 1 : this.#batchSize;
    const batch = candidates
      .filter(({ lot }) => size === 1 || !lot.alone)
      .slice(0, size)
      .map(({ lot }) => lot);
    for (const watch of this.#together) watch.#mark(batch, true);
    return batch;
  }

  /** This watch, and the others of the client that read the same. */
  get #together(): readonly LotWatch[] {
    const { bidderReference } = this.#options;
    const others = [...this.#siblings].filter(
      (watch) => watch !== this && watch.#options.bidderReference === bidderReference,
    );
    return [this, ...others];
  }

  /** Notes that lots are being read, by this watch or another one. */
  #mark(batch: readonly Followed[], inFlight: boolean): void {
    const now = this.#pace.clock.monotonic();
    let isConcerned = false;
    for (const { id } of batch) {
      const lot = this.#lots.get(id);
      if (lot === undefined) continue;
      isConcerned = true;
      lot.inFlight = inFlight;
      if (inFlight) lot.askedAt = now;
    }
    if (!isConcerned) return;
    if (inFlight) this.#departures = [...this.#departures.filter((at) => now - at < MINUTE_MS), now];
    else this.#work.fire();
  }

  /** Time until the next lot is due, ms. */
  #idleMs(): number {
    const now = this.#pace.clock.monotonic();
    const longest = this.#longestInterval();
    let idle = LONGEST_IDLE_MS;
    for (const lot of this.#lots.values()) {
      if (!lot.inFlight) idle = Math.min(idle, lot.askedAt + this.#intervalOf(lot, now, longest) - now);
    }
    return Math.max(idle, 1);
  }

  /** The longest interval between two reads of a live lot: `every`, or what the polls of a minute allow for so many lots. */
  #longestInterval(): number {
    if (!this.#pace.isIdle() || this.#every === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    let live = 0;
    for (const lot of this.#lots.values()) if (this.#isLive(lot)) live += 1;
    const sweep = Math.ceil(live / this.#batchSize) * gapMs(this.#pace);
    return Math.max(this.#every, sweep * SPARED);
  }

  #intervalOf(lot: Followed, now: number, longest: number): number {
    // What the service could not give is asked for again as soon as the close asks for it.
    if (lot.unavailable && lot.refused) return lot.alone ? REFUSED_MS : UNAVAILABLE_MS;
    const left = lot.closesAt === undefined ? undefined : lot.closesAt - this.#pace.now();
    const asked = intervalBefore(left);
    const interval = this.#isLive(lot) ? Math.min(asked, longest) : asked;
    return now - lot.changedAt < ACTIVE_MS ? Math.max(interval / 3, MIN_INTERVAL_MS) : interval;
  }

  async #readBatch(batch: readonly Followed[], signal: AbortSignal): Promise<void> {
    const { bidderReference } = this.#options;
    const body = {
      lot_ids: batch.map(({ id }) => id),
      ...(bidderReference !== undefined && { bidder_reference: bidderReference }),
    };
    try {
      const results = await this.#read(body, pollOptions(signal));
      if (signal.aborted) return;
      this.#answered();
      const byLot = new Map(results.map((result) => [result.lot_id, result]));
      for (const lot of batch) {
        const result = byLot.get(lot.id);
        for (const watch of this.#together) watch.#hear(lot.id, result);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && refusesBatch(error)) return this.#refused(batch, error, signal);
      if (!isTransient(error)) throw error;
      await this.#failed(batch, error as VehicleAuctionError, signal);
    }
  }

  /** Reads the halves of a refused batch, to find out if it was too large or if one lot was refused. */
  async #refused(batch: readonly Followed[], error: ApiError, signal: AbortSignal): Promise<void> {
    const [only] = batch;
    if (batch.length === 1 && only !== undefined) {
      only.alone = true;
      const { status, code } = error;
      return this.#take(only, { lot_id: only.id, status, ...(code !== undefined && { code }) });
    }
    const middle = Math.ceil(batch.length / 2);
    const halves = [batch.slice(0, middle), batch.slice(middle)];
    for (const half of halves) await this.#readBatch(half, signal);
    if (!batch.some(({ alone }) => alone)) this.#batchSize = Math.min(this.#batchSize, middle);
  }

  async #failed(batch: readonly Followed[], error: VehicleAuctionError, signal: AbortSignal): Promise<void> {
    this.#failures += 1;
    for (const lot of batch) lot.askedAt = Number.NEGATIVE_INFINITY;
    if (this.#outage === undefined) {
      const since = this.#pace.now();
      this.#outage = { since, error };
      this.#publish(OUTAGE, { type: 'outage', since, error });
    }
    this.#pace.warn('A watch could not read its lots and will retry', () => ({ error: error.message }));
    await sleep(this.#pace.clock, retryPause(error, this.#failures, this.#pace), signal);
  }

  /** Ends an outage: every lot is read again, because missed changes are unknown. */
  #answered(): void {
    this.#failures = 0;
    if (this.#outage === undefined) return;
    const { since } = this.#outage;
    this.#outage = undefined;
    // If the outage was never reported, neither is its end.
    if (!this.#pending.delete(OUTAGE)) this.#publish(OUTAGE, { type: 'resumed', since });
    for (const lot of this.#lots.values()) if (!lot.inFlight) lot.askedAt = Number.NEGATIVE_INFINITY;
  }

  #hear(id: string, result: LotStatusResult | undefined): void {
    const lot = this.#lots.get(id);
    // It may have been removed during the request.
    if (lot !== undefined) this.#take(lot, result);
  }

  #take(lot: Followed, result: LotStatusResult | undefined): void {
    // Some services write null for a status that they can't give.
    const after = result?.data ?? undefined;
    const before = lot.known;
    if (after === undefined) {
      const isRefused = result !== undefined && result.status >= 400 && result.status < 500;
      lot.refused = isRefused;
      if (lot.unavailable) return;
      lot.unavailable = true;
      this.#publish(lot.id, {
        type: 'unavailable',
        lot: lot.id,
        ...(before !== undefined && { before }),
        ...(result !== undefined && { status: result.status }),
        ...(result?.code !== undefined && { code: result.code }),
      });
      return;
    }
    const isBack = lot.unavailable;
    lot.heardAt = this.#pace.clock.monotonic();
    lot.unavailable = false;
    lot.alone = false;
    if (before !== undefined && after.resource_version < before.resource_version) {
      // Older than the known status, for example from a lagging replica: keep the known status.
      if (isBack) this.#publish(lot.id, snapshot(before));
      return;
    }
    lot.known = after;
    lot.closesAt = zonedTimeMs(after.effective_close_at) ?? lot.closesAt;
    if (before === undefined || isBack) {
      this.#publish(lot.id, snapshot(after));
      return;
    }
    const fields = differences(before, after);
    if (fields.length === 0) return;
    lot.changedAt = this.#pace.clock.monotonic();
    this.#publish(lot.id, changed(before, after, fields));
  }

  /** Replaces the pending change of a lot. `before` stays the status that the consumer got last. */
  #publish(key: string, change: LotChange): void {
    const waiting = this.#pending.get(key);
    this.#pending.set(key, merged(waiting, change));
    this.#news.fire();
  }
}

const OUTAGE = '';
const MIN_INTERVAL_MS = 1_000;

/** Interval between two reads of a lot by the time left until its close, ms. */
function intervalBefore(left: number | undefined): number {
  if (left === undefined) return 30_000;
  if (left <= -3_600_000) return 300_000;
  if (left <= -120_000) return 60_000;
  if (left <= 0) return 5_000;
  if (left <= 60_000) return MIN_INTERVAL_MS;
  if (left <= 300_000) return 3_000;
  if (left <= 1_800_000) return 10_000;
  return left <= 21_600_000 ? 30_000 : 60_000;
}

/** True if the batch may be too large or contain a bad id. Errors of other fields and documented codes have other causes. */
function refusesBatch({ status, codes, fieldErrors }: ApiError): boolean {
  if (status === 413 || status === 414) return true;
  if (status !== 400 && status !== 422) return false;
  const isOfLots = Object.keys(fieldErrors).every((field) => field.startsWith('lot_ids'));
  return isOfLots && codes.every((code) => codeFacts(code) === undefined);
}

function merged(waiting: LotChange | undefined, change: LotChange): LotChange {
  if (change.type !== 'changed') return change;
  if (waiting?.type === 'snapshot') return snapshot(change.after);
  if (waiting?.type !== 'changed') return change;
  return changed(waiting.before, change.after, differences(waiting.before, change.after));
}

function snapshot(after: LotStatus): LotSnapshot {
  return { type: 'snapshot', lot: after.lot_id, after, allowedActions: after.allowed_actions ?? [] };
}

function changed(before: LotStatus, after: LotStatus, fields: readonly (keyof LotStatus)[]): LotChanged {
  const allowedActions = after.allowed_actions ?? [];
  return { type: 'changed', lot: after.lot_id, before, after, fields, allowedActions };
}

function differences(before: LotStatus, after: LotStatus): (keyof LotStatus)[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof LotStatus>;
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

function compare(a: number, b: number): number {
  // Lots that were never read are equally late: infinity minus infinity is NaN.
  return a === b ? 0 : a - b;
}

const watchOptions: KnownOptions<WatchOptions> = {
  signal: true,
  bidderReference: true,
  batchSize: true,
  every: true,
};

function everyOf({ every = EVERY_MS }: WatchOptions): number {
  if (typeof every === 'number' && every >= MIN_INTERVAL_MS) return every;
  const message = 'must be a number of milliseconds from 1000, or Infinity';
  throw new InvalidRequestError([{ path: 'options.every', message, ...shownValue('every', every) }], CONTEXT);
}

function batchSizeOf({ batchSize = MAX_BATCH }: WatchOptions): number {
  if (Number.isInteger(batchSize) && batchSize >= 1 && batchSize <= MAX_BATCH) return batchSize;
  const message = `must be a whole number from 1 to ${MAX_BATCH}`;
  throw new InvalidRequestError([{ path: 'options.batchSize', message }], CONTEXT);
}

/** Returns unique ids with their closing times. @throws InvalidRequestError */
function checkedLots(lots: Iterable<LotToWatch>): Map<string, Pick<Followed, 'closesAt' | 'auction'>> {
  if (typeof lots === 'string' || typeof lots?.[Symbol.iterator] !== 'function') {
    const message = 'must be a list of lots, or of their public ids';
    throw new InvalidRequestError([{ path: 'lots', message }], CONTEXT);
  }
  const found = new Map<string, Pick<Followed, 'closesAt' | 'auction'>>();
  const issues: InputIssue[] = [];
  for (const [index, lot] of [...lots].entries()) {
    const fields: { readonly [name: string]: unknown } = typeof lot === 'string' ? { id: lot } : Object(lot);
    const id = fields['lot_id'] ?? fields['id'];
    const close = fields['effective_close_at'] ?? fields['ends_at'];
    const auction = fields['auction_id'];
    if (typeof id === 'string' && id !== '') {
      found.set(id, {
        closesAt: zonedTimeMs(close),
        auction: typeof auction === 'string' ? auction : undefined,
      });
    } else issues.push({ path: `lots.${index}`, message: 'must be a lot, or its public id (lot_…)' });
  }
  if (issues.length > 0) throw new InvalidRequestError(issues, CONTEXT);
  return found;
}
