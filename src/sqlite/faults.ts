import { type FileFault, fileFaultOf } from '../errors/file.js';
import { StoreError, type StoreFault } from '../errors/store.js';
import { isError, thrownMessage } from '../errors/thrown.js';

interface Fault {
  /** Primary result code of SQLite. */
  readonly code: number;
  readonly reason: StoreFault;
  readonly nextStep: string;
  /** True if a COMMIT that failed with this code has certainly written nothing, once it is rolled back. */
  readonly isCertain?: true;
}

const LOCKED = 'Find the program that holds the lock on the file, then try again.';
const NOT_PERMITTED =
  'Nothing was written; give this process permission to write to the file and its folder.';
const DAMAGED = 'Keep a copy of the file, then restore a backup or choose another path.';
const MISSING = 'Its tables are missing or were altered: choose another file, or restore them.';
const EXCLUDED = 'Another row has the same unique values; read the store first.';
const UNOPENED =
  'Check the permissions of the file and its folder, and the limit of open files, then try again.';
export const MOVED = 'Put the file back, or close() the store: the next use opens what is at its path.';

/** Faults by the names that better-sqlite3 uses. */
const faults: Readonly<Record<string, Fault>> = {
  PERM: { code: 3, reason: 'read_only', nextStep: NOT_PERMITTED },
  BUSY: { code: 5, reason: 'locked', nextStep: LOCKED, isCertain: true },
  LOCKED: { code: 6, reason: 'locked', nextStep: LOCKED, isCertain: true },
  READONLY: { code: 8, reason: 'read_only', nextStep: NOT_PERMITTED, isCertain: true },
  CORRUPT: { code: 11, reason: 'corrupt', nextStep: DAMAGED },
  FULL: {
    code: 13,
    reason: 'full',
    nextStep: 'Nothing was written; make room on the disk, then try again.',
    isCertain: true,
  },
  CANTOPEN: { code: 14, reason: 'unavailable', nextStep: UNOPENED },
  CONSTRAINT: { code: 19, reason: 'unavailable', nextStep: EXCLUDED, isCertain: true },
  NOTADB: { code: 26, reason: 'corrupt', nextStep: DAMAGED },
};

const UNPLACED = 'Choose another path for the file, or create its folder.';

/** Faults of the file system. */
const fileFaults: Readonly<Record<FileFault, Pick<Fault, 'reason' | 'nextStep'>>> = {
  not_found: { reason: 'unavailable', nextStep: UNPLACED },
  wrong_path: { reason: 'unavailable', nextStep: UNPLACED },
  no_permission: { reason: 'read_only', nextStep: NOT_PERMITTED },
  full: { reason: 'full', nextStep: 'Nothing was written; make room on the disk, then try again.' },
  unavailable: {
    reason: 'unavailable',
    nextStep: 'Nothing was written; check the disk and the limit of open files, then try again.',
  },
};

const other = {
  reason: 'unavailable',
  nextStep: 'Nothing was written; check the file and its disk, then try again.',
} as const;

const READONLY_DBMOVED = 1032;

/** The result code of SQLite, extended if the driver reports that; undefined for any other error. */
function sqliteCodeOf(error: unknown): number | undefined {
  if (!isError(error)) return undefined;
  // node:sqlite has `errcode`, libsql `rawCode`, bun `errno`, which is negative in errors of the file system.
  for (const member of ['errcode', 'rawCode', 'errno']) {
    const value: unknown = Reflect.get(error, member);
    if (typeof value === 'number' && value > 0) return value;
  }
  const name = String(Reflect.get(error, 'code'));
  if (name === 'SQLITE_READONLY_DBMOVED') return READONLY_DBMOVED;
  const primary = /^SQLITE_([A-Z]+)/.exec(name)?.[1];
  return primary === undefined ? undefined : (faults[primary]?.code ?? 1);
}

function knownFault(error: unknown): Fault | undefined {
  const code = sqliteCodeOf(error);
  return code === undefined ? undefined : Object.values(faults).find((fault) => fault.code === (code & 0xff));
}

export function isBusy(error: unknown): boolean {
  return knownFault(error)?.reason === 'locked';
}

/** True if a COMMIT that failed with this error has certainly written nothing, once it is rolled back. */
export function isCertain(error: unknown): boolean {
  return knownFault(error)?.isCertain === true;
}

/** Converts an error of SQLite or the file system to a StoreError. */
export function faultOf(store: string, error: unknown, commit: 'failed' | 'unknown' = 'failed'): StoreError {
  if (error instanceof StoreError) return error;
  const code = sqliteCodeOf(error);
  const message = thrownMessage(error);
  const what = `${store} failed: ${message}${code === undefined ? '' : ` (SQLite error ${code})`}`;
  const { reason, nextStep } = correctionOf(error, code, message);
  if (commit === 'failed') return storeRefusal(reason, `${what}.`, nextStep, error);
  return new StoreError({
    reason,
    commit,
    what: `${what} at a commit, which may or may not have been written.`,
    nextStep: 'Check the disk, then close() the store: the next use opens it again.',
    cause: error,
  });
}

function correctionOf(
  error: unknown,
  code: number | undefined,
  message: string,
): Pick<Fault, 'reason' | 'nextStep'> {
  if (code === READONLY_DBMOVED) return { reason: 'moved', nextStep: MOVED };
  if (/^no such (?:table|column)/.test(message)) return { reason: 'schema', nextStep: MISSING };
  const fileFault = fileFaultOf(error);
  return knownFault(error) ?? (fileFault === undefined ? other : fileFaults[fileFault]);
}

export function storeRefusal(
  reason: StoreFault,
  what: string,
  nextStep: string,
  cause?: unknown,
): StoreError {
  return new StoreError({ reason, what, nextStep, ...(cause !== undefined && { cause }) });
}
