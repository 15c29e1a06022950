import {
  type Transport,
  TransportFailure,
  type TransportReply,
  type TransportRequest,
} from '../../../src/core/transport/transport.js';
import type { Witness } from '../checks/witness.js';
import type { Service } from '../service/service.js';
import { html, message, parsed, type WireReply, type WireRequest } from '../service/wire.js';
import type { Stage } from './faults.js';
import { never, type SimulatedProcess } from './process.js';

/** How late what is late arrives, ms: within the window of 300 s, and at its very edges. */
const LATE_MS = [250_000, 40_000, 100_000, 16_000, 295_000] as const;
/** What gateways answer without the service's codes. */
const BARE = [403, 401, 404, 405, 413] as const;
const EDGE_MS = [0, 1, -1_000, 10_000] as const;
/** How long a backend is gone, ms: a restart, a reload, a replaced proxy. */
const GONE_MS = [4_000, 800, 1_500, 8_000, 20_000] as const;
/** What a proxy answers in the service's place. */
const PROXY_PAGES = [
  ['proxy answers 403 in HTML', 403],
  ['proxy answers 422 in HTML', 422],
  ['proxy answers 502 in HTML', 502],
  ['proxy answers 200 in HTML', 200],
] as const;

/** Carries requests and replies between processes and the service, as badly as it is told to. */
export class Network {
  readonly #stage: Stage;
  readonly #service: Service;
  readonly #witness: Witness;
  /** The latest reply to each read, and when the service gave it: what a cache in front of the service has. */
  readonly #stored = new Map<string, { readonly reply: WireReply; readonly at: number }>();
  /** Bids that wait for their reply. */
  readonly #waiting = new Set<Exchange>();
  /** Until when the service can't be reached, and how that shows. */
  #outage: { readonly until: number; readonly shows: 'refused' | 'page' } | undefined;

  constructor(stage: Stage, service: Service, witness: Witness) {
    this.#stage = stage;
    this.#service = service;
    this.#witness = witness;
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
    const { faults, choices } = this.#stage;
    const exchange = new Exchange(process, request, this.#stage, this.#witness);
    const slow = faults.strikes('connect slow');
    const connectMs = slow ? 1_000 * (1 + choices.choose('connecting', 30)) : this.#latency();
    const fails = faults.strikes('connect failed');
    this.#stage.timeline.after(connectMs, () => {
      if (process.isDead || exchange.isOver) return;
      const outage = this.#outageNow();
      if (fails || outage === 'refused') exchange.fail('no', new Error('connect ECONNREFUSED'));
      else this.#leave(process, exchange, outage !== undefined);
    });
    return exchange.promise;
  }

  /** How the service can't be reached at this moment; undefined if it can. */
  #outageNow(): 'refused' | 'page' | undefined {
    const { faults, choices, timeline } = this.#stage;
    if (faults.strikes('backend gone')) {
      const ms = GONE_MS[choices.choose('gone for', GONE_MS.length)] ?? 0;
      const shows = choices.choose('gone shows', 2) === 0 ? 'refused' : 'page';
      this.#outage = { until: timeline.now + ms, shows };
      this.#witness.outages.push({ from: timeline.now, to: timeline.now + ms });
    }
    return this.#outage !== undefined && timeline.now < this.#outage.until ? this.#outage.shows : undefined;
  }

  /** The first byte leaves: from here on nobody can take it back. */
  #leave(process: SimulatedProcess, exchange: Exchange, isGone: boolean): void {
    exchange.hasLeft = true;
    if (isBid(exchange.wire)) this.#waiting.add(exchange);
    const number = this.#witness.leaves(process, exchange.wire, exchange.askedAt);
    process.crashesAt('crash after a send');
    const { faults } = this.#stage;
    const mutates = exchange.wire.method !== 'GET';
    const page = PROXY_PAGES.find(([point]) => faults.strikes(point));
    const copy = this.#copyFor(exchange);
    if (isGone) this.#answer(exchange, html(502));
    else if (page !== undefined) this.#answer(exchange, this.#page(exchange, page[1]));
    else if (copy !== undefined) this.#answer(exchange, copy);
    else if (mutates && faults.strikes('gateway refuses by itself'))
      this.#answer(exchange, this.#bare(exchange));
    else {
      if (mutates && faults.strikes('gateway answers early')) this.#answer(exchange, this.#bare(exchange));
      this.#carry(exchange, number);
    }
  }

  /** What a cache answers in the service's place, with its age. */
  #copyFor({ wire }: Exchange): WireReply | undefined {
    const { faults, timeline } = this.#stage;
    const stored = this.#stored.get(storedUnder(wire));
    if (stored === undefined) return undefined;
    const age = Math.floor((timeline.now - stored.at) / 1_000);
    if (age === 0 || !faults.strikes('cache answers')) return undefined;
    return { ...stored.reply, headers: { ...stored.reply.headers, age: String(age) } };
  }

  /** What a proxy answers in the service's place. */
  #page({ wire }: Exchange, status: number): WireReply {
    if (status >= 400 && status < 500) this.#witness.answeredBare(wire, true);
    return html(status);
  }

  /** A gateway's own word, which looks like the service's. */
  #bare({ wire }: Exchange): WireReply {
    this.#witness.answeredBare(wire, true);
    return message(BARE[this.#stage.choices.choose('bare', BARE.length)] ?? 403, 'Forbidden');
  }

  #carry(exchange: Exchange, number: number): void {
    const { faults } = this.#stage;
    // A read that comes twice, or past its time, does nothing to anybody.
    const mutates = exchange.wire.method !== 'GET';
    if (mutates && faults.strikes('copy made')) {
      const twice = faults.strikes('proxy sends twice');
      if (twice) exchange.takesAnswersFrom = 'copy';
      this.#witness.copied.add(keyOf(exchange.wire));
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
    this.#stage.timeline.after(ms, () => {
      this.#stage.note(`network: the ${which} of request ${number} arrives`);
      this.#service.receive({ request: exchange.wire, number }, (reply) => {
        const { wire } = exchange;
        const { now } = this.#stage.timeline;
        if (wire.method === 'GET' && reply.status === 200)
          this.#stored.set(storedUnder(wire), { reply, at: now });
        if (exchange.takesAnswersFrom === which) this.#answer(exchange, reply);
      });
    });
  }

  #answer(exchange: Exchange, reply: WireReply): void {
    const { faults, choices } = this.#stage;
    const { givenTo, wire } = exchange;
    if (givenTo !== undefined) this.#hand(givenTo, reply);
    else if (isVerdict(reply) && isBid(wire) && this.#crosses(exchange, reply)) return;
    else if (faults.strikes('reply lost')) return;
    else if (wire.method !== 'GET' && faults.strikes('gateway replaces the reply')) {
      this.#hand(exchange, this.#bare(exchange));
    } else {
      const hidden = faults.strikes('proxy hides the reply');
      const status = hidden ? ([502, 504, 403][choices.choose('hiding', 3)] ?? 502) : 0;
      this.#hand(exchange, hidden ? this.#page(exchange, status) : reply);
    }
  }

  /** Gives the reply of one bid to another that waits; whether its own process hears nothing of it. */
  #crosses(exchange: Exchange, reply: WireReply): boolean {
    const { faults, timeline } = this.#stage;
    const { crossed } = this.#witness;
    const key = keyOf(exchange.wire);
    const other = [...this.#waiting].find((one) => !one.isOver && !one.isGiven && keyOf(one.wire) !== key);
    if (other === undefined || !faults.strikes('reply crossed')) return false;
    crossed.add(keyOf(other.wire));
    other.isGiven = true;
    timeline.after(this.#latency(), () => other.answer(reply));
    if (!faults.strikes('replies swapped')) return false;
    crossed.add(key);
    other.givenTo = exchange;
    exchange.isGiven = true;
    return true;
  }

  #hand(exchange: Exchange, shown: WireReply): void {
    const { faults, timeline, choices } = this.#stage;
    const late = faults.strikes('reply late');
    const ms = late ? (LATE_MS[choices.choose('late', LATE_MS.length)] ?? 0) : this.#latency();
    timeline.after(ms, () => exchange.answer(shown));
  }

  #lateMs({ wire }: Exchange, tooLate: boolean): number {
    const { choices, timeline } = this.#stage;
    if (!tooLate) return LATE_MS[choices.choose('late', LATE_MS.length)] ?? 0;
    const edge = Number(wire.headers['x-timestamp']) * 1000 + 300_000 - timeline.now;
    return Math.max(0, edge + (EDGE_MS[choices.choose('edge', EDGE_MS.length)] ?? 0));
  }

  #latency(): number {
    return 1 + this.#stage.choices.choose('latency', 30);
  }
}

