import * as z from 'zod';
import {
  amount,
  anyObject,
  calendarDate,
  expectedVersion,
  filledText,
  idempotencyKey,
  inr,
  money,
  openChoice,
  openEnum,
  page,
  pathId,
  termsVersion,
  zonedDateTime,
} from './common.js';
import { nullable, optional } from './fields.js';
import { OfferRecord } from './offers.js';
import { command, read, resource } from './operation.js';
import { sentVersion, workflowRecord } from './records.js';
import { ReleaseRecord } from './releases.js';
import { SaleCancellationRecord } from './sale-cancellations.js';
import { filledTextOrObject, textOrObject, versionLabel } from './sale-values.js';

export const SaleData = z
  .object({
    bid_id: optional.text('Bid of the sale.'),
    bidder_reference: nullable.text("The platform's buyer; null for a direct dealer."),
    amount: optional.money('Amount of the sale, INR decimal string.'),
    currency: optional.text('Currency code, INR.'),
    terms_version: nullable.of(versionLabel, 'Version of the terms of the sale.'),
    acknowledged_at: nullable.text('When the buyer acknowledged decision and terms, ISO 8601; null before.'),
    lot_id: optional.text('Public lot id.'),
    due_at: nullable.text('When payment is due, ISO 8601.'),
    payee_instructions: nullable.of(textOrObject, 'Payment instructions.'),
    payee_version: nullable.of(versionLabel, 'Version of the payee instructions.'),
    // Its fields are undocumented (unknowns: `active-offer-shape`).
    active_offer: nullable.of(
      anyObject,
      'The active offer, or null. Only present on a sale read by id. Its fields are undocumented.',
    ),
  })
  .meta({ title: 'A sale: bid, buyer, amount, terms and payment instructions.', section: 'Workflow record' });

export const SaleRecord = workflowRecord({
  kind: 'sale',
  // The state before the bank's decision is undocumented (unknowns: `sale-states`).
  states: ['approved'],
  data: SaleData,
  what: 'a sale',
  version: sentVersion,
});

export const PaymentDues = z
  .object({
    sale_id: z.string().describe('Sale id.'),
    currency: optional.text('Currency code, INR.'),
    due_amount: money.describe('Total amount due, INR decimal string.'),
    verified_credits: money.describe('Amount paid and verified, INR decimal string.'),
    remaining: money.describe('Remaining amount, INR decimal string.'),
    excess: money.describe('Amount paid beyond the amount due, INR decimal string.'),
    state: openEnum('unpaid').describe('Payment state of the sale.'),
    due_at: nullable.text('When payment is due, ISO 8601.'),
    payee_instructions: nullable.of(textOrObject, 'Payment instructions.'),
    payee_version: nullable.of(versionLabel, 'Version of the payee instructions.'),
    resource_version: z
      .int()
      .describe('Increments with every change of a record; which one is undocumented.'),
  })
  .meta({ title: 'Dues and payments of a sale.', section: 'Non-record read shapes' });

export const SaleReceipts = z
  .object({
    sale_id: z.string().describe('Sale id.'),
    payments: optional.of(z.array(z.unknown()), 'Payments for the sale; the item shape is undocumented.'),
    documents: optional.of(z.array(z.unknown()), 'Documents of the sale; the item shape is undocumented.'),
    allocations: optional.of(
      z.array(z.unknown()),
      'Money allocated to the sale; the item shape is undocumented.',
    ),
  })
  .meta({ title: 'Payments, documents and allocations of a sale.', section: 'Non-record read shapes' });

export const TransferData = z
  .object({
    status: optional.of(openEnum('submitted'), 'The recorded milestone.'),
    responsible_party: nullable.of(textOrObject, 'Party responsible for this step.'),
    reason: nullable.text('Why, in words.'),
    evidence_id: nullable.text('Document that shows the milestone.'),
    document_checklist: nullable.of(
      z.array(z.string()),
      'Documents that the transfer needs or has; which of the two is undocumented.',
    ),
    occurred_at: optional.text('When the milestone was reached, ISO 8601.'),
    sale_id: optional.text('Sale of the vehicle.'),
    verification: optional.of(openEnum('operator_reported'), 'Source of the record.'),
    government_verified: optional.flag('Whether it was verified independently; false until then.'),
  })
  .meta({ title: 'A milestone of an ownership transfer.', section: 'Workflow record' });

export const TransferRecord = workflowRecord({
  kind: 'transfer',
  states: ['not_started', 'submitted', 'completed', 'rejected'],
  data: TransferData,
  what: 'an ownership transfer milestone',
});

