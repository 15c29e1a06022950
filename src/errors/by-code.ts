import { codeFacts } from '../api/codes.js';
import {
  ApiError,
  type ApiErrorDetails,
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

type ApiErrorClass = new (details: ApiErrorDetails) => ApiError;

/** The class for a reply: by code first, because some codes come with two statuses; then by status. */
export function apiErrorClass(
  status: number,
  codes: readonly string[],
  isVersionConflict: boolean,
): ApiErrorClass {
  if (isVersionConflict) return VersionConflictError;
  const [code] = codes;
  if (code === 'IDEMPOTENCY_CONFLICT') return IdempotencyConflictError;
  const facts = code === undefined ? undefined : codeFacts(code);
  if (facts?.effect === 'rejected') return BidRejectedError;
  return classOfStatus(facts?.statuses[0] ?? status);
}

function classOfStatus(status: number): ApiErrorClass {
  switch (status) {
    case 401:
      return AuthenticationError;
    case 402:
    case 403:
      return PermissionError;
    case 404:
      return NotFoundError;
    case 409:
    case 412:
      return ConflictError;
    case 422:
      return ValidationError;
    case 429:
      return RateLimitError;
    default:
      return status >= 500 ? ServerError : ApiError;
  }
}
