import { describe, expect, it } from 'vitest';
import { InvalidRequestError, WaitError } from '../../src/errors/local.js';
import { byState, type WaitOptions, wait, waitFor } from '../../src/following/wait.js';
import { rejection } from '../support/clients.js';
import { never } from '../support/failing-callbacks.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { apiError, brokenLine, testPace } from './support.js';

/** Waits for `ready`, over reads that answer from a script; its last step repeats. */
function waiting(steps: readonly (string | Error)[], options?: WaitOptions, spare = 60) {
  const clock = new VirtualClock();
  const { pace, close, end } = testPace(clock, { spare: () => spare });
  const reads: { at: number; lane: unknown; deadline: unknown }[] = [];
  const read = async ({ lane, deadline }: { lane?: unknown; deadline?: unknown }) => {
    const step = steps[Math.min(reads.length, steps.length - 1)];
    reads.push({ at: clock.monotonic(), lane, deadline });
    if (step instanceof Error) throw step;
    return { state: step ?? '', resource_version: 1 };
  };
  const judge = byState({ reached: ['ready'], before: ['awaiting_scan'], ended: ['failed'] });
  const result = wait(pace, { call: 'documents.waitUntilReady', read, judge }, options);
  result.catch(() => undefined);
  return { clock, close, end, reads, result };
}

describe('a wait', () => {
  it('returns the value that it waited for, read in the poll lane', async () => {
    const { clock, reads, result } = waiting(['awaiting_scan', 'awaiting_scan', 'ready']);
    await clock.advance(5_000);
    expect(await result).toMatchObject({ state: 'ready' });
    expect(reads.map(({ lane }) => lane)).toEqual(['poll', 'poll', 'poll']);
  });

  const outage = brokenLine();

  it.each<[string, (string | Error)[], object]>([
    [
      'a state after which it can not come',
      ['awaiting_scan', 'failed'],
      { reason: 'ended', state: 'failed' },
    ],
    ['an undocumented state', ['quarantined'], { reason: 'unknown_state', value: { state: 'quarantined' } }],
    ['its deadline, with the last value', ['awaiting_scan'], { reason: 'deadline', state: 'awaiting_scan' }],
    ['its deadline in an outage, with what failed', [outage], { reason: 'deadline', cause: outage }],
    ['what waiting does not cure', [apiError(403)], { status: 403 }],
  ])('ends at %s', async (_, steps, end) => {
    const { clock, result } = waiting(steps, { deadline: 30_000 });
    await clock.advance(30_000);
    expect(await rejection(result)).toMatchObject(end);
    expect(clock.pending).toEqual([]);
  });

  it('looks once more at the very end', async () => {
    const { clock, reads, result } = waiting(['awaiting_scan'], { deadline: 20_000, minInterval: 13_000 });
    await clock.advance(20_000);
    await rejection(result);
    expect(reads.map(({ at, deadline }) => [at, deadline])).toEqual([
      [0, 20_000],
      [13_000, 7_000],
      [20_000, 1_000],
    ]);
  });

  it('does not show the value in a log line', () => {
    const details = { what: 'It came to nothing.', nextStep: 'Ask.' };
    const error = new WaitError('ended', { value: { pan: 'ABCDE1234F' }, state: 'failed' }, details);
    expect(JSON.stringify(error)).not.toContain('ABCDE1234F');
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ reason: 'ended', state: 'failed' });
  });

  it('reads again after an outage and after a 429, no sooner than it asks', async () => {
    const limited = apiError(429, { retryAfter: 20_000 });
    const { clock, reads, result } = waiting([brokenLine(), limited, apiError(503), 'ready']);
    await clock.advance(60_000);
    expect(await result).toMatchObject({ state: 'ready' });
    const [, second, third] = reads;
    expect((third?.at ?? 0) - (second?.at ?? 0)).toBeGreaterThanOrEqual(20_000);
  });

  it('reads less often while nothing changes, and more often where the quota spares more', async () => {
    const calm = async (spare: number) => {
      const { clock, reads, result } = waiting(['awaiting_scan'], { deadline: 300_000 }, spare);
      await clock.advance(301_000);
      await rejection(result);
      return reads.length;
    };
    expect(await calm(60)).toBeLessThan(35);
    expect(await calm(2)).toBeLessThanOrEqual(11);
  });

  it('goes on while the client closes, and rejects with AbortedError when the time to close is over', async () => {
    const { clock, close, end, reads, result } = waiting(['awaiting_scan']);
    await clock.advance(10);
    close();
    const before = reads.length;
    await clock.advance(20_000);
    expect(reads.length).toBeGreaterThan(before);
    end();
    expect(await rejection(result)).toMatchObject({ name: 'AbortedError', reason: 'closed' });
    expect(clock.pending).toEqual([]);
  });

  it('rejects with AbortedError at once, with the reason of the signal', async () => {
    const controller = new AbortController();
    const byHand = waiting(['awaiting_scan'], { signal: controller.signal });
    await byHand.clock.advance(10);
    const reason = new Error('no longer needed');
    controller.abort(reason);
    expect(await rejection(byHand.result)).toMatchObject({ name: 'AbortedError', cause: reason });
    expect(byHand.clock.pending).toEqual([]);
  });
});

