import { ConfigurationError } from '../errors/local.js';
import { isError } from '../errors/thrown.js';
import { type WebhookRefusal, WebhookVerificationError } from '../errors/webhook.js';
import type { Clock } from '../ports/clock.js';
import { type DeliveryFacts, type Observation, observe, observing } from '../runtime/observe.js';
import { backgroundClock, systemClock } from '../runtime/timers.js';
import { ask, notify } from '../runtime/user-code.js';
import { sha256Hex } from '../signing/signer.js';
import { type StoreTransaction, transact } from '../store/store.js';
import type { WebhookEventRow, WebhookState } from '../store/tables.js';
import { bytesOf, type HeaderSource, type RawBody } from './delivery.js';
import { challengeOf, type WebhookEvent } from './event.js';
import { factsOf, saleApprovedOf } from './facts.js';
import { Handling } from './handling.js';
import {
  type CommonOptions,
  checkReceiverOptions,
  handlerOf,
  type WebhookReceiverOptions,
  type WebhookReport,
  type WebhookSecrets,
} from './options.js';
import { verifySignature } from './signature.js';
import {
  dismissEvent,
  endpointAccount,
  type KeptWebhookEvent,
  listEvents,
  retryEvent,
} from './stored-events.js';
import { parseEvent } from './verify.js';

/** A request as it was received. */
export interface IncomingDelivery {
  /** The raw bytes, unparsed. */
  readonly body: RawBody;
  readonly headers: HeaderSource;
}

/** The reply to a delivery, and its outcome. */
export interface WebhookAnswer {
  /** HTTP status: 200, 400 (not authentic), 413, 500 (mistake in the setup) or 503. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
  /**
   * `kept`: new; `duplicate`: stored before; `challenge`: an endpoint verification was answered; `malformed`: authentic, but
   * not of the described shape, stored for review; `refused`: not authentic; `too_large`; `unavailable`: not stored, the
   * sender retries; `misused`: a framework had parsed the body.
   */
  readonly outcome:
    | 'kept'
    | 'duplicate'
    | 'challenge'
    | 'malformed'
    | 'refused'
    | 'too_large'
    | 'unavailable'
    | 'misused';
  /** The reason if it was refused or is malformed. */
  readonly reason?: WebhookRefusal;
  /** Event id of the signed body. */
  readonly eventId?: string;
}

const DAY_MS = 86_400_000;

/** Timeout of a `secrets` function, ms: senders stop waiting soon afterwards. */
const SECRETS_MS = 10_000;

/** Receives deliveries: verifies, deduplicates, stores, replies, then handles. Create one per endpoint. */
export class WebhookReceiver {
  readonly #options: WebhookReceiverOptions;
  readonly #account: string;
  readonly #clock: Clock;
  readonly #handling: Handling;
  /** Inserts that are running, by key: duplicates that arrive meanwhile share the transaction. */
  readonly #keeping = new Map<string, Promise<boolean>>();
  readonly #observation: Observation = { observer: undefined };
  /** Largest body, bytes. */
  readonly maxBodyBytes: number;

