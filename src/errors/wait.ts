import { type CallContext, VehicleAuctionError } from './base.js';

/**
 * Why a wait ended without what it waited for:
 * - `deadline`: its time was over; what was waited for can still come;
 * - `ended`: it can't come any more, such as a refund that failed;
 * - `unknown_state`: a state came that the API doesn't describe; whether it can still come is not known.
 */
export type WaitFailure = 'deadline' | 'ended' | 'unknown_state';

/** A wait ended without what it waited for. Nothing was changed by waiting. */
export class WaitError extends VehicleAuctionError {
  static {
    this.prototype.name = 'WaitError';
  }

  declare readonly reason: WaitFailure;
  /** What the last read returned; undefined where none succeeded. */
  readonly value: unknown;
  /** The state that it showed, where a state was waited for. */
  declare readonly state?: string;

  constructor(
    reason: WaitFailure,
    last: { readonly value: unknown; readonly state?: string | undefined },
    details: CallContext & { readonly what: string; readonly nextStep: string; readonly cause?: unknown },
  ) {
    super({ outcome: 'unknown', ...details, reason });
    this.value = last.value;
    if (last.state !== undefined) this.state = last.state;
  }

  /** @internal The value can hold personal data, so log lines don't show it. */
  override toJSON(): object {
    return { ...super.toJSON(), value: undefined };
  }
}
