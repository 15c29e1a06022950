import type { Outcome } from '../errors/base.js';
import type { Clock, ServerClock } from '../ports/clock.js';
import type { Lane, Quota, Turn } from '../ports/quota.js';
import type { Randomness } from '../ports/randomness.js';
import type { Digests, Signer } from '../signing/signer.js';
import type { CallJournal } from './call-journal.js';
import type { CallLimits } from './caller.js';
import { contextOf } from './caller.js';
import type { StopSources } from './deadline.js';
import { type Redact, redactorOf } from './redact.js';
import { limitOf, type Remedy } from './reply/classify.js';
import type { FailureContext, FailureTools } from './reply/failure.js';
import type { RequestBody } from './request/body.js';
import type { CallDefaults, PreparedCall } from './request/prepare.js';
import type { CallDiagnostics, Log } from './telemetry.js';
import type { Transport } from './transport/transport.js';

/** Where a call gets its key from. */
export interface Keys {
  /** The key to sign with now; undefined where it has to be fetched first. */
  readonly signer: Signer | undefined;
  /** Fetches the key. */
  fetch(): Promise<Signer>;
  /** The service says that `revoked` is no longer valid: true where there is another key now. */
  renew(revoked: Signer): Promise<boolean>;
  /** What is being fetched did not arrive: the next call asks again. */
  abandon(): void;
}

/** Everything that a call needs, injected. */
export interface CallParts {
  readonly transport: Transport;
  readonly keys: Keys;
  readonly quota: Quota;
  readonly serverClock: ServerClock;
  readonly retryBudget: { take(): boolean; refund(): void };
  /** Sent with every request: the user agent, and what the option `headers` adds. */
  readonly headers: Readonly<Record<string, string>>;
  /** Refuses larger JSON bodies, in bytes. */
  readonly maxReplyBytes: number;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly digests: Digests;
  readonly defaults: CallDefaults;
  readonly limits: CallLimits;
  readonly log: Log;
  /** Signing secrets that were in use. */
  secrets(): readonly string[];
}

/** One call in progress. `core/call` and `core/attempt` alone change it. */
export interface CallState {
  readonly parts: CallParts;
  readonly call: PreparedCall;
  readonly limits: CallLimits;
  readonly lane: Lane;
  /** Its place among waiting bids. */
  readonly turn: Turn | undefined;
  readonly journal: CallJournal | undefined;
  readonly trace: CallDiagnostics | undefined;
  readonly sources: StopSources;
  /** On the monotonic clock, in ms. */
  readonly startedAt: number;
  body: RequestBody | undefined;
  signer: Signer | undefined;
  /** Signatures that were made, so that no text shows one. */
  readonly signatures: string[];
  /** Attempts that were begun. */
  attempts: number;
  /** Attempts that do not count against `maxAttempts`. */
  uncounted: number;
  /** Replies without a code, of which the second is believed. */
  uncoded: number;
  readonly remedies: Remedy[];
  /** Milliseconds spent waiting for the request quota. */
  queuedMs: number;
  /** What is known about the effect, all attempts considered. */
  outcome: Outcome;
}

/** What an error says about the call. */
export function failureContext({ call, attempts, outcome }: CallState): FailureContext {
  const { route, idempotencyKey } = call;
  return {
    ...contextOf(route),
    attempts,
    outcome,
    mutates: route.effect !== 'read',
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}

/** What a log line says about the call. */
export function callFacts({ call: { route, idempotencyKey }, attempts }: CallState) {
  return {
    ...contextOf(route),
    attempt: attempts,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}

/** Redacts the secrets of the client and the signatures of this call. */
export function redactorFor({ parts, signatures }: Pick<CallState, 'parts' | 'signatures'>): Redact {
  return redactorOf([...parts.secrets(), ...signatures]);
}

/** What the error of this call is worded with. */
export function failureTools(state: CallState): FailureTools {
  const { call, limits } = state;
  return {
    redact: redactorFor(state),
    origin: call.origin,
    limitOf: (kind) => limitOf(limits, kind),
    documentedOnly: call.route.availability === 'documented',
  };
}
