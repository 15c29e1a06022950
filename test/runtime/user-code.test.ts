import { describe, expect, it } from 'vitest';
import { CallbackTimeoutError } from '../../src/errors/local.js';
import { ask, notify } from '../../src/runtime/user-code.js';
import { never } from '../support/failing-callbacks.js';
import { settle, VirtualClock } from '../support/virtual-clock.js';

function recorder() {
  const lines: (readonly [string, Readonly<Record<string, unknown>>])[] = [];
  const warn = (message: string, fields: () => Readonly<Record<string, unknown>>) => {
    lines.push([message, fields()]);
  };
  return { lines, warn };
}

describe('notify', () => {
  it('logs what is thrown or rejected with its stack, and returns at once', async () => {
    const { lines, warn } = recorder();
    const fail = () => {
      throw new Error('thrown');
    };
    notify('onProgress', fail, warn);
    notify('onProgress', async () => fail(), warn);
    notify('onProgress', () => never, warn);
    await settle();
    expect(lines).toHaveLength(2);
    for (const [message, { error }] of lines) {
      expect(message).toContain('onProgress');
      expect(error).toMatchObject({
        message: 'thrown',
        stack: expect.stringMatching(/Error: thrown\n +at /),
      });
    }
  });

  it('survives a logger that throws, and values that are no errors', async () => {
    const { lines, warn } = recorder();
    const broken = () => {
      throw new Error('the disk of the log is full');
    };
    notify('onError', () => Promise.reject(new Error('no')), broken);
    notify('onError', () => Promise.reject(Object.create(null)), warn);
    const thenable = new Proxy(
      {},
      {
        has: () => true,
        get: () => {
          throw new Error('a getter');
        },
      },
    );
    notify('onError', () => thenable, warn);
    await settle();
    expect(lines.map(([, { error }]) => error)).toEqual([
      expect.objectContaining({ message: 'a getter' }),
      { name: 'Error', message: 'an error that cannot be read' },
    ]);
  });
});

describe('ask', () => {
  const clock = new VirtualClock();
  const options = { name: 'policy', clock, limit: 1_000 };

  it('returns the answer, and throws what the function throws or rejects with', async () => {
    const failure = new Error('no');
    expect(await ask(() => 1, options)).toBe(1);
    expect(await ask(async () => 2, options)).toBe(2);
    await expect(ask(() => Promise.reject(failure), options)).rejects.toBe(failure);
    const thrown = ask(() => {
      throw failure;
    }, options);
    await expect(thrown).rejects.toBe(failure);
    expect(clock.pending).toEqual([]);
  });

  it('a hang becomes an error that names the function and the limit, and fires its signal', async () => {
    let seen: AbortSignal | undefined;
    const asked = ask(({ signal }) => {
      seen = signal;
      return never;
    }, options).catch((error: unknown) => error);
    await clock.advance(1_000);
    const error = await asked;
    expect(error).toBeInstanceOf(CallbackTimeoutError);
    expect(error).toMatchObject({ callback: 'policy', limit: 1_000, reason: 'callback_timeout' });
    expect(seen?.aborted).toBe(true);
  });

  it('an abort ends it at once; one that came before keeps the function from being called', async () => {
    const controller = new AbortController();
    const asked = ask(() => never, { ...options, signal: controller.signal }).catch(
      (error: unknown) => error,
    );
    controller.abort('why');
    expect(await asked).toMatchObject({ kind: 'aborted', reason: 'why' });
    let calls = 0;
    const again = ask(() => ++calls, { ...options, signal: controller.signal });
    await expect(again).rejects.toMatchObject({ kind: 'aborted' });
    expect([calls, clock.pending]).toEqual([0, []]);
  });
});
