// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Amount } from '../api/formats.js';
import type { Route } from '../api/operation.js';
import type { CallOptions, Caller } from '../ports/caller.js';

/**
 * Eligibility to bid at one moment.
 *
 * API text: Non-record read shapes.
 */
export interface EligibilitySnapshot {
  /** Whether the dealer can bid now. (API: Non-record read shapes) */
  readonly eligible: boolean;
  /** Always true: the result does not guarantee a later bid. (API: Non-record read shapes) */
  readonly diagnostic_only?: boolean;
  /** Codes that prevent a bid. (API: Non-record read shapes) */
  readonly errors?: readonly string[];
  /** The checked bidding dealer id. (API: Non-record read shapes) */
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
  /** The requested public lot id. (API: Non-record read shapes) */
  readonly lot_id: string;
  /** Opening price of the lot, INR decimal string. (API: Non-record read shapes) */
  readonly starting_price?: string | null;
  /** Step between valid amounts, INR decimal string; zero means no grid. (API: Non-record read shapes) */
  readonly bid_increment?: string | null;
  /** Notice about the result, as text. (API: Non-record read shapes) */
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
   * Buyer of the bid: 1 to 120 letters, digits, `_` or `-`. (API: Integration, eligibility, bids, lot status)
   */
  readonly bidder_reference?: string | undefined;
  /** Amount of the bid, INR decimal string. (API: Integration, eligibility, bids, lot status) */
  readonly amount?: Amount | undefined;
}

export const eligibilitySnapshotSchema: ObjectSchema = {
  fields: {
    eligible: 'boolean',
    diagnostic_only: { optional: 'boolean' },
    errors: { optional: { list: 'string' } },
    dealer_id: { optional: { nullable: 'string' } },
    kyc_status: { optional: { nullable: 'string' } },
    emd_status: { optional: { nullable: 'string' } },
    blocked: { optional: 'boolean' },
    buyer_limit: { optional: { nullable: 'money' } },
    limit_until: { optional: { nullable: 'string' } },
    emd_until: { optional: { nullable: 'string' } },
    lot_id: 'string',
    starting_price: { optional: { nullable: 'money' } },
    bid_increment: { optional: { nullable: 'money' } },
    notice: { optional: { nullable: 'string' } },
  },
};

export const eligibility = {
  check: {
    name: 'eligibility.check',
    id: 'A03',
    method: 'GET',
    path: '/bidding-eligibility',
    availability: 'callable',
    effect: 'read',
    actors: ['partner'],
    query: {
      fields: {
        lot_id: 'filled',
        bidder_reference: { optional: 'bidderReference' },
        amount: { optional: 'amount' },
      },
    },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: eligibilitySnapshotSchema, server_time: { optional: 'string' } } },
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * Diagnostic check of eligibility to bid. As a partner calls it.
 *
 * To look up an id, such as A03: `npx vehicle-auction-sdk docs A03`.
 */
export class Eligibility {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Checks whether a bid on a lot would be accepted, and what prevents it.
   *
   * The check reserves no buying power. Every bid is checked again on arrival.
   *
   * Specific codes: `BANK_ACCESS_DENIED`, `AUCTION_ACCESS_DENIED`.
   *
   * API: A03, `GET /bidding-eligibility`, scope `eligibility:read`; "Integration, eligibility, bids, lot
   * status".
   * @param query What to ask for: `lot_id`, `bidder_reference`, `amount`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  check(query: EligibilityCheckQuery, options?: CallOptions): Promise<EligibilitySnapshot> {
    return this.#call<EligibilitySnapshot>(eligibility.check, { query }, options);
  }
}
