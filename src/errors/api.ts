import { codeFacts } from '../api/codes.js';
import type { RejectedBid } from '../generated/bids.js';
import { type ErrorDetails, identify, type Outcome, VehicleAuctionError } from './base.js';

/** The kind of an error reply. Each subclass of `ApiError` has one. */
export type ApiErrorReason =
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'conflict'
  | 'idempotency_conflict'
  | 'version_conflict'
  | 'validation'
  | 'bid_rejected'
  | 'rate_limited'
  | 'server_error'
  | 'other_status';

export interface ApiErrorDetails extends Omit<ErrorDetails, 'reason'> {
  readonly status: number;
  readonly codes: readonly string[];
  readonly fieldErrors?: Readonly<Record<string, readonly string[]>>;
  readonly serviceMessage?: string;
  readonly retryAfter?: number;
  readonly provisional?: boolean;
  readonly receipt?: RejectedBid;
}

/** The service answered with an error. Subclasses follow the code first, then the HTTP status. */
export class ApiError extends VehicleAuctionError {
  static {
    identify(this, 'ApiError');
  }

  /** The `reason` of every instance. */
  static readonly reason: ApiErrorReason = 'other_status';

  declare readonly reason: ApiErrorReason;
  /** HTTP status. */
  readonly status: number;
  /** The first code; absent if the reply carried none. */
  declare readonly code?: string;
  /** Every code of the reply, in its order. */
  readonly codes: readonly string[];
  /** Messages by field, from a framework validation reply; empty otherwise. */
  readonly fieldErrors: Readonly<Record<string, readonly string[]>>;
  /** The message of the service; absent if it sent none. */
  declare readonly serviceMessage?: string;
  /** Wait that the service asks for, ms; absent if it asks for none. */
  declare readonly retryAfter?: number;
  /**
   * True if a command is refused for now: its record still has the expected version, and a copy of the command could
   * still arrive for five minutes. Another command on that version is safe, because only one of them can take effect.
   */
  declare readonly provisional?: true;

  constructor(details: ApiErrorDetails) {
    super({ ...details, reason: new.target.reason });
    this.status = details.status;
    const [code] = details.codes;
    if (code !== undefined) this.code = code;
    this.codes = details.codes;
    this.fieldErrors = details.fieldErrors ?? {};
    if (details.serviceMessage !== undefined) this.serviceMessage = details.serviceMessage;
    if (details.retryAfter !== undefined) this.retryAfter = details.retryAfter;
    if (details.provisional === true) this.provisional = true;
  }
}

/** The service does not accept the credentials, the clock or the signature (401, and their codes under any status). */
export class AuthenticationError extends ApiError {
  static {
    identify(this, 'AuthenticationError');
  }

  static override readonly reason: ApiErrorReason = 'authentication';
}

/** The credentials are valid but do not permit this call (402, 403). */
export class PermissionError extends ApiError {
  static {
    identify(this, 'PermissionError');
  }

  static override readonly reason: ApiErrorReason = 'permission';
}

/** No such record, or none that these credentials may see (404). */
export class NotFoundError extends ApiError {
  static {
    identify(this, 'NotFoundError');
  }

  static override readonly reason: ApiErrorReason = 'not_found';
}

/** The call conflicts with what is stored (409, 412). */
export class ConflictError extends ApiError {
  static {
    identify(this, 'ConflictError');
  }

  static override readonly reason: ApiErrorReason = 'conflict';
}

/** The record of an idempotency key that was used for other content. */
export interface RecordedUnderKey {
  /** State of the recorded intent, such as `done`. */
  readonly state: string;
  /** The service's result for it; absent if none is recorded. */
  readonly record?: unknown;
}

/** The idempotency key was used for other content. Never resend. */
export class IdempotencyConflictError extends ConflictError {
  static {
    identify(this, 'IdempotencyConflictError');
  }

  static override readonly reason: ApiErrorReason = 'idempotency_conflict';

  /** Fields that differ from the recorded ones; empty if only the service has the record. */
  readonly differing: readonly string[];
  /** The record in the store; absent if only the service has one. */
  declare readonly recorded?: RecordedUnderKey;

  constructor(
    details: ApiErrorDetails & {
      readonly differing?: readonly string[];
      readonly recorded?: RecordedUnderKey;
    },
  ) {
    super(details);
    this.differing = details.differing ?? [];
    if (details.recorded !== undefined) this.recorded = details.recorded;
  }
}

/** `expected_version` is not the record's current version. Read again and decide again. */
export class VersionConflictError extends ConflictError {
  static {
    identify(this, 'VersionConflictError');
  }

  static override readonly reason: ApiErrorReason = 'version_conflict';
}

/** The service found the input invalid (422); `fieldErrors` says where. */
export class ValidationError extends ApiError {
  static {
    identify(this, 'ValidationError');
  }

  static override readonly reason: ApiErrorReason = 'validation';
}

/** The service judged the bid and rejected it. `codes` has every reason. Never retry it automatically as a new bid. */
export class BidRejectedError extends ApiError {
  static {
    identify(this, 'BidRejectedError');
  }

  static override readonly reason: ApiErrorReason = 'bid_rejected';

  /** The recorded rejection, as the service sent it; absent if none was recorded. */
  declare readonly receipt?: RejectedBid;

  constructor(details: ApiErrorDetails) {
    super(details);
    if (details.receipt !== undefined) this.receipt = details.receipt;
  }
}

/** Too many requests (429); `retryAfter` says for how long. */
export class RateLimitError extends ApiError {
  static {
    identify(this, 'RateLimitError');
  }

  static override readonly reason: ApiErrorReason = 'rate_limited';
}

/** The service failed (5xx); a mutating call may have taken effect. */
export class ServerError extends ApiError {
  static {
    identify(this, 'ServerError');
  }

  static override readonly reason: ApiErrorReason = 'server_error';
}

type ApiErrorClass = new (details: ApiErrorDetails) => ApiError;

/** The traits of a reply, apart from its status, that choose its error class. */
export interface ReplyTraits {
  readonly codes: readonly string[];
  readonly isVersionConflict: boolean;
  readonly isIdempotencyConflict: boolean;
  /** The known effect of the whole call: a rejection while another attempt is unresolved is not reported as one. */
  readonly outcome: Outcome;
}

/** Chooses the error class of a reply: by code first, because some codes have two statuses, then by status. */
export function apiErrorClass(status: number, traits: ReplyTraits): ApiErrorClass {
  if (traits.isIdempotencyConflict) return IdempotencyConflictError;
  if (traits.outcome === 'rejected') return BidRejectedError;
  if (traits.isVersionConflict) return VersionConflictError;
  const facts = traits.codes.map(codeFacts).find((one) => one !== undefined);
  const at = facts !== undefined && status < 500 ? (facts.statuses[0] ?? status) : status;
  return classes[at] ?? (at >= 500 ? ServerError : ApiError);
}

const classes: Readonly<Record<number, ApiErrorClass>> = {
  401: AuthenticationError,
  402: PermissionError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: ConflictError,
  422: ValidationError,
  429: RateLimitError,
};
