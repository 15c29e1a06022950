// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Amount } from '../api/formats.js';
import type { Route } from '../api/operation.js';
import type { BodyFor, CallOptions, Caller, MutationOptions, VersionedRecord } from '../ports/caller.js';
import type { RefundRequestRecord } from './refund-requests.js';
import { refundRequestRecordSchema } from './refund-requests.js';

/**
 * Money of a payment that was allocated to a sale.
 *
 * API text: Workflow record.
 */
export interface AllocationData {
  /** Sale that the money was allocated to. (API: Workflow record) */
  readonly sale_id?: string;
  /** Amount that was allocated, INR decimal string. (API: Workflow record) */
  readonly amount?: string;
  /** Payment that the money came from. (API: Workflow record) */
  readonly payment_id?: string;
  /** Amount that was allocated, integer paise. (API: Workflow record) */
  readonly amount_paise?: number;
  /** Currency code, INR. (API: Workflow record) */
  readonly currency?: string;
}

/**
 * An allocation, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface AllocationRecord {
  /** Id of an allocation. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'allocation' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'allocated' | (string & {});
  /** Version of this record; no command sends it. (API: Workflow record) */
  readonly resource_version: number;
  /** Data of the record. (API: Workflow record) */
  readonly data?: AllocationData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * Money that counts toward a sale.
 *
 * API text: Workflow record.
 */
export interface PaymentData {
  /** Sale that was paid for. (API: Workflow record) */
  readonly sale_id?: string;
  /** Amount of the payment, INR decimal string. (API: Workflow record) */
  readonly amount?: string;
  /** Currency code, INR. (API: Workflow record) */
  readonly currency?: string;
  /** Settlement state of the money. (API: Workflow record) */
  readonly settlement_state?: 'bank_received' | (string & {});
}

/**
 * A payment, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface PaymentRecord {
  /** Id of a payment. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'payment' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'succeeded' | (string & {});
  /** Version of this record; commands on it send it as `expected_version`. (API: Workflow record) */
  readonly resource_version: number;
  /** Data of the record. (API: Workflow record) */
  readonly data?: PaymentData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * Body of `payments.allocate`.
 *
 * API text: Payments, receipts, refunds, disputes.
 */
export interface PaymentsAllocateBody {
  /** Id of the sale to credit. (API: Payments, receipts, refunds, disputes) */
  readonly sale_id: string;
  /** Amount to allocate, INR decimal string. (API: Payments, receipts, refunds, disputes) */
  readonly amount: Amount;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Payments, receipts, refunds, disputes)
   */
  readonly idempotency_key?: string | undefined;
  /**
   * Version of the record that you decided on. The service refuses the command if the record has changed
   * since. (API: Payments, receipts, refunds, disputes)
   */
  readonly expected_version: number;
}

/**
 * Body of `payments.requestRefund`.
 *
 * API text: Payments, receipts, refunds, disputes.
 */
export interface PaymentsRequestRefundBody {
  /** Amount to refund, INR decimal string. (API: Payments, receipts, refunds, disputes) */
  readonly amount: Amount;
  /** Why, in words. (API: Payments, receipts, refunds, disputes) */
  readonly reason?: string | undefined;
  /**
   * Version of the record that you decided on. The service refuses the command if the record has changed
   * since. (API: Payments, receipts, refunds, disputes)
   */
  readonly expected_version: number;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Payments, receipts, refunds, disputes)
   */
  readonly idempotency_key?: string | undefined;
}

export const allocationDataSchema: ObjectSchema = {
  fields: {
    sale_id: { optional: 'string' },
    amount: { optional: 'money' },
    payment_id: { optional: 'string' },
    amount_paise: { optional: 'paise' },
    currency: { optional: 'string' },
  },
};

export const allocationRecordSchema: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: allocationDataSchema },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const paymentDataSchema: ObjectSchema = {
  fields: {
    sale_id: { optional: 'string' },
    amount: { optional: 'money' },
    currency: { optional: 'string' },
    settlement_state: { optional: 'string' },
  },
};

