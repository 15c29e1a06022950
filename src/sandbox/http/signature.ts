import { createHmac } from 'node:crypto';
import { limits } from '../../api/common.js';
import {
  type CanonicalParts,
  canonicalQuery,
  canonicalString,
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
    sameSignature(request.signature, hmac(secret, canonical)) &&
    request.claimedSha256 === bodySha256 &&
    !(method === 'GET' && request.body.length > 0);
  return valid ? { valid, canonical } : { valid, canonical, hint: hintFor(request, parts, secret) };
}

function hmac(key: string | Uint8Array, text: string, hash = 'sha256'): string {
  return createHmac(hash, key).update(text, 'utf8').digest('hex');
}

/*
 * Hints. Each says what was done, a colon, and what to do instead, in plain ASCII, for it is sent in a header. A mistake is
 * found by making it: the one that reproduces the signature that came is named. No secret is in a hint.
 */

/** What was signed, or signed with, by the hint that names the mistake. */
type Mistakes<Value> = Readonly<Record<string, Value | readonly Value[]>>;

/** Names the mistake that reproduces the signature that came; undefined when none does. */
function hintFor(request: SignedRequest, parts: CanonicalParts, secret: string): string | undefined {
  const { signature } = request;
  if (signature === '') return 'X-Signature is missing or was sent more than once: send it once';
  const canonical = canonicalString(parts);
  const right = hmac(secret, canonical);
  if (sameSignature(signature, right)) {
    return request.claimedSha256 === parts.bodySha256
      ? 'a GET was sent with a body: send none'
      : 'X-Content-SHA256 is missing, not lower-case hex, or not the digest of the body sent: send the digest that is signed';
  }
  const isMadeBy = (key: string | Uint8Array, text: string) => sameSignature(signature, hmac(key, text));
  return (
    find(spellings(signature), (hex) => sameSignature(hex, right)) ??
    find(lines(request, parts), (text) => isMadeBy(secret, text)) ??
    find(secrets(request, secret), (key) => isMadeBy(key, canonical)) ??
    find({ 'it was signed with another hash: use HMAC-SHA256': ['sha1', 'sha512'] }, (hash) =>
      sameSignature(signature, hmac(secret, canonical, hash)),
    )
  );
}

function find<Value>(mistakes: Mistakes<Value>, isIt: (value: Value) => boolean): string | undefined {
  const all = Object.entries<Value | readonly Value[]>(mistakes);
  return all.find(([, values]) => (Array.isArray(values) ? values : [values]).some(isIt))?.[0];
}

/** Ways in which a right signature is commonly written, each read back to lower-case hex. */
function spellings(signature: string): Mistakes<string> {
  const prefix = /^(?:v1|sha256|hmac-sha256)[=:]\s*/i.exec(signature)?.[0] ?? '';
  return {
    'X-Signature is in upper-case hex: send lower-case hex': signature.toLowerCase(),
    'X-Signature is base64: send lower-case hex': Buffer.from(signature, 'base64').toString('hex'),
    [`X-Signature begins with ${JSON.stringify(prefix)}: send the hex alone`]: signature.slice(prefix.length),
  };
}

