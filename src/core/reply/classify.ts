import { checkReply, isObject } from '../../api/check.js';
import { codeFacts } from '../../api/codes.js';
import type { Effect, Route } from '../../api/operation.js';
import { httpDateMs, retryAfterMs } from '../../clock/parse-time.js';
import { cacheMark, statedTimeOf } from '../../clock/reply-time.js';
import type { Outcome } from '../../errors/base.js';
import type { RejectedBid } from '../../generated/bids.js';
import type { Clock, StatedTime } from '../../ports/clock.js';
import type { StopKind, Stopped } from '../../runtime/timers.js';
import type { CallLimits } from '../caller.js';
import { decode, headerOf, type Payload, type Replied, type Reply, type Unexpected } from './reply.js';

/** How one attempt ended. */
export type AttemptEnd =
  | Replied
  | { readonly kind: 'network'; readonly sent: 'no' | 'maybe'; readonly cause: unknown }
  /** The body could not be read to its end, so no whole request left. */
  | { readonly kind: 'body_unreadable'; readonly cause: unknown }
  | { readonly kind: 'stopped'; readonly sent: 'no' | 'maybe'; readonly stopped: Stopped }
  /** Something injected failed before a byte left. */
  | {
      readonly kind: 'injected';
      readonly option: string;
      readonly problem: string;
      readonly cause?: unknown;
    };

/** What one attempt proves, and whether another may follow. */
export interface Verdict {
  /** `done`, or what is known about this attempt's effect. */
  readonly effect: Outcome | 'done';
  readonly retry: boolean;
  /** A 4xx in the service's JSON without a documented code: possibly a gateway's. */
  readonly uncoded?: boolean;
  /** What must be corrected before another attempt makes sense. */
  readonly remedy?: Remedy;
}

/** The server clock, or the key. Each is corrected at most once per call. */
export type Remedy = 'clock' | 'key';

/** One attempt, classified: everything that the loop, the journal, the log and the error need. */
export interface AttemptResult extends Verdict {
  readonly end: AttemptEnd;
  /** What happened, in a few words. */
  readonly reason: string;
  /** Of a success. */
  readonly payload?: Payload;
  /** Why a 2xx or 3xx cannot be used. */
  readonly unexpected?: Unexpected;
  /** Of an error reply. */
  readonly error?: ErrorReply;
  readonly keyConflict?: boolean;
  /** A 409 on a bid without a code. */
  readonly bare409?: boolean;
  /** The record of a rejected bid; absent where it does not parse. */
  readonly rejection?: RejectedBid;
  readonly recordedRejection?: boolean;
  /** HTTP status, where a reply came. */
  readonly status?: number;
  /** How long the service asks to wait, in ms. */
  readonly retryAfterMs?: number;
  /** Server time as the reply states it. */
  readonly stated?: StatedTime;
  /** Why the reply counts as a copy from a cache, such as `age: 240`; absent for a fresh reply. */
  readonly cached?: string;
  /** How far server time is ahead of the local clock by this reply, in ms; of error replies. */
  readonly clockOffMs?: number;
}

const IN_DOUBT: Verdict = { effect: 'unknown', retry: false };
const IN_DOUBT_AGAIN: Verdict = { effect: 'unknown', retry: true };
const REFUSED: Verdict = { effect: 'refused', retry: false };
const NOT_SENT: Verdict = { effect: 'not_sent', retry: false };

/** An error reply, and what the rules below ask of it. A reply that contradicts itself is `foreign`. */
interface Evidence extends ErrorReply {
  readonly effect: Effect;
  readonly status: number;
  readonly keyConflict: boolean;
  /** All documented codes exclude, under this status, that anything was recorded. */
  readonly refusalCode: boolean;
  /** A code under which bids are judged and their rejection recorded. */
  readonly rejectionCode: boolean;
  readonly recordedRejection: boolean;
  readonly isCached: boolean;
}

/** Statuses of a refusal by the service, or by a gateway after the service took the request. */
const accessStatuses = [400, 401, 402, 403, 404, 405, 413];

/**
 * What an error reply proves: the first rule that applies decides. An effect is never reported as failed unless the
 * service states it; everything else stays in doubt. `intents/fold.ts` decides what all attempts together mean.
 */
