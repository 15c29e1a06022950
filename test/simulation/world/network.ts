import {
  type Transport,
  TransportFailure,
  type TransportReply,
  type TransportRequest,
} from '../../../src/core/transport/transport.js';
import type { Service } from '../service/service.js';
import { html, message, parsed, type WireReply, type WireRequest } from '../service/wire.js';
import type { Choices } from './choices.js';
import type { Faults } from './faults.js';
import { never, type SimulatedProcess } from './process.js';
import { damaged } from './replies.js';
import type { Timeline } from './timeline.js';

export interface NetworkParts {
  readonly timeline: Timeline;
  readonly choices: Choices;
  readonly faults: Faults;
  readonly service: Service;
  /** Told of every request at the moment its first byte leaves; returns its number. */
  leaves(process: SimulatedProcess, request: WireRequest, askedAt: number): number;
  /** Told of a bid whose process is given the reply of another. */
  crossed(key: string): void;
  /** Told of a request of which a copy was made. */
  copied(request: WireRequest): void;
  /** Told of a message-only 4xx of a gateway. */
  answeredByGateway(request: WireRequest): void;
  /** Told of every reply that reaches a process whole. */
  reached(process: SimulatedProcess, request: WireRequest, reply: WireReply): void;
  note(line: string): void;
}

/** How late what is late arrives, ms: within the window of 300 s, and at its very edges. */
const LATE_MS = [250_000, 40_000, 100_000, 16_000, 295_000] as const;
/** What gateways answer without the service's codes. */
const BARE = [403, 401, 404, 405, 413] as const;
const EDGE_MS = [0, 1, -1_000, 10_000] as const;

/** Carries requests and replies between processes and the service, as badly as it is told to. */
export class Network {
  readonly #parts: NetworkParts;
  /** Bids that wait for their reply. */
  readonly #waiting = new Set<Exchange>();

  constructor(parts: NetworkParts) {
    this.#parts = parts;
  }

  /** The network as one process sees it. */
  transportOf(process: SimulatedProcess): Transport {
    return {
      send: (request) => this.#send(process, request),
      close: async () => undefined,
    };
  }

  #send(process: SimulatedProcess, request: TransportRequest): Promise<TransportReply> {
    if (process.crashesAt('crash before a send')) return never();
    const { faults, choices } = this.#parts;
    const exchange = new Exchange(process, request, this.#parts);
    const slow = faults.strikes('connect slow');
    const connectMs = slow ? 1_000 * (1 + choices.choose('connecting', 30)) : this.#latency();
    const fails = faults.strikes('connect failed');
    this.#parts.timeline.after(connectMs, () => {
      if (process.isDead || exchange.isOver) return;
      if (fails) exchange.fail('no', new Error('connect ECONNREFUSED'));
      else this.#leave(process, exchange);
    });
    return exchange.promise;
  }

  /** The first byte leaves: from here on nobody can take it back. */
  #leave(process: SimulatedProcess, exchange: Exchange): void {
    exchange.hasLeft = true;
    if (isBid(exchange.wire)) this.#waiting.add(exchange);
    const number = this.#parts.leaves(process, exchange.wire, exchange.askedAt);
    process.crashesAt('crash after a send');
    const { faults } = this.#parts;
    const mutates = exchange.wire.method !== 'GET';
    const answerOfProxy = this.#proxyInstead();
    if (answerOfProxy !== undefined) {
      this.#answer(exchange, answerOfProxy);
      return;
    }
    if (mutates && faults.strikes('gateway refuses by itself')) {
      this.#answer(exchange, this.#bare(exchange));
      return;
    }
    if (mutates && faults.strikes('gateway answers early')) this.#answer(exchange, this.#bare(exchange));
    this.#carry(exchange, number);
  }

  /** A gateway's own word, which looks like the service's. */
  #bare({ wire }: Exchange): WireReply {
    this.#parts.answeredByGateway(wire);
    return message(BARE[this.#parts.choices.choose('bare', BARE.length)] ?? 403, 'Forbidden');
  }

  #carry(exchange: Exchange, number: number): void {
    const { faults } = this.#parts;
    // A read that comes twice, or past its time, does nothing to anybody.
    const mutates = exchange.wire.method !== 'GET';
    if (mutates && faults.strikes('copy made')) {
      const twice = faults.strikes('proxy sends twice');
      if (twice) exchange.takesAnswersFrom = 'copy';
      this.#parts.copied(exchange.wire);
      const first = faults.strikes('copy overtakes');
      this.#arrive(exchange, number, first ? 1 : twice ? 200 : this.#lateMs(exchange, false), 'copy');
    }
    if (faults.strikes('request lost')) return;
    const tooLate = mutates && faults.strikes('request too late');
    const late = tooLate || faults.strikes('request late');
    const ms = late ? this.#lateMs(exchange, tooLate) : this.#latency();
    this.#arrive(exchange, number, ms, 'original');
  }

  #arrive(exchange: Exchange, number: number, ms: number, which: 'original' | 'copy'): void {
    this.#parts.timeline.after(ms, () => {
      this.#parts.note(`network: the ${which} of request ${number} arrives`);
      this.#parts.service.receive({ request: exchange.wire, number }, (reply) => {
        if (exchange.takesAnswersFrom === which) this.#answer(exchange, reply);
      });
    });
  }

  #answer(exchange: Exchange, reply: WireReply): void {
    const { faults, choices } = this.#parts;
    if (exchange.givenTo !== undefined) {
      this.#hand(exchange.givenTo, reply);
      return;
    }
    if (isVerdict(reply) && isBid(exchange.wire) && this.#crosses(exchange, reply)) return;
    if (faults.strikes('reply lost')) return;
    const mutates = exchange.wire.method !== 'GET';
    if (mutates && faults.strikes('gateway replaces the reply')) {
      this.#hand(exchange, this.#bare(exchange));
      return;
    }
    const hidden = faults.strikes('proxy hides the reply');
    const shown = hidden ? html([502, 504, 403][choices.choose('hiding', 3)] ?? 502) : reply;
    this.#hand(exchange, shown);
  }

  /** Gives the reply of one bid to another that waits; whether its own process hears nothing of it. */
  #crosses(exchange: Exchange, reply: WireReply): boolean {
    const { faults, crossed, timeline } = this.#parts;
    const key = exchange.wire.headers['idempotency-key'];
    const other = [...this.#waiting].find(
      (one) => !one.isOver && !one.isGiven && one.wire.headers['idempotency-key'] !== key,
    );
    if (other === undefined || !faults.strikes('reply crossed')) return false;
    crossed(other.wire.headers['idempotency-key'] ?? '');
    other.isGiven = true;
    timeline.after(this.#latency(), () => other.answer(reply));
    if (!faults.strikes('replies swapped')) return false;
    crossed(key ?? '');
    other.givenTo = exchange;
    exchange.isGiven = true;
    return true;
  }

  #hand(exchange: Exchange, shown: WireReply): void {
    const { faults, timeline, choices } = this.#parts;
    const late = faults.strikes('reply late');
    const ms = late ? (LATE_MS[choices.choose('late', LATE_MS.length)] ?? 0) : this.#latency();
    timeline.after(ms, () => exchange.answer(shown));
  }

  #proxyInstead(): WireReply | undefined {
    const { faults } = this.#parts;
    if (faults.strikes('proxy answers 403 in HTML')) return html(403);
    if (faults.strikes('proxy answers 422 in HTML')) return html(422);
    if (faults.strikes('proxy answers 502 in HTML')) return html(502);
    if (faults.strikes('proxy answers 200 in HTML')) return html(200);
    return undefined;
  }

  #lateMs({ wire }: Exchange, tooLate: boolean): number {
    const { choices, timeline } = this.#parts;
    if (!tooLate) return LATE_MS[choices.choose('late', LATE_MS.length)] ?? 0;
    const edge = Number(wire.headers['x-timestamp']) * 1000 + 300_000 - timeline.now;
    return Math.max(0, edge + (EDGE_MS[choices.choose('edge', EDGE_MS.length)] ?? 0));
  }

  #latency(): number {
    return 1 + this.#parts.choices.choose('latency', 30);
  }
}

