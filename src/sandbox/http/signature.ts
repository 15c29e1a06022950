import { createHmac } from 'node:crypto';
import { limits } from '../../api/common.js';
import {
  type CanonicalParts,
  canonicalQuery,
  canonicalString,
  sameSignature,
  sha256Hex,
  unescaped,
} from './canonical.js';

/** Inputs of a signature check. */
export interface SignedRequest {
  /** The effective method. */
  readonly method: string;
  /** The method as sent: POST for tunnelled PATCH and PUT. */
  readonly wireMethod: string;
  /** The `/api/v1/…` path, as sent. */
  readonly path: string;
  /** The unsigned path prefix before `/api/v1`. */
  readonly prefix: string;
  /** The query as sent, without `?`. */
  readonly wireQuery: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly body: Uint8Array;
  /** Digest of the body, lower-case hex. Computed if omitted. */
  readonly bodySha256?: string;
  /** `X-Content-SHA256` as sent; empty when missing. */
  readonly claimedSha256: string;
  /** `X-Signature` as sent; empty when missing. */
  readonly signature: string;
  /** The `Host` header and the key ID as sent, for hints only. */
  readonly host?: string | undefined;
  readonly keyId?: string;
  /** Secrets of other keys, for hints only. */
  readonly otherSecrets?: () => readonly { readonly whose: string; readonly signingSecret: string }[];
}

export type SignatureVerdict =
  | { readonly valid: true; readonly canonical: string }
  | { readonly valid: false; readonly canonical: string; readonly hint: string | undefined };

/**
 * Checks a signature. For an invalid one, returns the canonical string and a hint if the mistake is known. The
 * signature covers the canonical query, so the order and escaping on the wire do not matter.
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
 * Hints have the form `<mistake>: <fix>`, in ASCII because they are sent in a header, and never hold a secret. A
 * mistake is found by repeating it: the hint names the one that reproduces the received signature.
 */

/** Candidate inputs of the signature, by hint. */
type Mistakes<Value> = Readonly<Record<string, readonly Value[]>>;

/** Finds the mistake that reproduces the received signature; undefined if none does. */
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
  const isMadeBy = (key: string | Uint8Array, text: string, hash?: string) =>
    sameSignature(signature, hmac(key, text, hash));
  if (spellings(signature).includes(right)) {
    return 'X-Signature is not lower-case hex alone: send its 64 lower-case hex digits';
  }
  if (['sha1', 'sha512'].some((hash) => isMadeBy(secret, canonical, hash))) {
    return 'another hash was used: sign with HMAC-SHA256';
  }
  return (
    find(lines(request, parts), (text) => isMadeBy(secret, text)) ??
    find(secrets(request, secret), (key) => isMadeBy(key, canonical))
  );
}

function find<Value>(mistakes: Mistakes<Value>, isIt: (value: Value) => boolean): string | undefined {
  return Object.entries(mistakes).find(([, values]) => values.some(isIt))?.[0];
}

/** Common encodings of a signature, normalised to lower-case hex. */
function spellings(signature: string): string[] {
  const bare = signature.replace(/^(?:v1|sha256|hmac-sha256)[=:]\s*/i, '');
  return [signature.toLowerCase(), Buffer.from(signature, 'base64').toString('hex'), bare];
}

