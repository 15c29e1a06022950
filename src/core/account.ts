import { ApiError } from '../errors/api.js';
import { type Outcome, VehicleAuctionError } from '../errors/base.js';
import { contextOf, type FailureContext } from './context.js';
import type { Log } from './log.js';
import type { PreparedCall } from './prepare.js';
import { type Leaks, safeCause } from './redact.js';

/** What a call knows of itself while it is under way: how often it was tried, and what that means for its effect. */
export class Account {
  /** Attempts that were begun. */
  attempts = 0;
  /** Milliseconds spent waiting for the request quota. */
  queuedMs = 0;
  readonly #call: PreparedCall;
  readonly #log: Log;
  readonly #leaks: Leaks;
  readonly #signatures: string[] = [];
  #outcome: Outcome = 'not_sent';

  constructor(call: PreparedCall, log: Log, leaks: Leaks) {
    this.#call = call;
    this.#log = log;
    this.#leaks = leaks;
  }

  /** What is known about the effect, all attempts considered. */
  get outcome(): Outcome {
    return this.#outcome;
  }

  get hasSigned(): boolean {
    return this.#signatures.length > 0;
  }

  /** Notes a signature, so that no text that shows it gets out. */
  signed(signature: string): void {
    this.#signatures.push(signature);
  }

  /** What is known of the effect after another attempt. A write's record considers all of them, also of earlier calls. */
  settle(outcome: Outcome | 'done'): void {
    this.#outcome = outcome === 'done' ? 'unknown' : outcome;
  }

  /** What an error says of the call. */
  context(outcome: Outcome = this.#outcome): FailureContext {
    const { route, idempotencyKey } = this.#call;
    return {
      ...contextOf(route),
      attempts: this.attempts,
      outcome,
      mutates: route.effect !== 'read',
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    };
  }

  /** What an error of another making says of the call. */
  shown(): Omit<FailureContext, 'mutates'> {
    const { mutates: _, ...shown } = this.context();
    return shown;
  }

  /** What a log line says of the call. */
  facts() {
    const { route, idempotencyKey } = this.#call;
    return {
      ...contextOf(route),
      attempt: this.attempts,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    };
  }

  /** Logs a failure on its way to the caller. */
  report(error: Error): Error {
    this.#log.info('Call failed', () => ({ ...this.facts(), error: error.name, ...traitsOf(error) }));
    return error;
  }

  /** Tells whether a text shows a secret or a signature of this call. */
  readonly hides: Leaks = (text) => {
    if (this.#leaks(text)) return true;
    const lower = text.toLowerCase();
    return this.#signatures.some((signature) => lower.includes(signature));
  };

  /** A cause that may be shown. */
  safe(cause: unknown): unknown {
    return safeCause(cause, this.hides);
  }
}

/** What a log line says of an error beside its name. */
function traitsOf(error: Error): object {
  if (!(error instanceof VehicleAuctionError)) return {};
  const { outcome, requestId } = error;
  return {
    outcome,
    ...(error instanceof ApiError && { status: error.status, codes: error.codes }),
    ...(requestId !== undefined && { requestId }),
  };
}
