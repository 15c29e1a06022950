import type { SandboxClock } from './clock.js';
import { notFound, Refusal } from './http/replies.js';
import type { Ids } from './ids.js';
import type { LotMedia } from './media.js';
import { paise, rupees } from './money.js';
import type { Party } from './parties.js';
import { isoTime } from './times.js';

/** JSON fields of a record or a body. */
export type Data = Record<string, unknown>;

/** Who may see a record: the bank, and the partner that it is about; null where it is the bank's own. */
export interface Owner {
  readonly bankId: string;
  readonly partnerId: string | null;
}

/** Any workflow record. Its `data` is what the wire shows; everything else here links it to others. */
export interface Rec {
  readonly id: string;
  readonly kind: Kind;
  readonly owner: Owner;
  state: string;
  /** `resource_version`: from 1, one more with every change. */
  version: number;
  readonly createdAt: number;
  updatedAt: number;
  readonly data: Data;
  /** The sale that it belongs to; a sale belongs to itself. */
  readonly sale?: Sale | undefined;
  /** The record that it was made from: a refund's request, an allocation's payment, … */
  readonly from?: Rec | undefined;
  readonly lot?: Lot | undefined;
  /** The bid that it is about; a bid is about itself. */
  readonly bid?: Bid | undefined;
  /** Bytes of a document. */
  readonly content?: Uint8Array;
  /** The money that a refund request takes, by where it comes from: an allocation, or the payment's free money. */
  parts?: RefundParts;
}

export type RefundParts = ReadonlyMap<Rec, bigint>;

export interface Sale extends Rec {
  readonly lot: Lot;
  readonly bid: Bid;
}

/** Every kind of record, and what its ids begin with. */
export const prefixes = {
  cancellation: 'cxl',
  sale: 'sal',
  offer: 'off',
  sale_cancellation: 'scn',
  payment_report: 'prp',
  payment: 'pay',
  bank_receipt: 'rcp',
  allocation: 'alc',
  refund_request: 'rfr',
  refund: 'rfd',
  dispute: 'dsp',
  release: 'rel',
  transfer: 'trf',
  inventory_command: 'inv',
  inventory_vehicle: 'veh',
  document: 'doc',
  notification: 'ntf',
  notification_ack: 'ack',
  webhook_subscription: 'whs',
  bid: 'bid',
} as const;
export type Kind = keyof typeof prefixes;

export function isKind(name: string): name is Kind {
  return Object.hasOwn(prefixes, name);
}

/** The standard keys of `vehicle_details`. */
export interface VehicleDetails {
  readonly registration_number: string;
  readonly make: string;
  readonly model: string;
  readonly year: number;
  readonly region: string;
  readonly vehicle_type: string;
  readonly yard: string | null;
  readonly title: string;
  readonly bank_reference: string;
  readonly condition: string;
}

/** A vehicle as the bank saved it. */
export interface Vehicle {
  readonly details: VehicleDetails;
  readonly category: string;
  /** The bank's own fields by label, private ones included; values keep their saved types. */
  readonly bankFields: Readonly<Record<string, string | number | boolean | null>>;
  /** Fields shown in the auction, by software field id. */
  readonly publicFields: Readonly<
    Record<string, { readonly label: string; readonly value: string | number | null }>
  >;
}

export interface Auction {
  readonly id: string;
  /** What the seeds call it, such as `live-open`. */
  readonly label: string;
  readonly bankId: string;
  readonly name: string;
  readonly reference: string;
  readonly bidType: 'open' | 'closed';
  /** Legacy auctions have another minimum; no field of the service shows it. */
  readonly legacy: boolean;
  readonly increment: bigint;
  /** Server time, Unix milliseconds; inclusive. Moves are counted in `revision`. */
  startsAt: number;
  /** Server time, Unix milliseconds; exclusive. Moves are counted in `revision`. */
  endsAt: number;
  /** The close as it was first set, whatever moved it since. */
  readonly scheduledEndsAt: number;
  cancelled: boolean;
  /** Whether its lots were awarded; that happens once, at its close. */
  awarded: boolean;
  /** Whether its opening is counted; unset where it had opened at the start. */
  opened?: boolean;
  revision: number;
  readonly lots: readonly Lot[];
}

export interface Lot {
  readonly id: string;
  readonly auction: Auction;
  readonly vehicle: Vehicle;
  /** Its files, those included that nobody is shown. */
  readonly media: readonly LotMedia[];
  readonly startingPrice: bigint;
  withdrawn: boolean;
  /** Whether its vehicle went back to the inventory: then it is listed no more and takes no bids. */
  unpublished: boolean;
  /** Grows with every bid that is accepted, and with every one that is cancelled. */
  version: number;
  /** Grows with every change of the lot: its opening, its close, moves of that, and what becomes of its sale. */
  resourceVersion: number;
  updatedAt: number;
  /** Accepted bids that count, oldest first: a cancelled one leaves, with the bids that it superseded. */
  readonly accepted: Bid[];
}

