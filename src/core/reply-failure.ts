import { type CodeFacts, codeFacts, codes } from '../api/codes.js';
import { apiErrorClass } from '../errors/by-code.js';
import { UnexpectedResponseError } from '../errors/connection.js';
import type { RejectedBid } from '../models/bids.js';
import type { FailureContext } from './context.js';
import { type ErrorReply, isVersionConflict } from './reply.js';
import { afterUnknown, effectOf } from './wording.js';

/** What an error reply shows beside its text. */
export interface ReplyFacts {
  readonly keyConflict: boolean;
  readonly recordedRejection: boolean;
  /** True where the API text lists the operation as not callable. */
  readonly documentedOnly: boolean;
  readonly retryAfterMs?: number;
  readonly receipt?: RejectedBid;
}

/** The service, or something in its place, answered with an error. */
export function errorFailure(
  context: FailureContext,
  status: number,
  error: ErrorReply,
  traits: ReplyFacts,
): Error {
  const { keyConflict, recordedRejection, documentedOnly, ...extras } = traits;
  const conflict = !keyConflict && isVersionConflict(status, error);
  const ErrorClass = apiErrorClass(status, {
    codes: error.codes,
    isVersionConflict: conflict,
    isIdempotencyConflict: keyConflict,
    outcome: context.outcome,
  });
  const effect =
    context.outcome === 'rejected' && !recordedRejection ? ' The service rejected it.' : effectOf(context);
  return new ErrorClass({
    ...context,
    ...(error.requestId !== undefined && { requestId: error.requestId }),
    status,
    codes: keyConflict && error.codes.length === 0 ? ['IDEMPOTENCY_CONFLICT'] : error.codes,
    fieldErrors: error.fieldErrors,
    ...(error.message !== undefined && { serviceMessage: error.message }),
    ...extras,
    what: `${headline(status, error)}${waitOf(extras.retryAfterMs)}${effect}`,
    nextStep: nextStepAfter(context, status, error, { conflict, keyConflict, documentedOnly }),
  });
}

/** A reply that the API text doesn't describe. */
export function unexpectedReply(
  context: FailureContext,
  status: number,
  why: string,
  nextStep = 'Check that the base URL points at the service and that no proxy answers in its place.',
): UnexpectedResponseError {
  return new UnexpectedResponseError({
    ...context,
    status,
    what: `The reply (HTTP ${status}) is not what the API describes: ${why}.${effectOf(context)}`,
    nextStep: afterUnknown(context, nextStep),
  });
}

function nextStepAfter(
  context: FailureContext,
  status: number,
  error: ErrorReply,
  traits: Pick<ReplyFacts, 'keyConflict' | 'documentedOnly'> & { readonly conflict: boolean },
): string {
  // Resending is what unknown effects call for everywhere else; here it is the one thing that can't help.
  if (traits.keyConflict) return codes.IDEMPOTENCY_CONFLICT.nextStep;
  if (traits.documentedOnly && status === 404) {
    return 'The API text lists this operation as not callable: ask the bank whether it is open.';
  }
  // A bid in doubt is never decided anew, whatever its code is called.
  const isBidInDoubt = context.operation === 'bids.submit' && context.outcome === 'unknown';
  if (traits.conflict && !isBidInDoubt) return 'Read the record again and decide again on what it says now.';
  return afterUnknown(context, firstFacts(error)?.nextStep ?? stepForStatus(status, error, context));
}

const HEADLINE_CAP = 2_000;

function headline(status: number, error: ErrorReply): string {
  const name = error.codes.length > 0 ? `HTTP ${status} ${error.codes.join(', ')}` : `HTTP ${status}`;
  const meanings = error.codes.flatMap((code) => codeFacts(code)?.meaning ?? []).join(' ');
  const fields = Object.entries(error.fieldErrors).map(
    ([field, messages]) => `${field}: ${messages.join(' ')}`,
  );
  const text = meanings || (fields.length > 0 ? fields.join('; ') : error.message);
  if (text === undefined) return `${name}, not in the service's own JSON.`;
  const shown = text.length > HEADLINE_CAP ? `${text.slice(0, HEADLINE_CAP)}…` : text;
  return `${name}: ${/[.!?…]$/.test(shown) ? shown : `${shown}.`}`;
}

function waitOf(retryAfterMs: number | undefined): string {
  return retryAfterMs === undefined ? '' : ` The service asks to wait ${Math.ceil(retryAfterMs / 1000)} s.`;
}

/** The facts of the first code that the text lists. */
function firstFacts(error: ErrorReply): CodeFacts | undefined {
  return error.codes.map(codeFacts).find((facts) => facts !== undefined);
}

function stepForStatus(status: number, error: ErrorReply, { route, mutates }: FailureContext): string {
  if (error.shape === 'foreign')
    return 'Check what answered: a proxy or gateway may stand before the service.';
  if (status === 422) return 'Correct the fields that the service names, then call again.';
  if (status === 404) {
    return mutates || route?.includes('{')
      ? 'Check the ids, and that the records are open to these credentials.'
      : 'Nothing answers at this address: check the base URL, also what stands before /api/v1, and whether this deployment has the operation.';
  }
  if (status === 409) return 'Read the record again before deciding anew.';
  if (status === 429) return 'Wait as long as retryAfterMs says, then call again.';
  if (status >= 500) return 'Call again later; give the request id to the bank if it lasts.';
  return 'Read the code and the message, then correct the call.';
}