/** One attempt of a process, from its connection to its reply. */
class Exchange {
  readonly promise: Promise<TransportReply>;
  readonly wire: WireRequest;
  readonly askedAt: number;
  hasLeft = false;
  isOver = false;
  /** It gets the reply of another, or has got it. */
  isGiven = false;
  /** Its own reply goes there. */
  givenTo: Exchange | undefined;
  /** Where a proxy sent it twice, the client hears what the second one brought. */
  takesAnswersFrom: 'original' | 'copy' = 'original';
  readonly #process: SimulatedProcess;
  readonly #signal: AbortSignal;
  readonly #parts: NetworkParts;
  #resolve: (reply: TransportReply) => void = () => undefined;
  #reject: (failure: TransportFailure) => void = () => undefined;

  constructor(process: SimulatedProcess, request: TransportRequest, parts: NetworkParts) {
    this.#process = process;
    this.#parts = parts;
    this.#signal = request.signal;
    this.wire = wireOf(request);
    this.askedAt = parts.timeline.now;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const deaf = parts.faults.strikes('transport deaf to aborts');
    const stop = () => {
      if (!deaf || !this.hasLeft) this.fail(this.hasLeft ? 'maybe' : 'no', request.signal.reason);
    };
    if (request.signal.aborted) stop();
    else request.signal.addEventListener('abort', stop, { once: true });
  }

  fail(sent: 'no' | 'maybe', cause: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#process.deliver(() => this.#reject(new TransportFailure(sent, cause)));
  }

  answer(reply: WireReply): void {
    if (this.isOver) this.#parts.faults.note('reply after the client gave up');
    if (this.isOver || this.#process.isDead) return;
    this.isOver = true;
    this.#process.deliver(() => {
      if (this.#process.crashesAt('crash before a receive')) return;
      this.#parts.note(`network: ${reply.status} reaches ${this.#process.name}`);
      // What comes late, or to a process that stood still, tells server time only roughly.
      this.#process.heard(this.#parts.timeline.now - this.askedAt);
      const onRead = () => {
        if (!this.#signal.aborted) this.#parts.reached(this.#process, this.wire, reply);
      };
      this.#resolve(damaged(reply, this.#parts.faults, onRead));
      this.#parts.timeline.after(0, () => this.#process.crashesAt('crash after a receive'));
    });
  }
}

function isBid({ method, path }: WireRequest): boolean {
  return method === 'POST' && path.endsWith('/bids');
}

/** A reply that says what became of a bid. */
function isVerdict({ body }: WireReply): boolean {
  const data = parsed(body)?.['data'];
  const status: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'status') : undefined;
  return status === 'accepted' || status === 'rejected';
}

function wireOf({ method, path, headers, body }: TransportRequest): WireRequest {
  if (body !== undefined && !(body instanceof Uint8Array)) throw new Error('Files are not simulated');
  return {
    method,
    path,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    body: body === undefined ? '' : Buffer.from(body).toString(),
  };
}
