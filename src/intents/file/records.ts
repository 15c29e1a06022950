import type { Entry } from '../entry.js';
import { type Intent, type IntentState, namespaceOf } from '../intent.js';
import type { Change, IntentId, StoredIntent } from '../journal.js';

/** What a payload says. The names stand in files: a change of them is a new format version. */
export type JournalRecord = OpenedRecord | MadeRecord | ChangedRecord | ClosedRecord;

/** A process began to write. */
export interface OpenedRecord {
  readonly type: 'opened';
  /** How many did so before, and this one: fences begin above those of earlier ones. */
  readonly opening: number;
  /** Unix ms. */
  readonly at: number;
  readonly pid: number;
}

/** An intent with its first entries; with all of them where the file was rewritten. */
export interface MadeRecord {
  readonly type: 'made';
  readonly intent: Intent;
  readonly entries: readonly Entry[];
  readonly state: IntentState;
}

/** Further entries of an intent, and where it stands with them. */
export interface ChangedRecord {
  readonly type: 'changed';
  readonly namespace: string;
  readonly key: string;
  readonly entries: readonly Entry[];
  readonly state: IntentState;
}

/** Nothing was under way when the journal was closed, and everything before is durable. */
export interface ClosedRecord {
  readonly type: 'closed';
  /** Unix ms. */
  readonly at: number;
}

export function made({ intent, entries, state }: Omit<StoredIntent, 'lease'>): MadeRecord {
  return { type: 'made', intent, entries, state };
}

export function changed({ namespace, key }: IntentId, { entries, state }: Change): ChangedRecord {
  return { type: 'changed', namespace, key, entries, state };
}

export function idOf({ account, key }: Intent): IntentId {
  return { namespace: namespaceOf(account), key };
}

/** Whether a payload is a record of ours. What has the right checksum was written by us, so its type tells enough. */
export function isJournalRecord(payload: unknown): payload is JournalRecord {
  return (
    typeof payload === 'object' &&
    payload !== null &&
    'type' in payload &&
    typeof payload.type === 'string' &&
    types.has(payload.type)
  );
}

const types = new Set<string>(['opened', 'made', 'changed', 'closed'] satisfies JournalRecord['type'][]);
