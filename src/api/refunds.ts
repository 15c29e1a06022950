import * as z from 'zod';
import { pathId } from './common.js';
import { optional } from './fields.js';
import { read, resource } from './operation.js';
import { workflowRecord } from './records.js';
import { integerPaise } from './sale-values.js';

export const RefundData = z
  .object({
    // Undocumented (unknowns: `refund-request-id`).
    request_id: optional.text(
      'Id of the request; whether of the refund request or of the API call is undocumented.',
    ),
    payment_id: optional.text('Refunded payment.'),
    amount_paise: optional.of(integerPaise, 'Refund amount, integer paise.'),
    currency: optional.text('Currency code, INR.'),
    // Undocumented (unknowns: `refund-execution`).
    execution: optional.of(z.unknown(), 'How the transfer is carried out; its shape is undocumented.'),
  })
  .meta({ title: 'A refund of a payment.', section: 'Workflow record' });

export const RefundRecord = workflowRecord({
  kind: 'refund',
  states: ['requested', 'processing', 'succeeded', 'failed', 'approved_pending_execution'],
  data: RefundData,
  what: 'a refund',
});

export const refunds = resource('refunds', 'Refunds: read them. `refundRequests.decide` creates them.', {
  get: read({
    id: 'A49',
    path: '/refunds/{refund}',
    scope: 'refunds:read',
    actors: ['bank', 'partner'],
    summary: 'Reads one refund.',
    notes: [
      'In `approved_pending_execution`, the refund is approved and the money reserved but not yet transferred.',
    ],
    section: 'Payments, receipts, refunds, disputes',
    params: { refund: pathId.describe('Refund id, not the id of the refund request.') },
    reply: RefundRecord,
  }),
});
