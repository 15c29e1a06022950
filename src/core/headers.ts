import type { Signer } from '../signing/signer.js';
import type { RequestBody } from './body.js';
import type { PreparedCall } from './prepare.js';

/** The two values that differ from one attempt to the next. */
export interface Stamp {
  /** Unix seconds. */
  readonly timestamp: number;
  readonly nonce: string;
}

const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The headers of one attempt, signed. */
export function signedHeaders(
  call: PreparedCall,
  body: RequestBody | undefined,
  stamp: Stamp,
  signer: Signer,
  userAgent: string,
) {
  return {
    accept: call.route.envelope === 'binary' ? '*/*' : 'application/json',
    // A compressed reply could be a bomb, and nothing in the API is large enough to need it.
    'accept-encoding': 'identity',
    'user-agent': userAgent,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(call.idempotencyKey !== undefined && { 'idempotency-key': call.idempotencyKey }),
    ...signer.sign({
      method: call.route.method,
      path: call.signedPath,
      canonicalQuery: call.canonicalQuery,
      bodySha256: body?.sha256 ?? EMPTY_SHA256,
      timestamp: stamp.timestamp,
      nonce: stamp.nonce,
    }),
  };
}
