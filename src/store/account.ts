import { table } from './schema.js';
import { numberOf, type SqlUnit, type SqlValue, textOf } from './sql-driver.js';
import type { Undo } from './undo.js';

/** What holds for a whole account. */
export interface AccountRow {
  /** Why no bid of this account may leave; undefined where bids may. */
  halt(): Promise<string | undefined>;
  setHalt(reason: string | undefined): Promise<void>;
  /** The latest server time that any process has seen, Unix ms. */
  serverTime(): Promise<number | undefined>;
  /** Moves it forward, never back. */
  noteServerTime(serverMs: number): Promise<void>;
}

export function sqlAccount({ account, query }: SqlUnit): AccountRow {
  const read = async (column: 'halt' | 'server_ms') => {
    const [row] = await query(`SELECT ${column} FROM ${table.accounts} WHERE account = $1`, [account]);
    return row?.[column];
  };
  return {
    halt: async () => textOf(await read('halt')),
    async setHalt(reason) {
      await query(
        `INSERT INTO ${table.accounts} (account, halt) VALUES ($1, $2)
         ON CONFLICT (account) DO UPDATE SET halt = excluded.halt`,
        [account, reason ?? null],
      );
    },
    serverTime: async () => numberOf(await read('server_ms')),
    async noteServerTime(serverMs) {
      await query(
        `INSERT INTO ${table.accounts} (account, server_ms) VALUES ($1, $2)
         ON CONFLICT (account) DO UPDATE SET server_ms = excluded.server_ms
         WHERE COALESCE(${table.accounts}.server_ms, 0) < excluded.server_ms`,
        [account, Math.floor(serverMs)],
      );
    },
  };
}

/** @param kept `halt` and `server_ms` */
export function memoryAccount(kept: Map<string, SqlValue>, undo: Undo): AccountRow {
  return {
    halt: async () => textOf(kept.get('halt')),
    setHalt: async (reason) => undo.set(kept, 'halt', reason),
    serverTime: async () => numberOf(kept.get('server_ms')),
    async noteServerTime(serverMs) {
      undo.set(kept, 'server_ms', Math.max(Number(kept.get('server_ms') ?? 0), Math.floor(serverMs)));
    },
  };
}
