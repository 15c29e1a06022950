import { table } from './schema.js';
import { type SqlUnit, textOf } from './sql-driver.js';
import type { Undo } from './undo.js';

/** Which key a verdict's ids were first seen under. */
export interface EvidenceTable {
  /** Records it, and returns the key that holds it: this one, or the one that was first. */
  claim(kind: 'bid_id' | 'request_id', value: string, key: string): Promise<string>;
  /** The key that holds it; undefined where none does. */
  holder(kind: 'bid_id' | 'request_id', value: string): Promise<string | undefined>;
}

export function sqlEvidence({ account, query }: SqlUnit): EvidenceTable {
  return {
    async claim(kind, value, key) {
      // What it sets is what is there: so the row comes back in both cases.
      const [holder] = await query(
        `INSERT INTO ${table.evidence} (account, kind, value, key) VALUES ($1, $2, $3, $4)
         ON CONFLICT (account, kind, value) DO UPDATE SET key = ${table.evidence}.key RETURNING key`,
        [account, kind, value, key],
      );
      return String(holder?.['key']);
    },
    async holder(kind, value) {
      const [found] = await query(
        `SELECT key FROM ${table.evidence} WHERE account = $1 AND kind = $2 AND value = $3`,
        [account, kind, value],
      );
      return textOf(found?.['key']);
    },
  };
}

/** @param kept keys by kind and value */
export function memoryEvidence(kept: Map<string, string>, undo: Undo): EvidenceTable {
  return {
    async claim(kind, value, key) {
      const name = `${kind} ${value}`;
      const first = kept.get(name);
      if (first === undefined) undo.set(kept, name, key);
      return first ?? key;
    },
    async holder(kind, value) {
      return kept.get(`${kind} ${value}`);
    },
  };
}
