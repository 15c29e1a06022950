import type { Dispatcher } from 'undici';
import {
  type AgentLease,
  type Agents,
  leaseAgents,
  resolveConnections,
  type UndiciTransportOptions,
} from './agents.js';
import {
  MeasuredBody,
  type Stop,
  type Transport,
  TransportFailure,
  type TransportReply,
  type TransportRequest,
} from './transport.js';

/**
 * The default transport: undici, on bounded Agents that all clients of the process with the same options share. It
 * dispatches by itself rather than through `request()`, because only there undici tells when the first byte is about
 * to leave: whatever fails before that, on the way to a proxy and through it as well, is known not to have been sent.
 *
 * @throws ConfigurationError for options that can't work.
 */
export function undiciTransport(options: UndiciTransportOptions = {}): Transport {
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

/** One request and its reply, as undici reports them. */
class Exchange implements Dispatcher.DispatchHandler, Flow {
  readonly #request: TransportRequest;
  readonly #body: Uint8Array | MeasuredBody | undefined;
  readonly #resolve: (reply: TransportReply) => void;
  readonly #reject: (failure: TransportFailure) => void;
  readonly #stop: Stop;
  readonly #leaving: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Chunks | undefined;
  #agents: Agents | undefined;

  constructor(
    request: TransportRequest,
    resolve: (reply: TransportReply) => void,
    reject: (failure: TransportFailure) => void,
  ) {
    this.#request = request;
    const { body, bodyLength } = request;
    const isRead = body !== undefined && Symbol.asyncIterator in body;
    this.#body = isRead ? new MeasuredBody(body, bodyLength) : body;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#stop = request.stop ?? new SignalStop(request.signal);
    if (this.#stop.isStopped) {
      reject(new TransportFailure('no', this.#stop.reason));
      return;
    }
    this.#stop.listen(() => this.#abort());
    this.#leaving = request.connecting?.();
  }

  begin(agents: Agents): void {
    const { origin, path, method, headers, bodyLength, streams } = this.#request;
    if (this.#stop.isStopped) return;
    this.#agents = agents;
    agents.underWay += 1;
    const body = this.#body ?? null;
    try {
      const agent = streams ? agents.forStreams : agents.forCalls;
      agent.dispatch(
        {
          origin,
          path,
          method,
          // Without its length, undici would send what it reads in chunks of its own framing.
          headers:
            body instanceof MeasuredBody ? { ...headers, 'content-length': String(bodyLength) } : headers,
          body,
        },
        this,
      );
    } catch (error) {
      this.onResponseError(undefined, error);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    try {
      if (!this.#stop.isStopped) this.#leaving?.();
      if (this.#stop.isStopped) throw this.#stop.reason;
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
    this.#chunks = new Chunks(this);
    this.#resolve({ status, headers, body: this.#chunks, discard: () => this.cancel() });
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  cancel(): void {
    this.#over();
    this.#controller?.abort(new Error('The rest of the body is not wanted'));
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks?.push(chunk);
  }

  onResponseEnd(): void {
    this.#over();
    this.#chunks?.end();
  }

  onResponseError(_: unknown, error: unknown): void {
    this.#over();
    if (this.#chunks === undefined) {
      this.#reject(new TransportFailure(this.#controller === undefined ? 'no' : 'maybe', error));
    } else {
      this.#chunks.fail(error);
    }
  }

  #abort(): void {
    const reason = asError(this.#stop.reason);
    if (this.#controller !== undefined) {
      this.#controller.abort(reason);
      return;
    }
    // No connection stands yet, so there is nothing to abort; undici is told when the request's turn comes.
    this.#over();
    this.#reject(new TransportFailure('no', reason));
  }

  #over(): void {
    this.#stop.listen(undefined);
    // A reply may come before the whole of the body has left, and a read may hang.
    if (this.#body instanceof MeasuredBody) this.#body.stop();
    if (this.#agents !== undefined) this.#agents.underWay -= 1;
    this.#agents = undefined;
  }
}

/** A signal of somebody who sends a request without a call of ours around it. */
class SignalStop implements Stop {
  readonly #signal: AbortSignal;
  #listener: (() => void) | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get isStopped(): boolean {
    return this.#signal.aborted;
  }

  get reason(): unknown {
    return this.#signal.reason;
  }

  listen(listener: (() => void) | undefined): void {
    if (this.#listener !== undefined) this.#signal.removeEventListener('abort', this.#listener);
    this.#listener = listener;
    if (listener !== undefined) this.#signal.addEventListener('abort', listener, { once: true });
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** A body that is pushed in and iterated out, once; the source is asked to pause while too much is waiting. */
export class Chunks implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  readonly #queue: Uint8Array[] = [];
  readonly #flow: Flow;
  #waitingBytes = 0;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #reader:
    | { resolve(next: IteratorResult<Uint8Array, undefined>): void; reject(error: unknown): void }
    | undefined;

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  push(chunk: Uint8Array): void {
    if (this.#reader !== undefined) {
      this.#take()?.resolve({ done: false, value: chunk });
      return;
    }
    this.#queue.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes > HIGH_WATER) this.#flow.pause();
  }

  end(): void {
    this.#ended = true;
    this.#take()?.resolve(DONE);
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#take()?.reject(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const value = this.#queue.shift();
    if (value !== undefined) {
      this.#waitingBytes -= value.length;
      if (this.#waitingBytes <= HIGH_WATER) this.#flow.resume();
      return Promise.resolve({ done: false, value });
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    if (this.#ended) return Promise.resolve(DONE);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  /** Called where a `for await` is left early: the rest is not wanted. */
  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#flow.cancel();
    return Promise.resolve(DONE);
  }

  #take() {
    const reader = this.#reader;
    this.#reader = undefined;
    return reader;
  }
}

/** What a body can ask of where it comes from. */
export interface Flow {
  pause(): void;
  resume(): void;
  cancel(): void;
}

const HIGH_WATER = 64 * 1024;
const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };
