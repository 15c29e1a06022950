import { parsed, type WireReply, type WireRequest } from '../service/wire.js';
import { accountOf, type Setup } from '../world/deployment.js';
import type { SimulatedProcess } from '../world/process.js';
import { type DepartureContext, faultsAtDeparture } from './departure.js';
import type { BegunCall, Observations, SentRequest, Told } from './record.js';
import { type Limits, StoreWatch, type StoreWrite } from './store-watch.js';

export interface WitnessParts {
  readonly limits: Limits;
  isOpenLot(lot: string): boolean;
  /** How a process is set up. */
  setupOf(process: SimulatedProcess): Setup;
  now(): number;
  note(line: string): void;
}

/** What a gateway made of the replies under a key. */
interface Hidden {
  /** Replies in place of the service's, or before it. */
  byGateway: number;
  /** Those, and such of the service itself. */
  bare: number;
}

/** Sees everything that passes between application, SDK, store and network, and reports at once what must not be. */
export class Witness implements Observations {
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
  /** By key of a command: what gateways made of its replies. */
  readonly hidden = new Map<string, Hidden>();
  /** Ids of bids that were read in full (A05), with the processes that have read them. */
  readonly #read = new Set<string>();
  readonly #parts: WitnessParts;
  readonly #nonces = new Set<string>();
  /** By process and key of a bid: when its recorded rejection reached the process. */
  readonly #rejected = new Map<string, number>();
  /** Process and key of bids whose lot the process saw closed. */
  readonly #closed = new Set<string>();
  #order = 0;

  constructor(parts: WitnessParts) {
    this.#parts = parts;
    this.store = new StoreWatch({
      limits: parts.limits,
      now: () => parts.now(),
      isOpenLot: (lot) => parts.isOpenLot(lot),
      isCrossed: (key) => this.crossed.has(key),
      order: () => this.next(),
      violated: (kind, detail) => this.violated(kind, detail),
      note: (line) => this.note(line),
    });
  }

  get writes(): readonly StoreWrite[] {
    return this.store.writes;
  }

  /** The next position in the order of everything that is witnessed. */
  next(): number {
    this.#order += 1;
    return this.#order;
  }

  violated(kind: string, detail: string): void {
    this.violations.push(`${kind}: ${detail}`);
    this.#parts.note(`VIOLATION ${kind}: ${detail}`);
  }

  note(line: string): void {
    this.#parts.note(line);
  }

  begins(call: Omit<BegunCall, 'order' | 'at' | 'isOver'>): BegunCall {
    const begun = { ...call, order: this.next(), at: this.#parts.now(), isOver: false };
    this.calls.push(begun);
    if (call.key !== undefined) this.#closed.delete(`${call.process} ${call.key}`);
    this.#parts.note(`${call.process}: ${call.what} ${call.key ?? call.tag ?? ''}`);
    return begun;
  }

  tell(told: Omit<Told, 'order'>): void {
    this.told.push({ ...told, order: this.next() });
    const extra = `${told.provisional ? ' for now' : ''}${told.isForAPerson ? ', for a person' : ''}`;
    this.#parts.note(`${told.process}: told ${told.status}${extra} for ${told.key} by ${told.by}`);
  }

  /** Whether a bid was read in full (A05) by then. */
  wasRead(id: string): boolean {
    return this.#read.has(id);
  }

  /** A request's first byte leaves; `askedAt` is when the SDK handed it over. */
  leaves(process: SimulatedProcess, wire: WireRequest, askedAt: number): number {
    const kind = kindOf(wire);
    const key = kind === 'read' ? '' : (wire.headers['idempotency-key'] ?? '');
    const number = this.sent.length + 1;
    const setup = this.#parts.setupOf(process);
    const nonce = wire.headers['x-nonce'] ?? '';
    const row = kind === 'read' ? undefined : this.store.find(accountOf(setup), key);
    const context: DepartureContext = {
      process,
      setup,
      askedAt,
      trueTime: this.#parts.now(),
      isFreshNonce: !this.#nonces.has(nonce),
      row,
      rows: this.store.rows,
      restoredAt: this.store.restores.at(-1) ?? 0,
      rejectionSeen: this.#heardBy(process, key),
      closeSeen: this.#closed.has(`${process.name} ${key}`),
    };
    const sent: SentRequest = {
      number,
      order: this.next(),
      at: askedAt,
      process: process.name,
      wire,
      kind,
      key,
      client: setup.clientId,
    };
    for (const [what, detail] of faultsAtDeparture(sent, context, this)) this.violated(what, detail);
    this.#nonces.add(nonce);
    this.sent.push(sent);
    this.#parts.note(`${process.name}: sends ${number} ${wire.method} ${wire.path} ${key}`);
    return number;
  }

  /** Whether the only call for a key in this process has heard a recorded rejection. */
  #heardBy(process: SimulatedProcess, key: string): boolean {
    const heard = this.#rejected.get(`${process.name} ${key}`);
    const calls = this.calls.filter((call) => call.process === process.name && call.key === key);
    return heard !== undefined && calls.length === 1;
  }

  /** A gateway answered a command in the service's place, or the service itself did without a code. */
  answeredBare(wire: WireRequest, byGateway: boolean): void {
    const key = wire.headers['idempotency-key'] ?? '';
    const hidden = this.hidden.get(key) ?? { byGateway: 0, bare: 0 };
    hidden.bare += 1;
    if (byGateway) hidden.byGateway += 1;
    this.hidden.set(key, hidden);
  }

  /** A whole reply reached a process. */
  reached(process: SimulatedProcess, wire: WireRequest, reply: WireReply): void {
    const body = parsed(reply.body);
    const data = typeof body?.['data'] === 'object' && body['data'] !== null ? body['data'] : {};
    const key = wire.headers['idempotency-key'] ?? '';
    if (kindOf(wire) === 'bid' && reply.status === 422 && Reflect.get(data, 'status') === 'rejected') {
      if (!this.crossed.has(key)) this.#rejected.set(`${process.name} ${key}`, this.next());
    }
    const [, bid] = /\/bids\/([^/?]+)$/.exec(wire.path) ?? [];
    if (bid !== undefined && reply.status === 200) this.#read.add(bid);
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
