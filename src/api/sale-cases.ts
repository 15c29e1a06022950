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
    bid_id: optional.text('The bid that the sale is about.'),
    bidder_reference: nullable.text("The platform's buyer; null for a direct dealer."),
    amount: optional.money('Amount of the sale, INR decimal string.'),
    currency: optional.text('Currency code, INR.'),
    terms_version: nullable.of(versionLabel, 'Version of the terms of the sale.'),
    acknowledged_at: nullable.text('When the buyer acknowledged decision and terms, ISO 8601; null before.'),
    lot_id: optional.text('Public lot id.'),
    due_at: nullable.text('When payment is due, ISO 8601.'),
    payee_instructions: nullable.of(textOrObject, 'How and whom to pay.'),
    payee_version: nullable.of(versionLabel, 'Version of the payee instructions.'),
    // Its fields are undocumented (unknowns: `active-offer-shape`).
    active_offer: nullable.of(
      anyObject,
      'The offer that counts, or null; only on a sale that was read individually. Its fields are undocumented.',
    ),
  })
  .meta({ title: 'What is sold to whom, for how much, on which terms.', section: 'Workflow record' });

export const SaleRecord = workflowRecord({
  kind: 'sale',
  // What a sale is called before the bank has decided is undocumented (unknowns: `sale-states`).
  states: ['approved'],
  data: SaleData,
  what: 'a sale',
  version: sentVersion,
});

export const PaymentDues = z
  .object({
    sale_id: z.string().describe('Sale id.'),
    currency: optional.text('Currency code, INR.'),
    due_amount: money.describe('What has to be paid in all, INR decimal string.'),
    verified_credits: money.describe('What is paid and verified, INR decimal string.'),
    remaining: money.describe('What is left to pay, INR decimal string.'),
    excess: money.describe('What was paid beyond the due amount, INR decimal string.'),
    state: openEnum('unpaid').describe('How far the sale is paid.'),
    due_at: nullable.text('When payment is due, ISO 8601.'),
    payee_instructions: nullable.of(textOrObject, 'How and whom to pay.'),
    payee_version: nullable.of(versionLabel, 'Version of the payee instructions.'),
    resource_version: z.int().describe('Grows with every change; of which record is undocumented.'),
  })
  .meta({ title: 'What is due for a sale, and what is paid.', section: 'Non-record read shapes' });

export const SaleReceipts = z
  .object({
    sale_id: z.string().describe('Sale id.'),
    payments: optional.of(z.array(z.unknown()), 'Payments for the sale; item shape not shown.'),
    documents: optional.of(z.array(z.unknown()), 'Documents of the sale; item shape not shown.'),
    allocations: optional.of(z.array(z.unknown()), 'Money allocated to the sale; item shape not shown.'),
  })
  .meta({ title: 'Payments, documents and allocations of a sale.', section: 'Non-record read shapes' });