/** Under which key a cache keeps the reply to a read. */
function storedUnder({ path, headers }: WireRequest): string {
  return `${headers['x-client-id']} ${path}`;
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
  readonly #stage: Stage;
  readonly #witness: Witness;
  #resolve: (reply: TransportReply) => void = () => undefined;
  #reject: (failure: TransportFailure) => void = () => undefined;

  constructor(process: SimulatedProcess, request: TransportRequest, stage: Stage, witness: Witness) {
    this.#process = process;
    this.#stage = stage;
    this.#witness = witness;
    this.#signal = request.signal;
    this.wire = wireOf(request);
    this.askedAt = stage.timeline.now;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const deaf = stage.faults.strikes('transport deaf to aborts');
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
    if (this.isOver) this.#stage.faults.note('reply after the client gave up');
    if (this.isOver || this.#process.isDead) return;
    this.isOver = true;
    this.#process.deliver(() => {
      if (this.#process.crashesAt('crash before a receive')) return;
      this.#stage.note(`network: ${reply.status} reaches ${this.#process.name}`);
      // What comes late, or to a process that stood still, tells server time only roughly.
      this.#process.heard(this.#stage.timeline.now - this.askedAt);
      const onRead = () => {
        if (!this.#signal.aborted) this.#witness.reached(this.#process, this.wire, reply);
      };
      this.#resolve(damaged(reply, this.#stage.faults, onRead));
      this.#stage.timeline.after(0, () => this.#process.crashesAt('crash after a receive'));
    });
  }
}

function keyOf({ headers }: WireRequest): string {
  return headers['idempotency-key'] ?? '';
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

/** A reply as it reaches the process, whole or not; `onRead` is called when it was whole and has been read. */
function damaged(
  { status, headers, body }: WireReply,
  faults: Stage['faults'],
  onRead: () => void,
): TransportReply {
  const half = body.slice(0, body.length / 2);
  const isCut = faults.strikes('reply cut short');
  // It ends as if it were whole, so only its content tells.
  const isHalf = !isCut && faults.strikes('reply unreadable');
  const bytes = isCut ? cut(half) : isHalf ? whole(half) : whole(body, onRead);
  return { status, headers, body: bytes, discard: () => undefined };
}

async function* whole(text: string, onRead = () => {}): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
  onRead();
}

async function* cut(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
  throw new TransportFailure('maybe', new Error('other side closed'));
}
