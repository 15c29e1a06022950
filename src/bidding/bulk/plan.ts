import type { Candidate } from './candidate.js';
import type { Placer } from './placer.js';
import type { BulkPlan } from './progress.js';
import type { Tally } from './tally.js';

/** What there is to do, before it is begun. @param candidates those of whose lots it is told how many have no close */
export function planOf<R>(
  rows: number,
  candidates: readonly Candidate<R>[],
  placer: Pick<Placer<R>, 'schedule' | 'lateness'>,
  { counts, settledEarlier }: Tally<R>,
): BulkPlan {
  const turns = placer.schedule.turns();
  const { requests, lastLeavesAt, late, closes } = placer.lateness.look(turns);
  return {
    rows,
    toPlace: turns.length,
    invalid: counts.invalid,
    settledEarlier,
    lots: new Set(turns.map(({ candidate }) => candidate.lotId)).size,
    lotsWithoutClose: lotsWithoutClose(candidates, placer).length,
    requests,
    lastLeavesAt,
    late,
    lateCloses: closes,
  };
}

/** Lots of which nobody has said when they close. */
export function lotsWithoutClose<R>(
  candidates: readonly Candidate<R>[],
  { schedule }: Pick<Placer<R>, 'schedule'>,
): string[] {
  const without = candidates.filter((candidate) => schedule.closeOf(candidate) === undefined);
  return [...new Set(without.map(({ lotId }) => lotId))];
}
