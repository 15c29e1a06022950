/** What went wrong, for those whose errors are named otherwise. */
export type FailureKind = 'full' | 'damaged' | 'unknown_format' | 'unsafe_place' | 'unavailable';

/** The database can't do what was asked. Nothing of a connection string, and no value, stands in it. */
export class DatabaseFailure extends Error {
  readonly kind: FailureKind;
  /** What to do next, as a sentence. */
  readonly nextStep: string;
  /** Whether the server said so. */
  readonly isOfServer: boolean;
  /** Whether the connection is gone. */
  readonly isLost: boolean;
  /** Whether the transaction was rolled back for no fault of its own, so that it can be tried again. */
  readonly isTransient: boolean;

  constructor(
    kind: FailureKind,
    what: string,
    nextStep: string,
    { cause, isOfServer = false, isLost = false, isTransient = false }: FailureFacts = {},
  ) {
    super(what, cause && { cause });
    this.kind = kind;
    this.nextStep = nextStep;
    this.isOfServer = isOfServer;
    this.isLost = isLost;
    this.isTransient = isTransient;
  }
}

interface FailureFacts {
  readonly cause?: Error;
  readonly isOfServer?: boolean;
  readonly isLost?: boolean;
  readonly isTransient?: boolean;
}

/** Whatever a pool or a connection threw, without what may be secret in it. */
export function failureOf(error: unknown): DatabaseFailure {
  if (error instanceof DatabaseFailure) return error;
  const code = codeOf(error) ?? '';
  const isOfServer = typeof memberOf(error, 'severity') === 'string' && /^[0-9A-Z]{5}$/.test(code);
  const said = isOfServer ? saidByServer(error, code) : saidByOthers(error, code);
  const [kind, nextStep] = isOfServer ? remedyFor(code) : isUnconnected(error) ? unconnected : unreachable;
  return new DatabaseFailure(kind, `Postgres failed: ${said}.`, nextStep, {
    cause: Object.assign(new Error(said), code !== '' && { code }),
    isOfServer,
    isLost: isOfServer ? /^(?:57P0[1-3]|08...)$/.test(code) : isConnectionLoss(error, code),
    isTransient: isOfServer && /^40(?:001|P01)$/.test(code),
  });
}

const unreachable = [
  'unavailable',
  'See that the database runs and can be reached; what was being written may or may not be there, so look again.',
] as const;

const unconnected = [
  'unavailable',
  'See that the database runs and can be reached. There was no connection, so nothing was written.',
] as const;

/** By SQLSTATE, the longest beginning that fits. */
const remedies: Readonly<Record<string, readonly [FailureKind, string]>> = {
  '53100': ['full', 'Make room on its disk, then try again.'],
  '42501': ['full', 'Give its role the rights that docs/postgres.md lists.'],
  '25006': ['full', 'Connect to the primary: this server is for reading only.'],
  '42P01': ['unknown_format', 'Run migrate() first; somebody may have dropped a table.'],
  '3F000': ['unknown_format', 'Run migrate() first; somebody may have dropped the schema.'],
  '42703': ['unknown_format', 'Somebody altered the tables; put them back as the migrations make them.'],
  XX001: [
    'damaged',
    "Stop bidding, and restore the database from what can be trusted: its files aren't whole.",
  ],
  XX002: ['damaged', 'Stop bidding, and rebuild the index that the message names.'],
  '28': ['unavailable', 'Correct the user and password of the connection.'],
  '53': ['unavailable', 'It has too little of something: connections, memory. See its log, then try again.'],
};

function remedyFor(code: string): readonly [FailureKind, string] {
  return (
    remedies[code] ??
    remedies[code.slice(0, 2)] ?? ['unavailable', "Nothing is sent while it fails; see the server's log."]
  );
}

/**
 * Where a connection string is taken apart wrongly, a part of the password can stand for a user, a database or a host:
 * what the server says of these is left out.
 */
function saidByServer(error: unknown, code: string): string {
  return /^(?:08|28|3D)/.test(code) ? `SQLSTATE ${code}` : `${textOf(error)} (${code})`;
}

/** What pg says by itself is known; all else is named by its code, for whole addresses can stand in it. */
function saidByOthers(error: unknown, code: string): string {
  const text = textOf(error);
  if (ofPg.test(text)) return text;
  if (code !== '') return code + placesOf(error);
  return error instanceof Error ? error.name : 'what was thrown is no error';
}

const ofPg =
  /^(?:Connection terminated(?: unexpectedly| due to connection timeout)?|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error and is not queryable|Client was closed and is not queryable|Cannot use a pool after calling end on the pool|The server does not support SSL connections)$/;

/** Whether it failed before there was a connection. */
function isUnconnected(error: unknown): boolean {
  const calls = triesOf(error).map((each) => memberOf(each, 'syscall'));
  return calls.every((call) => call === 'connect' || call === 'getaddrinfo') || beforeAny.test(textOf(error));
}

const beforeAny =
  /^(?:timeout exceeded when trying to connect|Connection terminated due to connection timeout|Cannot use a pool after calling end on the pool|The server does not support SSL connections)$/;

/** Where it was looked for: addresses only, for a name can be a part of a password. */
function placesOf(error: unknown): string {
  const places = triesOf(error).flatMap((each) => {
    const address = memberOf(each, 'address');
    const port = memberOf(each, 'port');
    if (typeof address !== 'string' || typeof port !== 'number') return [];
    if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(address)) return [`${address}:${port}`];
    return /^[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}$/i.test(address) ? [`[${address}]:${port}`] : [];
  });
  return places.length === 0 ? '' : ` at ${places.join(' and ')}`;
}

/** A name with several addresses fails with an error for each. */
function triesOf(error: unknown): readonly unknown[] {
  return error instanceof AggregateError && error.errors.length > 0 ? error.errors : [error];
}

function isConnectionLoss(error: unknown, code: string): boolean {
  return /^E(?:CONNRESET|PIPE)$/.test(code) || /^(?:Connection term|Client (?:has|was))/.test(textOf(error));
}

function codeOf(error: unknown): string | undefined {
  const code = memberOf(error, 'code');
  return typeof code === 'string' && /^[0-9A-Z_]{1,60}$/.test(code) ? code : undefined;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}

type Member = 'code' | 'severity' | 'syscall' | 'address' | 'port';

function memberOf(error: unknown, name: Member): unknown {
  return typeof error === 'object' && error !== null && name in error ? Reflect.get(error, name) : undefined;
}
