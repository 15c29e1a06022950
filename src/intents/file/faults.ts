import { JournalError } from '../../errors/journal.js';

/** Where the format and the ways out are described. */
const GUIDE = 'docs/journal-format.md';

/** How a journal that has stopped goes on. A client that is closed closes its journal, too. */
const AFRESH = 'then close() the journal: its next use opens it anew';

/** The disk took no write, or no sync: which of both, by the code of the system. */
export function writeFault(path: string, cause: unknown): JournalError {
  const code = codeOf(cause);
  if (withoutRoom.has(code)) {
    return new JournalError({
      fault: 'full',
      what: `The journal ${path} can't be written (${code}), and has stopped.`,
      nextStep: `Nothing more is sent; make room, or give write permission, ${AFRESH}.`,
      cause,
    });
  }
  return new JournalError({
    fault: 'sync_failed',
    what: `The disk didn't confirm a write to the journal ${path} (${code}), which has stopped.`,
    nextStep: `Nothing more is sent; look after the disk, ${AFRESH}.`,
    cause,
  });
}

/** Something other than a write failed. */
export function unavailable(path: string, doing: string, cause: unknown): JournalError {
  return new JournalError({
    fault: 'unavailable',
    what: `The journal ${path} can't be ${doing} (${codeOf(cause)}).`,
    nextStep: 'Nothing was sent; see the cause, and mend it: the next use of the journal tries again.',
    cause,
  });
}

export function damaged(path: string, offset: number, what: string): JournalError {
  return new JournalError({
    fault: 'damaged',
    what: `The journal ${path} is damaged at byte ${offset}: ${what}.`,
    nextStep: `It was left as it is, and nothing is sent; keep a copy, then go on by "Damage" in ${GUIDE}.`,
  });
}

export function unknownFormat(path: string, version: number, known: number): JournalError {
  return new JournalError({
    fault: 'unknown_format',
    what: `The journal ${path} has format version ${version}, and this package knows none above ${known}.`,
    nextStep: 'It was left as it is; use the newer version of the package that wrote it.',
  });
}

export function foreignWrite(path: string, expected: number, found: number): JournalError {
  return new JournalError({
    fault: 'foreign_write',
    what: `Somebody else wrote into the journal ${path}: it has ${found} bytes, and ${expected} are ours.`,
    nextStep: `Nothing more is sent; find who it was, then go on by "Damage" in ${GUIDE}.`,
  });
}

export function unsafePlace(path: string, problem: string, nextStep: string, cause?: unknown): JournalError {
  return new JournalError({
    fault: 'unsafe_place',
    what: `The journal ${path} ${problem}.`,
    nextStep,
    ...(cause !== undefined && { cause }),
  });
}

/** The code of a system error, such as `ENOSPC`; else the name of what was thrown. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

const withoutRoom = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG', 'EACCES', 'EPERM']);
