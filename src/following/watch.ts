import { zonedTimeMs } from '../clock/reply-time.js';
import { ApiError } from '../errors/api.js';
import type { VehicleAuctionError } from '../errors/base.js';
import type { LotStatus, LotStatusResult, LotsStatusBatchBody } from '../generated/lots.js';
import type { CallOptions } from '../ports/caller.js';
import { LinkedSignal, onceAborted, sleep, Wakeup } from '../runtime/timers.js';
import { type HiddenRead, HiddenStandings } from './hidden-standings.js';
import {
  changeBetween,
  type LotChange,
  mergedChange,
  type PendingChange,
  snapshotOf,
} from './lot-changes.js';
import {
  ascending,
  gapMs,
  isOfBuyer,
  isTransient,
  type Pace,
  pollOptions,
  refusesBatch,
  retryPause,
} from './pace.js';
import { type LotStandings, type StandingsSource, statusIn } from './standing.js';
import { checkedLots, checkedOptions, type LotToWatch, type WatchOptions } from './watch-options.js';
import { type WatchState, watchStateOf } from './watch-state.js';
import {
  type Candidate,
  candidatesOf,
  concernedBy,
  intervalOf,
  isLive,
  type LotEvent,
  newLot,
  type Timing,
  type WatchedLot,
} from './watched-lot.js';

type ReadStatuses = (body: LotsStatusBatchBody, options: CallOptions) => Promise<readonly LotStatusResult[]>;

/** What the watches of one client have in common. */
export interface WatchParts {
  readonly pace: Pace;
  readonly read: ReadStatuses;
  /** The running watches. All receive what one of them reads. */
  readonly running: Set<LotWatch>;
  /** Undefined for a direct dealer, who has no buyers. */
  readonly standings: StandingsSource | undefined;
}

const MAX_IN_FLIGHT = 4;
const LONGEST_IDLE_MS = 60_000;
const MINUTE_MS = 60_000;
/** A sweep over all live lots leaves a fifth of the polls to lots near their close and to others. */
const SPARED = 1.25;
/** Standings of single buyers take at most every second poll, and every fifth while lots are due. */
const HIDDEN_GAPS = 2;
const HIDDEN_GAPS_BUSY = 5;
/** The changes of many lots. Nothing is sent before you iterate; leaving the loop ends the watch. */
export class LotWatch implements AsyncIterable<LotChange> {
  readonly #parts: WatchParts;
  readonly #pace: Pace;
  readonly #options: WatchOptions;
  readonly #buyers: readonly string[];
  readonly #every: number;
  /** When requests left in the last minute, on the monotonic clock. */
  #departures: number[] = [];
  readonly #lots = new Map<string, WatchedLot>();
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
    for (const [id, known] of checkedLots(lots)) {
      if (!this.#lots.has(id)) this.#lots.set(id, newLot(id, known));
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
    for (const lot of concernedBy(what, this.#lots.values())) lot.askedAt = Number.NEGATIVE_INFINITY;
    this.#work.fire();
  }

  /** The latest status of a lot that this watch has seen. */
  latest(lot: string): LotStatus | undefined {
    return this.#lots.get(lot)?.known;
  }

  /** How up to date the watch is, and why it is not more. */
  state(): WatchState {
    return watchStateOf({
      lots: this.#lots.values(),
      every: this.#every,
      departures: this.#departures,
      isOut: this.#outage !== undefined,
      now: this.#pace.clock.monotonic(),
      serverMs: this.#pace.now(),
    });
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
    onceAborted(stop.signal, () => this.#end());
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
          // Other watches still need what this one no longer waits for.
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
    const own = candidatesOf(this.#lots.values(), this.#timing());
    if (!own.some(({ lateness }) => lateness >= 1)) return [];
    const candidates = new Map<string, Candidate>();
    for (const watch of this.#together) {
      const theirs = watch === this ? own : candidatesOf(watch.#lots.values(), watch.#timing());
      for (const each of theirs) {
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

  /** This watch, and the others of the client. */
  get #together(): readonly LotWatch[] {
    return [this, ...[...this.#parts.running].filter((watch) => watch !== this)];
  }

  /** Records that lots are being read, by this watch or another one, or that their read has ended. */
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
    const timing = this.#timing();
    const hidden = this.#hidden.nextDue((lot) => this.#timeLeft(lot));
    let next = Math.max(hidden, this.#hidden.askedAt + HIDDEN_GAPS * gapMs(this.#pace));
    for (const lot of this.#lots.values()) {
      if (!lot.inFlight) next = Math.min(next, lot.askedAt + intervalOf(lot, timing));
    }
    return Math.min(Math.max(next - timing.now, 1), LONGEST_IDLE_MS);
  }

  #timing(): Timing {
    const { clock } = this.#pace;
    return { now: clock.monotonic(), serverMs: this.#pace.now(), longest: this.#longestInterval() };
  }

  /** The longest interval between two reads of a live lot: `every`, or what the polls of a minute allow for so many lots. */
  #longestInterval(): number {
    if (!this.#pace.isIdle() || this.#every === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    const live = new Set<string>();
    for (const watch of this.#together) {
      for (const lot of watch.#lots.values()) if (isLive(lot, this.#pace.now())) live.add(lot.id);
    }
    const sweep = Math.ceil(live.size / this.#batchSize) * gapMs(this.#pace);
    return Math.max(this.#every, sweep * SPARED);
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

  /** @param results undefined if the read failed, so that it is due again */
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
  #update(lot: WatchedLot, status: LotStatus, before: LotStatus | undefined): void {
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

const OUTAGE = '';
