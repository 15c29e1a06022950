import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { SandboxClock } from '../../src/sandbox/clock.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';

const start = Date.parse('2026-03-01T10:00:00Z');

describe('a manual clock', () => {
  let clock: SandboxClock;
  let fired: [string, number][];
  const note = (name: string) => () => fired.push([name, clock.monotonic()]);
  beforeEach(() => {
    clock = new SandboxClock('manual', start);
    fired = [];
  });
  afterEach(() => clock.stop());

  it('stands still, and fires what falls due as it is moved, each at its moment', () => {
    for (const [name, ms] of [
      ['late', 2_000],
      ['early', 1_000],
      ['twin', 1_000],
      ['far', 2_001],
    ] as const) {
      clock.after(ms, note(name));
    }
    clock.after(1_500, note('cancelled'))();
    clock.advance(2_000);
    expect(fired).toEqual([
      ['early', 1_000],
      ['twin', 1_000],
      ['late', 2_000],
    ]);
    expect(clock.now()).toBe(start + 2_000);
  });

  it('fires by due time, whatever the order in which timers were set', () => {
    const waits = [70, 10, 40, 10, 0, 90, 40, 20, 10];
    for (const [at, ms] of waits.entries()) clock.after(ms, note(`${ms}/${at}`));
    clock.advance(100);
    expect(fired.map(([name]) => name)).toEqual([
      '0/4',
      '10/1',
      '10/3',
      '10/8',
      '20/7',
      '40/2',
      '40/6',
      '70/0',
      '90/5',
    ]);
  });

  it('fires what is set meanwhile and falls due as well, behind its equals', () => {
    clock.after(100, () => {
      note('first')();
      clock.after(0, note('child at once'));
      clock.after(50, note('child later'));
      clock.after(101, note('child too late'));
    });
    clock.after(100, note('equal'));
    clock.after(150, note('equal of the child'));
    clock.advance(200);
    expect(fired).toEqual([
      ['first', 100],
      ['equal', 100],
      ['child at once', 100],
      ['equal of the child', 150],
      ['child later', 150],
    ]);
    clock.advance(1);
    expect(fired.at(-1)).toEqual(['child too late', 201]);
  });

  it('may be cancelled, and moved, by what it fires', () => {
    const cancelSecond = clock.after(20, note('cancelled by the first'));
    clock.after(10, () => {
      cancelSecond();
      clock.advance(30);
      note('after moving on')();
    });
    clock.after(30, note('passed on the way'));
    clock.after(45, note('not yet'));
    clock.advance(15);
    expect(fired).toEqual([
      ['passed on the way', 30],
      ['after moving on', 40],
    ]);
    expect(clock.monotonic()).toBe(40);
  });

  it('keeps firing when a callback throws, gets to its target, and throws then', () => {
    const broken = new Error('broken');
    clock.after(10, () => {
      throw broken;
    });
    clock.after(10, note('next'));
    clock.after(20, note('last'));
    expect(() => clock.advance(30)).toThrow(broken);
    expect(fired).toEqual([
      ['next', 10],
      ['last', 20],
    ]);
    expect(clock.monotonic()).toBe(30);

    const another = new Error('another');
    for (const error of [broken, another]) {
      clock.after(1, () => {
        throw error;
      });
    }
    const thrown = caught(() => clock.advance(1));
    expect(thrown).toBeInstanceOf(AggregateError);
    expect(thrown).toMatchObject({ errors: [broken, another] });
    expect(() => clock.advance(1)).not.toThrow();
  });

  it('moves to a moment, and never back', () => {
    clock.after(60_000, note('on the way'));
    clock.advanceTo('2026-03-01T15:32:00+05:30');
    expect(clock.now()).toBe(start + 120_000);
    expect(fired).toEqual([['on the way', 60_000]]);
    clock.advanceTo(start + 120_000);
    expect(clock.now()).toBe(start + 120_000);
    expect(() => clock.advanceTo(start + 119_999)).toThrow(/10:02:00.000Z.*10:01:59.999Z/);
    expect(() => clock.advanceTo('2026-03-01T10:03:00')).toThrow(RangeError);
    expect(clock.now()).toBe(start + 120_000);
  });

  it.each([
    ['a negative one', -1],
    ['none', Number.NaN],
    ['an endless one', Number.POSITIVE_INFINITY],
  ])('takes no such advance: %s', (_, ms) => {
    expect(() => clock.advance(ms)).toThrow(RangeError);
    expect(clock.now()).toBe(start);
  });

  it('takes waits that have passed for none, endless ones for never, and refuses what is no number', () => {
    clock.after(-5, note('passed'));
    clock.after(Number.POSITIVE_INFINITY, note('never'));
    expect(() => clock.after(Number.NaN, note('no number'))).toThrow(RangeError);
    clock.advance(1e12);
    expect(fired).toEqual([['passed', 0]]);
  });

  it('fires nothing any more once it is stopped, also out of what it fires', () => {
    clock.after(10, () => clock.stop());
    clock.after(10, note('equal'));
    clock.after(20, note('later'));
    clock.advance(30);
    expect([fired, clock.monotonic()]).toEqual([[], 30]);
  });
});

