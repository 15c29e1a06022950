import * as z from 'zod';
import { type Code, codes } from '../../api/codes.js';
import type { LoggedRequest, SandboxAttempt } from '../http/attempts.js';
import type { Arrived } from '../http/call.js';
import { conflictReply } from '../http/checks.js';
import { invalidFields, messageOnly, Refusal, type Reply, refusal } from '../http/replies.js';
import { isOperation } from '../http/router.js';
import { check, fields, quantity, shaped, tenYearsMs, textUpTo, whole, word, yesOrNo } from '../schema.js';

/** Options of each fault, in addition to the common plan fields. */
interface FaultFields {
  /** Cuts the connection before the request takes effect. */
  drop_before_commit: object;
  /** Cuts the connection after the request takes effect, before the first reply byte. */
  drop_after_commit: object;
  /** Answers a server error before the request takes effect. `status` is 500 to 599 and defaults to 500. */
  error_before_commit: ErrorReply;
  /** Answers a server error after the request takes effect. */
  error_after_commit: ErrorReply;
  /** Delays the request by `ms`. */
  delay: { readonly ms: number };
  /** Delays the reply by `ms` after the request takes effect. */
  delay_after_commit: { readonly ms: number };
  /**
   * Accepts the request, cuts its connection at once and completes the work `ms` later. With `status` (500 to
   * 599), answers an error instead of cutting the connection. Until then, A06 returns `processing` for a bid. The
   * bid counts as received on arrival.
   */
  processing: { readonly ms: number; readonly status?: number };
  /**
   * Cuts the connection without effect. An identical copy arrives `ms` later; nonce, timestamp and auction close
   * are checked at that time. The copy is a separate attempt without faults.
   */
  late_copy: { readonly ms: number };
  /**
   * Carries the request out, then forgets its idempotency key: a repeated request counts as new, and A06 returns
   * `absent`. `what: 'record'` also undoes a bid, like restoring an older backup. `drop: true` cuts the connection
   * instead of replying.
   */
  forget: { readonly what?: 'key' | 'record'; readonly drop?: boolean };
  /**
   * Answers 429 before the service. `retryAfter` is in seconds of sandbox time and defaults to 1. `form` sets how
   * `Retry-After` carries it and defaults to `seconds`.
   */
  rate_limit: InFront & { readonly retryAfter?: number; readonly form?: 'seconds' | 'http-date' | 'absent' };
  /**
   * Answers a refusal before the service. `code` gives an API code in its usual envelope, with its first
   * documented status unless `status` names another. Codes that reject a bid are recorded as rejections. `status`
   * alone (400 to 499) gives a bare `{ message }`. `fields` gives a 422 for invalid fields.
   */
  refuse: InFront & {
    readonly code?: Code;
    readonly status?: number;
    readonly fields?: Readonly<Record<string, readonly string[]>>;
  };
  /**
   * Answers malformed content before the service. `content` selects a proxy's HTML (the default), truncated JSON,
   * JSON of another shape, an empty body, `null`, or JSON declared as plain text. Instead of `content`, pass the
   * text as `body` with a `contentType` (default `text/html`). `status` defaults to 502 for HTML and to 200
   * otherwise. With `commit`, truncated and mislabelled JSON come from the real reply.
   */
  garbage: InFront & {
    readonly content?: 'html' | 'half_json' | 'other_json' | 'empty' | 'null' | 'wrong_type';
    readonly body?: string;
    readonly contentType?: string;
    readonly status?: number;
  };
  /** Carries the request out and cuts the reply after `bytes` of its body. Defaults to half of the body. */
  truncate: { readonly bytes?: number };
  /**
   * Carries the request out and sends the reply body slowly, at `bytesPerSecond` (default 1000).
   * After `stallAfter` bytes, sends nothing more and keeps the connection open.
   */
  slow: { readonly bytesPerSecond?: number; readonly stallAfter?: number };
  /** Answers a redirect before the service. `status` defaults to 307. */
  redirect: InFront & { readonly location?: string; readonly status?: number };
  /**
   * Shifts the service's clock by `ms` (negative for slow) for matching requests, until the fault is withdrawn.
   * The shift applies to `Date`, server times, timestamp checks and auction states.
   */
  skew: { readonly ms: number };
}

