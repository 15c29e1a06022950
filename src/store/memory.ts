import { StoreError } from '../errors/store.js';
import { thisProcess } from './owner.js';
import {
  type Condition,
  NOW,
  type Step,
  shapeOf,
  type Table,
  type TableName,
  type Values,
  type Where,
} from './schema.js';
import type { SqlValue } from './sql-driver.js';
import { runUnit, type Store } from './store.js';

export interface MemoryStoreOptions {
  /** Current time in Unix ms, for the heartbeats of owners. */
  readonly now?: (() => number) | undefined;
}

/** Keeps everything in the memory of this process: for tests and the sandbox. */
export function memoryStore({ now = Date.now }: MemoryStoreOptions = {}): Store {
  const accounts = new Map<string, Map<TableName, Rows>>();
  let turn: Promise<unknown> = Promise.resolve();
  return {
    name: 'memory',
    durable: false,
    process: thisProcess(),
    transaction(account, work) {
      const rowsOf = (name: TableName, of = account) => {
        const tables = accounts.get(of) ?? new Map<TableName, Rows>();
        accounts.set(of, tables);
        const rows = tables.get(name) ?? new Rows(name);
        tables.set(name, rows);
        return rows;
      };
      const run = turn.then(async () => {
        const undo: (() => void)[] = [];
        try {
          return await runUnit(
            (step) => ({
              table: (name) => memoryTable(rowsOf(name), undo, now, step),
              elsewhere: async () =>
                [...accounts.keys()]
                  .filter((other) => other !== account)
                  .map((other) => ({
                    account: other,
                    intents: memoryTable(rowsOf('intents', other), undo, now, step),
                  })),
            }),
            work,
          );
        } catch (error) {
          for (const back of undo.reverse()) back();
          throw error;
        }
      });
      turn = run.catch(() => undefined);
      return run;
    },
    close: async () => {
      await turn;
    },
  };
}

type MemoryRow = Readonly<Record<string, SqlValue>>;

/** The rows of one table, by id and by unique values. */
class Rows {
  readonly byId = new Map<number, MemoryRow>();
  readonly columns: readonly string[];
  /** For each unique constraint, ids by the unique values. */
  readonly #unique: readonly (readonly [
    columns: readonly string[],
    flag: string | undefined,
    Map<string, number>,
  ])[];
  /** For columns that begin an index, ids by value. */
  readonly #indexed = new Map<string, Map<SqlValue, Set<number>>>();
  #lastId = 0;

  constructor(name: TableName) {
    const { columns, unique, indexes = {} } = shapeOf(name);
    for (const index of Object.values(indexes)) {
      const [, column = ''] = /^\(account, (\w+)/.exec(index) ?? [];
      if (columns[column]?.startsWith('TEXT') === true) this.#indexed.set(column, new Map());
    }
    this.columns = Object.keys(columns);
    this.#unique = Object.values(unique).map(({ columns: parts, flag }) => [parts, flag, new Map()]);
  }

  /** Ids are never reused. */
  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** True if the row violates a unique constraint. */
  excludes(row: MemoryRow, id: number): boolean {
    return this.#unique.some(([columns, flag, ids]) => {
      const holder = ids.get(uniqueKeyOf(columns, flag, row) ?? '');
      return holder !== undefined && holder !== id;
    });
  }

  put(id: number, row: MemoryRow | undefined): void {
    const before = this.byId.get(id);
    for (const [columns, flag, ids] of this.#unique) {
      const [old, now] = [
        before && uniqueKeyOf(columns, flag, before),
        row && uniqueKeyOf(columns, flag, row),
      ];
      if (old !== undefined) ids.delete(old);
      if (now !== undefined) ids.set(now, id);
    }
    for (const [column, ids] of this.#indexed) {
      if (before !== undefined) ids.get(before[column] ?? null)?.delete(id);
      if (row === undefined) continue;
      const value = row[column] ?? null;
      ids.set(value, (ids.get(value) ?? new Set()).add(id));
    }
    if (row === undefined) this.byId.delete(id);
    else this.byId.set(id, row);
  }

  find(where: Where<string>): readonly (readonly [id: number, row: MemoryRow])[] {
    const conditions = Object.entries(where);
    const found = [...this.#candidates(where)];
    return found.filter(([, row]) =>
      conditions.every(([column, condition]) => holds(row[column], condition)),
    );
  }

  /** The rows found by an index, or all rows. */
  #candidates(where: Where<string>): Iterable<readonly [number, MemoryRow]> {
    const [columns, , unique] = this.#unique[0] ?? [];
    const given = columns?.map((column) => where[column]);
    if (unique !== undefined && given?.every((value) => typeof value === 'string') === true) {
      return this.#rowsWith([unique.get(JSON.stringify(given)) ?? 0]);
    }
    for (const [column, ids] of this.#indexed) {
      const value = where[column];
      if (typeof value === 'string') return this.#rowsWith(ids.get(value) ?? []);
    }
    return this.byId;
  }

  *#rowsWith(ids: Iterable<number>): Generator<readonly [number, MemoryRow]> {
    for (const id of ids) {
      const row = this.byId.get(id);
      if (row !== undefined) yield [id, row];
    }
  }
}