const rules: readonly (readonly [
  when: (reply: Evidence) => boolean,
  verdict: (reply: Evidence) => Verdict,
])[] = [
  // Another copy of this attempt may have been accepted.
  [({ codes }) => codes.includes('NONCE_REPLAYED'), () => IN_DOUBT_AGAIN],
  [({ keyConflict }) => keyConflict, () => IN_DOUBT],
  [({ status }) => status === 429 || (status >= 500 && status < 600), () => IN_DOUBT_AGAIN],
  [({ status }) => status < 400 || status >= 500 || status === 408 || status === 425, () => IN_DOUBT],
  [({ shape }) => shape === 'foreign', () => IN_DOUBT],
  // It may answer another request.
  [({ effect, isCached }) => effect !== 'read' && isCached, () => IN_DOUBT],
  // A doubled copy that arrives late is answered with this, too.
  [
    ({ status, codes }) => status === 401 && codes.includes('TIMESTAMP_EXPIRED'),
    ({ effect }) => ({ effect: effect === 'read' ? 'refused' : 'unknown', retry: true, remedy: 'clock' }),
  ],
  [
    ({ status, codes }) => status === 401 && codes.includes('KEY_REVOKED'),
    () => ({ effect: 'refused', retry: true, remedy: 'key' }),
  ],
  [({ effect }) => effect === 'read', () => REFUSED],
  [
    ({ recordedRejection }) => recordedRejection,
    ({ status }) => (status === 422 ? { effect: 'rejected', retry: false } : IN_DOUBT),
  ],
  [({ status, shape }) => status === 422 && shape === 'framework', () => REFUSED],
  [({ effect, refusalCode }) => effect === 'bid' && refusalCode, () => REFUSED],
  [({ effect, shape }) => effect === 'command' && shape === 'application', () => REFUSED],
  // A gateway may have answered after the service took the bid: one lookup decides.
  [
    ({ effect, status, rejectionCode }) =>
      effect === 'bid' && (accessStatuses.includes(status) || (status === 422 && rejectionCode)),
    () => ({ ...IN_DOUBT, uncoded: true }),
  ],
  // No lookup exists for a command: a message without a code is believed once it is repeated.
  [
    ({ effect, status }) =>
      effect === 'command' && status !== 400 && [...accessStatuses, 409, 422].includes(status),
    () => ({ ...IN_DOUBT_AGAIN, uncoded: true }),
  ],
];

/** What a verdict depends on besides how the attempt ended. */
interface Classified {
  readonly call: { readonly route: Route };
  readonly limits: Pick<CallLimits, 'timeout' | 'deadline'>;
  readonly parts: { readonly clock: Pick<Clock, 'now'> };
}

/** Classifies one attempt. */
export function classify({ call: { route }, limits, parts }: Classified, end: AttemptEnd): AttemptResult {
  switch (end.kind) {
    case 'network':
      return {
        ...(end.sent === 'no' ? { ...NOT_SENT, retry: !isTlsFailure(end.cause) } : IN_DOUBT_AGAIN),
        end,
        reason: `connection: ${describeCause(end.cause)}`,
      };
    case 'body_unreadable':
      return { ...NOT_SENT, end, reason: `body: ${describeCause(end.cause)}` };
    case 'injected':
      return { ...NOT_SENT, end, reason: end.problem };
    case 'stopped': {
      const { kind } = end.stopped;
      // Only an attempt that used up its own time may be followed by another.
      const retry = kind === 'attempt_timeout';
      return {
        effect: end.sent === 'no' ? 'not_sent' : 'unknown',
        retry,
        end,
        reason: stopReasons[kind] ?? `no reply within ${limitOf(limits, kind)} ms`,
      };
    }
    case 'reply': {
      const { status, json, headers } = end.reply;
      const timestamp = isObject(json) ? (json['server_time'] ?? json['timestamp']) : undefined;
      const nowMs = parts.clock.now();
      const stated = statedTimeOf({ timestamp, headers }, nowMs);
      const cached = cacheMark(headers);
      const timed = { ...(stated !== undefined && { stated }), ...(cached !== undefined && { cached }) };
      if (status >= 400) return classifyError(route, end, timed, nowMs);
      const found =
        status < 200 || status >= 300
          ? redirectOf(headers)
          : (end.unread ?? cachedWrite(route, cached) ?? decode(route, end.reply, end.binary));
      const facts = {
        end,
        status,
        reason: `HTTP ${status}${cached === undefined ? '' : `, ${cached}`}`,
        ...timed,
      };
      return 'why' in found
        ? { ...IN_DOUBT, ...facts, unexpected: found }
        : { effect: 'done', retry: false, ...facts, payload: found };
    }
  }
}

