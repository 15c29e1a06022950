// Generated from src/api by `npm run generate`; edits are lost.

/**
 * What allows or prevents a bid, at one moment.
 *
 * API text: Non-record read shapes.
 */
export interface EligibilitySnapshot {
  /** Whether nothing speaks against a bid at this moment. (API: Non-record read shapes) */
  readonly eligible: boolean;
  /** True: the answer promises nothing about a later bid. (API: Non-record read shapes) */
  readonly diagnostic_only?: boolean;
  /** What speaks against a bid, as codes. (API: Non-record read shapes) */
  readonly errors?: readonly string[];
  /** The bidding dealer id that was looked at. (API: Non-record read shapes) */
  readonly dealer_id?: string | null;
  /** The dealer's KYC. (API: Non-record read shapes) */
  readonly kyc_status?: 'approved' | 'pending' | (string & {}) | null;
  /** The dealer's earnest money deposit (EMD). (API: Non-record read shapes) */
  readonly emd_status?: 'approved' | 'pending' | (string & {}) | null;
  /** Whether the dealer is blocked. (API: Non-record read shapes) */
  readonly blocked?: boolean;
  /** Highest amount that the bank has approved, INR decimal string. (API: Non-record read shapes) */
  readonly buyer_limit?: string | null;
  /** When the limit expires; whether date or date-time is undocumented. (API: Non-record read shapes) */
  readonly limit_until?: string | null;
  /** When the deposit expires; whether date or date-time is undocumented. (API: Non-record read shapes) */
  readonly emd_until?: string | null;
  /** Public lot id that was asked for. (API: Non-record read shapes) */
  readonly lot_id: string;
  /** Opening price of the lot, INR decimal string. (API: Non-record read shapes) */
  readonly starting_price?: string | null;
  /** Step between valid amounts, INR decimal string; zero means no grid. (API: Non-record read shapes) */
  readonly bid_increment?: string | null;
  /** What to bear in mind, in words. (API: Non-record read shapes) */
  readonly notice?: string | null;
}

/**
 * Query of `eligibility.check`.
 *
 * API text: Integration, eligibility, bids, lot status.
 */
export interface EligibilityCheckQuery {
  /** Public lot id. (API: Integration, eligibility, bids, lot status) */
  readonly lot_id: string;
  /**
   * Buyer for whom the bid would be, 1 to 120 of letters, digits, `_`, `-`. (API: Integration, eligibility,
   * bids, lot status)
   */
  readonly bidder_reference?: string | undefined;
  /** Amount that would be bid, INR decimal string. (API: Integration, eligibility, bids, lot status) */
  readonly amount?: string | undefined;
}
