import { type CallContext, type Outcome, VehicleAuctionError } from './base.js';

/** An earlier intent that nobody knows the outcome of yet. */
export interface Unresolved {
  readonly idempotencyKey: string;
  /** Operation id, such as `bids.submit` or `A36`. */
  readonly operation: string;
  /** Of a bid: public lot id, INR decimal string, the platform's buyer. */
  readonly lot?: string;
  readonly amount?: string;
  readonly bidderReference?: string;
}

/**
 * Something earlier is unresolved, so nothing was sent: another bid of the same buyer on the same lot, which a new bid
 * could outbid; or this very intent, when it is too late to resend it safely.
 */
export class InDoubtError extends VehicleAuctionError {
  static {
    this.prototype.name = 'InDoubtError';
  }

  /** What is in doubt, the oldest first. */
  readonly unresolved: readonly Unresolved[];

  constructor(
    unresolved: readonly Unresolved[],
    details: CallContext & { readonly what: string; readonly nextStep: string; readonly outcome?: Outcome },
  ) {
    super({ outcome: 'not_sent', ...details });
    this.unresolved = unresolved;
  }
}