/** The limit that a stop of this kind ran into, in ms. */
export function limitOf(
  { deadline, timeout }: Pick<CallLimits, 'timeout' | 'deadline'>,
  kind: StopKind,
): number {
  return kind === 'deadline' ? deadline : timeout;
}

const stopReasons: Readonly<Partial<Record<StopKind, string>>> = {
  aborted: 'aborted',
  too_late: 'the time until which it may be sent has passed',
};

function redirectOf(headers: Reply['headers']): Unexpected {
  return headers['location'] === undefined
    ? { reason: 'status', why: 'the status is not final' }
    : { reason: 'redirect', why: 'redirects are never followed, because a signature would go with them' };
}

/** Caches must not answer writes. A copy may answer another request, so it proves nothing. */
function cachedWrite({ effect }: Route, cached: string | undefined): Unexpected | undefined {
  if (effect === 'read' || cached === undefined) return undefined;
  return {
    reason: 'other_request',
    why: `a cache answered (${cached}), possibly with the reply to another request`,
  };
}

function classifyError(
  route: Route,
  end: Replied,
  timed: Pick<AttemptResult, 'stated' | 'cached'>,
  nowMs: number,
): AttemptResult {
  const { stated, cached } = timed;
  const { reply } = end;
  const { effect } = route;
  const { status, headers } = reply;
  const error = errorReply(reply.json);
  const { codes } = error;
  const keyConflict = isIdempotencyConflict(effect, status, error);
  // Only bids are judged: elsewhere `rejected` is a state like any other (a transfer's, for example).
  const recordedRejection = effect === 'bid' && isObject(error.data) && error.data['status'] === 'rejected';
  const facts = codes.map(codeFacts).filter((known) => known !== undefined);
  const evidence: Evidence = {
    ...error,
    shape: isConsistent(effect, error) ? error.shape : 'foreign',
    effect,
    status,
    keyConflict,
    refusalCode:
      facts.length > 0 &&
      facts.every((known) => known.effect === 'refused' && known.statuses.includes(status)),
    rejectionCode: facts.some((known) => known.effect === 'rejected'),
    recordedRejection,
    isCached: cached !== undefined,
  };
  const [, verdict] = rules.find(([when]) => when(evidence)) ?? [undefined, () => IN_DOUBT];
  const rejection = recordedRejection ? rejectionOf(route, error.data) : undefined;
  const date = headerOf(headers, 'date');
  const servedMs = (date === undefined ? undefined : httpDateMs(date, nowMs)) ?? stated?.serverMs ?? nowMs;
  const wait = retryAfterMs(headerOf(headers, 'retry-after'), servedMs);
  return {
    ...verdict(evidence),
    end,
    status,
    reason: `HTTP ${status}${namedBy(error)}${cached === undefined ? '' : `, ${cached}`}`,
    error,
    keyConflict,
    bare409:
      effect === 'bid' && status === 409 && error.shape !== 'foreign' && codes.length === 0 && !keyConflict,
    recordedRejection,
    ...(rejection !== undefined && { rejection }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...timed,
    ...(stated !== undefined && cached === undefined && { clockOffMs: stated.serverMs - nowMs }),
  };
}

/** Whether an error reply does not contradict itself. */
function isConsistent(effect: Effect, error: ErrorReply): boolean {
  if (error.saysAccepted) return false;
  // Under a refusal `data` is null, under a rejection its record: any other may belong to a bid that was accepted.
  return effect !== 'bid' || !isObject(error.data) || error.data['status'] === 'rejected';
}

/** The record in the reply of a rejected bid, checked like a success; undefined where it is none. */
function rejectionOf({ rejection }: Route, data: unknown): RejectedBid | undefined {
  if (rejection === undefined) return undefined;
  try {
    const { value, issues } = checkReply(rejection, data);
    const isRecord = isObject(value) && issues.every(({ tolerable }) => tolerable);
    const record: object | undefined = isRecord ? value : undefined;
    // The schema that checks it is the one that the type is generated from.
    return record as RejectedBid | undefined;
  } catch {
    // Nested deeper than the stack allows.
    return undefined;
  }
}

const NAMED_CAP = 200;

/** What an error reply names: its codes; its fields or message where it has none. */
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

/** A cause's message, or its code where the message is empty (several addresses were tried at once). */
export function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return 'no reason given';
  if (cause.message !== '') return cause.message.replace(/\s+/g, ' ').trim();
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}

