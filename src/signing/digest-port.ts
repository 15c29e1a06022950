/** SHA-256 and HMAC-SHA256, the two primitives that signing and webhooks stand on. Text is UTF-8; output is lowercase hex. */
export interface Digests {
  readonly name: 'native' | 'noble';
  sha256Hex(data: Uint8Array): string;
  /** Prepares a key once; the returned function closes over it and shows it nowhere. */
  hmacSha256(secret: string): KeyedDigest;
}

/** HMAC-SHA256 under one key, of the given parts one after another. */
export type KeyedDigest = (...parts: readonly (string | Uint8Array)[]) => string;
