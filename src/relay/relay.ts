import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { RunningSandbox } from '../sandbox/inspector/control-client.js';
import { challengeOf, verifySignature, verifyWebhook, WebhookVerificationError } from '../webhooks/index.js';
import { type Forwarded, isSuccess, postTo, signed } from './post.js';

/** A recorded delivery, stored as one line of JSON. */
export interface Recorded {
  /** Event id. */
  readonly id: string;
  readonly type: string;
  /** Time of the first forwarding, ISO 8601. */
  readonly at: string;
  /** The signed body as text. */
  readonly body: string;
}

/** Options of a relay. */
export interface RelayOptions {
  readonly sandbox: Pick<RunningSandbox, 'subscribe' | 'unsubscribe' | 'has' | 'now'>;
  /** Party whose events are forwarded. */
  readonly who: string;
  /** URL of the receiver. */
  readonly forward: string;
  /** Secret that signs forwarded deliveries. */
  readonly secret: string;
  /** Sends every nth event twice. */
  readonly duplicateEvery?: number | undefined;
  /** Drops the first attempt of every nth event, so that it arrives late with the sandbox's next attempt. */
  readonly lateEvery?: number | undefined;
  /** Interval between checks of the subscription, ms. */
  readonly checkEvery: number;
  readonly record: (delivery: Recorded) => void;
  readonly onForwarded: (forwarded: Forwarded) => void;
}

const FOREVER_MS = 1e15;

/**
 * Subscribes at a sandbox and forwards its deliveries to a receiver, signed with the receiver's secret. Passes the
 * receiver's reply back, so that the sandbox controls retries, pauses and forgeries.
 */
export class Relay {
  readonly #options: RelayOptions;
  readonly #server: Server;
  readonly #subscription: Promise<{ readonly id: string; readonly secret: string }>;
  #timer: NodeJS.Timeout | undefined;
  /** Resolves when the sandbox stops or restarts. */
  readonly gone: Promise<void>;
  /** Sequence number of each seen event by id, from 1. */
  readonly #seen = new Map<string, number>();

  private constructor(options: RelayOptions, server: Server) {
    this.#options = options;
    this.#server = server;
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    this.#subscription = options.sandbox.subscribe(options.who, `http://127.0.0.1:${port}/`);
    this.gone = new Promise((resolve) => {
      this.#timer = setInterval(() => {
        const checking = this.#subscription.then(({ id }) => options.sandbox.has(id));
        checking.then(
          (isThere) => isThere || resolve(),
          () => resolve(),
        );
      }, options.checkEvery);
    });
  }

  /** Starts a relay. @throws Error if no sandbox answers */
  static async start(options: RelayOptions): Promise<Relay> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    const relay = new Relay(options, server);
    server.on('request', (request, response) => {
      relay.#take(request).then(
        ({ status, body }) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(body),
        (error: unknown) => response.writeHead(502).end(String(error)),
      );
    });
    try {
      await relay.#subscription;
    } catch (error) {
      clearInterval(relay.#timer);
      server.close();
      throw error;
    }
    return relay;
  }

  /** Removes the subscription and stops. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const { id } = await this.#subscription;
    // A stopped sandbox has no subscription to remove.
    await this.#options.sandbox.unsubscribe(id).catch(() => undefined);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(request: IncomingMessage): Promise<{ readonly status: number; readonly body: string }> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { secret } = await this.#subscription;
    const judged = judge(body, request, secret);
    const { id, type, challenge } = judged;
    if (judged.timestamp === undefined) {
      return this.#send(judged, 'forged', body, textHeaders(request));
    }
    // Keep the age of the delivery, but relative to this machine's clock: the sandbox's may have been advanced.
    const ageSeconds = Math.round((await this.#options.sandbox.now()) / 1000) - judged.timestamp;
    const at = new Date();
    const timestamp = Math.floor(at.getTime() / 1000) - ageSeconds;
    const headers = signed(body, this.#options.secret, timestamp, singleHeader(request, 'service-event-id'));
    if (challenge !== undefined) {
      await this.#send(judged, 'first', body, headers);
      // Confirm even if the receiver is not running yet.
      return { status: 200, body: JSON.stringify({ challenge }) };
    }
    const isNew = !this.#seen.has(id);
    const place = this.#seen.get(id) ?? this.#seen.size + 1;
    this.#seen.set(id, place);
    if (isNew && isEvery(place, this.#options.lateEvery)) {
      this.#options.onForwarded({ event: id, type, kind: 'late', ms: 0 });
      return { status: 503, body: '' };
    }
    if (isNew) this.#options.record({ id, type, at: at.toISOString(), body: body.toString('utf8') });
    const answer = await this.#send(judged, isNew ? 'first' : 'retry', body, headers);
    if (isSuccess(answer.status) && isEvery(place, this.#options.duplicateEvery)) {
      await this.#send(judged, 'duplicate', body, headers);
    }
    return answer;
  }

  async #send(
    { id, type }: Judged,
    kind: Forwarded['kind'],
    body: Uint8Array,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly body: string }> {
    const { answer, body: text } = await postTo(this.#options.forward, body, headers);
    this.#options.onForwarded({ event: id, type, kind, ...answer });
    return { status: answer.status ?? 502, body: text };
  }
}

interface Judged {
  readonly id: string;
  readonly type: string;
  readonly challenge?: string | undefined;
  /** Signing time, Unix seconds; undefined if the signature is invalid. */
  readonly timestamp: number | undefined;
}

function judge(body: Uint8Array, { headers }: IncomingMessage, secret: string): Judged {
  // The receiver checks the timestamp, not the relay.
  const options = { secrets: secret, tolerance: FOREVER_MS };
  try {
    const { timestamp } = verifySignature(body, headers, options);
    const { 'service-event-id': _, ...signedOnly } = headers;
    const event = verifyWebhook(body, signedOnly, options);
    return { id: event.id, type: event.type, challenge: challengeOf(event), timestamp };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return {
      id: singleHeader({ headers }, 'service-event-id') ?? '?',
      type: 'unverified',
      timestamp: undefined,
    };
  }
}

function isEvery(place: number, every: number | undefined): boolean {
  return every !== undefined && place % every === 0;
}

function textHeaders({ headers }: IncomingMessage): Record<string, string> {
  const names = ['content-type', 'service-timestamp', 'service-signature', 'service-event-id'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = singleHeader({ headers }, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function singleHeader({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}
