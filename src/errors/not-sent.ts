import { type CallContext, VehicleAuctionError } from './base.js';

/**
 * Why a write was not sent:
 * - `halted`: `bids.halt()` is in force; `risk_limit`: a risk limit would have been exceeded;
 * - `superseded`: another process settled or took over the intent first;
 * - `no_server_time`: no reply has told server time yet, and nothing is signed without it;
 * - `no_call`: a `runOnce` function made no call under its key, or more than one.
 */
export type NotSentReason = 'halted' | 'risk_limit' | 'superseded' | 'no_server_time' | 'no_call';

/** A write was held back on this side. Nothing of it left. */
export class NotSentError extends VehicleAuctionError {
  static {
    this.prototype.name = 'NotSentError';
  }

  declare readonly reason: NotSentReason;

  constructor(
    reason: NotSentReason,
    details: CallContext & { readonly what: string; readonly nextStep: string; readonly cause?: unknown },
  ) {
    super({ outcome: 'not_sent', ...details, reason });
  }
}
