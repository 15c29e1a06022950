import * as z from 'zod';
import { pathId } from './common.js';
import { optional } from './fields.js';
import { read, resource } from './operation.js';
import { workflowRecord } from './records.js';
import { integerPaise } from './sale-values.js';

export const RefundData = z
  .object({
    // Not shown (unknowns: `refund-request-id`).
    request_id: optional.text(
      'Request that it came from; whether the refund request or the API call is undocumented.',
    ),
    payment_id: optional.text('Payment that the money goes back from.'),
    amount_paise: optional.of(integerPaise, 'Amount to go back, integer paise.'),
    currency: optional.text('Currency code, INR.'),
    // Not shown (unknowns: `refund-execution`).
    execution: optional.of(z.unknown(), 'How the transfer is carried out; its shape is undocumented.'),
  })
  .meta({ title: 'Money that goes back.', section: 'Workflow record' });

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
      'In `approved_pending_execution` it is approved and the money reserved, but none has been transferred.',
    ],
    section: 'Payments, receipts, refunds, disputes',
    params: { refund: pathId.describe('Refund id, not the id of the refund request.') },
    reply: RefundRecord,
  }),
});
