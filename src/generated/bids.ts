// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Amount } from '../api/formats.js';
import type { PartnerType, Route } from '../api/operation.js';
import type { BidOptions, CallOptions, Caller, MutationOptions } from '../ports/caller.js';
import type { Pager } from '../ports/list.js';

/**
 * A bid in full.
 *
 * API text: Non-record read shapes.
 */
export interface BidDetail {
  /** Bid id. (API: Non-record read shapes) */
  readonly id: string;
  /** Public lot id. (API: Non-record read shapes) */
  readonly lot_id: string;
  /** The platform's buyer; null for a direct dealer. (API: Non-record read shapes) */
  readonly bidder_reference?: string | null;
  /** Amount of the bid, INR decimal string. (API: Non-record read shapes) */
  readonly amount: string;
  /** Whether the bid was accepted. (API: Non-record read shapes) */
  readonly status: 'accepted' | 'rejected' | (string & {});
  /** Id of the request that recorded the bid. (API: Non-record read shapes) */
  readonly request_id?: string;
  /** When the bid arrived in server time, ISO 8601. (API: Non-record read shapes) */
  readonly server_received_at?: string;
  /** Version of the lot after this bid. (API: Non-record read shapes) */
  readonly lot_version?: number | null;
  /** Every code of the rejection; empty when accepted. (API: Non-record read shapes) */
  readonly errors?: readonly string[];
}

/**
 * A bid in the list of bids.
 *
 * API text: Bid list item.
 */
export interface BidListItem {
  /** Bid id. (API: Bid list item) */
  readonly public_id: string;
  /** The platform's buyer; null for a direct dealer. (API: Bid list item) */
  readonly bidder_reference?: string | null;
  /** Amount of the bid, INR decimal string. (API: Bid list item) */
  readonly amount: string;
  /** Whether the bid was accepted. (API: Bid list item) */
  readonly status: 'accepted' | 'rejected' | (string & {});
  /**
   * `YYYY-MM-DD HH:MM:SS` without offset; its zone is undocumented, so it stays a string. (API: Bid list
   * item)
   */
  readonly created_at?: string;
}

/**
 * The bid recorded under an idempotency key, if any.
 *
 * API text: Non-record read shapes.
 */
export interface BidLookup {
  /** The requested idempotency key. (API: Non-record read shapes) */
  readonly idempotency_key: string;
  /**
   * State of the bid under the key. `absent` applies at `observed_at` and does not exclude a request in
   * flight. (API: Non-record read shapes)
   */
  readonly state: 'processing' | 'accepted' | 'rejected' | 'absent' | (string & {});
  /** Server time of the lookup, ISO 8601. (API: Non-record read shapes) */
  readonly observed_at?: string;
  /** The recorded bid, or null; its fields are undocumented. (API: Non-record read shapes) */
  readonly receipt?: { readonly [key: string]: unknown } | null;
  /** The service's advice on retrying, as text. (API: Non-record read shapes) */
  readonly retry?: string | null;
}

/**
 * The recorded bid, as returned by the bidding authority.
 *
 * API text: Bid submission response envelope.
 */
export interface BidReceipt {
  /** Id of the request that recorded the bid. (API: Bid submission response envelope) */
  readonly request_id?: string;
  /** Bid id; not proof of acceptance. (API: Bid submission response envelope) */
  readonly bid_id: string;
  /** `accepted`: the bid is accepted, provisionally. (API: Bid submission response envelope) */
  readonly status: 'accepted' | 'rejected' | (string & {});
  /** When the bid arrived in server time, ISO 8601. (API: Bid submission response envelope) */
  readonly server_received_at?: string;
  /** Version of the lot after this bid. (API: Bid submission response envelope) */
  readonly lot_version: number;
  /** Effective close including extensions, ISO 8601. (API: Bid submission response envelope) */
  readonly effective_close_at?: string | null;
  /**
   * True if the bid was already recorded under this idempotency key, by an earlier attempt of this call
   * (`responseOf(receipt).attempts` is above 1) or by an earlier call. The other fields of a replay can be as
   * old as the bid. (API: Bid submission response envelope)
   */
  readonly replayed?: boolean;
  /** The buyer's standing, provisional. (API: Bid submission response envelope) */
  readonly bidder_status?: 'no_bid' | 'leading' | 'outbid' | (string & {}) | null;
  /** The standing of the caller's channel. (API: Bid submission response envelope) */
  readonly channel_status?: 'no_bid' | 'leading' | (string & {}) | null;
  /**
   * Highest accepted amount in INR, as a decimal string; hidden in closed auctions. (API: Bid submission
   * response envelope)
   */
  readonly highest_amount?: string | null;
  /**
   * Current amount in INR; only with open visibility. A number on the wire, a decimal string in this SDK.
   * (API: Bid submission response envelope)
   */
  readonly current_amount?: string | null;
}

