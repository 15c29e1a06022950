import type {
  ApiError,
  AuthenticationError,
  BidRejectedError,
  ConflictError,
  IdempotencyConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
  VersionConflictError,
} from './api.js';
import { isInstance, VehicleAuctionError } from './base.js';
import type { AbortedError, ConnectionError, TimeoutError, UnexpectedResponseError } from './connection.js';
import type { FileError } from './file.js';
import type {
  CallbackTimeoutError,
  ConfigurationError,
  InDoubtError,
  InvalidRequestError,
  NotSentError,
  WaitError,
} from './local.js';
import type { StoreError } from './store.js';
import type { WebhookVerificationError } from './webhook.js';

/** Every error class of this package, by name. */
export interface VehicleAuctionErrors {
  readonly AbortedError: AbortedError;
  readonly ApiError: ApiError;
  readonly AuthenticationError: AuthenticationError;
  readonly BidRejectedError: BidRejectedError;
  readonly CallbackTimeoutError: CallbackTimeoutError;
  readonly ConfigurationError: ConfigurationError;
  readonly ConflictError: ConflictError;
  readonly ConnectionError: ConnectionError;
  readonly FileError: FileError;
  readonly IdempotencyConflictError: IdempotencyConflictError;
  readonly InDoubtError: InDoubtError;
  readonly InvalidRequestError: InvalidRequestError;
  readonly NotFoundError: NotFoundError;
  readonly NotSentError: NotSentError;
  readonly PermissionError: PermissionError;
  readonly RateLimitError: RateLimitError;
  readonly ServerError: ServerError;
  readonly StoreError: StoreError;
  readonly TimeoutError: TimeoutError;
  readonly UnexpectedResponseError: UnexpectedResponseError;
  readonly ValidationError: ValidationError;
  readonly VehicleAuctionError: VehicleAuctionError;
  readonly VersionConflictError: VersionConflictError;
  readonly WaitError: WaitError;
  readonly WebhookVerificationError: WebhookVerificationError;
}

/**
 * Whether a value is an error of this package, or of one of its classes (instances of subclasses included). It needs no
 * class to compare with, and recognises the errors of every build and copy of the package in this process, as
 * `instanceof` does.
 *
 * @param name Class to look for, such as `'StoreError'`; defaults to any.
 */
export function isVehicleAuctionError<Name extends keyof VehicleAuctionErrors = 'VehicleAuctionError'>(
  error: unknown,
  name?: Name,
): error is VehicleAuctionErrors[Name] {
  return name === undefined ? error instanceof VehicleAuctionError : isInstance(error, name);
}
