import * as z from 'zod';
import { expectedVersion, filledText, idempotencyKey, openChoice, openEnum, pathId } from './common.js';
import { nullable, optional } from './fields.js';
import { command, resource } from './operation.js';
import { sentVersion, workflowRecord } from './records.js';

export const RefundRequestData = z
  .object({
    amount: optional.money('Amount to be refunded, INR decimal string.'),
    reason: nullable.text(
      "Why, in words; after a decision, whether these are the requester's words or the bank's is undocumented.",
    ),
    decision: nullable.of(openEnum('approved'), "The bank's decision, once made."),
    refund_id: nullable.text('The refund that an approval created.'),
  })
  .meta({ title: 'A request for a refund, and its decision.', section: 'Workflow record' });

export const RefundRequestRecord = workflowRecord({
  kind: 'refund_request',
  states: ['pending', 'approved'],
  data: RefundRequestData,
  what: 'a refund request',
  version: sentVersion,
});

export const refundRequests = resource(
  'refundRequests',
  'Requests for refunds: decide them. `payments.requestRefund` makes them.',
  {
    decide: command({
      id: 'A48',
      path: '/refund-requests/{request}/decisions',
      scope: 'refunds:approve',
      actors: ['bank'],
      summary: 'Decides a request for a refund.',
      notes: [
        'An approval reserves the money and creates a refund in `approved_pending_execution`. It does not transfer money.',
      ],
      section: 'Payments, receipts, refunds, disputes',
      params: { request: pathId.describe('Id of the refund request.') },
      body: z.strictObject({
        decision: openChoice('approved').describe('The decision; the set of values is undocumented.'),
        reason: optional.of(filledText, 'Why, in words.'),
        expected_version: expectedVersion,
        idempotency_key: idempotencyKey,
      }),
      versionFrom: { param: 'request', kind: 'refund_request', field: 'resource_version' },
      reply: RefundRequestRecord,
    }),
  },
);
