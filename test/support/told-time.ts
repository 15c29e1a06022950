import type { Transport, TransportReply, TransportRequest } from '../../src/core/transport/transport.js';
import type { Clock } from '../../src/ports/clock.js';
import { once, type Step } from './scripted-transport.js';

/**
 * Answers A01 by itself, so that a script need not: a client reads it before its first write, to learn server time. The
 * service's clock runs level with the given one, `aheadMs` ahead.
 */
export class ToldTime implements Transport {
  readonly #inner: Transport;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #aheadMs: number;
  /** How often it was asked. */
  asked = 0;

  constructor(inner: Transport, clock: Pick<Clock, 'now'> = Date, aheadMs = 0) {
    this.#inner = inner;
    this.#clock = clock;
    this.#aheadMs = aheadMs;
  }

  send(request: TransportRequest): Promise<TransportReply> {
    if (!request.path.endsWith('/api/v1/integration/profile')) return this.#inner.send(request);
    this.asked += 1;
    return Promise.resolve(this.answer(request.headers['X-Client-ID']));
  }

  /** The profile of a client, with the time of now. */
  answer(client_id: string | undefined): TransportReply {
    const server_time = new Date(this.#clock.now() + this.#aheadMs).toISOString();
    const body = JSON.stringify({ data: { client_id }, server_time });
    return { status: 200, headers: {}, body: once(body), discard: () => undefined };
  }

  async close(): Promise<void> {
    await this.#inner.close?.();
  }
}

/** A transport over a script: A01 is answered beside it, unless the script itself has a profile for it. */
export function besideScript(inner: Transport, steps: readonly Step[], clock: Clock): Transport {
  return steps.some(isProfile) ? inner : new ToldTime(inner, clock);
}

function isProfile(step: Step): boolean {
  const json: unknown = 'json' in step ? step.json : undefined;
  const data: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, 'data') : undefined;
  return typeof data === 'object' && data !== null && 'client_id' in data;
}
