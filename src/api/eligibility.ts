import * as z from 'zod';
import { amount, bidderReference, filledText, openEnum } from './common.js';
import { nullable, optional } from './fields.js';
import { read, resource } from './operation.js';

export const EligibilitySnapshot = z
  .object({
    // Its type is undocumented, and no other field could replace it (unknowns: `eligibility-types`).
    eligible: z.boolean().describe('Whether the dealer can bid now.'),
    diagnostic_only: optional.flag('Always true: the result does not guarantee a later bid.'),
    errors: optional.of(z.array(z.string()), 'Codes that prevent a bid.'),
    dealer_id: nullable.text('The checked bidding dealer id.'),
    kyc_status: nullable.of(openEnum('approved', 'pending'), "The dealer's KYC."),
    emd_status: nullable.of(openEnum('approved', 'pending'), "The dealer's earnest money deposit (EMD)."),
    blocked: optional.flag('Whether the dealer is blocked.'),
    buyer_limit: nullable.money('Highest amount that the bank has approved, INR decimal string.'),
    limit_until: nullable.text('When the limit expires; whether date or date-time is undocumented.'),
    emd_until: nullable.text('When the deposit expires; whether date or date-time is undocumented.'),
    lot_id: z.string().describe('The requested public lot id.'),
    starting_price: nullable.money('Opening price of the lot, INR decimal string.'),
    bid_increment: nullable.money('Step between valid amounts, INR decimal string; zero means no grid.'),
    notice: nullable.text('Notice about the result, as text.'),
  })
  .meta({ title: 'Eligibility to bid at one moment.', section: 'Non-record read shapes' });

export const eligibility = resource('eligibility', 'Diagnostic check of eligibility to bid.', {
  check: read({
    id: 'A03',
    path: '/bidding-eligibility',
    scope: 'eligibility:read',
    actors: ['partner'],
    summary: 'Checks whether a bid on a lot would be accepted, and what prevents it.',
    notes: ['The check reserves no buying power. Every bid is checked again on arrival.'],
    section: 'Integration, eligibility, bids, lot status',
    query: z.strictObject({
      lot_id: filledText.describe('Public lot id.'),
      bidder_reference: optional.of(
        bidderReference,
        'Buyer of the bid: 1 to 120 letters, digits, `_` or `-`.',
      ),
      amount: optional.of(amount, 'Amount of the bid, INR decimal string.'),
    }),
    reply: EligibilitySnapshot,
    refusals: ['BANK_ACCESS_DENIED', 'AUCTION_ACCESS_DENIED', 'NOT_FOUND'],
  }),
});
