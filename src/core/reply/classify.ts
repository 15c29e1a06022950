import { isObject } from '../../api/check.js';
import { codeFacts } from '../../api/codes.js';
import { limits } from '../../api/formats.js';
import type { Effect, Envelope, Route } from '../../api/operation.js';
import { httpDateMs, retryAfterMs } from '../../clock/reply-time.js';
import { firstWords } from '../../errors/text.js';
import { isError } from '../../errors/thrown.js';
import type { Clock } from '../../ports/clock.js';
import type { StopKind, Stopped } from '../../runtime/timers.js';
import type { CallLimits } from '../caller.js';
import { type Redact, redactRecord } from '../redact.js';
import type { ConnectionFacts } from './connection.js';
import { quotedWords } from './page.js';
import { type ErrorReply, headerOf, type Replied } from './reply.js';

/** How an attempt ended on the wire: a whole reply, or why there is none. It stays in this process. */
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

/** What an attempt proves about its effect. */
export type AttemptEffect =
  /** The service accepted the bid, or carried the command out. */
  | 'done'
  /** The service judged the bid and recorded its rejection. */
  | 'rejected'
  /** Refused with a documented code or field errors: nothing was recorded. */
  | 'refused'
  /** A 4xx without a documented code: perhaps a gateway's. */
  | 'uncoded'
  | 'not_sent'
  | 'unknown';

/**
 * The result of one attempt: plain, redacted data. `classify` makes it, the log of an intent holds it unchanged, and
 * `fold` and `mayBeSentAgain` read it. To add a fact of a reply, add it here.
 */
export interface AttemptResult {
  readonly effect: AttemptEffect;
  /** A few words, such as `HTTP 403 IP_NOT_ALLOWED`. */
  readonly why: string;
  /** The same bytes may be sent again without asking the service first. */
  readonly retry?: boolean;
  /** What must be corrected before another attempt makes sense. */
  readonly correction?: Correction;
  /** The client stopped the attempt: it was aborted or its time was over. */
  readonly stop?: 'aborted' | 'deadline';
  /** Why no connection was made. */
  readonly connection?: ConnectionFacts;
  /** HTTP status. */
  readonly status?: number;
  /** Wait that the service asks for, ms. */
  readonly retryAfter?: number;
  readonly codes?: readonly string[];
  /** The service's id of the request. */
  readonly requestId?: string;
  readonly bidId?: string;
  /** The service answered from its record of the key. */
  readonly replayed?: boolean;
  /** The service holds other content under the key. */
  readonly keyConflict?: boolean;
  /** A 409 on a bid without a code, which may be such a conflict. */
  readonly bare409?: boolean;
  /** A refusal of a command that is not in the service's own JSON: a page, or nothing. */
  readonly foreign?: boolean;
  /** A refusal of a command that names the version of its record. */
  readonly namesVersion?: boolean;
  /** Lead of server time over the local clock, ms, if that is why the service refused. */
  readonly clockOffset?: number;
  /** The service refused a timestamp as expired that was current when it left: it was changed or removed on the way. */
  readonly timestampLost?: boolean;
  /** Why the reply counts as a copy from a cache, such as `age: 240`; absent for a fresh reply. */
  readonly cached?: string;
  /** The record that the service returned. */
  readonly record?: object;
}

/** The server clock, or the key. Each is corrected at most once per call. */
export type Correction = 'clock' | 'key';

/** The part of a result that the rules below decide. */
type Proof = Pick<AttemptResult, 'effect' | 'retry' | 'correction'>;

export const IN_DOUBT: Proof = { effect: 'unknown' };
export const IN_DOUBT_AGAIN: Proof = { effect: 'unknown', retry: true };
const REFUSED: Proof = { effect: 'refused' };
export const NOT_SENT: Proof = { effect: 'not_sent' };

/** An error reply with the facts that the rules below need. A reply that contradicts itself is `foreign`. */
interface Evidence extends ErrorReply {
  readonly effect: Effect;
  readonly status: number;
  readonly keyConflict: boolean;
  /** True if all documented codes exclude, under this status, that anything was recorded. */
  readonly refusalCode: boolean;
  /** True for a code with which bids are judged and their rejection recorded. */
  readonly rejectionCode: boolean;
  readonly isCached: boolean;
  readonly contradicts: boolean;
}

/** Statuses of a refusal by the service, or by a gateway after the service took the request. */
const accessStatuses = [400, 401, 402, 403, 404, 405, 413];

/**
 * Rules for what an error reply proves; the first one that applies decides. An effect is never reported as failed
 * unless the service states it; everything else stays in doubt. `intents/fold.ts` decides what all attempts together
 * mean.
 */
