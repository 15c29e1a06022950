import type { Auction, Bid, Lot } from '../store.js';

/** Who may see a record: the bank, and the partner whose bid, sale or upload it is about. */
export interface Owner {
  readonly bankId: string;
  /** Null where it is the bank's own. */
  readonly partnerId: string | null;
}

/** What every workflow record has. Money is integer paise, times are Unix milliseconds, unless a field says otherwise. */
export interface Entity {
  readonly id: string;
  readonly kind: string;
  readonly owner: Owner;
  state: string;
  /** `resource_version`: from 1, one more with every change. */
  version: number;
  readonly createdAt: number;
  updatedAt: number;
}

export interface Cancellation extends Entity {
  readonly kind: 'cancellation';
  state: 'pending' | 'approved' | 'rejected';
  readonly bid: Bid;
  readonly reasonCode: string;
  readonly explanation: string | undefined;
  decided: Decided | undefined;
}

/** What a bank decided, in the words of the request. */
export interface Decided {
  readonly decision: string;
  readonly reason: string | null;
}

export interface Sale extends Entity {
  readonly kind: 'sale';
  /** What the wire says; whether an approved sale was cancelled later, `cancelled` tells. */
  state: 'pending_bank_approval' | 'approved' | 'rejected' | 'cancelled';
  /** Whether the bank approved its cancellation. */
  cancelled: boolean;
  readonly lot: Lot;
  readonly auction: Auction;
  readonly bid: Bid;
  /** The bid's, until an approval with an offer makes it the offer's. */
  amount: bigint;
  terms: Terms | undefined;
  acknowledgedAt: number | undefined;
  /** Every offer made on it, oldest first. */
  readonly offers: Offer[];
}

/** What the bank set with its approval, in the words of the request. */
export interface Terms {
  readonly termsVersion: string | number;
  /** ISO 8601, as it was sent. */
  readonly dueAt: string;
  readonly payeeInstructions: unknown;
  readonly payeeVersion: number;
}

export interface Offer extends Entity {
  readonly kind: 'offer';
  /** The last two are for `superseded` and `expired` where the row `offer-states` is switched. */
  state: 'open' | 'accepted' | 'declined' | 'superseded' | 'expired' | 'withdrawn' | 'lapsed';
  readonly sale: Sale;
  readonly amount: bigint;
  readonly termsVersion: string | number;
  /** ISO 8601, as it was sent. */
  readonly validUntil: string;
  /** The bank's, unless the row `reason-after-decision` has the answer's. */
  reason: string | null;
  decision: 'accepted' | 'declined' | undefined;
}

export interface EvidenceDocument extends Entity {
  readonly kind: 'document';
  state: 'awaiting_scan' | 'ready' | 'rejected' | 'quarantined';
  readonly sale: Sale;
  readonly purpose: string;
  readonly filename: string;
  readonly mime: string;
  readonly content: Uint8Array;
  /** SHA-256, spelt as it is answered. */
  readonly digest: string;
}

export interface PaymentReport extends Entity {
  readonly kind: 'payment_report';
  state: 'reported_pending_verification' | 'verified' | 'rejected';
  readonly sale: Sale;
  readonly amount: bigint;
  readonly method: string;
  readonly utr: string;
  /** ISO 8601, as it was sent. */
  readonly paidAt: string;
  readonly externalReference: string | null;
  readonly evidenceId: string | null;
  verification:
    | (Decided & {
        readonly receipt: BankReceipt;
        readonly receivedAmount: bigint;
      })
    | undefined;
  /** Where the bank did not verify it. */
  rejection: Decided | undefined;
}

export interface BankReceipt extends Entity {
  readonly kind: 'bank_receipt';
  state: 'verified';
  readonly sale: Sale;
  readonly bankAccountReference: string;
  readonly utr: string;
  readonly externalTransactionId: string;
  readonly amount: bigint;
  /** A calendar date, as it was sent. */
  readonly valueDate: string;
  readonly evidenceId: string | null;
  /** The money that it shows. */
  readonly payment: Payment;
  /** The report that was verified against it. */
  report: PaymentReport | undefined;
}

/** Money that arrived at the bank. */
export interface Payment extends Entity {
  readonly kind: 'payment';
  /** `succeeded`, unless the row `payment-states` is switched. */
  state: string;
  readonly sale: Sale;
  readonly amount: bigint;
  /** `bank_received`, unless that row is switched. */
  readonly settlementState: string;
  readonly allocations: Allocation[];
}

export interface Allocation extends Entity {
  readonly kind: 'allocation';
  state: 'allocated';
  readonly sale: Sale;
  readonly payment: Payment;
  readonly amount: bigint;
}

export interface Release extends Entity {
  readonly kind: 'release';
  state: 'valid' | 'revoked' | 'expired' | 'used';
  readonly sale: Sale;
  readonly recipient: unknown;
  readonly yard: unknown;
  /** ISO 8601, as it was sent. */
  readonly expiresAt: string;
  /** A calendar date, as it was sent. */
  readonly collectionDate: string;
  /** Why it was revoked. */
  revocationReason: string | null | undefined;
  collection:
    | { readonly collector: unknown; readonly vehicleIdentity: unknown; readonly evidenceId: string | null }
    | undefined;
}

/** A message in somebody's inbox. */
export interface Notice {
  readonly id: string;
  readonly to: Owner;
  readonly type: string;
  readonly subject: string;
  /** The record that it tells of. */
  readonly about: { readonly kind: string; readonly id: string };
  /** Version of the record that it tells of, when it was sent. */
  readonly resourceVersion: number;
  readonly createdAt: number;
  acknowledgment: Acknowledgment | undefined;
}

export interface Acknowledgment extends Entity {
  readonly kind: 'notification_ack';
  readonly externalReference: string | null;
}

/** A committed approval, as the winner updates tell it. */
export interface WinnerUpdate {
  readonly id: string;
  readonly sale: Sale;
  readonly at: number;
  /** The sale as it was approved: an update doesn't change afterwards. */
  readonly told: Readonly<Record<string, unknown>>;
}
