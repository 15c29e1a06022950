import * as z from 'zod';
import { amount, expectedVersion, filledText, idempotencyKey, money, openEnum, pathId } from './common.js';
import type { Resource } from './operation.js';
import { sentVersion, workflowRecord } from './records.js';
import { RefundRequestRecord } from './refund-requests.js';
import { integerPaise } from './sale-values.js';

export const PaymentData = z
  .object({
    sale_id: z.string().optional().describe('Sale that was paid for.'),
    amount: money.optional().describe('Amount of the payment, INR decimal string.'),
    currency: z.string().optional().describe('Currency code, INR.'),
    settlement_state: openEnum('bank_received').optional().describe('How far the money has come.'),
  })
  .meta({ title: 'Money that counts toward a sale.', section: 'Workflow record' });

export const PaymentRecord = workflowRecord({
  kind: 'payment',
  states: ['succeeded'],
  data: PaymentData,
  what: 'a payment',
  version: sentVersion,
});

export const AllocationData = z
  .object({
    sale_id: z.string().optional().describe('Sale that the money was allocated to.'),
    amount: money.optional().describe('Amount that was allocated, INR decimal string.'),
    payment_id: z.string().optional().describe('Payment that the money came from.'),
    amount_paise: integerPaise.optional().describe('Amount that was allocated, integer paise.'),
    currency: z.string().optional().describe('Currency code, INR.'),
  })
  .meta({ title: 'Money of a payment that was allocated to a sale.', section: 'Workflow record' });

export const AllocationRecord = workflowRecord({
  kind: 'allocation',
  states: ['allocated'],
  data: AllocationData,
  what: 'an allocation',
});

const payment = pathId.describe('Payment id, not the id of a payment report.');

export const payments = {
  name: 'payments',
  summary: 'Payments: read, allocate to a sale, ask for a refund.',
  operations: {
    get: {
      id: 'A40',
      method: 'GET',
      path: '/payments/{payment}',
      scope: 'payments:read',
      actors: ['bank', 'partner'],
      availability: 'callable',
      effect: 'read',
      summary: 'Reads one payment.',
      notes: [
        'A payment and a payment report have different ids; a report that is not verified counts for nothing.',
      ],
      section: 'Payments, receipts, refunds, disputes',
      params: { payment },
      success: [200],
      envelope: 'read',
      reply: PaymentRecord,
      refusals: ['NOT_FOUND'],
    },
    allocate: {
      id: 'A45',
      method: 'POST',
      path: '/payments/{payment}/allocations',
      scope: 'payments:allocate',
      actors: ['bank'],
      availability: 'callable',
      effect: 'command',
      summary: 'Allocates verified money of a payment to a sale.',
      notes: ['No more than the verified money that is not allocated yet; a receipt is credited once.'],
      section: 'Payments, receipts, refunds, disputes',
      params: { payment },
      body: z.strictObject({
        sale_id: filledText.describe('Id of the sale to credit.'),
        amount: amount.describe('Amount to allocate, INR decimal string.'),
        idempotency_key: idempotencyKey,
        expected_version: expectedVersion,
      }),
      versionFrom: { param: 'payment', kind: 'payment', field: 'resource_version' },
      success: [200],
      envelope: 'command',
      reply: AllocationRecord,
      refusals: ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT', 'NOT_FOUND'],
    },
    requestRefund: {
      id: 'A47',
      method: 'POST',
      path: '/payments/{payment}/refund-requests',
      scope: 'refunds:request',
      actors: ['bank', 'partner'],
      availability: 'callable',
      effect: 'command',
      summary: 'Asks for the refund of a payment, in full or in part.',
      notes: ['What was refunded before, or is asked for and pending, cannot be asked for again.'],
      section: 'Payments, receipts, refunds, disputes',
      params: { payment },
      body: z.strictObject({
        amount: amount.describe('Amount to refund, INR decimal string.'),
        reason: filledText.optional().describe('Why, in words.'),
        expected_version: expectedVersion,
        idempotency_key: idempotencyKey,
      }),
      versionFrom: { param: 'payment', kind: 'payment', field: 'resource_version' },
      success: [200],
      envelope: 'command',
      reply: RefundRequestRecord,
      refusals: ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT', 'NOT_FOUND'],
    },
  },
} as const satisfies Resource;
