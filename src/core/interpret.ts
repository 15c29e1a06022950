import { codeFacts } from '../api/codes.js';
import type { Route } from '../api/operation.js';
import { serverTimeOf } from '../clock/reply-time.js';
import type { RejectedBid } from '../models/bids.js';
import type { AttemptEnd } from './attempt.js';
import { retryAfterMs } from './backoff.js';
import { classify, type Evidence, type Verdict } from './classify.js';
import type { FailureContext } from './context.js';
import { decode, decodeRejection } from './decode.js';
import { connectionFailure, stopFailure, unreadBody } from './failure.js';
import type { Leaks } from './redact.js';
import {
  type ErrorReply,
  errorReply,
  headerOf,
  isIdempotencyConflict,
  isObject,
  isRecordedRejection,
  type Reply,
} from './reply.js';
import { errorFailure, unexpectedReply } from './reply-failure.js';
import type { StopKind } from './stop.js';

/** What an attempt comes to: its verdict, the payload of a success, or the error to throw if it stays the last. */
export interface Interpretation {
  readonly verdict: Verdict;
  readonly payload?: Payload;
  /** HTTP status, where a reply came. */
  readonly status?: number;
  /** How long the service asks to wait, in ms. */
  readonly retryAfterMs?: number;
  /** Server time as an error reply states it, Unix ms. */
  readonly serverMs?: number;
  failure(context: FailureContext): Error;
}

export interface Payload {
  readonly reply: Reply;
  readonly value: unknown;
  readonly requestId: string | undefined;
  readonly serverTime: string | undefined;
  readonly replayed: boolean;
  /** Paths of values that are not of their documented type, and passed as they came. */
  readonly odd: readonly string[];
}

export interface InterpretTools {
  /** Unix ms. */
  readonly nowMs: number;
  /** Makes a cause safe to show. */
  safe(cause: unknown): unknown;
  /** Tells whether a text shows a secret or a signature, and so must itself not be shown. */
  readonly hides: Leaks;
  /** The limit that a stop of this kind ran into, in ms. */
  limitOf(kind: StopKind): number;
}

export function interpret(route: Route, end: AttemptEnd, tools: InterpretTools): Interpretation {
  switch (end.kind) {
    case 'failure':
      return {
        verdict: classify({ stage: end.sent === 'no' ? 'not_sent' : 'lost' }),
        failure: (context) => connectionFailure(context, end.sent, tools.safe(end.cause)),
      };
    case 'stopped': {
      const { kind, reason } = end.stopped;
      const verdict = classify({ stage: end.sent === 'no' ? 'not_sent' : 'timed_out' });
      return {
        // Only an attempt that ran out of its own time may be tried again.
        verdict: { ...verdict, retry: verdict.retry && kind === 'attempt_timeout' },
        failure: (context) => stopFailure(context, { kind, reason, during: end.during }, tools.limitOf(kind)),
      };
    }
    case 'unread_body':
      return {
        verdict: classify({ stage: 'unread_body' }),
        failure: (context) => unreadBody(context, tools.safe(end.cause)),
      };
    case 'reply':
      return end.reply.status >= 200 && end.reply.status < 300
        ? interpretSuccess(route, end)
        : interpretError(route, end, tools);
  }
}

type Replied = Extract<AttemptEnd, { kind: 'reply' }>;

function interpretSuccess(route: Route, end: Replied): Interpretation {
  const { reply } = end;
  const found = successOf(route, end);
  const consistent = 'payload' in found;
  return {
    verdict: classify({ stage: 'replied', status: reply.status, consistent }),
    status: reply.status,
    ...(consistent && { payload: found.payload }),
    failure: (context) =>
      unexpectedReply(context, reply.status, 'why' in found ? found.why : 'it is no success'),
  };
}

