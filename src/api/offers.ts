import * as z from 'zod';
import { expectedVersion, filledText, idempotencyKey, openEnum, pathId, termsVersion } from './common.js';
import { nullable, optional } from './fields.js';
import { command, resource } from './operation.js';
import { sentVersion, workflowRecord } from './records.js';
import { versionLabel } from './sale-values.js';

export const OfferData = z
  .object({
    amount: optional.money('Amount that is offered, INR decimal string.'),
    currency: optional.text('Currency code, INR.'),
    terms_version: optional.of(versionLabel, 'Version of the terms that go with the offer.'),
    valid_until: optional.text('When the offer lapses, ISO 8601.'),
    reason: nullable.text(
      "Why, in words; after a response, whether these are the bank's words or the buyer's is undocumented.",
    ),
    decision: nullable.of(openEnum('accepted', 'declined'), "The buyer's answer, once given."),
  })
  .meta({ title: 'What is offered for a sale, and the answer.', section: 'Workflow record' });

export const OfferRecord = workflowRecord({
  kind: 'offer',
  states: ['open', 'accepted', 'declined'],
  data: OfferData,
  what: 'an offer',
  version: sentVersion,
});

export const offers = resource('offers', 'Negotiated offers: answer them. `saleCases.offer` makes them.', {
  respond: command({
    id: 'A25',
    path: '/offers/{offer}/responses',
    scope: 'offers:respond',
    actors: ['partner'],
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
      reason: optional.of(filledText, 'Why, in words.'),
      expected_version: expectedVersion,
      idempotency_key: idempotencyKey,
    }),
    versionFrom: { param: 'offer', kind: 'offer', field: 'resource_version' },
    reply: OfferRecord,
  }),
});