describe('waitFor', () => {
  it('waits for whatever a read returns', async () => {
    const clock = new VirtualClock();
    let count = 0;
    const result = waitFor(
      testPace(clock).pace,
      async () => ++count,
      (value) => value === 3,
    );
    await clock.advance(10_000);
    expect(await result).toBe(3);
  });

  it.each<[string, unknown[]]>([
    ['options.deadline', [() => true, { deadline: 0 }]],
    ['options.maxInterval', [() => true, { maxInterval: Number.NaN }]],
    ['until', []],
  ])('refuses %s that can not work before it reads', (path, given) => {
    const { pace } = testPace(new VirtualClock());
    const start = () => Reflect.apply(waitFor, undefined, [pace, () => expect.fail('it was read'), ...given]);
    expect(start).toThrow(InvalidRequestError);
    expect(start).toThrow(expect.objectContaining({ issues: [expect.objectContaining({ path })] }));
  });
});

describe('the functions of waitFor', () => {
  function waitWith(
    functions: Partial<{ read: () => unknown; until: () => boolean | Promise<boolean> }>,
    options: WaitOptions = {},
  ) {
    const clock = new VirtualClock();
    const { read = () => 1, until = () => false } = functions;
    const result = waitFor(testPace(clock).pace, async () => read(), until, { deadline: 5_000, ...options });
    return { clock, failed: result.catch((error: unknown) => error), result };
  }

  it.each([
    ['read', { read: () => never }],
    ['until', { until: () => never }],
  ])('end with the deadline where %s hangs, and the cause names it', async (callback, functions) => {
    const { clock, failed } = waitWith(functions);
    await clock.advance(6_000);
    const cause = { name: 'CallbackTimeoutError', callback, limit: 5_000 };
    expect(await failed).toMatchObject({ name: 'WaitError', reason: 'deadline', cause });
    expect(clock.pending).toEqual([]);
  });

  it('end at once with the signal while they hang', async () => {
    const controller = new AbortController();
    const { failed } = waitWith({ read: () => never }, { signal: controller.signal });
    controller.abort('enough');
    expect(await failed).toMatchObject({ name: 'AbortedError', call: 'waitFor', cause: 'enough' });
  });

  it('may answer later: an async until that says no is no yes', async () => {
    let reads = 0;
    const { clock, result } = waitWith({ until: async () => ++reads === 3 });
    await clock.advance(5_000);
    expect([await result, reads]).toEqual([1, 3]);
  });

  it('throw what they throw', async () => {
    const broken = () => {
      throw new Error('broken');
    };
    expect(await waitWith({ until: broken }).failed).toMatchObject({ message: 'broken' });
  });
});