function successOf(
  route: Route,
  { reply, binary, problem }: Replied,
): { payload: Payload } | { why: string } {
  if (problem !== undefined) return { why: problem };
  if (!route.success.includes(reply.status)) return { why: 'this status is no success of the operation' };
  if (binary !== undefined) {
    return {
      payload: {
        reply,
        value: binary,
        requestId: undefined,
        serverTime: undefined,
        replayed: false,
        odd: [],
      },
    };
  }
  if (route.envelope === 'raw') return rawSuccess(reply);
  if (reply.json === undefined) return { why: 'its body is not JSON' };
  const decoded = decode(route, reply.json);
  if (!decoded.ok) return { why: decoded.why };
  const { envelope } = decoded;
  const data = isObject(envelope['data']) ? envelope['data'] : {};
  if (route.effect === 'bid' && data['status'] !== 'accepted') {
    return { why: 'it is a success, yet data.status is not "accepted"' };
  }
  if (Array.isArray(envelope['errors']) && envelope['errors'].length > 0) {
    return { why: 'it is a success, yet it lists errors' };
  }
  return {
    payload: {
      reply,
      // A page is handed on whole: its items and its position belong together.
      value: route.envelope.endsWith('page') ? envelope : envelope['data'],
      // What else has one names the request of that record, not of this call (A05).
      requestId:
        text(envelope['request_id']) ?? (route.effect === 'bid' ? text(data['request_id']) : undefined),
      serverTime: text(envelope['server_time']) ?? text(envelope['timestamp']),
      replayed: data['replayed'] === true || reply.headers['idempotent-replayed'] === 'true',
      odd: decoded.odd,
    },
  };
}

/** Any JSON, or nothing at all: an operation that the SDK doesn't know is taken as it answers. */
function rawSuccess(reply: Reply): { payload: Payload } | { why: string } {
  if (reply.json === undefined && reply.empty !== true) return { why: 'its body is not JSON' };
  const body = isObject(reply.json) ? reply.json : {};
  return {
    payload: {
      reply,
      value: Object.hasOwn(body, 'data') ? body['data'] : reply.json,
      requestId: text(body['request_id']),
      serverTime: text(body['server_time']) ?? text(body['timestamp']),
      replayed: reply.headers['idempotent-replayed'] === 'true',
      odd: [],
    },
  };
}

function interpretError(route: Route, { reply, problem }: Replied, tools: InterpretTools): Interpretation {
  const { status, headers } = reply;
  const error = errorReply(reply.json, tools.hides);
  const recordedRejection = isRecordedRejection(error);
  const keyConflict = isIdempotencyConflict(route.effect, status, error);
  const evidence: Evidence = {
    stage: 'replied',
    effect: route.effect,
    status,
    codes: error.codes,
    keyConflict,
    rejectionCode: error.codes.some((code) => codeFacts(code)?.effect === 'rejected'),
    ownShape: isOwnWord(route, status, error),
    recordedRejection,
  };
  const wait = retryAfterMs(headers, tools.nowMs);
  const serverMs = serverTimeOf({ ...timeFields(reply.json), date: headerOf(headers, 'date') });
  const receipt = recordedRejection ? receiptOf(route, error.data, tools.hides) : undefined;
  const extras = {
    keyConflict,
    recordedRejection,
    documentedOnly: route.availability === 'documented',
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(receipt !== undefined && { receipt }),
  };
  return {
    verdict: classify(evidence),
    status,
    ...(serverMs !== undefined && { serverMs }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    failure: (context) => {
      if (status >= 400) return errorFailure(context, status, error, extras);
      const redirected = 'redirects are never followed, because a signature would go with them';
      return unexpectedReply(
        context,
        status,
        problem ?? (headers['location'] === undefined ? 'no final status' : redirected),
      );
    },
  };
}

/** Whether an error reply can be taken at its word: in one of the service's shapes, and not contradicting itself. */
function isOwnWord({ effect }: Route, status: number, error: ErrorReply): boolean {
  if (error.shape === 'foreign' || error.saysAccepted) return false;
  // The text has only invalid fields, or codes, under 422; a bare message there may be a gateway's.
  return !(effect === 'bid' && status === 422 && error.shape === 'message');
}

/** The record of a rejection; one that doesn't parse is left out, for the rejection stands all the same. */
function receiptOf(route: Route, data: unknown, hides: Leaks): RejectedBid | undefined {
  try {
    if (route.rejection === undefined || hides(JSON.stringify(data))) return undefined;
    const record = decodeRejection(route.rejection, data);
    return record === undefined ? undefined : (record as RejectedBid);
  } catch {
    // Nested beyond what a stack holds.
    return undefined;
  }
}

function timeFields(json: unknown): { readonly timestamp?: unknown } {
  return isObject(json) ? { timestamp: json['timestamp'] ?? json['server_time'] } : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
