import { StoreError, type StoreFault } from '../errors/store.js';

/** Primary result codes of SQLite, by the names that better-sqlite3 uses. */
const CODES = {
  ERROR: 1,
  PERM: 3,
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  CONSTRAINT: 19,
  NOTADB: 26,
} as const;

const READONLY_DBMOVED = 1032;

/** The result code of SQLite, extended if the driver reports that; undefined for any other error. */
function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  // node:sqlite has `errcode`, libsql `rawCode`, bun `errno`, which is negative in errors of the file system.
  for (const member of ['errcode', 'rawCode', 'errno']) {
    const value: unknown = Reflect.get(error, member);
    if (typeof value === 'number' && value > 0) return value;
  }
  const name = String(Reflect.get(error, 'code'));
  if (name === 'SQLITE_READONLY_DBMOVED') return READONLY_DBMOVED;
  const primary = /^SQLITE_([A-Z]+)/.exec(name)?.[1];
  if (primary === undefined) return undefined;
  return Object.entries(CODES).find(([each]) => each === primary)?.[1] ?? CODES.ERROR;
}

export function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && ((code & 0xff) === CODES.BUSY || (code & 0xff) === CODES.LOCKED);
}

/** Whether a COMMIT that failed with it has certainly written nothing, once it is rolled back. */
export function isCertain(error: unknown): boolean {
  const code = codeOf(error);
  const certain: readonly number[] = [CODES.BUSY, CODES.LOCKED, CODES.READONLY, CODES.FULL, CODES.CONSTRAINT];
  return code !== undefined && certain.includes(code & 0xff);
}

/** What SQLite or the file system threw, as a StoreError. */
export function faultOf(store: string, error: unknown, commit: 'failed' | 'unknown' = 'failed'): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const [reason, nextStep] = remedyOf(code ?? CODES.ERROR, message);
  const what = `${store} failed: ${message}${code === undefined ? '' : ` (SQLite error ${code})`}`;
  if (commit === 'failed') return refusal(reason, `${what}.`, nextStep, error);
  return new StoreError({
    reason,
    commit,
    what: `${what} at a commit, which may or may not have been written.`,
    nextStep: 'Check the disk, then close() the store: the next use opens it again.',
    cause: error,
  });
}

function remedyOf(code: number, message: string): readonly [StoreFault, string] {
  if (code === READONLY_DBMOVED) return ['moved', MOVED];
  switch (code & 0xff) {
    case CODES.BUSY:
    case CODES.LOCKED:
      return ['locked', 'Find the program that holds the lock on the file, then try again.'];
    case CODES.READONLY:
    case CODES.PERM:
      return [
        'read_only',
        'Nothing was written; give this process permission to write to the file and its folder.',
      ];
    case CODES.FULL:
      return ['full', 'Nothing was written; make room on the disk, then try again.'];
    case CODES.CONSTRAINT:
      return ['unavailable', 'Another row excludes it; read what the store holds first.'];
    case CODES.CORRUPT:
    case CODES.NOTADB:
      return ['corrupt', 'Keep a copy of the file, then restore a backup or choose another path.'];
    default:
      return /^no such (?:table|column)/.test(message)
        ? ['schema', 'Its tables are missing or were altered: choose another file, or restore them.']
        : ['unavailable', 'Nothing was written; check the file and its disk, then try again.'];
  }
}

export const MOVED = 'Put the file back, or close() the store: the next use opens what is at its path.';

export function refusal(reason: StoreFault, what: string, nextStep: string, cause?: unknown): StoreError {
  return new StoreError({ reason, what, nextStep, ...(cause !== undefined && { cause }) });
}
