import type { Clock } from '../ports/clock.js';
import { Stopped, type Stretch } from './stop.js';
import type { TransportRequest } from './transport.js';

/** An attempt's own time, and until when it may leave. */
export interface Leaving {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Milliseconds until it may leave no more; infinite where it has no such limit. */
  msToDepart(): number;
}

/** Keeps an attempt to the time until which it may leave while its connection is made, for transports that tell. */
export function leavingInTime(
  stretch: Stretch,
  { clock, timeoutMs, msToDepart }: Leaving,
): Pick<TransportRequest, 'connecting'> {
  if (msToDepart() === Number.POSITIVE_INFINITY) return {};
  const timesOutAt = clock.monotonic() + timeoutMs;
  const leave = () => {
    if (stretch.signal.aborted) return;
    // Asked anew, for the timer is late where the process stood still.
    if (msToDepart() <= 0) stretch.stop(new Stopped('too_late'));
    else stretch.limit(timesOutAt - clock.monotonic());
  };
  return {
    connecting: () => {
      const ms = msToDepart();
      if (ms < timesOutAt - clock.monotonic()) stretch.limit(ms, 'too_late');
      return leave;
    },
  };
}
