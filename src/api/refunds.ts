import * as z from 'zod';
import { pathId } from './common.js';
import type { Resource } from './operation.js';
import { workflowRecord } from './records.js';
import { integerPaise } from './sale-values.js';

export const RefundData = z
  .object({
    // Not shown (unknowns: `refund-request-id`).
    request_id: z
      .string()
      .optional()
      .describe('Request that it came from; whether the refund request or the API call is undocumented.'),
    payment_id: z.string().optional().describe('Payment that the money goes back from.'),
    amount_paise: integerPaise.optional().describe('Amount to go back, integer paise.'),
    currency: z.string().optional().describe('Currency code, INR.'),
    // Not shown (unknowns: `refund-execution`).
    execution: z.unknown().optional().describe('How the transfer is carried out; its shape is undocumented.'),
  })
  .meta({ title: 'Money that goes back.', section: 'Workflow record' });

export const RefundRecord = workflowRecord({
  kind: 'refund',
  states: ['requested', 'processing', 'succeeded', 'failed', 'approved_pending_execution'],
  data: RefundData,
  what: 'a refund',
});

export const refunds = {
  name: 'refunds',
  summary: 'Refunds: read them. `refundRequests.decide` creates them.',
  operations: {
    get: {
      id: 'A49',
      method: 'GET',
      path: '/refunds/{refund}',
      scope: 'refunds:read',
      actors: ['bank', 'partner'],
      availability: 'callable',
      effect: 'read',
      summary: 'Reads one refund.',
      notes: [
        'In `approved_pending_execution` it is approved and the money reserved, but none has been transferred.',
      ],
      section: 'Payments, receipts, refunds, disputes',
      params: { refund: pathId.describe('Refund id, not the id of the refund request.') },
      success: [200],
      envelope: 'read',
      reply: RefundRecord,
      refusals: ['NOT_FOUND'],
    },
  },
} as const satisfies Resource;
