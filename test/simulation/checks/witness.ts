import { parsed, type WireReply, type WireRequest } from '../service/wire.js';
import type { SimulatedProcess } from '../world/process.js';
import { type DepartureContext, faultsAtDeparture } from './departure.js';
import type { JournalEvent, Watch } from './journal-watch.js';
import { Leases } from './leases.js';
import type { BegunCall, Observations, SentRequest, Told } from './record.js';

export interface WitnessParts {
  /** Whether an attempt with this nonce is durable under the key. */
  holds(key: string, nonce: string): boolean;
  /** Whether every process has run as the same API client. */
  isOneAccount(): boolean;
  now(): number;
  note(line: string): void;
}

/** Sees everything that passes between application, SDK and network, and says at once what must not be. */
export class Witness implements Observations {
  readonly sent: SentRequest[] = [];
  readonly calls: BegunCall[] = [];
  readonly told: Told[] = [];
  readonly journal: JournalEvent[] = [];
  /** What must not have been, with its kind first. */
  readonly violations: string[] = [];
  /** Keys that somebody else had used before, by what the service answered, with the call that learnt it. */
  readonly foreign = new Map<string, number>();
  /** Keys of bids that were rejected, by what the service answered, with the call that learnt it. */
  readonly rejected = new Map<string, number>();
  /** Processes that were answered that the bid under a key was accepted. */
  readonly accepted = new Map<string, Set<string>>();
  readonly #parts: WitnessParts;
  readonly #nonces = new Set<string>();
  /** Process and key of bids whose recorded rejection reached the process. */
  readonly #rejected = new Set<string>();
  /** Process and key of bids whose lot the process saw closed. */
  readonly #closed = new Set<string>();
  readonly #leases = new Leases();
  #order = 0;

  constructor(parts: WitnessParts) {
    this.#parts = parts;
  }

  violated(kind: string, detail: string): void {
    this.violations.push(`${kind}: ${detail}`);
    this.#parts.note(`VIOLATION ${kind}: ${detail}`);
  }

  note(line: string): void {
    this.#parts.note(line);
  }

  /** The journal has done something for a process. */
  readonly watch: Watch = (event) => {
    this.journal.push({ ...event, order: ++this.#order });
    // Two clients under different credentials have the same key twice.
    const wrong = this.#parts.isOneAccount() ? this.#leases.take(event, this.#parts.now()) : undefined;
    if (wrong !== undefined) this.violated('lease broken', wrong);
  };

  /** A process has ended that kept its leases to itself. */
  leasesEnd(process: string): void {
    this.#leases.drop(process);
  }

  begins(call: Omit<BegunCall, 'order' | 'at' | 'isOver'>): BegunCall {
    const begun = { ...call, order: ++this.#order, at: this.#parts.now(), isOver: false };
    this.calls.push(begun);
    this.#parts.note(`${call.process}: ${call.what} ${call.key ?? call.tag ?? ''}`);
    return begun;
  }

  tell(told: Omit<Told, 'order'>): void {
    this.told.push({ ...told, order: ++this.#order });
    const extra = `${told.quarantined ? ' quarantined' : ''}${told.conclusivelyAbsent ? ' absent' : ''}`;
    this.#parts.note(`${told.process}: told ${told.status}${extra} for ${told.key} by ${told.by}`);
  }

  /** A request's first byte leaves; `askedAt` is when the SDK handed it over. */
  leaves(process: SimulatedProcess, wire: WireRequest, askedAt: number): number {
    const kind = kindOf(wire);
    const key = kind === 'read' ? '' : (wire.headers['idempotency-key'] ?? '');
    const client = wire.headers['x-client-id'] ?? '';
    const number = this.sent.length + 1;
    const context: DepartureContext = {
      process,
      askedAt,
      trueTime: this.#parts.now(),
      isFreshNonce: !this.#nonces.has(wire.headers['x-nonce'] ?? ''),
      isDurable: kind === 'read' || this.#parts.holds(key, wire.headers['x-nonce'] ?? '?'),
      rejectionSeen: this.#rejected.has(`${process.name} ${key}`),
      closeSeen: this.#closed.has(`${process.name} ${key}`),
    };
    const sent: SentRequest = {
      number,
      order: ++this.#order,
      at: askedAt,
      process: process.name,
      wire,
      kind,
      key,
      client,
    };
    for (const [what, detail] of faultsAtDeparture(sent, context, this)) this.violated(what, detail);
    this.#nonces.add(wire.headers['x-nonce'] ?? '');
    this.sent.push(sent);
    this.#parts.note(`${process.name}: sends ${number} ${wire.method} ${wire.path} ${key}`);
    return number;
  }

  /** A whole reply reached a process. */
  reached(process: SimulatedProcess, wire: WireRequest, reply: WireReply): void {
    const body = parsed(reply.body);
    const data = typeof body?.['data'] === 'object' && body['data'] !== null ? body['data'] : {};
    if (kindOf(wire) === 'bid')
      this.#bidAnswered(process, wire.headers['idempotency-key'] ?? '', reply, data);
    const [, lot] = /\/lots\/([^/]+)\/status$/.exec(wire.path) ?? [];
    if (lot === undefined || reply.status !== 200) return;
    const closesAt = Date.parse(String(Reflect.get(data, 'effective_close_at')));
    if (!(closesAt <= Date.parse(String(body?.['server_time'])))) return;
    const open = this.calls.filter((call) => !call.isOver && call.process === process.name);
    const [only, another] = open;
    if (only?.key !== undefined && another === undefined) this.#closed.add(`${process.name} ${only.key}`);
  }

  #bidAnswered(process: SimulatedProcess, key: string, { status, body }: WireReply, data: object): void {
    if (status === 422 && Reflect.get(data, 'status') === 'rejected') {
      this.#rejected.add(`${process.name} ${key}`);
      this.#note(this.rejected, process, key);
    }
    if (status < 300 && Reflect.get(data, 'status') === 'accepted') {
      this.accepted.set(key, new Set([...(this.accepted.get(key) ?? []), process.name]));
    }
    if (status === 409 && !body.includes('NONCE_REPLAYED')) this.#note(this.foreign, process, key);
    if (Reflect.get(data, 'replayed') !== true) return;
    const isFirst = this.sent.filter((request) => request.key === key).length === 1;
    const isOnly = this.calls.filter((call) => (call.key ?? key) === key).length === 1;
    if (isFirst && isOnly) this.#note(this.foreign, process, key);
  }

  /** Notes the call that has learnt something of a key, where it can only be one. */
  #note(learnt: Map<string, number>, process: SimulatedProcess, key: string): void {
    const [only, another] = this.calls.filter(
      (call) => !call.isOver && call.process === process.name && (call.key ?? key) === key,
    );
    if (only !== undefined && another === undefined) learnt.set(key, only.order);
  }
}

function kindOf({ method, path }: WireRequest): SentRequest['kind'] {
  if (method === 'GET') return 'read';
  return path.endsWith('/bids') ? 'bid' : 'command';
}