/** A bid as a record; its `data` is what A05 shows. */
export interface Bid extends Rec {
  readonly lot: Lot;
  readonly clientId: string;
  /** Whose standing it counts for; undefined when a platform named nobody. */
  readonly buyer: string | undefined;
  readonly bidderReference: string | null;
  /** Integer paise. */
  readonly amount: bigint;
  readonly lotVersion: number;
}

/** What an idempotency key identifies: a recorded bid or command. */
export interface Recorded {
  readonly fingerprint: string;
  readonly bidStatus?: 'accepted' | 'rejected';
  readonly errors?: readonly string[];
  /** The `data` that was answered. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Auctions with their lots, and what idempotency keys stand for. */
export class Store {
  readonly auctions = new Map<string, Auction>();
  readonly lots = new Map<string, Lot>();
  readonly #clock: SandboxClock;
  readonly #keepKeysMs: number | undefined;
  readonly #recorded = new Map<string, Recorded>();
  /** The bids and commands that are being worked on right now. */
  readonly #inProgress = new Set<InProgress>();
  /** Rivals, told of lots that move: by an accepted bid of an open auction, an opening, or a moved close. */
  readonly watchers = new Set<(lots: readonly Lot[]) => void>();

  /** Keys are remembered for so long, milliseconds; for ever when undefined. */
  constructor(clock: SandboxClock, keepKeysMs: number | undefined) {
    this.#clock = clock;
    this.#keepKeysMs = keepKeysMs;
  }

  addAuction(auction: Auction): void {
    this.auctions.set(auction.id, auction);
    for (const lot of auction.lots) this.lots.set(lot.id, lot);
  }

  tell(lots: readonly Lot[]): void {
    for (const watcher of this.watchers) watcher(lots);
  }

  /** What a client recorded under an idempotency key. Keys of different clients never meet. */
  recorded(clientId: string, key: string): Recorded | undefined {
    return this.#recorded.get(namespaced(clientId, key));
  }

  record(clientId: string, key: string, what: Recorded): void {
    this.#recorded.set(namespaced(clientId, key), what);
    if (this.#keepKeysMs === undefined) return;
    this.#clock.schedule(this.#keepKeysMs, () => {
      if (this.recorded(clientId, key) === what) this.forget(clientId, key);
    });
  }

  /** Forgets a key, as if it had never been used; returns what it identified. */
  forget(clientId: string, key: string): Recorded | undefined {
    const recorded = this.recorded(clientId, key);
    this.#recorded.delete(namespaced(clientId, key));
    return recorded;
  }

