import { contextOf } from '../core/caller.js';
import { type Observation, observing } from '../core/observe.js';
import { type CallContext, VehicleAuctionError } from '../errors/base.js';
import { AbortedError } from '../errors/connection.js';
import { InvalidRequestError } from '../errors/local.js';
import type { Call } from '../ports/caller.js';
import type { Clock } from '../ports/clock.js';
import { asyncContext } from '../runtime/async-context.js';
import { checkMethodOptions } from '../runtime/injected.js';
import { type Closing, onceAborted, withTimeout } from '../runtime/timers.js';

/** Options of `close()`. */
export interface CloseOptions {
  /**
   * Time for requests on the wire, and for work of several calls, to end, ms; defaults to 10,000. Then they are
   * aborted, and the outcome of requests that may have been sent is unknown. Another `close()` can only shorten it.
   */
  readonly within?: number | undefined;
}

const WITHIN_MS = 10_000;

/** Aborted work gets this long to record its outcome and to reject, ms. */
const RECORDING_MS = 1_000;

/** Connections and the store get this long to close, ms. */
const RELEASE_MS = 5_000;

/** Work that runs functions of the user: their calls on these clients continue while the clients close. */
interface Host {
  readonly client: Lifecycle;
  readonly outer: Host | undefined;
}

const hosts = asyncContext<Host>();

/** Work that runs for days and so has no span: its calls are roots. */
const endless: readonly string[] = ['winnerUpdates.follow', 'notifications.follow', 'lots.watch'];

/** Lifecycle of a client and of all that are derived from it, from the first call to the end of `close()`. */
export class Lifecycle {
  readonly #clock: Clock;
  readonly #release: () => Promise<void>;
  readonly #warn: (message: string, fields: () => Readonly<Record<string, unknown>>) => void;
  /** A count, because a Set of running calls would keep their replies in memory. */
  #running = 0;
  #hosts = 0;
  #onIdle: (() => void) | undefined;
  readonly #begun = new AbortController();
  readonly #over = new AbortController();
  #closed: Promise<void> | undefined;
  #isReleased = false;
  #overAt = Number.POSITIVE_INFINITY;
  #cancelTimer: () => void = () => undefined;
  /** Traces the use cases and calls of the client. */
  readonly observation: Observation = { observer: undefined };
  readonly #forInner: Closing = { unsent: undefined, all: this.#over.signal };
  readonly #forOthers: Closing = { unsent: this.#begun.signal, all: this.#over.signal };

  /** @param release closes connections and the store, once no call uses them */
  constructor(
    clock: Clock,
    release: () => Promise<void>,
    warn: (message: string, fields: () => Readonly<Record<string, unknown>>) => void,
  ) {
    this.#clock = clock;
    this.#release = release;
    this.#warn = warn;
  }

  /** Fires when the client begins to close: followers and watches end. */
  get begun(): AbortSignal {
    return this.#begun.signal;
  }

