import { table } from './schema.js';
import { type SqlRow, type SqlUnit, textOf } from './sql-driver.js';
import type { Undo } from './undo.js';

/** One entry of the audit as it is written; entries are never changed. */
export interface AuditRow {
  /** What it is about, such as a sale id. */
  readonly about: string;
  /** Idempotency key of the command; absent where none was recorded. */
  readonly key?: string | undefined;
  /** `before` a command leaves, `after` its outcome is known, or another word of the use case. */
  readonly phase: string;
  /** Unix ms in server time. */
  readonly atMs: number;
  /** JSON. */
  readonly content: string;
}

export interface StoredAuditRow extends AuditRow {
  /** Position in the order of the entries. */
  readonly sequence: number;
}

/** The audit of one account, inside a transaction. */
export interface AuditTable {
  append(row: AuditRow): Promise<void>;
  /** In the order of the entries, above a sequence; of one subject where it is named. */
  list(query: {
    readonly about?: string | undefined;
    readonly after?: number | undefined;
    readonly limit: number;
  }): Promise<readonly StoredAuditRow[]>;
  /** What the sink has not taken yet, in the order of the entries. */
  unsunk(limit: number): Promise<readonly StoredAuditRow[]>;
  /** The sink has taken everything up to this sequence. */
  setSunk(sequence: number): Promise<void>;
}

export function sqlAudit({ account, query }: SqlUnit): AuditTable {
  const select = async (where: string, values: readonly (string | number)[]) => {
    const rows = await query(
      `SELECT id, about, key, phase, at_ms, content FROM ${table.audit} WHERE account = $1 AND ${where}`,
      [account, ...values],
    );
    return rows.map(storedOf);
  };
  return {
    async append({ about, key, phase, atMs, content }) {
      await query(
        `INSERT INTO ${table.audit} (account, about, key, phase, at_ms, content) VALUES ($1, $2, $3, $4, $5, $6)`,
        [account, about, key ?? null, phase, atMs, content],
      );
    },
    list: ({ about, after = 0, limit }) =>
      about === undefined
        ? select('id > $2 ORDER BY id LIMIT $3', [after, limit])
        : select('about = $2 AND id > $3 ORDER BY id LIMIT $4', [about, after, limit]),
    unsunk: (limit) => select('sunk = 0 ORDER BY id LIMIT $2', [limit]),
    async setSunk(sequence) {
      await query(`UPDATE ${table.audit} SET sunk = 1 WHERE account = $1 AND sunk = 0 AND id <= $2`, [
        account,
        sequence,
      ]);
    },
  };
}

function storedOf(row: SqlRow): StoredAuditRow {
  return {
    sequence: Number(row['id']),
    about: String(row['about']),
    key: textOf(row['key']),
    phase: String(row['phase']),
    atMs: Number(row['at_ms']),
    content: String(row['content']),
  };
}

/** A row as it is kept. */
export type KeptAuditRow = StoredAuditRow & { readonly sunk: boolean };

/** @param kept rows by sequence */
export function memoryAudit(kept: Map<string, KeptAuditRow>, undo: Undo): AuditTable {
  const find = (matches: (row: KeptAuditRow) => boolean, limit: number) =>
    [...kept.values()]
      .filter(matches)
      .slice(0, limit)
      .map(({ sunk: _, ...row }) => row);
  return {
    async append(row) {
      const sequence = kept.size + 1;
      undo.set(kept, String(sequence), { ...row, sequence, sunk: false });
    },
    list: async ({ about, after = 0, limit }) =>
      find((row) => row.sequence > after && (about === undefined || row.about === about), limit),
    unsunk: async (limit) => find(({ sunk }) => !sunk, limit),
    async setSunk(sequence) {
      for (const [name, row] of kept) {
        if (row.sequence <= sequence && !row.sunk) undo.set(kept, name, { ...row, sunk: true });
      }
    },
  };
}
