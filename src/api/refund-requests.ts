import * as z from 'zod';
import {
  expectedVersion,
  filledText,
  idempotencyKey,
  money,
  openChoice,
  openEnum,
  pathId,
} from './common.js';
import type { Resource } from './operation.js';
import { sentVersion, workflowRecord } from './records.js';

export const RefundRequestData = z
  .object({
    amount: money.optional().describe('Amount to be refunded, INR decimal string.'),
    reason: z
      .string()
      .nullable()
      .optional()
      .describe(
        "Why, in words; whether the requester's or the bank's stand here after a decision is undocumented.",
      ),
    decision: openEnum('approved').nullable().optional().describe("The bank's decision, once made."),
    refund_id: z.string().nullable().optional().describe('The refund that an approval created.'),
  })
  .meta({ title: 'A request for a refund, and its decision.', section: 'Workflow record' });

export const RefundRequestRecord = workflowRecord({
  kind: 'refund_request',
  states: ['pending', 'approved'],
  data: RefundRequestData,
  what: 'a refund request',
  version: sentVersion,
});

export const refundRequests = {
  name: 'refundRequests',
  summary: 'Requests for refunds: decide them. `payments.requestRefund` makes them.',
  operations: {
    decide: {
      id: 'A48',
      method: 'POST',
      path: '/refund-requests/{request}/decisions',
      scope: 'refunds:approve',
      actors: ['bank'],
      availability: 'callable',
      effect: 'command',
      summary: 'Decides a request for a refund.',
      notes: [
        'An approval reserves the money and creates a refund in `approved_pending_execution`; no money has been transferred by then.',
      ],
      section: 'Payments, receipts, refunds, disputes',
      params: { request: pathId.describe('Id of the refund request.') },
      body: z.strictObject({
        decision: openChoice('approved').describe('The decision; the set of values is undocumented.'),
        reason: filledText.optional().describe('Why, in words.'),
        expected_version: expectedVersion,
        idempotency_key: idempotencyKey,
      }),
      versionFrom: { param: 'request', kind: 'refund_request', field: 'resource_version' },
      success: [200],
      envelope: 'command',
      reply: RefundRequestRecord,
      refusals: ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT', 'NOT_FOUND'],
    },
  },
} as const satisfies Resource;
