import type { Agent, Dispatcher } from 'undici';
import { Chunks } from './chunks.js';
import { type Transport, TransportFailure, type TransportReply, type TransportRequest } from './transport.js';

/**
 * The default transport: undici, on one bounded Agent that all clients of the process share. It dispatches by itself
 * rather than through `request()`, because only there undici tells when the first byte is about to leave: whatever
 * fails before that is known not to have been sent.
 */
export function undiciTransport(): Transport {
  let lease: Promise<Agent> | undefined;
  let closed = false;
  return {
    async send(request) {
      if (closed) throw new TransportFailure('no', new Error('The transport is closed'));
      lease ??= takeAgent();
      return exchange(await lease, request);
    },
    async close() {
      if (closed) return;
      closed = true;
      if (lease !== undefined) await releaseAgent();
    },
  };
}

function exchange(
  agent: Agent,
  { origin, path, method, headers, body, signal }: TransportRequest,
): Promise<TransportReply> {
  return new Promise((resolve, reject) => {
    const handler = new Exchange(signal, resolve, reject);
    try {
      agent.dispatch({ origin, path, method, headers: { ...headers }, body: body ?? null }, handler);
    } catch (error) {
      handler.onResponseError(undefined, error);
    }
  });
}

/** One request and its reply, as undici reports them. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #resolve: (reply: TransportReply) => void;
  readonly #reject: (failure: TransportFailure) => void;
  readonly #onAbort = () => this.#abort();
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Chunks | undefined;

  constructor(
    signal: AbortSignal,
    resolve: (reply: TransportReply) => void,
    reject: (failure: TransportFailure) => void,
  ) {
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#signal.aborted) {
      controller.abort(asError(this.#signal.reason));
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
    const cancel = () => {
      this.#unfollow();
      controller.abort(new Error('The rest of the body is not wanted'));
    };
    const chunks = new Chunks({ pause: () => controller.pause(), resume: () => controller.resume(), cancel });
    this.#chunks = chunks;
    this.#resolve({ status, headers, body: chunks, discard: cancel });
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks?.push(chunk);
  }

  onResponseEnd(): void {
    this.#unfollow();
    this.#chunks?.end();
  }

  onResponseError(_: unknown, error: unknown): void {
    this.#unfollow();
    if (this.#chunks === undefined) {
      this.#reject(new TransportFailure(this.#controller === undefined ? 'no' : 'maybe', error));
    } else {
      this.#chunks.fail(error);
    }
  }

  #abort(): void {
    const reason = asError(this.#signal.reason);
    // Before a connection stands there is nothing to abort yet; the request is turned back when its turn comes.
    if (this.#controller === undefined) this.#reject(new TransportFailure('no', reason));
    else this.#controller.abort(reason);
  }

  #unfollow(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

interface SharedAgent {
  agent: Promise<Agent> | undefined;
  users: number;
}

// The ESM and the CJS build are two copies of this module; the sockets are one per process.
const sharedKey = Symbol.for('vehicle-auction-sdk.agent');
const registry: typeof globalThis & { [sharedKey]?: SharedAgent } = globalThis;

function shared(): SharedAgent {
  registry[sharedKey] ??= { agent: undefined, users: 0 };
  return registry[sharedKey];
}

function takeAgent(): Promise<Agent> {
  const entry = shared();
  entry.users += 1;
  // undici costs 80 ms to load, so it is loaded at the first call.
  entry.agent ??= import('undici').then(
    ({ Agent }) =>
      new Agent({
        connections: 64,
        pipelining: 1,
        connect: { timeout: 10_000 },
        // Attempts have timers of their own that also cover the body.
        headersTimeout: 0,
        bodyTimeout: 0,
      }),
  );
  return entry.agent;
}

async function releaseAgent(): Promise<void> {
  const entry = shared();
  entry.users -= 1;
  if (entry.users > 0) return;
  const { agent } = entry;
  entry.agent = undefined;
  await (await agent)?.close();
}
