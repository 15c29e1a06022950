import { createHmac } from 'node:crypto';
import { type CanonicalParts, canonicalString, sameSignature } from './canonical.js';
import { ofBody } from './hints/bodies.js';
import { spellings } from './hints/encodings.js';
import type { Case, Hypothesis } from './hints/hypothesis.js';
import { ofSecret } from './hints/keys.js';
import { ofMethodAndPath } from './hints/paths.js';
import { ofQuery } from './hints/queries.js';
import { ofText } from './hints/texts.js';
import type { SignedRequest } from './signed-request.js';

/**
 * Names the mistake that reproduces the signature which came, and what to do, in plain ASCII; undefined when none
 * does. Neither the secret nor the right signature is in it.
 */
export function hintFor(request: SignedRequest, parts: CanonicalParts, secret: string): string | undefined {
  const { signature } = request;
  if (signature === '') return 'X-Signature is missing or was sent more than once: send it once';
  const right = hmac({ hint: '' }, parts, secret);
  if (sameSignature(signature, right)) return sentDifferently(request, parts);
  const spelt = spellings(signature).find(({ hex }) => sameSignature(hex, right));
  if (spelt !== undefined) return spelt.hint;
  for (const hypothesis of hypotheses({ request, parts, secret })) {
    if (sameSignature(signature, hmac(hypothesis, parts, secret))) return hypothesis.hint;
  }
  return undefined;
}

function* hypotheses(known: Case): Generator<Hypothesis> {
  yield* ofQuery(known);
  yield* ofMethodAndPath(known);
  yield* ofBody(known);
  yield* ofSecret(known);
  yield* ofText(known);
}

function hmac({ change, text, key, hash }: Hypothesis, parts: CanonicalParts, secret: string): string {
  return createHmac(hash ?? 'sha256', key ?? secret)
    .update(text ?? canonicalString({ ...parts, ...change }), 'utf8')
    .digest('hex');
}

/** The signature itself is right; something beside it isn't. */
function sentDifferently(request: SignedRequest, parts: CanonicalParts): string {
  if (request.wireQuery !== parts.query) {
    return request.wireQuery.includes('+')
      ? '`+` was sent for a space: send the query as it is signed, where a space is %20'
      : 'the query was signed in canonical form but sent otherwise: send it as it is signed';
  }
  if (request.claimedSha256 !== parts.bodySha256) {
    return 'X-Content-SHA256 is missing, not lower-case hex, or not the digest of the body sent: send the digest that is signed';
  }
  return 'a GET was sent with a body: send none';
}
