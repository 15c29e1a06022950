// Generated from src/api by `npm run generate`; edits are lost.

/**
 * What is offered for a sale, and the answer.
 *
 * API text: Workflow record.
 */
export interface OfferData {
  /** Amount that is offered, INR decimal string. (API: Workflow record) */
  readonly amount?: string;
  /** Currency code, INR. (API: Workflow record) */
  readonly currency?: string;
  /** Version of the terms that go with the offer. (API: Workflow record) */
  readonly terms_version?: string | number;
  /** When the offer lapses, ISO 8601. (API: Workflow record) */
  readonly valid_until?: string;
  /**
   * Why, in words; after a response, whether these are the bank's words or the buyer's is undocumented. (API:
   * Workflow record)
   */
  readonly reason?: string | null;
  /** The buyer's answer, once given. (API: Workflow record) */
  readonly decision?: 'accepted' | 'declined' | (string & {}) | null;
}

/**
 * An offer, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface OfferRecord {
  /** Id of an offer. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'offer' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'open' | 'accepted' | 'declined' | (string & {});
  /** Version of this record; commands on it send it as `expected_version`. (API: Workflow record) */
  readonly resource_version: number;
  /** What is recorded. (API: Workflow record) */
  readonly data?: OfferData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * Body of `offers.respond`.
 *
 * API text: Sale, negotiation, cancellation.
 */
export interface OffersRespondBody {
  /** The buyer's answer. (API: Sale, negotiation, cancellation) */
  readonly decision: 'accepted' | 'declined';
  /** Version of the terms that the offer came with. (API: Sale, negotiation, cancellation) */
  readonly terms_version: string | number;
  /** Why, in words. (API: Sale, negotiation, cancellation) */
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
