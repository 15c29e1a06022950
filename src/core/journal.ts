import type { Outcome } from '../errors/base.js';
import type { SignedAttempt } from './attempt.js';
import type { AttemptResult } from './reply/classify.js';
import type { Conclusion } from './reply/failure.js';
import type { ResponseInfo } from './reply/reply.js';
import type { RequestBody } from './request/file-body.js';
import type { SentBytes } from './resend.js';

/** The hooks through which every write is recorded. They return values; a rejection is a failure of the store. */
export interface CallJournal {
  /** Called once with the bytes of the call, before any wait. */
  begin(body: RequestBody, signal: AbortSignal): Promise<Go | Settled>;
  /** Called before the first byte of every attempt, which is sent only on *go*. */
  departing(attempt: DepartingAttempt): Promise<Go | Settled>;
  /** Called after every attempt. Resolves once the result is recorded. */
  arrived(result: AttemptResult): Promise<Known>;
  /** Called once if the call fails after an attempt was sent: reads what can settle it, for at most `msLeft`. */
  concluding?(msLeft: number): Promise<Conclusion | undefined>;
  /** Milliseconds until it may no longer be sent; infinite if it has no such limit. */
  msToDepart(): number;
}

/** A signed attempt of which no byte was sent. */
export interface DepartingAttempt extends Omit<SignedAttempt, 'signature'> {
  /** Key id that it is signed under. */
  readonly keyId: string;
}

export interface Go {
  readonly kind: 'go';
  /** When a call begins: the outcome of earlier calls under its key. */
  readonly outcome?: Outcome | 'done';
}

/** An answer from the record in place of the service's. */
export type Settled =
  | { readonly kind: 'settled'; readonly value: unknown; readonly info: ResponseInfo }
  | { readonly kind: 'settled'; readonly error: Error };

/** Facts from the record, all attempts considered. */
export interface Known {
  readonly outcome: Outcome | 'done';
  readonly sent: SentBytes;
}
