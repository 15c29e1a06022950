import type { Lane } from '../api/operation.js';
import type { Clock } from '../ports/clock.js';
import type { Permit, Quota, Turn } from '../ports/quota.js';
import { follow, withTimeout } from '../runtime/timers.js';
import type { DepartureEntry, DepartureLog, DeparturePage } from '../store/store.js';
import {
  LANES,
  Peers,
  type QuotaSettings,
  RollingWindow,
  strictest,
  type Terms,
  termsOf,
  WaitingLine,
} from './lanes.js';

/** The request quota as it is now, for dashboards and logs. */
export interface QuotaState {
  /** Requests that may leave in one window: the lowest of all clients and processes that share it. */
  readonly limit: number;
  /** Requests of each window that only bids may use. */
  readonly reserve: number;
  /** Milliseconds for which a request counts: the window and its margin. */
  readonly window: number;
  /** Requests that count now, of all processes as far as this one knows. */
  readonly used: number;
  /** How many requests could leave now, if all of them were of this lane. */
  readonly available: Readonly<Record<Lane, number>>;
  /** How many requests of this process wait. */
  readonly waiting: Readonly<Record<Lane, number>>;
  /** Until when a 429 pauses every lane, Unix ms by this machine's clock; undefined where none does. */
  readonly pausedUntil: number | undefined;
  /** Who shares the window: this process alone, or all processes on the store; `alone` while the store fails. */
  readonly shared: 'process' | 'store' | 'alone';
}

/** One client's share in a quota. */
export interface QuotaMember {
  readonly settings: QuotaSettings;
  /** Through which other processes share it. */
  readonly departures?: DepartureLog | undefined;
  readonly warn?: Warn | undefined;
}

/** One client's share in a quota. */
export interface QuotaShare extends Quota {
  state(): QuotaState;
  /** The same share; warnings about what waits through it go to `warn`. */
  warning(warn: Warn): QuotaShare;
  /**
   * Gives the share back. What the quota knows outlives the last one until its window and pauses are over, so that a
   * program which makes a client for every job does not begin a new window each time.
   */
  release(): void;
}

export type Warn = (message: string, fields: () => Readonly<Record<string, unknown>>) => void;

export interface QuotaParts {
  readonly clock: Clock;
  /** What the service counts together: the origin. */
  readonly scope: string;
  /** Names this process to the others. */
  readonly process: string;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** After a failure of the store, this process paces itself alone for so long, ms. */
const ALONE_MS = 5_000;

/** After that, it keeps to its part of the window for so long: by then, all others have told what they sent alone. */
const CAUTIOUS_MS = 2 * ALONE_MS;

/** How long a request waits for the store before this process paces itself alone, ms. */
const STORE_MS = 2_000;

/** Processes that wait for the same place do not ask for it at the same moment, ms. */
const JITTER_MS = 40;

/** The same warning is logged once in so many ms. */
const NOTICE_EVERY_MS = 60_000;

interface Waiter {
  readonly warn: Warn | undefined;
  go(permit: Permit): void;
  fail(error: unknown): void;
}

interface Timer {
  readonly at: number;
  cancel: () => void;
}

/** What left, or a pause, that the other processes do not know of yet. */
interface Unlogged {
  readonly number: number;
  readonly lane: DepartureEntry['lane'];
  /** When it left; of a pause, when it ends. On the monotonic clock, ms. */
  readonly at: number;
}

/**
 * A rolling window on the monotonic clock: in no span of `window + margin` do more than `limit` requests leave. Those
 * that find no room wait in the line. A pause holds every lane.
 *
 * With a log of departures, other processes count in the same window. Each place is then taken in a transaction of the
 * log.
 */
export class PacedQuota implements Quota {
  readonly #parts: QuotaParts;
  readonly #members: QuotaMember[] = [];
  readonly #window = new RollingWindow();
  readonly #line = new WaitingLine<Waiter>();
  readonly #peers: Peers;
  #settings: Terms = unlimited;
  /** The first log is that of all: several stores in one process would be several windows. */
  #log: DepartureLog | undefined;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #aloneUntil = Number.NEGATIVE_INFINITY;
  #unlogged: Unlogged[] = [];
  #number: number;
  /** Cancels the pending announcement to other processes; undefined where none is pending. */
  #cancelTelling: (() => void) | undefined;
  /** Pending while a request waits. It may fire too early, never too late. */
  #timer: Timer | undefined;
  #exchange: 'none' | 'running' | 'wanted again' = 'none';
  readonly #waiting = new Set<Waiter>();
  /** When each logger may get the same warning again, on the monotonic clock. */
  readonly #noticed = new WeakMap<Warn, Map<string, number>>();

