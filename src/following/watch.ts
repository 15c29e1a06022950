import { codeFacts } from '../api/codes.js';
import { zonedTimeMs } from '../clock/reply-time.js';
import { ApiError } from '../errors/api.js';
import type { VehicleAuctionError } from '../errors/base.js';
import type { LotStatus, LotStatusResult, LotsStatusBatchBody } from '../generated/lots.js';
import type { CallOptions } from '../ports/caller.js';
import { follow, LinkedSignal, sleep, Wakeup } from '../runtime/timers.js';
import { type HiddenRead, HiddenStandings } from './hidden-standings.js';
import {
  changeBetween,
  type LotChange,
  mergedChange,
  type PendingChange,
  snapshotOf,
} from './lot-changes.js';
import { ascending, gapMs, isTransient, type Pace, pollOptions, retryPause } from './pace.js';
import { type LotStandings, type Standing, type StandingsSource, statusIn } from './standing.js';
import { checkedLots, checkedOptions, type LotToWatch, type WatchOptions } from './watch-options.js';
import type { WatchState } from './watch-state.js';

type ReadStatuses = (body: LotsStatusBatchBody, options: CallOptions) => Promise<readonly LotStatusResult[]>;

/** A webhook event about a change of lots. */
export interface LotEvent {
  readonly type: string;
  /** `lot_id` or `auction_id` selects the lots to read. */
  readonly data: object;
}

/** What the watches of one client have in common. */
export interface WatchParts {
  readonly pace: Pace;
  readonly read: ReadStatuses;
  /** The running watches: what one reads, all hear. */
  readonly running: Set<LotWatch>;
  /** Undefined for a direct dealer, who has no buyers. */
  readonly standings: StandingsSource | undefined;
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
  derived: LotStandings | undefined;
  /** Every buyer's standing, as far as it is known. */
  standings: readonly Standing[];
  unavailable: boolean;
  /** True if the service refused it, such as with 404; else it only had no status to give. */
  refused: boolean;
  /** True if it was refused when read alone: it must not fail a batch again. */
  alone: boolean;
}

const MAX_IN_FLIGHT = 4;
/** Part of the interval after which a lot is read together with those that are due. */
const NEARLY_DUE = 0.5;
const LONGEST_IDLE_MS = 60_000;
const UNAVAILABLE_MS = 60_000;
/** A lot that is refused when read alone costs a request each time. */
const REFUSED_MS = 600_000;
/** Time after a change in which a lot is read more often, ms. */
const ACTIVE_MS = 60_000;
const MINUTE_MS = 60_000;
/** A sweep over all live lots leaves a fifth of the polls to lots near their close and to others. */
const SPARED = 1.25;
/** Standings of single buyers take at most every second poll, and every fifth while lots are due. */
const HIDDEN_GAPS = 2;
const HIDDEN_GAPS_BUSY = 5;
/** A status arrives this long after it was due, ms: the time of a request. */
const LATE_MS = 2_000;

/** The changes of many lots. Nothing is sent before you iterate; leaving the loop ends the watch. */
export class LotWatch implements AsyncIterable<LotChange> {
  readonly #parts: WatchParts;
  readonly #pace: Pace;
  readonly #options: WatchOptions;
  readonly #buyers: readonly string[];
  readonly #every: number;
  /** When requests left in the last minute, on the monotonic clock. */
  #departures: number[] = [];
  readonly #lots = new Map<string, Followed>();
  /** Changes that the consumer has not read: at most one per lot. */
  readonly #pending = new Map<string, PendingChange>();
  /** Standings that only the service knows. */
  readonly #hidden = new HiddenStandings();
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
  constructor(parts: WatchParts, lots: Iterable<LotToWatch>, options: WatchOptions = {}) {
    this.#parts = parts;
    this.#pace = parts.pace;
    this.#options = options;
    const { buyers, every, batchSize } = checkedOptions(options, parts.standings === undefined);
    this.#buyers = buyers;
    this.#every = every;
    this.#batchSize = batchSize;
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
        derived: undefined,
        standings: [],
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
      this.#hidden.forget(id);
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
        return { done: false, value: next[1].change };
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
    if (!stop.signal.aborted) {
      this.#parts.running.add(this);
      this.#pace.watches?.add(this);
    }
    if (!stop.signal.aborted) this.#run(stop.signal).catch((error: unknown) => this.#fail(error));
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#parts.running.delete(this);
    this.#pace.watches?.delete(this);
    this.#stop?.fire();
    this.#work.fire();
    this.#news.fire();
  }

