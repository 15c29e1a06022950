import * as z from 'zod';
import { expectedVersion, filledText, idempotencyKey, openChoice, openEnum, pathId } from './common.js';
import { nullable, optional } from './fields.js';
import { command, resource } from './operation.js';
import { sentVersion, workflowRecord } from './records.js';

export const SaleCancellationData = z
  .object({
    reason_code: optional.text('Why, as a code; the allowed values are undocumented.'),
    explanation: nullable.text('Why, in words.'),
    decision: nullable.of(openEnum('approved'), "The bank's decision, once made."),
    reason: nullable.text("The bank's reason, once decided."),
  })
  .meta({ title: 'A request to cancel a sale, and its decision.', section: 'Workflow record' });

export const SaleCancellationRecord = workflowRecord({
  kind: 'sale_cancellation',
  states: ['pending', 'approved'],
  data: SaleCancellationData,
  what: 'a sale cancellation request',
  version: sentVersion,
});

export const saleCancellations = resource(
  'saleCancellations',
  'Requests to cancel sales: decide them. `saleCases.requestCancellation` makes them.',
  {
    decide: command({
      id: 'A27',
      path: '/sale-cancellation-requests/{request}/decisions',
      scope: 'sales:cancel-approve',
      actors: ['bank'],
      summary: 'Decides a request to cancel a sale.',
      notes: [
        'An approval opens work items for reversals and refunds. The approved sale and its payment records stay.',
        'After delivery of the vehicle, use an exception or a dispute instead.',
      ],
      section: 'Sale, negotiation, cancellation',
      params: { request: pathId.describe('Id of the sale cancellation request.') },
      body: z.strictObject({
        decision: openChoice('approved').describe('The decision; the set of values is undocumented.'),
        reason: optional.of(filledText, 'Why, in words.'),
        expected_version: expectedVersion,
        idempotency_key: idempotencyKey,
      }),
      versionFrom: { param: 'request', kind: 'sale_cancellation', field: 'resource_version' },
      reply: SaleCancellationRecord,
    }),
  },
);