export const TransferData = z
  .object({
    status: optional.of(openEnum('submitted'), 'The milestone that was recorded.'),
    responsible_party: nullable.of(textOrObject, 'Who answers for this step.'),
    reason: nullable.text('Why, in words.'),
    evidence_id: nullable.text('Document that shows the milestone.'),
    document_checklist: nullable.of(
      z.array(z.string()),
      'Documents that the transfer needs or has; which of the two is undocumented.',
    ),
    occurred_at: optional.text('When the milestone was reached, ISO 8601.'),
    sale_id: optional.text('Sale of the vehicle.'),
    verification: optional.of(openEnum('operator_reported'), 'What the record rests on.'),
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
      'How far the transfer is; unknown states pass through.',
    ),
    government_verified: optional.flag('Whether it was verified independently; false until then.'),
    milestones: optional.of(z.array(z.unknown()), 'What was recorded; item shape not shown.'),
    resource_version: z.int().describe('Grows with every change; of which record is undocumented.'),
  })
  .meta({ title: 'How far an ownership transfer is.', section: 'Non-record read shapes' });

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
      summary: 'Lists the sales that these credentials may see, 25 a page.',
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
        'An approval needs a bid that is still valid and a vehicle that is available; it neither settles a payment nor releases the vehicle.',
        'Where an offer was negotiated, `offer_id` names it: the active one, accepted and not expired, with the same `terms_version`. Its amount takes effect through this decision only.',
        "The bank's limits apply, and a second person may have to confirm: success need not mean approved, so read the `state` that comes back.",
      ],
      section: 'Sale, negotiation, cancellation',
      params: { sale },
      body: z.strictObject({
        decision: openChoice('approved').describe('The decision; the set of values is undocumented.'),
        bid_id: optional.of(filledText, 'Id of the bid that the decision is about.'),
        reason: optional.of(filledText, 'Why, in words.'),
        terms_version: optional.of(termsVersion, 'Version of the terms of the sale.'),
        due_at: optional.of(zonedDateTime, 'When payment is due, ISO 8601 with zone.'),
        payee_instructions: optional.of(filledTextOrObject, 'How and whom the buyer has to pay.'),
        idempotency_key: idempotencyKey,
        expected_version: expectedVersion,
        offer_id: optional.of(filledText, 'Id of the accepted offer; required where there is one.'),
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
      notes: ['It says that both have arrived, and nothing more: it bids, approves and pays nothing.'],
      section: 'Sale, negotiation, cancellation',
      params: { sale },
      body: z.strictObject({
        terms_version: termsVersion.describe('Version of the terms that the sale carries.'),
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
      summary: 'Makes the buyer an offer on a sale that is not decided yet.',
      notes: [
        'Offers that were open or accepted before are superseded; one is active at a time. The bid stays as it was, and the sale still has to be decided (A22).',
        'What others bid stays hidden from the buyer.',
      ],
      section: 'Sale, negotiation, cancellation',
      params: { sale },
      body: z.strictObject({
        amount: amount.describe('Amount to offer, INR decimal string.'),
        currency: inr,
        terms_version: termsVersion.describe('Version of the terms that go with the offer.'),
        valid_until: zonedDateTime.describe('When the offer lapses, ISO 8601 with zone.'),
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
      summary: 'Asks for the cancellation of a sale that the bank has approved.',
      notes: [
        'For approved sales only. The request sets off an assessment of what is owed, in money and in release.',
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
      summary: 'Reads what is due for a sale, what is paid and what remains.',
      notes: ['Only verified money is credited; reports of payments that wait for the bank are not.'],
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
        'The sale must be approved, the buyer have done what is asked of it, the required money be verified, and nothing be on hold.',
        "`expected_version` is the sale's; the API leaves that open.",
      ],
      section: 'Release, collection, transfer',
      params: { sale },
      body: z.strictObject({
        recipient: filledTextOrObject.describe('Who may have the vehicle.'),
        yard: filledTextOrObject.describe('Where the vehicle is handed over.'),
        expires_at: zonedDateTime.describe('When the authorisation lapses, ISO 8601 with zone.'),
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
        'The record takes the state that `status` says. It claims nothing about the government registry.',
        'Evidence counts only once the scan has found its document clean.',
        "`expected_version` is the sale's; the API leaves that open.",
      ],
      section: 'Release, collection, transfer',
      params: { sale },
      body: z.strictObject({
        status: openChoice('submitted').describe('The milestone; the set of values is undocumented.'),
        responsible_party: filledTextOrObject.describe('Who answers for this step.'),
        reason: optional.of(filledText, 'Why, in words.'),
        evidence_id: optional.of(filledText, 'Id of the document that shows the milestone.'),
        document_checklist: optional.of(
          z.array(filledText),
          'Documents of the transfer, by name; which names is undocumented.',
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
      summary: 'Reads how far the ownership transfer of a sale is.',
      notes: ['`government_verified` is false until the transfer has been verified independently.'],
      section: 'Release, collection, transfer',
      params: { sale },
      reply: TransferStatus,
    }),
  },
);
