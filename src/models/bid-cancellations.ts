// Generated from src/api by `npm run generate`; edits are lost.

/**
 * Query of `bidCancellations.list`.
 *
 * API text: Integration, eligibility, bids, lot status.
 */
export interface BidCancellationsListQuery {
  /** Page number, from 1. (API: Integration, eligibility, bids, lot status) */
  readonly page?: number | undefined;
}

/**
 * Body of `bidCancellations.decide`.
 *
 * API text: Integration, eligibility, bids, lot status.
 */
export interface BidCancellationsDecideBody {
  /** The decision; the set of values is undocumented. (API: Integration, eligibility, bids, lot status) */
  readonly decision: 'approved' | (string & {});
  /** Why, in words. (API: Integration, eligibility, bids, lot status) */
  readonly reason?: string | undefined;
  /**
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Integration, eligibility, bids, lot status)
   */
  readonly idempotency_key?: string | undefined;
  /**
   * Version of the record that the command is about; refused where the record has moved on since. (API:
   * Integration, eligibility, bids, lot status)
   */
  readonly expected_version: number;
}