  /** Fires when the time to close is over: everything ends. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** How closing ends running calls. */
  readonly closing = (): Closing => (this.#hosts > 0 && this.#isInner ? this.#forInner : this.#forOthers);

  /** The same for calls of work that has sent something: they continue. */
  readonly closingOnceSent = (): Closing => this.#forInner;

  /** A caller whose calls are counted, and refused once the client is closing. */
  guard(inner: Call): Call {
    // Awaited here, so that a rejection nobody handles is reported as such, and stacks reach back to the caller's line.
    return async <T>(...[route, input, options]: Parameters<Call>): Promise<T> => {
      this.#enter(route);
      try {
        return await inner<T>(route, input, options);
      } catch (error) {
        throw withCallersFrames(error);
      } finally {
        this.#leave();
      }
    };
  }

  /** Work of several calls, which count as one. Its calls must not pass through `guard`. */
  readonly during = async <T>(call: string, work: () => Promise<T>): Promise<T> => {
    this.#enter(call);
    try {
      if (endless.includes(call)) return await work();
      return await observing(this.observation, { kind: 'use_case', name: call }, work);
    } catch (error) {
      throw withCallersFrames(error);
    } finally {
      this.#leave();
    }
  };

  /** The same for work that runs functions of the user: their calls on the client continue while it closes. */
  readonly hosting = <T>(call: string, work: () => Promise<T>): Promise<T> => {
    return this.during(call, async () => {
      this.#hosts += 1;
      try {
        return await hosts.run({ client: this, outer: hosts.get() }, work);
      } finally {
        this.#hosts -= 1;
      }
    });
  };

  /**
   * Ends all work: queued requests are not sent, requests on the wire get some time. Then closes connections and the
   * store.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    const { within = WITHIN_MS } = checkedCloseOptions(options);
    this.#limit(within);
    this.#closed ??= this.#end();
    this.#begun.abort();
    return this.#closed;
  }

  get #isInner(): boolean {
    if (!hosts.isSupported) return this.#hosts > 0;
    for (let host = hosts.get(); host !== undefined; host = host.outer) if (host.client === this) return true;
    return false;
  }

  #enter(call: string | Parameters<Call>[0]): void {
    const isClosing = this.#begun.signal.aborted;
    const isOver = this.#isReleased || this.#over.signal.aborted;
    if (isClosing && (isOver || !this.#isInner)) {
      throw closedError(typeof call === 'string' ? { call, operation: call } : contextOf(call));
    }
    this.#running += 1;
  }

  #leave(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#onIdle?.();
  }

  /** Ends all work after `ms`, unless it ends earlier. */
  #limit(ms: number): void {
    const at = this.#clock.monotonic() + ms;
    if (at >= this.#overAt) return;
    this.#overAt = at;
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.after(ms, () => this.#over.abort());
  }

  async #end(): Promise<void> {
    await this.#idle();
    this.#cancelTimer();
    this.#isReleased = true;
    const late = () => this.#warn('The client closed before its store and connections had', () => ({}));
    await withTimeout(this.#clock, RELEASE_MS, this.#release(), late);
  }

  /** Resolves once nothing runs, and at the latest a moment after the time is over. */
  async #idle(): Promise<void> {
    if (this.#running === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    const over = new Promise<void>((resolve) => onceAborted(this.#over.signal, resolve));
    await Promise.race([idle, over]);
    await withTimeout(this.#clock, RECORDING_MS, idle, () => {
      this.#warn('The client closed while calls were still running', () => ({ running: this.#running }));
    });
  }
}

function checkedCloseOptions(options: CloseOptions): CloseOptions {
  checkMethodOptions('close', options ?? {}, { within: true });
  const within: unknown = Object(options).within;
  if (within === undefined || (typeof within === 'number' && within >= 0)) return options ?? {};
  const message = 'must be a number of milliseconds from 0';
  throw new InvalidRequestError([{ path: 'options.within', message }], { call: 'close', operation: 'close' });
}

/** Adds the caller's frames to those that the engine keeps, which end inside the SDK. */
function withCallersFrames(error: unknown): unknown {
  if (!(error instanceof VehicleAuctionError)) return error;
  const { stack } = error;
  if (stack === undefined || framed.has(error)) return error;
  framed.add(error);
  const known = new Set(stack.split('\n'));
  const [, ...frames] = (new Error().stack ?? '').split('\n');
  error.stack = [stack, ...frames.filter((frame) => !known.has(frame))].join('\n');
  return error;
}

/** A store that has stopped throws the same error again and again. */
const framed = new WeakSet<VehicleAuctionError>();

function closedError(context: CallContext): AbortedError {
  return new AbortedError({
    ...context,
    reason: 'closed',
    outcome: 'not_sent',
    what: 'The client is closed. Nothing was sent.',
    nextStep: 'Make a new client to call again.',
  });
}
