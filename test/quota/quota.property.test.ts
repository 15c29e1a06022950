import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Lane } from '../../src/api/operation.js';
import type { PacedQuota } from '../../src/quota/quota.js';
import { quotaWith } from './kit.js';
import { LooseClock, promisesSettled } from './loose-clock.js';

fc.configureGlobal({ seed: 20260302, numRuns: 400 });

const lanes: readonly Lane[] = ['bid', 'command', 'read', 'poll'];

type Step =
  | { readonly do: 'ask'; readonly lane: Lane; readonly signal: number }
  | { readonly do: 'abort'; readonly signal: number }
  | { readonly do: 'pause' | 'advance' | 'jump'; readonly ms: number };

const SIGNALS = 6;
const signal = fc.nat(SIGNALS - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('ask'), lane: fc.constantFrom(...lanes), signal }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('abort'), signal }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pause'), ms: fc.nat(3_000) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('advance'), ms: fc.nat(800) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('jump'), ms: fc.nat(20_000) }) },
);
const steps = fc.array(step, { maxLength: 60 });
const settings = fc.record({
  limit: fc.integer({ min: 1, max: 5 }),
  reserve: fc.constant(0),
  window: fc.integer({ min: 1, max: 1_000 }),
  margin: fc.nat(100),
});

interface Asked {
  readonly lane: number;
  readonly signal: AbortSignal;
  readonly askedAt: number;
  end: 'left' | 'aborted' | undefined;
  at: number;
}

/** Clients at random, and what may be said of each moment. */
class Scene {
  readonly clock: LooseClock;
  readonly quota: PacedQuota;
  readonly asked: Asked[] = [];
  readonly left: Asked[] = [];
  /** When pauses ended that somebody may have waited for. */
  readonly pauseEnds: number[] = [];
  readonly wrong: string[] = [];
  readonly #controllers = Array.from({ length: SIGNALS }, () => new AbortController());
  readonly #allControllers = [...this.#controllers];

  constructor(clock: LooseClock, quota: PacedQuota) {
    this.clock = clock;
    this.quota = quota;
  }

  async play(all: readonly Step[]): Promise<void> {
    for (const one of all) {
      await this.#do(one);
      await promisesSettled();
      this.#look();
    }
    for (let rounds = 0; this.waiting.length > 0 && rounds < 100; rounds += 1)
      await this.clock.advance(10_000);
    this.#look();
    if (this.waiting.length > 0) this.wrong.push('somebody waits for ever');
    if (this.#allControllers.some((one) => getEventListeners(one.signal, 'abort').length > 0))
      this.wrong.push('a listener stays behind');
  }

  get waiting(): readonly Asked[] {
    return this.asked.filter(({ end }) => end === undefined);
  }

  async #do(one: Step): Promise<void> {
    if (one.do === 'ask') return this.#ask(one.lane, one.signal);
    if (one.do === 'abort') return this.#abort(one.signal);
    if (one.do === 'pause') {
      this.quota.pause(one.ms);
      this.pauseEnds.push(this.clock.monotonic() + one.ms);
      return;
    }
    await this.clock[one.do](one.ms);
  }

