import { codeFacts } from '../api/codes.js';
import type { Route } from '../api/operation.js';
import { serverTimeOf } from '../clock/reply-time.js';
import type { RejectedBid } from '../models/bids.js';
import type { AttemptEnd } from './attempt.js';
import { retryAfterMs } from './backoff.js';
import { classify, type Evidence, type Verdict } from './classify.js';
import type { FailureContext } from './context.js';
import { decodeRejection } from './decode.js';
import { connectionFailure, stopFailure, unreadBody } from './failure.js';
import type { Leaks } from './redact.js';
import {
  type ErrorReply,
  errorReply,
  headerOf,
  isIdempotencyConflict,
  isObject,
  isRecordedRejection,
} from './reply.js';
import { errorFailure, unexpectedReply } from './reply-failure.js';
import type { StopKind } from './stop.js';
import { type Payload, type Replied, successOf } from './success.js';
import { describeCause } from './wording.js';

/** What an attempt comes to: its verdict, the payload of a success, or the error to throw if it stays the last. */
export interface Interpretation {
  readonly verdict: Verdict;
  /** What happened, in a few words for a log line. */
  readonly reason: string;
  readonly payload?: Payload;
  /** HTTP status, where a reply came. */
  readonly status?: number;
  /** What an error reply says beside its status. */
  readonly said?: {
    readonly codes: readonly string[];
    readonly keyConflict: boolean;
    readonly requestId?: string | undefined;
    readonly rejection?: RejectedBid;
  };
  /** How long the service asks to wait, in ms. */
  readonly retryAfterMs?: number;
  /** Server time as an error reply states it, Unix ms. */
  readonly serverMs?: number;
  failure(context: FailureContext): Error;
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

const stopReasons: Readonly<Partial<Record<StopKind, string>>> = {
  aborted: 'aborted',
  too_late: 'the time until which it may be sent has passed',
};

export function interpret(route: Route, end: AttemptEnd, tools: InterpretTools): Interpretation {
  switch (end.kind) {
    case 'failure':
      return {
        verdict: classify({ stage: end.sent === 'no' ? 'not_sent' : 'lost' }),
        reason: `connection: ${reasonOf(tools.safe(end.cause))}`,
        failure: (context) => connectionFailure(context, end.sent, tools.safe(end.cause)),
      };
    case 'stopped': {
      const { kind, reason } = end.stopped;
      const verdict = classify({ stage: end.sent === 'no' ? 'not_sent' : 'timed_out' });
      return {
        // Only an attempt that ran out of its own time may be tried again.
        verdict: { ...verdict, retry: verdict.retry && kind === 'attempt_timeout' },
        reason: stopReasons[kind] ?? `no reply within ${tools.limitOf(kind)} ms`,
        failure: (context) => stopFailure(context, { kind, reason, during: end.during }, tools.limitOf(kind)),
      };
    }
    case 'unread_body':
      return {
        verdict: classify({ stage: 'unread_body' }),
        reason: `body: ${reasonOf(tools.safe(end.cause))}`,
        failure: (context) => unreadBody(context, tools.safe(end.cause)),
      };
    case 'reply':
      return end.reply.status >= 200 && end.reply.status < 300
        ? interpretSuccess(route, end, tools)
        : interpretError(route, end, tools);
  }
}

/** What to do about JSON that has another form than the API text gives it. */
const DIFFERS =
  'Tell the bank what differs, with the request id; check the base URL if the reply looks like another service.';

function interpretSuccess(route: Route, end: Replied, tools: InterpretTools): Interpretation {
  const { reply } = end;
  const found = successOf(route, end);
  const consistent = 'payload' in found;
  return {
    verdict: classify({ stage: 'replied', status: reply.status, consistent }),
    reason: `HTTP ${reply.status}`,
    status: reply.status,
    ...(consistent && { payload: found.payload }),
    failure: (context) => {
      const said = 'why' in found ? found.why : 'it is no success';
      const why = tools.hides(said) ? 'a field of it is not as described' : said;
      return unexpectedReply(context, reply.status, why, isObject(reply.json) ? DIFFERS : undefined);
    },
  };
}

function interpretError(route: Route, { reply, problem }: Replied, tools: InterpretTools): Interpretation {
  const { status, headers } = reply;
  const error = errorReply(reply.json, tools.hides);
  // Only bids are judged: elsewhere `rejected` is a state like any other (a transfer's, say).
  const isBid = route.effect === 'bid';
  const recordedRejection = isBid && isRecordedRejection(error);
  const keyConflict = isIdempotencyConflict(route.effect, status, error);
  const evidence: Evidence = {
    stage: 'replied',
    effect: route.effect,
    status,
    codes: error.codes,
    keyConflict,
    rejectionCode: isBid && error.codes.some((code) => codeFacts(code)?.effect === 'rejected'),
    unjudged: isBid && isUnjudged(status, error),
    ownShape: isOwnWord(route, error),
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
    reason: `HTTP ${status}${status < 400 ? '' : namedBy(error)}`,
    status,
    said: {
      codes: error.codes,
      keyConflict,
      requestId: error.requestId,
      ...(receipt !== undefined && { rejection: receipt }),
    },
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

const NAMED_CAP = 200;

/** What the service names: its codes; fields or a message where it gives none. */
function namedBy({ shape, codes, fieldErrors, message }: ErrorReply): string {
  if (codes.length > 0) return ` ${codes.slice(0, 3).join(' ')}`;
  if (shape === 'foreign') return ", not in the service's own JSON";
  const fields = Object.entries(fieldErrors).map(
    ([field, said]) => `${field}: ${said.join(' ').replace(/\.$/, '')}`,
  );
  const text = (fields.length > 0 ? fields.join('; ') : (message ?? '')).replace(/\s+/g, ' ').trim();
  if (text === '') return '';
  return `: ${text.length > NAMED_CAP ? `${text.slice(0, NAMED_CAP)}…` : text.replace(/\.$/, '')}`;
}

/** Whether an error reply can be taken at its word: in one of the service's shapes, and not contradicting itself. */
function isOwnWord({ effect }: Route, error: ErrorReply): boolean {
  if (error.shape === 'foreign' || error.saysAccepted) return false;
  // Under a refusal `data` is null, and under a rejection the record of it: any other may be of a bid that stands.
  return effect !== 'bid' || !isObject(error.data) || error.data['status'] === 'rejected';
}

/** Whether it names fields, or nothing but codes that the text lists as refusals under this status. */
function isUnjudged(status: number, { shape, codes }: ErrorReply): boolean {
  const isRefusal = (code: string) => {
    const facts = codeFacts(code);
    return facts?.effect === 'refused' && facts.statuses.includes(status);
  };
  return shape === 'framework' || (codes.length > 0 && codes.every(isRefusal));
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

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? describeCause(cause) : 'no reason given';
}

function timeFields(json: unknown): { readonly timestamp?: unknown } {
  return isObject(json) ? { timestamp: json['timestamp'] ?? json['server_time'] } : {};
}
