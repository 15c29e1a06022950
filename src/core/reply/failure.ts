import { isObject } from '../../api/check.js';
import { type CodeFacts, codeFacts, codes } from '../../api/codes.js';
import { API_PREFIX } from '../../api/formats.js';
import { apiErrorClass } from '../../errors/api.js';
import type { CallContext, Outcome } from '../../errors/base.js';
import {
  AbortedError,
  ConnectionError,
  TimeoutError,
  UnexpectedResponseError,
} from '../../errors/connection.js';
import { ConfigurationError } from '../../errors/local.js';
import { StoreError } from '../../errors/store.js';
import { withoutInvisible } from '../../errors/text.js';
import type { Stopped, Wait } from '../../runtime/timers.js';
import type { CallLimits } from '../caller.js';
import { type Redact, redactDeep, redactRecord } from '../redact.js';
import type { PreparedCall } from '../request/prepare.js';
import { type AttemptEnd, type AttemptResult, describeCause, limitOf, namesVersion } from './classify.js';
import { connectionFacts, connectionStep } from './connection.js';
import { quotedWords } from './page.js';
import type { ErrorReply, Replied, Unexpected } from './reply.js';

/** Known facts of a failed command. */
export interface Conclusion {
  readonly outcome: Outcome;
  /** Refused for now: a copy may still be let in until this time, Unix ms. */
  readonly copiesExpireAt?: number;
  /** Unknown, and every attempt was turned away without a code. */
  readonly turnedAway?: boolean;
  /** The record of the command as it was read. */
  readonly target?: {
    readonly noun: string;
    readonly expected: number;
    /** Absent if the service has no such record. */
    readonly version?: number | undefined;
  };
}

/** Known facts of a failed call. */
export interface FailureContext extends CallContext {
  /** What is known about the effect, all attempts considered. */
  readonly outcome: Outcome;
  /** False for reads, which can't double or get lost. */
  readonly mutates: boolean;
  /** Facts from the record of a command. */
  readonly conclusion?: Conclusion;
}

/** The call that failed. */
export interface FailedCall {
  readonly redact: Redact;
  readonly call: PreparedCall;
  readonly limits: CallLimits;
  /** The body that was sent. */
  readonly body?: { readonly length: number } | undefined;
  /** Whether the signing secret is in quotation marks, which a settings file often adds. */
  readonly isSecretQuoted?: boolean;
}

/** The error of the last attempt. All of its texts are redacted here. */
export function failureOf(
  end: AttemptEnd,
  result: AttemptResult,
  context: FailureContext,
  failed: FailedCall,
): Error {
  switch (end.kind) {
    case 'network':
      return connectionFailure(context, end.sent, end.cause, failed);
    case 'body_unreadable':
      return unreadableBody(context, end.cause, failed.redact);
    case 'injected':
      return injectedFailure(context, end.option, end.problem, end.cause);
    case 'stopped':
      return stopFailure(context, end.stopped, limitOf(failed.limits, end.stopped.kind));
    case 'reply':
      return end.error === undefined
        ? unexpectedReply(end, context, failed.redact)
        : errorReplyFailure(result, end.error, context, failed);
  }
}

/** Composes the text of an error: what happened, the known effect, and the next step. */
function worded(context: FailureContext, what: string, nextStep: string) {
  return { ...context, what: what + effectOf(context), nextStep: afterUnknown(context, nextStep) };
}

function connectionFailure(
  context: FailureContext,
  sent: 'no' | 'maybe',
  cause: unknown,
  { redact, call }: FailedCall,
): ConnectionError {
  const facts = connectionFacts(call.origin, sent, cause);
  const { reason } = facts;
  const why = redact(describeCause(cause));
  const step = connectionStep(facts);
  const details = { ...worded(context, whatFailed(), step), reason, cause };
  if (context.outcome === 'not_sent' || sent === 'maybe' || !context.mutates) {
    return new ConnectionError(details);
  }
  const what = `The last of ${context.attempts} attempts could not connect (${why}), but an earlier one left and may have taken effect.`;
  return new ConnectionError({ ...details, what });

  function whatFailed(): string {
    if (reason === 'headers_too_large')
      return 'The headers of the reply are larger than the option maxHeaderSize allows (16 KB by default), so it could not be read.';
    if (reason === 'tls') return `No secure connection to ${call.origin} could be made (${why}).`;
    if (context.outcome === 'not_sent') return `No connection could be made (${why}).`;
    return `The connection failed before the whole reply arrived (${why}).`;
  }
}

