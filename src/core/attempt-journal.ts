import type { RequestBody } from './body.js';
import type { Verdict } from './classify.js';

/** An attempt that is about to leave: signed, and not a byte of it sent. */
export interface DepartingAttempt {
  /** Number within this call, from 1. */
  readonly attempt: number;
  /** Unix seconds that it is stamped with: copies of it can be let in until 300 seconds later. */
  readonly timestamp: number;
  readonly nonce: string;
  /** Key id that it is signed under. */
  readonly keyId: string;
}

/** What an attempt that had departed, or was about to, came to. */
export interface ArrivedAttempt {
  readonly attempt: number;
  readonly effect: Verdict['effect'];
  /** A few words, such as `HTTP 403 SOURCE_NOT_ALLOWED`. */
  readonly reason: string;
  /** HTTP status, where a reply came. */
  readonly status?: number;
  readonly codes: readonly string[];
  readonly requestId?: string;
  readonly replayed: boolean;
  /** True where the service holds other content under the key. */
  readonly keyConflict: boolean;
  /** What the service returned: a payload, or the record of a rejection. */
  readonly record?: unknown;
}

/** Keeps a record of one call while it is made. What it throws keeps the attempt from being sent. */
export interface AttemptJournal {
  /** True where something sent earlier under the same key may have taken effect. */
  readonly inDoubt: boolean;
  /** Once, with the bytes of the call, before anything waits. */
  begin(body: RequestBody, signal: AbortSignal): Promise<void>;
  /** The call has to wait for its turn; awaited beside that wait. */
  waiting(): Promise<void>;
  /** Awaited before the first byte of every attempt. */
  departing(attempt: DepartingAttempt): Promise<void>;
  arrived(attempt: ArrivedAttempt): void;
  /** Milliseconds until nothing of it may leave any more; infinite where it has no such limit. */
  msToDepart(): number;
}

/** Thrown by a journal to end a call that is no longer to be made; it reaches the maker of the call as it is. */
export class CallSuperseded extends Error {}
