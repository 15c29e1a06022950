/** The bytes of a request, made once: the digest that is signed is of exactly these. */
export interface RequestBody {
  /** Lowercase hex SHA-256. */
  readonly sha256: string;
  /** The bytes, the same ones for every attempt. */
  open(): Uint8Array;
}