/** Server error with a bare `{ message }`, a gateway's HTML, or an empty body. */
interface ErrorReply {
  readonly status?: number;
  readonly shape?: 'message' | 'html' | 'empty';
}

/**
 * A reply from an intermediary before the service. The service does not see the request: no nonce is used and the
 * rate limit does not count it. `commit: true` carries the request out anyway.
 */
interface InFront {
  readonly commit?: boolean;
}

/** A failure to inject. Times are milliseconds of sandbox time. */
export type Fault = {
  [Name in keyof FaultFields]: { readonly fault: Name } & FaultFields[Name];
}[keyof FaultFields];

/** A fault and the requests that it affects. */
export type FaultPlan = Fault & {
  /** Client method such as `saleCases.decide`, or operation id such as `A22`. Defaults to any operation. */
  readonly operation?: string;
  /** Client id. Defaults to any client. */
  readonly client?: string;
  /**
   * Filter over the attempt so far, called after the other conditions match. If it throws, the request gets a 500
   * that quotes the error.
   */
  readonly where?: (attempt: SandboxAttempt) => boolean;
  /** Affects the nth matching request from now on. Defaults to 1, the next one. */
  readonly nth?: number;
  /** Number of consecutive requests, or `Infinity` for all. Defaults to 1. */
  readonly times?: number;
};

const ms = quantity('milliseconds of sandbox time', 0, tenYearsMs);
const serverError = whole(500, 599);
const error = { status: serverError, shape: word(['message', 'html', 'empty']) };
const commit = yesOrNo;
const count = whole(0, Number.MAX_SAFE_INTEGER);
const header = shaped(/^[\x20-\x7e]+$/, 'printable ASCII, as in a header');
const aboveZero = 'must be a number above 0';
const ofOthers = z.never('does not apply to this fault');
const isCode = (code: string) => Object.hasOwn(codes, code);

/** Options of each fault. All are optional except `ms`. */
const ownFields = {
  drop_before_commit: {},
  drop_after_commit: {},
  error_before_commit: error,
  error_after_commit: error,
  delay: { ms },
  delay_after_commit: { ms },
  processing: { ms, status: serverError },
  late_copy: { ms },
  forget: { what: word(['key', 'record']), drop: yesOrNo },
  rate_limit: {
    retryAfter: quantity('seconds', 0, tenYearsMs / 1_000),
    form: word(['seconds', 'http-date', 'absent']),
    commit,
  },
  refuse: {
    code: z.string().refine(isCode, 'must be a code of the API'),
    status: whole(400, 499),
    fields: z.record(z.string(), z.array(z.string())),
    commit,
  },
  garbage: {
    content: word(['html', 'half_json', 'other_json', 'empty', 'null', 'wrong_type']),
    body: z.string('must be text'),
    contentType: header,
    status: whole(200, 599),
    commit,
  },
  truncate: { bytes: count },
  slow: {
    bytesPerSecond: z.number(aboveZero).positive(aboveZero).or(z.literal(Infinity)),
    stallAfter: count,
  },
  redirect: { location: header, status: whole(300, 399), commit },
  skew: { ms: quantity('milliseconds', -tenYearsMs, tenYearsMs), nth: ofOthers, times: ofOthers },
} as const satisfies Readonly<Record<Fault['fault'], z.ZodRawShape>>;

const often = z.int('must be a whole number, 1 or more').min(1, 'must be a whole number, 1 or more');
const ofEveryPlan = {
  operation: textUpTo(200).refine(isOperation, 'must name an operation, like "saleCases.decide" or "A22"'),
  client: textUpTo(200),
  where: z.custom((value) => typeof value === 'function', 'must be a function that takes an attempt'),
  nth: often,
  times: often.or(z.literal(Infinity)),
};

const kinds = Object.keys(ownFields) as [Fault['fault'], ...Fault['fault'][]];
const kindOnly = z.looseObject({ fault: word(kinds) }, 'must be an object with a fault');
const schemas = new Map<string, z.ZodType>(
  kinds.map((kind) => {
    const shape: z.ZodRawShape = { fault: z.literal(kind), ...ofEveryPlan, ...ownFields[kind] };
    const plan = fields(shape).partial();
    return [kind, shape['ms'] === undefined ? plan : plan.extend({ ms: shape['ms'] })];
  }),
);

