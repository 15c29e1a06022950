import type { Entry, LookEntry } from '../intents/entry.js';
import { fenceOf } from '../intents/fence-of.js';
import type { Standing } from '../intents/standing.js';

/** How much later an absence must be seen again: what was let in at the last moment may still be on its way to the record. */
export const ABSENCE_GAP_MS = 5_000;

/** What the looks by key come to, where they found nothing. */
export interface Absence {
  /** After this moment no copy is let in any more, Unix ms in server time. */
  readonly fenceAt: number;
  /** Server time of the latest look, Unix ms. */
  readonly observedAt: number | undefined;
  /** Seen twice behind the fence, and before the service may have forgotten the key. */
  readonly conclusive: boolean;
  /** Seen behind the fence, once: a second look some seconds later can make it conclusive. */
  readonly begun: boolean;
  /** Looked at when the service may have forgotten the key: it says nothing any more. */
  readonly tooLate: boolean;
}

/**
 * Judges an absence by the server's own time of each look (`observed_at`), never by the local clock: a copy signed at T
 * can still be let in until T + 300 s.
 *
 * @param horizonMs for how long behind the fence the service is trusted to remember a key
 */
export function absenceOf(
  entries: readonly Entry[],
  { lastTimestamp }: Pick<Standing, 'lastTimestamp'>,
  horizonMs: number,
): Absence | undefined {
  const look = entries.findLast(isKeyLook);
  if (look?.found !== 'absent' || lastTimestamp === undefined) return undefined;
  const fenceAt = fenceOf(lastTimestamp);
  const isBehind = (at: number | undefined) => at !== undefined && at > fenceAt && at <= fenceAt + horizonMs;
  const behind = lastRun(entries).filter(({ observedAt }) => isBehind(observedAt));
  const first = behind[0]?.observedAt;
  const last = behind.at(-1)?.observedAt;
  return {
    fenceAt,
    observedAt: look.observedAt,
    begun: behind.length > 0,
    conclusive: first !== undefined && last !== undefined && last - first >= ABSENCE_GAP_MS,
    tooLate: look.observedAt !== undefined && look.observedAt > fenceAt + horizonMs,
  };
}

/** The latest looks by key that found nothing, with no other finding, and no new attempt, between them. */
function lastRun(entries: readonly Entry[]): LookEntry[] {
  const run: LookEntry[] = [];
  for (const entry of entries) {
    if (entry.type === 'attempt') run.length = 0;
    if (!isKeyLook(entry) || entry.found === 'failed') continue;
    if (entry.found === 'absent') run.push(entry);
    else run.length = 0;
  }
  return run;
}

function isKeyLook(entry: Entry): entry is LookEntry {
  return entry.type === 'look' && entry.by === 'A06';
}