/**
 * A bid cancellation request and its decision.
 *
 * API text: Workflow record.
 */
export interface CancellationData {
  /** The bid to be cancelled. (API: Workflow record) */
  readonly bid_id?: string;
  /** Why, as a code; the allowed values are undocumented. (API: Workflow record) */
  readonly reason_code?: string;
  /** Why, in words. (API: Workflow record) */
  readonly explanation?: string | null;
  /** Version of the policy that applies. (API: Workflow record) */
  readonly policy_version?: string | number;
  /** The bank's decision, once made. (API: Workflow record) */
  readonly decision?: 'approved' | (string & {}) | null;
  /** The bank's reason, once decided. (API: Workflow record) */
  readonly reason?: string | null;
}

/**
 * A bid cancellation request, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface CancellationRecord {
  /** Id of a bid cancellation request. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'cancellation' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'pending' | 'approved' | (string & {});
  /** Version of this record; commands on it send it as `expected_version`. (API: Workflow record) */
  readonly resource_version: number;
  /** Data of the record. (API: Workflow record) */
  readonly data?: CancellationData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * A recorded rejected bid, as returned by the bidding authority.
 *
 * API text: Bid submission response envelope.
 */
export interface RejectedBid {
  /** Id of the request that recorded the bid. (API: Bid submission response envelope) */
  readonly request_id?: string;
  /** Bid id; a rejected bid can have one too. (API: Bid submission response envelope) */
  readonly bid_id?: string | null;
  /** `rejected`: the rejection is final. (API: Bid submission response envelope) */
  readonly status: 'rejected' | (string & {});
  /** When the bid arrived in server time, ISO 8601. (API: Bid submission response envelope) */
  readonly server_received_at?: string;
  /** Version of the lot after this bid. (API: Bid submission response envelope) */
  readonly lot_version?: number | null;
  /** Effective close including extensions, ISO 8601. (API: Bid submission response envelope) */
  readonly effective_close_at?: string | null;
  /**
   * True if the bid was already recorded under this idempotency key, by an earlier attempt of this call
   * (`responseOf(receipt).attempts` is above 1) or by an earlier call. The other fields of a replay can be as
   * old as the bid. (API: Bid submission response envelope)
   */
  readonly replayed?: boolean;
  /** The buyer's standing, provisional. (API: Bid submission response envelope) */
  readonly bidder_status?: 'no_bid' | 'leading' | 'outbid' | (string & {}) | null;
  /** The standing of the caller's channel. (API: Bid submission response envelope) */
  readonly channel_status?: 'no_bid' | 'leading' | (string & {}) | null;
  /**
   * Highest accepted amount in INR, as a decimal string; hidden in closed auctions. (API: Bid submission
   * response envelope)
   */
  readonly highest_amount?: string | null;
  /**
   * Current amount in INR; only with open visibility. A number on the wire, a decimal string in this SDK.
   * (API: Bid submission response envelope)
   */
  readonly current_amount?: string | null;
}

/**
 * Body of `bids.submit` for a direct dealer: without `bidder_reference`.
 *
 * API text: Bids.
 */
export interface DealerBidsSubmitBody {
  /**
   * Amount of the bid, INR decimal string: positive, at most 12 integer digits and 2 decimals. (API: Bids)
   */
  readonly amount: Amount;
  /** Left out: a direct dealer bids for itself. */
  readonly bidder_reference?: never;
  /** Bid time on the buyer's clock, ISO 8601 with zone. It does not affect eligibility. (API: Bids) */
  readonly client_bid_time?: string | undefined;
  /**
   * Bank-issued bidding dealer id, at most 32 characters. Defaults to the `dealerId` of the client. (API:
   * Bids)
   */
  readonly dealer_id?: string | undefined;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Bids)
   */
  readonly idempotency_key?: string | undefined;
}

