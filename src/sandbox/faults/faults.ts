import * as z from 'zod';
import { type Code, codes } from '../../api/codes.js';
import type { Attempt, LoggedRequest } from '../http/attempts.js';
import type { Arrived } from '../http/call.js';
import { conflictReply } from '../http/checks.js';
import { invalid, messageOnly, Refusal, type Reply, refusal } from '../http/replies.js';
import { isOperation } from '../http/router.js';
import { amountOf, check, fields, shaped, tenYearsMs, text, whole, word, yesOrNo } from '../schema.js';

/** What each fault takes besides the fields of every plan. */
interface FaultFields {
  /** The connection is cut before anything happened. */
  drop_before_commit: object;
  /** The connection is cut after everything happened, but before the first reply byte. */
  drop_after_commit: object;
  /** A server error before anything happened: `status` from 500 to 599 (500 when left out). */
  error_before_commit: ErrorReply;
  /** The same, after everything happened. */
  error_after_commit: ErrorReply;
  /** The request is held up for `ms`. */
  delay: { readonly ms: number };
  /** The reply is held up for `ms`. */
  delay_after_commit: { readonly ms: number };
  /**
   * The request is let in and its connection cut at once (or answered with the error `status`, 500 to 599), while it
   * is worked on for `ms` more: A06 says `processing` of a bid until it is judged, as having come in time.
   */
  processing: { readonly ms: number; readonly status?: number };
  /**
   * The connection is cut at once, and nothing has happened. `ms` later a copy arrives, exactly as it was sent: nonce,
   * timestamp and the close of the auction are judged then. The copy is a separate attempt, and no fault strikes it.
   */
  late_copy: { readonly ms: number };
  /**
   * It is carried out, and afterwards its idempotency key is forgotten: the same request again is a new one, and A06
   * says `absent`. With `what: 'record'` a bid is undone too, as by a restore of an older backup. `drop: true` cuts
   * the connection in place of the reply.
   */
  forget: { readonly what?: 'key' | 'record'; readonly drop?: boolean };
  /**
   * A 429 in front. `Retry-After` gives `retryAfter` (seconds of sandbox time, 1 when left out) as seconds, as an
   * HTTP-date, or is absent; seconds when left out.
   */
  rate_limit: InFront & { readonly retryAfter?: number; readonly form?: 'seconds' | 'http-date' | 'absent' };
  /**
   * A refusal in front that the service might have made. With `code`, one of the API's codes in its shape, under its
   * first status or another one that it has; codes that reject a bid are recorded as rejections of it, like real ones.
   * With `status` alone (400 to 499), a bare `{ message }`. With `fields`, the 422 of invalid fields.
   */
  refuse: InFront & {
    readonly code?: Code;
    readonly status?: number;
    readonly fields?: Readonly<Record<string, readonly string[]>>;
  };
  /**
   * Something else than the promised JSON, in front. `content` is a proxy's HTML (when left out), the first half of a
   * JSON text, JSON of another shape, no byte at all, `null`, or JSON that is declared as plain text; or `body` gives
   * the text, and `contentType` what it is declared as (`text/html` when left out). `status` is 502 for HTML when left
   * out, 200 for anything else. With `commit`, half and mislabelled JSON are made of the real reply.
   */
  garbage: InFront & {
    readonly content?: 'html' | 'half_json' | 'other_json' | 'empty' | 'null' | 'wrong_type';
    readonly body?: string;
    readonly contentType?: string;
    readonly status?: number;
  };
  /** It is carried out, and the reply breaks off after `bytes` of its body (half of it when left out). */
  truncate: { readonly bytes?: number };
  /**
   * It is carried out, and the body of the reply comes in drops: `bytesPerMs` bytes in a millisecond (1 when left out).
   * After `stallAfter` bytes nothing more comes, and the connection stays open.
   */
  slow: { readonly bytesPerMs?: number; readonly stallAfter?: number };
  /** A redirect (307 when left out), in front. */
  redirect: InFront & { readonly location?: string; readonly status?: number };
  /**
   * The service's clock is `ms` ahead of the sandbox's (behind, when negative) for the requests that match, until it
   * is withdrawn: in `Date`, in server times, in the judgement of timestamps and of what is live.
   */
  skew: { readonly ms: number };
}

