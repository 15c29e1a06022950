import type { Outcome } from '../errors/base.js';
import type { ResponseInfo } from './reply/reply.js';
import type { RequestBody } from './request/file-body.js';

/** The hook through which every write is recorded. It answers with values: an exception means that the journal itself failed. */
export interface CallJournal {
  /** Once, with the bytes of the call, before anything waits. */
  begin(body: RequestBody, signal: AbortSignal): Promise<Go | Settled>;
  /** Before the first byte of every attempt: it leaves only on *go*. */
  departing(attempt: DepartingAttempt): Promise<Go | Settled>;
  /** After every attempt. Resolves, once that is recorded, with what is known of the effect, all attempts considered. */
  arrived(report: AttemptReport): Promise<Outcome | 'done'>;
  /** Milliseconds until it may no longer leave; infinite where it has no such limit. */
  msToDepart(): number;
}

export interface Go {
  readonly kind: 'go';
  /** When a call begins: what is known of the effect of earlier ones under its key. */
  readonly outcome?: Outcome;
}

/** The record answers in place of the service. */
export type Settled =
  | { readonly kind: 'settled'; readonly value: unknown; readonly info: ResponseInfo }
  | { readonly kind: 'settled'; readonly error: Error };

/** An attempt that is signed, and not a byte of it sent. */
export interface DepartingAttempt {
  /** `X-Timestamp`, Unix seconds: copies of it can be let in until 300 seconds later. */
  readonly timestamp: number;
  readonly nonce: string;
  /** Key id that it is signed under. */
  readonly keyId: string;
}

/** What an attempt came to. */
export interface AttemptReport {
  readonly effect: Outcome | 'done';
  /** A 4xx in the service's JSON without a documented code. */
  readonly uncoded: boolean;
  /** The service holds other content under the key. */
  readonly keyConflict: boolean;
  /** A 409 that doesn't name a reason. */
  readonly bare409: boolean;
  /** A few words, such as `HTTP 403 IP_NOT_ALLOWED`. */
  readonly why: string;
  /** This side stopped it: aborted, or out of time. */
  readonly stop?: 'aborted' | 'deadline';
  readonly status?: number;
  readonly codes: readonly string[];
  readonly requestId?: string;
  readonly replayed: boolean;
  /** What the service returned: a payload, or the record of a rejection. */
  readonly record?: unknown;
}