  constructor(parts: QuotaParts) {
    this.#parts = parts;
    this.#peers = new Peers(parts.process);
    // An earlier quota of this process has counted up from an earlier time.
    this.#number = Math.floor(parts.clock.now());
  }

  /** Shares this quota. The strictest settings hold for everybody from now on. */
  join(member: QuotaMember): QuotaShare {
    this.#members.push(member);
    this.#settings = termsOf(strictest(this.#settings, member.settings));
    this.#chooseLog();
    this.#window.recount();
    return this.#shareOf(member, member.warn);
  }

  #shareOf(member: QuotaMember, warn: Warn | undefined): QuotaShare {
    return {
      take: this.take,
      permit: (lane, signal, turn) => this.permit(lane, signal, turn, warn),
      pause: this.pause,
      state: this.state,
      warning: (other) => this.#shareOf(member, other),
      release: () => this.#leave(member),
    };
  }

  #leave(member: QuotaMember): void {
    const index = this.#members.indexOf(member);
    if (index >= 0) this.#members.splice(index, 1);
    this.#chooseLog();
    if (this.#log !== undefined) return;
    // Nobody is left to tell, and a timer would keep the process alive.
    this.#cancelTelling?.();
    this.#cancelTelling = undefined;
    this.#unlogged = [];
  }

