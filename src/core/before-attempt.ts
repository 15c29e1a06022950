import type { Route } from '../api/operation.js';

/** An attempt that is about to leave: signed, and not a byte of it sent. */
export interface DepartingAttempt {
  readonly route: Route;
  /** Path as it is signed, from `/api/v1` on. */
  readonly signedPath: string;
  /** The key of the call; undefined for reads. */
  readonly idempotencyKey: string | undefined;
  /** Lowercase hex SHA-256 of the body; undefined without one. */
  readonly bodySha256: string | undefined;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Unix seconds that it is stamped with: copies of it can be let in until 300 seconds later. */
  readonly timestamp: number;
  readonly nonce: string;
}

/**
 * Called before the first byte of every attempt, and awaited: a journal writes here what is about to be in doubt.
 * Where it fails, the attempt isn't sent and the call ends.
 */
export type BeforeAttempt = (attempt: DepartingAttempt) => void | Promise<void>;