/** Throws a RangeError for an invalid plan. */
function checkPlan(plan: FaultPlan): void {
  const { fault } = check(kindOnly, plan, 'plan');
  const schema = schemas.get(fault);
  if (schema !== undefined) check(schema, plan, 'plan');
  const problem = contradiction(plan);
  if (problem !== undefined) throw new RangeError(`plan ${problem}`);
}

/** Describes conflicting plan fields; undefined if there are none. */
function contradiction(plan: FaultPlan): string | undefined {
  if (plan.fault === 'garbage') {
    if (plan.body !== undefined && plan.content !== undefined)
      return 'must have either a content or a body, not both';
    if (plan.body === undefined && plan.contentType !== undefined)
      return 'must have a body if it has a contentType';
  }
  if (plan.fault !== 'refuse') return undefined;
  const { code, status, fields } = plan;
  const given = [code ?? status, fields].filter((each) => each !== undefined);
  if (given.length !== 1) return 'must have a code, a status or both, or only fields with their messages';
  const statuses: readonly number[] = code === undefined ? [] : codes[code].statuses;
  return code !== undefined && status !== undefined && !statuses.includes(status)
    ? `must have the status ${statuses.join(' or ')} for ${code}`
    : undefined;
}

/** Whether a fault rejects a bid with a bid code. Such rejections are recorded. */
export function isRejection(fault: Fault, operation: string | null): boolean {
  const { code } = fault.fault === 'refuse' ? fault : {};
  return operation === 'bids.submit' && code !== undefined && codes[code].effect === 'rejected';
}

/** Returns the reply that a fault substitutes for the `real` one; undefined if the fault substitutes none. */
export function faultReply(fault: Fault, request: Arrived, real?: Reply): Reply | undefined {
  switch (fault.fault) {
    case 'error_before_commit':
    case 'error_after_commit':
      return errorReply(fault.status ?? 500, fault.shape ?? 'message');
    case 'processing':
      return fault.status === undefined ? undefined : errorReply(fault.status, 'message');
    case 'rate_limit': {
      const headers = retryAfter(fault.form ?? 'seconds', fault.retryAfter ?? 1, request.now());
      return messageOnly(429, 'Too many requests.', headers);
    }
    case 'refuse':
      return refused(fault, request);
    case 'garbage':
      return garbage(fault, real);
    case 'redirect':
      return {
        status: fault.status ?? 307,
        html: '<html><body>Moved</body></html>',
        headers: { Location: fault.location ?? 'https://elsewhere.example/' },
      };
    default:
      return undefined;
  }
}

function errorReply(status: number, shape: 'message' | 'html' | 'empty'): Reply {
  if (shape === 'html') return { status, html: badGateway };
  if (shape === 'empty') return bytesReply(status, '', 'text/plain');
  return messageOnly(status, 'Server error.');
}

function refused({ code, status, fields }: Extract<Fault, { fault: 'refuse' }>, request: Arrived): Reply {
  if (fields !== undefined) return invalidFields(new Map(Object.entries(fields)));
  if (code === undefined) return messageOnly(status ?? 400, 'Refused.');
  if (code === 'IDEMPOTENCY_CONFLICT') return conflictReply(request);
  const answered = status ?? codes[code].statuses[0];
  return code === 'NOT_FOUND' ? messageOnly(answered, 'Not found.') : refusal(request, answered, [code]);
}

function garbage(fault: Extract<Fault, { fault: 'garbage' }>, real: Reply | undefined): Reply {
  const { content = 'html', body, contentType = 'text/html' } = fault;
  if (body !== undefined) return bytesReply(fault.status ?? 200, body, contentType);
  if (content === 'html') return { status: fault.status ?? 502, html: badGateway };
  const json = real !== undefined && 'json' in real ? JSON.stringify(real.json) : '{"data":{"id":"sale_0"}}';
  const status = fault.status ?? 200;
  const texts = {
    half_json: json.slice(0, Math.floor(json.length / 2)),
    other_json: '[{"unexpected":true}]',
    empty: '',
    null: 'null',
    wrong_type: json,
  };
  return bytesReply(status, texts[content], content === 'wrong_type' ? 'text/plain' : 'application/json');
}

function bytesReply(status: number, body: string, contentType: string): Reply {
  return { status, bytes: Buffer.from(body, 'utf8'), contentType };
}

