import type { SandboxClock } from '../clock.js';
import type { LotMedia } from '../media.js';

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

export interface Bid {
  readonly id: string;
  readonly lotId: string;
  readonly clientId: string;
  readonly partnerId: string | null;
  /** Whose standing it counts for; undefined when a platform named nobody. */
  readonly buyer: string | undefined;
  readonly bidderReference: string | null;
  readonly amount: bigint;
  readonly status: 'accepted' | 'rejected';
  readonly errors: readonly string[];
  readonly requestId: string;
  readonly receivedAt: number;
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

/** Everything that the service remembers of auctions and bids. */
export class Store {
  readonly auctions = new Map<string, Auction>();
  readonly lots = new Map<string, Lot>();
  readonly bids = new Map<string, Bid>();
  readonly #recorded = new Map<string, Recorded>();
  readonly #inFlight = new Map<string, number>();
  readonly #bidsOnTheWay = new Map<string, number>();
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

  /** Takes a bid out of the books, as if it had never been placed; its lot keeps its version. */
  undo(bid: Bid): void {
    this.bids.delete(bid.id);
    const accepted = this.lots.get(bid.lotId)?.accepted ?? [];
    const at = accepted.indexOf(bid);
    if (at >= 0) accepted.splice(at, 1);
  }

  /** Whether a request under this key is being worked on right now. */
  inFlight(clientId: string, key: string): boolean {
    return this.#inFlight.has(namespaced(clientId, key));
  }

  /** Counts a bid under this key, on a lot of this auction, as being worked on; the returned function ends it. */
  enter(clientId: string, key: string, auctionId: string | undefined): () => void {
    const name = namespaced(clientId, key);
    count(this.#inFlight, name, 1);
    if (auctionId !== undefined) count(this.#bidsOnTheWay, auctionId, 1);
    return () => {
      count(this.#inFlight, name, -1);
      if (auctionId !== undefined) count(this.#bidsOnTheWay, auctionId, -1);
    };
  }

  /** Whether a bid on a lot of this auction is being worked on right now. */
  isBeingBidIn(auctionId: string): boolean {
    return this.#bidsOnTheWay.has(auctionId);
  }
}

function count(counts: Map<string, number>, name: string, more: 1 | -1): void {
  const now = (counts.get(name) ?? 0) + more;
  if (now > 0) counts.set(name, now);
  else counts.delete(name);
}

/** Upper- and lower-case spellings are the same UUID. */
function namespaced(clientId: string, key: string): string {
  return `${clientId}\n${key.toLowerCase()}`;
}

/** Tells rivals what a bidder can notice: accepted bids, and auctions that open or whose close moves. */
export class Market {
  readonly #ofBids = new Set<(bid: Bid) => void>();
  readonly #ofSchedules = new Set<(auction: Auction) => void>();

  /** Calls a listener on every accepted bid; the returned function ends that. */
  onBid(listener: (bid: Bid) => void): () => void {
    this.#ofBids.add(listener);
    return () => this.#ofBids.delete(listener);
  }

  /** Calls a listener whenever an auction opens or its close moves; the returned function ends that. */
  onSchedule(listener: (auction: Auction) => void): () => void {
    this.#ofSchedules.add(listener);
    return () => this.#ofSchedules.delete(listener);
  }

  tellBid(bid: Bid): void {
    for (const listener of this.#ofBids) listener(bid);
  }

  tellSchedule(auction: Auction): void {
    for (const listener of this.#ofSchedules) listener(auction);
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
