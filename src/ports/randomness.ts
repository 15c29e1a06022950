/** Everything random in a call. Inject one to make nonces, keys and jitter reproducible. */
export interface Randomness {
  /** An RFC 9562 UUID: idempotency keys. */
  uuid(): string;
  /** 16 to 128 letters, digits, `_` or `-`, never the same twice: one per attempt. */
  nonce(): string;
  /** A number from 0 (inclusive) to 1 (exclusive): jitter. */
  fraction(): number;
}
