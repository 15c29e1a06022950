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
import { nullable, optional } from './fields.js';
import { command, read, resource } from './operation.js';
import { sentVersion, workflowRecord } from './records.js';

export const BidListItem = z
  .object({
    public_id: z.string().describe('Bid id.'),
    bidder_reference: nullable.text("The platform's buyer; null for a direct dealer."),
    amount: money.describe('Amount of the bid, INR decimal string.'),
    status: openEnum('accepted', 'rejected').describe('Whether the bid was accepted.'),
    created_at: optional.text(
      '`YYYY-MM-DD HH:MM:SS` without offset; its zone is undocumented, so it stays a string.',
    ),
  })
  .meta({ title: 'A bid in the list of bids.', section: 'Bid list item' });

export const BidReceipt = z
  .object({
    request_id: optional.text('Id of the request that recorded the bid.'),
    bid_id: z.string().describe('Bid id; not proof of acceptance.'),
    status: openEnum('accepted', 'rejected').describe('`accepted`: the bid is accepted, provisionally.'),
    server_received_at: optional.text('When the bid arrived in server time, ISO 8601.'),
    lot_version: z.int().describe('Version of the lot after this bid.'),
    effective_close_at: nullable.text('Effective close including extensions, ISO 8601.'),
    replayed: optional.flag(
      'True if the bid was already recorded under this idempotency key, by an earlier attempt of this call (`responseOf(receipt).attempts` is above 1) or by an earlier call. The other fields of a replay can be as old as the bid.',
    ),
    bidder_status: nullable.of(openEnum('no_bid', 'leading', 'outbid'), "The buyer's standing, provisional."),
    channel_status: nullable.of(openEnum('no_bid', 'leading'), "The standing of the caller's channel."),
    highest_amount: nullable.of(
      numericMoney,
      'Highest accepted amount in INR, as a decimal string; hidden in closed auctions.',
    ),
    current_amount: nullable.of(
      numericMoney,
      'Current amount in INR; only with open visibility. A number on the wire, a decimal string in this SDK.',
    ),
  })
  .meta({
    title: 'The recorded bid, as returned by the bidding authority.',
    section: 'Bid submission response envelope',
  });

export const RejectedBid = BidReceipt.partial({ bid_id: true, lot_version: true })
  .extend({
    status: openEnum('rejected').describe('`rejected`: the rejection is final.'),
    bid_id: nullable.text('Bid id; a rejected bid can have one too.'),
    lot_version: nullable.int('Version of the lot after this bid.'),
  })
  .meta({
    title: 'A recorded rejected bid, as returned by the bidding authority.',
    section: 'Bid submission response envelope',
  });

export const BidDetail = z
  .object({
    id: z.string().describe('Bid id.'),
    lot_id: z.string().describe('Public lot id.'),
    bidder_reference: nullable.text("The platform's buyer; null for a direct dealer."),
    amount: money.describe('Amount of the bid, INR decimal string.'),
    status: openEnum('accepted', 'rejected').describe('Whether the bid was accepted.'),
    request_id: optional.text('Id of the request that recorded the bid.'),
    server_received_at: optional.text('When the bid arrived in server time, ISO 8601.'),
    lot_version: nullable.int('Version of the lot after this bid.'),
    errors: optional.of(z.array(z.string()), 'Every code of the rejection; empty when accepted.'),
  })
  .meta({ title: 'A bid in full.', section: 'Non-record read shapes' });

export const BidLookup = z
  .object({
    idempotency_key: z.string().describe('The requested idempotency key.'),
    state: openEnum('processing', 'accepted', 'rejected', 'absent').describe(
      'State of the bid under the key. `absent` applies at `observed_at` and does not exclude a request in flight.',
    ),
    observed_at: optional.text('Server time of the lookup, ISO 8601.'),
    receipt: nullable.of(anyObject, 'The recorded bid, or null; its fields are undocumented.'),
    retry: nullable.text("The service's advice on retrying, as text."),
  })
  .meta({ title: 'The bid recorded under an idempotency key, if any.', section: 'Non-record read shapes' });

export const CancellationData = z
  .object({
    bid_id: optional.text('The bid to be cancelled.'),
    reason_code: optional.text('Why, as a code; the allowed values are undocumented.'),
    explanation: nullable.text('Why, in words.'),
    policy_version: optional.of(z.union([z.string(), z.number()]), 'Version of the policy that applies.'),
    decision: nullable.of(openEnum('approved'), "The bank's decision, once made."),
    reason: nullable.text("The bank's reason, once decided."),
  })
  .meta({ title: 'A bid cancellation request and its decision.', section: 'Workflow record' });

