import type { Dispatcher } from 'undici';
import { ConfigurationError } from '../../errors/local.js';
import { isError } from '../../errors/thrown.js';
import { onceAborted } from '../../runtime/timers.js';
import {
  type AgentLease,
  type Agents,
  leaseAgents,
  resolveConnections,
  type UndiciTransportOptions,
} from './agents.js';
import { runtimeWithoutUndici } from './runtime.js';
import {
  type Stop,
  type Transport,
  TransportFailure,
  type TransportReply,
  type TransportRequest,
} from './transport.js';

/**
 * The default transport: undici, on bounded Agents that all clients with the same options share (the ESM and the
 * CommonJS build each have their own). It uses `dispatch()` rather than `request()`, because only there undici reports
 * when the first byte is about to leave: a request that fails before that, also on the way to a proxy and through it,
 * was certainly not sent.
 *
 * @throws ConfigurationError for options that can't work.
 */
export function undiciTransport(options: UndiciTransportOptions = {}): Transport {
  const runtime = runtimeWithoutUndici();
  if (runtime !== undefined) {
    throw new ConfigurationError('transport', `cannot be undici on ${runtime}`, {
      nextStep: "Leave it out: the client then uses the runtime's own fetch.",
    });
  }
  const connections = resolveConnections(options);
  let lease: AgentLease | undefined;
  let agents: Agents | undefined;
  let closed = false;
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        const exchange = new Exchange(request, resolve, reject);
        if (closed) {
          exchange.onResponseError(undefined, new Error('The transport is closed'));
          return;
        }
        if (agents !== undefined) {
          exchange.begin(agents);
          return;
        }
        lease ??= leaseAgents(connections);
        lease.agents.then(
          (open) => {
            agents = open;
            exchange.begin(open);
          },
          (error: unknown) => {
            lease = undefined;
            exchange.onResponseError(undefined, error);
          },
        );
      }),
    async close() {
      if (closed) return;
      closed = true;
      const held = await lease?.agents.catch(() => undefined);
      if (held !== undefined) await lease?.release();
    },
  };
}

/**
 * One request and its reply, as undici reports them. The body of the reply is pushed in and iterated out, once; the
 * socket pauses while too much is waiting.
 */
class Exchange
  implements Dispatcher.DispatchHandler, AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined>
{
  readonly #request: TransportRequest;
  readonly #resolve: (reply: TransportReply) => void;
  readonly #reject: (failure: unknown) => void;
  readonly #stop: Stop;
  readonly #leaving: (() => void) | undefined;
  #agents: Agents | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  /** Reads a body that is not in memory. */
  #source: AsyncIterator<Uint8Array> | undefined;
  #hasReply = false;
  readonly #chunks: Uint8Array[] = [];
  #waitingBytes = 0;
  /** How the body of the reply ended. */
  #end: { readonly failure?: unknown } | undefined;
  #reader: { resolve(next: Next): void; reject(failure: unknown): void } | undefined;

  constructor(
    request: TransportRequest,
    resolve: (reply: TransportReply) => void,
    reject: (failure: unknown) => void,
  ) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#stop = request.stop ?? new SignalStop(request.signal);
    if (this.#stop.reason === undefined) {
      this.#stop.onStop = () => this.#abort();
      this.#leaving = request.connecting?.();
    } else {
      reject(new TransportFailure('no', this.#stop.reason));
    }
  }

  begin(agents: Agents): void {
    if (this.#stop.reason !== undefined) return;
    const { origin, path, method, headers, body, bodyLength, streams } = this.#request;
    this.#agents = agents;
    agents.underWay += 1;
    const source =
      body !== undefined && Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : undefined;
    this.#source = source;
    try {
      const agent = streams ? agents.forStreams : agents.forCalls;
      agent.dispatch(
        {
          origin,
          path,
          method,
          // Without its length, undici would use chunked encoding.
          headers: source === undefined ? headers : { ...headers, 'content-length': String(bodyLength) },
          body: source === undefined ? body : { [Symbol.asyncIterator]: () => source },
        },
        this,
      );
    } catch (error) {
      this.onResponseError(undefined, error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    try {
      if (this.#stop.reason === undefined) this.#leaving?.();
      if (this.#stop.reason !== undefined) throw this.#stop.reason;
    } catch (reason) {
      controller.abort(asError(reason));
      return;
    }
    this.#controller = controller;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: TransportReply['headers'],
  ): void {
    if (status < 200) return;
    this.#controller = controller;
    this.#hasReply = true;
    this.#resolve({ status, headers, body: this, discard: () => this.#cancel() });
  }

  onResponseData(controller: Dispatcher.DispatchController, value: Buffer): void {
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader.resolve({ done: false, value });
      return;
    }
    this.#chunks.push(value);
    this.#waitingBytes += value.length;
    if (this.#waitingBytes > HIGH_WATER) controller.pause();
  }

  onResponseEnd(): void {
    this.#over();
    this.#end = {};
    this.#reader?.resolve(DONE);
  }

  onResponseError(_: unknown, failure: unknown): void {
    this.#over();
    if (!this.#hasReply) {
      this.#reject(new TransportFailure(this.#controller === undefined ? 'no' : 'maybe', failure));
      return;
    }
    this.#end = { failure };
    this.#reader?.reject(failure);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Next> {
    const value = this.#chunks.shift();
    if (value !== undefined) {
      this.#waitingBytes -= value.length;
      if (this.#waitingBytes <= HIGH_WATER) this.#controller?.resume();
      return Promise.resolve({ done: false, value });
    }
    if (this.#end === undefined) {
      return new Promise((resolve, reject) => {
        this.#reader = { resolve, reject };
      });
    }
    return 'failure' in this.#end ? Promise.reject(this.#end.failure) : Promise.resolve(DONE);
  }

  /** Called when a `for await` is left early: discards the rest. */
  return(): Promise<Next> {
    this.#cancel();
    return Promise.resolve(DONE);
  }

  #cancel(): void {
    this.#over();
    this.#controller?.abort(new Error('The rest of the body is not wanted'));
  }

  #abort(): void {
    const reason = asError(this.#stop.reason);
    if (this.#controller !== undefined) {
      this.#controller.abort(reason);
      return;
    }
    // There is no connection yet, so there is nothing to abort; undici is informed when the request's turn comes.
    this.#over();
    this.#reject(new TransportFailure('no', reason));
  }

  #over(): void {
    this.#stop.onStop = undefined;
    // A reply may come before the whole of the body has left.
    this.#source?.return?.().catch(() => undefined);
    if (this.#agents !== undefined) this.#agents.underWay -= 1;
    this.#agents = undefined;
  }
}

type Next = IteratorResult<Uint8Array, undefined>;

const HIGH_WATER = 64 * 1024;
const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** A signal for a request that is sent outside our pipeline. */
class SignalStop implements Stop {
  readonly #signal: AbortSignal;
  #unfollow: (() => void) | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get reason(): Error | undefined {
    return this.#signal.aborted ? asError(this.#signal.reason) : undefined;
  }

  set onStop(listener: (() => void) | undefined) {
    this.#unfollow?.();
    const isOver = listener === undefined || this.#signal.aborted;
    this.#unfollow = isOver ? undefined : onceAborted(this.#signal, listener);
  }
}

function asError(reason: unknown): Error {
  return isError(reason) ? reason : new Error(String(reason));
}
