import type { Party } from '../parties.js';
import { notFound, Refusal } from '../replies.js';
import type {
  Allocation,
  BankReceipt,
  Cancellation,
  Entity,
  EvidenceDocument,
  Notice,
  Offer,
  Owner,
  Payment,
  PaymentReport,
  Release,
  Sale,
  WinnerUpdate,
} from './entities.js';
import type { Dispute, FirstDecision, Refund, RefundRequest, SaleCancellation } from './reversal-entities.js';
import type { InventoryVehicle, Transfer } from './vehicle-entities.js';

/** Everything that the service remembers of what comes after the bids. Oldest first. */
export class Cases {
  readonly cancellations = new Map<string, Cancellation>();
  readonly sales = new Map<string, Sale>();
  readonly offers = new Map<string, Offer>();
  readonly documents = new Map<string, EvidenceDocument>();
  readonly reports = new Map<string, PaymentReport>();
  readonly receipts = new Map<string, BankReceipt>();
  readonly payments = new Map<string, Payment>();
  readonly allocations = new Map<string, Allocation>();
  readonly releases = new Map<string, Release>();
  readonly saleCancellations = new Map<string, SaleCancellation>();
  readonly refundRequests = new Map<string, RefundRequest>();
  readonly refunds = new Map<string, Refund>();
  readonly disputes = new Map<string, Dispute>();
  /** First of the two decisions that a policy may want, by the id of what is decided. */
  readonly firstDecisions = new Map<string, FirstDecision>();
  readonly transfers = new Map<string, Transfer>();
  /** By private UUID. */
  readonly inventory = new Map<string, InventoryVehicle>();
  /** The vehicles of lots, by the public id of the lot. */
  readonly inventoryOfLots = new Map<string, InventoryVehicle>();
  readonly notices = new Map<string, Notice>();
  readonly winnerUpdates: WinnerUpdate[] = [];
}

/** Whether a caller may see what belongs to `owner`: a bank its tenant's, a partner its own. */
export function mayHave(party: Party, owner: Owner): boolean {
  if (party.bankId !== owner.bankId) return false;
  return party.actor === 'bank' || (party.partnerId !== null && party.partnerId === owner.partnerId);
}

/** What the caller may see, newest first. */
export function own<T extends Entity>(party: Party, all: ReadonlyMap<string, T>): T[] {
  return [...all.values()].filter(({ owner }) => mayHave(party, owner)).reverse();
}

/** The record under an id, or a 404: whether it exists elsewhere isn't told. */
export function find<T extends Entity>(party: Party, all: ReadonlyMap<string, T>, id: string): T {
  const found = all.get(id);
  if (found === undefined || !mayHave(party, found.owner)) throw new Refusal(notFound());
  return found;
}
