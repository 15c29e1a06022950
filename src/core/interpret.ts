import { codeFacts } from '../api/codes.js';
import type { Operation } from '../api/operation.js';
import type { RejectedBid } from '../models/bids.js';
import type { AttemptEnd } from './attempt.js';
import { retryAfterMs } from './backoff.js';
import { classify, type Evidence, type Verdict } from './classify.js';
import { decode } from './decode.js';
import {
  connectionFailure,
  errorFailure,
  type FailureContext,
  stopFailure,
  unexpectedReply,
} from './failure.js';
import type { Leaks } from './redact.js';
import {
  type ErrorReply,
  errorReply,
  isIdempotencyConflict,
  isObject,
  isRecordedRejection,
  type Reply,
} from './reply.js';
import type { StopKind } from './stop.js';

/** What an attempt comes to: its verdict, the payload of a success, or the error to throw if it stays the last. */
export interface Interpretation {
  readonly verdict: Verdict;
  readonly payload?: Payload;
  /** How long the service asks to wait, in ms. */
  readonly retryAfterMs?: number;
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

export function interpret(operation: Operation, end: AttemptEnd, tools: InterpretTools): Interpretation {
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
        failure: (context) => stopFailure(context, kind, reason, tools.limitOf(kind)),
      };
    }
    case 'reply':
      return end.reply.status >= 200 && end.reply.status < 300
        ? interpretSuccess(operation, end)
        : interpretError(operation, end, tools);
  }
}

type Replied = Extract<AttemptEnd, { kind: 'reply' }>;

function interpretSuccess(operation: Operation, end: Replied): Interpretation {
  const { reply } = end;
  const found = successOf(operation, end);
  const consistent = 'payload' in found;
  return {
    verdict: classify({ stage: 'replied', status: reply.status, consistent }),
    ...(consistent && { payload: found.payload }),
    failure: (context) =>
      unexpectedReply(context, reply.status, 'why' in found ? found.why : 'it is no success'),
  };
}

function successOf(
  operation: Operation,
  { reply, binary, problem }: Replied,
): { payload: Payload } | { why: string } {
  if (problem !== undefined) return { why: problem };
  if (!operation.success.includes(reply.status)) return { why: 'this status is no success of the operation' };
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
  if (reply.json === undefined) return { why: 'its body is not JSON' };
  const decoded = decode(operation, reply.json);
  if (!decoded.ok) return { why: decoded.why };
  const { envelope } = decoded;
  const data = isObject(envelope['data']) ? envelope['data'] : {};
  if (operation.effect === 'bid' && data['status'] !== 'accepted') {
    return { why: 'it is a success, yet data.status is not "accepted"' };
  }
  if (Array.isArray(envelope['errors']) && envelope['errors'].length > 0) {
    return { why: 'it is a success, yet it lists errors' };
  }
  return {
    payload: {
      reply,
      // A page is handed on whole: its items and its position belong together.
      value: operation.envelope.endsWith('page') ? envelope : envelope['data'],
      requestId: text(envelope['request_id']) ?? text(data['request_id']),
      serverTime: text(envelope['server_time']) ?? text(envelope['timestamp']),
      replayed: data['replayed'] === true || reply.headers['idempotent-replayed'] === 'true',
      odd: decoded.odd,
    },
  };
}

function interpretError(
  operation: Operation,
  { reply, problem }: Replied,
  tools: InterpretTools,
): Interpretation {
  const { status, headers } = reply;
  const error = errorReply(reply.json, tools.hides);
  const recordedRejection = isRecordedRejection(error);
  const keyConflict = isIdempotencyConflict(operation.effect, status, error);
  const evidence: Evidence = {
    stage: 'replied',
    effect: operation.effect,
    status,
    codes: error.codes,
    keyConflict,
    rejectionCode: error.codes.some((code) => codeFacts(code)?.effect === 'rejected'),
    ownShape: isOwnWord(operation, status, error),
    recordedRejection,
  };
  const wait = retryAfterMs(headers, tools.nowMs);
  const receipt = recordedRejection ? receiptOf(operation, error.data, tools.hides) : undefined;
  const extras = {
    keyConflict,
    recordedRejection,
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(receipt !== undefined && { receipt }),
  };
  return {
    verdict: classify(evidence),
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
function isOwnWord({ effect }: Operation, status: number, error: ErrorReply): boolean {
  if (error.shape === 'foreign' || error.saysAccepted) return false;
  // The text has only invalid fields, or codes, under 422; a bare message there may be a gateway's.
  return !(effect === 'bid' && status === 422 && error.shape === 'message');
}

/** The record of a rejection; one that doesn't parse is left out, for the rejection stands all the same. */
function receiptOf({ rejection }: Operation, data: unknown, hides: Leaks): RejectedBid | undefined {
  try {
    if (rejection === undefined || hides(JSON.stringify(data))) return undefined;
    return rejection.safeParse(data).success ? (data as RejectedBid) : undefined;
  } catch {
    // Nested beyond what a stack holds.
    return undefined;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
