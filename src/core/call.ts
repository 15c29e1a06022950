import type { Lane, Route } from '../api/operation.js';
import type { ToleranceName } from '../api/tolerance.js';
import { ApiError } from '../errors/api.js';
import { type Outcome, VehicleAuctionError } from '../errors/base.js';
import type { ConfigurationError } from '../errors/local.js';
import { StoreError } from '../errors/store.js';
import type { Call, CallInput, MutationOptions } from '../ports/caller.js';
import type { ClockReading } from '../ports/clock.js';
import type { Permit, Quota, Turn } from '../ports/quota.js';
import { type Closing, Deadline, pause, Stopped, type StopSources, within } from '../runtime/timers.js';
import type { Signer } from '../signing/signer.js';
import { type AttemptParts, classify, exchange, sign } from './attempt.js';
import { digestFile, fetchSigner, type Keys } from './call-inputs.js';
import { type CallLimits, type ClientLimits, contextOf, limitsFor, limitsOfRoute } from './caller.js';
import type { CallJournal, Settled } from './journal.js';
import type { Log } from './log.js';
import { type Observation, observing } from './observe.js';
import { record, signAndRecord } from './recording.js';
import { type Redact, redactorOf, safeCause } from './redact.js';
import { type AttemptEnd, type AttemptResult, type Correction, limitOf } from './reply/classify.js';
import { logDeviations } from './reply/deviations.js';
import {
  type Conclusion,
  type FailureContext,
  failureOf,
  injectedFailure,
  stopFailure,
} from './reply/failure.js';
import { attachInfo, type Payload } from './reply/reply.js';
import type { RequestBody } from './request/file-body.js';
import { type CallDefaults, type PreparedCall, prepare } from './request/prepare.js';
import { REFUND, RETRY_BUDGET, waitBeforeRetry } from './retry.js';
import {
  type AttemptDiagnostics,
  attempts,
  type CallDiagnostics,
  calls,
  diagnosticsOf,
  type Hooks,
  type RequestEvent,
  reportRequest,
  reportResponse,
  traceAttempt,
  traceCall,
} from './telemetry.js';

/** One call, in the two steps between which its bytes can be recorded. */
export interface Pipeline {
  /** Freezes the bytes to send. @throws InvalidRequestError with every problem */
  prepare(route: Route, input: CallInput, options?: MutationOptions): PreparedCall;
  /**
   * Sends the frozen bytes until the call ends, and resolves with its payload.
   *
   * @param options as they were given to `prepare`, which checked them
   */
  run(call: PreparedCall, options?: MutationOptions, journal?: CallJournal, turn?: Turn): Promise<unknown>;
}

/** Injected dependencies of a call. */
export interface CallParts extends AttemptParts {
  readonly keys: Keys;
  readonly quota: Quota;
  /** Retries that all calls together have left. */
  readonly retryBudget: { left: number };
  /** Number of replies that came from a cache. */
  readonly cachedReplies: { count: number };
  /** Undocumented forms in replies; each is logged once. */
  readonly tolerated: Set<ToleranceName>;
  readonly defaults: CallDefaults;
  readonly limits: ClientLimits;
  readonly log: Log;
  readonly hooks: Hooks;
  /** Traces the calls. */
  readonly observation?: Observation | undefined;
  /** How closing the client ends a call that begins now. */
  readonly closing?: (() => Closing) | undefined;
}

