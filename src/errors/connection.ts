import { type ErrorDetails, VehicleAuctionError } from './base.js';

/** The network failed: `not_sent` where no byte of the request left, else `unknown`. */
export class ConnectionError extends VehicleAuctionError {
  static {
    this.prototype.name = 'ConnectionError';
  }
}

/** An attempt or the whole call took too long. */
export class TimeoutError extends VehicleAuctionError {
  static {
    this.prototype.name = 'TimeoutError';
  }
}

/** The caller's `signal` fired, or the client was closed. `cause` is the signal's reason. */
export class AbortedError extends VehicleAuctionError {
  static {
    this.prototype.name = 'AbortedError';
  }
}

export interface UnexpectedResponseDetails extends ErrorDetails {
  readonly status: number;
}

/** A reply that the API text doesn't describe: a redirect, an encoding, garbage, missing fields. */
export class UnexpectedResponseError extends VehicleAuctionError {
  static {
    this.prototype.name = 'UnexpectedResponseError';
  }

  /** HTTP status of the reply. */
  readonly status: number;

  constructor(details: UnexpectedResponseDetails) {
    super(details);
    this.status = details.status;
  }
}
