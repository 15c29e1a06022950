import * as z from 'zod';
import {
  amount,
  anyObject,
  bidderReference,
  dealerId,
  filledText,
  idempotencyKey,
  money,
  numericMoney,
  openEnum,
  page,
  pathId,
  uuid,
  zonedDateTime,
} from './common.js';
import type { Resource } from './operation.js';
import { sentVersion, workflowRecord } from './records.js';

export const BidListItem = z
  .object({
    public_id: z.string().describe('Bid id.'),
    bidder_reference: z
      .string()
      .nullable()
      .optional()
      .describe("The platform's buyer; null for a direct dealer."),
    amount: money.describe('Amount of the bid, INR decimal string.'),
    status: openEnum('accepted', 'rejected').describe('Whether the bid was accepted.'),
    created_at: z
      .string()
      .optional()
      .describe('`YYYY-MM-DD HH:MM:SS` without offset; its zone is undocumented, so it stays a string.'),
  })
  .meta({ title: 'A bid as `/bids` lists it.', section: 'Bid list item' });

export const BidReceipt = z
  .object({
    request_id: z.string().optional().describe('Id of the request that recorded the bid.'),
    bid_id: z.string().describe('Bid id; by itself no proof of acceptance.'),
    status: openEnum('accepted', 'rejected').describe('`accepted`: the bid stands, provisionally.'),
    server_received_at: z.string().optional().describe('When the bid arrived in server time, ISO 8601.'),
    lot_version: z.int().describe('Version of the lot after this bid.'),
    effective_close_at: z
      .string()
      .nullable()
      .optional()
      .describe('The close that counts, extensions included, ISO 8601.'),
    replayed: z
      .boolean()
      .optional()
      .describe(
        'True when this idempotency key had been recorded before: by an earlier attempt of the same call (`responseOf(receipt).attempts` is above 1 then), or by an earlier call. What else a replay says may be as old as the bid.',
      ),
    bidder_status: openEnum('no_bid', 'leading', 'outbid')
      .nullable()
      .optional()
      .describe("The buyer's standing, provisional."),
    channel_status: openEnum('no_bid', 'leading')
      .nullable()
      .optional()
      .describe("The standing of the caller's channel."),
    highest_amount: numericMoney
      .nullable()
      .optional()
      .describe('Highest accepted amount in INR, as a decimal string; hidden in closed auctions.'),
    current_amount: numericMoney
      .nullable()
      .optional()
      .describe(
        'Current amount in INR; only with open visibility. A number on the wire, a decimal string in this SDK.',
      ),
  })
  .meta({
    title: 'What the bidding authority recorded for a bid.',
    section: 'Bid submission response envelope',
  });

export const RejectedBid = BidReceipt.partial({ bid_id: true, lot_version: true })
  .extend({
    status: openEnum('rejected').describe('`rejected`: judged and turned down, for good.'),
    bid_id: z.string().nullable().optional().describe('Bid id; a rejected bid can have one too.'),
    lot_version: z.int().nullable().optional().describe('Version of the lot after this bid.'),
  })
  .meta({
    title: 'What the bidding authority recorded for a rejected bid.',
    section: 'Bid submission response envelope',
  });

export const BidDetail = z
  .object({
    id: z.string().describe('Bid id.'),
    lot_id: z.string().describe('Public lot id.'),
    bidder_reference: z
      .string()
      .nullable()
      .optional()
      .describe("The platform's buyer; null for a direct dealer."),
    amount: money.describe('Amount of the bid, INR decimal string.'),
    status: openEnum('accepted', 'rejected').describe('Whether the bid was accepted.'),
    request_id: z.string().optional().describe('Id of the request that recorded the bid.'),
    server_received_at: z.string().optional().describe('When the bid arrived in server time, ISO 8601.'),
    lot_version: z.int().nullable().optional().describe('Version of the lot after this bid.'),
    errors: z.array(z.string()).optional().describe('Every code of the rejection; empty when accepted.'),
  })
  .meta({ title: 'A bid in full.', section: 'Non-record read shapes' });

export const BidLookup = z
  .object({
    idempotency_key: z.string().describe('The key that was asked for.'),
    state: openEnum('processing', 'accepted', 'rejected', 'absent').describe(
      'What the service knows under the key. `absent` is evidence at `observed_at`, no proof that nothing is in flight.',
    ),
    observed_at: z.string().optional().describe('Server time of the look, ISO 8601.'),
    receipt: anyObject
      .nullable()
      .optional()
      .describe('What was recorded, or null; its fields are undocumented.'),
    retry: z.string().nullable().optional().describe("The service's advice on retrying, as text."),
  })
  .meta({ title: 'What the service knows under an idempotency key.', section: 'Non-record read shapes' });

export const CancellationData = z
  .object({
    bid_id: z.string().optional().describe('The bid to be cancelled.'),
    reason_code: z.string().optional().describe('Why, as a code; the allowed values are undocumented.'),
    explanation: z.string().nullable().optional().describe('Why, in words.'),
    policy_version: z
      .union([z.string(), z.number()])
      .optional()
      .describe('Version of the policy that applies.'),
    decision: openEnum('approved').nullable().optional().describe("The bank's decision, once made."),
    reason: z.string().nullable().optional().describe("The bank's reason, once decided."),
  })
  .meta({ title: 'A bid cancellation request and its decision.', section: 'Workflow record' });

export const CancellationRecord = workflowRecord({
  kind: 'cancellation',
  states: ['pending', 'approved'],
  data: CancellationData,
  what: 'a bid cancellation request',
  version: sentVersion,
});

const lot = pathId.describe('Public lot id; an inventory vehicle id is another thing.');
const bid = pathId.describe('Bid id.');