const rules: readonly (readonly [when: (reply: Evidence) => boolean, proof: (reply: Evidence) => Proof])[] = [
  // Another copy of this attempt may have been accepted.
  [({ codes }) => codes.includes('NONCE_REPLAYED'), () => IN_DOUBT_AGAIN],
  [({ keyConflict }) => keyConflict, () => IN_DOUBT],
  [({ status }) => status === 429 || (status >= 500 && status < 600), () => IN_DOUBT_AGAIN],
  [({ status }) => status < 400 || status >= 500 || status === 408 || status === 425, () => IN_DOUBT],
  // It may answer another request.
  [({ effect, isCached }) => effect !== 'read' && isCached, () => IN_DOUBT],
  [({ effect, shape, contradicts }) => effect === 'command' && shape === 'foreign' && !contradicts, uncoded],
  [({ shape }) => shape === 'foreign', () => IN_DOUBT],
  // A doubled copy that arrives late gets this reply, too.
  [
    ({ status, codes }) => status === 401 && codes.includes('TIMESTAMP_EXPIRED'),
    ({ effect }) => ({ effect: effect === 'read' ? 'refused' : 'unknown', retry: true, correction: 'clock' }),
  ],
  [
    ({ status, codes }) => status === 401 && codes.includes('KEY_REVOKED'),
    () => ({ effect: 'refused', retry: true, correction: 'key' }),
  ],
  [({ effect }) => effect === 'read', () => REFUSED],
  [
    ({ saysRejected }) => saysRejected,
    ({ status }) => (status === 422 ? { effect: 'rejected', retry: false } : IN_DOUBT),
  ],
  [({ status, shape }) => status === 422 && shape === 'framework', () => REFUSED],
  [({ effect, refusalCode }) => effect === 'bid' && refusalCode, () => REFUSED],
  [({ effect, shape }) => effect === 'command' && shape === 'application', () => REFUSED],
  // A gateway may have answered after the service took the bid: one lookup decides.
  [
    ({ effect, status, rejectionCode }) =>
      effect === 'bid' && (accessStatuses.includes(status) || (status === 422 && rejectionCode)),
    () => ({ effect: 'uncoded' }),
  ],
  [({ effect }) => effect === 'command', uncoded],
];

/**
 * A command that was refused without a code: `fold` decides what it means. A body that is too large is not sent twice.
 */
function uncoded({ status }: Evidence): Proof {
  return status === 413 ? { effect: 'uncoded' } : { effect: 'uncoded', retry: true };
}

/** The call that an attempt belongs to. */
export interface ClassifiedCall {
  readonly call: { readonly route: Route; readonly origin: string };
  readonly limits: Pick<CallLimits, 'timeout' | 'deadline'>;
  /** `X-Timestamp` of the attempt, Unix seconds; undefined before it was signed. */
  readonly signedAt: number | undefined;
  readonly parts: { readonly clock: Pick<Clock, 'now'> };
  /** Redacts the secrets and signatures that are known when it is read. */
  readonly redact: Redact;
}

/** Replies in these envelopes are undocumented and may hold a secret: that of a new webhook subscription, or a token. */
const unrecorded: readonly Envelope[] = ['raw', 'whole'];

/** Facts of a write from its record and its ids. */
export function recordFacts(
  { call, redact }: ClassifiedCall,
  record: unknown,
  requestId: string | undefined,
  replayed: boolean,
): Pick<AttemptResult, 'record' | 'requestId' | 'bidId' | 'replayed'> {
  const isRecorded = isObject(record) && !unrecorded.includes(call.route.envelope);
  const shown = isRecorded ? redactRecord(record, redact) : undefined;
  const text = (field: string) => (typeof shown?.[field] === 'string' ? shown[field] : undefined);
  const id = requestId === undefined ? undefined : (text('request_id') ?? redact(requestId));
  const bidId = text('bid_id');
  return {
    ...(id !== undefined && { requestId: id }),
    ...(bidId !== undefined && { bidId }),
    ...(replayed && { replayed }),
    ...(shown !== undefined && { record: shown }),
  };
}

/** The limit that caused a stop of this kind, ms. */
export function limitOf(
  { deadline, timeout }: Pick<CallLimits, 'timeout' | 'deadline'>,
  kind: StopKind,
): number {
  return kind === 'deadline' ? deadline : timeout;
}

