import { describe, expect, it } from 'vitest';
import type { Lane } from '../../src/api/operation.js';
import type { Clock } from '../../src/ports/clock.js';
import type { Permit, Quota, Turn } from '../../src/ports/quota.js';
import { defaultQuota } from '../../src/quota/lanes.js';
import { settle, VirtualClock } from '../support/virtual-clock.js';
import { quotaWith } from './kit.js';
import { promisesSettled } from './loose-clock.js';

const never = new AbortController().signal;

/** Two a second, and 100 ms on top. */
const two = { limit: 2, reserve: 0, window: 1_000, margin: 100 };

/** Asks for permits and writes down who left, at what time. */
function asking(quota: Quota, clock: { monotonic(): number }) {
  const left: [name: string, at: number][] = [];
  const failed: [name: string, reason: unknown][] = [];
  const ask = (name: string, lane: Lane = 'read', signal: AbortSignal = never, turn?: Turn) => {
    quota.permit(lane, signal, turn).then(
      () => left.push([name, clock.monotonic()]),
      (reason) => failed.push([name, reason]),
    );
  };
  return { left, failed, ask };
}

/** A clock with timers of its own. */
function over(clock: Clock, after: Clock['after']): Clock {
  return { now: () => clock.now(), monotonic: () => clock.monotonic(), after };
}

function quotaOf(settings = two) {
  const clock = new VirtualClock();
  const quota = quotaWith(settings, clock);
  return { clock, quota, ...asking(quota, clock) };
}

describe('the window', () => {
  it('paces 120 a minute and a second when left to the default, but for the last places of other lanes', async () => {
    const { clock, ask, left } = quotaOf(defaultQuota);
    for (let n = 0; n < 300; n += 1) ask(String(n));
    await clock.advance(60_999);
    expect(left).toHaveLength(114);
    await clock.advance(1);
    expect(left).toHaveLength(228);
    await clock.advance(61_000);
    expect(left).toHaveLength(300);
  });

  it('counts a permit that nobody used', async () => {
    const { clock, quota, ask, left } = quotaOf();
    const controller = new AbortController();
    const granted = quota.permit('bid', controller.signal);
    controller.abort();
    await granted;
    ask('b');
    ask('c');
    await clock.advance(2_000);
    expect(left).toEqual([
      ['b', 0],
      ['c', 1_100],
    ]);
  });

  it('gives a permit that is passed on to the next of its lane', async () => {
    const { clock, quota, ask, left } = quotaOf({ ...two, limit: 1 });
    const permit = await quota.permit('bid', never);
    ask('read', 'read');
    ask('b', 'bid');
    ask('c', 'bid');
    permit.passOn();
    permit.passOn();
    permit.ended();
    await clock.advance(0);
    expect(left).toEqual([['b', 0]]);
    await clock.advance(1_099);
    expect(left).toHaveLength(1);
    await clock.advance(1);
    expect(left.at(-1)).toEqual(['c', 1_100]);
  });

  it('counts a permit that is passed on long after it was granted from then on', async () => {
    const { clock, quota, ask, left } = quotaOf({ ...two, limit: 1 });
    const permit = await quota.permit('bid', never);
    ask('b', 'bid');
    ask('c', 'bid');
    await clock.advance(400);
    permit.passOn();
    await clock.advance(1_099);
    expect(left).toEqual([['b', 400]]);
    await clock.advance(1);
    expect(left).toEqual([
      ['b', 400],
      ['c', 1_500],
    ]);
  });

  it.each([
    ['where nobody waits', 0, (permit: Permit, ask: () => void) => [permit.passOn(), ask()]],
    ['after its end', 0, (permit: Permit, ask: () => void) => [permit.ended(), ask(), permit.passOn()]],
    ['after it no longer counts', 1_000, (permit: Permit, ask: () => void) => [ask(), permit.passOn()]],
  ])('counts a permit that is passed on %s', async (_, after, use) => {
    const { clock, quota, ask, left } = quotaOf({ ...two, limit: 1 });
    const permit = await quota.permit('bid', never);
    await clock.advance(after);
    use(permit, () => ask('b', 'bid'));
    await clock.advance(1_099 - after);
    expect(left).toEqual([]);
    await clock.advance(1 + after);
    expect(left).toHaveLength(1);
  });

  it('holds nobody without a limit', async () => {
    const { clock, ask, left } = quotaOf({ ...two, limit: Number.POSITIVE_INFINITY });
    for (let n = 0; n < 5_000; n += 1) ask(String(n));
    await settle();
    expect(left).toHaveLength(5_000);
    expect(clock.asked).toEqual([]);
  });
});

it.each([
  ['leaves the room that the window still has', 4, 1, 3, [0, 0, 0, 1_100]],
  ['counts nothing of what left without a limit', Number.POSITIVE_INFINITY, 3, 2, [0, 0, 0, 0, 0, 1_100]],
])('tightening %s', async (_, before, early, limit, expected) => {
  const { clock, quota, ask, left } = quotaOf({ ...two, limit: before });
  for (let n = 0; n < early; n += 1) ask('early');
  quota.join({ settings: { ...two, limit } });
  for (let n = 0; n < 3; n += 1) ask('late');
  await clock.advance(5_000);
  expect(left.map(([, at]) => at)).toEqual(expected);
});