  #fail(error: unknown): void {
    this.#fatal ??= { error };
    this.#news.fire();
  }

  /** Sends requests, no faster than the idle quota allows and the lots need. */
  async #run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#pace;
    while (!signal.aborted && this.#fatal === undefined) {
      // While the service fails, send one request at a time, with backoff.
      const isFull = this.#inFlight >= (this.#failures > 0 ? 1 : MAX_IN_FLIGHT);
      const sent = isFull ? undefined : this.#send(signal);
      if (sent === undefined) {
        await this.#work.wait(clock, isFull ? LONGEST_IDLE_MS : this.#idleMs(), signal);
        continue;
      }
      this.#inFlight += 1;
      sent
        .catch((error: unknown) => this.#fail(error))
        .finally(() => {
          this.#inFlight -= 1;
          this.#work.fire();
        });
      await sleep(clock, gapMs(this.#pace), signal);
    }
  }

  /** Begins the read that is due, if any. */
  #send(signal: AbortSignal): Promise<void> | undefined {
    const hidden = this.#takeHidden(HIDDEN_GAPS_BUSY);
    if (hidden !== undefined) return this.#readHidden(hidden, signal);
    const batch = this.#takeBatch();
    if (batch.length > 0) {
      return this.#readBatch(batch, signal).finally(() => {
        for (const watch of this.#together) {
          // Other watches still want what this one no longer waits for.
          if (signal.aborted) watch.#mark(batch, 'failed');
          watch.#mark(batch, 'done');
        }
      });
    }
    const other = this.#takeHidden(HIDDEN_GAPS);
    return other && this.#readHidden(other, signal);
  }

  /**
   * Returns the lots that are due or nearly due, the most overdue first; if any is due, with what other watches of the client
   * need soon.
   */
  #takeBatch(): readonly string[] {
    const now = this.#pace.clock.monotonic();
    const own = this.#candidates(now);
    if (!own.some(({ lateness }) => lateness >= 1)) return [];
    const candidates = new Map<string, Candidate>();
    for (const watch of this.#together) {
      for (const each of watch === this ? own : watch.#candidates(now)) {
        if (!candidates.has(each.lot.id)) candidates.set(each.lot.id, each);
      }
    }
    // Its own lots first: a lot that is due must not wait for those of others that are nearly due.
    const isOwn = ({ lot }: Candidate) => this.#lots.has(lot.id);
    const sorted = [...candidates.values()].sort(
      (a, b) => Number(isOwn(b)) - Number(isOwn(a)) || ascending(b.lateness, a.lateness),
    );
    const size = sorted[0]?.lot.alone === true ? 1 : this.#batchSize;
    const batch = sorted
      .filter(({ lot }) => size === 1 || !lot.alone)
      .slice(0, size)
      .map(({ lot }) => lot.id);
    for (const watch of this.#together) watch.#mark(batch, 'asked');
    return batch;
  }

  #candidates(now: number): readonly Candidate[] {
    const longest = this.#longestInterval();
    return [...this.#lots.values()].flatMap((lot) => {
      const lateness = (now - lot.askedAt) / this.#intervalOf(lot, now, longest);
      return lot.inFlight || lateness < NEARLY_DUE ? [] : [{ lot, lateness }];
    });
  }

  /** This watch, and the others of the client. */
  get #together(): readonly LotWatch[] {
    return [this, ...[...this.#parts.running].filter((watch) => watch !== this)];
  }

  /** Notes that lots are being read, by this watch or another one, or that their read has ended. */
  #mark(batch: readonly string[], what: 'asked' | 'done' | 'failed'): void {
    const now = this.#pace.clock.monotonic();
    const lots = batch.flatMap((id) => this.#lots.get(id) ?? []);
    if (lots.length === 0) return;
    for (const lot of lots) {
      if (what === 'asked') lot.askedAt = now;
      if (what === 'failed') lot.askedAt = Number.NEGATIVE_INFINITY;
      else lot.inFlight = what === 'asked';
    }
    if (what === 'asked') this.#noteDeparture(now);
    else this.#work.fire();
  }

  #noteDeparture(now: number): void {
    this.#departures = [...this.#departures.filter((at) => now - at < MINUTE_MS), now];
  }

  /** Returns the standings to read next, unless some were read within so many gaps. */
  #takeHidden(gaps: number): HiddenRead | undefined {
    const now = this.#pace.clock.monotonic();
    if (now - this.#hidden.askedAt < gaps * gapMs(this.#pace)) return undefined;
    const read = this.#hidden.due(now, (lot) => this.#timeLeft(lot), this.#batchSize);
    if (read === undefined) return undefined;
    for (const watch of this.#together) {
      if (watch.#hidden.ask(read, now)) watch.#noteDeparture(now);
    }
    return read;
  }

  #timeLeft(id: string): number | undefined {
    const closesAt = this.#lots.get(id)?.closesAt;
    return closesAt === undefined ? undefined : closesAt - this.#pace.now();
  }

  /** Time until the next read is due, ms. */
  #idleMs(): number {
    const now = this.#pace.clock.monotonic();
    const longest = this.#longestInterval();
    const hidden = this.#hidden.nextDue((lot) => this.#timeLeft(lot));
    let next = Math.max(hidden, this.#hidden.askedAt + HIDDEN_GAPS * gapMs(this.#pace));
    for (const lot of this.#lots.values()) {
      if (!lot.inFlight) next = Math.min(next, lot.askedAt + this.#intervalOf(lot, now, longest));
    }
    return Math.min(Math.max(next - now, 1), LONGEST_IDLE_MS);
  }

  /** The longest interval between two reads of a live lot: `every`, or what the polls of a minute allow for so many lots. */
  #longestInterval(): number {
    if (!this.#pace.isIdle() || this.#every === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    const live = new Set<string>();
    for (const watch of this.#together) {
      for (const lot of watch.#lots.values()) if (watch.#isLive(lot)) live.add(lot.id);
    }
    const sweep = Math.ceil(live.size / this.#batchSize) * gapMs(this.#pace);
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

  async #readBatch(batch: readonly string[], signal: AbortSignal): Promise<void> {
    try {
      const results = await this.#parts.read({ lot_ids: [...batch] }, pollOptions(signal));
      const derived = new Map<LotWatch, Derived>();
      for (const watch of this.#together) derived.set(watch, await watch.#derive(results));
      if (signal.aborted) return;
      const byLot = new Map(results.map((result) => [result.lot_id, result]));
      for (const watch of this.#together) {
        watch.#answered();
        for (const id of batch) watch.#take(id, byLot.get(id), derived.get(watch)?.get(id));
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && refusesBatch(error)) return this.#refused(batch, error, signal);
      if (!isTransient(error)) throw error;
      for (const watch of this.#together) watch.#mark(batch, 'failed');
      await this.#failed(error as VehicleAuctionError, signal);
    }
  }

  /** Derives the standings of this watch's buyers on its lots. */
  async #derive(results: readonly LotStatusResult[]): Promise<Derived> {
    const { standings } = this.#parts;
    if (standings === undefined || this.#buyers.length === 0) return new Map();
    const lots = results.flatMap(({ lot_id: id, data: status }) => {
      const lot = this.#lots.get(id);
      return lot === undefined || status == null ? [] : [{ status, earlier: lot.derived }];
    });
    return lots.length === 0 ? new Map() : standings.derive(lots, this.#buyers);
  }

  /** Reads the halves of a refused batch, to find out if it was too large or if one lot was refused. */
  async #refused(batch: readonly string[], error: ApiError, signal: AbortSignal): Promise<void> {
    const [only] = batch;
    if (batch.length === 1 && only !== undefined) {
      const { status, code } = error;
      const result = { lot_id: only, status, ...(code !== undefined && { code }) };
      for (const watch of this.#together) {
        const lot = watch.#lots.get(only);
        if (lot !== undefined) lot.alone = true;
        watch.#take(only, result, undefined);
      }
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    const halves = [batch.slice(0, middle), batch.slice(middle)];
    for (const half of halves) await this.#readBatch(half, signal);
    const isOfOneLot = batch.some((id) => this.#together.some((watch) => watch.#lots.get(id)?.alone));
    if (!isOfOneLot) this.#batchSize = Math.min(this.#batchSize, middle);
  }

  /** Reads one buyer's standings, for every watch of the client that has them. */
  async #readHidden(read: HiddenRead, signal: AbortSignal): Promise<void> {
    const { buyer, lots } = read;
    let results: readonly LotStatusResult[] | undefined;
    let failure: VehicleAuctionError | undefined;
    try {
      const body = { lot_ids: [...lots], bidder_reference: buyer };
      results = await this.#parts.read(body, pollOptions(signal));
    } catch (error) {
      if (isOfBuyer(error)) results = [];
      else if (!signal.aborted && !isTransient(error)) throw error;
      else failure = error as VehicleAuctionError;
    } finally {
      this.#answerHidden(read, results);
    }
    if (failure !== undefined && !signal.aborted) await this.#failed(failure, signal);
  }

  /** @param results undefined where the read failed, so that it is due again */
  #answerHidden(read: HiddenRead, results: readonly LotStatusResult[] | undefined): void {
    const byLot = results && new Map(results.map((result) => [result.lot_id, result]));
    for (const watch of this.#together) {
      watch.#hidden.answer(read, byLot);
      watch.#work.fire();
      if (results === undefined) continue;
      watch.#answered();
      for (const id of read.lots) watch.#show(id);
    }
  }

  async #failed(error: VehicleAuctionError, signal: AbortSignal): Promise<void> {
    this.#failures += 1;
    if (this.#outage === undefined) {
      const since = this.#pace.now();
      this.#outage = { since, error };
      this.#publish(OUTAGE, { change: { type: 'outage', since, error } });
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
    if (!this.#pending.delete(OUTAGE)) this.#publish(OUTAGE, { change: { type: 'resumed', since } });
    for (const lot of this.#lots.values()) if (!lot.inFlight) lot.askedAt = Number.NEGATIVE_INFINITY;
    this.#work.fire();
  }

  #take(id: string, result: LotStatusResult | undefined, derived: LotStandings | undefined): void {
    const lot = this.#lots.get(id);
    // It is another watch's, or was removed during the request.
    if (lot === undefined) return;
    const after = statusIn(result);
    const before = lot.known;
    if (after === undefined) {
      const isRefused = result !== undefined && result.status >= 400 && result.status < 500;
      lot.refused = isRefused;
      if (lot.unavailable) return;
      lot.unavailable = true;
      lot.derived = undefined;
      this.#hidden.forget(lot.id);
      this.#publish(lot.id, {
        change: {
          type: 'unavailable',
          lot: lot.id,
          ...(before !== undefined && { before }),
          ...(result !== undefined && { status: result.status }),
          ...(result?.code !== undefined && { code: result.code }),
        },
      });
      return;
    }
    const isBack = lot.unavailable;
    lot.heardAt = this.#pace.clock.monotonic();
    lot.unavailable = false;
    lot.alone = false;
    if (before !== undefined && after.resource_version < before.resource_version) {
      // Older than the known status, for example from a lagging replica: keep the known status.
      if (isBack) this.#publish(lot.id, snapshotOf({ status: before, standings: lot.standings }));
      return;
    }
    lot.closesAt = zonedTimeMs(after.effective_close_at) ?? lot.closesAt;
    lot.derived = derived;
    this.#update(lot, after, isBack ? undefined : before);
  }

  /** Publishes standings of a lot that were read for a buyer. */
  #show(id: string): void {
    const lot = this.#lots.get(id);
    if (lot?.known !== undefined && !lot.unavailable) this.#update(lot, lot.known, lot.known);
  }

  /** @param before undefined if the lot is new to the consumer, or back again */
  #update(lot: Followed, status: LotStatus, before: LotStatus | undefined): void {
    const earlier = before && { status: before, standings: lot.standings };
    lot.known = status;
    lot.standings = lot.derived === undefined ? [] : this.#hidden.complete(lot.id, lot.derived);
    const after = { status, standings: lot.standings };
    const change = earlier === undefined ? snapshotOf(after) : changeBetween(earlier, after);
    if (change === undefined) return;
    if (earlier !== undefined) lot.changedAt = this.#pace.clock.monotonic();
    this.#publish(lot.id, change);
  }

  /** Replaces the pending change of a lot. `before` stays the status that the consumer got last. */
  #publish(key: string, change: PendingChange): void {
    this.#pending.set(key, mergedChange(this.#pending.get(key), change));
    this.#news.fire();
  }
}

/** Standings by lot. */
type Derived = ReadonlyMap<string, LotStandings>;

/** A lot that can be read, and the part of its interval that has passed. */
interface Candidate {
  readonly lot: Followed;
  readonly lateness: number;
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

/** True if the service refuses this one buyer or what is asked for it; authorisation concerns the whole watch. */
function isOfBuyer(error: unknown): boolean {
  if (!(error instanceof ApiError) || isTransient(error)) return false;
  return error.status !== 401 && error.status !== 403;
}