/**
 * Body of `bids.submit` for a platform or aggregator: with `bidder_reference`.
 *
 * API text: Bids.
 */
export interface PlatformBidsSubmitBody {
  /**
   * Amount of the bid, INR decimal string: positive, at most 12 integer digits and 2 decimals. (API: Bids)
   */
  readonly amount: Amount;
  /**
   * Stable identity of the actual buyer: 1 to 120 letters, digits, `_` or `-`. Required for platforms and
   * aggregators; direct dealers must omit it. (API: Bids)
   */
  readonly bidder_reference: string;
  /** Bid time on the buyer's clock, ISO 8601 with zone. It does not affect eligibility. (API: Bids) */
  readonly client_bid_time?: string | undefined;
  /**
   * Bank-issued bidding dealer id, at most 32 characters. Defaults to the `dealerId` of the client. (API:
   * Bids)
   */
  readonly dealer_id?: string | undefined;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Bids)
   */
  readonly idempotency_key?: string | undefined;
}

/**
 * Body of `bids.submit`, by kind of partner.
 *
 * API text: Bids.
 */
export type BidsSubmitBody<P extends PartnerType = PartnerType> = P extends 'direct_dealer'
  ? DealerBidsSubmitBody
  : PlatformBidsSubmitBody;

/**
 * Query of `bids.list`.
 *
 * API text: Bids.
 */
export interface BidsListQuery {
  /** Only bids of this buyer of the platform. (API: Bids) */
  readonly bidder_reference?: string | undefined;
  /** Page number, from 1. (API: Bids) */
  readonly page?: number | undefined;
}

/**
 * Body of `bids.requestCancellation`.
 *
 * API text: Integration, eligibility, bids, lot status.
 */
export interface BidsRequestCancellationBody {
  /**
   * Why, as a code; the allowed values are undocumented. (API: Integration, eligibility, bids, lot status)
   */
  readonly reason_code: string;
  /** Why, in words. (API: Integration, eligibility, bids, lot status) */
  readonly explanation?: string | undefined;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Integration, eligibility, bids, lot status)
   */
  readonly idempotency_key?: string | undefined;
}

export const bidDetailSchema: ObjectSchema = {
  fields: {
    id: 'string',
    lot_id: 'string',
    bidder_reference: { optional: { nullable: 'string' } },
    amount: 'money',
    status: 'string',
    request_id: { optional: 'string' },
    server_received_at: { optional: 'string' },
    lot_version: { optional: { nullable: 'int' } },
    errors: { optional: { list: 'string' } },
  },
};

export const bidListItemSchema: ObjectSchema = {
  fields: {
    public_id: 'string',
    bidder_reference: { optional: { nullable: 'string' } },
    amount: 'money',
    status: 'string',
    created_at: { optional: 'string' },
  },
};

export const bidLookupSchema: ObjectSchema = {
  fields: {
    idempotency_key: 'string',
    state: 'string',
    observed_at: { optional: 'string' },
    receipt: { optional: { nullable: { map: 'unknown' } } },
    retry: { optional: { nullable: 'string' } },
  },
};

export const bidReceiptSchema: ObjectSchema = {
  fields: {
    request_id: { optional: 'string' },
    bid_id: 'string',
    status: 'string',
    server_received_at: { optional: 'string' },
    lot_version: 'int',
    effective_close_at: { optional: { nullable: 'string' } },
    replayed: { optional: 'boolean' },
    bidder_status: { optional: { nullable: 'string' } },
    channel_status: { optional: { nullable: 'string' } },
    highest_amount: { optional: { nullable: 'numericMoney' } },
    current_amount: { optional: { nullable: 'numericMoney' } },
  },
};

export const cancellationDataSchema: ObjectSchema = {
  fields: {
    bid_id: { optional: 'string' },
    reason_code: { optional: 'string' },
    explanation: { optional: { nullable: 'string' } },
    policy_version: { optional: { either: ['string', 'number'] } },
    decision: { optional: { nullable: 'string' } },
    reason: { optional: { nullable: 'string' } },
  },
};