/** The pipeline: prepare → ( admit → sign → send → read → classify )* → decode. */
export function createPipeline(parts: CallParts): Pipeline {
  const standard = {
    read: limitsOfRoute(parts.limits, 'read'),
    command: limitsOfRoute(parts.limits, 'command'),
    bid: limitsOfRoute(parts.limits, 'bid'),
  };
  const uuid = (route: Route) => {
    try {
      return parts.randomness.uuid();
    } catch (cause) {
      throw failedBefore(parts, route, 'randomness.uuid', cause);
    }
  };
  return {
    prepare: (route, input, options) => {
      // Checked before the body is frozen: wrong options must not use up a key.
      if (options !== undefined) limitsFor(parts.limits, options, route);
      return prepare(route, input, options, parts.defaults, uuid);
    },
    run: (call, options, journal, turn) => {
      const { route } = call;
      const limits = options === undefined ? standard[route.effect] : limitsFor(parts.limits, options, route);
      let startedAt: number;
      try {
        startedAt = parts.clock.monotonic();
      } catch (cause) {
        throw failedBefore(parts, route, 'clock', cause);
      }
      const state = new CallState(parts, call, limits, startedAt, options, journal, turn);
      const { trace } = state;
      if (trace === undefined) return toEnd(state);
      const observed = { kind: 'call', name: route.name, facts: trace } as const;
      return observing(parts.observation, observed, () => traceCall(trace, () => toEnd(state)));
    },
  };
}

/**
 * Returns a `Call` that runs reads directly and passes writes to `write`, which records them.
 *
 * @param watched a read whose payload is also passed to `seen`
 */
export function callerOver(
  pipeline: Pipeline,
  write: (call: PreparedCall, options: MutationOptions | undefined) => Promise<unknown>,
  watched?: { readonly route: Route; seen(payload: unknown): void },
): Call {
  return async <T>(...[route, input, options]: Parameters<Call>): Promise<T> => {
    const call = pipeline.prepare(route, input, options);
    const isRead = route.effect === 'read';
    const payload = await (isRead ? pipeline.run(call, options) : write(call, options));
    if (route === watched?.route) watched.seen(payload);
    return payload as T;
  };
}

/** One call in progress. Only this file, `retry.ts` and `recording.ts` change it. */
class CallState {
  readonly parts: CallParts;
  readonly call: PreparedCall;
  readonly limits: CallLimits;
  readonly lane: Lane;
  readonly isStrict: boolean;
  readonly journal: CallJournal | undefined;
  /** Decides its order among queued bids. */
  readonly turn: Turn | undefined;
  readonly trace: CallDiagnostics | undefined;
  /** On the monotonic clock, in ms. */
  readonly startedAt: number;
  readonly sources: StopSources;
  body: RequestBody | undefined;
  signer: Signer | undefined;
  /** Signatures so far, for redaction. */
  readonly signatures: string[] = [];
  /** Attempts that were begun. */
  attempts = 0;
  /** Attempts that do not count against `maxAttempts`. */
  uncounted = 0;
  /** Replies without a code; the second is believed. */
  uncoded = 0;
  readonly corrections: Correction[] = [];
  /** `X-Timestamp` of the last attempt, Unix seconds. */
  signedAt: number | undefined;
  /** Milliseconds spent in the queue for the quota. */
  queuedMs = 0;
  /** The outcome, all attempts considered. */
  outcome: Outcome = 'not_sent';
  /** Whether an attempt is on the wire, the stream of its reply included. */
  isOnWire = false;

  constructor(
    parts: CallParts,
    call: PreparedCall,
    limits: CallLimits,
    startedAt: number,
    { signal, lane, strict = false }: MutationOptions = {},
    journal?: CallJournal,
    turn?: Turn,
  ) {
    this.parts = parts;
    this.call = call;
    this.limits = limits;
    this.lane = lane ?? call.route.lane ?? call.route.effect;
    this.isStrict = strict;
    this.journal = journal;
    this.turn = turn;
    // Costs nothing without a listener.
    const isTraced = calls?.hasSubscribers === true || attempts?.hasSubscribers === true;
    if (isTraced || parts.observation?.observer !== undefined) this.trace = diagnosticsOf(call);
    this.startedAt = startedAt;
    const mayHaveLeft = () => this.isOnWire || this.outcome !== 'not_sent';
    this.sources = {
      clock: parts.clock,
      signal,
      deadlineAt: startedAt + limits.deadline,
      closing: parts.closing?.(),
      get mayHaveLeft() {
        return mayHaveLeft();
      },
    };
  }

