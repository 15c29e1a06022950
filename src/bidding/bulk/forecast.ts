import type { QuotaSettings } from '../../quota/settings.js';

/** A row that waits, in the order in which rows would go. */
export interface Awaited {
  readonly lotId: string;
  /** Unix ms in server time; infinite where nothing is known. */
  readonly due: number;
  /** Rows that have to settle before it. */
  readonly behind: number;
}

/** How things go now, as far as that can be told. */
export interface Pace {
  readonly quota: QuotaSettings;
  readonly concurrency: number;
  /** Server time, Unix ms. */
  readonly now: number;
  /** When requests left, on the scale of `now`, ascending. */
  readonly departures: readonly number[];
  /** How long a row takes from its start to its end, ms; 0 before one has ended. */
  readonly latencyMs: number;
  /** Requests that a row takes with its retries and look-ups, from 1. */
  readonly requestsPerRow: number;
}

/** Rows that close together, some of them too late. Times are Unix ms in server time. */
export interface LateClose {
  /** The close of their lots, or their own `placeBy` where that is earlier. */
  readonly closesAt: number;
  /** Rows that must leave before that. */
  readonly rows: number;
  /** Requests that must leave before that: of these rows, and of those that go before them. */
  readonly requests: number;
  /** When the last of them would leave, in whole ms. */
  readonly lastLeavesAt: number;
  /** Rows that would leave too late. */
  readonly late: number;
  /** Their lots. */
  readonly lots: readonly string[];
}

export interface Forecast {
  /** Requests that it takes to place all that waits. */
  readonly requests: number;
  /** When the last row would leave, in whole ms. */
  readonly lastLeavesAt: number;
  /** Rows that would leave too late. */
  readonly late: number;
  /** Where they close, the earliest first; empty where every row makes it. */
  readonly closes: readonly LateClose[];
}

/**
 * When everything that waits would leave: held up by the quota, by the rows that may be under way at once, or by the
 * rows before it in its chain, whichever takes longest. An estimate: others may use the same quota.
 */
export function forecast(rows: readonly Awaited[], pace: Pace): Forecast {
  // What is past already goes last.
  const going = [...rows.filter(({ due }) => due > pace.now), ...rows.filter(({ due }) => due <= pace.now)];
  const leaves = departuresOf(going.length, pace);
  const byClose = new Map<number, { rows: number; last: number; lastIndex: number; late: string[] }>();
  let lastLeavesAt = pace.now;
  going.forEach(({ due, behind, lotId }, index) => {
    const turn = Math.max(Math.floor(index / pace.concurrency), behind);
    const at = Math.max(leaves[index] ?? pace.now, pace.now + turn * pace.latencyMs);
    lastLeavesAt = Math.max(lastLeavesAt, at);
    if (due === Infinity) return;
    const close = byClose.get(due) ?? { rows: 0, last: 0, lastIndex: 0, late: [] };
    byClose.set(due, close);
    close.rows += 1;
    close.last = Math.max(close.last, at);
    close.lastIndex = index;
    if (at >= due) close.late.push(lotId);
  });
  const closes = [...byClose]
    .filter(([, { late }]) => late.length > 0)
    .sort(([one], [other]) => one - other)
    .map(([closesAt, close]) => ({
      closesAt,
      rows: close.rows,
      requests: Math.ceil((close.lastIndex + 1) * pace.requestsPerRow),
      lastLeavesAt: Math.ceil(close.last),
      late: close.late.length,
      lots: [...new Set(close.late)],
    }));
  return {
    requests: Math.ceil(going.length * pace.requestsPerRow),
    lastLeavesAt: Math.ceil(lastLeavesAt),
    late: closes.reduce((sum, { late }) => sum + late, 0),
    closes,
  };
}

/** When the first request of each of so many rows may leave, as far as the quota goes. */
function departuresOf(rows: number, { quota, now, departures, requestsPerRow }: Pace): number[] {
  const { limit, windowMs, marginMs } = quota;
  if (limit === Number.POSITIVE_INFINITY) return [];
  const all = departures.slice(-limit);
  const leaves: number[] = [];
  const before = all.length;
  for (let row = 0; row < rows; row += 1) {
    const request = before + Math.floor(row * requestsPerRow);
    while (all.length <= request) {
      const freed = all[all.length - limit];
      all.push(Math.max(now, freed === undefined ? now : freed + windowMs + marginMs));
    }
    leaves.push(all[request] ?? now);
  }
  return leaves;
}
