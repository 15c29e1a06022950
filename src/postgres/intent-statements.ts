import { type Intent, isOpen, namespaceOf, needsBytes, subjectOf } from '../intents/intent.js';
import type { Change, IntentId, LeaseRequest } from '../intents/journal.js';
import { type Found, findIntents } from './intent-rows.js';
import type { Schema } from './schema.js';
import { type Query, textIn, type Value } from './transaction.js';

/** What a change of an intent came to. */
export interface Appended {
  /** The subject of which it opened a settled intent again. */
  readonly opened: string | undefined;
}

/** One transaction's statements on the tables of intents. */
export class IntentStatements {
  readonly #query: Query;
  readonly #schema: Schema;
  readonly #intents: string;
  readonly #entries: string;

  constructor(query: Query, schema: Schema) {
    this.#query = query;
    this.#schema = schema;
    this.#intents = schema.table('intents');
    this.#entries = schema.table('intent_entries');
  }

  /**
   * Exclusive ones of a subject, and those that are opened again, wait for each other here, until the one before has
   * committed. No unique index can do it: those that aren't exclusive may stand beside each other. Two subjects with one
   * hash only wait needlessly.
   */
  async lockSubject(namespace: string, subject: string): Promise<void> {
    await this.#query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text', [
      `vehicle-auction-sdk subject ${this.#schema.name} ${namespace} ${subject}`,
    ]);
  }

  /**
   * Looks for the key first: an insert would wait for whoever is changing the intent that has it, and he may wait for
   * the subject.
   *
   * @returns false where the key is taken, or an open intent stands against it; then nothing was written
   */
  async insert(intent: Intent, change: Change, lease: LeaseRequest, isExclusive: boolean): Promise<boolean> {
    const { text, ...body } = intent.body;
    const open = isOpen(change.state);
    const inserted = await this.#query(
      `WITH made AS (
        INSERT INTO ${this.#intents} (
          namespace, key, subject, state, is_open, client_id, dealer_id, operation, lot, amount, bidder_reference,
          place_by, body_sha256, intent, body, entry_count, owner, lease_until, fence, settled_at
        )
        SELECT $1, $2, $3, $4, $5::boolean, $6, $7, $8, $9, $10, $11, $12::timestamptz, $13, $14::json, $15::json,
          cardinality($18::text[]), $16, clock_timestamp() + $17::float8 * interval '1 millisecond', 1,
          CASE WHEN NOT $5::boolean THEN clock_timestamp() END
        WHERE NOT EXISTS (SELECT FROM ${this.#intents} WHERE namespace = $1 AND key = $2)
          AND (NOT $20::boolean OR NOT EXISTS (
            SELECT FROM ${this.#intents} WHERE namespace = $1 AND subject = $3 AND is_open
          ))
        ON CONFLICT (namespace, key) DO NOTHING
        RETURNING id
      ), added AS (
        INSERT INTO ${this.#entries} (intent, number, type, entry)
        SELECT made.id, e.number, e.type, e.entry::json
        FROM made, unnest($18::text[], $19::text[]) WITH ORDINALITY AS e (entry, type, number)
      )
      SELECT id::text FROM made`,
      [
        namespaceOf(intent.account),
        intent.key,
        subjectOf(intent) ?? null,
        change.state,
        open,
        shown(intent.account.clientId),
        shown(intent.account.dealerId),
        shown(intent.operation),
        shown(intent.bid?.lot),
        shown(intent.bid?.amount),
        shown(intent.bid?.bidderReference),
        momentOf(intent.bid?.placeBy),
        intent.body.sha256,
        JSON.stringify({ ...intent, body }),
        text === undefined || !needsBytes(change.state) ? null : JSON.stringify(text),
        lease.owner,
        String(lease.ttlMs),
        ...entriesOf(change),
        isExclusive,
      ],
    );
    return inserted.length > 0;
  }

  /** @returns undefined where somebody took over, or there is no such intent; then nothing was written */
  async append({ namespace, key }: IntentId, fence: number, change: Change): Promise<Appended | undefined> {
    const [updated] = await this.#query(
      `WITH was AS (
        SELECT id, is_open FROM ${this.#intents}
        WHERE namespace = $1 AND key = $2 AND fence = $3::bigint
        FOR NO KEY UPDATE
      ), held AS (
        UPDATE ${this.#intents} AS i SET
          state = $4,
          is_open = $5::boolean,
          entry_count = entry_count + cardinality($6::text[]),
          body = CASE WHEN $8::boolean THEN body END,
          changed_at = clock_timestamp(),
          settled_at = CASE WHEN NOT $5::boolean THEN clock_timestamp() END
        FROM was WHERE i.id = was.id
        RETURNING i.id, i.entry_count - cardinality($6::text[]) AS before, i.is_open AND NOT was.is_open AS is_again,
          i.subject
      ), added AS (
        INSERT INTO ${this.#entries} (intent, number, type, entry)
        SELECT held.id, held.before + e.number, e.type, e.entry::json
        FROM held, unnest($6::text[], $7::text[]) WITH ORDINALITY AS e (entry, type, number)
      )
      SELECT is_again::text, subject FROM held`,
      [
        namespace,
        key,
        String(fence),
        change.state,
        isOpen(change.state),
        ...entriesOf(change),
        needsBytes(change.state),
      ],
    );
    if (updated === undefined) return undefined;
    const isAgain = textIn(updated, 'is_again') === 'true';
    return { opened: isAgain && updated['subject'] !== null ? textIn(updated, 'subject') : undefined };
  }

  /** @returns false where somebody else holds it, or there is no such intent */
  async take({ namespace, key }: IntentId, { owner, ttlMs }: LeaseRequest): Promise<boolean> {
    const taken = await this.#query(
      `UPDATE ${this.#intents}
      SET owner = $3, fence = fence + 1, lease_until = clock_timestamp() + $4::float8 * interval '1 millisecond'
      WHERE namespace = $1 AND key = $2 AND (${isFree} OR owner = $3)
      RETURNING id::text`,
      [namespace, key, owner, String(ttlMs)],
    );
    return taken.length > 0;
  }

  /** Takes up to `limit` open ones, passing over those that somebody else is just about to take. */
  async takeOpen(
    namespace: string,
    { owner, ttlMs }: LeaseRequest,
    limit: number,
  ): Promise<readonly Found[]> {
    const taken = await this.#query(
      `WITH free AS (
        SELECT id FROM ${this.#intents}
        WHERE namespace = $1 AND is_open AND ${isFree}
        ORDER BY id LIMIT $4::bigint
        FOR UPDATE SKIP LOCKED
      )
      UPDATE ${this.#intents} AS i
      SET owner = $2, fence = fence + 1, lease_until = clock_timestamp() + $3::float8 * interval '1 millisecond'
      FROM free WHERE i.id = free.id
      RETURNING i.id::text`,
      [namespace, owner, String(ttlMs), String(limit)],
    );
    if (taken.length === 0) return [];
    // A statement of its own: only what it sees is surely what these leases were taken of.
    return this.found('i.id = ANY ($1::bigint[])', [taken.map((row) => textIn(row, 'id'))]);
  }

  async release({ namespace, key }: IntentId, fence: number): Promise<void> {
    await this.#query(
      `UPDATE ${this.#intents} SET owner = NULL, lease_until = NULL
      WHERE namespace = $1 AND key = $2 AND fence = $3::bigint`,
      [namespace, key, String(fence)],
    );
  }

  /** Open intents that an exclusive one of this subject can't stand beside. */
  blocking(intent: Intent): Promise<readonly Found[]> {
    return this.found('i.namespace = $1 AND i.subject = $2 AND i.is_open', [
      namespaceOf(intent.account),
      subjectOf(intent) ?? null,
    ]);
  }

  async at({ namespace, key }: IntentId): Promise<Found | undefined> {
    const [found] = await this.found('i.namespace = $1 AND i.key = $2', [namespace, key]);
    return found;
  }

  found(condition: string, values: readonly Value[], limit?: number): Promise<readonly Found[]> {
    return findIntents(this.#query, this.#schema, condition, values, limit);
  }

  /** Deletes some of the intents that have been settled for so long. @returns how many */
  async prune(olderThanMs: number, limit: number): Promise<number> {
    const pruned = await this.#query(
      `WITH old AS (
        SELECT id FROM ${this.#intents}
        WHERE NOT is_open AND ${isFree}
          AND settled_at <= clock_timestamp() - $1::float8 * interval '1 millisecond'
        ORDER BY settled_at LIMIT $2::bigint
        FOR UPDATE SKIP LOCKED
      )
      DELETE FROM ${this.#intents} AS i USING old WHERE i.id = old.id
      RETURNING i.id::text`,
      [String(olderThanMs), String(limit)],
    );
    return pruned.length;
  }
}

const isFree = '(lease_until IS NULL OR lease_until <= clock_timestamp())';

/** Entries and their types, as two lists of text. */
function entriesOf({ entries }: Change): [string[], string[]] {
  return [entries.map((entry) => JSON.stringify(entry)), entries.map(({ type }) => type)];
}

/** Text in a column that is there for people: no text of a caller may make a write fail, and Postgres has no NUL. */
function shown(text: string | undefined): string | null {
  return text?.replaceAll('\0', '\ufffd') ?? null;
}

const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** A moment in a column that is there for people. */
function momentOf(ms: number | undefined): string | null {
  return ms !== undefined && ms >= 0 && ms <= LAST_MS ? new Date(ms).toISOString() : null;
}
