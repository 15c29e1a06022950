import { type ErrorDetails, identify, VehicleAuctionError } from './base.js';

/**
 * Why no reply came:
 * - `dns`: the host name did not resolve; `refused`: nothing listens there; `connect_timeout`: no connection in time;
 * - `tls`: the secure connection failed, such as over an untrusted, expired or misnamed certificate; retried only if
 *   the handshake was cut off;
 * - `proxy`: the proxy could not be used or opened no tunnel;
 * - `body_unreadable`: the request body could not be read to its end, so no whole request left;
 * - `headers_too_large`: the headers of the reply exceed the option `maxHeaderSize`;
 * - `connection`: anything else, such as a reset.
 */
export type ConnectionReason =
  | 'dns'
  | 'refused'
  | 'connect_timeout'
  | 'tls'
  | 'proxy'
  | 'body_unreadable'
  | 'headers_too_large'
  | 'connection';

/** The network failed. The outcome is `not_sent` if no byte of the request left, else `unknown`. */
export class ConnectionError extends VehicleAuctionError {
  static {
    identify(this, 'ConnectionError');
  }

  declare readonly reason: ConnectionReason;

  constructor(details: ErrorDetails & { readonly reason: ConnectionReason }) {
    super(details);
  }
}

/** The limit that was reached: of one attempt, of the whole call, or the time until which a bid may be sent. */
export type TimeoutReason = 'attempt_timeout' | 'deadline' | 'too_late';

/** An attempt or the whole call took too long. */
export class TimeoutError extends VehicleAuctionError {
  static {
    identify(this, 'TimeoutError');
  }

  declare readonly reason: TimeoutReason;

  constructor(details: ErrorDetails & { readonly reason: TimeoutReason }) {
    super(details);
  }
}

/** `aborted`: your signal fired, and `cause` is its reason; `closed`: the client was closed; `stopped`: a batch was. */
export type AbortReason = 'aborted' | 'closed' | 'stopped';

/** The call was aborted by this process. */
export class AbortedError extends VehicleAuctionError {
  static {
    identify(this, 'AbortedError');
  }

  declare readonly reason: AbortReason;

  constructor(details: ErrorDetails & { readonly reason: AbortReason }) {
    super(details);
  }
}

/**
 * How the reply differs from the API:
 * - `redirect`: never followed; `encoded`: compressed in a way that can't be read; `too_large`: over `maxReplyBytes`;
 * - `not_json`: not JSON, or not the service's; `status`: a status that the operation does not have;
 * - `shape`: a required field is missing or has another type; `contradiction`: a success that also reports an error;
 * - `other_request`: it answers another request; `paging`: pages that would be read twice.
 */
export type UnexpectedReason =
  | 'redirect'
  | 'encoded'
  | 'too_large'
  | 'not_json'
  | 'status'
  | 'shape'
  | 'contradiction'
  | 'other_request'
  | 'paging';

export interface UnexpectedResponseDetails extends ErrorDetails {
  readonly reason: UnexpectedReason;
  readonly status: number;
}

/** A reply that the API does not describe, such as a redirect, an encoding, or missing fields. */
export class UnexpectedResponseError extends VehicleAuctionError {
  static {
    identify(this, 'UnexpectedResponseError');
  }

  declare readonly reason: UnexpectedReason;
  /** HTTP status of the reply. */
  readonly status: number;

  constructor(details: UnexpectedResponseDetails) {
    super(details);
    this.status = details.status;
  }
}
