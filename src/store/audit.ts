import { textOf, type Unit } from './table.js';

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

export function auditTable({ tables: { audit } }: Unit): AuditTable {
  const select = async (where: Parameters<typeof audit.select>[0], limit: number) => {
    const rows = await audit.select(where, { order: ['id'], limit });
    return rows.map((row) => ({
      sequence: Number(row.id),
      about: String(row.about),
      key: textOf(row.key),
      phase: String(row.phase),
      atMs: Number(row.at_ms),
      content: String(row.content),
    }));
  };
  return {
    async append({ about, key = null, phase, atMs, content }) {
      await audit.insert({ about, key, phase, at_ms: atMs, content, sunk: false });
    },
    list: ({ about, after = 0, limit }) =>
      select({ id: { is: '>', than: after }, ...(about !== undefined && { about }) }, limit),
    unsunk: (limit) => select({ sunk: false }, limit),
    async setSunk(sequence) {
      await audit.update({ sunk: false, id: { is: '<=', than: sequence } }, { sunk: true });
    },
  };
}