/** As a bare `{ message }`, a gateway's HTML, or without a body. */
interface ErrorReply {
  readonly status?: number;
  readonly shape?: 'message' | 'html' | 'empty';
}

/**
 * What comes from something before the service, which never sees the request: no nonce is spent, nothing counts against
 * the rate limit. `commit: true` carries the request out all the same.
 */
interface InFront {
  readonly commit?: boolean;
}

/** What goes wrong with a request. Times are milliseconds of sandbox time. */
export type Fault = {
  [Name in keyof FaultFields]: { readonly fault: Name } & FaultFields[Name];
}[keyof FaultFields];

/** Which requests a fault strikes. */
export type FaultPlan = Fault & {
  /** A method such as `saleCases.decide`, or an operation id such as `A22`; any operation when left out. */
  readonly operation?: string;
  /** Id of the client whose requests it strikes; anybody's when left out. */
  readonly client?: string;
  /**
   * Whether it is meant for this request, as `attempts()` shows it so far; it is asked once what else there is
   * fits. If it throws, the request is answered with a 500 that quotes the error.
   */
  readonly where?: (attempt: Attempt) => boolean;
  /** Strikes the nth request that matches from now on; 1, the next, when left out. */
  readonly nth?: number;
  /** How many in a row, `Infinity` for all of them; 1 when left out. */
  readonly times?: number;
};

const ms = amountOf('milliseconds of sandbox time', 0, tenYearsMs);
const serverError = whole(500, 599);
const error = { status: serverError, shape: word(['message', 'html', 'empty']) };
const commit = yesOrNo;
const count = whole(0, Number.MAX_SAFE_INTEGER);
const header = shaped(/^[\x20-\x7e]+$/, 'printable ASCII, as in a header');
const aboveZero = 'must be a number above 0';
const ofOthers = z.never('is of another fault');
const isCode = (code: string) => Object.hasOwn(codes, code);

/** What each fault takes besides the fields of every plan: all of it may be left out but for `ms`. */
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
    retryAfter: amountOf('seconds', 0, tenYearsMs / 1_000),
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
    bytesPerMs: z.number(aboveZero).positive(aboveZero).or(z.literal(Infinity)),
    stallAfter: count,
  },
  redirect: { location: header, status: whole(300, 399), commit },
  skew: { ms: amountOf('milliseconds', -tenYearsMs, tenYearsMs), nth: ofOthers, times: ofOthers },
} as const satisfies Readonly<Record<Fault['fault'], z.ZodRawShape>>;

