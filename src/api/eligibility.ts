import * as z from 'zod';
import { amount, bidderReference, filledText, openEnum } from './common.js';
import { nullable, optional } from './fields.js';
import { read, resource } from './operation.js';

export const EligibilitySnapshot = z
  .object({
    // Its type is undocumented, and no other field could replace it (unknowns: `eligibility-types`).
    eligible: z.boolean().describe('Whether nothing speaks against a bid at this moment.'),
    diagnostic_only: optional.flag('True: the answer promises nothing about a later bid.'),
    errors: optional.of(z.array(z.string()), 'What speaks against a bid, as codes.'),
    dealer_id: nullable.text('The bidding dealer id that was looked at.'),
    kyc_status: nullable.of(openEnum('approved', 'pending'), "The dealer's KYC."),
    emd_status: nullable.of(openEnum('approved', 'pending'), "The dealer's earnest money deposit (EMD)."),
    blocked: optional.flag('Whether the dealer is blocked.'),
    buyer_limit: nullable.money('Highest amount that the bank has approved, INR decimal string.'),
    limit_until: nullable.text('When the limit expires; whether date or date-time is undocumented.'),
    emd_until: nullable.text('When the deposit expires; whether date or date-time is undocumented.'),
    lot_id: z.string().describe('Public lot id that was asked for.'),
    starting_price: nullable.money('Opening price of the lot, INR decimal string.'),
    bid_increment: nullable.money('Step between valid amounts, INR decimal string; zero means no grid.'),
    notice: nullable.text('What to bear in mind, in words.'),
  })
  .meta({ title: 'What allows or prevents a bid, at one moment.', section: 'Non-record read shapes' });

export const eligibility = resource('eligibility', 'Whether a bid could be taken, as a diagnosis.', {
  check: read({
    id: 'A03',
    path: '/bidding-eligibility',
    scope: 'eligibility:read',
    actors: ['partner'],
    summary: 'Diagnoses whether a bid on a lot could be taken, and what speaks against it.',
    notes: ['It reserves no buying power, and everything is checked again when the bid arrives.'],
    section: 'Integration, eligibility, bids, lot status',
    query: z.strictObject({
      lot_id: filledText.describe('Public lot id.'),
      bidder_reference: optional.of(
        bidderReference,
        'Buyer for whom the bid would be, 1 to 120 of letters, digits, `_`, `-`.',
      ),
      amount: optional.of(amount, 'Amount that would be bid, INR decimal string.'),
    }),
    reply: EligibilitySnapshot,
    refusals: ['BANK_ACCESS_DENIED', 'AUCTION_ACCESS_DENIED', 'NOT_FOUND'],
  }),
});
