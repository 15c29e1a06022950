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
 * found by doing it: the one that reproduces the signature that came is named. No secret is in a hint.
 */

/** What was signed in place of the right thing, by the hint that says so. */
type Wrong = Readonly<Record<string, string | readonly string[]>>;

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
  const isSigned = (text: string) => sameSignature(signature, hmac(secret, text));
  const withLine = (line: keyof CanonicalParts) => (value: string) =>
    isSigned(canonicalString({ ...parts, [line]: value }));
  return (
    find(spellings(signature), (hex) => sameSignature(hex, right)) ??
    find(queries(request, parts), withLine('query')) ??
    find(paths(request, parts), withLine('path')) ??
    find(pathsWithQuery(request, parts), (path) =>
      isSigned(canonicalString({ ...parts, path, query: '' })),
    ) ??
    find(methods(request, parts), withLine('method')) ??
    find(digests(request, parts), withLine('bodySha256')) ??
    find(secrets(request, secret), (key) => sameSignature(signature, hmac(key, canonical))) ??
    find(keys(secret), (hex) => sameSignature(signature, hmac(Buffer.from(hex, 'hex'), canonical))) ??
    find(texts(parts), isSigned) ??
    find(timestamps(parts), withLine('timestamp')) ??
    find(algorithms(canonical, secret), (hex) => sameSignature(signature, hex))
  );
}

function find(wrong: Wrong, isIt: (value: string) => boolean): string | undefined {
  return Object.entries(wrong).find(([, values]) => [values].flat().some(isIt))?.[0];
}