export const paymentRecordSchema: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: paymentDataSchema },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const payments = {
  get: {
    name: 'payments.get',
    id: 'A40',
    method: 'GET',
    path: '/payments/{payment}',
    availability: 'callable',
    effect: 'read',
    actors: ['bank', 'partner'],
    params: { payment: 'pathId' },
    success: [200],
    envelope: 'read',
    reply: { fields: { data: paymentRecordSchema, server_time: { optional: 'string' } } },
  },
  allocate: {
    name: 'payments.allocate',
    id: 'A45',
    method: 'POST',
    path: '/payments/{payment}/allocations',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    params: { payment: 'pathId' },
    body: {
      fields: { sale_id: 'filled', amount: 'amount', idempotency_key: 'uuid', expected_version: 'version' },
      hints: { expected_version: 'pass the version you read, or the record itself instead of its id' },
    },
    versionFrom: { param: 'payment', kind: 'payment', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: allocationRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  requestRefund: {
    name: 'payments.requestRefund',
    id: 'A47',
    method: 'POST',
    path: '/payments/{payment}/refund-requests',
    availability: 'callable',
    effect: 'command',
    actors: ['bank', 'partner'],
    params: { payment: 'pathId' },
    body: {
      fields: {
        amount: 'amount',
        reason: { optional: 'filled' },
        expected_version: 'version',
        idempotency_key: 'uuid',
      },
      hints: { expected_version: 'pass the version you read, or the record itself instead of its id' },
    },
    versionFrom: { param: 'payment', kind: 'payment', field: 'resource_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: refundRequestRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * Payments: read, allocate to a sale, request a refund.
 *
 * To look up an id, such as A40: `npx vehicle-auction-sdk docs A40`.
 */
export class Payments {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Reads one payment.
   *
   * A payment and a payment report have different ids. An unverified report does not count.
   *
   * API: A40, `GET /payments/{payment}`, scope `payments:read`; "Payments, receipts, refunds, disputes".
   * @param payment Payment id, not the id of a payment report.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  get(payment: string, options?: CallOptions): Promise<PaymentRecord> {
    return this.#call<PaymentRecord>(payments.get, { path: { payment } }, options);
  }

  /**
   * Requests a full or partial refund of a payment.
   *
   * Amounts already refunded or in a pending request cannot be requested again.
   *
   * API: A47, `POST /payments/{payment}/refund-requests`, scope `refunds:request`; "Payments, receipts,
   * refunds, disputes".
   * @param payment Payment id, not the id of a payment report. Or the record as it was read or returned: its
   * id, and its `resource_version` as `expected_version`.
   * @param body What to send: `amount`, `reason`, `expected_version`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  requestRefund<Payment extends string | VersionedRecord>(
    payment: Payment,
    body: BodyFor<Payment, PaymentsRequestRefundBody>,
    options?: MutationOptions,
  ): Promise<RefundRequestRecord> {
    return this.#call<RefundRequestRecord>(payments.requestRefund, { path: { payment }, body }, options);
  }
}

/**
 * Payments: read, allocate to a sale, request a refund. As a bank calls it.
 *
 * To look up an id, such as A45: `npx vehicle-auction-sdk docs A45`.
 */
export class BankPayments extends Payments {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Allocates verified money of a payment to a sale.
   *
   * The amount cannot exceed the unallocated verified money. A receipt is credited once.
   *
   * API: A45, `POST /payments/{payment}/allocations`, scope `payments:allocate`; "Payments, receipts,
   * refunds, disputes".
   * @param payment Payment id, not the id of a payment report. Or the record as it was read or returned: its
   * id, and its `resource_version` as `expected_version`.
   * @param body What to send: `sale_id`, `amount`, `idempotency_key`, `expected_version`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  allocate<Payment extends string | VersionedRecord>(
    payment: Payment,
    body: BodyFor<Payment, PaymentsAllocateBody>,
    options?: MutationOptions,
  ): Promise<AllocationRecord> {
    return this.#call<AllocationRecord>(payments.allocate, { path: { payment }, body }, options);
  }
}
