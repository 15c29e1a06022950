import type { ColumnOf, TableName } from './schema.js';
import type { SqlValue } from './sql-driver.js';

/** As the value of a column: the time by the store's clock, Unix ms. */
export const NOW = Symbol('now');

/** A flag is a boolean here, and 0 or 1 in a row. */
export type Values<Column extends string> = {
  readonly [C in Column]?: SqlValue | boolean | typeof NOW;
};

/** What a column must hold: a value, or what compares with one. */
export type Condition = SqlValue | boolean | Comparison;

export type Comparison =
  | { readonly is: '<' | '<=' | '>'; readonly than: number }
  | { readonly is: 'IN'; readonly than: readonly SqlValue[] }
  | { readonly is: 'IS NOT'; readonly than: null };

export type Where<Column extends string> = { readonly [C in Column]?: Condition };

export interface Page<Column extends string> {
  readonly order?: readonly Column[];
  readonly descending?: boolean;
  readonly limit?: number;
}

/** Where it has an owner, also `silent_ms`: the time since `owner_seen`. */
export type Row<Column extends string> = { readonly [C in Column | 'silent_ms']?: unknown };

/** The rows of one account in one table, inside a transaction. */
export interface Table<Column extends string> {
  select(where: Where<Column>, page?: Page<Column>): Promise<readonly Row<Column>[]>;
  /** Undefined, and nothing is written, where a unique row excludes it. */
  insert(values: Values<Column>): Promise<Row<Column> | undefined>;
  /** @returns the rows as they are then */
  update(where: Where<Column>, values: Values<Column>): Promise<readonly Row<Column>[]>;
  delete(where: Where<Column>): Promise<void>;
}

/** Of a unit of work. Departures are exchanged in transactions of their own. */
export type Tables = { readonly [Name in Exclude<TableName, 'departures'>]: Table<ColumnOf<Name>> };

/** One unit of work of one account, as what is written over its tables sees it. */
export interface Unit {
  readonly tables: Tables;
  /** Makes one step of it. A step that fails makes the whole unit fail. */
  step: Step;
}

export type Step = <T>(action: () => T | Promise<T>) => Promise<T>;

export function textOf(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}

export function numberOf(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

/** How long an owner was silent; a clock that was set back counts as no time. */
export function silenceOf(row: { readonly silent_ms?: unknown }): number {
  return Math.max(0, Number(row.silent_ms));
}
