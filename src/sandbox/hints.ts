import { type CanonicalParts, canonicalString, hmacHex, sameSignature, sha256Hex } from './canonical.js';
import type { SignedRequest } from './signed-request.js';

/** Names the mistake that reproduces the signature which came, in plain ASCII; undefined when none does. */
export function hintFor(request: SignedRequest, parts: CanonicalParts, secret: string): string | undefined {
  if (request.signature === '') return 'X-Signature is missing or was sent more than once';
  for (const { hint, key, text } of hypotheses(request, parts, secret)) {
    if (sameSignature(request.signature, hmacHex(key, text))) return hint;
  }
  return undefined;
}

interface Hypothesis {
  readonly hint: string;
  readonly key: string | Uint8Array;
  readonly text: string;
}

function* hypotheses(request: SignedRequest, parts: CanonicalParts, secret: string): Generator<Hypothesis> {
  const canonical = canonicalString(parts);
  const signed = (hint: string, change: Partial<CanonicalParts>): Hypothesis => ({
    hint,
    key: secret,
    text: canonicalString({ ...parts, ...change }),
  });

  yield { hint: sentDifferently(request, parts), key: secret, text: canonical };
  if (request.prefix !== '') {
    yield signed('the front-controller prefix was signed: the signed path starts at /api/v1', {
      path: request.prefix + parts.path,
    });
  }
  yield signed('the path was signed without /api/v1', { path: parts.path.replace('/api/v1', '') });
  yield* queryHypotheses(request, parts, signed);
  yield* bodyHypotheses(request, signed);
  for (const method of new Set([request.wireMethod, 'GET', 'POST', 'PATCH', 'PUT'])) {
    yield signed(`wrong effective method: ${method} was signed instead of ${parts.method}`, { method });
  }
  yield signed('the method was signed in lower case', { method: parts.method.toLowerCase() });
  for (const [end, name] of lineEnds) {
    yield { hint: `the signing secret was used with a trailing ${name}`, key: secret + end, text: canonical };
    yield {
      hint: `the canonical string was signed with a trailing ${name}`,
      key: secret,
      text: canonical + end,
    };
  }
  yield { hint: 'the signing secret was trimmed', key: secret.trim(), text: canonical };
  for (const encoding of ['base64', 'hex'] as const) {
    const key = Buffer.from(secret, encoding);
    yield {
      hint: `the signing secret was decoded as ${encoding}: it is used as the string it is`,
      key,
      text: canonical,
    };
  }
}

/** The signature itself is right; something beside it isn't. */
function sentDifferently(request: SignedRequest, parts: CanonicalParts): string {
  if (request.wireQuery !== parts.query) {
    return request.wireQuery.includes('+')
      ? '`+` was sent for a space: send the canonical query, where a space is %20'
      : 'the query was signed in canonical form but sent otherwise: send the canonical query';
  }
  if (request.claimedSha256 !== parts.bodySha256) {
    return 'X-Content-SHA256 is missing, not lower-case hex, or not the digest of the body sent';
  }
  return 'a GET was sent with a body';
}

function* queryHypotheses(
  request: SignedRequest,
  parts: CanonicalParts,
  signed: (hint: string, change: Partial<CanonicalParts>) => Hypothesis,
): Generator<Hypothesis> {
  const wire = request.wireQuery;
  if (wire === '') return;
  if (wire !== parts.query) {
    const hint = wire.includes('+')
      ? '`+` was signed for a space: RFC 3986 writes %20'
      : 'the query was signed as sent: it must be sorted by name and percent-encoded per RFC 3986';
    yield signed(sameSet(wire, parts.query) ? unsorted : hint, { query: wire });
  }
  yield signed('`+` was signed for a space: RFC 3986 writes %20', {
    query: parts.query.replaceAll('%20', '+'),
  });
  yield signed('the query was signed with lower-case percent escapes', {
    query: parts.query.replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase()),
  });
  yield signed('the query was signed without percent-encoding', { query: unescaped(parts.query) });
  yield signed('the query was left out of the signature', { query: '' });
  yield signed('the query was signed with its question mark', { query: `?${parts.query}` });
  const pairs = parts.query.split('&');
  if (pairs.length <= mostPermuted) {
    for (const order of permutations(pairs)) yield signed(unsorted, { query: order.join('&') });
  }
}

function* bodyHypotheses(
  request: SignedRequest,
  signed: (hint: string, change: Partial<CanonicalParts>) => Hypothesis,
): Generator<Hypothesis> {
  const again = reserialised(request.body);
  if (again !== undefined) {
    for (const text of again) {
      yield signed('the body was re-serialised after signing: hash and send the same bytes', {
        bodySha256: sha256Hex(text),
      });
    }
  }
  yield signed('wrong body digest: X-Content-SHA256 is not the digest of the bytes that arrived', {
    bodySha256: request.claimedSha256,
  });
  yield signed('the body digest of an empty body was signed', { bodySha256: sha256Hex('') });
}

/** Other spellings of a JSON body that serialisers commonly produce. */
function reserialised(body: Uint8Array): string[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    const compact = JSON.stringify(value);
    const python = JSON.stringify(value, null, 1)
      .replace(/\n */g, ' ')
      .replace(/([{[]) /g, '$1')
      .replace(/ ([}\]])/g, '$1');
    return [compact, JSON.stringify(value, null, 2), python, compact.replaceAll('/', '\\/'), `${compact}\n`];
  } catch {
    return undefined;
  }
}

function unescaped(query: string): string {
  try {
    return decodeURIComponent(query);
  } catch {
    return query;
  }
}

function sameSet(a: string, b: string): boolean {
  return a.split('&').sort().join('&') === b.split('&').sort().join('&');
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

const unsorted = 'an unsorted query was signed: sort the parameters by name';
const mostPermuted = 5;
const lineEnds = [
  ['\n', 'newline'],
  ['\r\n', 'carriage return and newline'],
  [' ', 'space'],
] as const;
