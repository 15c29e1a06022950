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

export function accountRow({ tables: { accounts } }: Unit): AccountRow & {
  /** The next position in the order of settlements: a reader that has seen one has seen all before it. */
  nextSettlement(): Promise<number>;
} {
  const read = async () => (await accounts.select({}))[0];
  const write = async (values: Parameters<typeof accounts.update>[1]) => {
    const updated = await accounts.update({}, values);
    if (updated.length === 0) await accounts.insert({ settled_sequence: 0, ...values });
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
