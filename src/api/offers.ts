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
    valid_until: optional.text('Expiry of the offer, ISO 8601.'),
    reason: nullable.text(
      "Why, in words; after a response, whether these are the bank's words or the buyer's is undocumented.",
    ),
    decision: nullable.of(openEnum('accepted', 'declined'), "The buyer's answer, once given."),
  })
  .meta({ title: 'An offer on a sale, and the response.', section: 'Workflow record' });

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
      'Accepting does not approve the sale. The bank must still decide it (A22).',
      'The service checks expiry and version again with the response. Buyers cannot make counteroffers.',
    ],
    section: 'Sale, negotiation, cancellation',
    params: { offer: pathId.describe('Offer id.') },
    body: z.strictObject({
      decision: z.enum(['accepted', 'declined']).describe("The buyer's answer."),
      terms_version: termsVersion.describe('Version of the terms in the offer.'),
      reason: optional.of(filledText, 'Why, in words.'),
      expected_version: expectedVersion,
      idempotency_key: idempotencyKey,
    }),
    versionFrom: { param: 'offer', kind: 'offer', field: 'resource_version' },
    reply: OfferRecord,
  }),
});
