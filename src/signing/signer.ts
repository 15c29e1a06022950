import { ConfigurationError } from '../errors/local.js';
import { digests } from './digests.js';
import { canonicalQuery, type QueryInput } from './query.js';
import { checkHeaderId, checkSecret } from './secret.js';

/** What is signed, before digests (Authentication, Canonical string). */
export interface CanonicalParts {
  /** The effective method: PATCH or PUT where `_method` says so. */
  readonly method: string;
  /** The `/api/v1/…` path, exactly as sent after any front-controller segment; taken as it is. */
  readonly path: string;
  readonly query?: QueryInput;
  /** Unix seconds. */
  readonly timestamp: number | string;
  readonly nonce: string;
  /** Lowercase hex SHA-256 of the exact body bytes. */
  readonly bodySha256: string;
}

/** The six lines of the canonical request, without a trailing line feed. */
export function canonicalRequest(parts: CanonicalParts): string {
  return canonicalLines({ ...parts, canonicalQuery: canonicalQuery(parts.query) });
}

/** The same, for a query that is already canonical. */
export function canonicalLines(
  parts: Omit<CanonicalParts, 'query'> & { readonly canonicalQuery: string },
): string {
  return `${parts.method.toUpperCase()}\n${parts.path}\n${parts.canonicalQuery}\n${parts.timestamp}\n${parts.nonce}\n${parts.bodySha256}`;
}

/** The part of a URL path that is signed: from `/api/v1` on, whatever front-controller segment precedes it. */
export function signedPathOf(urlPath: string): string | undefined {
  const match = /\/api\/v1(?=\/|$)/.exec(urlPath);
  return match === null ? undefined : urlPath.slice(match.index);
}

/** What the bank issues to sign with. Keep the secret on your backend. */
export interface SigningCredentials {
  /** Client id (`X-Client-ID`). */
  readonly clientId: string;
  /** Key id (`X-Key-ID`). */
  readonly keyId: string;
  /** Signing secret, used as the string it is. It shows in no log, error or inspection. */
  readonly signingSecret: string;
}

/** The six headers of a signed request (Authentication, Headers). */
export interface SignatureHeaders {
  readonly 'X-Client-ID': string;
  readonly 'X-Key-ID': string;
  readonly 'X-Timestamp': string;
  readonly 'X-Nonce': string;
  readonly 'X-Content-SHA256': string;
  readonly 'X-Signature': string;
}

/** What a signed attempt says of itself. */
export interface SignedParts extends Omit<SigningCredentials, 'signingSecret'> {
  readonly timestamp: number | string;
  readonly nonce: string;
  readonly bodySha256: string;
  readonly signature: string;
}

export function signatureHeaders(parts: SignedParts): SignatureHeaders {
  return {
    'X-Client-ID': parts.clientId,
    'X-Key-ID': parts.keyId,
    'X-Timestamp': String(parts.timestamp),
    'X-Nonce': parts.nonce,
    'X-Content-SHA256': parts.bodySha256,
    'X-Signature': parts.signature,
  };
}

/** One attempt, frozen except for its timestamp and nonce. */
export interface Attempt {
  readonly method: string;
  readonly path: string;
  readonly canonicalQuery: string;
  readonly bodySha256: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly nonce: string;
}

/** Signs attempts under one key; the key's bytes are in a closure and show nowhere. */
export interface Signer {
  readonly clientId: string;
  readonly keyId: string;
  sign(attempt: Attempt): SignatureHeaders | Promise<SignatureHeaders>;
}

/** Credentials whose secret stays elsewhere, such as in a KMS or in Vault. */
export interface RemoteCredentials {
  /** Client id (`X-Client-ID`). */
  readonly clientId: string;
  /** Key id (`X-Key-ID`). */
  readonly keyId: string;
  /**
   * Signs a canonical request: HMAC-SHA256 under the signing secret, of the text's UTF-8 bytes, as 64 lowercase hex
   * digits. Called once per attempt, within the call's deadline; where it fails, nothing is sent.
   */
  sign(canonicalRequest: string): string | Promise<string>;
}

/** Prepares the key once. @throws ConfigurationError for an unusable secret or id. */
export function createSigner(credentials: SigningCredentials | RemoteCredentials): Signer {
  const clientId = checkHeaderId(credentials.clientId, 'credentials.clientId');
  const keyId = checkHeaderId(credentials.keyId, 'credentials.keyId');
  if ('sign' in credentials && credentials.sign !== undefined) {
    if ('signingSecret' in credentials && credentials.signingSecret !== undefined) {
      throw new ConfigurationError('credentials', 'must have signingSecret or sign, not both');
    }
    if (typeof credentials.sign !== 'function') {
      throw new ConfigurationError('credentials.sign', 'must be a function');
    }
    const remote = credentials;
    return {
      clientId,
      keyId,
      sign: async (attempt) => {
        const signature: unknown = await remote.sign(canonicalLines(attempt));
        if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/.test(signature)) {
          throw new TypeError('credentials.sign must return 64 lowercase hex digits');
        }
        return signatureHeaders({ clientId, keyId, ...attempt, signature });
      },
    };
  }
  const secret = 'signingSecret' in credentials ? credentials.signingSecret : undefined;
  const key = digests.hmacSha256(checkSecret(secret, 'credentials.signingSecret'));
  return {
    clientId,
    keyId,
    sign: (attempt) =>
      signatureHeaders({ clientId, keyId, ...attempt, signature: key(canonicalLines(attempt)) }),
  };
}
