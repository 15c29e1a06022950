import type { VirtualClock } from './virtual-clock.js';

interface PumpOptions {
  /** How long one attempt may take, in ms. Shorter timers are waits between attempts, and always pass. */
  readonly attemptMs: number;
  /** True once for every request that was taken and will never be answered: its attempt is then let run out. */
  takeHeld(): boolean;
}

/**
 * Settles a call that has its time from a virtual clock and its replies from real I/O. Waits pass at once; while an
 * attempt is on its way only I/O happens, however long it takes, so nothing depends on how fast this machine is.
 */
export async function pumped<T>(clock: VirtualClock, call: Promise<T>, options: PumpOptions): Promise<T> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  call.then(settle, settle);
  while (!settled) {
    const limit = options.takeHeld() ? options.attemptMs + 1 : options.attemptMs;
    const waits = clock.pending.filter((ms) => ms < limit);
    if (waits.length === 0) await turnOfTheLoop();
    else await clock.advance(Math.min(...waits));
  }
  return call;
}

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
