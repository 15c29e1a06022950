import { ConfigurationError } from '../errors/local.js';
import { optionalModule } from '../runtime/node-modules.js';
import { type Digest, loadNobleDigest } from './noble.js';
import { canonicalQuery, type QueryInput } from './query.js';

/** The parts of a canonical request (Authentication, Canonical string). */
export interface CanonicalParts {
  /** The effective method: PATCH or PUT if `_method` says so. */
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

/** `canonicalRequest` for a query that is already canonical. */
export function canonicalLines(
  parts: Omit<CanonicalParts, 'query'> & { readonly canonicalQuery: string },
): string {
  return `${parts.method.toUpperCase()}\n${parts.path}\n${parts.canonicalQuery}\n${parts.timestamp}\n${parts.nonce}\n${parts.bodySha256}`;
}

/** The signed part of a URL path: from `/api/v1` on, without a front-controller segment. Undefined if there is none. */
export function signedPathOf(urlPath: string): string | undefined {
  const match = /\/api\/v1(?=\/|$)/.exec(urlPath);
  return match === null ? undefined : urlPath.slice(match.index);
}

/** Signing credentials that the bank issues. Keep the secret on your backend. */
export interface SigningCredentials {
  /** Client id (`X-Client-ID`). */
  readonly clientId: string;
  /** Key id (`X-Key-ID`). */
  readonly keyId: string;
  /** Signing secret, used exactly as given. It never appears in a log, an error or `util.inspect`. */
  readonly signingSecret: string;
}

/** One attempt to sign. Only its timestamp and nonce differ from the attempt before it. */
export interface AttemptToSign {
  readonly method: string;
  readonly path: string;
  readonly canonicalQuery: string;
  readonly bodySha256: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly nonce: string;
}

/** Signs attempts with one key. The secret stays in a closure, so logs and `util.inspect` never show it. */
export interface Signer {
  readonly clientId: string;
  readonly keyId: string;
  /** The signature of one attempt, 64 lowercase hex digits. */
  sign(attempt: AttemptToSign): string | Promise<string>;
}

/** Credentials for a secret that stays outside this process, for example in a KMS or in Vault. */
export interface RemoteCredentials {
  /** Client id (`X-Client-ID`). */
  readonly clientId: string;
  /** Key id (`X-Key-ID`). */
  readonly keyId: string;
  /**
   * Signs a canonical request: returns the HMAC-SHA256 of the text's UTF-8 bytes under the signing secret, as 64
   * lowercase hex digits. The client calls it once per attempt, within the call's deadline. If it fails, nothing is sent.
   */
  sign(canonicalRequest: string): string | Promise<string>;
}

/** Checks the credentials once. @throws ConfigurationError for an unusable secret or id. */
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
        return signature;
      },
    };
  }
  const given = 'signingSecret' in credentials ? credentials.signingSecret : undefined;
  const secret = checkSecret(given, 'credentials.signingSecret');
  return { clientId, keyId, sign: (attempt) => hmacSha256Hex(secret, canonicalLines(attempt)) };
}

/**
 * Refuses secrets that can't be right, without ever showing them. A pasted secret with a stray newline is the most
 * common support case. Spaces inside are legal: the secret is used exactly as given and never decoded.
 */
export function checkSecret(secret: unknown, option: string): string {
  if (secret === undefined) {
    throw new ConfigurationError(
      option,
      'is missing: it is undefined, so a variable or setting may not be set',
    );
  }
  if (typeof secret !== 'string') throw new ConfigurationError(option, 'must be a string');
  if (secret.trim() === '') throw new ConfigurationError(option, 'must not be empty or blank');
  if (secret !== secret.trim()) {
    throw new ConfigurationError(option, 'begins or ends with white space (a stray newline from copying?)');
  }
  if (/\p{Cc}/u.test(secret)) throw new ConfigurationError(option, 'contains a control character');
  if (/\p{Cs}/u.test(secret)) throw new ConfigurationError(option, 'contains a lone surrogate');
  return secret;
}

/** Refuses ids that a header would change. */
export function checkHeaderId(id: unknown, option: string): string {
  if (typeof id !== 'string' || id === '') throw new ConfigurationError(option, 'must be a non-empty string');
  if (!/^[\x21-\x7e]+$/.test(id)) {
    throw new ConfigurationError(option, 'must be visible ASCII without white space');
  }
  return id;
}

/** The digests of `node:crypto`; undefined if the runtime has none, such as a Node built without OpenSSL. */
function nodeDigest(): Digest | undefined {
  const crypto = optionalModule('node:crypto');
  if (crypto === undefined) return undefined;
  return {
    sha256Hex: (data) => crypto.createHash('sha256').update(data).digest('hex'),
    hmacSha256Hex: (secret, ...parts) => {
      const running = crypto.createHmac('sha256', secret);
      for (const part of parts) running.update(part);
      return running.digest('hex');
    },
    startSha256: () => {
      const running = crypto.createHash('sha256');
      return { update: (bytes) => void running.update(bytes), hex: () => running.digest('hex') };
    },
  };
}

/** The only digests of the package: those of `node:crypto` if the runtime has it, else of `@noble/hashes`. */
export const { sha256Hex, hmacSha256Hex, startSha256 }: Digest = nodeDigest() ?? loadNobleDigest();
