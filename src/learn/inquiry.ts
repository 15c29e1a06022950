import type { BankClient } from '../client/bank-client.js';
import type { PartnerClient } from '../client/partner-client.js';
import { responseOf } from '../core/reply/reply.js';
import type { RawRequest } from '../core/request/raw.js';
import { ApiError, AuthenticationError, RateLimitError } from '../errors/api.js';
import { VehicleAuctionError } from '../errors/base.js';
import { AbortedError } from '../errors/connection.js';
import { firstWords } from '../errors/text.js';
import type { MutationOptions } from '../ports/caller.js';
import type { Clock } from '../ports/clock.js';
import { sleep } from '../runtime/timers.js';

/** One request and its reply. It has no headers, so it holds no credential and no signature. */
export interface Exchange {
  /** Method and path with query, such as `GET /events?status=active`, and the body of a POST. */
  readonly request: string;
  readonly status: number;
  /** The JSON of a success; undefined for an error. */
  readonly body: unknown;
  readonly codes: readonly string[];
  readonly message: string | undefined;
  /** Fields that a validation reply names. */
  readonly fields: readonly string[];
}

/** What `Inquiry` needs. */
export interface InquiryOptions {
  readonly client: PartnerClient | BankClient;
  readonly clock: Clock;
  /** Part of the request quota that may be used, above 0 and at most 1. */
  readonly share: number;
  /** Milliseconds after which no further request is sent. */
  readonly within: number;
  /** A new UUID. */
  readonly uuid: () => string;
  readonly signal?: AbortSignal | undefined;
}

type Query = Readonly<Record<string, string | number>>;

/**
 * Sends the requests of the probes one after the other, evenly spaced. The same read is sent once.
 *
 * Methods return undefined where there is no answer to learn from: no reply, a 429, a 5xx, or time is up.
 */
export class Inquiry {
  readonly client: PartnerClient | BankClient;
  /** Requests that were sent. */
  sent = 0;
  /** Requests that were not sent because time was up. */
  unsent = 0;
  readonly #options: InquiryOptions;
  readonly #startedAt: number;
  readonly #reads = new Map<string, Promise<Exchange | undefined>>();
  #nextAt = 0;

  constructor(options: InquiryOptions) {
    this.client = options.client;
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
      const { status, body } = responseOf(await call({ lane: 'poll', signal: this.#options.signal }));
      return { request, status, body, codes: [], message: undefined, fields: [] };
    } catch (error) {
      return refusal(request, error);
    }
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
function refusal(request: string, error: unknown): Exchange | undefined {
  if (error instanceof AuthenticationError || error instanceof AbortedError) throw error;
  if (!(error instanceof VehicleAuctionError)) throw error;
  if (!(error instanceof ApiError) || error instanceof RateLimitError || error.status >= 500)
    return undefined;
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

function requestText({ method, path, query = {}, body }: RawRequest): string {
  const parts = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const target = parts.length === 0 ? path : `${path}?${parts.join('&')}`;
  return body === undefined
    ? `${method} ${target}`
    : `${method} ${target} ${firstWords(JSON.stringify(body), 160)}`;
}