describe('bids that wait', () => {
  /** Bids that wait for one place a second, in the order in which they leave. */
  async function order(...bids: readonly (readonly [name: string, turn: Turn | undefined])[]) {
    const { clock, ask, left } = quotaOf({ ...two, limit: 1 });
    ask('first', 'bid');
    for (const [name, turn] of bids) ask(name, 'bid', never, turn);
    await clock.advance(1_100 * bids.length);
    return left.slice(1).map(([name]) => name);
  }
  const of = (buyer: string, closesAt?: number): Turn => ({ buyer, closesAt });

  it('go by the close of their lot, and those without a known close go last', async () => {
    const left = await order(
      ['no close', of('a')],
      ['late', of('a', 3_000)],
      ['soon', of('b', 1_000)],
      ['later', of('c', 2_000)],
    );
    expect(left).toEqual(['soon', 'later', 'late', 'no close']);
  });

  it('go by buyers in turn where they close at the same time, and then by arrival', async () => {
    const left = await order(
      ['a1', of('a', 1_000)],
      ['a2', of('a', 1_000)],
      ['a3', of('a', 1_000)],
      ['b1', of('b', 1_000)],
      ['c1', of('c', 1_000)],
      ['b2', of('b', 1_000)],
    );
    expect(left).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('go before new ones with the same close where they were sent before, and after those that close earlier', async () => {
    const left = await order(
      ['new', of('a')],
      ['sent before', { ...of('a'), isResend: true }],
      ['soon', of('b', 1_000)],
    );
    expect(left).toEqual(['soon', 'sent before', 'new']);
  });

  it('let a buyer with an earlier close go, however often it has gone', async () => {
    const left = await order(['a1', of('a', 1_000)], ['b1', of('b', 2_000)], ['a2', of('a', 1_500)]);
    expect(left).toEqual(['a1', 'a2', 'b1']);
  });

  it('go after lookups of bids that were sent', async () => {
    expect(await order(['bid', of('a', 1_000)], ['lookup', undefined])).toEqual(['lookup', 'bid']);
  });
});

describe('pauses', () => {
  it('end with the latest of them; none shortens another', async () => {
    const { clock, quota, ask, left } = quotaOf();
    quota.pause(5_000);
    quota.pause(1_000);
    quota.pause(-1);
    quota.pause(Number.NaN);
    await clock.advance(4_000);
    ask('a');
    await clock.advance(0);
    quota.pause(2_000);
    await clock.advance(10_000);
    expect(left).toEqual([['a', 6_000]]);
  });

  it('hold without a limit too', async () => {
    const { clock, quota, ask, left } = quotaOf({ ...two, limit: Number.POSITIVE_INFINITY });
    quota.pause(700);
    for (const name of ['a', 'b', 'c']) ask(name);
    await clock.advance(10_000);
    expect(left.map(([, at]) => at)).toEqual([700, 700, 700]);
  });
});

describe('timers', () => {
  it('are set for whole milliseconds', async () => {
    const { clock, ask } = quotaOf({ ...two, limit: 1, window: 1_000.25, margin: 0 });
    ask('first');
    ask('second');
    expect(clock.asked).toEqual([1_001]);
  });

  it('that can not be cancelled do not come to be two', async () => {
    const clock = new VirtualClock();
    const after = (ms: number, callback: () => void) => {
      clock.after(ms, callback);
      return () => undefined;
    };
    const { ask } = asking(quotaWith({ ...two, limit: 1 }, over(clock, after)), clock);
    const controller = new AbortController();
    ask('first');
    ask('gone', 'read', controller.signal);
    await clock.advance(600);
    controller.abort();
    for (const name of ['second', 'third']) ask(name);
    await clock.advance(500);
    expect(clock.asked).toEqual([1_100, 500, 1_100]);
  });

  it('that call back before they are set, or after they were cancelled, leave nobody waiting', async () => {
    let now = 0;
    const stray: (() => void)[] = [];
    const after = (ms: number, callback: () => void) => {
      now += ms;
      stray.push(callback);
      callback();
      return () => undefined;
    };
    const clock = { now: () => now, monotonic: () => now, after };
    const { ask, left } = asking(quotaWith({ ...two, limit: 1 }, clock), clock);
    for (const name of ['a', 'b', 'c']) {
      ask(name);
      await promisesSettled();
      for (const callback of stray) callback();
    }
    expect(left).toEqual([
      ['a', 0],
      ['b', 1_100],
      ['c', 2_200],
    ]);
  });

  it('that fail are told to everybody who waits', async () => {
    const clock = new VirtualClock();
    const broken = new Error('no timers left');
    let works = true;
    const after: Clock['after'] = (ms, callback) => {
      if (!works) throw broken;
      return clock.after(ms, callback);
    };
    const quota = quotaWith({ ...two, limit: 1 }, over(clock, after));
    const { ask, left, failed } = asking(quota, clock);
    for (const name of ['a', 'b', 'c', 'd']) ask(name);
    works = false;
    await clock.advance(1_100);
    expect(left.map(([name]) => name)).toEqual(['a', 'b']);
    expect(failed).toEqual([
      ['c', broken],
      ['d', broken],
    ]);
    works = true;
    ask('e');
    await clock.advance(1_100);
    expect(left[2]).toEqual(['e', 2_200]);
  });
});
