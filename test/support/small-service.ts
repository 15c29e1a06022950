import {
  type Transport,
  TransportFailure,
  type TransportReply,
  type TransportRequest,
} from '../../src/core/transport/transport.js';
import { acceptance, html, iso, lookup, lotStatus, messageOnly } from './bid-replies.js';
import type { MortalClock } from './mortal-clock.js';
import { once, type Step } from './scripted-transport.js';
import type { VirtualClock } from './virtual-clock.js';

/** How the service is in trouble. */
export type Trouble =
  | 'unreachable'
  | 'bad gateway'
  | 'maintenance'
  /** It asks to come back in an hour. */
  | 'throttled'
  /** It takes everything, and its replies are lost. */
  | 'replies lost'
  /** Its replies to bids are no JSON, and lookups fail. */
  | 'lookups fail'
  /** It never answers. */
  | 'silence';

/** A span of the virtual clock, ms since the beginning. */
export interface Outage {
  readonly from: number;
  readonly until: number;
  readonly trouble: Trouble;
}

/** Takes each key once and remembers it, answers lookups from that, and is in trouble at times. */
export class SmallService implements Transport {
  /** What arrived: method and path, with its time, ms since the beginning. */
  readonly arrived: { readonly line: string; readonly at: number; readonly key: string | undefined }[] = [];
  /** Keys of the bids that it has. */
  readonly bids = new Set<string>();
  /** Called when a bid was taken; a rejection stops its reply. */
  onBid: ((count: number) => void) | undefined;
  takesMs = 100;
  readonly #clock: VirtualClock;
  readonly #outages: readonly Outage[];

  constructor(clock: VirtualClock, outages: readonly Outage[] = []) {
    this.#clock = clock;
    this.#outages = outages;
  }

  get accepted(): number {
    return this.bids.size;
  }

  /** How many requests arrived whose line begins so. */
  count(prefix: string): number {
    return this.arrived.filter(({ line }) => line.startsWith(prefix)).length;
  }

  async send(request: TransportRequest): Promise<TransportReply> {
    const at = this.#clock.monotonic();
    const trouble = this.#outages.find(({ from, until }) => at >= from && at < until)?.trouble;
    if (trouble === 'unreachable') {
      throw new TransportFailure(
        'no',
        Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
      );
    }
    const line = `${request.method} ${request.path.replace('/api/v1', '')}`;
    const key = request.headers['idempotency-key'];
    this.arrived.push({ line, at, key });
    if (trouble === 'silence') return new Promise(() => undefined);
    if (trouble === 'bad gateway') return this.#reply(html(502));
    if (trouble === 'throttled') return this.#reply(messageOnly(429, { 'retry-after': '3600' }));
    if (trouble === 'maintenance') return this.#reply(messageOnly(503));
    const step = this.#answer(line, request.body);
    const isBid = line.startsWith('POST /lots/');
    if (trouble === 'lookups fail' && isBid) return this.#reply(html(200));
    if (trouble === 'lookups fail' && line.startsWith('GET /bid-requests/')) return this.#reply(html(502));
    await new Promise<void>((resolve) => {
      this.#clock.after(this.takesMs, resolve);
    });
    if (trouble === 'replies lost') throw new TransportFailure('maybe', new Error('the reply was lost'));
    return this.#reply(step);
  }

  async close(): Promise<void> {}

  #answer(line: string, body: TransportRequest['body']): Step {
    const now = this.#clock.now();
    if (line.endsWith('/integration/profile')) {
      return {
        status: 200,
        json: { data: { client_id: 'cl_7f3a', environment: 'sandbox' }, server_time: iso(now) },
      };
    }
    const [, asked] = /^GET \/bid-requests\/(.+)$/.exec(line) ?? [];
    if (asked !== undefined) {
      return lookup(this.bids.has(asked) ? 'accepted' : 'absent', { key: asked, at: now });
    }
    const [, lot] = /^GET \/lots\/(.+)\/status$/.exec(line) ?? [];
    if (lot !== undefined) return lotStatus(null, now, lot);
    if (!line.startsWith('POST /lots/') || !(body instanceof Uint8Array)) return messageOnly(404);
    const { idempotency_key: key }: { idempotency_key: string } = JSON.parse(Buffer.from(body).toString());
    const replayed = this.bids.has(key);
    this.bids.add(key);
    this.onBid?.(this.bids.size);
    const ids = { bid_id: `bid_${key}`, request_id: `req_${key}` };
    return acceptance({ ...ids, replayed }, replayed ? 200 : 201);
  }

  #reply(step: Step): TransportReply {
    if (!('status' in step)) throw new Error('a step that is no reply');
    const text = step.text ?? JSON.stringify(step.json);
    return { status: step.status, headers: step.headers ?? {}, body: once(text), discard: () => undefined };
  }
}

/** Delivers so many replies to bids; then its process is dead, whatever the service still takes in. */
export class DyingTransport implements Transport {
  readonly #service: SmallService;
  readonly #clock: MortalClock;
  #left: number;

  constructor(service: SmallService, clock: MortalClock, replies: number) {
    this.#service = service;
    this.#clock = clock;
    this.#left = replies;
  }

  get isDead(): boolean {
    return this.#left <= 0;
  }

  async send(request: TransportRequest): Promise<TransportReply> {
    if (this.isDead) return new Promise(() => undefined);
    const reply = await this.#service.send(request);
    const isBid = request.method === 'POST';
    if (this.isDead) return new Promise(() => undefined);
    if (isBid) this.#left -= 1;
    if (this.isDead) this.#clock.die();
    return reply;
  }

  async close(): Promise<void> {}
}