/** Classifies an error reply. */
export function classifyError(
  of: ClassifiedCall,
  { reply: { status, headers }, stated, cached }: Replied,
  error: ErrorReply,
): AttemptResult {
  const { effect } = of.call.route;
  const { codes } = error;
  const { redact } = of;
  const keyConflict = isIdempotencyConflict(effect, status, error);
  const facts = codes.map(codeFacts).filter((known) => known !== undefined);
  const contradicts = !isConsistent(effect, error);
  const evidence: Evidence = {
    ...error,
    contradicts,
    shape: contradicts ? 'foreign' : error.shape,
    effect,
    status,
    keyConflict,
    refusalCode:
      facts.length > 0 &&
      facts.every((known) => known.effect === 'refused' && known.statuses.includes(status)),
    rejectionCode: facts.some((known) => known.effect === 'rejected'),
    isCached: cached !== undefined,
  };
  const [, proof] = rules.find(([when]) => when(evidence)) ?? [undefined, () => IN_DOUBT];
  const { rejection } = error;
  const now = of.parts.clock.now();
  const date = headerOf(headers, 'date');
  const servedMs = (date === undefined ? undefined : httpDateMs(date, now)) ?? stated?.serverMs ?? now;
  const wait = retryAfterMs(headerOf(headers, 'retry-after'), servedMs);
  const isUncoded = error.shape !== 'foreign' && codes.length === 0 && !keyConflict;
  const isLate = codes.includes('TIMESTAMP_EXPIRED') && stated !== undefined && cached === undefined;
  return {
    ...proof(evidence),
    status,
    why: redact(`HTTP ${status}${namedBy(error, redact)}${cached === undefined ? '' : `, ${cached}`}`),
    ...(cached !== undefined && { cached: redact(cached) }),
    ...(codes.length > 0 && { codes: codes.map(redact) }),
    ...recordFacts(of, rejection, error.requestId, rejection?.replayed === true),
    ...(keyConflict && { keyConflict }),
    ...(effect === 'bid' && status === 409 && isUncoded && { bare409: true }),
    ...(effect === 'command' && error.shape === 'foreign' && { foreign: true }),
    ...(effect === 'command' && namesVersion(status, error) && { namesVersion: true }),
    ...(wait !== undefined && { retryAfter: wait }),
    ...(isLate && expiryOf(stated.serverMs, now, of.signedAt)),
  };
}

/** A timestamp that is this close to its limit may have expired on the way. */
const EXPIRY_MARGIN_SECONDS = 10;

/** The reason of an expired timestamp: the local clock, unless it was current. */
function expiryOf(
  serverMs: number,
  now: number,
  signedAt: number | undefined,
): Pick<AttemptResult, 'clockOffset' | 'timestampLost'> {
  const ageSeconds = signedAt === undefined ? Number.POSITIVE_INFINITY : serverMs / 1_000 - signedAt;
  const isCurrent = Math.abs(ageSeconds) < limits.clockDifferenceSeconds - EXPIRY_MARGIN_SECONDS;
  return isCurrent ? { timestampLost: true } : { clockOffset: serverMs - now };
}

/** Whether an error reply does not contradict itself. */
function isConsistent(effect: Effect, error: ErrorReply): boolean {
  if (error.saysAccepted) return false;
  // Under a refusal `data` is null, under a rejection its record: any other may belong to a bid that was accepted.
  return effect !== 'bid' || !isObject(error.data) || error.data['status'] === 'rejected';
}

/** A version conflict has no documented code (Errors, Codes): it is read from what the reply names. */
export function namesVersion(status: number, { codes, fieldErrors, message = '' }: ErrorReply): boolean {
  if (status !== 409 && status !== 412 && status !== 422 && status !== 428) return false;
  if (codes.some((code) => code.includes('VERSION'))) return true;
  return status === 422 ? Object.hasOwn(fieldErrors, 'expected_version') : /\bversion\b/i.test(message);
}

const NAMED_CAP = 200;
const FOREIGN = ", not in the service's own JSON";

/** The codes of an error reply; its fields or message if it has none. */
function namedBy({ shape, codes, fieldErrors, message, quote }: ErrorReply, redact: Redact): string {
  if (codes.length > 0) return ` ${codes.slice(0, 3).join(' ')}`;
  if (shape === 'foreign') return quote === undefined ? FOREIGN : `: ${quotedWords(redact(quote))}${FOREIGN}`;
  const fields = Object.entries(fieldErrors).map(
    ([field, said]) => `${field}: ${said.join(' ').replace(/\.$/, '')}`,
  );
  const text = (fields.length > 0 ? fields.join('; ') : (message ?? '')).replace(/\s+/g, ' ').trim();
  if (text === '') return '';
  return `: ${text.length > NAMED_CAP ? `${text.slice(0, NAMED_CAP)}…` : text.replace(/\.$/, '')}`;
}

/** A cause's message, or its code where the message is empty (several addresses were tried at once). */
export function describeCause(cause: unknown): string {
  if (!isError(cause)) return 'no reason given';
  if (cause.message !== '') return firstWords(cause.message);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}

/**
 * True if the key is stored for other content. The API text allows a message in place of the code and does not document
 * its words (unknowns: `idempotency-conflict-message`): a message that names idempotency counts.
 */
function isIdempotencyConflict(effect: Effect, status: number, error: ErrorReply): boolean {
  if (error.codes.includes('IDEMPOTENCY_CONFLICT')) return true;
  if (status !== 409 || error.codes.length > 0 || error.shape === 'foreign') return false;
  return effect !== 'read' && /idempoten/i.test(error.message ?? '');
}
