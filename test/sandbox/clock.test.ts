import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SandboxClock } from '../../src/sandbox/clock.js';
import { onManualClock } from './caller.js';

const start = Date.parse('2026-03-01T10:00:00Z');
let clock: SandboxClock;
let fired: string[];
/** Notes a name and when it fires, in milliseconds since the start. */
const note = (name: string) => () => fired.push(`${name} ${clock.now() - start}`);
const broken =
  (name = 'broken') =>
  () => {
    throw new Error(name);
  };
afterEach(() => clock.stop());

describe('a manual clock', () => {
  beforeEach(() => {
    clock = new SandboxClock('manual', start);
    fired = [];
  });

  it('stands still, and fires by due time what falls due as it is moved, each at its moment', () => {
    for (const [at, ms] of [70, 10, 40, 10, 0, 90, 40, 20, 10, 101].entries())
      clock.after(ms, note(`#${at} at`));
    const cancel = clock.after(50, note('cancelled'));
    cancel();
    cancel();
    expect(fired).toEqual([]);
    clock.advance(100);
    const order = ['#4 at 0', '#1 at 10', '#3 at 10', '#8 at 10', '#7 at 20', '#2 at 40', '#6 at 40'];
    expect(fired).toEqual([...order, '#0 at 70', '#5 at 90']);
    expect([clock.now(), clock.monotonic()]).toEqual([start + 100, 100]);
  });

  it('may be cancelled, moved and stopped by what it fires', () => {
    const cancelSecond = clock.after(20, note('cancelled by the first'));
    clock.after(10, () => {
      cancelSecond();
      clock.advance(30);
      note('after moving on')();
    });
    clock.after(30, note('passed on the way'));
    clock.after(45, () => clock.stop());
    clock.after(45, note('never'));
    clock.advance(15);
    expect(fired).toEqual(['passed on the way 30', 'after moving on 40']);
    clock.advance(30);
    expect([fired.length, clock.monotonic()]).toEqual([2, 70]);
  });

  it('keeps firing when a callback throws, gets to its target, and throws then', () => {
    clock.after(10, broken());
    clock.after(10, note('next'));
    expect(() => clock.advance(30)).toThrow('broken');
    expect([fired, clock.monotonic()]).toEqual([['next 10'], 30]);
    clock.after(1, broken());
    clock.after(1, broken('another'));
    const errors = [new Error('broken'), new Error('another')];
    expect(() => clock.advance(1)).toThrow(expect.objectContaining({ errors }));
    expect(() => clock.advance(1)).not.toThrow();
  });

  it('moves to a moment, and never back', () => {
    clock.after(60_000, note('on the way'));
    clock.advanceTo('2026-03-01T15:32:00+05:30');
    clock.advanceTo(start + 120_000);
    expect([clock.now(), fired]).toEqual([start + 120_000, ['on the way 60000']]);
    for (const when of [start + 119_999, '2026-03-01T10:03:00'])
      expect(() => clock.advanceTo(when)).toThrow(RangeError);
    expect(clock.now()).toBe(start + 120_000);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('takes no advance of %s', (ms) => {
    expect(() => clock.advance(ms)).toThrow(RangeError);
    expect(clock.now()).toBe(start);
  });

  it('takes waits that have passed for none, endless ones for never, and refuses what is no number', () => {
    clock.after(-5, note('passed'));
    clock.after(Number.POSITIVE_INFINITY, note('never'));
    expect(() => clock.after(Number.NaN, note('no number'))).toThrow(RangeError);
    clock.advance(1e12);
    expect(fired).toEqual(['passed 0']);
  });

  it('of a sandbox fires by itself what is due at once, and runs when it is let', async () => {
    await using sandbox = await onManualClock();
    let early = true;
    const fires = new Promise<boolean>((resolve) => sandbox.clock.after(0, () => resolve(early)));
    early = false;
    expect([await fires, sandbox.clock.now(), sandbox.clock.running]).toEqual([false, start, false]);
    sandbox.clock.resume();
    expect(sandbox.clock.running).toBe(true);
  });
});

describe('a clock that runs', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'setImmediate'] });
    clock = new SandboxClock('real', start);
    fired = [];
  });
  afterEach(() => vi.useRealTimers());

  it('goes with the machine, and fires by itself', () => {
    clock.after(300, note('second'));
    clock.after(100, note('first'));
    clock.after(200, note('cancelled'))();
    vi.advanceTimersByTime(99);
    expect([clock.now(), fired]).toEqual([start + 99, []]);
    vi.advanceTimersByTime(201);
    expect([fired, vi.getTimerCount()]).toEqual([['first 100', 'second 300'], 0]);
  });

  it('stops and goes', () => {
    clock.after(100, note('waits'));
    vi.advanceTimersByTime(40);
    clock.pause();
    clock.pause();
    vi.advanceTimersByTime(10_000);
    expect([clock.running, clock.now(), fired]).toEqual([false, start + 40, []]);
    clock.advance(10);
    clock.resume();
    expect([clock.running, clock.now()]).toEqual([true, start + 50]);
    vi.advanceTimersByTime(20);
    clock.resume();
    vi.advanceTimersByTime(30);
    expect(fired).toEqual(['waits 100']);
  });

  it('waits longer than the machine can in one go', () => {
    const month = 30 * 86_400_000;
    clock.after(month, note('a month'));
    vi.advanceTimersByTime(month - 1);
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(fired).toEqual([`a month ${month}`]);
  });

  it('lets what a callback throws surface, and goes on', () => {
    clock.after(10, broken());
    clock.after(10, note('next'));
    clock.after(20, note('last'));
    expect(() => vi.advanceTimersByTime(15)).toThrow('broken');
    vi.advanceTimersByTime(15);
    expect(fired).toEqual(['next 10', 'last 20']);
  });

  it('keeps the errors of callbacks from a caller who only catches up', () => {
    clock.pause();
    clock.after(0, broken());
    clock.after(0, note('next'));
    expect(() => clock.catchUp()).not.toThrow();
    expect(fired).toEqual(['next 0']);
    expect(() => vi.runAllTimers()).toThrow('broken');
  });
});
