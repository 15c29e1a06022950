// Generated from src/api by `npm run generate`; edits are lost.

/**
 * What is due for a sale, and what is paid.
 *
 * API text: Non-record read shapes.
 */
export interface PaymentDues {
  /** Sale id. (API: Non-record read shapes) */
  readonly sale_id: string;
  /** Currency code, INR. (API: Non-record read shapes) */
  readonly currency?: string;
  /** What has to be paid in all, INR decimal string. (API: Non-record read shapes) */
  readonly due_amount: string;
  /** What is paid and verified, INR decimal string. (API: Non-record read shapes) */
  readonly verified_credits: string;
  /** What is left to pay, INR decimal string. (API: Non-record read shapes) */
  readonly remaining: string;
  /** What was paid beyond the due amount, INR decimal string. (API: Non-record read shapes) */
  readonly excess: string;
  /** How far the sale is paid. (API: Non-record read shapes) */
  readonly state: 'unpaid' | (string & {});
  /** When payment is due, ISO 8601. (API: Non-record read shapes) */
  readonly due_at?: string | null;
  /** How and whom to pay. (API: Non-record read shapes) */
  readonly payee_instructions?: string | { readonly [key: string]: unknown } | null;
  /** Version of the payee instructions. (API: Non-record read shapes) */
  readonly payee_version?: string | number | null;
  /** Grows with every change; of which record is undocumented. (API: Non-record read shapes) */
  readonly resource_version: number;
}

/**
 * What is sold to whom, for how much, on which terms.
 *
 * API text: Workflow record.
 */
export interface SaleData {
  /** The bid that the sale is about. (API: Workflow record) */
  readonly bid_id?: string;
  /** The platform's buyer; null for a direct dealer. (API: Workflow record) */
  readonly bidder_reference?: string | null;
  /** Amount of the sale, INR decimal string. (API: Workflow record) */
  readonly amount?: string;
  /** Currency code, INR. (API: Workflow record) */
  readonly currency?: string;
  /** Version of the terms of the sale. (API: Workflow record) */
  readonly terms_version?: string | number | null;
  /** When the buyer acknowledged decision and terms, ISO 8601; null before. (API: Workflow record) */
  readonly acknowledged_at?: string | null;
  /** Public lot id. (API: Workflow record) */
  readonly lot_id?: string;
  /** When payment is due, ISO 8601. (API: Workflow record) */
  readonly due_at?: string | null;
  /** How and whom to pay. (API: Workflow record) */
  readonly payee_instructions?: string | { readonly [key: string]: unknown } | null;
  /** Version of the payee instructions. (API: Workflow record) */
  readonly payee_version?: string | number | null;
  /**
   * The offer that counts, or null; only on a sale that was read individually. Its fields are undocumented.
   * (API: Workflow record)
   */
  readonly active_offer?: { readonly [key: string]: unknown } | null;
}

/**
 * Payments, documents and allocations of a sale.
 *
 * API text: Non-record read shapes.
 */
export interface SaleReceipts {
  /** Sale id. (API: Non-record read shapes) */
  readonly sale_id: string;
  /** Payments for the sale; item shape not shown. (API: Non-record read shapes) */
  readonly payments?: readonly unknown[];
  /** Documents of the sale; item shape not shown. (API: Non-record read shapes) */
  readonly documents?: readonly unknown[];
  /** Money allocated to the sale; item shape not shown. (API: Non-record read shapes) */
  readonly allocations?: readonly unknown[];
}

/**
 * A sale, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface SaleRecord {
  /** Id of a sale. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'sale' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'approved' | (string & {});
  /** Version of this record; commands on it send it as `expected_version`. (API: Workflow record) */
  readonly resource_version: number;
  /** What is recorded. (API: Workflow record) */
  readonly data?: SaleData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * A milestone of an ownership transfer.
 *
 * API text: Workflow record.
 */
