import { JournalError, LeaseLostError } from '../errors/journal.js';
import { ConfigurationError } from '../errors/local.js';
import { isOpen, namespaceOf, subjectOf } from '../intents/intent.js';
import type {
  Claimed,
  Created,
  HeldIntent,
  IntentFilter,
  IntentId,
  Journal,
  StoredIntent,
} from '../intents/journal.js';
import { Database } from './database.js';
import { DatabaseFailure } from './failure.js';
import { IntentStatements } from './intent-statements.js';
import { type PostgresOptions, poolOf } from './options.js';
import { schemaNamed } from './schema.js';
import type { Query } from './transaction.js';

export type PostgresJournalOptions = PostgresOptions & {
  /**
   * Milliseconds that settled intents are kept, by the clock of the database; 30 days when left out, `Infinity` for
   * ever. Open ones are always kept. A key that is forgotten is free again.
   */
  readonly retentionMs?: number | undefined;
};

/** A journal in Postgres, which any number of processes may share. */
export interface PostgresJournal extends Journal {
  /**
   * Brings the tables up to date, and makes them where there are none. Processes that do it at once wait for each other.
   *
   * @returns ids of the migrations that were applied; none where nothing was to do
   * @throws JournalError with the fault `unknown_format` where a newer version of this package was here
   */
  migrate(): Promise<readonly string[]>;

  /** Deletes what has been settled for longer than `retentionMs`; done now and then anyway. @returns how many intents */
  prune(): Promise<number>;
}

/**
 * Keeps intents in Postgres 12 or later. Everything that is written is committed and synced before the method resolves.
 *
 * Where a method rejects because the connection was lost, its commit may have taken place: call `create` again, and it
 * `exists`, held by the same owner.
 *
 * @throws ConfigurationError
 */
export function postgresJournal(options: PostgresJournalOptions): PostgresJournal {
  const { schema = 'vehicle_auction', migrate = true, retentionMs = THIRTY_DAYS_MS } = options;
  if (!(retentionMs > 0))
    throw new ConfigurationError('retentionMs', 'must be milliseconds above 0, or Infinity');
  const database = new Database({ pool: poolOf(options), schema: schemaNamed(schema), migrate });
  return new JournalInPostgres(database, retentionMs);
}

const THIRTY_DAYS_MS = 30 * 24 * 60 * 60 * 1000;

/** How many intents settle from one pruning to the next. */
const PRUNED_EACH = 1_000;
const BATCH = 500;
const PAGE = 50;

class JournalInPostgres implements PostgresJournal {
  readonly name: string;
  readonly durable = true;
  readonly #database: Database;
  readonly #retentionMs: number;
  #settled = 0;
  #pruning: Promise<unknown> | undefined;

  constructor(database: Database, retentionMs: number) {
    this.name = `postgres ${database.schema.name}`;
    this.#database = database;
    this.#retentionMs = retentionMs;
  }

