import { ConfigurationError } from '../errors/local.js';

/** The schema that everything lies in. */
export interface Schema {
  readonly name: string;
  /** The full name of a table in it, as SQL. */
  table(name: string): string;
}

/** @throws ConfigurationError for a name that Postgres can't have */
export function schemaNamed(name: string): Schema {
  // Postgres cuts longer names, without failing: two schemas would be one.
  const bytes = typeof name === 'string' ? new TextEncoder().encode(name).length : 0;
  if (bytes < 1 || bytes > 63 || name.includes('\0') || name.startsWith('pg_')) {
    throw new ConfigurationError('schema', "must be a name of 1 to 63 bytes that doesn't begin with pg_");
  }
  return { name, table: (table) => `${quoted(name)}.${quoted(table)}` };
}

/** An identifier as SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
