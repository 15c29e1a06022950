import { codeFacts } from '../api/codes.js';
import { BankClient } from '../client/bank-client.js';
import type { PartnerClient } from '../client/partner-client.js';
import { responseOf } from '../core/reply/reply.js';
import type { RawRequest } from '../core/request/raw.js';
import { ApiError, RateLimitError } from '../errors/api.js';
import { VehicleAuctionError } from '../errors/base.js';
import { AbortedError } from '../errors/connection.js';
import { firstWords } from '../errors/text.js';
import type { MutationOptions } from '../ports/caller.js';
import type { Clock } from '../ports/clock.js';
import { sleep } from '../runtime/timers.js';
import type { Exchange } from './exchange.js';
import { type HandSigned, type HandSigning, sendByHand } from './hand-signed.js';

/** The key of an accepted bid. */
export interface PlacedKey {
  readonly key: string;
  /** Id of the bid. */
  readonly bid: string;
  /** Server time. */
  readonly placedAt: string;
}

/** Options of `Inquiry`. */
export interface InquiryOptions {
  readonly client: PartnerClient | BankClient;
  readonly clock: Clock;
  readonly kind: string | undefined;
  /** Part of the request quota that may be used, above 0 and at most 1. */
  readonly share: number;
  /** Milliseconds after which no further request is sent. */
  readonly within: number;
  /** How to sign a request that no method sends; such questions stay open without it. */
  readonly signing?: HandSigning | undefined;
  /** Keys of bids that earlier runs have placed. */
  readonly keys: readonly PlacedKey[];
  /** A new UUID. */
  readonly uuid: () => string;
  readonly signal?: AbortSignal | undefined;
}

type Query = Readonly<Record<string, string | number>>;

/**
 * Sends the requests of the probes one after the other, evenly spaced. The same read is sent once.
 *
 * Methods return undefined if there is no answer to learn from: no reply, a 429, a 5xx, or time is up.
 */
export class Inquiry {
  readonly client: PartnerClient | BankClient;
  readonly actor: 'partner' | 'bank';
  /** Kind of a partner as the service calls it; undefined for a bank. */
  readonly kind: string | undefined;
  /** Requests that were sent. */
  sent = 0;
  /** Keys of bids that this run has placed. */
  readonly keys: PlacedKey[] = [];
  /** Requests that were not sent because time was up. */
  unsent = 0;
  readonly #options: InquiryOptions;
  readonly #startedAt: number;
  readonly #reads = new Map<string, Promise<Exchange | undefined>>();
  #nextAt = 0;

  constructor(options: InquiryOptions) {
    this.client = options.client;
    this.actor = options.client instanceof BankClient ? 'bank' : 'partner';
    this.kind = options.kind;
    this.#options = options;
    this.#startedAt = options.clock.monotonic();
  }

  uuid(): string {
    return this.#options.uuid();
  }

  /** Reads a path, once for the same query. */
  get(path: string, query: Query = {}): Promise<Exchange | undefined> {
    const name = requestText({ method: 'GET', path, query });
    let reading = this.#reads.get(name);
    if (reading === undefined) {
      reading = this.send({ method: 'GET', path, query });
      this.#reads.set(name, reading);
    }
    return reading;
  }

  /** Sends a request each time it is called. */
  send(request: RawRequest, options: MutationOptions = {}): Promise<Exchange | undefined> {
    return this.attempt(requestText(request), (limits) =>
      this.client.request(request, { ...limits, ...options }),
    );
  }

  /** Makes a call of the client and returns what the service answered. */
  async attempt(
    request: string,
    call: (options: MutationOptions) => Promise<unknown>,
  ): Promise<Exchange | undefined> {
    if (!(await this.#turn())) {
      this.unsent += 1;
      return undefined;
    }
    this.sent += 1;
    try {
      const value = await call({ lane: 'poll', signal: this.#options.signal });
      // A reply whose data is null or a plain value comes without its status.
      if (typeof value !== 'object' || value === null) return undefined;
      const { status, body } = responseOf(value);
      return { request, status, body, codes: [], message: undefined, fields: [] };
    } catch (error) {
      return refusalExchange(request, error);
    }
  }

  /** Sends a request that the client would not send, signed here. A reply of any status below 500 counts. */
  async byHand(request: HandSigned): Promise<Exchange | undefined> {
    const { signing, uuid, clock, signal } = this.#options;
    if (signing === undefined) return undefined;
    if (!(await this.#turn())) {
      this.unsent += 1;
      return undefined;
    }
    this.sent += 1;
    const reply = await sendByHand(signing, request, { clock, signal, now: this.now(), nonce: uuid() });
    if (reply === undefined || reply.status === 429 || reply.status >= 500) return undefined;
    const query = (request.query ?? []).map(([name, value]) => `${name}=${value}`).join('&');
    const target = query === '' ? request.path : `${request.path}?${query}`;
    const headers = request.headers === undefined ? '' : ` ${JSON.stringify(request.headers)}`;
    const body = request.body === undefined ? '' : ` ${firstWords(request.body, 160)}`;
    return { ...reply, request: `${request.method} ${target}${headers}${body}` };
  }

  /** Server time, Unix ms. */
  now(): number {
    return this.client.clock.now();
  }

  /** Keys of bids that earlier runs have placed. */
  get earlierKeys(): readonly PlacedKey[] {
    return this.#options.keys;
  }

  /** Records the key of a bid that the service has accepted, so that a later run can look it up. */
  remember(key: string, bid: string): void {
    this.keys.push({ key, bid, placedAt: new Date(this.now()).toISOString() });
  }

  /** Waits until the next request may be sent; false once time is up. */
  async #turn(): Promise<boolean> {
    const { clock, share, within, signal } = this.#options;
    const { limit, window } = this.client.quota.state();
    const now = clock.monotonic();
    const at = Math.max(now, this.#nextAt);
    if (at - this.#startedAt > within) return false;
    this.#nextAt = at + window / (limit * share);
    if (at > now) await sleep(clock, at - now, signal);
    return true;
  }
}

/** An error reply that answers the question. Others are no answer, or end the run. */
function refusalExchange(request: string, error: unknown): Exchange | undefined {
  if (error instanceof AbortedError || !(error instanceof VehicleAuctionError)) throw error;
  if (!(error instanceof ApiError) || error instanceof RateLimitError || error.status >= 500)
    return undefined;
  // A refusal of the credentials answers no question.
  if (error.status === 401 || error.codes.some(isAboutCredentials)) return undefined;
  const { status, codes, serviceMessage, fieldErrors } = error;
  return {
    request,
    status,
    body: undefined,
    codes,
    message: serviceMessage,
    fields: Object.keys(fieldErrors),
  };
}

function isAboutCredentials(code: string): boolean {
  const facts = codeFacts(code);
  return facts?.everywhere === true && code !== 'SCOPE_DENIED' && code !== 'BANK_ACCESS_DENIED';
}

function requestText({ method, path, query = {}, body }: RawRequest): string {
  const parts = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const target = parts.length === 0 ? path : `${path}?${parts.join('&')}`;
  return body === undefined
    ? `${method} ${target}`
    : `${method} ${target} ${firstWords(JSON.stringify(body), 160)}`;
}
