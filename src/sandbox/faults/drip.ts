import type { SandboxClock } from '../clock.js';
import type { Fault } from '../faults.js';
import type { Drip } from '../wire.js';

/** How a slow reply comes: so many bytes by each moment of sandbox time, and none after it stalls. */
export function drip(
  fault: Extract<Fault, { fault: 'slow' }>,
  clock: SandboxClock,
  waits: {
    /** Both resolve to false when the sandbox closes. */
    sleep(ms: number): Promise<boolean>;
    forGood(): Promise<boolean>;
  },
): Drip {
  const { bytesPerMs = 1, stallAfter = Number.POSITIVE_INFINITY, part = 'body' } = fault;
  const start = clock.monotonic();
  return {
    part,
    async allowed(sent) {
      for (;;) {
        const elapsed = clock.monotonic() - start;
        const due = Number.isFinite(bytesPerMs) ? Math.floor(elapsed * bytesPerMs + rounding) : bytesPerMs;
        const allowed = Math.min(due, stallAfter);
        if (allowed > sent) return allowed;
        const goesOn = await (sent >= stallAfter
          ? waits.forGood()
          : waits.sleep((sent + 1) / bytesPerMs - elapsed));
        if (!goesOn) return 'closed';
      }
    },
  };
}

/** A byte is due at its moment, though the product of two fractions be a hair below it. */
const rounding = 1e-6;
