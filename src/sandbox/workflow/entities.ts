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
  state: 'pending' | 'approved';
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
  state: 'pending_bank_approval' | 'approved';
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
  state: 'open' | 'accepted' | 'declined' | 'superseded' | 'expired';
  readonly sale: Sale;
  readonly amount: bigint;
  readonly termsVersion: string | number;
  /** ISO 8601, as it was sent. */
  readonly validUntil: string;
  readonly reason: string | null;
  decision: 'accepted' | 'declined' | undefined;
}

export interface EvidenceDocument extends Entity {
  readonly kind: 'document';
  state: 'awaiting_scan' | 'ready';
  readonly sale: Sale;
  readonly purpose: string;
  readonly filename: string;
  readonly mime: string;
  readonly content: Uint8Array;
  /** SHA-256, lower-case hex. */
  readonly digest: string;
}

export interface PaymentReport extends Entity {
  readonly kind: 'payment_report';
  state: 'reported_pending_verification' | 'verified';
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
  state: 'succeeded';
  readonly sale: Sale;
  readonly amount: bigint;
  readonly settlementState: 'bank_received';
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