/** Builds the `Retry-After` header. `now` is Unix milliseconds. */
function retryAfter(form: 'seconds' | 'http-date' | 'absent', seconds: number, now: number) {
  if (form === 'absent') return {};
  // An HTTP date has whole seconds. Round up, so that a client that waits is never early.
  const date = new Date(Math.ceil((now + seconds * 1_000) / 1_000) * 1_000);
  return { 'Retry-After': form === 'seconds' ? String(seconds) : date.toUTCString() };
}

const badGateway = '<html><body><h1>Bad Gateway</h1></body></html>';

/** Armed faults, in the order planned. */
export class Faults {
  readonly #waiting: ArmedFault[] = [];
  #planned = 0;

  /** Arms a fault. The returned function withdraws it. Throws a RangeError for an invalid plan. */
  inject(plan: FaultPlan): () => void {
    checkPlan(plan);
    this.#planned += 1;
    const { nth = 1, times = plan.fault === 'skew' ? Number.POSITIVE_INFINITY : 1 } = plan;
    const withdraw = () => this.#remove(waiting);
    const waiting: ArmedFault = { n: this.#planned, plan, toPass: nth - 1, left: times, withdraw };
    this.#waiting.push(waiting);
    return withdraw;
  }

  /**
   * Returns the fault that applies to this request at this stage. `front` faults answer before the service;
   * `inner` faults apply after authentication.
   */
  strike(logged: LoggedRequest, stage: 'front' | 'inner'): Fault | undefined {
    if (this.#waiting.length === 0) return undefined;
    let struck: Fault | undefined;
    const isAt = (plan: FaultPlan, { operation }: SandboxAttempt) => stageOf(plan, operation) === stage;
    for (const waiting of this.#matching(logged, isAt)) {
      if (waiting.toPass > 0) {
        waiting.toPass -= 1;
      } else if (struck === undefined) {
        struck = waiting.plan;
        logged.note({ fault: struck.fault });
        waiting.left -= 1;
        if (waiting.left === 0) this.#remove(waiting);
      }
    }
    return struck;
  }

  /** Clock shift for this request, milliseconds. */
  skewFor(logged: LoggedRequest): number {
    if (this.#waiting.length === 0) return 0;
    const skews = this.#matching(logged, ({ fault }) => fault === 'skew');
    return skews.reduce((sum, { plan }) => sum + (plan.fault === 'skew' ? plan.ms : 0), 0);
  }

  /** Faults that are still armed, in the order planned. */
  armed(): readonly ArmedFault[] {
    return [...this.#waiting];
  }

  #matching(
    logged: LoggedRequest,
    concerns: (plan: FaultPlan, attempt: SandboxAttempt) => boolean,
  ): ArmedFault[] {
    const known = logged.attempt();
    return this.#waiting.filter(({ plan }) => concerns(plan, known) && isMeant(plan, known));
  }

  #remove(waiting: ArmedFault): void {
    const at = this.#waiting.indexOf(waiting);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}

/** A fault waiting for matching requests. */
export interface ArmedFault {
  /** Sequence number, from 1. */
  readonly n: number;
  readonly plan: FaultPlan;
  /** Number of matching requests to skip. */
  toPass: number;
  /** Number of requests still to affect. */
  left: number;
  readonly withdraw: () => void;
}

function isMeant({ operation, client, where }: FaultPlan, attempt: SandboxAttempt): boolean {
  if (operation !== undefined && operation !== attempt.operation && operation !== attempt.call) return false;
  if (client !== undefined && client !== attempt.clientId) return false;
  try {
    return where === undefined || where(attempt);
  } catch (error) {
    throw new Refusal(
      messageOnly(500, `An injected fault failed: its where() threw ${String(error)}. Fix the function.`),
    );
  }
}

/** Stage at which a fault applies; undefined for a clock skew. */
function stageOf(plan: Fault, operation: string | null): 'front' | 'inner' | undefined {
  if (plan.fault === 'skew') return undefined;
  if (plan.fault === 'late_copy') return 'front';
  const comesFromFront = 'commit' in ownFields[plan.fault] && !isRejection(plan, operation);
  return comesFromFront && !('commit' in plan && plan.commit) ? 'front' : 'inner';
}
