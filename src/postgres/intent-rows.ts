import type { Entry } from '../intents/entry.js';
import type { Intent, IntentState } from '../intents/intent.js';
import type { HeldIntent, StoredIntent } from '../intents/journal.js';
import { DatabaseFailure } from './failure.js';
import type { Schema } from './schema.js';
import { type Query, type Row, textIn, type Value } from './transaction.js';

/** An intent as it lies in the tables. */
export interface Found extends HeldIntent {
  /** Grows with age. */
  readonly row: bigint;
}

/**
 * Intents for which a condition on `i` holds, the oldest first. Columns come as text, so that it doesn't matter which
 * parsers of types a program has set for all of pg.
 */
export async function findIntents(
  query: Query,
  schema: Schema,
  condition: string,
  values: readonly Value[],
  limit?: number,
): Promise<readonly Found[]> {
  const rows = await query(
    `SELECT
      i.id::text AS row, i.intent::text AS intent, i.body::text AS body, i.state, i.fence::text AS fence, i.owner,
      ceil(1000 * extract(epoch FROM i.lease_until - clock_timestamp()))::text AS lease_ms,
      (SELECT '[' || string_agg(e.entry::text, ',' ORDER BY e.number) || ']'
        FROM ${schema.table('intent_entries')} e WHERE e.intent = i.id) AS entries
    FROM ${schema.table('intents')} i
    WHERE ${condition}
    ORDER BY i.id${limit === undefined ? '' : ` LIMIT ${limit}`}`,
    values,
  );
  return rows.map(foundIn);
}

function foundIn(row: Row): Found {
  return {
    row: BigInt(textIn(row, 'row')),
    fence: Number(textIn(row, 'fence')),
    stored: {
      intent: intentIn(row),
      entries: row['entries'] === null ? [] : parsed<Entry[]>(row, 'entries'),
      state: stateIn(row),
      ...leaseIn(row),
    },
  };
}

function intentIn(row: Row): Intent {
  const intent = parsed<Intent>(row, 'intent');
  if (row['body'] === null) return intent;
  return { ...intent, body: { ...intent.body, text: parsed<string>(row, 'body') } };
}

const states: Readonly<Record<IntentState, true>> = {
  prepared: true,
  unknown: true,
  quarantined: true,
  accepted: true,
  rejected: true,
  done: true,
  refused: true,
  not_sent: true,
  abandoned: true,
};

function stateIn(row: Row): IntentState {
  const state = textIn(row, 'state');
  if (isState(state)) return state;
  throw new DatabaseFailure(
    'unknown_format',
    `An intent has the state ${JSON.stringify(state)}, which this version doesn't know.`,
    'Bring every process to the newest version of vehicle-auction-sdk that has written there.',
  );
}

function isState(text: string): text is IntentState {
  return Object.hasOwn(states, text);
}

function leaseIn(row: Row): Pick<StoredIntent, 'lease'> {
  const leftMs = Number(row['lease_ms'] ?? 0);
  return leftMs > 0 ? { lease: { owner: textIn(row, 'owner'), leftMs } } : {};
}

function parsed<Value>(row: Row, column: string): Value {
  return JSON.parse(textIn(row, column)) as Value;
}
