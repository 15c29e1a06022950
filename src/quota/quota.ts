import type { Lane } from '../api/operation.js';
import { thrownMessage } from '../errors/thrown.js';
import type { Clock } from '../ports/clock.js';
import type { Permit, Quota, Turn } from '../ports/quota.js';
import { onceAborted, withTimeout } from '../runtime/timers.js';
import type { WarnAbout } from '../runtime/user-code.js';
import type { DepartureEntry, DepartureLog, DeparturePage } from '../store/store.js';
import {
  type EffectiveQuota,
  effectiveQuotaOf,
  LANES,
  Peers,
  RollingWindow,
  strictest,
  WaitingLine,
} from './lanes.js';
import { Notices } from './notices.js';
import type { QuotaMember, QuotaShare, QuotaState } from './share.js';

export interface QuotaParts {
  readonly clock: Clock;
  /** Requests that the service counts together: the origin. */
  readonly scope: string;
  /** Id of this process. */
  readonly process: string;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

/** After a failure of the store, this process paces itself alone for this time, ms. */
const ALONE_MS = 5_000;

/** The same time in the first `ALONE_MS` of an outage, so that a short one ends soon, ms. */
const RETRY_MS = 1_000;

/** Once the store answers again, a process uses only its part of the window, until others have logged what they sent alone, ms. */
const CAUTIOUS_MS = 2 * ALONE_MS;

/** Timeout of the store before this process paces itself alone, ms. */
const STORE_MS = 2_000;

/** Jitter, so that waiting processes do not ask at the same moment, ms. */
const JITTER_MS = 40;

interface Waiter {
  readonly warn: WarnAbout | undefined;
  go(permit: Permit): void;
  fail(error: unknown): void;
}

interface Timer {
  readonly at: number;
  cancel: () => void;
}

/** A sent request, or a pause, that is not in the log yet. */
interface Unlogged {
  readonly number: number;
  readonly lane: DepartureEntry['lane'];
  /** Time of sending, or end of the pause, on the monotonic clock, ms. */
  readonly at: number;
}

/**
 * A rolling window on the monotonic clock: at most `limit` requests are sent in any span of `window + margin`. Others are
 * queued. A pause holds every lane.
 *
 * With a log of departures, other processes count in the same window, and each departure is reserved in a transaction of
 * the log.
 */
export class PacedQuota implements Quota {
  readonly #parts: QuotaParts;
  readonly #members: QuotaMember[] = [];
  readonly #window = new RollingWindow();
  readonly #line = new WaitingLine<Waiter>();
  readonly #peers: Peers;
  #settings: EffectiveQuota = unlimited;
  /** The log of the first member. Several logs would be several windows. */
  #log: DepartureLog | undefined;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #aloneUntil = Number.NEGATIVE_INFINITY;
  /** Time of the first failure of the store since it last answered, on the monotonic clock. */
  #failingSince: number | undefined;
  #cautiousUntil = Number.NEGATIVE_INFINITY;
  #unlogged: Unlogged[] = [];
  #number: number;
  /** Cancels the pending announcement to other processes; undefined if none is pending. */
  #cancelAnnouncement: (() => void) | undefined;
  /** Pending while a request waits. It may fire too early, never too late. */
  #timer: Timer | undefined;
  #exchange: 'none' | 'running' | 'wanted again' = 'none';
  readonly #waiting = new Set<Waiter>();
  readonly #notices: Notices;

  constructor(parts: QuotaParts) {
    this.#parts = parts;
    this.#peers = new Peers(parts.process);
    this.#notices = new Notices(parts.clock);
    // Starts at the time, so that numbers of an earlier quota of this process are not reused.
    this.#number = Math.floor(parts.clock.now());
  }

  /** Adds a member. From then on, the strictest settings apply to all members. */
  join(member: QuotaMember): QuotaShare {
    this.#members.push(member);
    this.#settings = effectiveQuotaOf(strictest(this.#settings, member.settings));
    this.#chooseLog();
    this.#window.recount();
    return this.#shareFor(member, member.warn);
  }

  #shareFor(member: QuotaMember, warn: WarnAbout | undefined): QuotaShare {
    return {
      take: this.take,
      permit: (lane, signal, turn) => this.permit(lane, signal, turn, warn),
      pause: this.pause,
      state: this.state,
      warning: (other) => this.#shareFor(member, other),
      release: () => this.#leave(member),
    };
  }

  #leave(member: QuotaMember): void {
    const index = this.#members.indexOf(member);
    if (index >= 0) this.#members.splice(index, 1);
    this.#chooseLog();
    if (this.#log !== undefined) return;
    // No other process is left to inform, and a timer would keep this one alive.
    this.#cancelAnnouncement?.();
    this.#cancelAnnouncement = undefined;
    this.#unlogged = [];
  }