function unreadableBody(context: FailureContext, cause: unknown, redact: Redact): ConnectionError {
  const what = `The request broke off because its body could not be read (${redact(describeCause(cause))}).`;
  const details = worded(context, what, 'Call again once the file is complete and no longer changes.');
  return new ConnectionError({
    ...details,
    ...(context.outcome === 'not_sent' && {
      what: `${what} No whole request left, so nothing was recorded.`,
    }),
    reason: 'body_unreadable',
    cause,
  });
}

/** The error of something injected that failed during the call. `cause` is safe to show. */
export function injectedFailure(
  context: FailureContext,
  option: string,
  problem: string,
  cause?: unknown,
): ConfigurationError {
  const { what, ...details } = worded(context, `${problem}.`, `Correct ${option}, then call again.`);
  return new ConfigurationError(option, what.replace(/\.$/, ''), {
    ...details,
    reason: 'failed',
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
  callback: ' while it waited for a function that you gave',
};

/** The error of a call that ran out of time or was aborted. */
export function stopFailure(
  context: FailureContext,
  { kind, reason, during }: Pick<Stopped, 'kind' | 'reason' | 'during'>,
  limitMs: number,
): TimeoutError | AbortedError {
  const waiting = during === undefined ? '' : waits[during];
  if (kind === 'aborted') {
    const what = `The caller's signal aborted the call${waiting}.`;
    const details = worded(context, what, 'Call again if you still want it.');
    return new AbortedError({ ...details, reason: kind, cause: reason });
  }
  if (kind === 'closed') {
    const details = worded(context, `The client was closed${waiting}.`, 'Make a new client to call again.');
    return new AbortedError({ ...details, reason: kind });
  }
  if (kind === 'too_late') {
    const what = `The latest time to send it passed${waiting}.`;
    const details = worded(context, what, 'Call again with a later time if you still want it.');
    return new TimeoutError({ ...details, reason: kind });
  }
  const [who, limit] = kind === 'deadline' ? ['The call', 'deadline'] : ['The attempt', 'timeout'];
  const ended = waiting === '' ? '' : `, and ended${waiting}`;
  const where = during === 'quota' ? 'many calls share one quota' : 'the network is slow';
  const what = `${who} took longer than ${limitMs} ms${ended}.`;
  const details = worded(context, what, `Call again, with a longer ${limit} where ${where}.`);
  return new TimeoutError({ ...details, reason: kind });
}

/** The record of the intent shows that a success can't be the reply to this call. */
const otherRequest: Unexpected = {
  reason: 'other_request',
  why: 'it answers another request, or one that was never sent from here',
};

/** The error of an attempt whose result could not be recorded in time. */
export function unrecordedFailure(context: FailureContext): StoreError {
  const what = 'The result of the call could not be recorded in time: the store did not answer.';
  const { what: said, nextStep } = worded({ ...context, outcome: 'unknown' }, what, 'Check the store.');
  return new StoreError({
    ...context,
    reason: 'unavailable',
    commit: 'unknown',
    outcome: 'unknown',
    what: said,
    nextStep: `Check the store. ${nextStep}`,
  });
}

/** A reply that the API does not describe. */
function unexpectedReply(
  { reply, unexpected = otherRequest }: Replied,
  context: FailureContext,
  redact: Redact,
): UnexpectedResponseError {
  const { status } = reply;
  const { reason, why } = unexpected;
  const said = reply.quote === undefined ? '' : `, but ${quotedWords(redact(reply.quote))}`;
  const what = `The reply (HTTP ${status}) is not what the API describes: ${withoutInvisible(redact(why))}${said}.`;
  const step = isObject(reply.json)
    ? 'Tell the bank what differs, with the request id; check the base URL if the reply looks like another service.'
    : 'Check that the base URL points at the service and that no proxy answers in its place.';
  return new UnexpectedResponseError({ ...worded(context, what, step), reason, status });
}

/** The service, or something in its place, answered with an error. */
function errorReplyFailure(
  result: AttemptResult,
  raw: ErrorReply,
  context: FailureContext,
  failed: FailedCall,
): Error {
  const { redact, call, body } = failed;
  const { status = 0, keyConflict = false, retryAfter } = result;
  const shown = (text: string) => withoutInvisible(redact(text));
  const error: ErrorReply = redactDeep({ ...raw, data: undefined, rejection: undefined }, shown);
  const receipt = redactRecord(raw.rejection, redact);
  const isConflict = isPrecondition(result, call, context) || namesVersion(status, error);
  const isVersionConflict = !keyConflict && isConflict;
  const ErrorClass = apiErrorClass(status, {
    codes: error.codes,
    isVersionConflict,
    isIdempotencyConflict: keyConflict,
    outcome: context.outcome,
  });
  const what = headline(status, error) + sizeOf(status, body) + clockOf(result) + waitOf(retryAfter);
  const isBareRejection = context.outcome === 'rejected' && !raw.saysRejected;
  return new ErrorClass({
    ...context,
    ...(error.requestId !== undefined && { requestId: error.requestId }),
    status,
    codes: keyConflict && error.codes.length === 0 ? ['IDEMPOTENCY_CONFLICT'] : error.codes,
    fieldErrors: error.fieldErrors,
    ...(error.message !== undefined && { serviceMessage: error.message }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(context.conclusion?.copiesExpireAt !== undefined && { provisional: true }),
    ...(receipt !== undefined && { receipt }),
    what: what + (isBareRejection ? ' The service rejected it.' : effectOf(context)),
    nextStep: nextStep(),
  });

  function nextStep(): string {
    // Elsewhere an unknown effect calls for a resend; here a resend can't help.
    if (keyConflict) return codes.IDEMPOTENCY_CONFLICT.nextStep;
    if (status === 404 && call.route.availability === 'documented') {
      return 'The API text lists this operation as not callable: ask the bank whether it is open.';
    }
    // A bid in doubt is never decided again, whatever its code is called.
    const isBidInDoubt = context.operation === 'bids.submit' && context.outcome === 'unknown';
    if (isVersionConflict && !isBidInDoubt)
      return 'Read the record again, then decide again on its current state.';
    if (result.timestampLost === true) return afterUnknown(context, TIMESTAMP_LOST);
    const signatureStep = error.codes.includes('INVALID_SIGNATURE') ? signatureMistake(failed) : undefined;
    if (signatureStep !== undefined) return afterUnknown(context, signatureStep);
    return afterUnknown(context, firstFacts(error)?.nextStep ?? stepForStatus(status, error, context));
  }
}

const TIMESTAMP_LOST =
  'A proxy or gateway removes or changes X-Timestamp: ask your network team or the bank.';

/** A mistake in the settings that makes signatures wrong; undefined if none shows. */
function signatureMistake({ call, isSecretQuoted = false }: FailedCall): string | undefined {
  if (isSecretQuoted) {
    return 'The signing secret begins and ends with quotation marks: remove them if a settings file added them.';
  }
  return call.wirePath.startsWith(`${API_PREFIX}${API_PREFIX}/`) ||
    call.wirePath.includes(`${API_PREFIX}/api/`)
    ? `The base URL names ${API_PREFIX} twice: remove one.`
    : undefined;
}

/** Of a versioned command, 412 and 428 in the service's own JSON speak of the version, unless that is still the expected one. */
function isPrecondition(
  { status, foreign }: AttemptResult,
  { route }: PreparedCall,
  context: FailureContext,
) {
  const { outcome, conclusion } = context;
  const isStatus = (status === 412 || status === 428) && foreign !== true;
  return isStatus && route.versionFrom !== undefined && outcome === 'refused' && !isUnmoved(conclusion);
}

function isUnmoved({ target }: Partial<Conclusion> = {}): boolean {
  return target !== undefined && target.version === target.expected;
}

const HEADLINE_CAP = 2_000;

function headline(status: number, error: ErrorReply): string {
  const name = error.codes.length > 0 ? `HTTP ${status} ${error.codes.join(', ')}` : `HTTP ${status}`;
  const meanings = error.codes.flatMap((code) => codeFacts(code)?.meaning ?? []).join(' ');
  const fields = Object.entries(error.fieldErrors).map(([field, said]) => `${field}: ${said.join(' ')}`);
  const text = meanings || (fields.length > 0 ? fields.join('; ') : error.message);
  if (text === undefined) {
    const said = error.quote === undefined ? '' : `: ${quotedWords(error.quote)}`;
    return `${name}${said}, not in the service's own JSON.`;
  }
  if (text === '') return `${name} with an empty message.`;
  const shown = text.length > HEADLINE_CAP ? `${text.slice(0, HEADLINE_CAP)}…` : text;
  return `${name}: ${/[.!?…]$/.test(shown) ? shown : `${shown}.`}`;
}

/** The size of the sent body, if that was too large. */
function sizeOf(status: number, body: FailedCall['body']): string {
  return status === 413 && body !== undefined ? ` The request body has ${body.length} bytes.` : '';
}

/** The offset of the local clock, if that is why the service refused. */
function clockOf({ clockOffset, timestampLost }: AttemptResult): string {
  if (timestampLost === true) return ' The timestamp was current when it left this machine.';
  if (clockOffset === undefined) return '';
  const seconds = Math.round(Math.abs(clockOffset) / 1000);
  return ` The clock of this machine is ${seconds} s ${clockOffset > 0 ? 'behind' : 'ahead of'} server time.`;
}

function waitOf(retryAfter: number | undefined): string {
  return retryAfter === undefined ? '' : ` The service asks to wait ${Math.ceil(retryAfter / 1000)} s.`;
}

/** The facts of the first code that the API documents. */
function firstFacts(error: ErrorReply): CodeFacts | undefined {
  return error.codes.map(codeFacts).find((facts) => facts !== undefined);
}

function stepForStatus(status: number, error: ErrorReply, { route, mutates }: FailureContext): string {
  const step = stepsByStatus[status];
  if (status === 413 && step !== undefined) return step;
  if (error.shape === 'foreign') {
    return asksForCertificate(error)
      ? 'The gateway asks for a client certificate: set tls.cert and tls.key to the one that the bank has approved.'
      : 'Find out what answered: a proxy or gateway may be in front of the service.';
  }
  if (status === 404) {
    if (route?.includes('{lot}')) {
      return 'Check the lot id: it is the id of a lot (lots.list), not of a vehicle, an event or a registration.';
    }
    return mutates || route?.includes('{')
      ? 'Check the ids, and that these credentials may see the records.'
      : 'Nothing answers at this address: check the base URL, including the path before /api/v1, and whether this deployment has the operation.';
  }
  if (status >= 500) return 'Call again later; give the request id to the bank if it lasts.';
  return step ?? 'Read the code and the message, then correct the call.';
}

/** Recognises what gateways say about a missing or wrong client certificate. */
function asksForCertificate({ quote = '' }: ErrorReply): boolean {
  return /\b(?:SSL|TLS|client) certificate\b/i.test(quote);
}

const stepsByStatus: Readonly<Record<number, string>> = {
  409: 'Read the record again, then decide again.',
  413: 'Send less under a new key (base64 makes a file a third larger), or ask the bank to raise the limit of its gateway.',
  422: 'Correct the fields that the service names, then call again.',
  429: 'Wait as long as retryAfter says, then call again.',
};

const effects: Readonly<Record<Outcome, string>> = {
  rejected: ' The rejection is recorded under the idempotency key.',
  refused: ' Nothing was recorded.',
  not_sent: ' Nothing was sent.',
  done: ' It took effect earlier.',
  unknown: ' It may or may not have taken effect.',
};

/** What is known about the effect, as a sentence; empty for reads. */
function effectOf({ outcome, mutates, conclusion }: FailureContext): string {
  if (!mutates) return '';
  const { target, turnedAway = false } = conclusion ?? {};
  if (target !== undefined && outcome === 'refused' && isUnmoved(conclusion)) {
    return ` Nothing was recorded: the ${target.noun} still has version ${target.version}.`;
  }
  if (target?.version !== undefined && outcome === 'unknown') {
    return `${effects.unknown.slice(0, -1)}: the ${target.noun} has moved from version ${target.expected} to ${target.version}.`;
  }
  if (turnedAway) return ' It was almost certainly refused, but this is not proof.';
  return effects[outcome];
}

/** What to do next: settle an unknown effect first, else `otherwise`. */
function afterUnknown(
  { outcome, mutates, idempotencyKey, operation, conclusion = { outcome } }: FailureContext,
  otherwise: string,
): string {
  const { copiesExpireAt, turnedAway, target } = conclusion;
  if (mutates && outcome === 'refused' && copiesExpireAt !== undefined) {
    return `${otherwise} A copy of it could still arrive until ${new Date(copiesExpireAt).toISOString()}; recover() after that makes the refusal final.`;
  }
  if (!mutates || outcome !== 'unknown') return otherwise;
  const resend = `resend the same body under idempotency key ${idempotencyKey}`;
  return operation === 'bids.submit'
    ? `Look it up with intents.reconcile("${idempotencyKey}"), or ${resend}; never bid again under a new key before that.`
    : target?.version !== undefined
      ? `Read the ${target.noun} and compare it with this command; to settle it, ${resend}.`
      : turnedAway === true
        ? `${otherwise} To make sure, ${resend}, or read the records that it would change.`
        : `To settle it, ${resend}.`;
}