  #ask(lane: Lane, number: number): void {
    const { signal } = this.#controllers[number] ?? new AbortController();
    const askedAt = this.clock.monotonic();
    const entry: Asked = { lane: lanes.indexOf(lane), signal, askedAt, end: undefined, at: Number.NaN };
    this.asked.push(entry);
    this.quota.permit(lane, signal).then(
      () => {
        entry.end = 'left';
        entry.at = this.clock.monotonic();
        this.#judge(entry);
        this.left.push(entry);
      },
      (reason: unknown) => {
        entry.end = 'aborted';
        if (reason !== signal.reason || !signal.aborted) this.wrong.push('a rejection without its reason');
      },
    );
  }

  /** Half of the time the next to use this number come with a signal that has fired. */
  #abort(number: number): void {
    this.#controllers[number]?.abort(new Error(`abort ${number}`));
    const next = new AbortController();
    if (this.left.length % 2 === 0) this.#controllers[number] = next;
    this.#allControllers.push(next);
  }

  #judge(entry: Asked): void {
    if (entry.signal.aborted) this.wrong.push('an aborted one left');
    if (this.waiting.some(({ lane }) => lane < entry.lane))
      this.wrong.push('a lower lane before a higher one');
    const before = this.asked.slice(0, this.asked.indexOf(entry));
    if (before.some(({ lane, end }) => lane === entry.lane && end === undefined))
      this.wrong.push('not first come, first served');
    if (entry.at < Math.max(...this.pauseEnds)) this.wrong.push('left during a pause');
  }

  #look(): void {
    const waits = this.waiting.length > 0;
    if (this.clock.pending !== (waits ? 1 : 0)) this.wrong.push(`${this.clock.pending} timers`);
    if (this.waiting.some(({ signal }) => signal.aborted)) this.wrong.push('an abort that nobody heard');
    if (this.#allControllers.some((one) => getEventListeners(one.signal, 'abort').length > 1))
      this.wrong.push('more than one listener on a signal');
  }
}

describe('whatever happens', () => {
  // rule: limit.requests
  it('the window, the lanes, pauses and aborts hold', async () => {
    await fc.assert(
      fc.asyncProperty(
        settings,
        steps,
        fc.infiniteStream(fc.integer({ min: -300, max: 300 })),
        async (set, all, slacks) => {
          const clock = new LooseClock(() => slacks.next().value);
          const scene = new Scene(clock, quotaWith(set, clock));
          await scene.play(all);
          expect(scene.wrong).toEqual([]);
          const spanMs = set.window + set.margin;
          const tooClose = scene.left.filter(({ at }, n) => {
            const earlier = scene.left[n - set.limit];
            return earlier !== undefined && at - earlier.at < spanMs;
          });
          expect(tooClose).toEqual([]);
        },
      ),
    );
  });

  it('nobody is held without a reason, where timers are on time', async () => {
    const onTime = steps.map((all) => all.filter((one) => one.do !== 'jump'));
    await fc.assert(
      fc.asyncProperty(settings, onTime, async (set, all) => {
        const clock = new LooseClock();
        const scene = new Scene(clock, quotaWith(set, clock));
        await scene.play(all);
        expect(scene.wrong).toEqual([]);
        const spanMs = set.window + set.margin;
        const heldIdly = scene.left.filter(({ askedAt, at }, n) => {
          const earlier = scene.left[n - set.limit]?.at;
          return at !== askedAt && !scene.pauseEnds.includes(at) && at - (earlier ?? Number.NaN) !== spanMs;
        });
        expect(heldIdly).toEqual([]);
      }),
    );
  });

  it('the window holds while it is tightened again and again', async () => {
    const phases = fc.array(fc.record({ settings, asks: fc.nat(8), ms: fc.nat(1_500) }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(settings, phases, async (first, all) => {
        const clock = new LooseClock();
        const quota = quotaWith(first, clock);
        const left: number[] = [];
        let { limit, window, margin } = first;
        for (const { settings: further, asks, ms } of all) {
          quota.join({ settings: further });
          limit = Math.min(limit, further.limit);
          window = Math.max(window, further.window);
          margin = Math.max(margin, further.margin);
          const known = left.length;
          for (let n = 0; n < asks; n += 1) {
            quota.permit('read', new AbortController().signal).then(() => left.push(clock.monotonic()));
          }
          await clock.advance(ms);
          // Whoever left under these settings kept to them, those before counted.
          for (let n = known; n < left.length; n += 1) {
            const earlier = left[n - limit] ?? Number.NEGATIVE_INFINITY;
            expect((left[n] ?? Number.NaN) - earlier).toBeGreaterThanOrEqual(window + margin);
          }
        }
      }),
    );
  });
});
