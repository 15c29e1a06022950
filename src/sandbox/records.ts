import type { SandboxClock } from './clock.js';
import { notFound, Refusal } from './http/replies.js';
import type { Ids } from './ids.js';
import type { LotMedia } from './media.js';
import { paise, rupees } from './money.js';
import type { Party } from './parties.js';
import { isoTime } from './times.js';

/** JSON fields of a record or a body. */
export type Data = Record<string, unknown>;

/** Parties that can see a record: the bank and one partner, or only the bank if `partnerId` is null. */
export interface Owner {
  readonly bankId: string;
  readonly partnerId: string | null;
}

/** A workflow record. `data` is its wire data; the other fields link it to other records. */
export interface Rec {
  readonly id: string;
  readonly kind: Kind;
  readonly owner: Owner;
  state: string;
  /** `resource_version`, from 1. Every change increments it. */
  version: number;
  readonly createdAt: number;
  updatedAt: number;
  readonly data: Data;
  /** The sale of the record. A sale refers to itself. */
  readonly sale?: Sale | undefined;
  /** The source record, such as the request of a refund or the payment of an allocation. */
  readonly from?: Rec | undefined;
  readonly lot?: Lot | undefined;
  /** The bid of the record. A bid refers to itself. */
  readonly bid?: Bid | undefined;
  /** Bytes of a document. */
  readonly content?: Uint8Array;
  /** Amounts that a refund request takes, by source: an allocation, or the payment for its free part. */
  parts?: RefundParts;
}

export type RefundParts = ReadonlyMap<Rec, bigint>;

export interface Sale extends Rec {
  readonly lot: Lot;
  readonly bid: Bid;
}

/** Id prefix of each kind of record. */
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

/** A vehicle with the bank's fields. */
export interface Vehicle {
  readonly details: VehicleDetails;
  readonly category: string;
  /** The bank's custom fields by label, including private ones. Values keep their types. */
  readonly bankFields: Readonly<Record<string, string | number | boolean | null>>;
  /** Public fields by software field id. */
  readonly publicFields: Readonly<
    Record<string, { readonly label: string; readonly value: string | number | null }>
  >;
}

export interface Auction {
  readonly id: string;
  /** Label in the seed, such as `live-open`. */
  readonly label: string;
  readonly bankId: string;
  readonly name: string;
  readonly reference: string;
  readonly bidType: 'open' | 'closed';
  /** Legacy auctions have a different minimum-bid rule. No API field shows it. */
  readonly legacy: boolean;
  readonly increment: bigint;
  /** Server time, Unix milliseconds; inclusive. Each move increments `revision`. */
  startsAt: number;
  /** Server time, Unix milliseconds; exclusive. Each move increments `revision`. */
  endsAt: number;
  /** The original close, before any move. */
  readonly scheduledEndsAt: number;
  cancelled: boolean;
  /** Whether the lots were awarded, which happens once, at the close. */
  awarded: boolean;
  /** Whether the opening was processed. Unset if the auction was open at the start. */
  opened?: boolean;
  revision: number;
  readonly lots: readonly Lot[];
}

export interface Lot {
  readonly id: string;
  readonly auction: Auction;
  readonly vehicle: Vehicle;
  /** Files of the lot, including hidden ones. */
  readonly media: readonly LotMedia[];
  readonly startingPrice: bigint;
  withdrawn: boolean;
  /** Whether the vehicle returned to the inventory. Such a lot is unlisted and takes no bids. */
  unpublished: boolean;
  /** Increments with every accepted and every cancelled bid. */
  version: number;
  /** Increments with every change of the lot: opening, close, moved close, and changes of its sale. */
  resourceVersion: number;
  updatedAt: number;
  /** Accepted bids that count, oldest first. A cancelled bid is removed with the bids that it superseded. */
  readonly accepted: Bid[];
}

/** A bid record. `data` is the wire data of A05. */
export interface Bid extends Rec {
  readonly lot: Lot;
  readonly clientId: string;
  /** The buyer that the bid counts for; undefined if a platform named none. */
  readonly buyer: string | undefined;
  readonly bidderReference: string | null;
  /** Integer paise. */
  readonly amount: bigint;
  readonly lotVersion: number;
}

/** The bid or command recorded under an idempotency key. */
export interface Recorded {
  readonly fingerprint: string;
  readonly bidStatus?: 'accepted' | 'rejected';
  readonly errors?: readonly string[];
  /** Reply data. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Auctions, lots and idempotency records. */
export class Store {
  readonly auctions = new Map<string, Auction>();
  readonly lots = new Map<string, Lot>();
  readonly #clock: SandboxClock;
  readonly #keepKeysMs: number | undefined;
  readonly #recorded = new Map<string, Recorded>();
  /** Bids and commands in progress. */
  readonly #inProgress = new Set<InProgress>();
  /** Callbacks of rivals for changed lots: an accepted bid of an open auction, an opening or a moved close. */
  readonly watchers = new Set<(lots: readonly Lot[]) => void>();

  /** `keepKeysMs` is the retention of idempotency keys, milliseconds; unlimited if undefined. */
  constructor(clock: SandboxClock, keepKeysMs: number | undefined) {
    this.#clock = clock;
    this.#keepKeysMs = keepKeysMs;
  }

  addAuction(auction: Auction): void {
    this.auctions.set(auction.id, auction);
    for (const lot of auction.lots) this.lots.set(lot.id, lot);
  }