  #chooseLog(): void {
    const member = this.#members.find(({ departures }) => departures !== undefined);
    this.#log = this.#settings.limit === Number.POSITIVE_INFINITY ? undefined : member?.departures;
  }

  readonly take = (lane: Lane): Permit | undefined => {
    if (this.#log !== undefined) return undefined;
    if (this.#waiting.size > 0 && this.#line.isBefore(lane)) return undefined;
    const now = this.#parts.clock.monotonic();
    this.#window.expire(now, this.#settings);
    if (this.#pausedUntil > now || !this.#window.hasRoom(lane, this.#settings)) return undefined;
    return this.#depart(lane, now);
  };

  readonly permit = (lane: Lane, signal: AbortSignal, turn?: Turn, warn?: WarnAbout): Promise<Permit> => {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const permit = this.take(lane);
      if (permit !== undefined) return resolve(permit);
      this.#wait(lane, turn, signal, warn, resolve, reject);
      this.#sendWaiting();
    });
  };

  readonly pause = (ms: number): void => {
    const at = this.#parts.clock.monotonic() + ms;
    if (!(at > this.#pausedUntil)) return;
    this.#pausedUntil = at;
    this.#announce({ number: ++this.#number, lane: 'pause', at });
  };

  readonly state = (): QuotaState => {
    const now = this.#now();
    const { clock } = this.#parts;
    const effective = this.#effective;
    const isPaused = this.#pausedUntil > now;
    const availableTo = (lane: Lane) => {
      if (isPaused || effective.limit === Number.POSITIVE_INFINITY) return isPaused ? 0 : effective.limit;
      return this.#window.plan({ ...NOBODY, [lane]: effective.limit }, effective).length;
    };
    return {
      limit: effective.limit,
      reserve: effective.reserve,
      window: effective.window + effective.margin,
      used: this.#window.used,
      available: { ...NOBODY, ...Object.fromEntries(LANES.map((lane) => [lane, availableTo(lane)])) },
      waiting: this.#line.lengths,
      pausedUntil: isPaused ? Math.ceil(clock.now() + this.#pausedUntil - now) : undefined,
      shared: this.#log === undefined ? 'process' : this.#isAlone ? 'alone' : 'store',
    };
  };

  /** True if the quota can be dropped without allowing a request to be sent earlier. */
  isIdle(): boolean {
    const busyUntil = Math.max(this.#window.emptyAt(this.#effective), this.#pausedUntil);
    return this.#members.length === 0 && this.#line.isEmpty && busyUntil <= this.#parts.clock.monotonic();
  }

  get #isAlone(): boolean {
    return this.#parts.clock.monotonic() < this.#aloneUntil;
  }

  /** Current settings: the lowest limit of all processes, or a part of it while they can't see each other. */
  get #effective(): EffectiveQuota {
    if (this.#log === undefined) return this.#settings;
    const effective = this.#peers.strictest(this.#settings);
    const isCautious =
      this.#failingSince !== undefined || this.#parts.clock.monotonic() < this.#cautiousUntil;
    if (!isCautious) return effectiveQuotaOf(effective);
    // A process that has never read the log assumes that there is another one.
    const count = Math.max(this.#peers.count, this.#peers.readAt === undefined ? 2 : 1);
    const part = (most: number) => Math.floor(most / count);
    return effectiveQuotaOf({
      ...effective,
      limit: Math.max(1, part(effective.limit)),
      reserve: part(effective.reserve),
    });
  }

  #now(): number {
    const now = this.#parts.clock.monotonic();
    const effective = this.#effective;
    this.#window.expire(now, effective);
    // The store may fail only for this process, or only for a moment: then others go on taking what comes free.
    const { readAt } = this.#peers;
    if (readAt !== undefined && this.#isOutageShort(now)) this.#window.presumeRetaken(readAt, now, effective);
    return now;
  }

  #isOutageShort(now: number): boolean {
    return this.#failingSince !== undefined && now < this.#failingSince + ALONE_MS;
  }

  #freeAt(lane: Lane): number {
    return Math.max(this.#window.freeAt(lane, this.#effective), this.#pausedUntil);
  }

  #depart(lane: Lane, departedAt: number, number = ++this.#number): Permit {
    const { limit, window, margin } = this.#settings;
    if (limit === Number.POSITIVE_INFINITY) return UNLIMITED;
    const id = `${this.#parts.process} ${number}`;
    let at = departedAt;
    this.#window.depart({ id, lane, at });
    const countFrom = (later: number) => {
      if (later <= at) return;
      at = later;
      this.#window.put({ id, lane, at });
      this.#announce({ number, lane, at });
    };
    const permit = (): Permit => {
      let isOver = false;
      const ended = () => {
        if (!isOver) countFrom(this.#parts.clock.monotonic() - margin);
        isOver = true;
      };
      const passOn = () => {
        const now = this.#parts.clock.monotonic();
        const isCounted = now < at + window;
        const next = isOver || !isCounted ? undefined : this.#line.takeNext(lane);
        if (next === undefined) return ended();
        isOver = true;
        // Nothing has left yet. The request that leaves on it arrives within the margin of the time that is counted.
        if (now - at > margin / 2) countFrom(now);
        next.go(permit());
      };
      return { ended, passOn };
    };
    return permit();
  }

  #wait(
    lane: Lane,
    turn: Turn | undefined,
    signal: AbortSignal,
    warn: WarnAbout | undefined,
    resolve: (permit: Permit) => void,
    reject: (error: unknown) => void,
  ): void {
    const end = () => {
      unfollow();
      this.#waiting.delete(waiter);
    };
    const waiter: Waiter = {
      warn,
      go: (permit) => {
        end();
        resolve(permit);
      },
      fail: (error) => {
        end();
        reject(error);
      },
    };
    this.#line.join(lane, waiter, turn);
    this.#waiting.add(waiter);
    const unfollow = onceAborted(signal, () => {
      this.#waiting.delete(waiter);
      this.#line.leave(lane, waiter);
      reject(signal.reason);
      if (this.#line.isEmpty) this.#disarm();
    });
  }

  /** Sends every queued request that fits in the window, and schedules the next check. */
  #sendWaiting(): void {
    try {
      const now = this.#now();
      const isDue = this.#failingSince !== undefined && !this.#isAlone;
      // If the requests known here fill the window, there is no room, because the log may only add more. After a failure
      // of the store some of them are only presumed.
      if (this.#nextAt() > now && !isDue) this.#arm(now);
      else if (this.#log === undefined || this.#isAlone) this.#sendAlone();
      else void this.#sendShared();
    } catch (error) {
      // If an injected clock fails, reject the queued requests instead of leaving them waiting.
      this.#failAll(error);
    }
  }

  #sendAlone(): void {
    const now = this.#now();
    for (const lane of this.#planned(now)) {
      const number = ++this.#number;
      const permit = this.#depart(lane, now, number);
      if (this.#log !== undefined) this.#unlogged.push({ number, lane, at: now });
      this.#line.takeNext(lane)?.go(permit);
    }
    this.#arm(now);
    this.#announceLater(now);
  }

  /** Logs requests that were sent without the store, as soon as the store may be available again. */
  #announceLater(now: number): void {
    if (this.#unlogged.length === 0 || this.#log === undefined || this.#cancelAnnouncement !== undefined)
      return;
    this.#cancelAnnouncement = this.#parts.clock.after(Math.max(0, this.#aloneUntil - now), () => {
      this.#cancelAnnouncement = undefined;
      void this.#sendShared();
    });
  }

  #planned(now: number): readonly Lane[] {
    return now < this.#pausedUntil ? [] : this.#window.plan(this.#line.lengths, this.#effective);
  }

  /** Reserves departures in one transaction of the log at a time. The next one covers all requests queued meanwhile. */
  async #sendShared(): Promise<void> {
    if (this.#exchange !== 'none') {
      this.#exchange = 'wanted again';
      return;
    }
    try {
      do {
        this.#exchange = 'running';
        await this.#exchangeOnce();
      } while (this.#isWantedAgain());
    } catch (error) {
      this.#failAll(error);
    } finally {
      this.#exchange = 'none';
    }
  }

  #isWantedAgain(): boolean {
    return this.#exchange === 'wanted again' && this.#log !== undefined && !this.#isAlone;
  }

  async #exchangeOnce(): Promise<void> {
    const { scope } = this.#parts;
    const log = this.#log;
    if (log === undefined) return this.#sendAlone();
    const { window, margin } = this.#settings;
    const now = this.#now();
    this.#unlogged = this.#unlogged.filter(({ at }) => at + window + margin > now);
    const announced = this.#unlogged.slice();
    let planned: readonly Unlogged[] = [];
    let isOver = false;
    const decide = (page: DeparturePage) => {
      if (isOver) return [];
      const at = this.#now();
      this.#read(page, at);
      planned = this.#planned(at).map((lane) => ({ number: ++this.#number, lane, at }));
      return [...announced, ...planned].map((each) => this.#entryOf(each, at));
    };
    try {
      await this.#inTime(log.exchange(scope, this.#peers.last, decide));
    } catch (error) {
      isOver = true;
      const failedAt = this.#parts.clock.monotonic();
      // Nobody may have asked for a while: then it is another outage.
      const isSame = failedAt <= this.#aloneUntil + ALONE_MS;
      this.#failingSince = isSame ? (this.#failingSince ?? failedAt) : failedAt;
      this.#aloneUntil = failedAt + (this.#isOutageShort(failedAt) ? RETRY_MS : ALONE_MS);
      this.#notice(
        'The request quota is not shared: its store fails. This process paces its requests alone',
        () => ({
          error: thrownMessage(error),
          limit: this.#effective.limit,
        }),
      );
      this.#sendAlone();
      return;
    }
    isOver = true;
    if (this.#failingSince !== undefined) {
      this.#failingSince = undefined;
      this.#cautiousUntil = this.#parts.clock.monotonic() + CAUTIOUS_MS;
    }
    this.#unlogged = this.#unlogged.slice(announced.length);
    for (const { number, lane, at } of planned) {
      if (lane === 'pause') continue;
      // If a request was aborted meanwhile, the next one uses its departure.
      const permit = this.#depart(lane, at, number);
      this.#line.takeNext(lane)?.go(permit);
    }
    this.#arm(this.#now());
  }

  #entryOf({ number, lane, at }: Unlogged, now: number): DepartureEntry {
    const { limit, reserve } = this.#settings;
    return { process: this.#parts.process, number, lane, age: now - at, limit, reserve };
  }

  /** Counts logged requests of all processes. */
  #read(page: DeparturePage, now: number): void {
    const { departures, pausedUntil } = this.#peers.read(page, now);
    this.#window.forgetPresumed();
    for (const departure of departures) this.#window.put(departure);
    this.#pausedUntil = Math.max(this.#pausedUntil, pausedUntil);
    this.#window.expire(now, this.#effective);
    const { limit } = this.#effective;
    if (limit === this.#settings.limit && this.#peers.agree(limit)) return;
    this.#notice('Processes on one store have different quota limits. The lowest applies to all', () => ({
      limit: this.#settings.limit,
      lowest: limit,
    }));
  }

  /** Logs an entry for other processes, at once if the store is available. */
  #announce(unlogged: Unlogged): void {
    if (this.#log === undefined) return;
    this.#unlogged.push(unlogged);
    if (!this.#isAlone) void this.#sendShared();
  }

  #inTime(work: Promise<void>): Promise<void> {
    return withTimeout(this.#parts.clock, STORE_MS, work, () => {
      throw new Error(`no answer within ${STORE_MS} ms`);
    });
  }

  /** Earliest time at which a queued request may be sent, as far as known. */
  #nextAt(): number {
    const { lengths } = this.#line;
    return Math.min(...LANES.filter((lane) => lengths[lane] > 0).map((lane) => this.#freeAt(lane)));
  }

  #arm(now: number): void {
    if (this.#line.isEmpty) {
      this.#disarm();
      return;
    }
    // Requests also wait, for a moment, while the log is asked.
    if (this.#nextAt() > now) {
      this.#notice('The request quota is used up or paused; calls are queued', () => ({ ...this.state() }));
    }
    const jitter = this.#log === undefined ? 0 : this.#parts.random() * JITTER_MS;
    // Rounded up, or a timer of whole milliseconds would fire a fraction too early each time.
    // Check again when the lower limits during and after an outage of the store end.
    const later = [this.#aloneUntil, this.#cautiousUntil].filter((at) => at > now);
    const next = Math.min(this.#nextAt(), ...later);
    const ms = Math.ceil(Math.max(next - now, 0) + jitter);
    if (this.#timer !== undefined && this.#timer.at <= now + ms) return;
    this.#disarm();
    const timer: Timer = { at: now + ms, cancel: () => undefined };
    this.#timer = timer;
    timer.cancel = this.#parts.clock.after(ms, () => {
      if (this.#timer !== timer) return;
      this.#timer = undefined;
      this.#sendWaiting();
    });
  }

  #disarm(): void {
    const timer = this.#timer;
    this.#timer = undefined;
    timer?.cancel();
  }

  #failAll(error: unknown): void {
    for (const lane of LANES) {
      for (let next = this.#line.takeNext(lane); next !== undefined; next = this.#line.takeNext(lane)) {
        next.fail(error);
      }
    }
    this.#disarm();
  }

  #notice(message: string, fields: () => Readonly<Record<string, unknown>>): void {
    const waiting = [...this.#waiting].flatMap(({ warn }) => warn ?? []);
    const [first] = this.#members.flatMap(({ warn }) => warn ?? []);
    this.#notices.to(waiting.length > 0 || first === undefined ? waiting : [first], message, fields);
  }
}

/** Settings before any member has joined. */
const unlimited: EffectiveQuota = effectiveQuotaOf({
  limit: Number.POSITIVE_INFINITY,
  reserve: 0,
  window: 0,
  margin: 0,
});

const UNLIMITED: Permit = { ended: () => undefined, passOn: () => undefined };

const NOBODY: Readonly<Record<Lane, number>> = { bid: 0, command: 0, read: 0, poll: 0 };
