import { codeFacts } from '../api/codes.js';
import type { Route } from '../api/operation.js';
import { type StatedTime, serverTimeOf } from '../clock/reply-time.js';
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
  type Reply,
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
  /** Present where this side stopped it. */
  readonly stop?: StopKind;
  /** HTTP status, where a reply came. */
  readonly status?: number;
  /** What an error reply says beside its status. */
  readonly said?: {
    readonly codes: readonly string[];
    readonly keyConflict: boolean;
    /** A 409 that doesn't name a reason. */
    readonly bare409: boolean;
    readonly requestId?: string | undefined;
    readonly rejection?: RejectedBid;
  };
  /** How long the service asks to wait, in ms. */
  readonly retryAfterMs?: number;
  /** Server time as the reply states it. */
  readonly stated?: StatedTime;
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
        verdict: classify({ ...noReply, stage: end.sent === 'no' ? 'not_sent' : 'lost' }),
        reason: `connection: ${reasonOf(tools.safe(end.cause))}`,
        failure: (context) => connectionFailure(context, end.sent, tools.safe(end.cause)),
      };
    case 'stopped': {
      const { kind, reason } = end.stopped;
      const verdict = classify({ ...noReply, stage: end.sent === 'no' ? 'not_sent' : 'timed_out' });
      return {
        // Only an attempt that ran out of its own time may be tried again.
        verdict: { ...verdict, retry: verdict.retry && kind === 'attempt_timeout' },
        stop: kind,
        reason: stopReasons[kind] ?? `no reply within ${tools.limitOf(kind)} ms`,
        failure: (context) => stopFailure(context, { kind, reason, during: end.during }, tools.limitOf(kind)),
      };
    }
    case 'unread_body':
      return {
        verdict: classify({ ...noReply, stage: 'unread_body' }),
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
    verdict: classify({ ...noReply, stage: 'replied', status: reply.status, consistent }),
    reason: `HTTP ${reply.status}`,
    status: reply.status,
    ...statedTime(reply),
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
  const isUnnamed = error.shape !== 'foreign' && error.codes.length === 0;
  const bare409 = isBid && status === 409 && isUnnamed && !keyConflict;
  const evidence: Evidence = {
    stage: 'replied',
    effect: route.effect,
    status,
    codes: error.codes,
    keyConflict,
    rejectionCode: error.codes.some((code) => codeFacts(code)?.effect === 'rejected'),
    refusalCode: isRefusal(status, error),
    shape: isOwnWord(route, error) ? error.shape : 'foreign',
    recordedRejection,
    consistent: false,
  };
  const wait = retryAfterMs(headers, tools.nowMs);
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
      bare409,
      requestId: error.requestId,
      ...(receipt !== undefined && { rejection: receipt }),
    },
    ...statedTime(reply),
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

/** Whether it has documented codes, and all of them exclude under this status that anything was recorded. */
function isRefusal(status: number, { codes }: ErrorReply): boolean {
  const known = codes.map(codeFacts).filter((facts) => facts !== undefined);
  return (
    known.length > 0 &&
    known.every(({ effect, statuses }) => effect === 'refused' && statuses.includes(status))
  );
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

function statedTime({ json, headers }: Reply): { readonly stated?: StatedTime } {
  const timestamp = isObject(json) ? (json['server_time'] ?? json['timestamp']) : undefined;
  const stated = serverTimeOf({ timestamp, date: headerOf(headers, 'date') });
  return stated === undefined ? {} : { stated };
}

const noReply: Evidence = {
  stage: 'lost',
  effect: 'read',
  status: 0,
  codes: [],
  keyConflict: false,
  rejectionCode: false,
  refusalCode: false,
  shape: 'foreign',
  recordedRejection: false,
  consistent: false,
};
