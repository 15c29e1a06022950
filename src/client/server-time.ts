import type { Clock } from '../ports/clock.js';
import type { ServerClock } from '../ports/server-clock.js';

/** Server time, measured from the replies of the service. Reading it sends nothing. */
export interface ServerTime {
  /** Server time, Unix ms. While it is unknown, the time of this machine: `offset()` is undefined then. */
  now(): number;
  /**
   * How far server time is ahead of this machine's clock. Undefined until a reply has told it, and after the clock was set
   * or the machine slept, until the next reply.
   */
  offset(): ClockOffset | undefined;
}

/** A measured difference of two clocks. */
export interface ClockOffset {
  /** Milliseconds by which server time is ahead; below 0 where it is behind. */
  readonly ms: number;
  /** Milliseconds by which `ms` can be wrong, either way. */
  readonly uncertaintyMs: number;
}

/** Server time as programs see it. */
export function serverTimeOf(parts: {
  readonly clock: Clock;
  readonly serverClock: ServerClock;
}): ServerTime {
  const { clock, serverClock } = parts;
  return {
    now: () => Math.floor(serverClock.time() ?? clock.now()),
    offset: () =>
      serverClock.time() === undefined
        ? undefined
        : {
            ms: Math.round(serverClock.offsetMs()),
            uncertaintyMs: Math.ceil(serverClock.uncertaintyMs()) + 1,
          },
  };
}