const often = z.int('must be a whole number, 1 or more').min(1, 'must be a whole number, 1 or more');
const ofEveryPlan = {
  operation: text(200).refine(isOperation, 'must name an operation, like "saleCases.decide" or "A22"'),
  client: text(200),
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

/** Throws a RangeError for a plan that can't be meant. */
function checkPlan(plan: FaultPlan): void {
  const { fault } = check(kindOnly, plan, 'plan');
  const schema = schemas.get(fault);
  if (schema !== undefined) check(schema, plan, 'plan');
  const problem = contradiction(plan);
  if (problem !== undefined) throw new RangeError(`plan ${problem}`);
}

/** What doesn't go together. */
function contradiction(plan: FaultPlan): string | undefined {
  if (plan.fault === 'garbage') {
    if (plan.body !== undefined && plan.content !== undefined) return 'takes a content or a body, not both';
    if (plan.body === undefined && plan.contentType !== undefined) return 'has a contentType without a body';
  }
  if (plan.fault !== 'refuse') return undefined;
  const { code, status, fields } = plan;
  const given = [code ?? status, fields].filter((each) => each !== undefined);
  if (given.length !== 1) return 'takes a code, a status or both, or else fields with their messages';
  const statuses: readonly number[] = code === undefined ? [] : codes[code].statuses;
  return code !== undefined && status !== undefined && !statuses.includes(status)
    ? `takes ${statuses.join(' or ')} as the status of ${code}`
    : undefined;
}

/** Whether a fault refuses a bid with a code by which bids are judged: that is recorded. */
export function isRejection(fault: Fault, operation: string | null): boolean {
  const { code } = fault.fault === 'refuse' ? fault : {};
  return operation === 'bids.submit' && code !== undefined && codes[code].effect === 'rejected';
}

/** The reply that a fault puts in place of the `real` one, if there is one; undefined for faults that put none. */
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
  if (fields !== undefined) return invalid(new Map(Object.entries(fields)));
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

/** The `Retry-After` of a 429, in one of the forms it can have. `now` is Unix milliseconds. */
function retryAfter(form: 'seconds' | 'http-date' | 'absent', seconds: number, now: number) {
  if (form === 'absent') return {};
  // A date has whole seconds: the next one, so that nobody who waits for it comes too early.
  const date = new Date(Math.ceil((now + seconds * 1_000) / 1_000) * 1_000);
  return { 'Retry-After': form === 'seconds' ? String(seconds) : date.toUTCString() };
}

const badGateway = '<html><body><h1>Bad Gateway</h1></body></html>';

/** The faults that wait for their requests. */
export class Faults {
  readonly #waiting: ArmedFault[] = [];
  #planned = 0;

  /** Plans a fault; the returned function withdraws it. Throws a RangeError for one that can't be meant. */
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
   * The fault that strikes this request at this stage, if any. `front` faults come from something before the
   * service, which never sees the request; `inner` ones strike requests that have been let in.
   */
  strike(logged: LoggedRequest, stage: 'front' | 'inner'): Fault | undefined {
    if (this.#waiting.length === 0) return undefined;
    let struck: Fault | undefined;
    const isAt = (plan: FaultPlan, { operation }: Attempt) => stageOf(plan, operation) === stage;
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

  /** How far ahead the service's clock is for this request, milliseconds. */
  skewFor(logged: LoggedRequest): number {
    if (this.#waiting.length === 0) return 0;
    const skews = this.#matching(logged, ({ fault }) => fault === 'skew');
    return skews.reduce((sum, { plan }) => sum + (plan.fault === 'skew' ? plan.ms : 0), 0);
  }

  /** What still waits, in the order planned; the inspector shows it. */
  armed(): readonly ArmedFault[] {
    return [...this.#waiting];
  }

  #matching(logged: LoggedRequest, concerns: (plan: FaultPlan, attempt: Attempt) => boolean): ArmedFault[] {
    const known = logged.attempt();
    return this.#waiting.filter(({ plan }) => concerns(plan, known) && isMeant(plan, known));
  }

  #remove(waiting: ArmedFault): void {
    const at = this.#waiting.indexOf(waiting);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}

/** A fault that waits for its requests. */
export interface ArmedFault {
  /** Runs from 1. */
  readonly n: number;
  readonly plan: FaultPlan;
  /** How many requests that match it lets pass before it strikes. */
  toPass: number;
  /** How many it has yet to strike. */
  left: number;
  readonly withdraw: () => void;
}

function isMeant({ operation, client, where }: FaultPlan, attempt: Attempt): boolean {
  if (operation !== undefined && operation !== attempt.operation && operation !== attempt.call) return false;
  if (client !== undefined && client !== attempt.clientId) return false;
  try {
    return where === undefined || where(attempt);
  } catch (error) {
    throw new Refusal(messageOnly(500, `The where() of an injected fault threw ${String(error)}.`));
  }
}

/** Where a fault strikes; the skew of a clock strikes nowhere in particular. */
function stageOf(plan: Fault, operation: string | null): 'front' | 'inner' | undefined {
  if (plan.fault === 'skew') return undefined;
  if (plan.fault === 'late_copy') return 'front';
  const comesFromFront = 'commit' in ownFields[plan.fault] && !isRejection(plan, operation);
  return comesFromFront && !('commit' in plan && plan.commit) ? 'front' : 'inner';
}
