import { type CallContext, type Outcome, VehicleAuctionError } from './base.js';

/** An earlier intent whose outcome is not known. */
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
 * Why nothing was sent:
 * - `unresolved_bid`: another bid of the same buyer on the same lot is unresolved, and this one could outbid it;
 * - `in_doubt`: this very intent may have taken effect, and resending it is no longer safe;
 * - `in_progress`: another process or call is working on it;
 * - `stuck`: it needs manual resolution;
 * - `foreign`: it was recorded under another origin or client id, so this client can't settle it.
 */
export type InDoubtReason = 'unresolved_bid' | 'in_doubt' | 'in_progress' | 'stuck' | 'foreign';

/** Something earlier is unresolved, so this call sent nothing. */
export class InDoubtError extends VehicleAuctionError {
  static {
    this.prototype.name = 'InDoubtError';
  }

  declare readonly reason: InDoubtReason;
  /** What is in doubt, the oldest first. */
  readonly unresolved: readonly Unresolved[];

  constructor(
    reason: InDoubtReason,
    unresolved: readonly Unresolved[],
    details: CallContext & { readonly what: string; readonly nextStep: string; readonly outcome?: Outcome },
  ) {
    super({ outcome: 'not_sent', ...details, reason });
    this.unresolved = unresolved;
  }
}
