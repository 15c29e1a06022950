import { parsed, type WireReply, type WireRequest } from '../service/wire.js';
import type { Stage } from '../world/faults.js';
import type { SimulatedProcess } from '../world/process.js';
import { faultsAtDeparture } from './departure.js';
import { type Limits, StoreWatch } from './store-watch.js';

/** A request at the moment its first byte left. */
export interface SentRequest {
  /** Counts requests of a run, from 1. */
  readonly number: number;
  /** Its position among everything that was witnessed. */
  readonly order: number;
  /** True time, Unix ms. */
  readonly at: number;
  readonly process: string;
  readonly wire: WireRequest;
  readonly kind: 'bid' | 'command' | 'read';
  /** Empty for reads. */
  readonly key: string;
  readonly client: string;
}

/** A call of the application, from its beginning. */
export interface BegunCall {
  readonly order: number;
  /** True time, Unix ms. */
  readonly at: number;
  readonly process: string;
  readonly what:
    | 'place'
    | 'batch'
    | 'command'
    | 'reconcile'
    | 'recover'
    | 'abandon'
    | 'feed'
    | 'halt'
    | 'verify';
  /** Absent where the SDK makes the key. */
  readonly key?: string;
  /** What the body calls itself. */
  readonly tag?: string;
  /** The same of the rows of a batch. */
  readonly tags?: readonly string[];
  /** Unix ms in server time. */
  readonly placeBy?: number;
  /** It may send commands: `recover({ resend: true })`. */
  readonly resends?: boolean;
  readonly allowUnresolved?: boolean;
  readonly confirm?: boolean;
  isOver: boolean;
}

/** What the application was told of an intent. */
export interface Told {
  readonly order: number;
  readonly process: string;
  readonly key: string;
  readonly kind: 'bid' | 'command';
  /** `nothing_sent`: the call that failed says so of itself, not of the intent. */
  readonly status: 'accepted' | 'rejected' | 'refused' | 'not_sent' | 'unknown' | 'done' | 'nothing_sent';
  /** Told as settled for now. */
  readonly provisional?: boolean;
  /** Unknown, and nothing settles it by itself: stuck, abandoned, or of another client. */
  readonly isForAPerson?: boolean;
  /** Attempts that were begun; undefined where an error told it. */
  readonly attempts?: number | undefined;
  /** After which no copy is let in, Unix ms in server time; where something was found absent. */
  readonly fenceAt?: number | undefined;
  readonly by: BegunCall['what'];
  /** The API client that its process runs as, and the account in the store. */
  readonly client: string;
  readonly account: string;
  /** `order` of the call that told it. */
  readonly call: number;
}

/** Sees everything that passes between application, SDK, store and network, and reports at once what must not be. */
export class Witness {
  readonly sent: SentRequest[] = [];
  readonly calls: BegunCall[] = [];
  readonly told: Told[] = [];
  /** What must not have been, with its kind first. */
  readonly violations: string[] = [];
  readonly store: StoreWatch;
  /** Keys of bids that were answered by a 409 that names no reason. */
  readonly unnamed = new Set<string>();
  /** Keys that were given the reply of another bid. */
  readonly crossed = new Set<string>();
  /** Keys of which a copy was made on the way. */
  readonly copied = new Set<string>();
  /** When the service could not be reached, or let in less than was promised: true time. */
  readonly outages: { readonly from: number; readonly to: number }[] = [];
  /** Ids of bids that were read in full (A05). */
  readonly read = new Set<string>();
  /** Answers without a code to commands, by their keys: of gateways in the service's place, and of the service itself. */
  readonly #bare: { readonly key: string; readonly byGateway: boolean }[] = [];
  readonly #stage: Pick<Stage, 'timeline' | 'note'>;
  /** Process and key of bids whose recorded rejection has reached the process. */
  readonly #rejected = new Set<string>();
  /** Processes that have read A01. */
  readonly #identified = new Set<string>();
  /** Process and key of bids whose lot the process saw closed. */
  readonly #closed = new Set<string>();
  #order = 0;

  constructor(stage: Pick<Stage, 'timeline' | 'note'>, limits: Limits, isOpenLot: (lot: string) => boolean) {
    this.#stage = stage;
    this.store = new StoreWatch(this, limits, isOpenLot);
  }

  /** True time, Unix ms. */
  get now(): number {
    return this.#stage.timeline.now;
  }

  /** The next position in the order of everything that is witnessed. */
  next(): number {
    this.#order += 1;
    return this.#order;
  }

  violated(kind: string, detail: string): void {
    this.violations.push(`${kind}: ${detail}`);
    this.note(`VIOLATION ${kind}: ${detail}`);
  }

  /** Something was thrown that is no error of the SDK. */
  strange(what: string, error: unknown): void {
    this.violated('strange error', `${what}: ${error instanceof Error ? error.stack : String(error)}`);
  }