export const bids = {
  name: 'bids',
  summary: 'Bids: submit, list, read, look up by idempotency key, ask for cancellation.',
  operations: {
    submit: {
      id: 'bids.submit',
      method: 'POST',
      path: '/lots/{lot}/bids',
      scope: 'bids:write',
      // The text names no actor here, but only partners are described as bidding ("What the service does").
      actors: ['partner'],
      availability: 'callable',
      effect: 'bid',
      summary: 'Submits one bid.',
      notes: [
        'One idempotency key stands for one bid, however often it is sent: where the outcome is uncertain, resend the identical body under it, or look it up (A06). Never bid again under a new key before that.',
        'Acceptance is a provisional standing: no sale approval, no call to pay.',
      ],
      hints: [
        'Retried by itself with identical bytes. When the outcome stays unknown, the error says so and carries the key, for `bids.lookup` or for the same call again.',
      ],
      section: 'Bids',
      params: { lot },
      body: z.strictObject({
        amount: amount.describe(
          'Amount of the bid, INR decimal string: positive, at most 12 integer digits and 2 decimals.',
        ),
        bidder_reference: bidderReference
          .optional()
          .describe(
            'Stable identity of the actual buyer, 1 to 120 of letters, digits, `_`, `-`: platforms and aggregators must send it, direct dealers must leave it out.',
          )
          .meta({ partnerBid: true }),
        client_bid_time: zonedDateTime
          .optional()
          .describe("The buyer's own time of bidding, ISO 8601 with zone; never decides eligibility."),
        dealer_id: dealerId.describe('Bank-issued bidding dealer id, at most 32 characters.').meta({
          filled: 'Taken from the client when left out.',
          hint: 'give it here, or `dealerId` to the client (or VEHICLE_AUCTION_DEALER_ID, where the credentials come from the environment too)',
        }),
        idempotency_key: idempotencyKey,
      }),
      success: [201, 200],
      envelope: 'bid',
      reply: BidReceipt,
      rejection: RejectedBid,
      refusals: [
        'BANK_ACCESS_DENIED',
        'AUCTION_ACCESS_DENIED',
        'BUYER_NOT_ELIGIBLE',
        'BUYER_LIMIT_EXPIRED',
        'EMD_EXPIRED',
        'DEALER_NOT_ELIGIBLE',
        'BIDDER_REFERENCE_REQUIRED',
        'DIRECT_DEALER_IDENTITY_REQUIRED',
        'BID_OFF_OPENING_GRID',
        'BID_BELOW_MINIMUM',
        'LOT_NOT_LIVE',
        'RESOURCE_NOT_GRANTED',
        'CHANNEL_NOT_GRANTED',
        'BUYER_NOT_ENTITLED_TO_CLIENT',
        'DEALER_NOT_FOUND',
        'IDEMPOTENCY_KEY_REQUIRED',
        'IDEMPOTENCY_CONFLICT',
        'NOT_FOUND',
      ],
    },
    list: {
      id: 'bids.list',
      method: 'GET',
      path: '/bids',
      scope: 'bids:read',
      availability: 'callable',
      effect: 'read',
      summary: "Lists the caller's bids, 25 a page.",
      section: 'Bids',
      query: z.strictObject({
        bidder_reference: bidderReference.optional().describe("Only the bids of this platform's buyer."),
        page: page.optional(),
      }),
      success: [200],
      envelope: 'bids_page',
      reply: BidListItem,
      refusals: [],
    },
    get: {
      id: 'A05',
      method: 'GET',
      path: '/bids/{bid}',
      scope: 'bids:read',
      actors: ['bank', 'partner'],
      availability: 'callable',
      effect: 'read',
      summary: 'Reads one bid in full, with every code of a rejection.',
      notes: ['A partner sees its own bids, a bank those of its tenant.'],
      section: 'Integration, eligibility, bids, lot status',
      params: { bid },
      success: [200],
      envelope: 'read',
      reply: BidDetail,
      refusals: ['NOT_FOUND'],
    },
    lookup: {
      id: 'A06',
      method: 'GET',
      path: '/bid-requests/{idempotency_key}',
      scope: 'bids:read',
      actors: ['partner'],
      availability: 'callable',
      effect: 'read',
      lane: 'bid',
      summary: 'Looks up what became of the bid sent under an idempotency key.',
      notes: [
        'The key belongs to one environment and one API client. `absent` does not prove that nothing is in flight.',
      ],
      section: 'Integration, eligibility, bids, lot status',
      params: { idempotency_key: uuid.describe('UUID under which the bid was sent.') },
      success: [200],
      envelope: 'read',
      reply: BidLookup,
      refusals: ['NOT_FOUND'],
    },
    requestCancellation: {
      id: 'A07',
      method: 'POST',
      path: '/bids/{bid}/cancellation-requests',
      scope: 'bids:cancel-request',
      actors: ['partner'],
      availability: 'callable',
      effect: 'command',
      summary: 'Asks the bank to cancel a bid; the bid stands until it decides.',
      notes: ['Supporting evidence is described, but its field is not named.'],
      hints: ['`extraBody` can carry evidence once the name of its field is known.'],
      section: 'Integration, eligibility, bids, lot status',
      params: { bid },
      body: z.strictObject({
        reason_code: filledText.describe('Why, as a code; the allowed values are undocumented.'),
        explanation: filledText.optional().describe('Why, in words.'),
        idempotency_key: idempotencyKey,
      }),
      success: [200],
      envelope: 'command',
      reply: CancellationRecord,
      refusals: ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT', 'NOT_FOUND'],
    },
  },
} as const satisfies Resource;
