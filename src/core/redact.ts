import { isError } from '../errors/thrown.js';
import { concatBytes, fromHex, toBase64, toHex } from '../runtime/bytes.js';

/** Replaces secrets in a text. Any other text is returned unchanged. */
export type Redact = (text: string) => string;

const REDACTED = '[redacted]';

/** Shorter secrets are not redacted: they would match ordinary text. */
const SHORTEST_SECRET = 5;

/**
 * Redacts secrets and signatures: in plain, as JSON escapes them, URL-encoded, in hex and in base64, in any case.
 * Errors, logs, diagnostics, records and `responseOf` pass their texts through it, and nothing else looks for secrets.
 */
export function redactorOf(secrets: readonly string[]): Redact {
  const forms = secrets.filter(({ length }) => length >= SHORTEST_SECRET).flatMap(formsOf);
  if (forms.length === 0) return (text) => text;
  const pattern = new RegExp([...new Set(forms)].map(escaped).join('|'), 'gi');
  return (text) => text.replace(pattern, REDACTED);
}

/** Redacts every text in a value of plain objects and arrays, names of fields included. */
export function redactDeep<T>(value: T, redact: Redact): T;
export function redactDeep(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactDeep(item, redact));
  if (typeof value !== 'object' || value === null || isError(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [redact(name), redactDeep(inner, redact)]),
  );
}

/** A record of the service, redacted; undefined if it is nested too deeply to be written. */
export function redactRecord<T>(record: T, redact: Redact): T | undefined {
  try {
    const text = JSON.stringify(record);
    return text === undefined || redact(text) === text ? record : redactDeep(record, redact);
  } catch {
    return undefined;
  }
}

function formsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    toHex(bytes),
    ...base64Forms(bytes),
  ];
  // A signature is hex itself; others may show its bytes.
  return /^[0-9a-f]{64}$/.test(secret) ? [...forms, ...base64Forms(fromHex(secret))] : forms;
}

/** Base64 of a text inside a longer one: three forms, by where in a group of three bytes it begins. */
function base64Forms(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = toBase64(concatBytes([new Uint8Array(offset), bytes]));
    // Characters that also depend on the bytes before or after are left out.
    const inner = encoded.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + bytes.length) * 8) / 6));
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

const DEPTH = 5;

/**
 * A copy of a failure that may be shown: name, message, code, stack and causes, redacted. Objects attached to an error
 * (a request with its headers, for example) are dropped, because they can show a signature in any form.
 */
export function safeCause(cause: unknown, redact: Redact, depth = DEPTH): Error | undefined {
  try {
    return copyOf(cause, redact, depth);
  } catch {
    return new Error('a failure that cannot be read');
  }
}

function copyOf(cause: unknown, redact: Redact, depth: number): Error | undefined {
  if (cause === undefined || depth === 0) return undefined;
  if (!isError(cause))
    return new Error(typeof cause === 'string' ? redact(cause) : `a thrown ${typeof cause}`);
  const inner = safeCause(propertyOf(cause, 'cause'), redact, depth - 1);
  const message = propertyOf(cause, 'message');
  const copy = new Error(
    typeof message === 'string' ? redact(message) : '',
    inner === undefined ? undefined : { cause: inner },
  );
  const stack = propertyOf(cause, 'stack');
  if (typeof stack === 'string') copy.stack = redact(stack);
  for (const key of ['name', 'code', 'errno', 'syscall', 'address', 'port']) {
    const value = propertyOf(cause, key);
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    Object.defineProperty(copy, key, {
      value: typeof value === 'string' ? redact(value) : value,
      enumerable: key !== 'name',
      configurable: true,
      writable: true,
    });
  }
  const errors = propertyOf(cause, 'errors');
  if (Array.isArray(errors)) {
    Object.assign(copy, { errors: errors.slice(0, 8).map((error) => safeCause(error, redact, depth - 1)) });
  }
  return copy;
}

/** A property of an unknown object: reading it may throw. */
function propertyOf(object: object, key: string): unknown {
  try {
    return Reflect.get(object, key);
  } catch {
    return undefined;
  }
}
