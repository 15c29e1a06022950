import type { Signer } from '../signing/signer.js';

/** Where a call gets its key from. */
export interface Keys {
  /** The key to sign with now; a promise where it has to be fetched first. */
  current(): Signer | Promise<Signer>;
  /** The service says that `revoked` is no longer valid: true where there is another key now. */
  renew(revoked: Signer): Promise<boolean>;
  /** What is being fetched hasn't come: the next call asks anew. */
  abandon(): void;
}
