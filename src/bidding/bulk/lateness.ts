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
    return { type: 'late', at, rows, requests, late, closes, quota, what: sentence(found, rows, quota) };
  }
}

function sentence(found: Forecast, rows: number, { limit, windowMs }: LateWarning['quota']): string {
  const [first] = found.closes;
  const lots = new Set(found.closes.flatMap((close) => close.lots));
  const pace =
    limit === Number.POSITIVE_INFINITY ? 'replies take' : `${limit} requests in ${windowMs / 1000} s let`;
  return `${found.late} of ${rows} rows that wait would leave after their lots close, on ${lots.size} lots; the first of these closes at ${moment(first?.closesAt)}, and its last row would leave at ${moment(first?.lastLeavesAt)}, as ${pace} it.`;
}

function moment(ms: number | undefined): string {
  return ms === undefined || !Number.isFinite(ms) ? 'an unknown time' : new Date(ms).toISOString();
}
