import type { RecordedCall, RecordedExchange, RecordedReply } from '../core/recorder/flight-recorder.js';
import {
  type Transport,
  TransportFailure,
  type TransportReply,
  type TransportRequest,
} from '../core/transport/transport.js';
import type { Clock } from '../ports/clock.js';

/**
 * A transport that answers each request as it was answered when it was recorded, after the same time. The last reply to a request
 * repeats. Requests that were not recorded go to another transport.
 */
export function recordedReplies(calls: readonly RecordedCall[], clock: Clock, others: Transport): Transport {
  const queues = new Map<string, RecordedExchange[]>();
  for (const { exchanges } of calls) {
    for (const exchange of exchanges) {
      const { path, query, body } = exchange.request;
      const key = keyOf(exchange.request.method, path, query, body);
      queues.set(key, [...(queues.get(key) ?? []), exchange]);
    }
  }
  return {
    async send(request) {
      const [path = '', query = ''] = request.path.split('?');
      const queue = queues.get(keyOf(request.method, path, query, jsonBody(request)));
      const exchange = queue !== undefined && queue.length > 1 ? queue.shift() : queue?.[0];
      if (exchange === undefined) return others.send(request);
      request.connecting?.()();
      return recordedAnswer(exchange, request, clock);
    },
    close: () => others.close(),
  };
}

/** What identifies a request: its signed path, and the idempotency key of its body. */
function keyOf(method: string, path: string, query: string, body: unknown): string {
  const signed = path.slice(Math.max(0, path.indexOf('/api/v1')));
  const sorted = new URLSearchParams(query);
  sorted.sort();
  return [method, signed, sorted, Object(body).idempotency_key ?? ''].join(' ');
}

function jsonBody({ body }: TransportRequest): unknown {
  return body instanceof Uint8Array ? JSON.parse(new TextDecoder().decode(body)) : undefined;
}

async function recordedAnswer(
  { reply, failure, ms = 0 }: RecordedExchange,
  { signal }: TransportRequest,
  clock: Clock,
): Promise<TransportReply> {
  const sent = failure?.sent ?? 'maybe';
  await new Promise<void>((resolve, reject) => {
    // The client ended the attempt: it ends it again, by its timeout.
    const cancel = failure?.stopped === true ? () => undefined : clock.after(ms, resolve);
    signal.addEventListener('abort', () => {
      cancel();
      reject(new TransportFailure(sent, signal.reason));
    });
  });
  if (reply !== undefined) return recordedReply(reply);
  const code = failure?.code;
  throw new TransportFailure(
    sent,
    Object.assign(new Error('The connection failed.'), code !== undefined && { code }),
  );
}

function recordedReply({ status, headers, json, text = '', omitted }: RecordedReply): TransportReply {
  async function* body(): AsyncGenerator<Uint8Array> {
    if (omitted === 'broken') throw Object.assign(new Error('The reply broke off.'), { code: 'ECONNRESET' });
    yield Buffer.from(json === undefined ? text : JSON.stringify(json));
  }
  return { status, headers, body: body(), discard: () => undefined };
}
