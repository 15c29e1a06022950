import { StoreError } from '../../../src/errors/store.js';
import { processIn, type StoreProcess } from '../../../src/store/owner.js';
import { sqlStore } from '../../../src/store/sql.js';
import type { SqlDriver, SqlQuery } from '../../../src/store/sql-driver.js';
import type { Store } from '../../../src/store/store.js';
import type { StoreWatch } from '../checks/store-watch.js';
import { type Asked, Database, isWrite, NOW, noting, type Snapshot } from './database.js';
import type { Stage } from './faults.js';
import { never, type SimulatedProcess } from './process.js';

/** After so long a driver gives a transaction up, ms; nobody knows whether it was committed. */
const HANGS_MS = 45_000;

/** How long after its answer was lost a commit lands, ms. */
const LANDS_MS = [1, 100, 3_000, 30_000] as const;

/**
 * One database that all processes of a run share. Whatever can happen between a process and its database happens in the
 * driver: what is above it is the package's own store.
 */
export class SharedStore {
  readonly #stage: Stage;
  readonly #watch: StoreWatch;
  /** Like SQLite, it does nothing more after a commit whose answer was lost, until it is opened again. */
  readonly #stopsWhenUnsure: boolean;
  readonly #database = new Database();
  readonly #processes = new Map<string, SimulatedProcess>();
  /** One transaction at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(stage: Stage, watch: StoreWatch, stopsWhenUnsure: boolean) {
    this.#stage = stage;
    this.#watch = watch;
    this.#stopsWhenUnsure = stopsWhenUnsure;
  }

  /** The store as one process opens it. */
  connect(process: SimulatedProcess): Store {
    this.#processes.set(process.name, process);
    let stopped = false;
    const driver: SqlDriver = {
      name: 'simulated database',
      durable: true,
      now: NOW,
      serial: 'INTEGER PRIMARY KEY AUTOINCREMENT',
      transaction: async (_account, work) => {
        if (stopped) throw trouble('stopped', 'failed');
        try {
          return await this.#transaction(process, work);
        } catch (error) {
          stopped ||= this.#stopsWhenUnsure && error instanceof StoreError && error.commit === 'unknown';
          throw error;
        }
      },
      close: async () => {
        stopped = false;
      },
    };
    return sqlStore(driver, { process: this.#seenAs(process) });
  }

  snapshot(): Snapshot {
    return this.#database.snapshot();
  }

  /** Puts an earlier state back, while no process runs. */
  restore(snapshot: Snapshot): void {
    this.#database.restore(snapshot);
    this.#watch.restored(this.#database.query);
  }

  /** Everything in it, as text. */
  content(): string {
    return [...this.#database.snapshot().values()].map((rows) => JSON.stringify(rows)).join('\n');
  }

  close(): void {
    this.#database.close();
  }

  #seenAs(process: SimulatedProcess): StoreProcess {
    const { faults } = this.#stage;
    const { host, pid, thread, name } = process;
    const onHost = () => [...this.#processes.values()].filter((other) => other.host === host);
    const seen = processIn(
      {
        // Process 1 goes on when its threads end.
        isRunning: (other) => other === 1 || onHost().some((each) => each.pid === other && !each.isDead),
        startOf: (other, ofThread) => {
          if (ofThread === undefined) return other;
          const isAlive = onHost().some((each) => String(each.thread) === ofThread && !each.isDead);
          return isAlive ? ofThread : 'gone';
        },
      },
      { host, pid: String(pid), thread: String(thread), random: name },
    );
    return {
      id: seen.id,
      isGone: (id, silence) => {
        const other = this.#processes.get(id.split('/').at(-1) ?? '');
        if (other === undefined || other === process) return false;
        if (!other.isDead && faults.strikes('living process taken for gone')) return true;
        return seen.isGone(id, silence);
      },
    };
  }

  /** One transaction with everything that can go wrong on the way to the database and back. */
  async #transaction<T>(process: SimulatedProcess, work: (query: SqlQuery) => Promise<T>): Promise<T> {
    const { timeline, choices, faults } = this.#stage;
    if (process.isDead) return never();
    process.trouble();
    if (process.crashesAt('crash before a transaction')) return never();
    const isSlow = faults.strikes('store slow');
    await timeline.sleep(isSlow ? 200 * (1 + choices.choose('store slowness', 50)) : 1);
    await process.awake();
    if (faults.strikes('transaction failed')) throw trouble('unavailable', 'failed');
    const hangs = faults.strikes('store hangs');
    const isReached = !hangs || choices.choose('hangs after the commit', 2) === 1;
    const tell = isReached ? await this.#inTurn(() => this.#run(process, work)) : undefined;
    if (tell === undefined || hangs) {
      await timeline.sleep(HANGS_MS);
      await process.awake();
      throw trouble('unavailable', 'unknown');
    }
    const isLate = faults.strikes('store answers late');
    if (isLate) await timeline.sleep(1_000 * (1 + choices.choose('store lateness', 80)));
    await process.awake();
    return tell();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#turn.then(work);
    this.#turn = run.catch(() => undefined);
    return run;
  }

  /** @returns what the process hears, which may be an error, or nothing ever */
  async #run<T>(
    process: SimulatedProcess,
    work: (query: SqlQuery) => Promise<T>,
  ): Promise<() => T | Promise<T>> {
    const { faults, timeline } = this.#stage;
    const database = this.#database;
    const unsure = () => Promise.reject(trouble('unavailable', 'unknown'));
    for (let mayRunAgain = true; ; mayRunAgain = false) {
      const asked: Asked[] = [];
      database.begin(timeline.now);
      let value: T;
      try {
        value = await work(noting(this.#queried, asked));
      } catch (error) {
        database.rollBack();
        return () => Promise.reject(error);
      }
      const writes = asked.some(([sql]) => isWrite(sql));
      if (!writes) {
        database.rollBack();
        return () => value;
      }
      if (mayRunAgain && faults.strikes('transaction runs again')) {
        database.rollBack();
        continue;
      }
      if (process.crashesAt('crash before a commit')) {
        database.rollBack();
        return never;
      }
      if (faults.strikes('commit lands late')) {
        database.rollBack();
        this.#landLater(process, asked);
        return unsure;
      }
      if (faults.strikes('commit lost')) {
        database.rollBack();
        return unsure;
      }
      database.commit();
      this.#watch.committed(process, database.query);
      if (process.crashesAt('crash after a commit')) return never;
      return faults.strikes('commit unheard') ? unsure : () => value;
    }
  }

  readonly #queried: SqlQuery = (sql, values) => {
    try {
      return this.#database.query(sql, values);
    } catch (error) {
      // The tables are missing before their first use.
      throw error instanceof Error && error.message.includes('no such table')
        ? trouble('schema', 'failed')
        : trouble('unavailable', 'failed', error);
    }
  };

  /** The database does the transaction after all, where everything it has read is still so. */
  #landLater(process: SimulatedProcess, asked: readonly Asked[]): void {
    const { timeline, choices, note } = this.#stage;
    const ms = LANDS_MS[choices.choose('landing', LANDS_MS.length)] ?? 1;
    const begun = timeline.now;
    timeline.after(ms, () => {
      void this.#inTurn(async () => {
        const database = this.#database;
        database.begin(begun);
        try {
          for (const [sql, values, found] of asked) {
            if (JSON.stringify(database.query(sql, values)) !== found) throw new Error('it was changed');
          }
        } catch {
          database.rollBack();
          return;
        }
        database.commit();
        note(`store: a commit of ${process.name} lands after all`);
        this.#watch.committed(process, database.query);
      });
    });
  }
}

function trouble(
  reason: 'unavailable' | 'stopped' | 'schema',
  commit: 'failed' | 'unknown',
  cause?: unknown,
) {
  return new StoreError({
    reason,
    commit,
    what: `The simulated database ${commit === 'unknown' ? 'lost the answer of a commit' : 'failed'} (${reason}).`,
    nextStep: 'Look again.',
    ...(cause !== undefined && { cause }),
  });
}
