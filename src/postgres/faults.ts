import { StoreError, type StoreFault } from '../errors/store.js';

/** SQLSTATE of an error that the server reported; undefined for any other. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = codeOf(error);
  const isReported = error instanceof Error && typeof Reflect.get(error, 'severity') === 'string';
  return isReported && code !== undefined && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** Whether the connection is no longer usable: the server ended it, or the server did not report the error. */
export function isLost(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === undefined || /^(?:08|57P0|25P03|25P04)/.test(state);
}

/** Whether a COMMIT that failed with it has certainly written nothing. */
export function isRolledBack(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== undefined && /^(?:23|40|25P02)/.test(state) && state !== '40003';
}

/** Whether the same work may succeed when it is run again. */
export function isTransient(error: unknown): boolean {
  return isLost(error) || /^(?:40001|40P01|23505)$/.test(sqlStateOf(error) ?? '');
}

/** What a pool or a connection threw, as a StoreError without secrets. */
export function faultOf(error: unknown, commit: 'failed' | 'unknown' = 'failed'): StoreError {
  const state = sqlStateOf(error);
  const said = state === undefined ? saidByOthers(error) : saidByServer(error, state);
  const code = codeOf(error);
  // A copy, because what pg throws can hold the values of a row or the whole connection string.
  const cause = Object.assign(new Error(said), code !== undefined && { code });
  if (commit === 'unknown') {
    return new StoreError({
      reason: 'unavailable',
      commit: 'unknown',
      what: `Postgres failed at a commit, which may or may not have been written: ${said}.`,
      nextStep: 'Check that the database can be reached, then read again what it holds.',
      cause,
    });
  }
  const [reason, nextStep] = remedyOf(state);
  return new StoreError({ reason, what: `Postgres failed: ${said}.`, nextStep, cause });
}

/** By SQLSTATE or its class. */
const remedies: Readonly<Record<string, readonly [StoreFault, string]>> = {
  '53100': ['full', 'Make room on its disk, then try again.'],
  '42501': ['read_only', 'Give its role the rights to read and write the tables, or to create them.'],
  '25006': ['read_only', 'Connect to the primary server; this one is read-only.'],
  '55P03': ['locked', 'Find the session that holds the lock on the account, then try again.'],
  '42P01': ['schema', 'A table is missing; restore it, or choose another schema.'],
  '3F000': ['schema', 'Create a schema for the tables, or correct the search_path.'],
  '42703': ['schema', 'The tables were altered; restore their columns.'],
  '23505': ['unavailable', 'Another row excludes it; read what the store holds first.'],
  XX001: ['corrupt', 'Stop bidding, and restore the database: its files are damaged.'],
  XX002: ['corrupt', 'Stop bidding, and rebuild the index that the message names.'],
  '28': ['unavailable', 'Correct the user and password of the connection.'],
  '53': ['unavailable', 'It has too few connections or too little memory; see its log, then try again.'],
};

function remedyOf(state: string | undefined): readonly [StoreFault, string] {
  return (
    remedies[state ?? ''] ??
    remedies[(state ?? '').slice(0, 2)] ?? [
      'unavailable',
      'Nothing was written; check that the database runs and can be reached.',
    ]
  );
}

/** Of a misread connection string, a part of the password can be taken for a user, a database or a host. */
function saidByServer(error: unknown, state: string): string {
  return /^(?:08|28|3D)/.test(state) ? `SQLSTATE ${state}` : `${textOf(error)} (${state})`;
}

/** Our own messages and those of pg are harmless. Any other text can hold an address, so only its code is shown. */
function saidByOthers(error: unknown): string {
  const text = textOf(error);
  if (harmless.test(text)) return text;
  return codeOf(error) ?? (error instanceof Error ? error.name : 'something that is not an error was thrown');
}

const harmless =
  /^(?:no answer within \d+ s|it rolled back instead of committing|Connection terminated(?: unexpectedly| due to connection timeout)?|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error and is not queryable|Client was closed and is not queryable|Cannot use a pool after calling end on the pool|The server does not support SSL connections)$/;

function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' && /^[0-9A-Z_]{1,60}$/.test(code) ? code : undefined;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}
