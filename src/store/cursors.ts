import { NOW, silenceOf, textOf, type Unit } from './table.js';

/** How far a follower is. */
export interface CursorRow {
  /** JSON of what the follower needs to continue; undefined before it has handled anything. */
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

export function cursorTable({ tables: { cursors } }: Unit): CursorTable {
  return {
    async get(name) {
      const [row] = await cursors.select({ name });
      if (row === undefined) return undefined;
      const [value, owner] = [textOf(row.value), textOf(row.owner)];
      return { value, owner, version: Number(row.version), ownerSilentMs: silenceOf(row) };
    },
    async save(name, version, { value = null, owner = null }) {
      const values = { value, owner, owner_seen: NOW, version: version + 1 } as const;
      if (version === 0) return (await cursors.insert({ name, ...values })) !== undefined;
      return (await cursors.update({ name, version }, values)).length === 1;
    },
    async touch(name, owner) {
      await cursors.update({ name, owner }, { owner_seen: NOW });
    },
  };
}
