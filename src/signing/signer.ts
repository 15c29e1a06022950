import type * as NodeCrypto from 'node:crypto';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { ConfigurationError } from '../errors/local.js';
import { canonicalQuery, type QueryInput } from './query.js';

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

/** Signs attempts with one key. The key's bytes stay in a closure, out of logs and inspection. */
export interface Signer {
  readonly clientId: string;
  readonly keyId: string;
  /** The signature of one attempt, 64 lowercase hex digits. */
  sign(attempt: Attempt): string | Promise<string>;
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
        return signature;
      },
    };
  }
  const secret = 'signingSecret' in credentials ? credentials.signingSecret : undefined;
  const key = digests.hmacSha256(checkSecret(secret, 'credentials.signingSecret'));
  return {
    clientId,
    keyId,
    sign: (attempt) => key(canonicalLines(attempt)),
  };
}

/** SHA-256 and HMAC-SHA256, the two primitives of signing and webhooks. Text is UTF-8; output is lowercase hex. */
export interface Digests {
  readonly name: 'native' | 'noble';
  sha256Hex(data: Uint8Array | string): string;
  /** Prepares a key once; the returned function closes over it and shows it nowhere. */
  hmacSha256(secret: string): KeyedDigest;
}

/** HMAC-SHA256 under one key, of the given parts one after another. */
export type KeyedDigest = (...parts: readonly (string | Uint8Array)[]) => string;

const BLOCK = 64;

/** Canonical requests are a few hundred bytes, webhooks a thousand. */
const SHORT_BYTES = 4_096;

/** `node:crypto`'s SHA-256; undefined where the runtime has none. It keeps a 20 MB body from holding the event loop. */
export function nativeDigests(): Digests | undefined {
  const crypto: typeof NodeCrypto | undefined = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (crypto === undefined) return undefined;
  const { createHash, createHmac } = crypto;
  // The one-shot hash (Node 20.12) costs half of createHash; older or other runtimes may lack it.
  const sha256Hex = crypto.hash
    ? (data: Uint8Array | string) => crypto.hash('sha256', data, 'hex')
    : (data: Uint8Array | string) => createHash('sha256').update(data).digest('hex');
  // The two blocks of HMAC (RFC 2104). Digesting is synchronous, so they serve all keys.
  const inner = Buffer.alloc(BLOCK + SHORT_BYTES);
  const outer = Buffer.alloc(BLOCK + 32);

  return {
    name: 'native',
    sha256Hex,
    hmacSha256: (secret) => {
      const bytes = Buffer.from(secret, 'utf8');
      const key = bytes.length > BLOCK ? Buffer.from(sha256Hex(bytes), 'hex') : bytes;
      return (...parts) => {
        let most = 0;
        // A UTF-16 unit is three bytes at most.
        for (const part of parts) most += typeof part === 'string' ? part.length * 3 : part.length;
        if (most > SHORT_BYTES) {
          const running = createHmac('sha256', secret);
          for (const part of parts) running.update(part);
          return running.digest('hex');
        }
        // For a short text, two hashes cost half of an Hmac object.
        for (let index = 0; index < BLOCK; index += 1) {
          const byte = key[index] ?? 0;
          inner[index] = byte ^ 0x36;
          outer[index] = byte ^ 0x5c;
        }
        let end = BLOCK;
        for (const part of parts) {
          if (typeof part === 'string') {
            end += inner.write(part, end, 'utf8');
          } else {
            inner.set(part, end);
            end += part.length;
          }
        }
        outer.write(sha256Hex(inner.subarray(0, end)), BLOCK, 'hex');
        return sha256Hex(outer);
      };
    },
  };
}

/** The portable implementation, on @noble/hashes. */
export const nobleDigests: Digests = {
  name: 'noble',
  sha256Hex: (data) => bytesToHex(sha256(typeof data === 'string' ? utf8ToBytes(data) : data)),
  hmacSha256: (secret) => {
    const keyed = hmac.create(sha256, utf8ToBytes(secret));
    return (...parts) => {
      const running = keyed.clone();
      for (const part of parts) running.update(typeof part === 'string' ? utf8ToBytes(part) : part);
      return bytesToHex(running.digest());
    };
  },
};

/** Native where the runtime has `node:crypto` (chosen once, here), else the portable implementation. */
export const digests: Digests = nativeDigests() ?? nobleDigests;

/**
 * Refuses secrets that can't be right, without ever showing them: the commonest support case is a pasted secret
 * with a stray newline. Spaces inside are legal: the secret is used as the string it is, never decoded.
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

/** Refuses ids that could not travel in a header unchanged. */
export function checkHeaderId(id: unknown, option: string): string {
  if (typeof id !== 'string' || id === '') throw new ConfigurationError(option, 'must be a non-empty string');
  if (!/^[\x21-\x7e]+$/.test(id)) {
    throw new ConfigurationError(option, 'must be visible ASCII without white space');
  }
  return id;
}
