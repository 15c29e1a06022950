import {
  type Auction,
  type Bid,
  type Data,
  isKind,
  type Kind,
  type Lot,
  type Owner,
  prefixes,
  type Rec,
  type RefundParts,
  type Sale,
  touchLot,
} from '../auctions/store.js';
import type { SandboxClock } from '../clock.js';
import { invalidField, messageOnly, notFound, Refusal } from '../http/replies.js';
import type { Ids } from '../ids.js';
import { paise, rupees } from '../money.js';
import type { Party } from '../parties.js';
import { isoTime } from '../times.js';

export { type Data, isKind, type Kind, type Owner, type Rec, type RefundParts, type Sale };

/** What is beside id, kind, state, version and times when a record is made. */
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
  openSale(auction: Auction, lot: Lot, bid: Bid): void {
    const data = {
      bid_id: bid.id,
      bidder_reference: bid.bidderReference,
      amount: rupees(bid.amount),
      currency: 'INR',
      terms_version: null,
      acknowledged_at: null,
      lot_id: lot.id,
      due_at: null,
      payee_instructions: null,
      payee_version: null,
    };
    const sale: Sale = this.make('sale', 'pending_bank_approval', {
      owner: bid.owner,
      data,
      lot,
      auction,
      bid,
    });
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

export function view({ id, kind, state, version, data, createdAt, updatedAt }: Rec): WireRecord {
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

/** The state of a record doesn't allow the command: a 409 with a message. */
export function ensure(isAllowed: boolean, message: string): asserts isAllowed {
  if (!isAllowed) throw new Refusal(messageOnly(409, message));
}

/** A value doesn't fit what it is about: the framework's 422. */
export function ensureFits(fits: boolean, field: string, message: string): asserts fits {
  if (!fits) throw new Refusal(invalidField(field, message));
}
