import type { SandboxClock } from '../clock.js';
import type { LotMedia } from '../media.js';

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
  readonly auction: Auction;
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
}

export interface Lot {
  readonly id: string;
  readonly auctionId: string;
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

/** What an idempotency key stands for: a recorded bid or command. */
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
  readonly #recorded = new Map<string, Recorded>();
  /** The bids that are being worked on right now. */
  readonly #onTheWay = new Set<{ readonly name: string; readonly auctionId: string | undefined }>();
  readonly #lotsByAuction = new Map<string, Lot[]>();

  addAuction(auction: Auction, lots: readonly Lot[]): void {
    this.auctions.set(auction.id, auction);
    this.#lotsByAuction.set(auction.id, [...lots]);
    for (const lot of lots) this.lots.set(lot.id, lot);
  }

  lotsOf(auctionId: string): readonly Lot[] {
    return this.#lotsByAuction.get(auctionId) ?? [];
  }

  /** The auction a lot belongs to; every lot has one. */
  auctionOf(lot: Lot): Auction {
    const auction = this.auctions.get(lot.auctionId);
    if (auction === undefined) throw new Error(`lot ${lot.id} is in no auction`);
    return auction;
  }

  /** What a client recorded under an idempotency key. Keys of different clients never meet. */
  recorded(clientId: string, key: string): Recorded | undefined {
    return this.#recorded.get(namespaced(clientId, key));
  }

  record(clientId: string, key: string, what: Recorded): void {
    this.#recorded.set(namespaced(clientId, key), what);
  }

  /** Forgets what a key stands for, as if it had never been used; returns what that was. */
  forget(clientId: string, key: string): Recorded | undefined {
    const recorded = this.recorded(clientId, key);
    this.#recorded.delete(namespaced(clientId, key));
    return recorded;
  }

  /** Whether a request under this key is being worked on right now. */
  inFlight(clientId: string, key: string): boolean {
    return [...this.#onTheWay].some(({ name }) => name === namespaced(clientId, key));
  }

  /** Whether a bid on a lot of this auction is being worked on right now. */
  isBeingBidIn(id: string): boolean {
    return [...this.#onTheWay].some(({ auctionId }) => auctionId === id);
  }

  /** Counts a bid under this key, on a lot of this auction, as being worked on; the returned function ends it. */
  enter(clientId: string, key: string, auctionId: string | undefined): () => void {
    const bid = { name: namespaced(clientId, key), auctionId };
    this.#onTheWay.add(bid);
    return () => this.#onTheWay.delete(bid);
  }
}

/** Upper- and lower-case spellings are the same UUID. */
function namespaced(clientId: string, key: string): string {
  return `${clientId}\n${key.toLowerCase()}`;
}

/** Tells rivals which lots a bidder sees move: by an accepted bid of an open auction, an opening, or a moved close. */
export class Market {
  readonly #watchers = new Set<(lots: readonly Lot[]) => void>();

  /** Calls a watcher whenever lots move; the returned function ends that. */
  watch(watcher: (lots: readonly Lot[]) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  tell(lots: readonly Lot[]): void {
    for (const watcher of this.#watchers) watcher(lots);
  }
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
