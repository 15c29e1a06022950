import * as z from 'zod';
import { amount, bidderReference, filledText, money, openEnum } from './common.js';
import type { Resource } from './operation.js';

export const EligibilitySnapshot = z
  .object({
    // Its type is undocumented, and nothing else could stand in for it (unknowns: `eligibility-types`).
    eligible: z.boolean().describe('Whether nothing speaks against a bid at this moment.'),
    diagnostic_only: z.boolean().optional().describe('True: the answer promises nothing about a later bid.'),
    errors: z.array(z.string()).optional().describe('What speaks against a bid, as codes.'),
    dealer_id: z.string().nullable().optional().describe('The bidding dealer id that was looked at.'),
    kyc_status: openEnum('approved', 'pending').nullable().optional().describe("The dealer's KYC."),
    emd_status: openEnum('approved', 'pending')
      .nullable()
      .optional()
      .describe("The dealer's earnest money deposit (EMD)."),
    blocked: z.boolean().optional().describe('Whether the dealer is blocked.'),
    buyer_limit: money
      .nullable()
      .optional()
      .describe('Highest amount that the bank has approved, INR decimal string.'),
    limit_until: z
      .string()
      .nullable()
      .optional()
      .describe('When the limit expires; whether date or date-time is undocumented.'),
    emd_until: z
      .string()
      .nullable()
      .optional()
      .describe('When the deposit expires; whether date or date-time is undocumented.'),
    lot_id: z.string().describe('Public lot id that was asked for.'),
    starting_price: money.nullable().optional().describe('Opening price of the lot, INR decimal string.'),
    bid_increment: money
      .nullable()
      .optional()
      .describe('Step between valid amounts, INR decimal string; zero means no grid.'),
    notice: z.string().nullable().optional().describe('What to bear in mind, in words.'),
  })
  .meta({ title: 'What speaks for and against a bid, at one moment.', section: 'Non-record read shapes' });

export const eligibility = {
  name: 'eligibility',
  summary: 'Whether a bid could be taken, as a diagnosis.',
  operations: {
    check: {
      id: 'A03',
      method: 'GET',
      path: '/bidding-eligibility',
      scope: 'eligibility:read',
      actors: ['partner'],
      availability: 'callable',
      effect: 'read',
      summary: 'Diagnoses whether a bid on a lot could be taken, and what speaks against it.',
      notes: ['It reserves no buying power, and everything is checked again when the bid arrives.'],
      section: 'Integration, eligibility, bids, lot status',
      query: z.strictObject({
        lot_id: filledText.describe('Public lot id.'),
        bidder_reference: bidderReference
          .optional()
          .describe('Buyer for whom the bid would be, 1 to 120 of letters, digits, `_`, `-`.'),
        amount: amount.optional().describe('Amount that would be bid, INR decimal string.'),
      }),
      success: [200],
      envelope: 'read',
      reply: EligibilitySnapshot,
      refusals: ['BANK_ACCESS_DENIED', 'AUCTION_ACCESS_DENIED', 'NOT_FOUND'],
    },
  },
} as const satisfies Resource;