export interface TransferData {
  /** The milestone that was recorded. (API: Workflow record) */
  readonly status?: 'submitted' | (string & {});
  /** Who answers for this step. (API: Workflow record) */
  readonly responsible_party?: string | { readonly [key: string]: unknown } | null;
  /** Why, in words. (API: Workflow record) */
  readonly reason?: string | null;
  /** Document that shows the milestone. (API: Workflow record) */
  readonly evidence_id?: string | null;
  /** Documents that the transfer needs or has; which of the two is undocumented. (API: Workflow record) */
  readonly document_checklist?: readonly string[] | null;
  /** When the milestone was reached, ISO 8601. (API: Workflow record) */
  readonly occurred_at?: string;
  /** Sale of the vehicle. (API: Workflow record) */
  readonly sale_id?: string;
  /** What the record rests on. (API: Workflow record) */
  readonly verification?: 'operator_reported' | (string & {});
  /** Whether it was verified independently; false until then. (API: Workflow record) */
  readonly government_verified?: boolean;
}

/**
 * An ownership transfer milestone, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface TransferRecord {
  /** Id of an ownership transfer milestone. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'transfer' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'not_started' | 'submitted' | 'completed' | 'rejected' | (string & {});
  /** Version of this record; no command sends it. (API: Workflow record) */
  readonly resource_version: number;
  /** What is recorded. (API: Workflow record) */
  readonly data?: TransferData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * How far an ownership transfer is.
 *
 * API text: Non-record read shapes.
 */
export interface TransferStatus {
  /** Sale id. (API: Non-record read shapes) */
  readonly sale_id: string;
  /** How far the transfer is; unknown states pass through. (API: Non-record read shapes) */
  readonly state: 'not_started' | 'submitted' | 'completed' | 'rejected' | (string & {});
  /** Whether it was verified independently; false until then. (API: Non-record read shapes) */
  readonly government_verified?: boolean;
  /** What was recorded; item shape not shown. (API: Non-record read shapes) */
  readonly milestones?: readonly unknown[];
  /** Grows with every change; of which record is undocumented. (API: Non-record read shapes) */
  readonly resource_version: number;
}

/**
 * Query of `saleCases.list`.
 *
 * API text: Sale, negotiation, cancellation.
 */
export interface SaleCasesListQuery {
  /** Page number, from 1. (API: Sale, negotiation, cancellation) */
  readonly page?: number | undefined;
}

/**
 * Body of `saleCases.decide`.
 *
 * API text: Sale, negotiation, cancellation.
 */
export interface SaleCasesDecideBody {
  /** The decision; the set of values is undocumented. (API: Sale, negotiation, cancellation) */
  readonly decision: 'approved' | (string & {});
  /** Id of the bid that the decision is about. (API: Sale, negotiation, cancellation) */
  readonly bid_id?: string | undefined;
  /** Why, in words. (API: Sale, negotiation, cancellation) */
  readonly reason?: string | undefined;
  /** Version of the terms of the sale. (API: Sale, negotiation, cancellation) */
  readonly terms_version?: string | number | undefined;
  /** When payment is due, ISO 8601 with zone. (API: Sale, negotiation, cancellation) */
  readonly due_at?: string | undefined;
  /** How and whom the buyer has to pay. (API: Sale, negotiation, cancellation) */
  readonly payee_instructions?: string | { readonly [key: string]: unknown } | undefined;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Sale, negotiation, cancellation)
   */
  readonly idempotency_key?: string | undefined;
  /**
   * Version of the record that the command is about; refused where the record has moved on since. (API: Sale,
   * negotiation, cancellation)
   */
  readonly expected_version: number;
  /** Id of the accepted offer; required where there is one. (API: Sale, negotiation, cancellation) */
  readonly offer_id?: string | undefined;
}

/**
 * Body of `saleCases.acknowledge`.
 *
 * API text: Sale, negotiation, cancellation.
 */
export interface SaleCasesAcknowledgeBody {
  /** Version of the terms that the sale carries. (API: Sale, negotiation, cancellation) */
  readonly terms_version: string | number;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Sale, negotiation, cancellation)
   */
  readonly idempotency_key?: string | undefined;
  /**
   * Version of the record that the command is about; refused where the record has moved on since. (API: Sale,
   * negotiation, cancellation)
   */
  readonly expected_version: number;
}

