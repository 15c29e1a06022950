import type { Lane } from '../ports/quota.js';
import { tableName } from './schema.js';
import type { SqlDriver, SqlQuery, SqlRow } from './sql-driver.js';

/** What a process reports to others that share its quota: a request it sends, or a pause that the service asked for. */
export interface DepartureEntry {
  /** The process, to the others. */
  readonly process: string;
  /** Unique within the process. A later entry under the same number moves that departure. */
  readonly number: number;
  readonly lane: Lane | 'pause';
  /** How long ago it left, ms; of a pause, how long it still lasts, below 0. */
  readonly ageMs: number;
  /** The settings of the process. */
  readonly limit: number;
  readonly reserve: number;
}

/** What was logged since the last look, by whatever process. */
export interface DeparturePage {
  /** Position of the last entry, from which to continue. */
  readonly last: number;
  /** Unix ms, by the store's clock. It may be set at any time. */
  readonly now: number;
  readonly entries: readonly DepartureEntry[];
}

/**
 * When requests left, for processes that share a quota. It need not survive a power cut, which takes longer than a
 * window.
 */
export interface DepartureLog {
  /**
   * Reads what was logged after a position, and logs what `decide` makes of it, while no other process does the same.
   * `decide` may run more than once; what it returned last is logged, or nothing.
   *
   * @param scope what the service counts together
   */
  exchange(
    scope: string,
    after: number,
    decide: (page: DeparturePage) => readonly DepartureEntry[],
  ): Promise<void>;
}

/** Processes that have sent nothing for so long no longer count, ms. */
export const KEPT_MS = 600_000;

/** No pause lasts longer; what is later than this was logged by a clock that was set back since. */
const LATEST_MS = 120_000;

/** Keeps departures in a table of a database. */
export function sqlDepartures(
  { now }: Pick<SqlDriver, 'now'>,
  exclusively: (account: string, work: (query: SqlQuery) => Promise<void>) => Promise<void>,
): DepartureLog {
  return {
    exchange: (scope, after, decide) =>
      exclusively(`departures ${scope}`, async (query) => {
        const page = await read(query, now, scope, after);
        const entries = decide(page);
        if (entries.length > 0) await write(query, scope, page.now, entries);
      }),
  };
}

const departures = tableName('departures');

async function read(query: SqlQuery, now: string, scope: string, after: number): Promise<DeparturePage> {
  const rows = await query(
    `SELECT clock.now, id, process, number, lane, clock.now - at_ms AS age, most, reserve
     FROM (SELECT ${now} AS now) AS clock LEFT JOIN ${departures} ON account = $1 AND id > $2 ORDER BY id`,
    [scope, after],
  );
  const logged = rows.filter(({ id }) => id !== null);
  return {
    last: Number(logged.at(-1)?.['id'] ?? after),
    now: Number(rows[0]?.['now']),
    entries: logged.flatMap(entryOf),
  };
}

async function write(
  query: SqlQuery,
  scope: string,
  now: number,
  entries: readonly DepartureEntry[],
): Promise<void> {
  for (const { process, number, lane, ageMs, limit, reserve } of entries) {
    await query(
      `INSERT INTO ${departures} (account, process, number, lane, at_ms, most, reserve)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [scope, process, number, lane, Math.ceil(now - ageMs), limit, reserve],
    );
  }
  await query(`DELETE FROM ${departures} WHERE account = $1 AND (at_ms < $2 OR at_ms > $3)`, [
    scope,
    now - KEPT_MS,
    now + LATEST_MS,
  ]);
}

/** A lane that this version does not know is left out. */
function entryOf(row: SqlRow): DepartureEntry[] {
  const lane = KNOWN.find((each) => each === row['lane']);
  if (lane === undefined) return [];
  return [
    {
      process: String(row['process']),
      number: Number(row['number']),
      lane,
      ageMs: Number(row['age']),
      limit: Number(row['most']),
      reserve: Number(row['reserve']),
    },
  ];
}

const KNOWN: readonly DepartureEntry['lane'][] = ['bid', 'command', 'read', 'poll', 'pause'];
