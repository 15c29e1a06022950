import { createHmac } from 'node:crypto';
import { limits } from '../../api/common.js';
import {
  type CanonicalParts,
  canonicalQuery,
  canonicalString,
  hmacHex,
  sameSignature,
  sha256Hex,
} from './canonical.js';

/** What a signature is judged by. */
export interface SignedRequest {
  /** The effective method. */
  readonly method: string;
  /** The method on the wire: POST where PATCH and PUT are tunnelled. */
  readonly wireMethod: string;
  /** The `/api/v1/…` path, as sent. */
  readonly path: string;
  /** What stood before `/api/v1` on the wire; it is never signed. */
  readonly prefix: string;
  /** The query as sent, without `?`. */
  readonly wireQuery: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly body: Uint8Array;
  /** Digest of the body, lower-case hex, where it is known already. */
  readonly bodySha256?: string;
  /** `X-Content-SHA256` as sent; empty when missing. */
  readonly claimedSha256: string;
  /** `X-Signature` as sent; empty when missing. */
  readonly signature: string;
  /** The `Host` header and the key ID as sent: for explaining only. */
  readonly host?: string | undefined;
  readonly keyId?: string;
  /** Secrets that may have been mistaken for the right one, by whose they are: for explaining only. */
  readonly otherSecrets?: () => readonly { readonly whose: string; readonly signingSecret: string }[];
}

export type SignatureVerdict =
  | { readonly valid: true; readonly canonical: string }
  | { readonly valid: false; readonly canonical: string; readonly hint: string | undefined };

/**
 * Judges a signature; an invalid one comes with the canonical string it was measured against, and a guess. The order and
 * the escaping of the query on the wire don't count: the signature is over its canonical form.
 */
export function judgeSignature(request: SignedRequest, secret: string): SignatureVerdict {
  const { method, path, timestamp, nonce, bodySha256 = sha256Hex(request.body) } = request;
  const parts = { method, path, query: canonicalQuery(request.wireQuery), timestamp, nonce, bodySha256 };
  const canonical = canonicalString(parts);
  const valid =
    sameSignature(request.signature, hmacHex(secret, canonical)) &&
    request.claimedSha256 === bodySha256 &&
    !(method === 'GET' && request.body.length > 0);
  return valid ? { valid, canonical } : { valid, canonical, hint: hintFor(request, parts, secret) };
}

/** A mistake, and what its author would have signed. */
interface Mistake {
  /** What was done, a colon, and what to do instead. In plain ASCII, for it is sent in a header. */
  readonly hint: string;
  /** The lines that differ from the right ones, or a whole text. */
  readonly change?: Partial<CanonicalParts>;
  readonly text?: string;
  /** The key, where it wasn't the secret. */
  readonly key?: string | Uint8Array;
  /** The hash, where it wasn't SHA-256. */
  readonly hash?: 'sha1' | 'sha512';
}

/** Names the mistake that reproduces the signature that came; undefined when none does. No secret is in it. */
function hintFor(request: SignedRequest, parts: CanonicalParts, secret: string): string | undefined {
  const { signature } = request;
  if (signature === '') return 'X-Signature is missing or was sent more than once: send it once';
  const right = hmac({ hint: '' }, parts, secret);
  if (sameSignature(signature, right)) return sentDifferently(request, parts);
  const spelt = spellings(signature).find(([, hex]) => sameSignature(hex, right));
  if (spelt !== undefined) return spelt[0];
  for (const mistake of mistakes(request, parts, secret)) {
    if (sameSignature(signature, hmac(mistake, parts, secret))) return mistake.hint;
  }
  return undefined;
}

function* mistakes(request: SignedRequest, parts: CanonicalParts, secret: string): Generator<Mistake> {
  yield* ofQuery(request, parts);
  yield* ofMethodAndPath(request, parts);
  yield* ofBody(request, parts);
  yield* ofSecret(request, secret);
  yield* ofText(parts, secret);
}

function hmac({ change, text, key, hash }: Mistake, parts: CanonicalParts, secret: string): string {
  return createHmac(hash ?? 'sha256', key ?? secret)
    .update(text ?? canonicalString({ ...parts, ...change }), 'utf8')
    .digest('hex');
}