/** Whether a connection failed over TLS: trying again cannot help. */
export function isTlsFailure(cause: unknown): boolean {
  const code = codeOf(cause);
  return /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|ERROR_IN_CERT_|INVALID_CA|EPROTO)/.test(
    code,
  );
}

/** The error code of a failure, or of its cause; empty where there is none. */
export function codeOf(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null) return '';
  const code: unknown = Reflect.get(cause, 'code');
  if (typeof code === 'string' && code !== '') return code;
  const inner: unknown = Reflect.get(cause, 'cause');
  return inner === cause ? '' : codeOf(inner);
}

/** An error reply of the service, in whichever of its three shapes it came (Errors, Shapes). */
export interface ErrorReply {
  /** `foreign`: none of the three, so perhaps not the service at all. */
  readonly shape: 'application' | 'framework' | 'message' | 'foreign';
  readonly message: string | undefined;
  /** Every code, the first reason first. */
  readonly codes: readonly string[];
  readonly fieldErrors: Readonly<Record<string, readonly string[]>>;
  readonly requestId: string | undefined;
  /** The bid record of a recorded rejection; null or undefined otherwise. */
  readonly data: unknown;
  /** True where an error status comes with words of success: it contradicts itself. */
  readonly saysAccepted: boolean;
}

/** Reads an error out of a reply's JSON. */
function errorReply(json: unknown): ErrorReply {
  const { success, code, message, errors, data, request_id } = isObject(json) ? json : {};
  const status = isObject(data) ? data['status'] : undefined;
  const text = textOf(message);
  const isApplication = typeof code === 'string' || success === false || status === 'rejected';
  const fields = !isApplication && text !== undefined && isObject(errors) ? errors : undefined;
  const shape = fields === undefined ? (text === undefined ? 'foreign' : 'message') : 'framework';
  return {
    shape: isApplication ? 'application' : shape,
    message: text,
    codes: isApplication ? codesIn(code, errors) : [],
    fieldErrors: fields === undefined ? {} : messagesByField(fields),
    requestId: isApplication ? textOf(request_id) : undefined,
    data: isApplication ? data : undefined,
    saysAccepted: success === true || code === 'BID_ACCEPTED' || status === 'accepted',
  };
}

function codesIn(code: unknown, errors: unknown): readonly string[] {
  const first = textOf(code);
  const listed = textsIn(errors);
  return [...new Set(first === undefined || listed.includes(first) ? listed : [first, ...listed])];
}

/** The texts of a list, or none. */
function textsIn(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list
    .slice(0, LIST_CAP)
    .map(textOf)
    .filter((text) => text !== undefined);
}

/**
 * True where the key is stored for other content. The text lets that arrive as a message, whose words it does not
 * show (unknowns: `idempotency-conflict-message`): one that names idempotency is taken for it.
 */
function isIdempotencyConflict(effect: Effect, status: number, error: ErrorReply): boolean {
  if (error.codes.includes('IDEMPOTENCY_CONFLICT')) return true;
  if (status !== 409 || error.codes.length > 0 || error.shape === 'foreign') return false;
  return effect !== 'read' && /idempoten/i.test(error.message ?? '');
}

function messagesByField(errors: Readonly<Record<string, unknown>>): Record<string, readonly string[]> {
  const fields = Object.entries(errors).slice(0, LIST_CAP);
  return Object.fromEntries(
    fields.map(([field, said]) => [textOf(field) ?? '', textsIn(Array.isArray(said) ? said : [said])]),
  );
}

const TEXT_CAP = 500;

/** More codes, fields or messages than any reply of the service has; the rest of a hostile one is not read. */
const LIST_CAP = 100;

/** Text of the service, bounded and on one line. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = value.slice(0, TEXT_CAP).replace(/\p{Cc}+/gu, ' ');
  return value.length > TEXT_CAP ? `${line}…` : line;
}
