import { hash, timingSafeEqual } from 'node:crypto';

/** The six lines of the canonical request. */
export interface CanonicalParts {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly bodySha256: string;
}

/** Joins the six lines that are signed, without a trailing line feed. */
export function canonicalString(parts: CanonicalParts): string {
  const { method, path, query, timestamp, nonce, bodySha256 } = parts;
  return `${method}\n${path}\n${query}\n${timestamp}\n${nonce}\n${bodySha256}`;
}

/**
 * Canonical form of a query as sent (without `?`): decoded as a form (`+` is a space), sorted by the bytes of the
 * names, and encoded per RFC 3986. Parameters with the same name keep their order.
 */
export function canonicalQuery(wireQuery: string): string {
  if (wireQuery === '') return '';
  return queryPairs(wireQuery)
    .sort((a, b) => Buffer.compare(a.name, b.name))
    .map(({ name, value }) => `${percentEncode(name)}=${percentEncode(value)}`)
    .join('&');
}

/** Names and values of a query, unescaped to bytes, in the order sent. */
function queryPairs(wireQuery: string): { name: Buffer; value: Buffer }[] {
  return wireQuery
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals < 0
        ? { name: percentDecode(pair), value: Buffer.alloc(0) }
        : { name: percentDecode(pair.slice(0, equals)), value: percentDecode(pair.slice(equals + 1)) };
    });
}

/** Lower-case hex SHA-256. */
export function sha256Hex(bytes: Uint8Array | string): string {
  return bytes.length === 0 ? digestOfNothing : hash('sha256', bytes, 'hex');
}

/** Compares signatures case-sensitively in constant time. */
export function sameSignature(presented: string, expected: string): boolean {
  const [a, b] = [Buffer.from(presented, 'utf8'), Buffer.from(expected, 'utf8')];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Percent-encodes every byte except letters, digits, `-`, `.`, `_` and `~` (RFC 3986). */
export function percentEncode(bytes: Buffer): string {
  return Array.from(bytes, (byte) => written[byte]).join('');
}

/** Decodes percent escapes; undefined if they are not valid UTF-8. */
export function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Decodes percent escapes. A `%` that starts no escape stays literal. */
function percentDecode(text: string): Buffer {
  const bytes: number[] = [];
  const source = Buffer.from(text, 'utf8');
  for (let at = 0; at < source.length; at += 1) {
    const byte = source[at] ?? 0;
    const digits = byte === 0x25 ? source.toString('latin1', at + 1, at + 3) : '';
    if (/^[0-9a-f]{2}$/i.test(digits)) {
      bytes.push(Number.parseInt(digits, 16));
      at += 2;
    } else {
      bytes.push(byte === 0x2b ? 0x20 : byte);
    }
  }
  return Buffer.from(bytes);
}

const unreserved = /^[A-Za-z0-9\-._~]$/;
/** Encoded form of each byte. */
const written = Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  return unreserved.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
});
/** Digest of an empty body, which every GET has. */
const digestOfNothing = hash('sha256', '', 'hex');
