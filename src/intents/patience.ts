import { JournalError } from '../errors/journal.js';
import type { Clock } from '../ports/clock.js';

/** How long a journal is waited for where a call has come to its end, ms. */
const PATIENCE_MS = 5_000;

/**
 * Settles with `work`, which goes on by itself where a journal takes too long: what is known must reach the caller.
 *
 * @throws JournalError where it takes too long
 */
export async function patiently<T>(clock: Clock, work: Promise<T>): Promise<T> {
  let cancel: () => void = () => undefined;
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(PATIENCE_MS, () => reject(tooLate()));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}

function tooLate(): JournalError {
  return new JournalError({
    fault: 'unavailable',
    what: `The journal has not answered for ${PATIENCE_MS / 1_000} s.`,
    nextStep: 'See what keeps it; it may still be written.',
  });
}
