import type { TracingChannel } from 'node:diagnostics_channel';
import { type Outcome, VehicleAuctionError } from '../errors/base.js';
import type { Clock } from '../ports/clock.js';
import { optionalModule } from '../runtime/node-modules.js';
import { notify } from '../runtime/user-code.js';
import { contextOf } from './caller.js';
import type { Log } from './log.js';
import type { AttemptResult } from './reply/classify.js';
import type { PreparedCall } from './request/prepare.js';

/**
 * Message on the tracing channel `vehicle-auction-sdk:call` (Node's `diagnostics_channel`): one object a call, the same
 * one for `start`, `end`, `asyncStart`, `asyncEnd` and `error`. It holds no secret, signature or body.
 */
export interface CallDiagnostics {
  /** Name of the call, such as `bids.submit`. */
  readonly call: string;
  /** Operation id of the API, such as `A22`. */
  readonly operation: string;
  /** Route template, such as `POST /lots/{lot}/bids`. */
  readonly route: string;
  readonly effect: 'read' | 'bid' | 'command';
  /** Scheme, host and port that are called. */
  readonly origin: string;
  /** The key that the call is sent under; absent for reads. */
  readonly idempotencyKey?: string;
  /** Attempts that were begun; counts up while the call is under way. */
  attempts: number;
  /** Set if the call failed: the known effect. */
  outcome?: Outcome;
  /** Set if the call failed. */
  error?: unknown;
}

/** Message on the tracing channel `vehicle-auction-sdk:attempt`, for every attempt of a call. */
export interface AttemptDiagnostics {
  /** The call that it belongs to: the same object as in the messages of the call's own channel. */
  readonly call: CallDiagnostics;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** HTTP status of the reply, once it came. */
  status?: number;
  /** Its result: `done`, or what is known about its effect. */
  effect?: Outcome | 'done';
  /** The service's id of the request, if it gave one. */
  requestId?: string;
}

const diagnostics = optionalModule('node:diagnostics_channel');

/** One event a call. Like `attempts`, undefined on runtimes without `diagnostics_channel`. */
export const calls = diagnostics?.tracingChannel<CallDiagnostics, CallDiagnostics>(
  'vehicle-auction-sdk:call',
);
/** One event an attempt. */
export const attempts = diagnostics?.tracingChannel<AttemptDiagnostics, AttemptDiagnostics>(
  'vehicle-auction-sdk:attempt',
);

/** Creates the message of a call. */
export function diagnosticsOf({ route, origin, idempotencyKey }: PreparedCall): CallDiagnostics {
  return {
    ...contextOf(route),
    effect: route.effect,
    origin,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    attempts: 0,
  };
}

/** Runs a call between its events. */
export function traceCall<T>(context: CallDiagnostics, work: () => Promise<T>): Promise<T> {
  return traced(calls, context, async () => {
    try {
      return await work();
    } catch (error) {
      context.error = error;
      if (error instanceof VehicleAuctionError) context.outcome = error.outcome;
      throw error;
    }
  });
}

/** Runs an attempt between its events. */
export function traceAttempt<T extends object>(
  context: AttemptDiagnostics,
  work: () => Promise<T>,
): Promise<T> {
  return traced(attempts, context, async () => {
    const done: T & { readonly result?: AttemptResult } = await work();
    const { status, effect, requestId } = done.result ?? {};
    if (requestId !== undefined) context.requestId = requestId;
    if (status !== undefined) context.status = status;
    if (effect !== undefined) context.effect = effect === 'uncoded' ? 'unknown' : effect;
    return done;
  });
}

/** As `tracePromise` of Node does it, but without the result: replies may hold personal data. */
function traced<Context extends object, T>(
  channel: TracingChannel<Context, Context> | undefined,
  context: Context,
  work: () => Promise<T>,
): Promise<T> {
  // Costs nothing without a listener.
  if (channel?.hasSubscribers !== true) return work();
  return channel.start.runStores(context, () => {
    const working = work();
    channel.end.publish(context);
    return settled(channel, working);
  });

  async function settled(channel: TracingChannel<Context, Context>, working: Promise<T>): Promise<T> {
    try {
      return await working;
    } catch (error) {
      channel.error.publish(context);
      throw error;
    } finally {
      channel.asyncStart.publish(context);
      channel.asyncEnd.publish(context);
    }
  }
}