  /** What is being worked on under a key right now. */
  inProgress(clientId: string, key: string): InProgress | undefined {
    const name = namespaced(clientId, key);
    return [...this.#inProgress].find((each) => each.name === name);
  }

  /** Whether a bid on a lot of this auction is being worked on right now. */
  isBeingBidIn(auction: Auction): boolean {
    return [...this.#inProgress].some((each) => each.auction === auction);
  }

  /** Counts a request under this key as being worked on; the returned function ends it. */
  enter(clientId: string, key: string, what: Omit<InProgress, 'name'>): () => void {
    const entered = { ...what, name: namespaced(clientId, key) };
    this.#inProgress.add(entered);
    return () => this.#inProgress.delete(entered);
  }
}

interface InProgress {
  readonly name: string;
  readonly isBid: boolean;
  /** The auction that is bid in. */
  readonly auction: Auction | undefined;
}

/** Upper- and lower-case spellings are the same UUID. */
function namespaced(clientId: string, key: string): string {
  return `${clientId}\n${key.toLowerCase()}`;
}

/** Counts a change in the status of a lot. */
export function touchLot(clock: SandboxClock, lot: Lot): void {
  lot.resourceVersion += 1;
  lot.updatedAt = clock.now();
}

/** The auction under an id or a label. */
export function findAuction({ auctions }: Store, idOrLabel: string): Auction | undefined {
  return auctions.get(idOrLabel) ?? [...auctions.values()].find(({ label }) => label === idOrLabel);
}

/** What a new record has besides id, kind, state, version and times. */
type Beginning = Pick<Rec, 'data' | 'owner'> &
  Partial<Pick<Rec, 'id' | 'sale' | 'from' | 'lot' | 'bid' | 'content' | 'parts'>>;

/** Every workflow record, by kind and id; lists are oldest first. */
export class Flow {
  readonly #clock: SandboxClock;
  readonly #ids: Ids;
  readonly #byKind = new Map<Kind, Map<string, Rec>>();
  /** By the id of what is decided: the first of two decisions, while it waits for another credential of the bank. */
  readonly firstDecisions = new Map<string, { readonly clientId: string; readonly content: Data }>();
  /** Approvals as the winner updates show them; they don't change afterwards. */
  readonly winners: { readonly id: string; readonly sale: Sale; readonly shown: Data }[] = [];

  constructor(clock: SandboxClock, ids: Ids) {
    this.#clock = clock;
    this.#ids = ids;
  }

  /** A new record: version 1, made now. */
  make<Links extends Beginning>(kind: Kind, state: string, links: Links): Rec & Links {
    const now = this.#clock.now();
    const id = links.id ?? this.#ids.next(prefixes[kind]);
    const made = { kind, state, version: 1, createdAt: now, updatedAt: now, ...links, id };
    const ofKind = this.#byKind.get(kind) ?? new Map<string, Rec>();
    this.#byKind.set(kind, ofKind.set(id, made));
    return made;
  }

  /** Opens a sale for the leading bid of a lot; the bank has yet to decide it. */
  openSale(bid: Bid): void {
    const data = {
      bid_id: bid.id,
      bidder_reference: bid.bidderReference,
      amount: rupees(bid.amount),
      currency: 'INR',
      terms_version: null,
      acknowledged_at: null,
      lot_id: bid.lot.id,
      due_at: null,
      payee_instructions: null,
      payee_version: null,
    };
    const links = { owner: bid.owner, data, lot: bid.lot, bid };
    const sale: Sale = this.make('sale', 'pending_bank_approval', links);
    Object.assign(sale, { sale });
  }

  sales(): Sale[] {
    return this.of('sale').flatMap(({ sale }) => sale ?? []);
  }

  salesOf(lot: Lot): Sale[] {
    return this.sales().filter((sale) => sale.lot === lot);
  }

  sale(id: unknown): Sale | undefined {
    return this.get('sale', id)?.sale;
  }

  /** The records of a kind, or those of them that belong to a sale. */
  of(kind: Kind, sale?: Sale): Rec[] {
    const all = [...(this.#byKind.get(kind)?.values() ?? [])];
    return sale === undefined ? all : all.filter((rec) => rec.sale === sale);
  }

  get(kind: Kind, id: unknown): Rec | undefined {
    return this.#byKind.get(kind)?.get(String(id));
  }

  any(id: string): Rec | undefined {
    return [...this.#byKind.values()].flatMap((records) => records.get(id) ?? [])[0];
  }

  /** What a caller may see, newest first. */
  own(party: Party, kind: Kind): Rec[] {
    return this.of(kind)
      .filter(({ owner }) => mayHave(party, owner))
      .reverse();
  }

  /** The record under an id, or a 404: whether it exists elsewhere isn't told. */
  find(party: Party, kind: Kind, id: string): Rec {
    const found = this.get(kind, id);
    if (found === undefined || !mayHave(party, found.owner)) throw new Refusal(notFound());
    return found;
  }

  /** Takes a bid out of the books, as if it had never been placed; its lot keeps its version. */
  undo(bid: Bid): void {
    this.#byKind.get('bid')?.delete(bid.id);
    const { accepted } = bid.lot;
    if (accepted.includes(bid)) accepted.splice(accepted.indexOf(bid), 1);
  }

  /** Counts a change of a record; of a sale also as one of its lot. */
  touch(rec: Rec): void {
    rec.version += 1;
    rec.updatedAt = this.#clock.now();
    if (rec.sale === rec) touchLot(this.#clock, rec.sale.lot);
  }
}

/** Whether a caller may see what belongs to `owner`: a bank its tenant's, a partner its own. */
export function mayHave(party: Party, owner: Owner): boolean {
  if (party.bankId !== owner.bankId) return false;
  return party.actor === 'bank' || (party.partnerId !== null && party.partnerId === owner.partnerId);
}

/** A workflow record as the wire shows it. */
export interface WireRecord {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly resource_version: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  readonly created_at: string;
  /** ISO 8601. */
  readonly updated_at: string;
}

export function view(record: Omit<Rec, 'owner'>): WireRecord {
  const { id, kind, state, version, data, createdAt, updatedAt } = record;
  return {
    id,
    kind,
    state,
    resource_version: version,
    data: { ...data },
    created_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
  };
}

/** What `policy_version` says, of capabilities and of bid cancellations. */
export const policyVersion = '1';

/** The amount of a record, integer paise. */
export const amountOf = ({ data }: Rec): bigint => paise(String(data['amount']));
export const sum = (amounts: Iterable<bigint>): bigint =>
  [...amounts].reduce((total, each) => total + each, 0n);

/** Unix milliseconds of a date-time in a record or a body. */
export const momentIn = (data: Readonly<Record<string, unknown>>, field: string): number =>
  Date.parse(String(data[field]));
