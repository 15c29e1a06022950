// Generated from src/api by `npm run generate`; edits are lost.

/**
 * The sale inside a `sale.approved` event.
 *
 * API text: Event types.
 */
export interface ApprovedSale {
  /** Sale id. (API: Event types) */
  readonly id: string;
  /** State of the sale. (API: Event types) */
  readonly state: 'approved' | (string & {});
  /** Whether the subscriber holds the winning bid. (API: Event types) */
  readonly winner?: boolean;
  /** Whether the bank's decision is final. (API: Event types) */
  readonly bank_decision_final?: boolean;
  /** Whether the bank still has to confirm. (API: Event types) */
  readonly bank_confirmation_required?: boolean;
  /** Whether the buyer has to acknowledge the terms. (API: Event types) */
  readonly buyer_acknowledgment_required?: boolean;
  /** The winning bid. (API: Event types) */
  readonly bid_id?: string;
  /** Winning bidder account of a marketplace. (API: Event types) */
  readonly bidder_reference?: string | null;
  /** Sale amount, INR decimal string. (API: Event types) */
  readonly amount: string;
  /** Currency code, INR. (API: Event types) */
  readonly currency?: string;
  /** Version of the terms to acknowledge. (API: Event types) */
  readonly terms_version?: string | number;
  /** When payment is due, ISO 8601. (API: Event types) */
  readonly due_at?: string | null;
}

/**
 * The service checks that this endpoint is yours.
 *
 * API text: Delivery model.
 */
export interface EndpointVerificationData {
  /** Text to return in the reply. (API: Delivery model) */
  readonly challenge?: string;
}

/**
 * The bank approved a sale (A22).
 *
 * API text: Event types.
 */
export interface SaleApprovedData {
  /** Id of the resource that changed. (API: Event types) */
  readonly resource_id?: string;
  /** Version of the resource. Drop an event with a lower version than yours. (API: Event types) */
  readonly resource_version: number;
  /** Public lot id. (API: Event types) */
  readonly lot_id?: string;
  /** The approved sale. (API: Event types) */
  readonly sale: ApprovedSale;
}

/**
 * The bank moved the close of an auction.
 *
 * API text: Event types.
 */
export interface ScheduleChangedData {
  /** Public auction id. (API: Event types) */
  readonly auction_id: string;
  /** Version of the resource. Drop an event with a lower version than yours. (API: Event types) */
  readonly resource_version: number;
  /** Direction in which the close moved. (API: Event types) */
  readonly direction?: 'extended' | (string & {});
  /** The scheduled close, ISO 8601. (API: Event types) */
  readonly scheduled_end_at?: string;
  /** The close before this change, ISO 8601. (API: Event types) */
  readonly previous_effective_close_at?: string | null;
  /** The new effective close, ISO 8601. (API: Event types) */
  readonly effective_close_at: string;
  /** IANA zone name, for display only. (API: Event types) */
  readonly timezone?: string;
  /** Path of the event resource to read again. (API: Event types) */
  readonly refresh_path?: string;
}

/**
 * The status of a vehicle changed.
 *
 * API text: Event types.
 */
export interface VehicleStatusChangedData {
  /** Sale of the vehicle, if any. (API: Event types) */
  readonly sale_id?: string | null;
  /** Public lot id. (API: Event types) */
  readonly lot_id?: string | null;
  /** Private inventory UUID. You cannot bid with it. (API: Event types) */
  readonly vehicle_id?: string | null;
  /** Status before. (API: Event types) */
  readonly previous_vehicle_status?: string | null;
  /** Status now. (API: Event types) */
  readonly vehicle_status?: string;
  /** Version of the vehicle in inventory. (API: Event types) */
  readonly inventory_version?: number;
  /** Version of the resource. (API: Event types) */
  readonly resource_version?: number;
}