  create(...[intent, change, lease, { exclusive }]: Parameters<Journal['create']>): Promise<Created> {
    const id = { namespace: namespaceOf(intent.account), key: intent.key };
    const subject = exclusive ? subjectOf(intent) : undefined;
    return this.#write(async (intents) => {
      if (subject !== undefined) await intents.lockSubject(id.namespace, subject);
      for (;;) {
        if (await intents.insert(intent, change, lease, subject !== undefined))
          return { kind: 'created', fence: 1 };
        const existing = await intents.at(id);
        if (existing !== undefined) return { kind: 'exists', stored: existing.stored };
        const by = await intents.blocking(intent);
        if (by.length > 0) return { kind: 'blocked', by: by.map(({ stored }) => stored) };
        // What stood against it has settled, or was pruned, since.
      }
    });
  }

  async append(...[id, fence, change]: Parameters<Journal['append']>): Promise<void> {
    const isWritten = await this.#write(async (intents) => {
      const appended = await intents.append(id, fence, change);
      // Until it is committed, so that of this and an exclusive create that is under way one sees the other.
      if (appended?.opened !== undefined) await intents.lockSubject(id.namespace, appended.opened);
      return appended !== undefined;
    });
    if (!isWritten) throw new LeaseLostError(id.key);
    if (!isOpen(change.state)) this.#noteSettled();
  }

  claim(...[id, lease]: Parameters<Journal['claim']>): Promise<Claimed> {
    return this.#write(async (intents) => {
      for (;;) {
        const isTaken = await intents.take(id, lease);
        const found = await intents.at(id);
        if (found === undefined) return { kind: 'missing' };
        if (isTaken) return { kind: 'claimed', held: heldOf(found) };
        if (found.stored.lease !== undefined) return { kind: 'held', stored: found.stored };
        // Whoever held it has let go since.
      }
    });
  }

  claimOpen(...[namespace, lease, limit]: Parameters<Journal['claimOpen']>): Promise<readonly HeldIntent[]> {
    // As many as a column of the database can count.
    const whole = Math.min(Math.floor(limit), 2 ** 31);
    return this.#write(async (intents) =>
      whole >= 1 ? (await intents.takeOpen(namespace, lease, whole)).map(heldOf) : [],
    );
  }

  release(id: IntentId, fence: number): Promise<void> {
    return this.#write((intents) => intents.release(id, fence));
  }

  async read(id: IntentId): Promise<StoredIntent | undefined> {
    const found = await this.#read((intents) => intents.at(id));
    return found?.stored;
  }

  async find(key: string): Promise<readonly StoredIntent[]> {
    const found = await this.#read((intents) => intents.found('i.key = $1', [key]));
    return found.map(({ stored }) => stored);
  }

  /** By pages that begin behind the last intent of the one before: it holds no connection, and misses none. */
  async *list({ namespace, open, subject }: IntentFilter): AsyncGenerator<StoredIntent> {
    const condition = `i.id > $1::bigint
      AND ($2::text IS NULL OR i.namespace = $2)
      AND ($3::text IS NULL OR i.subject = $3)
      ${open === undefined ? '' : `AND ${open ? '' : 'NOT '}i.is_open`}`;
    let after = 0n;
    for (;;) {
      const values = [String(after), namespace ?? null, subject ?? null];
      const page = await this.#read((intents) => intents.found(condition, values, PAGE));
      for (const { stored } of page) yield stored;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = last.row;
    }
  }

  migrate(): Promise<readonly string[]> {
    return named(this.#database.migrate());
  }

  async prune(): Promise<number> {
    if (this.#retentionMs === Number.POSITIVE_INFINITY) return 0;
    let pruned = 0;
    for (;;) {
      const count = await this.#write((intents) => intents.prune(this.#retentionMs, BATCH));
      pruned += count;
      if (count < BATCH) return pruned;
    }
  }

  async close(): Promise<void> {
    await this.#pruning;
    await this.#database.close();
  }

  /** Beside the work of others, and without a word: what can't be pruned now is pruned later. */
  #noteSettled(): void {
    this.#settled += 1;
    if (this.#settled % PRUNED_EACH !== 1 || this.#pruning !== undefined) return;
    this.#pruning = this.prune()
      .catch(() => undefined)
      .finally(() => {
        this.#pruning = undefined;
      });
  }

  #write<Result>(work: (intents: IntentStatements) => Promise<Result>): Promise<Result> {
    return named(this.#database.write((query) => work(this.#on(query))));
  }

  #read<Result>(work: (intents: IntentStatements) => Promise<Result>): Promise<Result> {
    return named(this.#database.read((query) => work(this.#on(query))));
  }

  #on(query: Query): IntentStatements {
    return new IntentStatements(query, this.#database.schema);
  }
}

function heldOf({ stored, fence }: HeldIntent): HeldIntent {
  return { stored, fence };
}

/** Failures of the database, as those of a journal. */
async function named<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof DatabaseFailure)) throw error;
    const { kind, message, nextStep, cause } = error;
    throw new JournalError({ fault: kind, what: message, nextStep, ...(cause !== undefined && { cause }) });
  }
}