/** Ways in which a right signature is commonly written, each read back to lower-case hex. */
function spellings(signature: string): Wrong {
  const prefix = /^(?:v1|sha256|hmac-sha256)[=:]\s*/i.exec(signature)?.[0] ?? '';
  const decoded = Buffer.from(signature, 'base64');
  return {
    'X-Signature is in upper-case hex: send lower-case hex': signature.toLowerCase(),
    'X-Signature is base64: send lower-case hex': decoded.toString('hex'),
    'X-Signature is the base64 of its hex: send lower-case hex': decoded.toString('latin1'),
    [`X-Signature begins with ${JSON.stringify(prefix)}: send the hex alone`]: signature.slice(prefix.length),
    'X-Signature is quoted: send the hex alone': signature.replace(/^["']|["']$/g, ''),
  };
}

/** The third line. */
function queries({ wireQuery: sent }: SignedRequest, { query }: CanonicalParts): Wrong {
  if (sent === '') return {};
  const inOrder = (text: string) => text.split('&').sort().join('&');
  const unsorted = 'an unsorted query was signed: sort the parameters by name';
  const plusSigned = '`+` was signed for a space: write it as %20';
  const asSent = sent.includes('+')
    ? plusSigned
    : 'the query was signed as sent: sort it by name and percent-encode it per RFC 3986, then sign that';
  const pairs = query.split('&');
  const orders = pairs.length > mostPermuted ? [] : permutations(pairs).map((order) => order.join('&'));
  return {
    ...(sent !== query && { [inOrder(sent) === inOrder(query) ? unsorted : asSent]: sent }),
    [plusSigned]: [query.replaceAll('%20', '+'), ...(asSent === plusSigned && sent !== query ? [sent] : [])],
    'the query was signed with lower-case percent escapes: write them in upper case, such as %2F':
      query.replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase()),
    'the query was signed without percent-encoding: encode names and values per RFC 3986, then sign that':
      decoded(query),
    'the query was percent-encoded twice before it was signed: encode it once': query.replaceAll('%', '%25'),
    "the query was signed with ! ' ( ) * unescaped: RFC 3986 escapes them, encodeURIComponent() doesn't":
      query.replace(/%(?:21|27|28|29|2A)/g, decoded),
    'the query was left out of the signature: sign it as the third line': '',
    'the query was signed with its question mark: sign it without': `?${query}`,
    [unsorted]: [...(inOrder(sent) === inOrder(query) ? [sent] : []), ...orders],
  };
}

/** The second line. */
function paths({ prefix, host }: SignedRequest, { path, query }: CanonicalParts): Wrong {
  const urls = addresses(prefix, host).map((address) => address + path);
  return {
    ...(prefix !== '' && {
      'the front-controller prefix was signed: sign the path from /api/v1 on': prefix + path,
    }),
    'the path was signed without /api/v1: sign the whole path, /api/v1 included': path.replace('/api/v1', ''),
    [hostSigned]: urls.flatMap((url) => (query === '' ? [url] : [url, `${url}?${query}`])),
    ...(query !== '' && { [queryInPath]: `${path}?${query}` }),
    'the path was signed with a slash at its end: sign it exactly as it is sent': `${path}/`,
    'the path was signed decoded: sign it as it is sent, percent escapes included': decoded(path),
    'the path was signed percent-encoded once more: sign it exactly as it is sent': path.replaceAll(
      '%',
      '%25',
    ),
  };
}

/** The second line with the query in it, and the third empty. */
function pathsWithQuery({ prefix, host }: SignedRequest, { path, query }: CanonicalParts): Wrong {
  if (query === '') return {};
  return {
    [hostSigned]: addresses(prefix, host).map((address) => `${address}${path}?${query}`),
    [queryInPath]: `${path}?${query}`,
  };
}

const hostSigned = 'the host was signed with the path: sign the path alone, from /api/v1 on';
const queryInPath =
  'the query was signed as part of the path: the path is the second line, the query the third';

/** What may stand before the path in an address. */
function addresses(prefix: string, host = ''): string[] {
  return ['http://', 'https://', ''].flatMap((scheme) => [scheme + host, scheme + host + prefix]);
}

/** The first line. */
function methods({ wireMethod }: SignedRequest, { method }: CanonicalParts): Wrong {
  const others = [...new Set([wireMethod, 'GET', 'POST', 'PATCH', 'PUT'])].map((other) => [
    `wrong effective method: ${other} was signed instead of ${method}`,
    other,
  ]);
  return {
    ...Object.fromEntries(others),
    'the method was signed in lower case: sign it in upper case': method.toLowerCase(),
  };
}

/** The last line. */
function digests({ body, claimedSha256 }: SignedRequest, { bodySha256 }: CanonicalParts): Wrong {
  const text = Buffer.from(body).toString('utf8');
  const ended = [text.trimEnd(), `${text}\n`, text.replaceAll('\r\n', '\n'), text.replaceAll('\n', '\r\n')];
  return {
    'the body was re-serialised after signing: hash the very bytes that are sent':
      reserialised(text).map(sha256Hex),
    'the body was hashed with other line ends or white space than it was sent with: hash the very bytes that are sent':
      ended.map(sha256Hex),
    'the body was hashed in another encoding: hash its UTF-8 bytes, as they are sent': [
      sha256Hex(Buffer.from(text, 'latin1')),
      sha256Hex(Buffer.from(text, 'utf16le')),
    ],
    'the object was hashed and not its JSON (as "[object Object]"): serialise it once, and hash and send that':
      sha256Hex('[object Object]'),
    ...(body.length > 0 && {
      'the digest of an empty body was signed: hash the very bytes that are sent': sha256Hex(''),
    }),
    'no digest was signed: the last line is the SHA-256 of the body, of an empty one too': '',
    'the body was signed in place of its digest: the last line is its SHA-256 in lower-case hex': text,
    'the body digest was signed in upper-case hex: write it in lower case': bodySha256.toUpperCase(),
    'the body digest was signed as base64: write it in lower-case hex': Buffer.from(
      bodySha256,
      'hex',
    ).toString('base64'),
    'wrong body digest: X-Content-SHA256 is not the digest of the bytes that arrived; hash the very bytes that are sent':
      claimedSha256,
  };
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
  const indented = [JSON.stringify(value, null, 2), JSON.stringify(value, null, 4)];
  const spelt = [compact, ...indented, spaced, compact.replaceAll('/', '\\/'), `${compact}\n`];
  return [...spelt, ...spelt.map(inAscii)];
}

/** JSON in printable ASCII, as some serialisers write it, and as a header needs it. */
export function inAscii(json: string): string {
  return json.replace(/[^\x20-\x7e\n]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Keys that are texts. */
function secrets({ keyId = '', otherSecrets = () => [] }: SignedRequest, secret: string): Wrong {
  const trailing = 'trim what is read from a file or the environment';
  const asItIs = 'use the string as it is';
  const others = otherSecrets().map(({ whose, signingSecret }) => [
    `the secret of ${whose} was used: use the one that goes with the key ID sent`,
    signingSecret,
  ]);
  const bytes = Buffer.from(secret, 'utf8');
  return {
    [`the signing secret was used with a trailing newline: ${trailing}`]: `${secret}\n`,
    [`the signing secret was used with a trailing carriage return and newline: ${trailing}`]: `${secret}\r\n`,
    [`the signing secret was used with a trailing space: ${trailing}`]: `${secret} `,
    'the signing secret was used with a space before it: remove it': ` ${secret}`,
    'the signing secret was used with the quotes around it: remove them': [`"${secret}"`, `'${secret}'`],
    'the signing secret was used with a byte order mark: remove it': `\ufeff${secret}`,
    'the signing secret was trimmed: use it as it was issued': secret.trim(),
    [`the signing secret was encoded as base64: ${asItIs}`]: bytes.toString('base64'),
    [`the signing secret was encoded as hex: ${asItIs}`]: bytes.toString('hex'),
    [`the signing secret was hashed before it was used: ${asItIs}`]: sha256Hex(secret),
    'the key ID was used as the secret: sign with the signing secret': keyId,
    ...Object.fromEntries(others),
  };
}

/** Keys that are bytes, in hex. */
function keys(secret: string): Wrong {
  const asItIs = 'use the string as it is';
  return {
    [`the signing secret was decoded as base64: ${asItIs}`]: Buffer.from(secret, 'base64').toString('hex'),
    [`the signing secret was decoded as hex: ${asItIs}`]: Buffer.from(secret, 'hex').toString('hex'),
  };
}

/** How the six lines are put together. */
function texts(parts: CanonicalParts): Wrong {
  const canonical = canonicalString(parts);
  const { method, path, query, timestamp, nonce, bodySha256 } = parts;
  const ends = { newline: '\n', 'carriage return and newline': '\r\n', space: ' ' };
  const joints = {
    'carriage returns and newlines': '\r\n',
    'backslashes and the letter n': '\\n',
    nothing: '',
    spaces: ' ',
    bars: '|',
    ampersands: '&',
  };
  const wrong: Record<string, string> = {};
  for (const [name, end] of Object.entries(ends)) {
    wrong[`the canonical string was signed with a trailing ${name}: nothing stands behind the sixth line`] =
      canonical + end;
  }
  for (const [name, joint] of Object.entries(joints)) {
    wrong[`the six lines were joined with ${name}: join them with line feeds`] = canonical.replaceAll(
      '\n',
      joint,
    );
  }
  return {
    ...wrong,
    ...(query === '' && {
      'the empty line of the query was left out: there are six lines, the third one empty without a query': [
        [method, path, timestamp, nonce, bodySha256].join('\n'),
      ],
    }),
    'nonce and timestamp were signed in the wrong order: the timestamp is the fourth line, the nonce the fifth':
      canonicalString({ ...parts, timestamp: nonce, nonce: timestamp }),
    'the body digest was signed before the timestamp: it is the sixth line': [
      [method, path, query, bodySha256, timestamp, nonce].join('\n'),
    ],
  };
}

/** The fourth line. */
function timestamps({ timestamp }: CanonicalParts): Wrong {
  const milliseconds = Array.from({ length: 1_000 }, (_, ms) => String(Number(timestamp) * 1_000 + ms));
  return { 'the timestamp was signed in milliseconds: sign and send Unix seconds': milliseconds };
}

/** What other ways of signing make of the right lines. */
function algorithms(canonical: string, secret: string): Wrong {
  return {
    'secret and text were swapped: the secret is the key': hmac(canonical, secret),
    'it was signed with HMAC-SHA1: use HMAC-SHA256': hmac(secret, canonical, 'sha1'),
    'it was signed with HMAC-SHA512: use HMAC-SHA256': hmac(secret, canonical, 'sha512'),
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
  return `X-Timestamp is ${Math.abs(seconds)} seconds ${where} the service: set the clock right, and sign just before sending`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function permutations(items: readonly string[]): string[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, at) =>
    permutations([...items.slice(0, at), ...items.slice(at + 1)]).map((rest) => [item, ...rest]),
  );
}

const mostPermuted = 5;
