import { describe, expect, it } from 'vitest';
import { InvalidRequestError, WaitError } from '../../src/errors/local.js';
import { byState, type WaitOptions, wait, waitFor } from '../../src/following/wait.js';
import { rejection } from '../support/clients.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { apiError, brokenLine, testPace } from './support.js';

interface Record {
  readonly state: string;
  readonly resource_version: number;
}

/** Waits for `ready`, over reads that answer from a script; its last step repeats. */
function waiting(steps: readonly (string | Error)[], options?: WaitOptions, spare = 60) {
  const clock = new VirtualClock();
  const { pace, close } = testPace(clock, { spare: () => spare });
  const reads: { at: number; lane: unknown; deadline: unknown }[] = [];
  const read = async ({ lane, deadline }: { lane?: unknown; deadline?: unknown }): Promise<Record> => {
    const step = steps[Math.min(reads.length, steps.length - 1)];
    reads.push({ at: clock.monotonic(), lane, deadline });
    if (step instanceof Error) throw step;
    return { state: step ?? '', resource_version: 1 };
  };
  const judge = byState({ reached: ['ready'], before: ['awaiting_scan'], ended: ['failed'] });
  const result = wait(pace, { call: 'documents.waitUntilReady', read, judge }, options);
  result.catch(() => undefined);
  return { clock, close, reads, result };
}

describe('what a wait ends with', () => {
  it('returns the value that it waited for', async () => {
    const { clock, reads, result } = waiting(['awaiting_scan', 'awaiting_scan', 'ready']);
    await clock.advance(5_000);
    expect(await result).toMatchObject({ state: 'ready' });
    expect(reads.every(({ lane }) => lane === 'poll')).toBe(true);
  });

  it('ends at a state after which it can not come, and at one that is undocumented', async () => {
    const failed = waiting(['awaiting_scan', 'failed']);
    await failed.clock.advance(5_000);
    expect(await rejection(failed.result)).toMatchObject({
      name: 'WaitError',
      reason: 'ended',
      state: 'failed',
      value: { state: 'failed' },
    });
    const odd = waiting(['quarantined']);
    await odd.clock.advance(1);
    expect(await rejection(odd.result)).toMatchObject({
      reason: 'unknown_state',
      state: 'quarantined',
      message: expect.stringMatching(
        /^documents\.waitUntilReady: The state became "quarantined", not "ready"/,
      ),
    });
  });

  it('ends with its deadline and the last value', async () => {
    const { clock, result } = waiting(['awaiting_scan'], { deadline: 30_000 });
    await clock.advance(30_000);
    expect(await rejection(result)).toMatchObject({
      reason: 'deadline',
      state: 'awaiting_scan',
      message: expect.stringContaining('within 30000 ms; the state is "awaiting_scan"'),
    });
    expect(clock.pending).toEqual([]);
  });

  it('looks once more at the very end', async () => {
    const { clock, reads, result } = waiting(['awaiting_scan'], { deadline: 20_000, minInterval: 13_000 });
    await clock.advance(20_000);
    await rejection(result);
    expect(reads.map(({ at }) => at)).toEqual([0, 13_000, 20_000]);
    expect(reads.map(({ deadline }) => deadline)).toEqual([20_000, 7_000, 1_000]);
  });

  it('does not show the value in a log line', () => {
    const details = { what: 'It came to nothing.', nextStep: 'Ask.' };
    const error = new WaitError('ended', { value: { pan: 'ABCDE1234F' }, state: 'failed' }, details);
    expect(JSON.stringify(error)).not.toContain('ABCDE1234F');
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ reason: 'ended', state: 'failed' });
  });
});

describe('a sale whose earlier state is undocumented', () => {
  it('is waited for while it stays in the state of the first read', () => {
    const judge = byState({ reached: ['approved'], ended: ['rejected'] });
    expect(judge({ state: 'provisional' })).toBe('waiting');
    expect(judge({ state: 'provisional' })).toBe('waiting');
    expect(judge({ state: 'under_review' })).toMatchObject({ reason: 'unknown_state' });
    expect(judge({ state: 'approved' })).toBe('reached');
  });
});

describe('what does not end a wait', () => {
  it('reads again after an outage and after a 429, no sooner than it asks', async () => {
    const limited = apiError(429, { retryAfterMs: 20_000 });
    const { clock, reads, result } = waiting([brokenLine(), limited, apiError(503), 'ready']);
    await clock.advance(60_000);
    expect(await result).toMatchObject({ state: 'ready' });
    const [, second, third] = reads;
    expect((third?.at ?? 0) - (second?.at ?? 0)).toBeGreaterThanOrEqual(20_000);
  });

  it('tells what failed where an outage lasts until the deadline', async () => {
    const error = brokenLine();
    const { clock, result } = waiting([error], { deadline: 60_000 });
    await clock.advance(61_000);
    expect(await rejection(result)).toMatchObject({ reason: 'deadline', value: undefined, cause: error });
  });

  it('throws at once what waiting does not cure', async () => {
    const { clock, reads, result } = waiting([apiError(403)]);
    await clock.advance(1);
    expect(await rejection(result)).toMatchObject({ status: 403 });
    expect(reads).toHaveLength(1);
  });
});

describe('how often a wait reads', () => {
  it('reads less often while nothing changes, and more often where the quota spares more', async () => {
    const calm = async (spare: number) => {
      const { clock, reads, result } = waiting(['awaiting_scan'], { deadline: 300_000 }, spare);
      await clock.advance(301_000);
      await rejection(result);
      return reads.length;
    };
    const many = await calm(60);
    expect(many).toBeLessThan(35);
    expect(await calm(2)).toBeLessThanOrEqual(11);
  });
});

describe('ending a wait by hand', () => {
  it('rejects with AbortedError at once, with the reason', async () => {
    const controller = new AbortController();
    const { clock, result } = waiting(['awaiting_scan'], { signal: controller.signal });
    await clock.advance(10);
    controller.abort(new Error('no longer needed'));
    expect(await rejection(result)).toMatchObject({
      name: 'AbortedError',
      cause: { message: 'no longer needed' },
    });
    expect(clock.pending).toEqual([]);
  });

  it('ends with the client', async () => {
    const { clock, close, result } = waiting(['awaiting_scan']);
    await clock.advance(10);
    close();
    expect(await rejection(result)).toMatchObject({ name: 'AbortedError' });
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

  it('refuses what can not work before it reads', () => {
    const { pace } = testPace(new VirtualClock());
    const read = async () => 1;
    expect(() => waitFor(pace, read, () => true, { deadline: 0 })).toThrow(InvalidRequestError);
    expect(() => waitFor(pace, read, () => true, { maxInterval: Number.NaN })).toThrow(
      /options\.maxInterval/,
    );
    expect(() => Reflect.apply(waitFor, undefined, [pace, read])).toThrow(/until must be a function/);
  });
});
