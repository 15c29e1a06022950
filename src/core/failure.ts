import { type CodeFacts, codeFacts, codes } from '../api/codes.js';
import type { CallContext, Outcome } from '../errors/base.js';
import { apiErrorClass } from '../errors/by-code.js';
import {
  AbortedError,
  ConnectionError,
  TimeoutError,
  UnexpectedResponseError,
} from '../errors/connection.js';
import { ConfigurationError } from '../errors/local.js';
import type { RejectedBid } from '../models/bids.js';
import { type ErrorReply, isVersionConflict } from './reply.js';
import type { StopKind } from './stop.js';

/** What the whole call knows when it fails. */
export interface FailureContext extends CallContext {
  /** What is known about the effect, all attempts considered. */
  readonly outcome: Outcome;
  /** False for reads: nothing of theirs can double or get lost. */
  readonly mutates: boolean;
}

/** What an error reply shows beside its text. */
export interface ReplyFacts {
  readonly keyConflict: boolean;
  readonly recordedRejection: boolean;
  readonly retryAfterMs?: number;
  readonly receipt?: RejectedBid;
}

/** The network failed. */
export function connectionFailure(
  context: FailureContext,
  sent: 'no' | 'maybe',
  cause: unknown,
): ConnectionError {
  const reason = cause instanceof Error ? describeCause(cause) : 'no reason given';
  return new ConnectionError({
    ...context,
    what: whatFailed(context, sent, reason),
    nextStep: afterUnknown(context, 'Check the network and the base URL, then call again.'),
    cause,
  });
}

function whatFailed(context: FailureContext, sent: 'no' | 'maybe', reason: string): string {
  if (context.outcome === 'not_sent') return `No connection could be made (${reason}).${effectOf(context)}`;
  if (sent === 'no' && context.mutates) {
    return `The last of ${context.attempts} attempts could not connect (${reason}), but an earlier one left and may have taken effect.`;
  }
  return `The connection failed before a whole reply came (${reason}).${effectOf(context)}`;
}

/** Something that the caller injected failed while the call was under way. */
export function injectedFailure(
  context: FailureContext,
  option: string,
  problem: string,
  cause?: unknown,
): ConfigurationError {
  const { mutates: _, ...call } = context;
  return new ConfigurationError(option, `${problem}.${effectOf(context)}`.replace(/\.$/, ''), {
    ...call,
    nextStep: afterUnknown(context, `Correct ${option}, then call again.`),
    ...(cause !== undefined && { cause }),
  });
}

/** Time ran out, or the caller aborted. */
export function stopFailure(
  context: FailureContext,
  kind: StopKind,
  reason: unknown,
  limitMs: number,
): TimeoutError | AbortedError {
  switch (kind) {
    case 'aborted':
      return new AbortedError({
        ...context,
        what: `The caller's signal aborted the call.${effectOf(context)}`,
        nextStep: afterUnknown(context, 'Call again when you want it after all.'),
        cause: reason,
      });
    case 'attempt_timeout':
    case 'deadline':
      return new TimeoutError({
        ...context,
        what: `${kind === 'deadline' ? 'The call' : 'The attempt'} took longer than ${limitMs} ms.${effectOf(context)}`,
        nextStep: afterUnknown(
          context,
          `Call again, with a longer ${kind === 'deadline' ? 'deadline' : 'timeout'} where the network is slow.`,
        ),
      });
  }
}

/** The service, or something in its place, answered with an error. */
export function errorFailure(
  context: FailureContext,
  status: number,
  error: ErrorReply,
  traits: ReplyFacts,
): Error {
  const { keyConflict, recordedRejection, ...extras } = traits;
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
    ...extras,
    what: `${headline(status, error)}${waitOf(extras.retryAfterMs)}${effect}`,
    nextStep: nextStepAfter(context, status, error, { conflict, keyConflict }),
  });
}

