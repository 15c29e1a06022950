import { type CodeFacts, codeFacts, codes } from '../../api/codes.js';
import { apiErrorClass } from '../../errors/api.js';
import type { CallContext, Outcome } from '../../errors/base.js';
import {
  AbortedError,
  ConnectionError,
  type ConnectionReason,
  TimeoutError,
  UnexpectedResponseError,
} from '../../errors/connection.js';
import { ConfigurationError } from '../../errors/local.js';
import type { CallLimits } from '../caller.js';
import type { Stopped, Wait } from '../deadline.js';
import { type Redact, redactDeep, redactRecord } from '../redact.js';
import type { PreparedCall } from '../request/prepare.js';
import {
  type AttemptResult,
  codeOf,
  describeCause,
  type ErrorReply,
  isTlsFailure,
  isVersionConflict,
  limitOf,
} from './classify.js';
import { isObject, type Unexpected } from './reply.js';

/** What the whole call knows when it fails. */
export interface FailureContext extends CallContext {
  /** What is known about the effect, all attempts considered. */
  readonly outcome: Outcome;
  /** False for reads: nothing of theirs can double or get lost. */
  readonly mutates: boolean;
}

/** The call that failed, as far as its error is worded by it. */
export interface FailedCall {
  readonly redact: Redact;
  readonly call: PreparedCall;
  readonly limits: CallLimits;
}

/** The error of an attempt that stays the last. Everything that it shows is redacted here. */
export function failureOf(result: AttemptResult, context: FailureContext, failed: FailedCall): Error {
  const { end } = result;
  switch (end.kind) {
    case 'network':
      return connectionFailure(context, end.sent, end.cause, failed);
    case 'body_unreadable':
      return unreadableBody(context, end.cause, failed);
    case 'injected':
      return injectedFailure(context, end.option, end.problem, end.cause);
    case 'stopped':
      return stopFailure(context, end.stopped, limitOf(failed.limits, end.stopped.kind));
    case 'reply': {
      const { status = 0, error, unexpected } = result;
      if (error !== undefined) return errorReplyFailure(result, error, context, failed);
      const odd = unexpected ?? {
        reason: 'other_request',
        why: 'it answers another request, or one that was never sent from here',
      };
      return unexpectedReply(
        context,
        status,
        odd,
        failed.redact,
        isObject(end.reply.json) ? DIFFERS : undefined,
      );
    }
  }
}

function connectionFailure(
  context: FailureContext,
  sent: 'no' | 'maybe',
  cause: unknown,
  { redact, call }: FailedCall,
): ConnectionError {
  const reason = connectionReason(cause);
  const why = redact(describeCause(cause));
  return new ConnectionError({
    ...context,
    reason,
    what: `${whatFailed(context, sent, reason, why, call.origin)}`,
    nextStep: afterUnknown(context, reason === 'tls' ? tlsStep(codeOf(cause)) : connectionSteps[reason]),
    cause,
  });
}

function connectionReason(cause: unknown): ConnectionReason {
  if (isTlsFailure(cause)) return 'tls';
  if (cause instanceof Error && cause.name === 'ProxyFailure') return 'proxy';
  switch (codeOf(cause)) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'dns';
    case 'ECONNREFUSED':
      return 'refused';
    case 'UND_ERR_CONNECT_TIMEOUT':
      return 'connect_timeout';
    default:
      return 'connection';
  }
}

const checkNetwork = 'Check the network and the base URL, then call again.';

const connectionSteps: Readonly<Record<Exclude<ConnectionReason, 'tls'>, string>> = {
  dns: 'Check the host name in the base URL, and name resolution on this machine, then call again.',
  refused: 'Check the host and port in the base URL, then call again.',
  connect_timeout: 'Check the network and any firewall between here and the service, then call again.',
  proxy: 'Check the option proxy, its user name and password, then call again.',
  body_unreadable: checkNetwork,
  connection: checkNetwork,
};

/** What to do about a secure connection that failed with this code. */
function tlsStep(code: string): string {
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return 'Check the clock of this machine; if it is right, the service needs a new certificate.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'Check the host in the base URL: the certificate belongs to another one.';
  if (/^(ERR_SSL_|EPROTO)/.test(code))
    return 'Check that the base URL names an https port of the service, not an http one.';
  return 'Check that the base URL names the service; for a private certificate authority, set tls.ca.';
}

