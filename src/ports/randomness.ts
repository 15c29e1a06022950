/** Source of randomness. Inject one to make nonces, keys and jitter reproducible. */
export interface Randomness {
  /** Returns an RFC 9562 UUID, for idempotency keys. */
  uuid(): string;
  /** Returns a unique nonce for each attempt: 16 to 128 letters, digits, `_` or `-`. */
  nonce(): string;
  /** Returns a number from 0 (inclusive) to 1 (exclusive), for jitter. */
  fraction(): number;
}
