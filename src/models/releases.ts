// Generated from src/api by `npm run generate`; edits are lost.

/**
 * Who may collect a vehicle, and whether it was collected.
 *
 * API text: Workflow record.
 */
export interface ReleaseData {
  /** Who may have the vehicle. (API: Workflow record) */
  readonly recipient?: string | { readonly [key: string]: unknown };
  /** Where the vehicle is handed over. (API: Workflow record) */
  readonly yard?: string | { readonly [key: string]: unknown } | null;
  /** When the authorisation lapses, ISO 8601. (API: Workflow record) */
  readonly expires_at?: string;
  /** Day of the collection, a date. (API: Workflow record) */
  readonly collection_date?: string | null;
  /** Sale that the vehicle is released for. (API: Workflow record) */
  readonly sale_id?: string;
  /** Why it was revoked, in words; after a revocation. (API: Workflow record) */
  readonly reason?: string | null;
  /** Who came for the vehicle; after the collection. (API: Workflow record) */
  readonly collector?: string | { readonly [key: string]: unknown } | null;
  /** How the vehicle was identified; after the collection. (API: Workflow record) */
  readonly vehicle_identity?: string | { readonly [key: string]: unknown } | null;
  /** Document that shows the collection; after the collection. (API: Workflow record) */
  readonly evidence_id?: string | null;
}

/**
 * A release authorisation, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface ReleaseRecord {
  /** Id of a release authorisation. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'release' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'valid' | 'revoked' | 'expired' | 'used' | (string & {});
  /** Version of this record; commands on it send it as `expected_version`. (API: Workflow record) */
  readonly resource_version: number;
  /** What is recorded. (API: Workflow record) */
  readonly data?: ReleaseData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * Body of `releases.revoke`.
 *
 * API text: Release, collection, transfer.
 */
export interface ReleasesRevokeBody {
  /** Why, in words. (API: Release, collection, transfer) */
  readonly reason?: string | undefined;
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
 * Body of `releases.collect`.
 *
 * API text: Release, collection, transfer.
 */
export interface ReleasesCollectBody {
  /** Who came for the vehicle. (API: Release, collection, transfer) */
  readonly collector: string | { readonly [key: string]: unknown };
  /** What identifies the vehicle that was handed over. (API: Release, collection, transfer) */
  readonly vehicle_identity: string | { readonly [key: string]: unknown };
  /** Id of the document that shows the collection. (API: Release, collection, transfer) */
  readonly evidence_id?: string | undefined;
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