export const TransferStatus = z
  .object({
    sale_id: z.string().describe('Sale id.'),
    state: openEnum('not_started', 'submitted', 'completed', 'rejected').describe(
      'State of the transfer; unknown states pass through.',
    ),
    government_verified: optional.flag('Whether it was verified independently; false until then.'),
    milestones: optional.of(z.array(z.unknown()), 'Recorded milestones; the item shape is undocumented.'),
    resource_version: z
      .int()
      .describe('Increments with every change of a record; which one is undocumented.'),
  })
  .meta({ title: 'Progress of an ownership transfer.', section: 'Non-record read shapes' });

const sale = pathId.describe('Sale id.');

export const saleCases = resource(
  'saleCases',
  'Sales, from the award of a lot to the transfer of ownership.',
  {
    list: read({
      id: 'A20',
      path: '/sale-cases',
      scope: 'sales:read',
      actors: ['bank', 'partner'],
      summary: 'Lists the sales that these credentials can see, 25 per page.',
      section: 'Sale, negotiation, cancellation',
      query: z.strictObject({ page: page.optional() }),
      envelope: 'workflow_page',
      reply: SaleRecord,
    }),
    get: read({
      id: 'A21',
      path: '/sale-cases/{sale}',
      scope: 'sales:read',
      actors: ['bank', 'partner'],
      summary: 'Reads one sale, with its active offer.',
      section: 'Sale, negotiation, cancellation',
      params: { sale },
      reply: SaleRecord,
    }),
    decide: command({
      id: 'A22',
      path: '/sale-cases/{sale}/decisions',
      scope: 'sales:approve',
      actors: ['bank'],
      summary: 'Decides a sale, such as approving it.',
      notes: [
        'An approval requires a valid bid and an available vehicle. It neither settles a payment nor releases the vehicle.',
        'After a negotiation, `offer_id` must name the active offer, accepted and not expired, with the same `terms_version`. Its amount takes effect only through this decision.',
        "The bank's limits apply, and a second person may have to confirm. A successful call may leave the sale undecided, so read the returned `state`.",
      ],
      section: 'Sale, negotiation, cancellation',
      params: { sale },
      body: z.strictObject({
        decision: openChoice('approved').describe('The decision; the set of values is undocumented.'),
        bid_id: optional.of(filledText, 'Id of the bid to decide on.'),
        reason: optional.of(filledText, 'Why, in words.'),
        terms_version: optional.of(termsVersion, 'Version of the terms of the sale.'),
        due_at: optional.of(zonedDateTime, 'When payment is due, ISO 8601 with zone.'),
        payee_instructions: optional.of(filledTextOrObject, 'Payment instructions for the buyer.'),
        idempotency_key: idempotencyKey,
        expected_version: expectedVersion,
        offer_id: optional.of(filledText, 'Id of the accepted offer; required if there is one.'),
      }),
      versionFrom: { param: 'sale', kind: 'sale', field: 'resource_version' },
      reply: SaleRecord,
    }),
    acknowledge: command({
      id: 'A23',
      path: '/sale-cases/{sale}/acknowledgments',
      scope: 'sales:acknowledge',
      actors: ['partner'],
      summary: "Acknowledges the bank's decision and the terms of a sale.",
      notes: ['This only acknowledges receipt. It places no bid, approves nothing and makes no payment.'],
      section: 'Sale, negotiation, cancellation',
      params: { sale },
      body: z.strictObject({
        terms_version: termsVersion.describe('Version of the terms of the sale.'),
        idempotency_key: idempotencyKey,
        expected_version: expectedVersion,
      }),
      versionFrom: { param: 'sale', kind: 'sale', field: 'resource_version' },
      reply: SaleRecord,
    }),
    offer: command({
      id: 'A24',
      path: '/sale-cases/{sale}/offers',
      scope: 'offers:write',
      actors: ['bank'],
      summary: 'Makes an offer to the buyer on an undecided sale.',
      notes: [
        'Supersedes earlier open or accepted offers; only one is active at a time. The bid does not change, and the sale must still be decided (A22).',
        'Other bids stay hidden from the buyer.',
      ],
      section: 'Sale, negotiation, cancellation',
      params: { sale },
      body: z.strictObject({
        amount: amount.describe('Amount to offer, INR decimal string.'),
        currency: inr,
        terms_version: termsVersion.describe('Version of the terms that go with the offer.'),
        valid_until: zonedDateTime.describe('Expiry of the offer, ISO 8601 with zone.'),
        reason: optional.of(filledText, 'Why, in words. The buyer reads it on the offer.'),
        expected_version: expectedVersion,
        idempotency_key: idempotencyKey,
      }),
      versionFrom: { param: 'sale', kind: 'sale', field: 'resource_version' },
      reply: OfferRecord,
    }),
    requestCancellation: command({
      id: 'A26',
      path: '/sale-cases/{sale}/cancellation-requests',
      scope: 'sales:cancel-request',
      actors: ['bank', 'partner'],
      summary: 'Requests the cancellation of an approved sale.',
      notes: [
        'For approved sales only. The request starts an assessment of the financial and release obligations.',
      ],
      section: 'Sale, negotiation, cancellation',
      params: { sale },
      body: z.strictObject({
        reason_code: filledText.describe('Why, as a code; the allowed values are undocumented.'),
        explanation: optional.of(filledText, 'Why, in words.'),
        expected_version: expectedVersion,
        idempotency_key: idempotencyKey,
      }),
      versionFrom: { param: 'sale', kind: 'sale', field: 'resource_version' },
      reply: SaleCancellationRecord,
    }),
    paymentDues: read({
      id: 'A34',
      path: '/sale-cases/{sale}/payment-dues',
      scope: 'payments:read',
      actors: ['bank', 'partner'],
      summary: 'Reads the amounts due, paid and remaining for a sale.',
      notes: ['Only verified money is credited, not pending payment reports.'],
      section: 'Payments, receipts, refunds, disputes',
      params: { sale },
      reply: PaymentDues,
    }),
    receipts: read({
      id: 'A46',
      path: '/sale-cases/{sale}/receipts',
      scope: 'documents:read',
      actors: ['bank', 'partner'],
      summary: 'Reads the payments, documents and allocations of a sale.',
      section: 'Payments, receipts, refunds, disputes',
      params: { sale },
      reply: SaleReceipts,
    }),
    authorizeRelease: command({
      id: 'A52',
      path: '/sale-cases/{sale}/release-authorizations',
      scope: 'release:approve',
      actors: ['bank'],
      summary: 'Authorises the release of the vehicle of a sale.',
      notes: [
        'Requires an approved sale, completed buyer requirements, verified payment and no active hold.',
        "`expected_version` is the sale's version; the API text does not state whose.",
      ],
      section: 'Release, collection, transfer',
      params: { sale },
      body: z.strictObject({
        recipient: filledTextOrObject.describe('Person or party that can collect the vehicle.'),
        yard: filledTextOrObject.describe('Handover location.'),
        expires_at: zonedDateTime.describe('Expiry of the authorisation, ISO 8601 with zone.'),
        collection_date: calendarDate.describe('Day of the collection, such as `2026-03-01`.'),
        idempotency_key: idempotencyKey,
        // Whose version is not stated (unknowns: `release-and-transfer-version`).
        expected_version: expectedVersion,
      }),
      versionFrom: { param: 'sale', kind: 'sale', field: 'resource_version' },
      reply: ReleaseRecord,
    }),
    updateTransfer: command({
      id: 'A57',
      path: '/sale-cases/{sale}/transfer-updates',
      scope: 'transfer:write',
      actors: ['bank'],
      summary: 'Records a milestone of the ownership transfer.',
      notes: [
        'The state of the record becomes `status`. This does not confirm the government registry.',
        'Evidence counts only once the scan has found its document clean.',
        "`expected_version` is the sale's version; the API text does not state whose.",
      ],
      section: 'Release, collection, transfer',
      params: { sale },
      body: z.strictObject({
        status: openChoice('submitted').describe('The milestone; the set of values is undocumented.'),
        responsible_party: filledTextOrObject.describe('Party responsible for this step.'),
        reason: optional.of(filledText, 'Why, in words.'),
        evidence_id: optional.of(filledText, 'Id of the document that shows the milestone.'),
        document_checklist: optional.of(
          z.array(filledText),
          'Names of documents of the transfer; the values are undocumented.',
        ),
        occurred_at: zonedDateTime.describe('When the milestone was reached, ISO 8601 with zone.'),
        idempotency_key: idempotencyKey,
        // Whose version is not stated (unknowns: `release-and-transfer-version`).
        expected_version: expectedVersion,
      }),
      versionFrom: { param: 'sale', kind: 'sale', field: 'resource_version' },
      reply: TransferRecord,
    }),
    transferStatus: read({
      id: 'A58',
      path: '/sale-cases/{sale}/transfer-status',
      scope: 'transfer:read',
      actors: ['bank', 'partner'],
      summary: 'Reads the progress of the ownership transfer of a sale.',
      notes: ['`government_verified` is false until the transfer has been verified independently.'],
      section: 'Release, collection, transfer',
      params: { sale },
      reply: TransferStatus,
    }),
  },
);
