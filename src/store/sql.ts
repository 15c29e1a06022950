import { StoreError } from '../errors/store.js';
import { sqlAccount } from './account.js';
import { sqlAudit } from './audit.js';
import { sqlCursors } from './cursors.js';
import { sqlDepartures } from './departures.js';
import { sqlEvidence } from './evidence.js';
import { thisProcess } from './process.js';
import { SCHEMA_VERSION, schema, table } from './schema.js';
import type { SqlDriver, SqlQuery, SqlValue } from './sql-driver.js';
import { SqlIntents } from './sql-intents.js';
import type { Store, StoreProcess, StoreTransaction } from './store.js';
import { sqlWebhookEvents } from './webhook-events.js';

export interface SqlStoreOptions {
  /** Where departures of the shared quota are kept: they need no sync. With the rest when left out. */
  readonly departures?: SqlDriver | undefined;
  /** For tests that play several processes. */
  readonly process?: StoreProcess | undefined;
}

/** Makes a store of a SQL database. Creates its tables on first use. */
export function sqlStore(
  driver: SqlDriver,
  { process = thisProcess(), departures = driver }: SqlStoreOptions = {},
): Store {
  let ready: Promise<void> | undefined;
  const underWay = new Set<Promise<unknown>>();
  const prepare = () => {
    const preparing = prepareTables(driver);
    // A failure is not remembered: the next use tries again.
    preparing.catch(() => {
      if (ready === preparing) ready = undefined;
    });
    return preparing;
  };
  return {
    name: driver.name,
    durable: driver.durable,
    process,
    departures: driver.durable ? sqlDepartures(departures) : undefined,
    async transaction(account, work) {
      ready ??= prepare();
      const run = ready.then(() =>
        driver.transaction(account, (query) => runUnit(driver, account, query, work)),
      );
      underWay.add(run);
      try {
        return await run;
      } finally {
        underWay.delete(run);
      }
    },
    async close() {
      await Promise.allSettled(underWay);
      ready = undefined;
      await driver.close();
      if (departures !== driver) await departures.close();
    },
  };
}

/** Fails a unit of work if any of its statements failed: after that, databases differ in what they keep. */
async function runUnit<T>(
  driver: SqlDriver,
  account: string,
  query: SqlQuery,
  work: (tx: StoreTransaction) => Promise<T>,
): Promise<T> {
  let failure: { readonly error: unknown } | undefined;
  let over = false;
  const checked = async (sql: string, values?: readonly SqlValue[]) => {
    if (over) throw new Error('The transaction is over. Await every call on it.');
    // Some failures end the transaction in the database, so a later statement would be committed on its own.
    if (failure !== undefined) throw failure.error;
    try {
      return await query(sql, values);
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  try {
    const unit = { account, now: driver.now, query: checked };
    const result = await work({
      intents: new SqlIntents(unit),
      evidence: sqlEvidence(unit),
      account: sqlAccount(unit),
      webhookEvents: sqlWebhookEvents(unit),
      audit: sqlAudit(unit),
      cursors: sqlCursors(unit),
      query: checked,
    });
    if (failure !== undefined) throw failure.error;
    return result;
  } finally {
    over = true;
  }
}

/** Reads the version first: a role that may not create tables can still use those that are there. */
async function prepareTables(driver: SqlDriver): Promise<void> {
  let version: string | undefined;
  try {
    version = await driver.transaction('', readVersion);
  } catch (error) {
    if (!(error instanceof StoreError && error.reason === 'schema')) throw error;
  }
  version ??= await driver.transaction('', async (query) => {
    for (const statement of schema(driver.serial)) await query(statement);
    await query(
      `INSERT INTO ${table.meta} (name, value) VALUES ('schema', $1) ON CONFLICT (name) DO NOTHING`,
      [SCHEMA_VERSION],
    );
    return readVersion(query);
  });
  if (version === SCHEMA_VERSION) return;
  throw new StoreError({
    reason: 'schema',
    what: `${driver.name} can't be used: its tables have version ${version ?? 'none'}, and this package knows ${SCHEMA_VERSION}.`,
    nextStep: 'Use the version of the package that created them, or another place for the store.',
  });
}

async function readVersion(query: SqlQuery): Promise<string | undefined> {
  const [row] = await query(`SELECT value FROM ${table.meta} WHERE name = 'schema'`);
  return row === undefined ? undefined : String(row['value']);
}
