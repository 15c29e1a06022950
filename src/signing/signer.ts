import { canonicalLines } from './canonical.js';
import { digests } from './digests.js';
import { type SignatureHeaders, type SigningCredentials, signatureHeaders } from './headers.js';
import { checkHeaderId, checkSecret } from './secret.js';

/** One attempt, frozen but for its timestamp and nonce. */
export interface Attempt {
  readonly method: string;
  readonly path: string;
  readonly canonicalQuery: string;
  readonly bodySha256: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly nonce: string;
}

/** Signs attempts under one key; the key's bytes live in a closure and show nowhere. */
export interface Signer {
  readonly clientId: string;
  readonly keyId: string;
  sign(attempt: Attempt): SignatureHeaders;
}

/** Prepares the key once. @throws ConfigurationError for an unusable secret. */
export function createSigner(credentials: SigningCredentials): Signer {
  const clientId = checkHeaderId(credentials.clientId, 'credentials.clientId');
  const keyId = checkHeaderId(credentials.keyId, 'credentials.keyId');
  const key = digests.hmacSha256(checkSecret(credentials.signingSecret, 'credentials.signingSecret'));
  return {
    clientId,
    keyId,
    sign: (attempt) =>
      signatureHeaders({ clientId, keyId, ...attempt, signature: key(canonicalLines(attempt)) }),
  };
}