function whatFailed(
  context: FailureContext,
  sent: 'no' | 'maybe',
  reason: ConnectionReason,
  why: string,
  origin: string,
): string {
  if (reason === 'tls')
    return `No secure connection to ${origin} could be made (${why}).${effectOf(context)}`;
  if (context.outcome === 'not_sent') return `No connection could be made (${why}).${effectOf(context)}`;
  if (sent === 'no' && context.mutates) {
    return `The last of ${context.attempts} attempts could not connect (${why}), but an earlier one left and may have taken effect.`;
  }
  return `The connection failed before the whole reply arrived (${why}).${effectOf(context)}`;
}

function unreadableBody(context: FailureContext, cause: unknown, { redact }: FailedCall): ConnectionError {
  const whole =
    context.outcome === 'not_sent' ? ' No whole request left, so nothing was recorded.' : effectOf(context);
  return new ConnectionError({
    ...context,
    reason: 'body_unreadable',
    what: `The request broke off because its body could not be read (${redact(describeCause(cause))}).${whole}`,
    nextStep: afterUnknown(context, 'Call again once the file is complete and no longer changes.'),
    cause,
  });
}

/** Something that the caller injected failed during the call. `cause` is safe to show. */
export function injectedFailure(
  context: FailureContext,
  option: string,
  problem: string,
  cause?: unknown,
): ConfigurationError {
  return new ConfigurationError(option, `${problem}.${effectOf(context)}`.replace(/\.$/, ''), {
    ...context,
    reason: 'failed',
    nextStep: afterUnknown(context, `Correct ${option}, then call again.`),
    ...(cause !== undefined && { cause }),
  });
}

/** What a call was waiting for when it was stopped. */
const waits: Readonly<Record<Wait, string>> = {
  quota: ' while it waited for the request quota',
  credentials: ' while it waited for credentials',
  file: ' while a file was being read',
  journal: ' while an attempt was being recorded',
  key: ' while another call with the same key was in progress',
  retry: ' while it waited to try again',
};

/** Time ran out, or the caller aborted. */
export function stopFailure(
  context: FailureContext,
  { kind, reason, during }: Pick<Stopped, 'kind' | 'reason' | 'during'>,
  limitMs: number,
): TimeoutError | AbortedError {
  const waiting = during === undefined ? '' : waits[during];
  switch (kind) {
    case 'aborted':
      return new AbortedError({
        ...context,
        reason: 'aborted',
        what: `The caller's signal aborted the call${waiting}.${effectOf(context)}`,
        nextStep: afterUnknown(context, 'Call again if you still want it.'),
        cause: reason,
      });
    case 'too_late':
      return new TimeoutError({
        ...context,
        reason: 'too_late',
        what: `The time until which it may be sent passed${waiting}.${effectOf(context)}`,
        nextStep: afterUnknown(context, 'Call again with a later time if you still want it.'),
      });
    case 'attempt_timeout':
    case 'deadline':
      return new TimeoutError({
        ...context,
        reason: kind,
        what: `${kind === 'deadline' ? 'The call' : 'The attempt'} took longer than ${limitMs} ms${waiting === '' ? '' : `, and ended${waiting}`}.${effectOf(context)}`,
        nextStep: afterUnknown(
          context,
          `Call again, with a longer ${kind === 'deadline' ? 'deadline' : 'timeout'} where ${during === 'quota' ? 'many calls share one quota' : 'the network is slow'}.`,
        ),
      });
  }
}

/** What to do about JSON of another form than the API gives it. */
const DIFFERS =
  'Tell the bank what differs, with the request id; check the base URL if the reply looks like another service.';

/** A reply that the API does not describe. */
function unexpectedReply(
  context: FailureContext,
  status: number,
  { reason, why }: Unexpected,
  redact: Redact,
  nextStep = 'Check that the base URL points at the service and that no proxy answers in its place.',
): UnexpectedResponseError {
  return new UnexpectedResponseError({
    ...context,
    reason,
    status,
    what: `The reply (HTTP ${status}) is not what the API describes: ${redact(why)}.${effectOf(context)}`,
    nextStep: afterUnknown(context, nextStep),
  });
}

