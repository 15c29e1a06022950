import { isOpen, needsBytes } from '../intent.js';
import { type IntentTable, withoutBytes } from '../intent-table.js';
import type { IntentId, StoredIntent } from '../journal.js';
import { damaged } from './faults.js';
import type { Decoded } from './format.js';
import { type ChangedRecord, idOf, isJournalRecord, type MadeRecord } from './records.js';

interface Kept {
  stored: Omit<StoredIntent, 'lease'>;
  /** What its records take in the file. */
  bytes: number;
}

/** What the records of a file come to. */
export class Replay {
  readonly #path: string;
  /** In the order they were made. */
  readonly #kept = new Map<string, Kept>();
  #opening = 0;
  #isClosed = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** How many processes wrote so far. */
  get opening(): number {
    return this.#opening;
  }

  /** True where the last who wrote took leave, so that everything read is known to be durable. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  get intents(): number {
    return this.#kept.size;
  }

  /** About how many bytes would be left if the file were written anew. */
  usefulBytes(isExpired: (stored: Kept['stored']) => boolean): number {
    let sum = 0;
    for (const { stored, bytes } of this.#kept.values()) {
      if (isExpired(stored)) continue;
      sum += bytes - (isOpen(stored.state) ? 0 : (stored.intent.body.text?.length ?? 0));
    }
    return sum;
  }

  /** @throws JournalError `damaged` where a record can't follow those before. */
  take({ payload, offset, length }: Decoded): void {
    if (!isJournalRecord(payload)) throw damaged(this.#path, offset, 'a record is of no known type');
    this.#isClosed = payload.type === 'closed';
    if (payload.type === 'opened') this.#opening = payload.opening;
    if (payload.type === 'made') this.#make(payload, offset, length);
    if (payload.type === 'changed') this.#change(payload, offset, length);
  }

  /** @param fence the last that may have been given out */
  fill(table: IntentTable, fence: number): void {
    for (const { stored } of this.#kept.values()) {
      const intent = needsBytes(stored.state) ? stored.intent : withoutBytes(stored.intent);
      table.load({ ...stored, intent }, fence);
    }
  }

  #make({ intent, entries, state }: MadeRecord, offset: number, length: number): void {
    const name = nameOf(idOf(intent));
    const before = this.#kept.get(name);
    // One that was dropped from memory, and whose key was used again before the file was rewritten.
    if (before !== undefined && isOpen(before.stored.state)) {
      throw damaged(this.#path, offset, 'an intent is made a second time');
    }
    this.#kept.delete(name);
    this.#kept.set(name, { stored: { intent, entries, state }, bytes: length });
  }

  #change({ namespace, key, entries, state }: ChangedRecord, offset: number, length: number): void {
    const kept = this.#kept.get(nameOf({ namespace, key }));
    if (kept === undefined) throw damaged(this.#path, offset, 'an intent is changed that was never made');
    kept.bytes += length;
    const { stored } = kept;
    kept.stored = { intent: stored.intent, entries: [...stored.entries, ...entries], state };
  }
}

function nameOf({ namespace, key }: IntentId): string {
  return `${namespace} ${key}`;
}
