import type { Clock } from '../../../src/ports/clock.js';
import type { Randomness } from '../../../src/ports/randomness.js';
import type { Setup } from './deployment.js';
import type { FaultPoint, Stage } from './faults.js';

export interface ProcessParts {
  readonly name: string;
  /** The machine that it runs on. */
  readonly host: string;
  /** As the machine counts it. */
  readonly pid: number;
  /** The same as its pid, unless it is a thread of a process that goes on. */
  readonly thread: number;
  /** How far its wall clock is ahead of true time, ms. */
  readonly skewMs: number;
  readonly setup: Setup;
  /** Told once, when it has ended. */
  onCrash(): void;
}

/** How long a process stands still when it stalls or its machine sleeps, ms: past any deadline at the most. */
const STILL_MS = [2_000, 20_000, 200_000, 400_000] as const;

const DAY_MS = 86_400_000;

/** Further than anybody believes of a clock. */
export const FAR_MS = 40 * 24 * 3_600_000;

/**
 * A process: its own clocks, timers and randomness. Whatever comes to it comes through `deliver`: to a dead one nothing,
 * to one that stands still later. A promise that a dead process waits for never settles.
 */
export class SimulatedProcess {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly thread: number;
  readonly setup: Setup;
  readonly clock: Clock;
  readonly randomness: Randomness;
  isDead = false;
  /** Its wall clock is off by more than anybody believes. */
  clockIsFarOff: boolean;
  /** What it knows of server time may be wrong: its wall clock was set, or it was told late. */
  clockIsMisled = false;
  /** The same, at any time so far. */
  wasMisled = false;
  /** True time until which its pace says nothing about its clocks: it stood still, or they were set. */
  disturbedUntil = 0;
  readonly #stage: Stage;
  readonly #onCrash: () => void;
  #wallAheadMs: number;
  /** Replies in a row that came promptly. */
  #prompt = 0;
  /** How much of true time its monotonic clock has slept through. */
  #sleptMs = 0;
  #stillUntil = 0;
  #held: (() => void)[] = [];

  constructor(stage: Stage, { name, host, pid, thread, skewMs, setup, onCrash }: ProcessParts) {
    this.#stage = stage;
    this.#onCrash = onCrash;
    this.name = name;
    this.host = host;
    this.pid = pid;
    this.thread = thread;
    this.setup = setup;
    this.#wallAheadMs = skewMs;
    this.clockIsFarOff = Math.abs(skewMs) >= FAR_MS;
    const { timeline, choices } = stage;
    const started = timeline.now;
    this.clock = {
      now: () => timeline.now + this.#wallAheadMs,
      monotonic: () => timeline.now - started - this.#sleptMs,
      after: (ms, callback) => this.#timer(ms, callback),
    };
    let counter = 0;
    const unique = () => `${this.name}-${String(++counter).padStart(10, '0')}`;
    this.randomness = {
      uuid: () => uuidOf(unique()),
      nonce: () => `nonce-${unique()}`,
      fraction: () => choices.choose('jitter', 100) / 100,
    };
  }

  /** A reply told it server time, so many ms after it asked. */
  heard(afterMs: number): void {
    this.#prompt = afterMs < 1_000 ? this.#prompt + 1 : 0;
    if (afterMs > 1_000) this.#mislead();
    // Two that contradict what it believes are enough.
    else if (this.#prompt > 2) this.clockIsMisled = false;
  }

  #mislead(): void {
    this.clockIsMisled = true;
    this.wasMisled = true;
  }

  /** Lets something reach the process: now, when it goes on, or never. */
  deliver(work: () => void): void {
    if (this.isDead) return;
    if (this.#stage.timeline.now < this.#stillUntil) this.#held.push(work);
    else work();
  }

  /** Resolves when the process takes notice: at once, when it goes on, or never. */
  awake(): Promise<void> {
    return new Promise((resolve) => this.deliver(resolve));
  }

  /** Resolves after so many ms, as the process lives them. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#stage.timeline.after(ms, () => this.deliver(resolve)));
  }

  /** Ends the process here and now where this fault strikes; whether it did. */
  crashesAt(point: FaultPoint): boolean {
    if (this.isDead) return true;
    if (!this.#stage.faults.strikes(point)) return false;
    this.crash(point);
    return true;
  }

  crash(why: string): void {
    if (this.isDead) return;
    this.isDead = true;
    this.#held = [];
    this.#stage.note(`${this.name}: ends, ${why}`);
    this.#onCrash();
  }

  /** Lets time play its tricks on the process, if it does. */
  trouble(): void {
    const { faults, choices, timeline } = this.#stage;
    if (this.isDead || timeline.now < this.#stillUntil) return;
    if (faults.strikes('process stalls')) this.#standStill(false);
    else if (faults.strikes('machine sleeps')) this.#standStill(true);
    else if (faults.strikes('wall clock steps')) {
      const far = faults.strikes('wall clock 40 days off');
      this.#setWall(far ? FAR_MS : (choices.choose('step', 1201) - 600) * 1000);
    } else if (faults.strikes('wall clock a day ahead')) {
      const before = this.#wallAheadMs;
      const ms = 20_000 * (1 + choices.choose('ahead for', 20));
      this.#setWall(DAY_MS);
      timeline.after(ms, () => {
        if (!this.isDead && this.#wallAheadMs === DAY_MS) this.#setWall(before);
      });
    }
  }

  #setWall(aheadMs: number): void {
    this.#wallAheadMs = aheadMs;
    this.disturbedUntil = this.#stage.timeline.now + 1_000;
    this.clockIsFarOff = Math.abs(aheadMs) >= DAY_MS;
    this.#prompt = 0;
    this.#mislead();
    this.#stage.note(`${this.name}: its wall clock is set ${aheadMs} ms ahead`);
  }

  #standStill(asleep: boolean): void {
    const { choices, timeline, faults } = this.#stage;
    const ms = STILL_MS[choices.choose('still', STILL_MS.length)] ?? 0;
    if (ms >= 200_000) faults.note('process stands still past every deadline');
    this.#stage.note(`${this.name}: ${asleep ? 'sleeps' : 'stalls'} for ${ms} ms`);
    this.#stillUntil = timeline.now + ms;
    this.disturbedUntil = this.#stillUntil + 1_000;
    if (asleep) this.#sleptMs += ms;
    timeline.after(ms, () => {
      const held = this.#held;
      this.#held = [];
      // One after the other, as they came, each with what follows from it.
      for (const work of held) timeline.after(0, () => this.deliver(work));
    });
  }

  /** A timer on the monotonic clock: a sleep of the machine puts it off. */
  #timer(ms: number, callback: () => void): () => void {
    const due = this.clock.monotonic() + ms;
    let cancel: () => void = () => undefined;
    let isOn = true;
    const arm = (left: number) => {
      cancel = this.#stage.timeline.after(left, () => {
        const still = due - this.clock.monotonic();
        if (still > 0) arm(still);
        else this.deliver(() => isOn && callback());
      });
    };
    arm(ms);
    return () => {
      isOn = false;
      cancel();
    };
  }
}

/** A UUID that a name always gives. */
function uuidOf(name: string): string {
  const hex = Buffer.from(name).toString('hex').slice(-32).padStart(32, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** What a dead process waits for. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}