/** The service, or something in its place, answered with an error. */
function errorReplyFailure(
  result: AttemptResult,
  raw: ErrorReply,
  context: FailureContext,
  failed: FailedCall,
): Error {
  const { status = 0, keyConflict = false, retryAfterMs, rejection } = result;
  const error: ErrorReply = { ...redactDeep({ ...raw, data: undefined }, failed.redact), data: raw.data };
  const receipt = redactRecord(rejection, failed.redact);
  const conflict = !keyConflict && isVersionConflict(status, error);
  const ErrorClass = apiErrorClass(status, {
    codes: error.codes,
    isVersionConflict: conflict,
    isIdempotencyConflict: keyConflict,
    outcome: context.outcome,
  });
  const isBareRejection = context.outcome === 'rejected' && result.recordedRejection !== true;
  const effect = isBareRejection ? ' The service rejected it.' : effectOf(context);
  return new ErrorClass({
    ...context,
    ...(error.requestId !== undefined && { requestId: error.requestId }),
    status,
    codes: keyConflict && error.codes.length === 0 ? ['IDEMPOTENCY_CONFLICT'] : error.codes,
    fieldErrors: error.fieldErrors,
    ...(error.message !== undefined && { serviceMessage: error.message }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(receipt !== undefined && { receipt }),
    what: `${headline(status, error)}${clockOf(result)}${waitOf(retryAfterMs)}${effect}`,
    nextStep: nextStepAfter(context, status, error, {
      conflict,
      keyConflict,
      documentedOnly: failed.call.route.availability === 'documented',
    }),
  });
}

function nextStepAfter(
  context: FailureContext,
  status: number,
  error: ErrorReply,
  traits: { readonly conflict: boolean; readonly keyConflict: boolean; readonly documentedOnly: boolean },
): string {
  // An unknown effect calls for a resend everywhere else; here it cannot help.
  if (traits.keyConflict) return codes.IDEMPOTENCY_CONFLICT.nextStep;
  if (traits.documentedOnly && status === 404) {
    return 'The API text lists this operation as not callable: ask the bank whether it is open.';
  }
  // A bid in doubt is never decided again, whatever its code is called.
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

/** By how much the local clock is off, where that is why the service refused. */
function clockOf({ error, clockOffMs }: AttemptResult): string {
  if (clockOffMs === undefined || error?.codes.includes('TIMESTAMP_EXPIRED') !== true) return '';
  const seconds = Math.round(Math.abs(clockOffMs) / 1000);
  return ` The clock of this machine is ${seconds} s ${clockOffMs > 0 ? 'behind' : 'ahead of'} server time.`;
}

function waitOf(retryAfterMs: number | undefined): string {
  return retryAfterMs === undefined ? '' : ` The service asks to wait ${Math.ceil(retryAfterMs / 1000)} s.`;
}

/** The facts of the first code that the API documents. */
function firstFacts(error: ErrorReply): CodeFacts | undefined {
  return error.codes.map(codeFacts).find((facts) => facts !== undefined);
}

function stepForStatus(status: number, error: ErrorReply, { route, mutates }: FailureContext): string {
  if (error.shape === 'foreign')
    return 'Find out what answered: a proxy or gateway may be in front of the service.';
  if (status === 422) return 'Correct the fields that the service names, then call again.';
  if (status === 404) {
    if (route?.includes('{lot}')) {
      return 'Check the lot id: it is the id of a lot (lots.list), not of a vehicle, an event or a registration.';
    }
    return mutates || route?.includes('{')
      ? 'Check the ids, and that these credentials may see the records.'
      : 'Nothing answers at this address: check the base URL, including what precedes /api/v1, and whether this deployment has the operation.';
  }
  if (status === 409) return 'Read the record again, then decide again.';
  if (status === 429) return 'Wait as long as retryAfterMs says, then call again.';
  if (status >= 500) return 'Call again later; give the request id to the bank if it lasts.';
  return 'Read the code and the message, then correct the call.';
}

/** What is known about the effect, as a sentence; empty for reads. */
function effectOf({ outcome, mutates }: FailureContext): string {
  if (!mutates) return '';
  switch (outcome) {
    case 'rejected':
      return ' The rejection is recorded under the idempotency key.';
    case 'refused':
      return ' Nothing was recorded.';
    case 'not_sent':
      return ' Nothing was sent.';
    case 'done':
      return ' It took effect earlier.';
    case 'unknown':
      return ' It may or may not have taken effect.';
  }
}

/** What to do next: settle an unknown effect first, else `otherwise`. */
function afterUnknown(
  { outcome, mutates, idempotencyKey, operation }: FailureContext,
  otherwise: string,
): string {
  if (!mutates || outcome !== 'unknown') return otherwise;
  const resend = `resend the same body under idempotency key ${idempotencyKey}`;
  return operation === 'bids.submit'
    ? `Look it up with intents.reconcile("${idempotencyKey}"), or ${resend}; never bid again under a new key before that.`
    : `To settle it, ${resend}.`;
}