  /** The context of an error of the call. */
  get context(): FailureContext {
    const { route, idempotencyKey } = this.call;
    return {
      ...contextOf(route),
      attempts: this.attempts,
      outcome: this.outcome,
      mutates: route.effect !== 'read',
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    };
  }

  /** The fields of a log line about the call. */
  get facts() {
    const { route, idempotencyKey } = this.call;
    const attempt = this.attempts;
    return { ...contextOf(route), attempt, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  }

  /** Whether the signing secret is in quotation marks, which a settings file often adds. */
  get isSecretQuoted(): boolean {
    return this.parts.keys.secrets.some((secret) => /^(['"]).*\1$/s.test(secret));
  }

  /** Redacts the secrets of the client and the signatures of this call, that are known now. */
  get redact(): Redact {
    return redactorOf([...this.parts.keys.secrets, ...this.signatures]);
  }
}

/** The error of a call that cannot begin, because something injected failed. */
function failedBefore(parts: CallParts, route: Route, option: string, cause: unknown): ConfigurationError {
  const mutates = route.effect !== 'read';
  const context = { ...contextOf(route), attempts: 0, outcome: 'not_sent', mutates } as const;
  const shown = safeCause(cause, redactorOf(parts.keys.secrets));
  return injectedFailure(context, option, 'failed before the call began', shown);
}

/** The loop of one call: attempts, until one settles it or none may follow. */
async function toEnd(state: CallState): Promise<unknown> {
  const { call, journal, parts, sources } = state;
  try {
    if (call.body !== undefined)
      state.body = 'pending' in call.body ? await digestFile(state, call.body) : call.body;
    const { body } = state;
    if (journal !== undefined && body !== undefined) {
      // Fetched first, because the record names the client that it belongs to.
      state.signer = parts.keys.signer ?? (await fetchSigner(state));
      const begun = await within(sources, 'journal', (signal) => journal.begin(body, signal));
      if (begun.kind === 'settled') return settle(begun);
      state.outcome = inDoubtUnlessFailed(begun.outcome ?? state.outcome);
    }
    for (;;) {
      const signer = parts.keys.signer ?? (await fetchSigner(state));
      state.signer = signer;
      const attempted = await attempt(state, signer);
      if ('kind' in attempted) return settle(attempted);
      const { end, result } = attempted;
      const known = journal && (await record(state, journal, result));
      const outcome = known?.outcome ?? result.effect;
      const sent = known?.sent ?? { last: result, wasRejected: false, isClosed: false };
      const payload = end.kind === 'reply' ? end.payload : undefined;
      if (payload !== undefined && outcome === 'done') return deliver(state, payload, result.cached);
      state.outcome = inDoubtUnlessFailed(outcome);

      const waitMs = await waitBeforeRetry(state, result, sent);
      // An earlier call may have received the first of the two bare refusals that are believed.
      const isBelieved = result.effect === 'uncoded' && outcome === 'refused';
      if (waitMs === undefined || isBelieved) {
        const conclusion = await concluded(state);
        throw failureOf(
          end,
          result,
          { ...state.context, ...(conclusion !== undefined && { conclusion }) },
          state,
        );
      }
      parts.log.warn('Attempt failed; trying again with the same bytes', () => ({
        ...state.facts,
        reason: result.why,
        outcome: state.outcome,
        maxAttempts: state.limits.maxAttempts,
        wait: Math.round(waitMs),
      }));
      if (waitMs > 0) await pause(sources, waitMs);
    }
  } catch (error) {
    const failure = failedCall(state, error);
    // The outcome of a write has a line of its own.
    const say = journal === undefined ? parts.log.info : parts.log.debug;
    say?.('Call failed', () => ({
      ...state.facts,
      error: failure.name,
      ...(failure instanceof VehicleAuctionError && { outcome: failure.outcome, reason: failure.reason }),
      ...(failure instanceof ApiError && { status: failure.status, codes: failure.codes }),
      ...(failure instanceof VehicleAuctionError &&
        failure.requestId !== undefined && { requestId: failure.requestId }),
    }));
    throw failure;
  }
}

/** Asks the journal what it can still find out about a failed command. */
async function concluded(state: CallState): Promise<Conclusion | undefined> {
  const msLeft = state.sources.deadlineAt - state.parts.clock.monotonic();
  const conclusion = await state.journal?.concluding?.(msLeft);
  if (conclusion !== undefined) state.outcome = conclusion.outcome;
  return conclusion;
}

/** A success that is not delivered is in doubt, and so is a refusal without a code. */
function inDoubtUnlessFailed(effect: AttemptResult['effect']): Outcome {
  return effect === 'done' || effect === 'uncoded' ? 'unknown' : effect;
}

/** One attempt and its result. */
interface Attempted {
  readonly end: AttemptEnd;
  readonly result: AttemptResult;
}

/** One attempt: waits for the quota, signs, records, then sends and reads once. */
async function attempt(state: CallState, signer: Signer): Promise<Attempted | Settled> {
  const { parts, journal, trace } = state;
  const deadline = new Deadline(state.sources);
  let permit: Permit | undefined;
  try {
    if (journal !== undefined && journal.msToDepart() <= 0) return unsent(state, new Stopped('too_late'));
    if (deadline.reason !== undefined) return unsent(state, deadline.reason);
    const held = state.attempts === 0 ? state.turn?.permit : undefined;
    permit = held ?? parts.quota.take(state.lane) ?? (await queued(state, deadline));
    state.attempts += 1;
    let made: Attempted | Settled;
    if (trace === undefined) made = await signAndSend(state, signer, deadline);
    else {
      trace.attempts = state.attempts;
      const facts: AttemptDiagnostics = { call: trace, attempt: state.attempts };
      const observed = { kind: 'attempt', name: trace.call, facts } as const;
      const send = () => traceAttempt(facts, () => signAndSend(state, signer, deadline));
      made = await observing(parts.observation, observed, send);
    }
    // The record has answered, so nothing was sent.
    if (!('end' in made)) permit.passOn();
    return made;
  } catch (error) {
    // Cancels anything still waiting on this signal, such as a queued quota request.
    deadline.stop('aborted', error);
    deadline.end();
    if (error instanceof Stopped) return unsent(state, error);
    throw error;
  } finally {
    permit?.ended();
  }
}

/** Waits for the quota. Signing comes after it: a signature that had to queue could be too old. */
async function queued(state: CallState, deadline: Deadline): Promise<Permit> {
  const { clock, quota } = state.parts;
  const from = clock.monotonic();
  deadline.during = 'quota';
  deadline.limit(state.journal?.msToDepart(), 'too_late');
  const isResend = state.attempts > 0 || state.turn?.isResend === true;
  const turn = state.turn && { ...state.turn, isResend };
  const permit = await deadline.race(quota.permit(state.lane, deadline.signal, turn));
  deadline.during = undefined;
  state.queuedMs += clock.monotonic() - from;
  return permit;
}

/** An attempt that was stopped before a byte of it left. */
function unsent(state: CallState, stopped: Stopped): Attempted {
  const end: AttemptEnd = { kind: 'stopped', sent: 'no', stopped };
  return { end, result: classify(state, end) };
}

async function signAndSend(
  state: CallState,
  signer: Signer,
  deadline: Deadline,
): Promise<Attempted | Settled> {
  const { parts, journal, call, limits } = state;
  const signed =
    journal === undefined
      ? await sign(state, signer, deadline)
      : await signAndRecord(state, journal, signer, deadline);
  if (!('signature' in signed)) {
    deadline.end();
    const isSettled = signed.kind === 'settled';
    return isSettled ? signed : { end: signed, result: classify(state, signed) };
  }
  const sent = parts.serverClock.reading();
  state.signedAt = signed.timestamp;
  deadline.during = undefined;
  deadline.limit(limits.timeout);
  state.isOnWire = true;
  const { hooks, log } = parts;
  // Costs nothing without a listener.
  if (hooks.onRequest !== undefined) reportRequest(parts, () => requestOf(state));
  const end = await exchange(state, signer, signed, deadline);
  const payload = end.kind === 'reply' ? end.payload : undefined;
  // A download continues after its call.
  if (payload === undefined || call.route.envelope !== 'binary') {
    state.isOnWire = false;
    deadline.end();
  }
  const result = measured(state, end, sent);
  if (hooks.onResponse !== undefined || log.debug !== undefined)
    reportResponse(parts, () => ({
      ...requestOf(state),
      ...(result.status !== undefined && { status: result.status }),
      outcome: result.effect === 'uncoded' ? 'unknown' : result.effect,
      reason: result.why,
      duration: Math.round(parts.clock.monotonic() - sent.monotonic),
      ...(result.requestId !== undefined && { requestId: result.requestId }),
    }));
  return { end, result };
}

/** The facts of a request for hooks and log lines. */
function requestOf({ facts, call }: CallState): RequestEvent {
  return { ...facts, effect: call.route.effect, origin: call.origin };
}

/** Classifies an attempt, and measures server time with its reply. The first copy from a cache is logged. */
function measured(state: CallState, end: AttemptEnd, sent: ClockReading): AttemptResult {
  const result = classify(state, end);
  const { serverClock, log, cachedReplies } = state.parts;
  let { cached } = result;
  // A replay may repeat the time of the first reply.
  const isTimed = end.kind === 'reply' && end.payload?.replayed !== true;
  if (cached === undefined && isTimed && end.stated !== undefined) {
    const how = { urgent: result.correction === 'clock', cacheable: state.call.wireMethod === 'GET' };
    const behindMs = serverClock.observe(end.stated, sent, how);
    if (behindMs !== 0) cached = `its time is ${Math.round(behindMs / 1_000)} s behind`;
  }
  if (cached === undefined) return result;
  cachedReplies.count += 1;
  if (cachedReplies.count === 1) {
    log.warn(
      'A cache between this client and the service answered; its replies do not set the clock',
      () => ({ ...state.facts, cached }),
    );
  }
  return { ...result, cached };
}

/** The error of a failed call. */
function failedCall(state: CallState, error: unknown): Error {
  const { context } = state;
  if (error instanceof Stopped) return stopFailure(context, error, limitOf(state.limits, error.kind));
  if (error instanceof StoreError) return error.within(context);
  if (error instanceof VehicleAuctionError) return error;
  // If a custom clock or randomness throws, still report that something was sent.
  const outcome = state.signatures.length > 0 ? 'unknown' : 'not_sent';
  const cause = safeCause(error, state.redact);
  return injectedFailure({ ...context, outcome }, 'clock or randomness', 'failed during a call', cause);
}

/** Returns the recorded answer in place of the service's. */
function settle(settled: Settled): unknown {
  if ('error' in settled) throw settled.error;
  if (typeof settled.value === 'object' && settled.value !== null) attachInfo(settled.value, settled.info);
  return settled.value;
}

function deliver(state: CallState, payload: Payload, cached?: string): unknown {
  const { reply, value, undocumented, tolerated, skipped, ...stated } = payload;
  const { parts, call, attempts, queuedMs, startedAt } = state;
  parts.retryBudget.left = Math.min(RETRY_BUDGET, parts.retryBudget.left + REFUND);
  if (tolerated.size > 0 || undocumented.length > 0 || skipped !== undefined) logDeviations(state, payload);
  if (typeof value === 'object' && value !== null) {
    const info = {
      status: reply.status,
      headers: reply.headers,
      body: reply.json,
      ...stated,
      attempts,
      idempotencyKey: call.idempotencyKey,
      ...(cached !== undefined && { cached }),
      ...(skipped !== undefined && { skipped }),
      timings: { total: parts.clock.monotonic() - startedAt, queued: queuedMs },
    };
    attachInfo(value, info, () => state.redact);
  }
  return value;
}
