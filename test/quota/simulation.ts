import type { Lane } from '../../src/api/operation.js';
import type { Clock } from '../../src/ports/clock.js';
import type { Permit } from '../../src/ports/quota.js';
import { LANES, type QuotaSettings } from '../../src/quota/lanes.js';
import { PacedQuota } from '../../src/quota/quota.js';
import type { DepartureEntry, DepartureLog, DeparturePage } from '../../src/store/store.js';
import { Timeline } from '../simulation/world/timeline.js';
import { numbersFrom } from '../support/random.js';

/** A log in memory that takes a little time, fails when told to, and has a clock that can be set. */
class Log implements DepartureLog {
  isDown = false;
  /** By how much its clock is ahead of time, ms. */
  aheadMs = 0;
  readonly #timeline: Timeline;
  readonly #rows: { readonly id: number; readonly at: number; readonly entry: DepartureEntry }[] = [];
  #turn: Promise<void> = Promise.resolve();
  #id = 0;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  exchange(
    _scope: string,
    after: number,
    decide: (page: DeparturePage) => readonly DepartureEntry[],
  ): Promise<void> {
    const run = this.#turn.then(async () => {
      await this.#timeline.sleep(1);
      if (this.isDown) throw new Error('down');
      const now = this.#timeline.now + this.aheadMs;
      const rows = this.#rows.filter(({ id }) => id > after);
      const entries = rows.map(({ entry, at }) => ({ ...entry, age: now - at }));
      for (const entry of decide({ last: this.#id, now, entries })) {
        this.#id += 1;
        this.#rows.push({ id: this.#id, at: now - entry.age, entry });
      }
      if (this.#rows.length > 800) this.#rows.splice(0, 400);
    });
    this.#turn = run.catch(() => undefined);
    return run;
  }
}

export interface Load {
  readonly seed: number;
  readonly minutes: number;
  readonly processes: number;
  readonly settings: QuotaSettings;
  /** Requests of each lane that each process keeps waiting. */
  readonly flood: Readonly<Partial<Record<Lane, number>>>;
  /** Milliseconds between two single bids of all processes together. */
  readonly bidEveryMs?: number;
  /** Kills, slow networks, a store that is down, clocks that are set. */
  readonly trouble: boolean;
  /** Planted mistake: each process on a log of its own. */
  readonly alone?: boolean;
}

interface Result {
  /** The most that arrived in any 60 seconds. */
  readonly peak: number;
  /** Arrivals per minute, from the second minute on. */
  readonly perMinute: number;
  readonly byLane: Readonly<Record<Lane, number>>;
  /** The longest that a single bid waited for its place, ms. */
  readonly slowestBidMs: number;
  /** The longest time without a request of each flooded lane, ms. */
  readonly longestGapMs: number;
}

/** Plays processes that share a quota against a service that counts arrivals. */
export async function play(load: Load): Promise<Result> {
  const timeline = new Timeline(0);
  const random = numbersFrom(load.seed);
  const shared = new Log(timeline);
  const arrivals: number[] = [];
  const byLane: Record<Lane, number> = { bid: 0, command: 0, read: 0, poll: 0 };
  const lastOf: Partial<Record<Lane, number>> = {};
  let longestGapMs = 0;
  let slowestBidMs = 0;
  let latencyMs = 80;
  let restarts = 0;
  const end = load.minutes * 60_000;

  const start = (place: number) => {
    restarts += 1;
    const life = { isOver: false };
    const clock: Clock = {
      now: () => 1_772_000_000_000 + timeline.now,
      monotonic: () => timeline.now + place * 1_000_000,
      after: (ms, callback) =>
        timeline.after(ms, () => {
          if (!life.isOver) callback();
        }),
    };
    const quota = new PacedQuota({ clock, scope: 'bank', process: `p${restarts}`, random });
    const departures = load.alone === true ? new Log(timeline) : shared;
    quota.join({ settings: load.settings, departures });
    const send = async (lane: Lane) => {
      const asked = timeline.now;
      const permit: Permit = await quota.permit(lane, new AbortController().signal);
      if (life.isOver) return;
      if (lane === 'bid' && load.bidEveryMs !== undefined)
        slowestBidMs = Math.max(slowestBidMs, timeline.now - asked);
      // Another process has settled meanwhile what was to be sent.
      if (load.trouble && random() < 0.05) return permit.passOn();
      // On its way; counted when it arrives.
      const took = latencyMs * (0.2 + random());
      await timeline.sleep(took * random());
      arrivals.push(timeline.now);
      byLane[lane] += 1;
      longestGapMs = Math.max(longestGapMs, timeline.now - (lastOf[lane] ?? timeline.now));
      lastOf[lane] = timeline.now;
      await timeline.sleep(took * random());
      if (!life.isOver) permit.ended();
    };
    const keepSending = async (lane: Lane) => {
      await timeline.sleep(random() * 100);
      while (!life.isOver && timeline.now < end) await send(lane);
    };
    for (const lane of LANES) {
      for (let n = 0; n < (load.flood[lane] ?? 0); n += 1) void keepSending(lane);
    }
    return { life, send };
  };

  const fleet = Array.from({ length: load.processes }, (_each, place) => start(place));
  const bids = async () => {
    if (load.bidEveryMs === undefined) return;
    for (await timeline.sleep(90_000); timeline.now < end; await timeline.sleep(load.bidEveryMs)) {
      void fleet[Math.floor(random() * fleet.length)]?.send('bid');
    }
  };
  const troubles = async () => {
    while (load.trouble && timeline.now < end) {
      await timeline.sleep(20_000 + random() * 100_000);
      const what = Math.floor(random() * 4);
      const place = Math.floor(random() * fleet.length);
      if (what === 0) {
        const killed = fleet[place];
        if (killed !== undefined) killed.life.isOver = true;
        await timeline.sleep(500 + random() * 2_000);
        fleet[place] = start(place);
      } else if (what === 1) {
        latencyMs = 4_000;
        await timeline.sleep(10_000);
        latencyMs = 80;
        // Requests that were slow are over before a kill: what a dead process had on its way is known to nobody.
        await timeline.sleep(5_000);
      } else if (what === 2) {
        shared.isDown = true;
        // Most outages are short.
        await timeline.sleep(1_000 + random() ** 3 * 40_000);
        shared.isDown = false;
      } else {
        shared.aheadMs += (random() - 0.5) * 1_200_000;
        await timeline.sleep(61_000);
      }
    }
  };
  void bids();
  void troubles();
  await timeline.play(() => timeline.now >= end, Number.POSITIVE_INFINITY);

  arrivals.sort((a, b) => a - b);
  let peak = 0;
  for (let first = 0, next = 0; next < arrivals.length; next += 1) {
    while ((arrivals[next] ?? 0) - (arrivals[first] ?? 0) >= 60_000) first += 1;
    peak = Math.max(peak, next - first + 1);
  }
  const perMinute = arrivals.length / load.minutes;
  return { peak, perMinute, byLane, slowestBidMs, longestGapMs };
}