/** Canonical strings with a mistake in one line or in the joining. */
function lines(request: SignedRequest, parts: CanonicalParts): Mistakes<string> {
  const { prefix, host = '', body, claimedSha256, wireQuery, wireMethod } = request;
  const { method, path, query, timestamp, nonce, bodySha256 } = parts;
  const canonical = canonicalString(parts);
  const as = (change: Partial<CanonicalParts>) => canonicalString({ ...parts, ...change });
  const withQuery = (...queries: string[]) => queries.map((each) => as({ query: each }));
  const withPath = (...paths: string[]) => paths.map((each) => as({ path: each }));
  const withDigest = (...digests: string[]) => digests.map((each) => as({ bodySha256: each }));
  const hosts = ['http://', 'https://', ''].flatMap((scheme) => [scheme + host, scheme + host + prefix]);
  const addresses = hosts.flatMap((each) => [each + path, `${each}${path}?${query}`]);
  const text = Buffer.from(body).toString('utf8');
  const methods = [wireMethod, 'GET', 'POST', 'PATCH', 'PUT', method.toLowerCase()].map((other) => [
    `wrong effective method: ${other} was signed instead of ${method}`,
    [as({ method: other })],
  ]);
  const sorted = (pairs: string) => pairs.split('&').sort().join('&');
  return {
    '`+` was signed for a space: encode a space as %20': withQuery(
      query.replaceAll('%20', '+'),
      ...(wireQuery.includes('+') ? [wireQuery] : []),
    ),
    'an unsorted query was signed: sort the parameters by name':
      sorted(wireQuery) === sorted(query) ? withQuery(wireQuery) : [],
    'the query was percent-encoded differently: sort it, encode names and values once per RFC 3986, then sign that':
      withQuery(
        wireQuery,
        unescaped(query) ?? '',
        query.replaceAll('%', '%25'),
        query.replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase()),
        // Characters that encodeURIComponent() does not escape.
        query.replace(/%(?:21|27|28|29|2A)/g, (triplet) => unescaped(triplet) ?? ''),
      ),
    'the query was omitted or signed with its question mark: sign it as the third line, without the mark':
      withQuery('', `?${query}`),
    'the query was signed as part of the path: the path is the second line, the query the third': [
      ...withPath(`${path}?${query}`),
      as({ path: `${path}?${query}`, query: '' }),
    ],
    'the path was signed with its host or prefix, or /api/v1 is missing or doubled: sign it from /api/v1 on':
      [
        ...withPath(prefix + path, path.replace('/api/v1', ''), `/api/v1${path}`, ...addresses),
        ...addresses.map((each) => as({ path: each, query: '' })),
      ],
    'the signed path differs from the sent path: sign it exactly as sent': withPath(
      `${path}/`,
      path.replace(/\/+$/, ''),
      unescaped(path) ?? '',
      path.replaceAll('%', '%25'),
    ),
    ...Object.fromEntries(methods),
    'the body digest has the wrong form: sign the SHA-256 of the body in lower-case hex, also for an empty body':
      withDigest('', text, bodySha256.toUpperCase(), Buffer.from(bodySha256, 'hex').toString('base64')),
    'the body was re-serialised after signing: hash the exact bytes that are sent': withDigest(
      ...reserialised(text).map(sha256Hex),
      sha256Hex(Buffer.from(text, 'latin1')),
      sha256Hex(Buffer.from(text, 'utf16le')),
    ),
    'wrong body digest: X-Content-SHA256 is not the digest of the bytes that arrived; hash the exact bytes that are sent':
      withDigest(claimedSha256, sha256Hex('')),
    'the six lines were joined differently: join method, path, query, timestamp, nonce and digest with line feeds, without a trailing one':
      [
        ...[`${canonical}\n`, `${canonical}\r\n`, canonical.replace('\n\n', '\n')],
        ...['\r\n', '\\n', ''].map((joint) => canonical.replaceAll('\n', joint)),
        as({ timestamp: nonce, nonce: timestamp }),
      ],
  };
}

/** Alternative serialisations of a body by common serialisers and editors. */
function reserialised(text: string): string[] {
  const lineFeeds = text.replaceAll('\r\n', '\n');
  const otherSpaces = [text.trimEnd(), `${text}\n`, lineFeeds, lineFeeds.replaceAll('\n', '\r\n')];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return otherSpaces;
  }
  const compact = JSON.stringify(value);
  const indented = [1, 2, 4].map((width) => JSON.stringify(value, null, width));
  const spaced =
    indented[0]
      ?.replace(/([{[])\n */g, '$1')
      .replace(/\n *([}\]])/g, '$1')
      .replace(/\n */g, ' ') ?? '';
  const spelt = [compact, spaced, ...indented, compact.replaceAll('/', '\\/')];
  return [...otherSpaces, ...spelt, ...spelt.map(inAscii)];
}

/** Escapes JSON to printable ASCII, as for a header. */
export function inAscii(json: string): string {
  return json.replace(/[^\x20-\x7e\n]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Values commonly used instead of the secret. */
function secrets(
  { keyId = '', otherSecrets = () => [] }: SignedRequest,
  secret: string,
): Mistakes<string | Uint8Array> {
  const others = otherSecrets().map(({ whose, signingSecret }) => [
    `the secret of ${whose} was used: use the one that goes with the key ID sent`,
    [signingSecret],
  ]);
  const around = ['\n', '\r\n', ' '].map((space) => secret + space);
  return {
    'the signing secret was used with a space, newline, quote or byte order mark around it: trim what is read from a file or the environment':
      [...around, ` ${secret}`, `\ufeff${secret}`, `"${secret}"`, `'${secret}'`],
    'the signing secret was decoded: use the string as it is': [
      Buffer.from(secret, 'base64'),
      Buffer.from(secret, 'hex'),
    ],
    'the key ID was used as the secret: sign with the signing secret': [keyId],
    ...Object.fromEntries(others),
  };
}

/** Hint for a refused `X-Timestamp`. `now` is Unix milliseconds. */
export function timestampHint(timestamp: string, now: number): string {
  if (timestamp === '') return 'X-Timestamp is missing or was sent more than once: send it once';
  if (!/^(?:0|[1-9]\d{0,14})$/.test(timestamp)) {
    return 'X-Timestamp is not plain digits without a leading zero: send Unix seconds';
  }
  if (Math.abs(Number(timestamp) - now) <= limits.clockDifferenceSeconds * 1_000) {
    return 'X-Timestamp is in milliseconds: sign and send Unix seconds';
  }
  const seconds = Number(timestamp) - Math.floor(now / 1_000);
  const where = seconds < 0 ? 'behind' : 'ahead of';
  return `X-Timestamp is ${Math.abs(seconds)} seconds ${where} the service: correct the clock, and sign just before sending`;
}
