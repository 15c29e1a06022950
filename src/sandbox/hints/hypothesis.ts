import type { CanonicalParts } from '../canonical.js';
import type { SignedRequest } from '../signed-request.js';

/** What is known when a signature is explained. */
export interface Case {
  readonly request: SignedRequest;
  /** The six lines as they should have been signed. */
  readonly parts: CanonicalParts;
  readonly secret: string;
}

/** A mistake, and what would have been signed by whoever made it. */
export interface Hypothesis {
  /** What was done, a colon, and what to do instead. */
  readonly hint: string;
  /** What was signed: six lines that differ in this from the right ones, or a whole text. */
  readonly change?: Partial<CanonicalParts>;
  readonly text?: string;
  /** What it was keyed with, where it wasn't the secret. */
  readonly key?: string | Uint8Array;
  /** The hash, where it wasn't SHA-256. */
  readonly hash?: 'sha1' | 'sha512';
}
