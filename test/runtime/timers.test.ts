import { describe, expect, it } from 'vitest';
import {
  Deadline,
  LinkedSignal,
  onceAborted,
  pause,
  Stopped,
  sleep,
  unlessAborted,
  Wakeup,
  within,
  withTimeout,
} from '../../src/runtime/timers.js';
import { VirtualClock } from '../support/virtual-clock.js';

const never = new Promise<never>(() => undefined);

/** How many listeners a signal gets and loses. */
function watched() {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners += 1;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...given);
  };
  return { controller, signal, count: () => listeners };
}

describe('follow', () => {
  it('keeps one listener on a signal for all its followers, and none when they have left', () => {
    const { signal, count } = watched();
    const leave = Array.from({ length: 100 }, () => onceAborted(signal, () => undefined));
    expect(count()).toBe(1);
    for (const one of leave) one();
    expect(count()).toBe(0);
  });

  it('calls a listener at once where the signal has fired before', () => {
    let calls = 0;
    onceAborted(AbortSignal.abort(), () => {
      calls += 1;
    })();
    expect(calls).toBe(1);
  });
});

describe('waits', () => {
  it('sleep ends with its time or its signal and leaves neither timer nor listener', async () => {
    const clock = new VirtualClock();
    const { controller, signal, count } = watched();
    const slept = sleep(clock, 100, signal);
    await clock.advance(100);
    await slept;
    expect([clock.pending, count()]).toEqual([[], 0]);
    const woken = sleep(clock, 100, signal);
    controller.abort();
    await woken;
    await sleep(clock, 100, signal);
    expect(clock.pending).toEqual([]);
  });

  it('pause and within end as Stopped, by signal or deadline, and leave no timer', async () => {
    const clock = new VirtualClock();
    const { controller, signal, count } = watched();
    const late = within({ clock, signal, deadlineAt: 50 }, 'file', never).catch((error: unknown) => error);
    await clock.advance(50);
    expect(await late).toMatchObject({ kind: 'deadline', during: 'file' });
    const paused = pause({ clock, signal, deadlineAt: 1_000 }, 100).catch((error: unknown) => error);
    controller.abort('why');
    expect(await paused).toMatchObject({ kind: 'aborted', reason: 'why' });
    expect(await paused).toBeInstanceOf(Stopped);
    expect([clock.pending, count()]).toEqual([[], 1]);
  });

  it('withTimeout settles with the work, or with what comes after its time', async () => {
    const clock = new VirtualClock();
    expect(await withTimeout(clock, 100, Promise.resolve(1), () => 'late')).toBe(1);
    await expect(withTimeout(clock, 100, Promise.reject(new Error('no')), () => 1)).rejects.toThrow('no');
    expect(clock.pending).toEqual([]);
    const late = withTimeout(clock, 100, never, () => 'late');
    const failed = withTimeout(clock, 100, never, () => {
      throw new Error('too late');
    }).catch(String);
    await clock.advance(100);
    expect([await late, await failed]).toEqual(['late', 'Error: too late']);
  });

  it('unlessAborted gives up at once and leaves no listener after the work', async () => {
    const { controller, signal, count } = watched();
    expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
    expect(count()).toBe(0);
    const stopped = unlessAborted(never, signal).catch((error: unknown) => error);
    controller.abort('why');
    expect(await stopped).toBe('why');
    expect(await unlessAborted(never, signal).catch((error: unknown) => error)).toBe('why');
  });
});

describe('signals', () => {
  it('a linked signal fires with the first of its sources and releases the others', () => {
    const [one, other] = [watched(), watched()];
    const linked = new LinkedSignal(one.signal, undefined, other.signal);
    other.controller.abort('why');
    expect([linked.signal.aborted, linked.signal.reason, one.count()]).toEqual([true, 'why', 0]);
    expect(new LinkedSignal(one.signal, other.signal).signal.reason).toBe('why');
    expect(one.count()).toBe(0);
  });

  it('a wakeup remembers a change that came while nobody waited', async () => {
    const clock = new VirtualClock();
    const wakeup = new Wakeup();
    wakeup.fire();
    await wakeup.wait(clock);
    const next = wakeup.wait(clock, 100);
    wakeup.fire();
    await next;
    expect(clock.pending).toEqual([]);
    const timed = wakeup.wait(clock, 100);
    await clock.advance(100);
    await timed;
  });

  it('a deadline that is over races no further work', async () => {
    const clock = new VirtualClock();
    const deadline = new Deadline({ clock, signal: undefined, deadlineAt: 10 });
    deadline.limit();
    await clock.advance(10);
    await expect(deadline.race(never)).rejects.toMatchObject({ kind: 'deadline' });
    expect(deadline.signal.aborted).toBe(true);
  });
});