/** A request that is about to be sent. It holds no secret, signature or body. */
export interface RequestEvent {
  /** Name of the method, such as `bids.submit`. */
  readonly call: string;
  /** Operation id of the API, such as `A22`. */
  readonly operation: string;
  /** Route template, such as `POST /lots/{lot}/bids`. */
  readonly route: string;
  readonly effect: 'read' | 'bid' | 'command';
  /** Scheme, host and port that are called. */
  readonly origin: string;
  /** The key that the call is sent under; absent for reads. */
  readonly idempotencyKey?: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

/** The result of a request. */
export interface ResponseEvent extends RequestEvent {
  /** HTTP status; absent if no reply came. */
  readonly status?: number;
  /** `done`, or what is known about the effect of this attempt. */
  readonly outcome: Outcome;
  /** The result in a few words, such as `HTTP 503`. */
  readonly reason: string;
  /** Time from the first byte of the request to the end of the reply, ms. */
  readonly duration: number;
  /** The service's id of the request, if it gave one. */
  readonly requestId?: string;
}

/** How a bid or a command ended. One event for each `place`, row of a batch, command, and intent settled by `recover()`. */
export interface OutcomeEvent {
  /** Name of the method, such as `bids.place`; `recover` for what recovery settled. */
  readonly call: string;
  /** Operation id of the API, such as `A22` or `bids.submit`. */
  readonly operation: string;
  readonly idempotencyKey: string;
  /** `accepted`, `rejected`, `refused`, `not_sent`, `unknown`; `done` for commands. */
  readonly outcome: Outcome | 'accepted';
  /** Why, as in the outcome or the error; absent after a success. */
  readonly reason?: string;
  /** The service's id of the last request, if known. */
  readonly requestId?: string;
  /** Time from the call to its outcome, ms. */
  readonly duration: number;
}

/**
 * Functions that a client calls with its requests and their results. They are never awaited and change nothing; their
 * errors are logged. Their events are frozen and hold no secret, signature, amount or body.
 */
export interface Hooks {
  /** Called before each request leaves, retries included. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Called after each request, also if no reply came. */
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** Called once for each bid and command, when its outcome is known or given up. */
  readonly onOutcome?: ((event: OutcomeEvent) => void) | undefined;
}

/** Targets of a client's reports. */
export interface Reporting {
  readonly log: Log;
  readonly hooks: Hooks;
}

/** Reports a request to the hook, if there is one. */
export function reportRequest({ log, hooks: { onRequest } }: Reporting, event: () => RequestEvent): void {
  if (onRequest !== undefined) notify('onRequest', () => onRequest(Object.freeze(event())), log.warn);
}

/** Logs the result of a request, and reports it to the hook. */
export function reportResponse({ log, hooks: { onResponse } }: Reporting, event: () => ResponseEvent): void {
  log.debug?.('Request', () => ({ ...event() }));
  if (onResponse !== undefined) notify('onResponse', () => onResponse(Object.freeze(event())), log.warn);
}

/** Returns a function that reports how the bid or command that begins now has ended. */
export function outcomeReporter(
  reporting: Reporting & { readonly clock: Pick<Clock, 'monotonic'> },
  begun: Pick<OutcomeEvent, 'call' | 'operation' | 'idempotencyKey'>,
): (ended: EndedWrite) => void {
  const startedAt = monotonic();
  return ({ outcome, reason, requestId }) => {
    reportOutcome(reporting, {
      ...begun,
      outcome,
      ...(reason !== undefined && { reason }),
      ...(requestId !== undefined && { requestId }),
      duration: Math.max(0, Math.round(monotonic() - startedAt)),
    });
  };

  /** A custom clock that throws must not change the outcome. */
  function monotonic(): number {
    try {
      return reporting.clock.monotonic();
    } catch {
      return 0;
    }
  }
}

/** How a bid or a command ended: an error, or the facts of an outcome. */
interface EndedWrite {
  readonly outcome: OutcomeEvent['outcome'];
  readonly reason?: string | undefined;
  readonly requestId?: string | undefined;
}

/** Logs an outcome, and reports it to the hook. */
export function reportOutcome({ log, hooks: { onOutcome } }: Reporting, event: OutcomeEvent): void {
  log.info(`${event.call}: ${event.outcome}`, () => ({ ...event }));
  if (onOutcome !== undefined) notify('onOutcome', () => onOutcome(Object.freeze(event)), log.warn);
}
