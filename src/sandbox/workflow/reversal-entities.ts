import type { Allocation, Decided, Entity, Payment, Sale } from './entities.js';

/** A request to cancel an approved sale. */
export interface SaleCancellation extends Entity {
  readonly kind: 'sale_cancellation';
  state: 'pending' | 'approved' | 'rejected';
  readonly sale: Sale;
  readonly reasonCode: string;
  readonly explanation: string | undefined;
  decided: Decided | undefined;
}

/** A request to give money of a payment back. */
export interface RefundRequest extends Entity {
  readonly kind: 'refund_request';
  state: 'pending' | 'approved' | 'rejected';
  readonly payment: Payment;
  /** Integer paise: the sum of its parts. */
  readonly amount: bigint;
  /** Where the money is taken from, settled when it is asked for. */
  readonly parts: readonly RefundPart[];
  /** The requester's, or the bank's once it decided (unknowns: `reason-after-decision`). */
  reason: string | null;
  decision: string | undefined;
  refund: Refund | undefined;
}

/** Money of a payment that a refund takes. Integer paise. */
export interface RefundPart {
  /** The allocation whose credit it lowers; undefined for money that was not allocated. */
  readonly from: Allocation | undefined;
  readonly amount: bigint;
}

/** Money that goes back, once the bank approved its request. */
export interface Refund extends Entity {
  readonly kind: 'refund';
  state: 'approved_pending_execution' | 'processing' | 'succeeded' | 'failed';
  readonly request: RefundRequest;
  /** What `request_id` says (unknowns: `refund-request-id`). */
  readonly requestId: string;
  /** What `execution` says (unknowns: `refund-execution`). */
  execution: unknown;
}

export interface Dispute extends Entity {
  readonly kind: 'dispute';
  state: 'open' | 'resolved';
  readonly sale: Sale;
  readonly reasonCode: string;
  readonly explanation: string | undefined;
  readonly evidenceId: string | null;
}

/** The first of two decisions, while it waits for another credential of the bank to say the same. */
export interface FirstDecision {
  readonly clientId: string;
  /** What was decided, without key and version. */
  readonly content: Readonly<Record<string, unknown>>;
}