/** The canonical string with a mistake in one of its lines, or in how they are joined. */
function lines(request: SignedRequest, parts: CanonicalParts): Mistakes<string> {
  const { prefix, host = '', body, claimedSha256, wireQuery, wireMethod } = request;
  const { method, path, query, timestamp, nonce, bodySha256 } = parts;
  const canonical = canonicalString(parts);
  const as = (change: Partial<CanonicalParts>) => canonicalString({ ...parts, ...change });
  const withQuery = (before: string) => [
    as({ path: `${before}${path}?${query}` }),
    as({ path: `${before}${path}?${query}`, query: '' }),
  ];
  const addresses = ['http://', 'https://', ''].flatMap((scheme) => [scheme + host, scheme + host + prefix]);
  const text = Buffer.from(body).toString('utf8');
  const otherSpaces = [
    text.trimEnd(),
    `${text}\n`,
    text.replaceAll('\r\n', '\n'),
    text.replaceAll('\n', '\r\n'),
  ];
  const hashed = (bodies: readonly (string | Uint8Array)[]) =>
    bodies.map((each) => as({ bodySha256: sha256Hex(each) }));
  const plus = '`+` was signed for a space: write it as %20';
  return {
    // The query. What was signed as it was sent is named by what is wrong with that.
    [wireQuery.includes('+') ? plus : sentOtherwise(wireQuery, query)]: as({ query: wireQuery }),
    [plus]: [query.replaceAll('%20', '+'), wireQuery].map((signed) => as({ query: signed })),
    'the query was signed with lower-case percent escapes: write them in upper case, such as %2F': as({
      query: query.replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase()),
    }),
    'the query was signed without percent-encoding: encode names and values per RFC 3986, then sign that': as(
      {
        query: decoded(query),
      },
    ),
    'the query was percent-encoded twice before it was signed: encode it once': as({
      query: query.replaceAll('%', '%25'),
    }),
    "the query was signed with ! ' ( ) * unescaped: RFC 3986 escapes them, encodeURIComponent() doesn't": as({
      query: query.replace(/%(?:21|27|28|29|2A)/g, decoded),
    }),
    'the query was left out of the signature: sign it as the third line': as({ query: '' }),
    'the query was signed with its question mark: sign it without': as({ query: `?${query}` }),
    // The path.
    'the front-controller prefix was signed: sign the path from /api/v1 on': as({ path: prefix + path }),
    'the path was signed without /api/v1: sign the whole path, /api/v1 included': as({
      path: path.replace('/api/v1', ''),
    }),
    'the host was signed with the path: sign the path alone, from /api/v1 on': addresses.flatMap(
      (address) => [as({ path: address + path }), ...withQuery(address)],
    ),
    'the query was signed as part of the path: the path is the second line, the query the third':
      withQuery(''),
    'the path was signed with a slash at its end: sign it exactly as it is sent': as({ path: `${path}/` }),
    'the path was signed decoded: sign it as it is sent, percent escapes included': as({
      path: decoded(path),
    }),
    'the path was signed percent-encoded once more: sign it exactly as it is sent': as({
      path: path.replaceAll('%', '%25'),
    }),
    // The method.
    ...Object.fromEntries(
      [wireMethod, 'GET', 'POST', 'PATCH', 'PUT'].map((other) => [
        `wrong effective method: ${other} was signed instead of ${method}`,
        as({ method: other }),
      ]),
    ),
    'the method was signed in lower case: sign it in upper case': as({ method: method.toLowerCase() }),
    // The body.
    'the body was re-serialised after signing: hash the exact bytes that are sent': hashed(
      reserialised(text),
    ),
    'the body was hashed with other line ends or white space than it was sent with: hash the exact bytes that are sent':
      hashed(otherSpaces),
    'the body was hashed in another encoding: hash its UTF-8 bytes, as they are sent': hashed([
      Buffer.from(text, 'latin1'),
      Buffer.from(text, 'utf16le'),
    ]),
    'the digest of an empty body was signed: hash the exact bytes that are sent': hashed(['']),
    'no digest was signed: the last line is the SHA-256 of the body, even of an empty one': as({
      bodySha256: '',
    }),
    'the body was signed in place of its digest: the last line is its SHA-256 in lower-case hex': as({
      bodySha256: text,
    }),
    'the body digest was signed in upper-case hex: write it in lower case': as({
      bodySha256: bodySha256.toUpperCase(),
    }),
    'the body digest was signed as base64: write it in lower-case hex': as({
      bodySha256: Buffer.from(bodySha256, 'hex').toString('base64'),
    }),
    'wrong body digest: X-Content-SHA256 is not the digest of the bytes that arrived; hash the exact bytes that are sent':
      as({ bodySha256: claimedSha256 }),
    // The whole.
    'the canonical string was signed with a trailing newline: nothing follows the sixth line': [
      `${canonical}\n`,
      `${canonical}\r\n`,
    ],
    'the six lines were not joined with line feeds: join them with line feeds': ['\r\n', '\\n', ''].map(
      (joint) => canonical.replaceAll('\n', joint),
    ),
    'the empty line of the query was left out: there are six lines, the third one empty without a query':
      canonical.replace('\n\n', '\n'),
    'nonce and timestamp were signed in the wrong order: the timestamp is the fourth line, the nonce the fifth':
      as({ timestamp: nonce, nonce: timestamp }),
  };
}

/** What is wrong with a query that was signed as it was sent. */
function sentOtherwise(sent: string, query: string): string {
  const inOrder = (text: string) => text.split('&').sort().join('&');
  return inOrder(sent) === inOrder(query)
    ? 'an unsorted query was signed: sort the parameters by name'
    : 'the query was signed as sent: sort it by name and percent-encode it per RFC 3986, then sign that';
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
  const indented = [1, 2, 4].map((width) => JSON.stringify(value, null, width));
  const spaced =
    indented[0]
      ?.replace(/([{[])\n */g, '$1')
      .replace(/\n *([}\]])/g, '$1')
      .replace(/\n */g, ' ') ?? '';
  const spelt = [compact, spaced, ...indented, compact.replaceAll('/', '\\/')];
  return [...spelt, ...spelt.map(inAscii)];
}

/** JSON in printable ASCII, as some serialisers write it, and as a header needs it. */
export function inAscii(json: string): string {
  return json.replace(/[^\x20-\x7e\n]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What is mistaken for the secret. */
function secrets(
  { keyId = '', otherSecrets = () => [] }: SignedRequest,
  secret: string,
): Mistakes<string | Uint8Array> {
  const others = otherSecrets().map(({ whose, signingSecret }) => [
    `the secret of ${whose} was used: use the one that goes with the key ID sent`,
    signingSecret,
  ]);
  return {
    'the signing secret was used with a space, newline or byte order mark around it: trim what is read from a file or the environment':
      [`${secret}\n`, `${secret}\r\n`, `${secret} `, ` ${secret}`, `\ufeff${secret}`],
    'the signing secret was used with the quotes around it: remove them': [`"${secret}"`, `'${secret}'`],
    'the signing secret was decoded as base64: use the string as it is': Buffer.from(secret, 'base64'),
    'the signing secret was decoded as hex: use the string as it is': Buffer.from(secret, 'hex'),
    'the key ID was used as the secret: sign with the signing secret': keyId,
    ...Object.fromEntries(others),
  };
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
  return `X-Timestamp is ${Math.abs(seconds)} seconds ${where} the service: correct the clock, and sign just before sending`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
