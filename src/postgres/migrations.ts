import type { Schema } from './schema.js';

/** One step from one shape of the tables to the next. */
export interface Migration {
  /** Never changed, nor is what it does: databases remember it by this. */
  readonly id: string;
  /** Statements of SQL, run in one transaction with those before it. */
  sql(schema: Schema): string;
}

/**
 * Every shape the tables have had, in order. Append only: what was released stays as it is. Whatever else will be kept on
 * the same pool adds its tables here, so that there is one list, and one number of a database's version.
 */
export const migrations: readonly Migration[] = [
  {
    id: '001-intents',
    sql: (schema) => `
      CREATE TABLE ${schema.table('intents')} (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        namespace text NOT NULL,
        key text NOT NULL,
        subject text,
        state text NOT NULL,
        is_open boolean NOT NULL,
        client_id text NOT NULL,
        dealer_id text NOT NULL,
        operation text NOT NULL,
        lot text,
        amount text,
        bidder_reference text,
        place_by timestamptz,
        body_sha256 text NOT NULL,
        intent json NOT NULL,
        body json,
        entry_count integer NOT NULL,
        owner text,
        lease_until timestamptz,
        fence bigint NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        settled_at timestamptz,
        UNIQUE (namespace, key)
      );
      CREATE INDEX intents_by_key ON ${schema.table('intents')} (key);
      CREATE INDEX open_intents_by_age ON ${schema.table('intents')} (namespace, id) WHERE is_open;
      CREATE INDEX open_intents_by_subject ON ${schema.table('intents')} (namespace, subject) WHERE is_open;
      CREATE INDEX settled_intents_by_age ON ${schema.table('intents')} (settled_at) WHERE NOT is_open;
      CREATE TABLE ${schema.table('intent_entries')} (
        intent bigint NOT NULL REFERENCES ${schema.table('intents')} ON DELETE CASCADE,
        number integer NOT NULL,
        type text NOT NULL,
        entry json NOT NULL,
        written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (intent, number)
      );`,
  },
  {
    id: '002-open-intents',
    sql: (schema) => `
      CREATE VIEW ${schema.table('open_intents')} AS
        SELECT
          i.key, i.state, i.operation, i.lot, i.amount, i.bidder_reference, i.client_id, i.dealer_id, i.place_by,
          (SELECT count(*) FROM ${schema.table('intent_entries')} e
            WHERE e.intent = i.id AND e.type = 'attempt') AS attempts,
          i.created_at,
          i.changed_at,
          CASE WHEN i.lease_until > clock_timestamp() THEN i.owner END AS held_by
        FROM ${schema.table('intents')} i
        WHERE i.is_open
        ORDER BY i.id;`,
  },
];
