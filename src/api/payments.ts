import * as z from 'zod';
import { amount, expectedVersion, filledText, idempotencyKey, openEnum, pathId } from './common.js';
import { optional } from './fields.js';
import { command, read, resource } from './operation.js';
import { sentVersion, workflowRecord } from './records.js';
import { RefundRequestRecord } from './refund-requests.js';
import { integerPaise } from './sale-values.js';

export const PaymentData = z
  .object({
    sale_id: optional.text('Sale that was paid for.'),
    amount: optional.money('Amount of the payment, INR decimal string.'),
    currency: optional.text('Currency code, INR.'),
    settlement_state: optional.of(openEnum('bank_received'), 'Settlement state of the money.'),
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
    sale_id: optional.text('Sale that the money was allocated to.'),
    amount: optional.money('Amount that was allocated, INR decimal string.'),
    payment_id: optional.text('Payment that the money came from.'),
    amount_paise: optional.of(integerPaise, 'Amount that was allocated, integer paise.'),
    currency: optional.text('Currency code, INR.'),
  })
  .meta({ title: 'Money of a payment that was allocated to a sale.', section: 'Workflow record' });

export const AllocationRecord = workflowRecord({
  kind: 'allocation',
  states: ['allocated'],
  data: AllocationData,
  what: 'an allocation',
});

const payment = pathId.describe('Payment id, not the id of a payment report.');

export const payments = resource('payments', 'Payments: read, allocate to a sale, request a refund.', {
  get: read({
    id: 'A40',
    path: '/payments/{payment}',
    scope: 'payments:read',
    actors: ['bank', 'partner'],
    summary: 'Reads one payment.',
    notes: ['A payment and a payment report have different ids. An unverified report does not count.'],
    section: 'Payments, receipts, refunds, disputes',
    params: { payment },
    reply: PaymentRecord,
  }),
  allocate: command({
    id: 'A45',
    path: '/payments/{payment}/allocations',
    scope: 'payments:allocate',
    actors: ['bank'],
    summary: 'Allocates verified money of a payment to a sale.',
    notes: ['The amount cannot exceed the unallocated verified money. A receipt is credited once.'],
    section: 'Payments, receipts, refunds, disputes',
    params: { payment },
    body: z.strictObject({
      sale_id: filledText.describe('Id of the sale to credit.'),
      amount: amount.describe('Amount to allocate, INR decimal string.'),
      idempotency_key: idempotencyKey,
      expected_version: expectedVersion,
    }),
    versionFrom: { param: 'payment', kind: 'payment', field: 'resource_version' },
    reply: AllocationRecord,
  }),
  requestRefund: command({
    id: 'A47',
    path: '/payments/{payment}/refund-requests',
    scope: 'refunds:request',
    actors: ['bank', 'partner'],
    summary: 'Requests a full or partial refund of a payment.',
    notes: ['Amounts already refunded or in a pending request cannot be requested again.'],
    section: 'Payments, receipts, refunds, disputes',
    params: { payment },
    body: z.strictObject({
      amount: amount.describe('Amount to refund, INR decimal string.'),
      reason: optional.of(filledText, 'Why, in words.'),
      expected_version: expectedVersion,
      idempotency_key: idempotencyKey,
    }),
    versionFrom: { param: 'payment', kind: 'payment', field: 'resource_version' },
    reply: RefundRequestRecord,
  }),
});
