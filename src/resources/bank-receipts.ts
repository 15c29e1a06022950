// Generated from src/api by `npm run generate`; edits are lost.

import type { Caller, MutationOptions } from '../core/caller.js';
import type { BankReceiptRecord, BankReceiptsImportBody } from '../models/bank-receipts.js';
import { bankReceipts } from '../routes/bank-receipts.js';

/** Money that arrived at the bank: import its entries. As a bank calls it. */
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