  /** @internal */
  constructor(options: WebhookReceiverOptions) {
    checkReceiverOptions(options);
    const { store, endpoint, clock = backgroundClock } = options;
    this.#options = options;
    this.#account = endpointAccount(endpoint);
    this.#clock = clock;
    this.maxBodyBytes = options.maxBodyBytes ?? 1_048_576;
    this.#handling = new Handling({
      store,
      account: this.#account,
      clock,
      random: options.random ?? Math.random,
      handler: (event) => handlerOf(options, event),
      eventOf: (row) => parseEvent(bytesOf(row.body)),
      maxAttempts: options.maxAttempts ?? 8,
      concurrency: options.concurrency ?? 4,
      handlerTimeoutMs: options.handlerTimeout ?? 30_000,
      sweepMs: options.sweepEvery ?? 30_000,
      retentionMs: options.retention ?? 30 * DAY_MS,
      idRetentionMs: options.idRetention ?? Number.POSITIVE_INFINITY,
      report: (report) => this.#report(report),
      onStoreError: (error) => this.#report({ kind: 'store', error }),
      observation: this.#observation,
    });
    // Events of ended processes are handled without waiting for a delivery.
    clock.after(0, () => this.#handling.wake());
  }

  /**
   * Receives a delivery. Never rejects: failures are in the answer.
   *
   * @returns the reply to send
   */
  receive({ body, headers }: IncomingDelivery): Promise<WebhookAnswer> {
    return this.#take(body, headers);
  }

  /** @internal Sets the observer, for OpenTelemetry. */
  [observe](observation: Observation): void {
    Object.assign(this.#observation, observation);
  }

  #take(body: unknown, headers: HeaderSource): Promise<WebhookAnswer> {
    const facts: DeliveryFacts = {};
    const observed = { kind: 'delivery', name: 'webhooks.receive', facts } as const;
    return observing(this.#observation, observed, async () => {
      const { outcome, reason, eventId, ...rest } = await this.#answerOf(body, headers);
      const known = {
        outcome,
        ...(reason !== undefined && { reason }),
        ...(eventId !== undefined && { eventId }),
      };
      Object.assign(facts, known);
      return { ...rest, ...known };
    });
  }

  async #answerOf(body: unknown, headers: HeaderSource): Promise<WebhookAnswer> {
    try {
      const bytes = bytesOf(body);
      if (bytes.byteLength > this.maxBodyBytes) return this.tooLarge();
      const { secrets, tolerance } = this.#options;
      const { eventId } = verifySignature(bytes, headers, {
        secrets: await this.#currentSecrets(secrets),
        tolerance,
        now: this.#clock.now(),
      });
      this.#handling.confirmTime();
      return await this.#keep(bytes, eventId);
    } catch (error) {
      return this.#answerTo(error);
    }
  }

  /** Handles a Fetch `Request`: for Next.js, Hono, Bun, Deno and similar frameworks. */
  async fetch(request: Request): Promise<Response> {
    const { status, headers, body } = await this.#receiveFetch(request);
    return new Response(body, { status, headers });
  }

  /**
   * Handles a Node request: for `node:http`, Express with or without `express.raw`, and platforms that keep the bytes as
   * `request.rawBody`, such as Google Cloud Functions, Firebase, and NestJS with `rawBody: true`.
   */
  async node(request: NodeRequest, response: NodeResponse): Promise<void> {
    const { status, headers, body } = await this.#receiveNode(request);
    response.writeHead(status, headers);
    response.end(body);
  }

  /**
   * Receives a winner update of the pull API. If an update and a `sale.approved` event report the same decision, the second
   * one is a duplicate. Handlers get either as a `sale.approved` event.
   *
   * @returns `unrecognised` if the update lacks a sale, amount or version: handle it yourself.
   * @throws StoreError if the event could not be stored.
   */
  async winnerUpdate(update: unknown): Promise<'kept' | 'duplicate' | 'unrecognised'> {
    const event = saleApprovedOf(update);
    if (event === undefined) return 'unrecognised';
    const isNew = await this.#insert(event, JSON.stringify(event), 'winner_update');
    if (isNew) this.#handling.wake();
    return isNew ? 'kept' : 'duplicate';
  }

  /** Lists stored events in the order of arrival. Review those that are `failed_permanently` or `malformed`. */
  async list(
    query: {
      readonly state?: WebhookState | undefined;
      readonly after?: number | undefined;
      readonly limit?: number | undefined;
    } = {},
  ): Promise<readonly KeptWebhookEvent[]> {
    const { state, after, limit = 100 } = query;
    return listEvents(this.#options.store, this.#account, { state, after, limit });
  }

  /** Retries an event that failed permanently, from attempt 1. @returns false if it did not fail permanently */
  async retry(id: string): Promise<boolean> {
    const isRetried = await retryEvent(this.#options.store, this.#account, id, this.#clock.now());
    if (isRetried) this.#handling.wake();
    return isRetried;
  }

  /**
   * Marks an event that failed permanently or is malformed as handled, without its handler. The reason stays in its `error`.
   *
   * @returns false if it is in another state
   */
  dismiss(id: string, reason: string): Promise<boolean> {
    return dismissEvent(this.#options.store, this.#account, id, reason);
  }

  /** Handles events of ended processes, then resolves when nothing is due and no handler runs. */
  idle(): Promise<void> {
    this.#handling.wake();
    return this.#handling.idle();
  }

  /**
   * Starts no further handlers, and resolves when the running ones have ended. The store stays open.
   *
   * @param options `within`: time for running handlers to end, ms; defaults to 10,000. Then their signals fire, and the
   *   next receiver of this endpoint handles their events again. 0 does not wait; `Infinity` has no limit.
   * @throws ConfigurationError if `within` is negative or not a number
   */
  async close({ within = 10_000 }: { readonly within?: number | undefined } = {}): Promise<void> {
    if (!(within >= 0))
      throw new ConfigurationError('within', 'must be a number of milliseconds from 0', { given: within });
    await this.#handling.close(within, this.#options.clock ?? systemClock);
  }

  /** Same as `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal For adapters that stop reading before the body ends. */
  tooLarge(): WebhookAnswer {
    const error = `The body is larger than ${this.maxBodyBytes} bytes`;
    this.#report({ kind: 'too_large', error });
    return answer(413, 'too_large', { error: 'too_large' }, {}, { connection: 'close' });
  }

  async #receiveFetch(request: Request): Promise<WebhookAnswer> {
    if (request.method !== 'POST') return methodNotAllowed();
    if (request.bodyUsed) return this.#answerTo(alreadyRead('the Request', 'do not read it anywhere else'));
    const read = await readLimited(request.body ?? [], this.maxBodyBytes);
    if (read === 'too_large') return this.tooLarge();
    return this.#take(read, request.headers);
  }

  async #receiveNode(request: NodeRequest): Promise<WebhookAnswer> {
    if (request.method !== 'POST') return methodNotAllowed();
    const { body, rawBody } = request;
    if (rawBody !== undefined && rawBody !== null) return this.#take(rawBody, request.headers);
    // A framework has read the body: as bytes (`express.raw`), or parsed, which `receive` reports as `misused`.
    if (body !== undefined && body !== null) return this.#take(body, request.headers);
    if (request.readableEnded === true) {
      const nextStep = 'mount this handler before any middleware that reads bodies';
      return this.#answerTo(alreadyRead('the request', nextStep));
    }
    try {
      const read = await readLimited(request, this.maxBodyBytes);
      if (read === 'too_large') return this.tooLarge();
      return await this.#take(read, request.headers);
    } catch {
      // The sender has disconnected and won't read the response.
      return answer(400, 'refused', { error: 'incomplete' });
    }
  }

  async #keep(bytes: Uint8Array, header: string | undefined): Promise<WebhookAnswer> {
    let event: WebhookEvent;
    try {
      event = parseEvent(bytes, header);
    } catch (error) {
      if (!(error instanceof WebhookVerificationError) || error.reason === 'event_id_mismatch') throw error;
      return this.#keepMalformed(bytes, error);
    }
    if (event.type === 'webhook.endpoint_verification') {
      const challenge = challengeOf(event);
      if (challenge !== undefined) return answer(200, 'challenge', { challenge }, { eventId: event.id });
    }
    const isNew = await this.#insert(event, storedBodyOf(bytes), 'webhook');
    const outcome = isNew ? 'kept' : 'duplicate';
    if (this.#options.enqueue !== undefined) {
      const isQueued = await this.#handling.handleNow(isNew ? keyOf(event.id) : await this.#keptAs(event));
      if (!isQueued) return answer(503, 'unavailable', { error: 'not_enqueued' }, { eventId: event.id });
    } else if (isNew) {
      // After the reply, so that a slow synchronous handler does not delay it.
      this.#clock.after(0, () => this.#handling.wake());
    }
    return answer(200, outcome, { received: true }, { eventId: event.id });
  }

  /** Stored under its digest, so that it never blocks an event with the same id. */
  async #keepMalformed(bytes: Uint8Array, error: WebhookVerificationError): Promise<WebhookAnswer> {
    await this.#within((tx) =>
      tx.webhookEvents.insert({
        id: `sha256:${sha256Hex(bytes)}`,
        type: 'malformed',
        state: 'malformed',
        source: 'webhook',
        body: storedBodyOf(bytes),
        receivedAt: this.#clock.now(),
        error: `${error.reason}: ${error.message}`.replaceAll('\0', '').slice(0, 500),
      }),
    );
    this.#report({ kind: 'malformed', error });
    return answer(200, 'malformed', { received: true }, { reason: error.reason });
  }

  /** @returns false if the event was stored before */
  async #insert(event: WebhookEvent, body: string, source: string): Promise<boolean> {
    const id = keyOf(event.id);
    const other = this.#keeping.get(id);
    if (other !== undefined) {
      await other;
      return false;
    }
    const { resource, resourceVersion, fact } = factsOf(event);
    const row: WebhookEventRow = {
      id,
      type: keyOf(event.type),
      state: 'pending',
      ...(resource !== undefined && { resource: keyOf(resource), resourceVersion }),
      ...(fact !== undefined && { fact: keyOf(fact) }),
      source,
      body,
      receivedAt: this.#clock.now(),
    };
    const keeping = this.#within((tx) => tx.webhookEvents.insert(row));
    this.#keeping.set(id, keeping);
    try {
      return await keeping;
    } finally {
      this.#keeping.delete(id);
    }
  }

  /** The id under which an event is stored: its own, or that of an earlier message about the same fact. */
  #keptAs(event: WebhookEvent): Promise<string> {
    const id = keyOf(event.id);
    const { fact } = factsOf(event);
    return this.#within(async ({ webhookEvents }) => {
      const own = await webhookEvents.get(id);
      const other = own ?? (fact === undefined ? undefined : await webhookEvents.withFact(keyOf(fact)));
      return other?.id ?? id;
    });
  }

  #answerTo(error: unknown): WebhookAnswer {
    if (!(error instanceof WebhookVerificationError)) {
      // The store or the `secrets` function failed: the event is not stored, so the reply is no 2xx.
      this.#report({ kind: 'store', error });
      return answer(503, 'unavailable', { error: 'unavailable' });
    }
    const { reason } = error;
    if (reason === 'body_not_bytes') {
      this.#report({ kind: 'misused', error });
      return answer(500, 'misused', { error: 'misused' }, { reason });
    }
    this.#report({ kind: 'refused', error });
    return answer(400, 'refused', { error: reason }, { reason });
  }

  /** Calls the `secrets` function if there is one. */
  #currentSecrets(secrets: CommonOptions['secrets']): WebhookSecrets | Promise<WebhookSecrets> {
    if (typeof secrets !== 'function') return secrets;
    return ask(() => secrets(), { name: 'secrets', clock: this.#clock, limit: SECRETS_MS });
  }

  #report(report: WebhookReport): void {
    const { onReport = printReport } = this.#options;
    notify('onReport', () => onReport(report), printWarning);
  }

  #within<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    return transact(this.#options.store, this.#account, work);
  }
}

