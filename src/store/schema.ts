/** Counts changes of the tables below. A store with another version is not touched. */
export const SCHEMA_VERSION = '1';

/** Prefixed, because the tables may share a database with others. */
export const table = {
  meta: 'vehicle_auction_meta',
  accounts: 'vehicle_auction_accounts',
  intents: 'vehicle_auction_intents',
  evidence: 'vehicle_auction_evidence',
  webhookEvents: 'vehicle_auction_webhook_events',
  audit: 'vehicle_auction_audit',
  departures: 'vehicle_auction_departures',
  cursors: 'vehicle_auction_cursors',
} as const;

/**
 * The statements that make the tables, in the SQL that SQLite and Postgres share.
 *
 * @param serial column type of a row id that the database counts up
 */
export function schema(serial: string): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${table.meta} (name TEXT PRIMARY KEY, value TEXT NOT NULL)`,
    // One row for each account that has a halt, a known server time or a settled intent.
    `CREATE TABLE IF NOT EXISTS ${table.accounts} (
      account TEXT PRIMARY KEY,
      halt TEXT,
      server_ms BIGINT,
      settled_sequence BIGINT NOT NULL DEFAULT 0)`,
    `CREATE TABLE IF NOT EXISTS ${table.intents} (
      id ${serial},
      account TEXT NOT NULL,
      key TEXT NOT NULL,
      state TEXT NOT NULL,
      open INTEGER NOT NULL,
      provisional INTEGER NOT NULL,
      guarded INTEGER NOT NULL,
      lot TEXT,
      buyer TEXT,
      paise BIGINT,
      closes_at BIGINT,
      once TEXT,
      owner TEXT,
      owner_seen BIGINT NOT NULL,
      content TEXT NOT NULL,
      body TEXT,
      version BIGINT NOT NULL DEFAULT 1,
      settled_sequence BIGINT,
      settled_server_ms BIGINT,
      settled_local_ms BIGINT,
      shrunk INTEGER NOT NULL DEFAULT 0,
      UNIQUE (account, key))`,
    `CREATE TABLE IF NOT EXISTS ${table.evidence} (
      account TEXT NOT NULL,
      kind TEXT NOT NULL,
      value TEXT NOT NULL,
      key TEXT NOT NULL,
      PRIMARY KEY (account, kind, value))`,
    `CREATE INDEX IF NOT EXISTS ${table.evidence}_key ON ${table.evidence} (account, key)`,
    `CREATE TABLE IF NOT EXISTS ${table.webhookEvents} (
      id ${serial},
      account TEXT NOT NULL,
      event_id TEXT NOT NULL,
      fact TEXT,
      type TEXT NOT NULL,
      state TEXT NOT NULL,
      resource TEXT,
      resource_version BIGINT,
      source TEXT NOT NULL,
      body TEXT NOT NULL,
      received_ms BIGINT NOT NULL,
      due_ms BIGINT NOT NULL,
      attempts BIGINT NOT NULL DEFAULT 0,
      owner TEXT,
      owner_seen BIGINT NOT NULL,
      error TEXT,
      version BIGINT NOT NULL DEFAULT 1,
      UNIQUE (account, event_id),
      UNIQUE (account, fact))`,
    `CREATE INDEX IF NOT EXISTS ${table.webhookEvents}_pending ON ${table.webhookEvents} (account, id)
      WHERE state = 'pending'`,
    `CREATE INDEX IF NOT EXISTS ${table.webhookEvents}_resource ON ${table.webhookEvents}
      (account, resource, resource_version) WHERE resource IS NOT NULL`,
    `CREATE INDEX IF NOT EXISTS ${table.webhookEvents}_old ON ${table.webhookEvents} (account, received_ms)
      WHERE state = 'handled' AND body <> ''`,
    `CREATE TABLE IF NOT EXISTS ${table.audit} (
      id ${serial},
      account TEXT NOT NULL,
      about TEXT NOT NULL,
      key TEXT,
      phase TEXT NOT NULL,
      at_ms BIGINT NOT NULL,
      content TEXT NOT NULL,
      sunk INTEGER NOT NULL DEFAULT 0)`,
    `CREATE INDEX IF NOT EXISTS ${table.audit}_about ON ${table.audit} (account, about, id)`,
    `CREATE INDEX IF NOT EXISTS ${table.audit}_unsunk ON ${table.audit} (account, id) WHERE sunk = 0`,
    `CREATE TABLE IF NOT EXISTS ${table.cursors} (
      account TEXT NOT NULL,
      name TEXT NOT NULL,
      value TEXT,
      owner TEXT,
      owner_seen BIGINT NOT NULL,
      version BIGINT NOT NULL DEFAULT 1,
      PRIMARY KEY (account, name))`,
    ...indexes.map(([name, rest]) => {
      const unique = name === 'guard' ? 'UNIQUE ' : '';
      return `CREATE ${unique}INDEX IF NOT EXISTS ${table.intents}_${name} ON ${table.intents} ${rest}`;
    }),
  ];
}

/** Settled for good and still whole: what retention looks at. */
export const PRUNABLE = 'open = 0 AND provisional = 0 AND shrunk = 0';

const indexes = [
  ['guard', '(account, lot, buyer) WHERE guarded = 1'],
  ['account', '(account, id)'],
  ['unresolved', '(account, id) WHERE open = 1 OR provisional = 1'],
  ['settled', '(account, settled_sequence) WHERE settled_sequence IS NOT NULL'],
  ['bids', '(account, lot, closes_at) WHERE lot IS NOT NULL'],
  ['closes', '(account, closes_at, buyer, lot) WHERE lot IS NOT NULL'],
  ['once', '(account, once, id) WHERE once IS NOT NULL'],
  ['owner', '(account, owner) WHERE owner IS NOT NULL'],
  // By server time first: a local clock that is far ahead must not make retention read all rows.
  ['old', `(account, settled_server_ms, settled_local_ms) WHERE ${PRUNABLE}`],
] as const;
