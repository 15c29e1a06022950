import { numberOf, textOf, type Unit } from './table.js';

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

/** The row of the account, as the other tables of a unit of work see it. */
export interface Account extends AccountRow {
  /** The next position in the order of settlements: a reader that has seen one has seen all before it. */
  nextSettlement(): Promise<number>;
}

export function accountRow({ tables: { accounts } }: Unit): Account {
  // Read once: nobody else changes it during a unit of work.
  let row: ReturnType<typeof accounts.select> | undefined;
  const read = async () => {
    row ??= accounts.select({});
    return (await row)[0];
  };
  const write = async (values: Parameters<typeof accounts.update>[1]) => {
    row = accounts.update({}, values);
    if ((await row).length > 0) return;
    await accounts.insert({ settled_sequence: 0, ...values });
    row = undefined;
  };
  return {
    halt: async () => textOf((await read())?.halt),
    setHalt: (reason) => write({ halt: reason ?? null }),
    serverTime: async () => numberOf((await read())?.server_ms),
    async noteServerTime(serverMs) {
      const noted = Math.floor(serverMs);
      if ((numberOf((await read())?.server_ms) ?? 0) < noted) await write({ server_ms: noted });
    },
    async nextSettlement() {
      const next = Number((await read())?.settled_sequence ?? 0) + 1;
      await write({ settled_sequence: next });
      return next;
    },
  };
}