/** The unique values of a row; undefined if it is exempt. */
function uniqueKeyOf(
  columns: readonly string[],
  flag: string | undefined,
  row: MemoryRow,
): string | undefined {
  const values = columns.map((column) => row[column]);
  if (values.includes(null) || (flag !== undefined && row[flag] !== 1)) return undefined;
  return JSON.stringify(values);
}

function holds(value: SqlValue = null, condition: Condition = null): boolean {
  if (typeof condition === 'boolean') return value === Number(condition);
  if (typeof condition !== 'object' || condition === null) return value === condition;
  if (condition.is === 'IN') return condition.than.includes(value);
  if (value === null || condition.is === 'IS NOT') return value !== null;
  if (condition.is === '>') return Number(value) > condition.than;
  return condition.is === '<' ? Number(value) < condition.than : Number(value) <= condition.than;
}

/** A table inside one unit of work: changes apply at once, and `undo` reverts them. */
function memoryTable(rows: Rows, undo: (() => void)[], now: () => number, step: Step): Table<string> {
  const put = (id: number, row: MemoryRow | undefined) => {
    const before = rows.byId.get(id);
    undo.push(() => rows.put(id, before));
    rows.put(id, row);
  };
  const spelled = (values: Values<string>): MemoryRow => {
    const entries = Object.entries(values).map(([column, value]) => [
      column,
      value === NOW ? now() : typeof value === 'boolean' ? Number(value) : (value ?? null),
    ]);
    return Object.fromEntries(entries);
  };
  const read = (row: MemoryRow) => ({ ...row, silent_ms: now() - Number(row['owner_seen']) });
  return {
    select: (where, { order = [], descending = false, limit } = {}) =>
      step(() => {
        const found = rows.find(where).map(([, row]) => row);
        const sign = descending ? -1 : 1;
        found.sort(
          (a, b) => sign * (order.map((column) => Number(a[column]) - Number(b[column])).find(Boolean) ?? 0),
        );
        return found.slice(0, limit).map(read);
      }),
    sum: (where, column) =>
      step(() => {
        let total = 0n;
        for (const [, row] of rows.find(where)) total += BigInt(String(row[column] ?? 0));
        return total;
      }),
    insert: (values) =>
      step(() => {
        const id = rows.nextId();
        const empty = Object.fromEntries(rows.columns.map((column) => [column, null]));
        const row = { ...empty, id, ...spelled(values) };
        if (rows.excludes(row, id)) return undefined;
        put(id, row);
        return read(row);
      }),
    update: (where, values) =>
      step(() =>
        rows.find(where).map(([id, before]) => {
          const row = { ...before, ...spelled(values) };
          if (rows.excludes(row, id)) {
            throw new StoreError({
              reason: 'unavailable',
              what: 'The memory store failed: another row has the same unique values.',
              nextStep: 'Read what the store holds first.',
            });
          }
          put(id, row);
          return read(row);
        }),
      ),
    delete: (where) =>
      step(() => {
        for (const [id] of rows.find(where)) put(id, undefined);
      }),
  };
}