export const cancellationRecordSchema: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: cancellationDataSchema },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const rejectedBidSchema: ObjectSchema = {
  fields: {
    request_id: { optional: 'string' },
    bid_id: { optional: { nullable: 'string' } },
    status: 'string',
    server_received_at: { optional: 'string' },
    lot_version: { optional: { nullable: 'int' } },
    effective_close_at: { optional: { nullable: 'string' } },
    replayed: { optional: 'boolean' },
    bidder_status: { optional: { nullable: 'string' } },
    channel_status: { optional: { nullable: 'string' } },
    highest_amount: { optional: { nullable: 'numericMoney' } },
    current_amount: { optional: { nullable: 'numericMoney' } },
  },
};

export const bids = {
  submit: {
    name: 'bids.submit',
    id: 'bids.submit',
    method: 'POST',
    path: '/lots/{lot}/bids',
    availability: 'callable',
    effect: 'bid',
    actors: ['partner'],
    params: { lot: 'pathId' },
    body: {
      fields: {
        amount: 'amount',
        bidder_reference: { optional: 'bidderReference' },
        client_bid_time: { optional: 'dateTime' },
        dealer_id: 'dealerId',
        idempotency_key: 'uuid',
      },
      hints: {
        dealer_id:
          'pass it here, or set `dealerId` on the client or in its credentials (or VEHICLE_AUCTION_DEALER_ID, if the credentials come from the environment)',
      },
    },
    success: [201, 200],
    envelope: 'bid',
    reply: {
      fields: {
        success: { values: [true] },
        code: { optional: 'string' },
        message: { optional: 'string' },
        data: bidReceiptSchema,
        errors: { optional: { list: 'string' } },
        request_id: { optional: 'string' },
        timestamp: { optional: 'string' },
      },
    },
    rejection: rejectedBidSchema,
  },
  list: {
    name: 'bids.list',
    id: 'bids.list',
    method: 'GET',
    path: '/bids',
    availability: 'callable',
    effect: 'read',
    query: { fields: { bidder_reference: { optional: 'bidderReference' }, page: { optional: 'positive' } } },
    success: [200],
    envelope: 'bids_page',
    reply: {
      fields: {
        data: { list: bidListItemSchema },
        current_page: 'int',
        last_page: 'int',
        total: { optional: 'int' },
        per_page: { optional: 'int' },
        from: { optional: { nullable: 'int' } },
        to: { optional: { nullable: 'int' } },
        path: { optional: 'string' },
        first_page_url: { optional: { nullable: 'string' } },
        last_page_url: { optional: { nullable: 'string' } },
        next_page_url: { optional: { nullable: 'string' } },
        prev_page_url: { optional: { nullable: 'string' } },
        links: {
          optional: {
            list: {
              fields: {
                url: { optional: { nullable: 'string' } },
                label: { optional: 'string' },
                active: { optional: 'boolean' },
              },
            },
          },
        },
      },
    },
  },
  get: {
    name: 'bids.get',
    id: 'A05',
    method: 'GET',
    path: '/bids/{bid}',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    params: { bid: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: bidDetailSchema, server_time: { optional: 'string' } } },
  },
  lookup: {
    name: 'bids.lookup',
    id: 'A06',
    method: 'GET',
    path: '/bid-requests/{idempotency_key}',
    availability: 'callable',
    effect: 'read',
    lane: 'bid',
    actors: ['partner'],
    params: { idempotency_key: 'uuid' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: bidLookupSchema, server_time: { optional: 'string' } } },
  },
  requestCancellation: {
    name: 'bids.requestCancellation',
    id: 'A07',
    method: 'POST',
    path: '/bids/{bid}/cancellation-requests',
    availability: 'callable',
    effect: 'command',
    actors: ['partner'],
    params: { bid: 'pathId' },
    body: { fields: { reason_code: 'filled', explanation: { optional: 'filled' }, idempotency_key: 'uuid' } },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: cancellationRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * Bids: submit, list, read, look up by idempotency key, request cancellation.
 *
 * To look up an id, such as A05: `npx vehicle-auction-sdk docs A05`.
 */
export class Bids {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Lists the caller's bids, 25 per page.
   *
   * Returns a pager: nothing is sent until you iterate it.
   *
   * API: `GET /bids`, scope `bids:read`; "Bids".
   * @param query What to ask for: `bidder_reference`, `page`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  list(query: BidsListQuery = {}, options?: CallOptions): Pager<BidListItem> {
    return this.#call.pager<BidListItem>(bids.list, { query }, options);
  }

  /**
   * Reads one bid in full, with every code of a rejection.
   *
   * A partner sees its own bids, a bank those of its tenant.
   *
   * API: A05, `GET /bids/{bid}`, scope `bids:read`; "Integration, eligibility, bids, lot status".
   * @param bid Bid id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  get(bid: string, options?: CallOptions): Promise<BidDetail> {
    return this.#call<BidDetail>(bids.get, { path: { bid } }, options);
  }
}

/**
 * Bids: submit, list, read, look up by idempotency key, request cancellation. As a partner calls it.
 *
 * To look up an id, such as A06: `npx vehicle-auction-sdk docs A06`.
 */
export class PartnerBids<P extends PartnerType = PartnerType> extends Bids {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Submits one bid.
   *
   * An idempotency key identifies exactly one bid, even if it is sent repeatedly. If the outcome is
   * uncertain, resend the identical body under the same key or look the bid up (A06) before you bid under a
   * new key.
   *
   * Acceptance is a provisional standing. It is neither a sale approval nor a request for payment.
   *
   * Retried automatically with identical bytes. If the outcome stays unknown, the error carries the key: pass
   * it to `intents.reconcile`, or repeat the call with it.
   *
   * Specific codes: `BANK_ACCESS_DENIED`, `AUCTION_ACCESS_DENIED`, `BUYER_NOT_ELIGIBLE`,
   * `BUYER_LIMIT_EXPIRED`, `EMD_EXPIRED`, `DEALER_NOT_ELIGIBLE`, `BIDDER_REFERENCE_REQUIRED`,
   * `DIRECT_DEALER_IDENTITY_REQUIRED`, `BID_OFF_OPENING_GRID`, `BID_BELOW_MINIMUM`, `LOT_NOT_LIVE`,
   * `RESOURCE_NOT_GRANTED`, `CHANNEL_NOT_GRANTED`, `BUYER_NOT_ENTITLED_TO_CLIENT`, `DEALER_NOT_FOUND`.
   *
   * API: `POST /lots/{lot}/bids`, scope `bids:write`; "Bids".
   * @param lot Public lot id; not an inventory vehicle id.
   * @param body What to send: `amount`, `bidder_reference`, `client_bid_time`, `dealer_id`,
   * `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  submit(lot: string, body: BidsSubmitBody<P>, options?: BidOptions): Promise<BidReceipt> {
    return this.#call<BidReceipt>(bids.submit, { path: { lot }, body }, options);
  }

  /**
   * Looks up the bid sent under an idempotency key.
   *
   * A key belongs to one environment and one API client. `absent` does not exclude a request in flight.
   *
   * API: A06, `GET /bid-requests/{idempotency_key}`, scope `bids:read`; "Integration, eligibility, bids, lot
   * status".
   * @param idempotencyKey UUID under which the bid was sent.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  lookup(idempotencyKey: string, options?: CallOptions): Promise<BidLookup> {
    return this.#call<BidLookup>(bids.lookup, { path: { idempotency_key: idempotencyKey } }, options);
  }

  /**
   * Asks the bank to cancel a bid; the bid stays valid until the bank decides.
   *
   * The API describes supporting evidence without naming its field.
   *
   * Use `extraBody` for evidence once you know the name of its field.
   *
   * API: A07, `POST /bids/{bid}/cancellation-requests`, scope `bids:cancel-request`; "Integration,
   * eligibility, bids, lot status".
   * @param bid Bid id.
   * @param body What to send: `reason_code`, `explanation`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  requestCancellation(
    bid: string,
    body: BidsRequestCancellationBody,
    options?: MutationOptions,
  ): Promise<CancellationRecord> {
    return this.#call<CancellationRecord>(bids.requestCancellation, { path: { bid }, body }, options);
  }
}
