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
