import { DatabaseFailure } from './failure.js';
import { migrate, missing } from './migrate.js';
import { type Migration, migrations } from './migrations.js';
import type { PoolSource, PostgresPool } from './pool.js';
import { quoted, type Schema } from './schema.js';
import { inPassing, inTransaction, type Query } from './transaction.js';

export interface DatabaseSettings {
  readonly pool: PoolSource;
  readonly schema: Schema;
  /** Whether the first use brings the tables up to date. */
  readonly migrate: boolean;
  /** For tests: what an older version of this package knew. */
  readonly migrations?: readonly Migration[] | undefined;
}

/**
 * The tables of this package in a database, whatever they are for. Everything rejects with a DatabaseFailure, or with
 * what the work itself threw.
 */
export class Database {
  readonly schema: Schema;
  readonly #source: PoolSource;
  readonly #migratesItself: boolean;
  readonly #migrations: readonly Migration[];
  #ready: Promise<void> | undefined;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor({ pool, schema, migrate: migratesItself, migrations: known = migrations }: DatabaseSettings) {
    this.schema = schema;
    this.#source = pool;
    this.#migratesItself = migratesItself;
    this.#migrations = known;
  }

  /** Does work in one transaction; resolves when it is durable. Work may be done again from its beginning. */
  write<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    return this.#using(async (pool) => {
      await this.#beReady(pool);
      return inTransaction(pool, work);
    });
  }

  read<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    return this.#using(async (pool) => {
      await this.#beReady(pool);
      return inPassing(pool, work);
    });
  }

  /** Brings the tables up to date. @returns ids of the migrations that were applied. */
  migrate(): Promise<readonly string[]> {
    return this.#using((pool) => this.#migrate(pool));
  }

  /** Waits for what is under way, then lets its connections go; the next use makes others. */
  async close(): Promise<void> {
    const end = this.#source.letGo();
    await Promise.allSettled([...this.#underWay]);
    await end().catch(() => undefined);
  }

  async #using<Result>(work: (pool: PostgresPool) => Promise<Result>): Promise<Result> {
    // Taken at once: whoever closes from now on waits for this.
    const result = this.#source.take().then(work);
    this.#underWay.add(result);
    try {
      return await result;
    } finally {
      this.#underWay.delete(result);
    }
  }

  #beReady(pool: PostgresPool): Promise<void> {
    if (this.#ready === undefined) {
      const ready = this.#makeReady(pool);
      this.#ready = ready;
      // The next use tries again.
      ready.catch(() => {
        if (this.#ready === ready) this.#ready = undefined;
      });
    }
    return this.#ready;
  }

  async #makeReady(pool: PostgresPool): Promise<void> {
    if (this.#migratesItself) {
      await this.#migrate(pool);
      return;
    }
    const [first] = await this.#missingFrom(pool);
    if (first === undefined) return;
    throw new DatabaseFailure(
      'unknown_format',
      `The schema ${quoted(this.schema.name)} lacks the migration ${first.id}.`,
      'Run migrate() once, with a role that may alter it.',
    );
  }

  async #migrate(pool: PostgresPool): Promise<readonly string[]> {
    // Roles that may not alter anything can still find that there is nothing to do.
    if ((await this.#missingFrom(pool)).length === 0) return [];
    return inTransaction(pool, (query) => migrate(query, this.schema, this.#migrations));
  }

  #missingFrom(pool: PostgresPool): Promise<readonly Migration[]> {
    return inPassing(pool, (query) => missing(query, this.schema, this.#migrations));
  }
}
