import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** The six lines that are signed, before they are joined. */
export interface CanonicalParts {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly bodySha256: string;
}

/** What the signature is made over: six lines, no line feed at the end. */
export function canonicalString(parts: CanonicalParts): string {
  const { method, path, query, timestamp, nonce, bodySha256 } = parts;
  return `${method}\n${path}\n${query}\n${timestamp}\n${nonce}\n${bodySha256}`;
}

/**
 * The canonical form of a query as it came off the wire (without `?`): read like a form, `+` being a space, sorted by
 * the bytes of the names, written in RFC 3986 escapes. Parameters of one name keep their order.
 */
export function canonicalQuery(wireQuery: string): string {
  if (wireQuery === '') return '';
  return queryPairs(wireQuery)
    .sort((a, b) => Buffer.compare(a.name, b.name))
    .map(({ name, value }) => `${percentEncode(name)}=${percentEncode(value)}`)
    .join('&');
}

/** Names and values of a query, unescaped to bytes, in the order sent. */
export function queryPairs(wireQuery: string): { name: Buffer; value: Buffer }[] {
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

/** Whether a presented signature is the expected one; its case counts, and the time taken tells nothing. */
export function sameSignature(presented: string, expected: string): boolean {
  const [a, b] = [Buffer.from(presented, 'utf8'), Buffer.from(expected, 'utf8')];
  return a.length === b.length && timingSafeEqual(a, b);
}

function percentEncode(bytes: Buffer): string {
  let out = '';
  for (const byte of bytes) out += written[byte] ?? '';
  return out;
}

/** A `%` that starts no escape stands for itself, so its canonical form differs from what was sent. */
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
/** Each byte as it is written. */
const written = Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  return unreserved.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
});
/** That of an empty body, which every GET has. */
const digestOfNothing = hash('sha256', '', 'hex');

/**
 * Lower-case hex HMAC-SHA256 over the UTF-8 bytes of a text. It is made of two digests, as RFC 2104 has it, with what
 * the secret adds to them at hand: that costs half of what an object of node:crypto does, and every request needs one.
 */
export function hmacHex(secret: string, text: string): string {
  // At most three bytes of UTF-8 for each UTF-16 unit.
  if (text.length * 3 > longestText) {
    return createHmac('sha256', secret).update(text, 'utf8').digest('hex');
  }
  const { inner, outer } = padsOf(secret);
  const written = inner.write(text, blockBytes, 'utf8');
  outer.write(hash('sha256', inner.subarray(0, blockBytes + written), 'hex'), blockBytes, 'hex');
  return hash('sha256', outer, 'hex');
}

/** What is digested: the secret's own block, and room behind it for what is signed, or for the digest of that. */
interface Pads {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

const pads = new Map<string, Pads>();

function padsOf(secret: string): Pads {
  const known = pads.get(secret);
  if (known !== undefined) return known;
  // Secrets come and go with sandboxes and rotated keys.
  if (pads.size >= mostSecrets) pads.clear();
  const made = { inner: padded(secret, 0x36, longestText), outer: padded(secret, 0x5c, digestBytes) };
  pads.set(secret, made);
  return made;
}

function padded(secret: string, pad: number, room: number): Buffer {
  const bytes = Buffer.from(secret, 'utf8');
  const key = bytes.length > blockBytes ? hash('sha256', bytes, 'buffer') : bytes;
  const block = Buffer.alloc(blockBytes + room, pad);
  for (const [at, byte] of key.entries()) block[at] = byte ^ pad;
  return block;
}

const blockBytes = 64;
const digestBytes = 32;
const longestText = 2_048;
const mostSecrets = 100;
