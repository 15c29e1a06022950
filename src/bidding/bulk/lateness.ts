import { type Forecast, forecast } from './forecast.js';
import type { BulkParts } from './parts.js';
import type { LateWarning } from './progress.js';
import type { Turn } from './schedule.js';

/** How many of the latest rows the pace is taken from. */
const SAMPLE = 50;

/** Watches whether what waits can still leave before its lots close. */
export class Lateness<R> {
  readonly #parts: Pick<BulkParts, 'quota' | 'clock' | 'serverClock'>;
  readonly #concurrency: number;
  /** Monotonic times at which requests left, as far as is known; no more of them than the quota counts. */
  #departures: number[] = [];
  readonly #rows: { readonly ms: number; readonly requests: number }[] = [];
  readonly #warnedOf = new Set<number>();
  #warnedAt = 0;

  constructor(parts: Pick<BulkParts, 'quota' | 'clock' | 'serverClock'>, concurrency: number) {
    this.#parts = parts;
    this.#concurrency = concurrency;
  }

  /** So many requests left just now. */
  departed(requests: number): void {
    const { limit } = this.#parts.quota;
    if (limit === Number.POSITIVE_INFINITY) return;
    const now = this.#parts.clock.monotonic();
    for (let request = 0; request < requests; request += 1) this.#departures.push(now);
    if (this.#departures.length > 2 * limit) this.#departures = this.#departures.slice(-limit);
  }

  /** A row took so long, and so many requests of which the first is counted already. */
  settled(ms: number, requests: number): void {
    this.departed(requests - 1);
    this.#rows.push({ ms, requests: Math.max(1, requests) });
    if (this.#rows.length > SAMPLE) this.#rows.shift();
  }

  /** How things would go from now on. */
  look(turns: readonly Turn<R>[]): Forecast {
    const { quota, clock, serverClock } = this.#parts;
    const now = serverClock.now();
    const monotonic = clock.monotonic();
    const rows = this.#rows.length;
    const sum = (of: 'ms' | 'requests') => this.#rows.reduce((total, row) => total + row[of], 0);
    return forecast(
      turns.map(({ candidate, due, behind }) => ({ lotId: candidate.lotId, due, behind })),
      {
        quota,
        concurrency: this.#concurrency,
        now,
        departures: this.#departures.map((departure) => now - (monotonic - departure)),
        latencyMs: rows === 0 ? 0 : sum('ms') / rows,
        requestsPerRow: rows === 0 ? 1 : sum('requests') / rows,
      },
    );
  }

  /** A warning where there is something new to be told: another close, or twice as many rows as last time. */
  warningOf(found: Forecast, rows: number): LateWarning | undefined {
    const { late, closes, requests } = found;
    const isNew = closes.some(({ closesAt }) => !this.#warnedOf.has(closesAt));
    if (late === 0 || !(isNew || late >= 2 * this.#warnedAt)) return undefined;
    for (const { closesAt } of closes) this.#warnedOf.add(closesAt);
    this.#warnedAt = Math.max(this.#warnedAt, late);
    const { limit, windowMs, marginMs } = this.#parts.quota;
    const quota = { limit, windowMs: windowMs + marginMs };
    const at = this.#parts.serverClock.now();
    const warning = { type: 'late', at, rows, requests, late, closes, quota } as const;
    return { ...warning, what: sentence(warning) };
  }
}

/** True for rows that are due by the close of their lot, and for those that are by their own word. */
function sentence({ late, closes, rows, quota, at }: Omit<LateWarning, 'what'>): string {
  const lots = new Set(closes.flatMap((close) => close.lots));
  const all = `${late} of ${counted(rows, 'waiting row')} would leave too late, on ${counted(lots.size, 'lot')}`;
  const [first] = closes;
  if (first === undefined) return `${all}.`;
  const due = moment(first.closesAt);
  if (first.closesAt <= at)
    return `${all}; the first was due (its lot closed, or its placeBy passed) at ${due}.`;
  const pace =
    quota.limit === Number.POSITIVE_INFINITY
      ? ''
      : `, with ${counted(quota.limit, 'request')} in ${quota.windowMs / 1000} s at the most`;
  return `${all}; the first is due (its lot closes, or its placeBy passes) at ${due}, and the last one due then would leave at ${moment(first.lastLeavesAt)}${pace}.`;
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

function moment(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : 'an unknown time';
}
