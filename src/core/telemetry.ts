import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import { type Outcome, VehicleAuctionError } from '../errors/base.js';
import type { Logger, LogLevel } from '../ports/logger.js';
import { notify } from '../runtime/user-code.js';
import { contextOf } from './caller.js';
import type { AttemptResult } from './reply/classify.js';
import type { PreparedCall } from './request/prepare.js';

/** What a line says besides its message; made only where the line is wanted. */
export type Fields = () => Readonly<Record<string, unknown>>;

export interface Log {
  error(message: string, fields: Fields): void;
  warn(message: string, fields: Fields): void;
  info(message: string, fields: Fields): void;
  /** Absent below its level: an attempt then costs nothing here. */
  debug?: ((message: string, fields: Fields) => void) | undefined;
}

/** Lines on the console, each with its fields. */
export const consoleLogger: Logger = {
  error: (message, fields) => console.error(`[vehicle-auction] ${message}`, fields ?? ''),
  warn: (message, fields) => console.warn(`[vehicle-auction] ${message}`, fields ?? ''),
  info: (message, fields) => console.info(`[vehicle-auction] ${message}`, fields ?? ''),
  debug: (message, fields) => console.debug(`[vehicle-auction] ${message}`, fields ?? ''),
};

/** From the fewest lines to the most. */
export const logLevels: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug'];

const silent = () => undefined;

/** Lets through what `level` allows; the rest costs nothing. A logger that throws changes no call. */
export function leveled(logger: Logger, level: LogLevel): Log {
  const allowed = logLevels.indexOf(level);
  const gate = (name: keyof Log): Log['warn'] => {
    if (logLevels.indexOf(name) > allowed) return silent;
    // An accepted bid must not be reported failed because a log line could not be written.
    return (message, fields) => notify(`logger.${name}`, () => logger[name](message, fields()), silent);
  };
  return {
    error: gate('error'),
    warn: gate('warn'),
    info: gate('info'),
    debug: level === 'debug' ? gate('debug') : undefined,
  };
}

/**
 * What is published on the tracing channel `vehicle-auction-sdk:call` (Node's `diagnostics_channel`): one object a
 * call, the same one for `start`, `end`, `asyncStart`, `asyncEnd` and `error`. It holds no secret, signature or body.
 */
export interface CallDiagnostics {
  /** What the call is known by, such as `bids.submit`. */
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
  /** Set where the call failed: what is known about its effect. */
  outcome?: Outcome;
  /** Set where the call failed. */
  error?: unknown;
}

/** What is published on the tracing channel `vehicle-auction-sdk:attempt`, for every attempt of a call. */
export interface AttemptDiagnostics {
  /** The call that it belongs to: the very object that the call's own channel carries. */
  readonly call: CallDiagnostics;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** HTTP status of the reply, once it came. */
  status?: number;
  /** What it came to: `done`, or what is known about its effect. */
  effect?: Outcome | 'done';
}

/** One event a call. */
export const calls = tracingChannel<CallDiagnostics, CallDiagnostics>('vehicle-auction-sdk:call');
/** One event an attempt. */
export const attempts = tracingChannel<AttemptDiagnostics, AttemptDiagnostics>('vehicle-auction-sdk:attempt');

/** What to publish of a call. */
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
  call: CallDiagnostics,
  attempt: number,
  work: () => Promise<T>,
): Promise<T> {
  call.attempts = attempt;
  const context: AttemptDiagnostics = { call, attempt };
  return traced(attempts, context, async () => {
    const done: T & { readonly result?: AttemptResult } = await work();
    const { status, effect } = done.result ?? {};
    if (status !== undefined) context.status = status;
    if (effect !== undefined) context.effect = effect === 'uncoded' ? 'unknown' : effect;
    return done;
  });
}

/** As `tracePromise` of Node does it, but without the result: replies may hold personal data. */
function traced<Context extends object, T>(
  channel: TracingChannel<Context, Context>,
  context: Context,
  work: () => Promise<T>,
): Promise<T> {
  return channel.start.runStores(context, () => {
    const working = work();
    channel.end.publish(context);
    return settled(working);
  });

  async function settled(working: Promise<T>): Promise<T> {
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
