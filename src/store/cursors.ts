import { table } from './schema.js';
import { type SqlUnit, textOf } from './sql-driver.js';
import type { Undo } from './undo.js';

/** How far a follower is. */
export interface CursorRow {
  /** JSON of what the follower needs to go on; undefined before it has handled anything. */
  readonly value: string | undefined;
  /** The process and follower that work under this name. */
  readonly owner: string | undefined;
}

export interface StoredCursor extends CursorRow {
  /** Counts the saves, from 1. */
  readonly version: number;
  /** Milliseconds since a save or `touch`, by the store's clock. */
  readonly ownerSilentMs: number;
}

/** How far followers are, by name. */
export interface CursorTable {
  get(name: string): Promise<StoredCursor | undefined>;
  /** Saves a cursor whose version is still this one, 0 for a new one; false where it no longer is. */
  save(name: string, version: number, row: CursorRow): Promise<boolean>;
  /** Says that the owner is alive. */
  touch(name: string, owner: string): Promise<void>;
}

export function sqlCursors({ account, query, now }: SqlUnit): CursorTable {
  const { cursors } = table;
  return {
    async get(name) {
      const [row] = await query(
        `SELECT value, owner, version, ${now} - owner_seen AS silent_ms FROM ${cursors}
         WHERE account = $1 AND name = $2`,
        [account, name],
      );
      if (row === undefined) return undefined;
      return {
        value: textOf(row['value']),
        owner: textOf(row['owner']),
        version: Number(row['version']),
        ownerSilentMs: Math.max(0, Number(row['silent_ms'])),
      };
    },
    async save(name, version, { value, owner }) {
      const values = [account, name, value ?? null, owner ?? null];
      const saved =
        version === 0
          ? await query(
              `INSERT INTO ${cursors} (account, name, value, owner, owner_seen) VALUES ($1, $2, $3, $4, ${now})
               ON CONFLICT DO NOTHING RETURNING name`,
              values,
            )
          : await query(
              `UPDATE ${cursors} SET value = $3, owner = $4, owner_seen = ${now}, version = version + 1
               WHERE account = $1 AND name = $2 AND version = $5 RETURNING name`,
              [...values, version],
            );
      return saved.length === 1;
    },
    async touch(name, owner) {
      await query(
        `UPDATE ${cursors} SET owner_seen = ${now} WHERE account = $1 AND name = $2 AND owner = $3`,
        [account, name, owner],
      );
    },
  };
}

export type KeptCursor = Omit<StoredCursor, 'ownerSilentMs'> & { readonly ownerSeen: number };

/** @param kept cursors by name */
export function memoryCursors(kept: Map<string, KeptCursor>, undo: Undo, now: () => number): CursorTable {
  return {
    async get(name) {
      const found = kept.get(name);
      if (found === undefined) return undefined;
      const { ownerSeen, ...row } = found;
      return { ...row, ownerSilentMs: Math.max(0, now() - ownerSeen) };
    },
    async save(name, version, { value, owner }) {
      if ((kept.get(name)?.version ?? 0) !== version) return false;
      undo.set(kept, name, { value, owner, version: version + 1, ownerSeen: now() });
      return true;
    },
    async touch(name, owner) {
      const row = kept.get(name);
      if (row?.owner === owner) undo.set(kept, name, { ...row, ownerSeen: now() });
    },
  };
}
