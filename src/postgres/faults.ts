import { StoreError, type StoreFault } from '../errors/store.js';
import { firstWords } from '../errors/text.js';
import { isError } from '../errors/thrown.js';

/** SQLSTATE of an error that the server reported; undefined for any other. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = errorCodeOf(error);
  const isReported = isError(error) && typeof Reflect.get(error, 'severity') === 'string';
  return isReported && code !== undefined && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** True if the connection is no longer usable: the server ended it, or did not report the error. */
export function isLost(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === undefined || /^(?:08|57P0|25P03|25P04)/.test(state);
}

/** True if a COMMIT that failed with this error has certainly written nothing. */
export function isRolledBack(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== undefined && /^(?:23|40|25P02)/.test(state) && state !== '40003';
}

/** True if the same work may succeed on a retry. */
export function mayRetry(error: unknown): boolean {
  return isLost(error) || /^(?:40001|40P01|23505)$/.test(sqlStateOf(error) ?? '');
}

/** Converts an error of a pool or a connection to a StoreError without secrets. `name` names the database in its message. */
export function faultOf(error: unknown, name: string, commit: 'failed' | 'unknown' = 'failed'): StoreError {
  const state = sqlStateOf(error);
  const safeMessage = state === undefined ? driverMessage(error) : serverMessage(error, state);
  const code = errorCodeOf(error);
  // A copy, because errors of pg can hold the values of a row or the whole connection string.
  const cause = Object.assign(new Error(safeMessage), code !== undefined && { code });
  if (commit === 'unknown') {
    return new StoreError({
      reason: 'unavailable',
      commit: 'unknown',
      what: `${name} failed at a commit, which may or may not have been written: ${safeMessage}.`,
      nextStep: 'Check that the database can be reached, then read the data again.',
      cause,
    });
  }
  const [reason, nextStep] = correctionOf(state);
  return new StoreError({ reason, what: `${name} failed: ${safeMessage}.`, nextStep, cause });
}

/** Reason and next step by SQLSTATE or its class. */
const corrections: Readonly<Record<string, readonly [StoreFault, string]>> = {
  '53100': ['full', 'Make room on its disk, then try again.'],
  '42501': ['read_only', 'Give its role the rights to read and write the tables, or to create them.'],
  '25006': ['read_only', 'Connect to the primary server; this one is read-only.'],
  '55P03': ['locked', 'Find the session that holds the lock on the account, then try again.'],
  '42P01': ['schema', 'A table is missing; restore it, or choose another schema.'],
  '3F000': ['schema', 'Create a schema for the tables, or correct the search_path.'],
  '42703': ['schema', 'The tables were altered; restore their columns.'],
  '23505': ['unavailable', 'Another row has the same unique values; read the store first.'],
  XX001: ['corrupt', 'Stop bidding, and restore the database: its files are damaged.'],
  XX002: ['corrupt', 'Stop bidding, and rebuild the index that the message names.'],
  '28': ['unavailable', 'Correct the user and password of the connection.'],
  '53': ['unavailable', 'It has too few connections or too little memory; see its log, then try again.'],
};

function correctionOf(state: string | undefined): readonly [StoreFault, string] {
  return (
    corrections[state ?? ''] ??
    corrections[(state ?? '').slice(0, 2)] ?? [
      'unavailable',
      'Nothing was written; check that the database runs and can be reached.',
    ]
  );
}

/** Messages about a connection can hold a part of the password, if a connection string was misread: names are left out. */
function serverMessage(error: unknown, state: string): string {
  const text = pgMessageOf(error);
  return `${/^(?:08|28|3D)/.test(state) ? withoutNames(text) : firstWords(text)} (${state})`;
}

/** A message, also of a pooler, without what it quotes, addresses, and names after a colon. */
function withoutNames(text: string): string {
  return firstWords(text)
    .replace(/"[^"]*"?|'[^']*'?/g, '"…"')
    .replace(/\b(database|user|role|host|server|address)(s?)\s*[:=]\s*\S+/gi, '$1$2: …')
    .replace(/\S*(?:@|\/\/|\d\.\d+\.|:\d)\S*/g, '…');
}

/**
 * Shows messages of this package and of pg. Of other messages it shows only the code, if there is one: their text can
 * hold an address.
 */
function driverMessage(error: unknown): string {
  const text = pgMessageOf(error);
  if (harmless.test(text)) return text;
  if (!isError(error)) return 'something that is not an error was thrown';
  return errorCodeOf(error) ?? (text === '' ? error.name : withoutNames(text));
}

const harmless =
  /^(?:no answer within \d+ s|it rolled back instead of committing|Connection terminated(?: unexpectedly| due to connection timeout)?|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error and is not queryable|Client was closed and is not queryable|Cannot use a pool after calling end on the pool|The server does not support SSL connections)$/;

function errorCodeOf(error: unknown): string | undefined {
  const code: unknown = isError(error) ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' && /^[0-9A-Z_]{1,60}$/.test(code) ? code : undefined;
}

function pgMessageOf(error: unknown): string {
  return isError(error) ? error.message : '';
}