/** The signature itself is right; something beside it isn't. */
function sentDifferently(request: SignedRequest, parts: CanonicalParts): string {
  return request.claimedSha256 === parts.bodySha256
    ? 'a GET was sent with a body: send none'
    : 'X-Content-SHA256 is missing, not lower-case hex, or not the digest of the body sent: send the digest that is signed';
}

/** Ways in which a right signature is commonly written, each read back to lower-case hex. */
function spellings(signature: string): readonly (readonly [hint: string, hex: string])[] {
  const form = 'send lower-case hex';
  const prefix = /^(?:v1|sha256|hmac-sha256)[=:]\s*/i.exec(signature)?.[0] ?? '';
  const decoded = Buffer.from(signature, 'base64');
  return [
    [`X-Signature is in upper-case hex: ${form}`, signature.toLowerCase()],
    [`X-Signature is base64: ${form}`, decoded.toString('hex')],
    [`X-Signature is the base64 of its hex: ${form}`, decoded.toString('latin1')],
    [`X-Signature begins with ${JSON.stringify(prefix)}: send the hex alone`, signature.slice(prefix.length)],
    ['X-Signature is quoted: send the hex alone', signature.replace(/^["']|["']$/g, '')],
  ];
}

/** Mistakes in the third line: the query. */
function* ofQuery({ wireQuery: sent }: SignedRequest, { query }: CanonicalParts): Generator<Mistake> {
  if (sent === '') return;
  const unsorted = 'an unsorted query was signed: sort the parameters by name';
  const plusSigned = '`+` was signed for a space: write it as %20';
  const inOrder = (text: string) => text.split('&').sort().join('&');
  if (sent !== query) {
    const asSent = sent.includes('+')
      ? plusSigned
      : 'the query was signed as sent: sort it by name and percent-encode it per RFC 3986, then sign that';
    yield { hint: inOrder(sent) === inOrder(query) ? unsorted : asSent, change: { query: sent } };
  }
  const others: readonly (readonly [hint: string, query: string])[] = [
    [plusSigned, query.replaceAll('%20', '+')],
    [
      'the query was signed with lower-case percent escapes: write them in upper case, such as %2F',
      query.replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase()),
    ],
    [
      'the query was signed without percent-encoding: encode names and values per RFC 3986, then sign that',
      decoded(query),
    ],
    [
      'the query was percent-encoded twice before it was signed: encode it once',
      query.replaceAll('%', '%25'),
    ],
    [
      "the query was signed with ! ' ( ) * unescaped: RFC 3986 escapes them, encodeURIComponent() doesn't",
      query.replace(/%(?:21|27|28|29|2A)/g, decoded),
    ],
    ['the query was left out of the signature: sign it as the third line', ''],
    ['the query was signed with its question mark: sign it without', `?${query}`],
  ];
  for (const [hint, wrong] of others) yield { hint, change: { query: wrong } };
  const pairs = query.split('&');
  if (pairs.length > mostPermuted) return;
  for (const order of permutations(pairs)) yield { hint: unsorted, change: { query: order.join('&') } };
}

/** Mistakes in the first two lines: the method and the path. */
function* ofMethodAndPath(request: SignedRequest, parts: CanonicalParts): Generator<Mistake> {
  const { path, query } = parts;
  if (request.prefix !== '') {
    yield {
      hint: 'the front-controller prefix was signed: sign the path from /api/v1 on',
      change: { path: request.prefix + path },
    };
  }
  yield {
    hint: 'the path was signed without /api/v1: sign the whole path, /api/v1 included',
    change: { path: path.replace('/api/v1', '') },
  };
  for (const scheme of ['http://', 'https://', '']) {
    for (const prefix of new Set(['', request.prefix])) {
      const url = `${scheme}${request.host ?? ''}${prefix}${path}`;
      const whole = query === '' ? url : `${url}?${query}`;
      const hint = 'the host was signed with the path: sign the path alone, from /api/v1 on';
      for (const change of [{ path: url }, { path: whole }, { path: whole, query: '' }])
        yield { hint, change };
    }
  }
  if (query !== '') {
    const hint = 'the query was signed as part of the path: the path is the second line, the query the third';
    yield { hint, change: { path: `${path}?${query}`, query: '' } };
    yield { hint, change: { path: `${path}?${query}` } };
  }
  const others: readonly (readonly [hint: string, path: string])[] = [
    ['the path was signed with a slash at its end: sign it exactly as it is sent', `${path}/`],
    ['the path was signed decoded: sign it as it is sent, percent escapes included', decoded(path)],
    [
      'the path was signed percent-encoded once more: sign it exactly as it is sent',
      path.replaceAll('%', '%25'),
    ],
  ];
  for (const [hint, wrong] of others) yield { hint, change: { path: wrong } };
  for (const method of new Set([request.wireMethod, 'GET', 'POST', 'PATCH', 'PUT'])) {
    const hint = `wrong effective method: ${method} was signed instead of ${parts.method}`;
    yield { hint, change: { method } };
  }
  yield {
    hint: 'the method was signed in lower case: sign it in upper case',
    change: { method: parts.method.toLowerCase() },
  };
}

/** Mistakes in the last line: the digest of the body. */
function* ofBody({ body, claimedSha256 }: SignedRequest, parts: CanonicalParts): Generator<Mistake> {
  const text = Buffer.from(body).toString('utf8');
  const hashed = (hint: string, ...bytes: (string | Uint8Array)[]): Mistake[] =>
    bytes.map((each) => ({ hint, change: { bodySha256: sha256Hex(each) } }));
  yield* hashed(
    'the body was re-serialised after signing: hash the very bytes that are sent',
    ...reserialised(text),
  );
  yield* hashed(
    'the body was hashed with other line ends or white space than it was sent with: hash the very bytes that are sent',
    text.trimEnd(),
    `${text}\n`,
    text.replaceAll('\r\n', '\n'),
    text.replaceAll('\n', '\r\n'),
  );
  yield* hashed(
    'the body was hashed in another encoding: hash its UTF-8 bytes, as they are sent',
    Buffer.from(text, 'latin1'),
    Buffer.from(text, 'utf16le'),
  );
  yield* hashed(
    'the object was hashed and not its JSON (as "[object Object]"): serialise it once, and hash and send that',
    '[object Object]',
  );
  if (body.length > 0) {
    yield* hashed('the digest of an empty body was signed: hash the very bytes that are sent', '');
  }
  const others: readonly (readonly [hint: string, bodySha256: string])[] = [
    ['no digest was signed: the last line is the SHA-256 of the body, of an empty one too', ''],
    ['the body was signed in place of its digest: the last line is its SHA-256 in lower-case hex', text],
    ['the body digest was signed in upper-case hex: write it in lower case', parts.bodySha256.toUpperCase()],
    [
      'the body digest was signed as base64: write it in lower-case hex',
      Buffer.from(parts.bodySha256, 'hex').toString('base64'),
    ],
    [
      'wrong body digest: X-Content-SHA256 is not the digest of the bytes that arrived; hash the very bytes that are sent',
      claimedSha256,
    ],
  ];
  for (const [hint, bodySha256] of others) yield { hint, change: { bodySha256 } };
}

/** Other spellings of a JSON body that serialisers commonly produce. */
function reserialised(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const compact = JSON.stringify(value);
  const spaced = JSON.stringify(value, null, 1)
    .replace(/\n */g, ' ')
    .replace(/([{[]) /g, '$1')
    .replace(/ ([}\]])/g, '$1');
  const spelt = [
    compact,
    JSON.stringify(value, null, 2),
    JSON.stringify(value, null, 4),
    spaced,
    compact.replaceAll('/', '\\/'),
    `${compact}\n`,
  ];
  const inAscii = (json: string) =>
    json.replace(/[^\x20-\x7e\n]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [...spelt, ...spelt.map(inAscii)];
}

/** Mistakes with the secret. */
function* ofSecret(request: SignedRequest, secret: string): Generator<Mistake> {
  const bytes = Buffer.from(secret, 'utf8');
  const trailing = 'trim what is read from a file or the environment';
  const asItIs = 'use the string as it is';
  const quotes = 'the signing secret was used with the quotes around it: remove them';
  const keys: readonly (readonly [hint: string, key: string | Uint8Array])[] = [
    [`the signing secret was used with a trailing newline: ${trailing}`, `${secret}\n`],
    [`the signing secret was used with a trailing carriage return and newline: ${trailing}`, `${secret}\r\n`],
    [`the signing secret was used with a trailing space: ${trailing}`, `${secret} `],
    ['the signing secret was used with a space before it: remove it', ` ${secret}`],
    [quotes, `"${secret}"`],
    [quotes, `'${secret}'`],
    ['the signing secret was used with a byte order mark: remove it', `\ufeff${secret}`],
    ['the signing secret was trimmed: use it as it was issued', secret.trim()],
    [`the signing secret was decoded as base64: ${asItIs}`, Buffer.from(secret, 'base64')],
    [`the signing secret was decoded as hex: ${asItIs}`, Buffer.from(secret, 'hex')],
    [`the signing secret was encoded as base64: ${asItIs}`, bytes.toString('base64')],
    [`the signing secret was encoded as hex: ${asItIs}`, bytes.toString('hex')],
    [`the signing secret was hashed before it was used: ${asItIs}`, sha256Hex(secret)],
    ['the key ID was used as the secret: sign with the signing secret', request.keyId ?? ''],
    ...(request.otherSecrets?.() ?? []).map(
      ({ whose, signingSecret }) =>
        [
          `the secret of ${whose} was used: use the one that goes with the key ID sent`,
          signingSecret,
        ] as const,
    ),
  ];
  for (const [hint, key] of keys) yield { hint, key };
}

/** Mistakes in how the six lines are put together and signed. */
function* ofText(parts: CanonicalParts, secret: string): Generator<Mistake> {
  const canonical = canonicalString(parts);
  const { method, path, query, timestamp, nonce, bodySha256 } = parts;
  const ends = { newline: '\n', 'carriage return and newline': '\r\n', space: ' ' };
  for (const [name, end] of Object.entries(ends)) {
    const hint = `the canonical string was signed with a trailing ${name}: nothing stands behind the sixth line`;
    yield { hint, text: canonical + end };
  }
  const joints = {
    'carriage returns and newlines': '\r\n',
    'backslashes and the letter n': '\\n',
    nothing: '',
    spaces: ' ',
    bars: '|',
    ampersands: '&',
  };
  for (const [name, joint] of Object.entries(joints)) {
    const hint = `the six lines were joined with ${name}: join them with line feeds`;
    yield { hint, text: canonical.replaceAll('\n', joint) };
  }
  if (query === '') {
    yield {
      hint: 'the empty line of the query was left out: there are six lines, the third one empty without a query',
      text: [method, path, timestamp, nonce, bodySha256].join('\n'),
    };
  }
  yield {
    hint: 'nonce and timestamp were signed in the wrong order: the timestamp is the fourth line, the nonce the fifth',
    change: { timestamp: nonce, nonce: timestamp },
  };
  yield {
    hint: 'the body digest was signed before the timestamp: it is the sixth line',
    text: [method, path, query, bodySha256, timestamp, nonce].join('\n'),
  };
  yield { hint: 'secret and text were swapped: the secret is the key', text: secret, key: canonical };
  for (const hash of ['sha1', 'sha512'] as const) {
    yield { hint: `it was signed with HMAC-${hash.toUpperCase()}: use HMAC-SHA256`, text: canonical, hash };
  }
  for (let ms = 0; ms < 1_000; ms += 1) {
    yield {
      hint: 'the timestamp was signed in milliseconds: sign and send Unix seconds',
      change: { timestamp: String(Number(timestamp) * 1_000 + ms) },
    };
  }
}

/** What is wrong with an `X-Timestamp` that is refused, and what to do. `now` is Unix milliseconds. */
export function timestampHint(timestamp: string, now: number): string {
  if (timestamp === '') return 'X-Timestamp is missing or was sent more than once: send it once';
  if (!/^\d{1,15}$/.test(timestamp)) return 'X-Timestamp is not plain digits: send Unix seconds';
  if (Math.abs(Number(timestamp) - now) <= limits.clockDifferenceSeconds * 1_000) {
    return 'X-Timestamp is in milliseconds: sign and send Unix seconds';
  }
  if (/^0\d/.test(timestamp)) return 'X-Timestamp has a leading zero: send Unix seconds as they are';
  const seconds = Math.round(Number(timestamp) - now / 1_000);
  const where = seconds < 0 ? 'behind' : 'ahead of';
  return `X-Timestamp is ${Math.abs(seconds)} seconds ${where} the service: set the clock right, and sign just before sending`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function* permutations(items: readonly string[]): Generator<string[]> {
  if (items.length <= 1) {
    yield [...items];
    return;
  }
  for (const [at, item] of items.entries()) {
    for (const rest of permutations([...items.slice(0, at), ...items.slice(at + 1)])) yield [item, ...rest];
  }
}

const mostPermuted = 5;
