// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Amount } from '../api/formats.js';
import type { Route } from '../api/operation.js';
import type { Caller, MutationOptions } from '../ports/caller.js';

/**
 * An entry of a bank account.
 *
 * API text: Workflow record.
 */
export interface BankReceiptData {
  /** Sale that the money is for. (API: Workflow record) */
  readonly sale_id?: string;
  /** Bank account that the money arrived on. (API: Workflow record) */
  readonly bank_account_reference?: string;
  /** Transaction id of the bank or payment provider. (API: Workflow record) */
  readonly utr?: string;
  /** The bank's own id of the entry. (API: Workflow record) */
  readonly external_transaction_id?: string;
  /** Amount that arrived, INR decimal string. (API: Workflow record) */
  readonly amount?: string;
  /** Currency code, INR. (API: Workflow record) */
  readonly currency?: string;
  /** Value date of the entry. (API: Workflow record) */
  readonly value_date?: string;
  /** Document that shows the entry. (API: Workflow record) */
  readonly evidence_id?: string | null;
}

/**
 * A bank receipt, as a workflow record.
 *
 * API text: Workflow record.
 */
export interface BankReceiptRecord {
  /** Id of a bank receipt. (API: Workflow record) */
  readonly id: string;
  /** Kind of record. (API: Workflow record) */
  readonly kind?: 'bank_receipt' | (string & {});
  /** State of the record; unknown states pass through. (API: Workflow record) */
  readonly state: 'verified' | (string & {});
  /** Version of this record; no command sends it. (API: Workflow record) */
  readonly resource_version: number;
  /** Data of the record. (API: Workflow record) */
  readonly data?: BankReceiptData;
  /** Creation, ISO 8601. (API: Workflow record) */
  readonly created_at?: string;
  /** Last change, ISO 8601. (API: Workflow record) */
  readonly updated_at?: string;
}

/**
 * Body of `bankReceipts.import`.
 *
 * API text: Payments, receipts, refunds, disputes.
 */
export interface BankReceiptsImportBody {
  /** Id of the sale that the money is for. (API: Payments, receipts, refunds, disputes) */
  readonly sale_id: string;
  /** Bank account that the money arrived on. (API: Payments, receipts, refunds, disputes) */
  readonly bank_account_reference: string;
  /** Transaction id of the bank or payment provider. (API: Payments, receipts, refunds, disputes) */
  readonly utr: string;
  /** The bank's own id of the entry. (API: Payments, receipts, refunds, disputes) */
  readonly external_transaction_id: string;
  /** Amount that arrived, INR decimal string. (API: Payments, receipts, refunds, disputes) */
  readonly amount: Amount;
  /** Currency, always `INR`. (API: Payments, receipts, refunds, disputes) */
  readonly currency: 'INR';
  /** Value date of the entry, such as `2026-03-01`. (API: Payments, receipts, refunds, disputes) */
  readonly value_date: string;
  /** Id of the document that shows the entry. (API: Payments, receipts, refunds, disputes) */
  readonly evidence_id?: string | undefined;
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Payments, receipts, refunds, disputes)
   */
  readonly idempotency_key?: string | undefined;
}

export const bankReceiptDataSchema: ObjectSchema = {
  fields: {
    sale_id: { optional: 'string' },
    bank_account_reference: { optional: 'string' },
    utr: { optional: 'string' },
    external_transaction_id: { optional: 'string' },
    amount: { optional: 'money' },
    currency: { optional: 'string' },
    value_date: { optional: 'string' },
    evidence_id: { optional: { nullable: 'string' } },
  },
};

export const bankReceiptRecordSchema: ObjectSchema = {
  fields: {
    id: 'string',
    kind: { optional: 'string' },
    state: 'string',
    resource_version: 'int',
    data: { optional: bankReceiptDataSchema },
    created_at: { optional: 'string' },
    updated_at: { optional: 'string' },
  },
};

export const bankReceipts = {
  import: {
    name: 'bankReceipts.import',
    id: 'A42',
    method: 'POST',
    path: '/bank-receipts/imports',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    body: {
      fields: {
        sale_id: 'filled',
        bank_account_reference: 'filled',
        utr: 'filled',
        external_transaction_id: 'filled',
        amount: 'amount',
        currency: { values: ['INR'] },
        value_date: 'date',
        evidence_id: { optional: 'filled' },
        idempotency_key: 'uuid',
      },
    },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: bankReceiptRecordSchema,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * Bank receipts: import entries of a bank account. As a bank calls it.
 *
 * To look up an id, such as A42: `npx vehicle-auction-sdk docs A42`.
 */
export class BankReceipts {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Imports an entry of a bank account as a verified receipt.
   *
   * Duplicates are recognised by bank account and transaction together, never by amount.
   *
   * Evidence counts only once the scan has found its document clean.
   *
   * API: A42, `POST /bank-receipts/imports`, scope `receipts:import`; "Payments, receipts, refunds,
   * disputes".
   * @param body What to send: `sale_id`, `bank_account_reference`, `utr`, `external_transaction_id`,
   * `amount`, `currency`, `value_date`, `evidence_id`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  import(body: BankReceiptsImportBody, options?: MutationOptions): Promise<BankReceiptRecord> {
    return this.#call<BankReceiptRecord>(bankReceipts.import, { body }, options);
  }
}
