import * as z from 'zod';
import {
  expectedVersion,
  filledText,
  idempotencyKey,
  money,
  openEnum,
  pathId,
  termsVersion,
} from './common.js';
import type { Resource } from './operation.js';
import { sentVersion, workflowRecord } from './records.js';
import { versionLabel } from './sale-values.js';

export const OfferData = z
  .object({
    amount: money.optional().describe('Amount that is offered, INR decimal string.'),
    currency: z.string().optional().describe('Currency code, INR.'),
    terms_version: versionLabel.optional().describe('Version of the terms that go with the offer.'),
    valid_until: z.string().optional().describe('When the offer lapses, ISO 8601.'),
    reason: z
      .string()
      .nullable()
      .optional()
      .describe(
        "Why, in words; whether the bank's words or the buyer's stand here after a response is undocumented.",
      ),
    decision: openEnum('accepted', 'declined')
      .nullable()
      .optional()
      .describe("The buyer's answer, once given."),
  })
  .meta({ title: 'What is offered for a sale, and the answer.', section: 'Workflow record' });

export const OfferRecord = workflowRecord({
  kind: 'offer',
  states: ['open', 'accepted', 'declined'],
  data: OfferData,
  what: 'an offer',
  version: sentVersion,
});

export const offers = {
  name: 'offers',
  summary: 'Negotiated offers: answer them. `saleCases.offer` makes them.',
  operations: {
    respond: {
      id: 'A25',
      method: 'POST',
      path: '/offers/{offer}/responses',
      scope: 'offers:respond',
      actors: ['partner'],
      availability: 'callable',
      effect: 'command',
      summary: 'Accepts or declines an open offer.',
      notes: [
        'Accepting does not approve the sale: the bank still has to decide it (A22).',
        'Expiry and version are checked again together with the answer. Buyers cannot make counteroffers.',
      ],
      section: 'Sale, negotiation, cancellation',
      params: { offer: pathId.describe('Offer id.') },
      body: z.strictObject({
        decision: z.enum(['accepted', 'declined']).describe("The buyer's answer."),
        terms_version: termsVersion.describe('Version of the terms that the offer came with.'),
        reason: filledText.optional().describe('Why, in words.'),
        expected_version: expectedVersion,
        idempotency_key: idempotencyKey,
      }),
      versionFrom: { param: 'offer', kind: 'offer', field: 'resource_version' },
      success: [200],
      envelope: 'command',
      reply: OfferRecord,
      refusals: ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT', 'NOT_FOUND'],
    },
  },
} as const satisfies Resource;