  note(line: string): void {
    this.#stage.note(line);
  }

  begins(call: Omit<BegunCall, 'order' | 'at' | 'isOver'>): BegunCall {
    const begun = { ...call, order: this.next(), at: this.now, isOver: false };
    this.calls.push(begun);
    if (call.key !== undefined) this.#closed.delete(`${call.process} ${call.key}`);
    this.note(`${call.process}: ${call.what} ${call.key ?? call.tag ?? ''}`);
    return begun;
  }

  tell(told: Omit<Told, 'order'>): void {
    this.told.push({ ...told, order: this.next() });
    const extra = `${told.provisional ? ' for now' : ''}${told.isForAPerson ? ', for a person' : ''}`;
    this.note(`${told.process}: told ${told.status}${extra} for ${told.key} by ${told.by}`);
  }

  /** A request's first byte leaves; `askedAt` is when the SDK handed it over. */
  leaves(process: SimulatedProcess, wire: WireRequest, askedAt: number): number {
    const kind = kindOf(wire);
    const key = kind === 'read' ? '' : (wire.headers['idempotency-key'] ?? '');
    const number = this.sent.length + 1;
    const sent: SentRequest = {
      number,
      order: this.next(),
      at: askedAt,
      process: process.name,
      wire,
      kind,
      key,
      client: process.setup.clientId,
    };
    for (const [what, detail] of faultsAtDeparture(sent, process, this)) this.violated(what, detail);
    this.sent.push(sent);
    this.note(`${process.name}: sends ${number} ${wire.method} ${wire.path} ${key}`);
    return number;
  }

  /** Whether the only call for a key in this process has heard a recorded rejection. */
  heardRejection({ name }: SimulatedProcess, key: string): boolean {
    const { client_bid_time: tag } = parsed(this.sent.find((one) => one.key === key)?.wire.body ?? '') ?? {};
    const isOfKey = (call: BegunCall) =>
      call.key === key || (typeof tag === 'string' && call.tags?.includes(tag) === true);
    const calls = this.calls.filter((call) => call.process === name && isOfKey(call));
    return this.#rejected.has(`${name} ${key}`) && calls.length === 1;
  }

  /** Whether the process has heard from the service itself which environment its credentials are for (A01). */
  isIdentified({ name, clockIsMisled }: SimulatedProcess): boolean {
    return this.#identified.has(name) && !clockIsMisled;
  }

  /** Whether the process has seen, while it worked on this bid, that its lot is closed. */
  sawClose({ name }: SimulatedProcess, key: string): boolean {
    return this.#closed.has(`${name} ${key}`);
  }

  /** A gateway answered a command in the service's place, or the service itself did without a code. */
  answeredBare(wire: WireRequest, byGateway: boolean): void {
    this.#bare.push({ key: wire.headers['idempotency-key'] ?? '', byGateway });
  }

  /** Keys of commands of which a gateway has hidden a success, and another answer without a code came. */
  get hidden(): ReadonlySet<string> {
    const isTwice = (key: string) => this.#bare.filter((one) => one.key === key).length > 1;
    return new Set(this.#bare.flatMap(({ key, byGateway }) => (byGateway && isTwice(key) ? [key] : [])));
  }

  /** A whole reply reached a process. */
  reached(process: SimulatedProcess, wire: WireRequest, reply: WireReply): void {
    const body = parsed(reply.body);
    const data = typeof body?.['data'] === 'object' && body['data'] !== null ? body['data'] : {};
    const key = wire.headers['idempotency-key'] ?? '';
    if (kindOf(wire) === 'bid' && reply.status === 422 && Reflect.get(data, 'status') === 'rejected') {
      if (!this.crossed.has(key)) this.#rejected.add(`${process.name} ${key}`);
    }
    const isProfile = wire.path.includes('/integration/') && reply.status === 200;
    if (isProfile && reply.headers['age'] === undefined) this.#identified.add(process.name);
    const [, bid] = /\/bids\/([^/?]+)$/.exec(wire.path) ?? [];
    if (bid !== undefined && reply.status === 200) this.read.add(bid);
    const [, lot] = /\/lots\/([^/]+)\/status$/.exec(wire.path) ?? [];
    if (lot === undefined || reply.status !== 200) return;
    const closesAt = Date.parse(String(Reflect.get(data, 'effective_close_at')));
    if (!(closesAt <= Date.parse(String(body?.['server_time'])))) return;
    const open = this.calls.filter((call) => !call.isOver && call.process === process.name);
    const [only, another] = open;
    if (only?.key !== undefined && another === undefined) this.#closed.add(`${process.name} ${only.key}`);
  }
}

export function kindOf({ method, path }: WireRequest): SentRequest['kind'] {
  if (method === 'GET') return 'read';
  return path.endsWith('/bids') ? 'bid' : 'command';
}
