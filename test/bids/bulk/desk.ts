import type {
  BatchRun,
  BidRow,
  PlaceAllOptions,
  RowResult,
  RowSource,
} from '../../../src/bids/bulk/types.js';
import type { PartnerClientOptions } from '../../../src/client/options.js';
import type { PartnerClient } from '../../../src/client/partner-client.js';
import {
  type Transport,
  TransportFailure,
  type TransportReply,
  type TransportRequest,
} from '../../../src/core/transport/transport.js';
import { acceptance, lookup, messageOnly, recordedRejection, refusal } from '../../support/bid-replies.js';
import { Scene } from '../../support/bidders.js';
import type { Step } from '../../support/scripted-transport.js';
import { ToldTime } from '../../support/told-time.js';
import type { VirtualClock } from '../../support/virtual-clock.js';

/** A bid that left. */
export interface SentBid {
  readonly lot: string;
  readonly amount: string;
  readonly buyer: string;
  readonly key: string;
  /** Ms since the beginning. */
  readonly at: number;
}

/** What the service does with a bid: a reply, silence, or a cut after it was taken in. */
export type Answer = 'accepted' | 'rejected' | 'silence' | 'cut' | Step;

export interface DeskOptions {
  /** How long a reply takes, ms. */
  readonly takes?: number | ((bid: SentBid) => number);
  /** How long a connection takes to make, ms; the request leaves after it. */
  readonly connectMs?: number;
  readonly answer?: (bid: SentBid) => Answer | undefined;
  /** What a lookup by key finds; nothing when left out. */
  readonly found?: (key: string) => Step | undefined;
  readonly client?: Partial<PartnerClientOptions<'platform'>>;
}

/** A client, its store and the service that it bids at, in virtual time. */
export function desk(options: DeskOptions = {}) {
  const scene = new Scene();
  const { clock, store } = scene;
  const service = new Service(clock, options);
  const time = new ToldTime(service, clock);
  const logged: string[] = [];
  const note = (line: string) => logged.push(line);
  const logger = { error: note, warn: note, info: () => undefined, debug: () => undefined };
  const newClient = (changes: Partial<PartnerClientOptions<'platform'>> = {}) =>
    scene.platform([], {
      transport: time,
      quota: { limit: Number.POSITIVE_INFINITY, scope: 'client' },
      logger,
      logLevel: 'warn',
      ...options.client,
      ...changes,
    }).client;
  const auction = newClient();
  return {
    clock,
    store,
    service,
    logged,
    auction,
    newClient,
    /** How often A01 was read. */
    get timeAsked() {
      return time.asked;
    },
    get sent() {
      return service.sent;
    },
    placeAll: <R extends BidRow<'platform'>>(
      rows: RowSource<R>,
      options: Partial<PlaceAllOptions<R>> = {},
      by: PartnerClient<'platform'> = auction,
    ): BatchRun<R> => by.bids.placeAll(rows, { batchId: 'b1', ...options }),
    /** Lets time pass until the batch is over. */
    async end<R>(run: BatchRun<R>) {
      const summary = await scene.during(run.summary);
      return { summary, results: inOrder(await run.toArray().catch(() => [])) };
    },
    during: <T>(work: Promise<T>) => scene.during(work),
  };
}

function inOrder<R>(results: readonly RowResult<R>[]): RowResult<R>[] {
  return [...results].sort((one, other) => one.position - other.position);
}

/** The status of each row, in the order of the rows. */
export function statuses<R>(results: readonly RowResult<R>[]): Record<string, string> {
  return Object.fromEntries(inOrder(results).map(({ rowId, status }) => [rowId ?? '?', status]));
}

export function row(
  rowId: string,
  lot: BidRow['lot'],
  amount: string,
  more: Partial<BidRow<'platform'>> = {},
): BidRow<'platform'> {
  return { rowId, lot, amount, bidderReference: 'buyer-1', ...more };
}

/** So many rows, each on a lot of its own. */
export function rows(count: number, more: Partial<BidRow<'platform'>> = {}): BidRow<'platform'>[] {
  return Array.from({ length: count }, (_, index) => row(`r${index + 1}`, `lot_${index + 1}`, '100', more));
}

/** A reply that turns a bid away. */
export const turnedAway = (status: number, code?: string): Step =>
  code === undefined ? messageOnly(status) : refusal(status, code);

/** Answers bids, each key once: the same key again gets the same verdict, as a replay. */
class Service implements Transport {
  readonly sent: SentBid[] = [];
  /** Keys that were looked up (A06). */
  readonly lookups: string[] = [];
  inFlight = 0;
  mostInFlight = 0;
  readonly #clock: VirtualClock;
  readonly #options: DeskOptions;
  readonly #startedAt: number;

  constructor(clock: VirtualClock, options: DeskOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#startedAt = clock.monotonic();
  }

  async send(request: TransportRequest): Promise<TransportReply> {
    const { connectMs = 0 } = this.#options;
    const leave = request.connecting?.();
    if (connectMs > 0) await this.#pass(connectMs);
    leave?.();
    if (request.signal.aborted) throw new TransportFailure('no', request.signal.reason);
    const path = request.path.replace('/api/v1', '');
    const [, lot] = /^\/lots\/([^/]+)\/bids$/.exec(path) ?? [];
    if (lot === undefined) return this.#read(path);
    return this.#bid(lot, request);
  }

  async close(): Promise<void> {}

  async #bid(lot: string, { body }: TransportRequest): Promise<TransportReply> {
    if (!(body instanceof Uint8Array)) throw new Error('a bid without a body');
    const fields: { amount: string; bidder_reference: string; idempotency_key: string } = JSON.parse(
      Buffer.from(body).toString(),
    );
    const { takes = 100, answer = () => undefined } = this.#options;
    const bid: SentBid = {
      lot,
      amount: fields.amount,
      buyer: fields.bidder_reference,
      key: fields.idempotency_key,
      at: this.#clock.monotonic() - this.#startedAt,
    };
    this.sent.push(bid);
    this.inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    const verdict = answer(bid) ?? 'accepted';
    if (verdict === 'silence') return new Promise(() => undefined);
    await this.#pass(typeof takes === 'function' ? takes(bid) : takes);
    this.inFlight -= 1;
    if (verdict === 'cut') throw new TransportFailure('maybe', new Error('the connection was cut'));
    // Ids belong to one bid only.
    const ids = { bid_id: `bid_${bid.key}`, request_id: `req_${bid.key}` };
    if (verdict === 'accepted') return replyOf(acceptance(ids));
    return replyOf(verdict === 'rejected' ? recordedRejection(['BID_BELOW_MINIMUM'], ids) : verdict);
  }

  #read(path: string): TransportReply {
    const key = /^\/bid-requests\/(.+)$/.exec(path)?.[1];
    if (key === undefined) return replyOf(messageOnly(404));
    this.lookups.push(key);
    return replyOf(this.#options.found?.(key) ?? lookup('absent', { key, at: this.#clock.now() }));
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.after(ms, resolve);
    });
  }
}

function replyOf(step: Step): TransportReply {
  if (!('status' in step)) throw new Error('a step that is no reply');
  const text = 'text' in step && step.text !== undefined ? step.text : JSON.stringify(step.json);
  return { status: step.status, headers: step.headers ?? {}, body: once(text), discard: () => undefined };
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
