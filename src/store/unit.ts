import { accountRow } from './account.js';
import { auditTable } from './audit.js';
import { cursorTable } from './cursors.js';
import { evidenceTable, type IntentTable, intentTable } from './intents.js';
import type { TableName } from './schema.js';
import type { StoreTransaction } from './store.js';
import type { Step, Table, Tables, Unit } from './table.js';
import { webhookEventTable } from './webhook-events.js';

/** What a kind of store gives for a unit of work. */
export interface Engine {
  readonly table: (name: TableName) => Table<string>;
  readonly exposure: IntentTable['exposure'];
  readonly query?: StoreTransaction['query'];
}

/** Runs a unit of work. If one of its steps failed it fails: after that, databases differ in what they keep. */
export async function runUnit<T>(
  engineOf: (step: Step) => Engine,
  work: (tx: StoreTransaction) => Promise<T>,
): Promise<T> {
  let failure: { readonly error: unknown } | undefined;
  let isOver = false;
  const step: Step = async (action) => {
    if (isOver) throw new Error('The transaction is over. Await every call on it.');
    // Some failures end the transaction in the database, so a later statement would be committed on its own.
    if (failure !== undefined) throw failure.error;
    try {
      return await action();
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  const engine = engineOf(step);
  const unit: Unit = { step, tables: tablesOf(engine.table) };
  const account = accountRow(unit);
  try {
    const result = await work({
      intents: intentTable(unit, account, engine.exposure),
      evidence: evidenceTable(unit),
      account,
      webhookEvents: webhookEventTable(unit),
      audit: auditTable(unit),
      cursors: cursorTable(unit),
      query: engine.query,
    });
    if (failure !== undefined) throw failure.error;
    return result;
  } finally {
    isOver = true;
  }
}

function tablesOf(table: Engine['table']): Tables {
  return {
    accounts: table('accounts'),
    intents: table('intents'),
    evidence: table('evidence'),
    webhook_events: table('webhook_events'),
    audit: table('audit'),
    cursors: table('cursors'),
  };
}