export const CancellationRecord = workflowRecord({
  kind: 'cancellation',
  states: ['pending', 'approved'],
  data: CancellationData,
  what: 'a bid cancellation request',
  version: sentVersion,
});

const lot = pathId.describe('Public lot id; not an inventory vehicle id.');
const bid = pathId.describe('Bid id.');

export const bids = resource(
  'bids',
  'Bids: submit, list, read, look up by idempotency key, request cancellation.',
  {
    submit: command({
      id: 'bids.submit',
      path: '/lots/{lot}/bids',
      scope: 'bids:write',
      // The text names no actor here, but only partners are described as bidding ("What the service does").
      actors: ['partner'],
      effect: 'bid',
      summary: 'Submits one bid.',
      notes: [
        'An idempotency key identifies exactly one bid, even if it is sent repeatedly. If the outcome is uncertain, resend the identical body under the same key or look the bid up (A06) before you bid under a new key.',
        'Acceptance is a provisional standing. It is neither a sale approval nor a request for payment.',
      ],
      hints: [
        'Retried automatically with identical bytes. If the outcome stays unknown, the error carries the key: pass it to `intents.reconcile`, or repeat the call with it.',
      ],
      section: 'Bids',
      params: { lot },
      body: z.strictObject({
        amount: amount.describe(
          'Amount of the bid, INR decimal string: positive, at most 12 integer digits and 2 decimals.',
        ),
        bidder_reference: optional
          .of(
            bidderReference,
            'Stable identity of the actual buyer: 1 to 120 letters, digits, `_` or `-`. Required for platforms and aggregators; direct dealers must omit it.',
          )
          .meta({ partnerBid: true }),
        client_bid_time: optional.of(
          zonedDateTime,
          "Bid time on the buyer's clock, ISO 8601 with zone. It does not affect eligibility.",
        ),
        dealer_id: dealerId.describe('Bank-issued bidding dealer id, at most 32 characters.').meta({
          filled: 'Defaults to the `dealerId` of the client.',
          hint: 'pass it here, or set `dealerId` on the client or in its credentials (or VEHICLE_AUCTION_DEALER_ID, if the credentials come from the environment)',
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
    }),
    list: read({
      id: 'bids.list',
      path: '/bids',
      scope: 'bids:read',
      summary: "Lists the caller's bids, 25 per page.",
      section: 'Bids',
      query: z.strictObject({
        bidder_reference: optional.of(bidderReference, 'Only bids of this buyer of the platform.'),
        page: page.optional(),
      }),
      envelope: 'bids_page',
      reply: BidListItem,
    }),
    get: read({
      id: 'A05',
      path: '/bids/{bid}',
      scope: 'bids:read',
      actors: ['bank', 'partner'],
      summary: 'Reads one bid in full, with every code of a rejection.',
      notes: ['A partner sees its own bids, a bank those of its tenant.'],
      section: 'Integration, eligibility, bids, lot status',
      params: { bid },
      reply: BidDetail,
    }),
    lookup: read({
      id: 'A06',
      path: '/bid-requests/{idempotency_key}',
      scope: 'bids:read',
      actors: ['partner'],
      lane: 'bid',
      summary: 'Looks up the bid sent under an idempotency key.',
      notes: [
        'A key belongs to one environment and one API client. `absent` does not exclude a request in flight.',
      ],
      section: 'Integration, eligibility, bids, lot status',
      params: { idempotency_key: uuid.describe('UUID under which the bid was sent.') },
      reply: BidLookup,
    }),
    requestCancellation: command({
      id: 'A07',
      path: '/bids/{bid}/cancellation-requests',
      scope: 'bids:cancel-request',
      actors: ['partner'],
      summary: 'Asks the bank to cancel a bid; the bid stays valid until the bank decides.',
      notes: ['The API describes supporting evidence without naming its field.'],
      hints: ['Use `extraBody` for evidence once you know the name of its field.'],
      section: 'Integration, eligibility, bids, lot status',
      params: { bid },
      body: z.strictObject({
        reason_code: filledText.describe('Why, as a code; the allowed values are undocumented.'),
        explanation: optional.of(filledText, 'Why, in words.'),
        idempotency_key: idempotencyKey,
      }),
      reply: CancellationRecord,
    }),
  },
);