  #chooseLog(): void {
    const member = this.#members.find(({ departures }) => departures !== undefined);
    this.#log = this.#settings.limit === Number.POSITIVE_INFINITY ? undefined : member?.departures;
  }

  readonly take = (lane: Lane): Permit | undefined => {
    if (this.#log !== undefined || this.#line.isBefore(lane)) return undefined;
    const now = this.#parts.clock.monotonic();
    this.#window.expire(now, this.#settings);
    if (this.#pausedUntil > now || !this.#window.hasRoom(lane, this.#settings)) return undefined;
    return this.#depart(lane, now);
  };

  readonly permit = (lane: Lane, signal: AbortSignal, turn?: Turn, warn?: Warn): Promise<Permit> => {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const permit = this.take(lane);
      if (permit !== undefined) return resolve(permit);
      this.#wait(lane, turn, signal, warn, resolve, reject);
      this.#letGo();
    });
  };

  readonly pause = (ms: number): void => {
    const at = this.#parts.clock.monotonic() + ms;
    if (!(at > this.#pausedUntil)) return;
    this.#pausedUntil = at;
    this.#tell({ number: ++this.#number, lane: 'pause', at });
  };

  readonly state = (): QuotaState => {
    const now = this.#now();
    const { clock } = this.#parts;
    const terms = this.#terms;
    const isPaused = this.#pausedUntil > now;
    const availableTo = (lane: Lane) => {
      if (isPaused || terms.limit === Number.POSITIVE_INFINITY) return isPaused ? 0 : terms.limit;
      return this.#window.plan({ ...NOBODY, [lane]: terms.limit }, terms).length;
    };
    return {
      limit: terms.limit,
      reserve: terms.reserve,
      window: terms.window + terms.margin,
      used: this.#window.used,
      available: { ...NOBODY, ...Object.fromEntries(LANES.map((lane) => [lane, availableTo(lane)])) },
      waiting: this.#line.lengths,
      pausedUntil: isPaused ? Math.ceil(clock.now() + this.#pausedUntil - now) : undefined,
      shared: this.#log === undefined ? 'process' : this.#isAlone ? 'alone' : 'store',
    };
  };

  /** Whether it can be forgotten without letting a request leave earlier. */
  isIdle(): boolean {
    const busyUntil = Math.max(this.#window.emptyAt(this.#terms), this.#pausedUntil);
    return this.#members.length === 0 && this.#line.isEmpty && busyUntil <= this.#parts.clock.monotonic();
  }

  get #isAlone(): boolean {
    return this.#parts.clock.monotonic() < this.#aloneUntil;
  }

  /** What holds now: the lowest limit of all processes, or a part of it while they know nothing of each other. */
  get #terms(): Terms {
    if (this.#log === undefined) return this.#settings;
    const terms = this.#peers.strictest(this.#settings);
    if (this.#parts.clock.monotonic() >= this.#aloneUntil + CAUTIOUS_MS) return termsOf(terms);
    const { count } = this.#peers;
    const part = (most: number) => Math.floor(most / count);
    return termsOf({ ...terms, limit: Math.max(1, part(terms.limit)), reserve: part(terms.reserve) });
  }

  #now(): number {
    const now = this.#parts.clock.monotonic();
    this.#window.expire(now, this.#terms);
    return now;
  }

  #freeAt(lane: Lane): number {
    return Math.max(this.#window.freeAt(lane, this.#terms), this.#pausedUntil);
  }

  #depart(lane: Lane, at: number, number = ++this.#number): Permit {
    const { limit, margin } = this.#settings;
    if (limit === Number.POSITIVE_INFINITY) return { ended: () => undefined };
    const id = `${this.#parts.process} ${number}`;
    this.#window.depart({ id, lane, at });
    let hasEnded = false;
    return {
      ended: () => {
        if (hasEnded) return;
        hasEnded = true;
        const counted = this.#parts.clock.monotonic() - margin;
        if (counted <= at) return;
        this.#window.put({ id, lane, at: counted });
        this.#tell({ number, lane, at: counted });
      },
    };
  }

  #wait(
    lane: Lane,
    turn: Turn | undefined,
    signal: AbortSignal,
    warn: Warn | undefined,
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
    const unfollow = follow(signal, () => {
      this.#waiting.delete(waiter);
      this.#line.leave(lane, waiter);
      reject(signal.reason);
      if (this.#line.isEmpty) this.#disarm();
    });
  }

  /** Lets everybody go for whom there is room, and sees to the others' turn. */
  #letGo(): void {
    try {
      const now = this.#now();
      // What this process knows of is only part of what counts: no room here is no room at all.
      if (this.#nextAt() > now) this.#arm(now);
      else if (this.#log === undefined || this.#isAlone) this.#letGoAlone();
      else void this.#letGoTogether();
    } catch (error) {
      // An injected clock that fails would leave them waiting for nothing.
      this.#failAll(error);
    }
  }

  #letGoAlone(): void {
    const now = this.#now();
    for (const lane of this.#planned(now)) {
      const number = ++this.#number;
      const permit = this.#depart(lane, now, number);
      if (this.#log !== undefined) this.#unlogged.push({ number, lane, at: now });
      this.#line.takeNext(lane)?.go(permit);
    }
    this.#arm(now);
    this.#tellLater(now);
  }

  /** Announces what left without the store, as soon as the store may be back: other processes need it. */
  #tellLater(now: number): void {
    if (this.#unlogged.length === 0 || this.#log === undefined || this.#cancelTelling !== undefined) return;
    this.#cancelTelling = this.#parts.clock.after(Math.max(0, this.#aloneUntil - now), () => {
      this.#cancelTelling = undefined;
      void this.#letGoTogether();
    });
  }

  #planned(now: number): readonly Lane[] {
    return now < this.#pausedUntil ? [] : this.#window.plan(this.#line.lengths, this.#terms);
  }

  /** Takes places in a transaction of the log. One at a time: the next one takes all that was asked for meanwhile. */
  async #letGoTogether(): Promise<void> {
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
    if (log === undefined) return this.#letGoAlone();
    const { window, margin } = this.#settings;
    const now = this.#now();
    this.#unlogged = this.#unlogged.filter(({ at }) => at + window + margin > now);
    const told = this.#unlogged.slice();
    let planned: readonly Unlogged[] = [];
    let isOver = false;
    const decide = (page: DeparturePage) => {
      if (isOver) return [];
      const at = this.#now();
      this.#read(page, at);
      planned = this.#planned(at).map((lane) => ({ number: ++this.#number, lane, at }));
      return [...told, ...planned].map((each) => this.#entryOf(each, at));
    };
    try {
      await this.#inTime(log.exchange(scope, this.#peers.last, decide));
    } catch (error) {
      isOver = true;
      this.#aloneUntil = this.#parts.clock.monotonic() + ALONE_MS;
      this.#notice('The store of the request quota fails; this process paces its requests alone', () => ({
        error: error instanceof Error ? error.message : String(error),
        limit: this.#terms.limit,
      }));
      this.#letGoAlone();
      return;
    }
    isOver = true;
    this.#unlogged = this.#unlogged.slice(told.length);
    for (const { number, lane, at } of planned) {
      if (lane === 'pause') continue;
      // Who gave up meanwhile leaves the place to the next.
      const permit = this.#depart(lane, at, number);
      this.#line.takeNext(lane)?.go(permit);
    }
    this.#arm(this.#now());
  }

  #entryOf({ number, lane, at }: Unlogged, now: number): DepartureEntry {
    const { limit, reserve } = this.#settings;
    return { process: this.#parts.process, number, lane, ageMs: now - at, limit, reserve };
  }

  /** Counts what other processes have sent, and what this one has. */
  #read(page: DeparturePage, now: number): void {
    const { departures, pausedUntil } = this.#peers.read(page, now);
    for (const departure of departures) this.#window.put(departure);
    this.#pausedUntil = Math.max(this.#pausedUntil, pausedUntil);
    this.#window.expire(now, this.#terms);
    const { limit } = this.#terms;
    if (limit === this.#settings.limit && this.#peers.agree(limit)) return;
    this.#notice('Processes on one store have different quota limits; the lowest holds for all', () => ({
      limit: this.#settings.limit,
      lowest: limit,
    }));
  }

  /** Lets the others know, now if the store can be reached. */
  #tell(unlogged: Unlogged): void {
    if (this.#log === undefined) return;
    this.#unlogged.push(unlogged);
    if (!this.#isAlone) void this.#letGoTogether();
  }

  #inTime(work: Promise<void>): Promise<void> {
    return withTimeout(this.#parts.clock, STORE_MS, work, () => {
      throw new Error(`no answer within ${STORE_MS} ms`);
    });
  }

  /** When the next of those who wait may leave, as far as is known. */
  #nextAt(): number {
    const { lengths } = this.#line;
    return Math.min(...LANES.filter((lane) => lengths[lane] > 0).map((lane) => this.#freeAt(lane)));
  }

  #arm(now: number): void {
    if (this.#line.isEmpty) {
      this.#disarm();
      return;
    }
    this.#notice('The request quota is used up or paused; calls are queued', () => ({
      ...this.state(),
    }));
    const jitter = this.#log === undefined ? 0 : this.#parts.random() * JITTER_MS;
    // Rounded up, or a timer of whole milliseconds would fire a fraction too early each time.
    // Alone and shortly after, less may leave than will later.
    const later = [this.#aloneUntil, this.#aloneUntil + CAUTIOUS_MS].filter((at) => at > now);
    const next = Math.min(this.#nextAt(), ...later);
    const ms = Math.ceil(Math.max(next - now, 0) + jitter);
    if (this.#timer !== undefined && this.#timer.at <= now + ms) return;
    this.#disarm();
    const timer: Timer = { at: now + ms, cancel: () => undefined };
    this.#timer = timer;
    timer.cancel = this.#parts.clock.after(ms, () => {
      if (this.#timer !== timer) return;
      this.#timer = undefined;
      this.#letGo();
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
    const now = this.#parts.clock.monotonic();
    const waiting = [...this.#waiting].flatMap(({ warn }) => warn ?? []);
    const [first] = this.#members.flatMap(({ warn }) => warn ?? []);
    for (const warn of new Set(waiting.length > 0 || first === undefined ? waiting : [first])) {
      const noticed = this.#noticed.get(warn) ?? new Map<string, number>();
      this.#noticed.set(warn, noticed);
      if (now < (noticed.get(message) ?? Number.NEGATIVE_INFINITY)) continue;
      noticed.set(message, now + NOTICE_EVERY_MS);
      warn(message, fields);
    }
  }
}

/** What holds before anybody has joined. */
const unlimited: Terms = termsOf({ limit: Number.POSITIVE_INFINITY, reserve: 0, window: 0, margin: 0 });

const NOBODY: Readonly<Record<Lane, number>> = { bid: 0, command: 0, read: 0, poll: 0 };
