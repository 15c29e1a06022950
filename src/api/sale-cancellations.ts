import * as z from 'zod';
import { expectedVersion, filledText, idempotencyKey, openChoice, openEnum, pathId } from './common.js';
import type { Resource } from './operation.js';
import { sentVersion, workflowRecord } from './records.js';

export const SaleCancellationData = z
  .object({
    reason_code: z.string().optional().describe('Why, as a code; the allowed values are undocumented.'),
    explanation: z.string().nullable().optional().describe('Why, in words.'),
    decision: openEnum('approved').nullable().optional().describe("The bank's decision, once made."),
    reason: z.string().nullable().optional().describe("The bank's reason, once decided."),
  })
  .meta({ title: 'A request to cancel a sale, and its decision.', section: 'Workflow record' });

export const SaleCancellationRecord = workflowRecord({
  kind: 'sale_cancellation',
  states: ['pending', 'approved'],
  data: SaleCancellationData,
  what: 'a sale cancellation request',
  version: sentVersion,
});

export const saleCancellations = {
  name: 'saleCancellations',
  summary: 'Requests to cancel sales: decide them. `saleCases.requestCancellation` makes them.',
  operations: {
    decide: {
      id: 'A27',
      method: 'POST',
      path: '/sale-cancellation-requests/{request}/decisions',
      scope: 'sales:cancel-approve',
      actors: ['bank'],
      availability: 'callable',
      effect: 'command',
      summary: 'Decides a request to cancel a sale.',
      notes: [
        'An approval opens work items for reversals and refunds; neither the approved sale nor any record of money is erased.',
        'Once the vehicle is delivered, an exception or a dispute is the way instead.',
      ],
      section: 'Sale, negotiation, cancellation',
      params: { request: pathId.describe('Id of the sale cancellation request.') },
      body: z.strictObject({
        decision: openChoice('approved').describe('The decision; the set of values is undocumented.'),
        reason: filledText.optional().describe('Why, in words.'),
        expected_version: expectedVersion,
        idempotency_key: idempotencyKey,
      }),
      versionFrom: { param: 'request', kind: 'sale_cancellation', field: 'resource_version' },
      success: [200],
      envelope: 'command',
      reply: SaleCancellationRecord,
      refusals: ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT', 'NOT_FOUND'],
    },
  },
} as const satisfies Resource;
