import { canonicalQuery, canonicalString, sameSignature, sha256Hex } from './canonical.js';
import { hintFor } from './hints.js';
import { hmacHex } from './hmac.js';
import type { SignedRequest } from './signed-request.js';

export type SignatureVerdict =
  | { readonly valid: true; readonly canonical: string }
  | { readonly valid: false; readonly canonical: string; readonly hint: string | undefined };

/** Judges a signature; an invalid one comes with the canonical string it was measured against, and a guess. */
export function judgeSignature(request: SignedRequest, secret: string): SignatureVerdict {
  const { method, path, timestamp, nonce, bodySha256 = sha256Hex(request.body) } = request;
  const query = canonicalQuery(request.wireQuery, request.equalNames);
  const parts = { method, path, query, timestamp, nonce, bodySha256 };
  const canonical = canonicalString(parts);
  const matches = sameSignature(request.signature, hmacHex(secret, canonical));
  const valid =
    matches &&
    request.claimedSha256 === bodySha256 &&
    // The service may re-sort what it gets; that isn't shown, so what is sent must already be canonical.
    request.wireQuery === query &&
    !(method === 'GET' && request.body.length > 0);
  return valid ? { valid, canonical } : { valid, canonical, hint: hintFor(request, parts, secret) };
}