function nextStepAfter(
  context: FailureContext,
  status: number,
  error: ErrorReply,
  { conflict, keyConflict }: { readonly conflict: boolean; readonly keyConflict: boolean },
): string {
  // Resending is what unknown effects call for everywhere else; here it is the one thing that can't help.
  if (keyConflict) return codes.IDEMPOTENCY_CONFLICT.nextStep;
  if (conflict) return 'Read the record again and decide again on what it says now.';
  return afterUnknown(context, firstFacts(error)?.nextStep ?? stepForStatus(status, error, context));
}

/** A reply that the API text doesn't describe. */
export function unexpectedReply(
  context: FailureContext,
  status: number,
  why: string,
): UnexpectedResponseError {
  return new UnexpectedResponseError({
    ...context,
    status,
    what: `The reply (HTTP ${status}) is not what the API describes: ${why}.${effectOf(context)}`,
    nextStep: afterUnknown(
      context,
      'Check that the base URL points at the service and that no proxy answers in its place.',
    ),
  });
}

function headline(status: number, error: ErrorReply): string {
  const name = error.codes.length > 0 ? `HTTP ${status} ${error.codes.join(', ')}` : `HTTP ${status}`;
  const meanings = error.codes.flatMap((code) => codeFacts(code)?.meaning ?? []).join(' ');
  const fields = Object.entries(error.fieldErrors).map(
    ([field, messages]) => `${field}: ${messages.join(' ')}`,
  );
  const text = meanings || (fields.length > 0 ? fields.join('; ') : error.message);
  if (text === undefined) return `${name}, not in the service's own JSON.`;
  return `${name}: ${/[.!?]$/.test(text) ? text : `${text}.`}`;
}

function waitOf(retryAfterMs: number | undefined): string {
  return retryAfterMs === undefined ? '' : ` The service asks to wait ${Math.ceil(retryAfterMs / 1000)} s.`;
}

/** The facts of the first code that the text lists. */
function firstFacts(error: ErrorReply): CodeFacts | undefined {
  return error.codes.map(codeFacts).find((facts) => facts !== undefined);
}

function stepForStatus(status: number, error: ErrorReply, { route }: FailureContext): string {
  if (error.shape === 'foreign')
    return 'Check what answered: a proxy or gateway may stand before the service.';
  if (status === 422) return 'Correct the fields that the service names, then call again.';
  if (status === 404) {
    return route?.includes('{')
      ? 'Check the id, and that the record is assigned to these credentials.'
      : 'Nothing answers at this address: check the base URL, also what stands before /api/v1.';
  }
  if (status === 409) return 'Read the record again before deciding anew.';
  if (status === 429) return 'Wait as long as retryAfterMs says, then call again.';
  if (status >= 500) return 'Call again later; give the request id to the bank if it lasts.';
  return 'Read the code and the message, then correct the call.';
}

function effectOf({ outcome, mutates }: FailureContext): string {
  if (!mutates) return '';
  switch (outcome) {
    case 'rejected':
      return ' The rejection is recorded under the idempotency key.';
    case 'refused':
      return ' Nothing was recorded.';
    case 'not_sent':
      return ' Nothing was sent.';
    case 'unknown':
      return ' It may or may not have taken effect.';
  }
}

function afterUnknown(
  { outcome, mutates, idempotencyKey, operation }: FailureContext,
  otherwise: string,
): string {
  if (!mutates || outcome !== 'unknown') return otherwise;
  const resend = `resend the same body under idempotency key ${idempotencyKey}`;
  return operation === 'bids.submit'
    ? `Look it up with bids.lookup("${idempotencyKey}"), or ${resend}; never bid again under a new key before that.`
    : `To settle it, ${resend}.`;
}

/** A connection error's message, or its code where the message is empty (several addresses tried at once). */
function describeCause(cause: Error): string {
  if (cause.message !== '') return cause.message.replace(/\s+/g, ' ').trim();
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}