/**
 * Creates a receiver of webhooks. It verifies the raw bytes, stores each event once, replies 2xx, then runs your handler, and
 * runs it again after a failure or a crash.
 *
 * @throws ConfigurationError for options that can't work.
 */
export function webhookReceiver(options: WebhookReceiverOptions): WebhookReceiver {
  return new WebhookReceiver(options);
}

/** The request of `node()`: an `IncomingMessage`, or the `Request` of Express. */
export interface NodeRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly headers: HeaderSource;
  readonly readableEnded?: boolean | undefined;
  readonly body?: unknown;
  /** The bytes as received, if a platform keeps them next to its parsed `body`. */
  readonly rawBody?: unknown;
}

/** The response of `node()`, such as a `ServerResponse`. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

function answer(
  status: number,
  outcome: WebhookAnswer['outcome'],
  body: object,
  more: Pick<WebhookAnswer, 'reason' | 'eventId'> = {},
  headers: Readonly<Record<string, string>> = {},
): WebhookAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    outcome,
    ...more,
  };
}

function methodNotAllowed(): WebhookAnswer {
  return answer(405, 'refused', { error: 'method_not_allowed' }, {}, { allow: 'POST' });
}

function alreadyRead(what: string, nextStep: string): WebhookVerificationError {
  return new WebhookVerificationError(
    'body_not_bytes',
    `The body of ${what} can't be verified: it has been read already.`,
    `Signatures are over the raw bytes: ${nextStep}.`,
  );
}

/** Reads a body up to a limit of bytes, and no further. */
async function readLimited(
  source: AsyncIterable<unknown> | Iterable<never>,
  limit: number,
): Promise<Uint8Array | 'too_large'> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Without `for await`, which would destroy the connection before the 413 is sent.
  const iterator =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  for (;;) {
    const next = await iterator.next();
    if (next.done === true) break;
    const chunk = bytesOf(next.value);
    size += chunk.byteLength;
    if (size > limit) return 'too_large';
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

/** A key that every database can store and index: long or non-ASCII names are replaced by their digest. */
function keyOf(name: string): string {
  return /^[\x20-\x7e]{1,200}$/.test(name) ? name : `sha256:${sha256Hex(new TextEncoder().encode(name))}`;
}

function storedBodyOf(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Not UTF-8.
  }
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `base64:${btoa(binary)}`;
}

function printReport(report: WebhookReport): void {
  const about = 'eventId' in report ? ` ${report.type} ${report.eventId}, attempt ${report.attempt}` : '';
  const { error } = report;
  const why = isError(error) ? (error.stack ?? `${error.name}: ${error.message}`) : String(error);
  console.warn(`[vehicle-auction] webhook ${report.kind}${about}: ${why}`);
}

function printWarning(message: string, fields: () => Readonly<Record<string, unknown>>): void {
  console.warn(`[vehicle-auction] ${message}`, fields());
}