describe('a clock that runs', () => {
  let clock: SandboxClock;
  let fired: [string, number][];
  const note = (name: string) => () => fired.push([name, clock.now() - start]);
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'setImmediate'] });
    clock = new SandboxClock('real', start);
    fired = [];
  });
  afterEach(() => {
    clock.stop();
    vi.useRealTimers();
  });

  it('goes with the machine, and fires by itself', () => {
    clock.after(300, note('second'));
    clock.after(100, note('first'));
    clock.after(200, note('cancelled'))();
    vi.advanceTimersByTime(99);
    expect([clock.now(), fired]).toEqual([start + 99, []]);
    vi.advanceTimersByTime(201);
    expect(fired).toEqual([
      ['first', 100],
      ['second', 300],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('can be moved ahead of the machine, and runs on from there', () => {
    clock.after(60_000, note('skipped to'));
    clock.after(90_000, note('reached'));
    vi.advanceTimersByTime(500);
    clock.advance(80_000);
    expect(fired).toEqual([['skipped to', 60_000]]);
    expect(clock.now()).toBe(start + 80_500);
    vi.advanceTimersByTime(9_499);
    expect(fired).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(fired.at(-1)).toEqual(['reached', 90_000]);
    clock.advanceTo(start + 100_000);
    expect(clock.now()).toBe(start + 100_000);
  });

  it('stops and goes', () => {
    clock.after(100, note('waits'));
    vi.advanceTimersByTime(40);
    clock.pause();
    expect(clock.running).toBe(false);
    clock.pause();
    vi.advanceTimersByTime(10_000);
    expect([clock.now(), fired]).toEqual([start + 40, []]);
    clock.advance(10);
    clock.resume();
    expect([clock.now(), clock.running]).toEqual([start + 50, true]);
    vi.advanceTimersByTime(20);
    clock.resume();
    expect(clock.now()).toBe(start + 70);
    vi.advanceTimersByTime(30);
    expect(fired).toEqual([['waits', 100]]);
  });

  it('waits longer than the machine can in one go', () => {
    const month = 30 * 86_400_000;
    clock.after(month, note('a month'));
    vi.advanceTimersByTime(month - 1);
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(fired).toEqual([['a month', month]]);
  });

  it('lets what a callback throws surface, and goes on', () => {
    const thrown: unknown[] = [];
    clock.after(10, () => {
      throw new Error('broken');
    });
    clock.after(10, note('next'));
    clock.after(20, note('last'));
    try {
      vi.advanceTimersByTime(15);
    } catch (error) {
      thrown.push(error);
    }
    vi.advanceTimersByTime(15);
    expect(thrown).toEqual([new Error('broken')]);
    expect(fired).toEqual([
      ['next', 10],
      ['last', 20],
    ]);
  });

  it('keeps the errors of callbacks from a caller who only catches up', () => {
    clock.pause();
    clock.after(0, () => {
      throw new Error('broken');
    });
    clock.after(0, note('next'));
    expect(() => clock.catchUp()).not.toThrow();
    expect(fired).toEqual([['next', 0]]);
    expect(() => vi.runAllTimers()).toThrow('broken');
  });
});

describe('the clock of a sandbox', () => {
  let sandbox: Sandbox;
  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z' });
  });
  afterEach(() => sandbox.close());

  test('fires by itself what is due at once, though it stands still', async () => {
    const { clock } = sandbox;
    let early = true;
    const fired = new Promise<boolean>((resolve) => {
      clock.after(0, () => resolve(early));
    });
    early = false;
    expect(await fired).toBe(false);
    expect(clock.now()).toBe(start);
  });

  test('stands still when it is manual, until it is let run', () => {
    expect(sandbox.clock.running).toBe(false);
    sandbox.clock.resume();
    expect(sandbox.clock.running).toBe(true);
    sandbox.clock.pause();
    expect(sandbox.clock.now()).toBeGreaterThanOrEqual(start);
  });
});

function caught(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