/**
 * Body of `saleCases.offer`.
 *
 * API text: Sale, negotiation, cancellation.
 */
export interface SaleCasesOfferBody {
  /** Amount to offer, INR decimal string. (API: Sale, negotiation, cancellation) */
  readonly amount: string;
  /** `INR`: all money is in it. (API: Sale, negotiation, cancellation) */
  readonly currency: 'INR';
  /** Version of the terms that go with the offer. (API: Sale, negotiation, cancellation) */
  readonly terms_version: string | number;
  /** When the offer lapses, ISO 8601 with zone. (API: Sale, negotiation, cancellation) */
  readonly valid_until: string;
  /** Why, in words. The buyer reads it on the offer. (API: Sale, negotiation, cancellation) */
  readonly reason?: string | undefined;
  /**
   * Version of the record that the command is about; refused where the record has moved on since. (API: Sale,
   * negotiation, cancellation)
   */
  readonly expected_version: number;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Sale, negotiation, cancellation)
   */
  readonly idempotency_key?: string | undefined;
}

/**
 * Body of `saleCases.requestCancellation`.
 *
 * API text: Sale, negotiation, cancellation.
 */
export interface SaleCasesRequestCancellationBody {
  /** Why, as a code; the allowed values are undocumented. (API: Sale, negotiation, cancellation) */
  readonly reason_code: string;
  /** Why, in words. (API: Sale, negotiation, cancellation) */
  readonly explanation?: string | undefined;
  /**
   * Version of the record that the command is about; refused where the record has moved on since. (API: Sale,
   * negotiation, cancellation)
   */
  readonly expected_version: number;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Sale, negotiation, cancellation)
   */
  readonly idempotency_key?: string | undefined;
}

/**
 * Body of `saleCases.authorizeRelease`.
 *
 * API text: Release, collection, transfer.
 */
export interface SaleCasesAuthorizeReleaseBody {
  /** Who may have the vehicle. (API: Release, collection, transfer) */
  readonly recipient: string | { readonly [key: string]: unknown };
  /** Where the vehicle is handed over. (API: Release, collection, transfer) */
  readonly yard: string | { readonly [key: string]: unknown };
  /** When the authorisation lapses, ISO 8601 with zone. (API: Release, collection, transfer) */
  readonly expires_at: string;
  /** Day of the collection, such as `2026-03-01`. (API: Release, collection, transfer) */
  readonly collection_date: string;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Release, collection, transfer)
   */
  readonly idempotency_key?: string | undefined;
  /**
   * Version of the record that the command is about; refused where the record has moved on since. (API:
   * Release, collection, transfer)
   */
  readonly expected_version: number;
}

/**
 * Body of `saleCases.updateTransfer`.
 *
 * API text: Release, collection, transfer.
 */
export interface SaleCasesUpdateTransferBody {
  /** The milestone; the set of values is undocumented. (API: Release, collection, transfer) */
  readonly status: 'submitted' | (string & {});
  /** Who answers for this step. (API: Release, collection, transfer) */
  readonly responsible_party: string | { readonly [key: string]: unknown };
  /** Why, in words. (API: Release, collection, transfer) */
  readonly reason?: string | undefined;
  /** Id of the document that shows the milestone. (API: Release, collection, transfer) */
  readonly evidence_id?: string | undefined;
  /** Documents of the transfer, by name; which names is undocumented. (API: Release, collection, transfer) */
  readonly document_checklist?: readonly string[] | undefined;
  /** When the milestone was reached, ISO 8601 with zone. (API: Release, collection, transfer) */
  readonly occurred_at: string;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Release, collection, transfer)
   */
  readonly idempotency_key?: string | undefined;
  /**
   * Version of the record that the command is about; refused where the record has moved on since. (API:
   * Release, collection, transfer)
   */
  readonly expected_version: number;
}
