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
import type { Outcome } from './base.js';

type ApiErrorClass = new (details: ApiErrorDetails) => ApiError;

/** What a reply shows beside its status. */
export interface ReplyTraits {
  readonly codes: readonly string[];
  readonly isVersionConflict: boolean;
  readonly isIdempotencyConflict: boolean;
  /** What is known about the whole call: a rejection that settles nothing is not reported as one. */
  readonly outcome: Outcome;
}

/** The class for a reply: by code first, because some codes come with two statuses; then by status. */
export function apiErrorClass(status: number, traits: ReplyTraits): ApiErrorClass {
  if (traits.isIdempotencyConflict) return IdempotencyConflictError;
  if (traits.outcome === 'rejected') return BidRejectedError;
  if (traits.isVersionConflict) return VersionConflictError;
  const facts = traits.codes.map(codeFacts).find((one) => one !== undefined);
  return classOfStatus(facts !== undefined && status < 500 ? (facts.statuses[0] ?? status) : status);
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