  notifyWatchers(lots: readonly Lot[]): void {
    for (const watcher of this.watchers) watcher(lots);
  }

  /** The record under an idempotency key of a client. Each client has a separate namespace. */
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

  /** Forgets a key, as if unused, and returns its record. */
  forget(clientId: string, key: string): Recorded | undefined {
    const recorded = this.recorded(clientId, key);
    this.#recorded.delete(namespaced(clientId, key));
    return recorded;
  }

  /** The request in progress under a key. */
  inProgress(clientId: string, key: string): InProgress | undefined {
    const name = namespaced(clientId, key);
    return [...this.#inProgress].find((each) => each.name === name);
  }

  /** Whether a bid on a lot of this auction is in progress. */
  isBeingBidIn(auction: Auction): boolean {
    return [...this.#inProgress].some((each) => each.auction === auction);
  }

  /** Marks a request under this key as in progress. The returned function ends that. */
  enter(clientId: string, key: string, what: Omit<InProgress, 'name'>): () => void {
    const entered = { ...what, name: namespaced(clientId, key) };
    this.#inProgress.add(entered);
    return () => this.#inProgress.delete(entered);
  }
}

interface InProgress {
  readonly name: string;
  readonly isBid: boolean;
  /** The auction of a bid; undefined for commands. */
  readonly auction: Auction | undefined;
}

/** UUIDs are case-insensitive. */
function namespaced(clientId: string, key: string): string {
  return `${clientId}\n${key.toLowerCase()}`;
}

/** Counts a change of a lot. */
export function touchLot(clock: SandboxClock, lot: Lot): void {
  lot.resourceVersion += 1;
  lot.updatedAt = clock.now();
}

/** Finds an auction by id or label. */
export function findAuction({ auctions }: Store, idOrLabel: string): Auction | undefined {
  return auctions.get(idOrLabel) ?? [...auctions.values()].find(({ label }) => label === idOrLabel);
}

/** Fields of a new record, except kind, state, version and times. */
type Beginning = Pick<Rec, 'data' | 'owner'> &
  Partial<Pick<Rec, 'id' | 'sale' | 'from' | 'lot' | 'bid' | 'content' | 'parts'>>;

/** Workflow records by kind and id. Lists are oldest first. */
export class Flow {
  readonly #clock: SandboxClock;
  readonly #ids: Ids;
  readonly #byKind = new Map<Kind, Map<string, Rec>>();
  /** First of two decisions by record id, until another credential of the bank confirms it. */
  readonly firstDecisions = new Map<string, { readonly clientId: string; readonly content: Data }>();
  /** Winner updates. They never change. */
  readonly winners: { readonly id: string; readonly sale: Sale; readonly shown: Data }[] = [];

  constructor(clock: SandboxClock, ids: Ids) {
    this.#clock = clock;
    this.#ids = ids;
  }

  /** Creates a record with version 1 at the current time. */
  make<Links extends Beginning>(kind: Kind, state: string, links: Links): Rec & Links {
    const now = this.#clock.now();
    const id = links.id ?? this.#ids.next(prefixes[kind]);
    const made = { kind, state, version: 1, createdAt: now, updatedAt: now, ...links, id };
    const ofKind = this.#byKind.get(kind) ?? new Map<string, Rec>();
    this.#byKind.set(kind, ofKind.set(id, made));
    return made;
  }

  /** Opens an undecided sale for the leading bid of a lot. */
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

  /** All records of a kind, or those of one sale. */
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

  /** Records of a kind that a caller can see, newest first. */
  own(party: Party, kind: Kind): Rec[] {
    return this.of(kind)
      .filter(({ owner }) => mayHave(party, owner))
      .reverse();
  }

  /** Finds a record by id, or refuses with a 404. Does not reveal records of others. */
  find(party: Party, kind: Kind, id: string): Rec {
    const found = this.get(kind, id);
    if (found === undefined || !mayHave(party, found.owner)) throw new Refusal(notFound());
    return found;
  }

  /** Removes a bid as if it had never been placed. The lot version does not change. */
  undo(bid: Bid): void {
    this.#byKind.get('bid')?.delete(bid.id);
    const { accepted } = bid.lot;
    if (accepted.includes(bid)) accepted.splice(accepted.indexOf(bid), 1);
  }

  /** Counts a change of a record. A change of a sale also counts for its lot. */
  touch(rec: Rec): void {
    rec.version += 1;
    rec.updatedAt = this.#clock.now();
    if (rec.sale === rec) touchLot(this.#clock, rec.sale.lot);
  }
}

/** Whether a caller can see records of `owner`. A bank sees its whole tenant, a partner its own records. */
export function mayHave(party: Party, owner: Owner): boolean {
  if (party.bankId !== owner.bankId) return false;
  return party.actor === 'bank' || (party.partnerId !== null && party.partnerId === owner.partnerId);
}

/** A workflow record in wire form. */
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

/** `policy_version` of capabilities and bid cancellations. */
export const policyVersion = '1';

/** The amount of a record, integer paise. */
export const amountOf = ({ data }: Rec): bigint => paise(String(data['amount']));
export const sum = (amounts: Iterable<bigint>): bigint =>
  [...amounts].reduce((total, each) => total + each, 0n);

/** Parses a date-time field to Unix milliseconds. */
export const momentIn = (data: Readonly<Record<string, unknown>>, field: string): number =>
  Date.parse(String(data[field]));
