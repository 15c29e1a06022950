// Generated from src/api by `npm run generate`; edits are lost.

import type { BodyFor, CallOptions, Caller, MutationOptions, VersionedRecord } from '../core/caller.js';
import type { OfferRecord } from '../models/offers.js';
import type { ReleaseRecord } from '../models/releases.js';
import type { SaleCancellationRecord } from '../models/sale-cancellations.js';
import type {
  PaymentDues,
  SaleCasesAcknowledgeBody,
  SaleCasesAuthorizeReleaseBody,
  SaleCasesDecideBody,
  SaleCasesListQuery,
  SaleCasesOfferBody,
  SaleCasesRequestCancellationBody,
  SaleCasesUpdateTransferBody,
  SaleReceipts,
  SaleRecord,
  TransferRecord,
  TransferStatus,
} from '../models/sale-cases.js';
import { type Pager, pagerOf } from '../paging/pager.js';
import { saleCases } from '../routes/sale-cases.js';

/** Sales, from the award of a lot to the transfer of ownership. */
export class SaleCases {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Lists the sales that these credentials may see, 25 a page.
   *
   * Returns a pager: nothing is sent until you iterate it.
   *
   * API: A20, `GET /sale-cases`, scope `sales:read`; "Sale, negotiation, cancellation".
   * @param query What to ask for: `page`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  list(query: SaleCasesListQuery = {}, options?: CallOptions): Pager<SaleRecord> {
    return pagerOf<SaleRecord>(this.#call, saleCases.list, { query }, options);
  }

  /**
   * Reads one sale, with its active offer.
   *
   * API: A21, `GET /sale-cases/{sale}`, scope `sales:read`; "Sale, negotiation, cancellation".
   * @param sale Sale id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  get(sale: string, options?: CallOptions): Promise<SaleRecord> {
    return this.#call<SaleRecord>(saleCases.get, { path: { sale } }, options);
  }

  /**
   * Asks for the cancellation of a sale that the bank has approved.
   *
   * For approved sales only. The request sets off an assessment of what is owed, in money and in release.
   *
   * API: A26, `POST /sale-cases/{sale}/cancellation-requests`, scope `sales:cancel-request`; "Sale,
   * negotiation, cancellation".
   * @param sale Sale id. Or the record as it was read or returned: its id, and its `resource_version` as
   * `expected_version`.
   * @param body What to send: `reason_code`, `explanation`, `expected_version`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  requestCancellation<Sale extends string | VersionedRecord>(
    sale: Sale,
    body: BodyFor<Sale, SaleCasesRequestCancellationBody>,
    options?: MutationOptions,
  ): Promise<SaleCancellationRecord> {
    return this.#call<SaleCancellationRecord>(
      saleCases.requestCancellation,
      { path: { sale }, body },
      options,
    );
  }

  /**
   * Reads what is due for a sale, what is paid and what remains.
   *
   * Only verified money is credited; reports of payments that wait for the bank are not.
   *
   * API: A34, `GET /sale-cases/{sale}/payment-dues`, scope `payments:read`; "Payments, receipts, refunds,
   * disputes".
   * @param sale Sale id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  paymentDues(sale: string, options?: CallOptions): Promise<PaymentDues> {
    return this.#call<PaymentDues>(saleCases.paymentDues, { path: { sale } }, options);
  }

  /**
   * Reads the payments, documents and allocations of a sale.
   *
   * API: A46, `GET /sale-cases/{sale}/receipts`, scope `documents:read`; "Payments, receipts, refunds,
   * disputes".
   * @param sale Sale id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  receipts(sale: string, options?: CallOptions): Promise<SaleReceipts> {
    return this.#call<SaleReceipts>(saleCases.receipts, { path: { sale } }, options);
  }

  /**
   * Reads how far the ownership transfer of a sale is.
   *
   * `government_verified` is false until the transfer has been verified independently.
   *
   * API: A58, `GET /sale-cases/{sale}/transfer-status`, scope `transfer:read`; "Release, collection,
   * transfer".
   * @param sale Sale id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  transferStatus(sale: string, options?: CallOptions): Promise<TransferStatus> {
    return this.#call<TransferStatus>(saleCases.transferStatus, { path: { sale } }, options);
  }
}

/** Sales, from the award of a lot to the transfer of ownership. As a partner calls it. */
export class PartnerSaleCases extends SaleCases {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Acknowledges the bank's decision and the terms of a sale.
   *
   * It says that both have arrived, and nothing more: it bids, approves and pays nothing.
   *
   * API: A23, `POST /sale-cases/{sale}/acknowledgments`, scope `sales:acknowledge`; "Sale, negotiation,
   * cancellation".
   * @param sale Sale id. Or the record as it was read or returned: its id, and its `resource_version` as
   * `expected_version`.
   * @param body What to send: `terms_version`, `idempotency_key`, `expected_version`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  acknowledge<Sale extends string | VersionedRecord>(
    sale: Sale,
    body: BodyFor<Sale, SaleCasesAcknowledgeBody>,
    options?: MutationOptions,
  ): Promise<SaleRecord> {
    return this.#call<SaleRecord>(saleCases.acknowledge, { path: { sale }, body }, options);
  }
}

/** Sales, from the award of a lot to the transfer of ownership. As a bank calls it. */
export class BankSaleCases extends SaleCases {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    super(call);
    this.#call = call;
  }

  /**
   * Decides a sale, such as approving it.
   *
   * An approval needs a bid that is still valid and a vehicle that is available; it neither settles a payment
   * nor releases the vehicle.
   *
   * Where an offer was negotiated, `offer_id` names it: the active one, accepted and not expired, with the
   * same `terms_version`. Its amount takes effect through this decision only.
   *
   * The bank's limits apply, and a second person may have to confirm: success need not mean approved, so read
   * the `state` that comes back.
   *
   * API: A22, `POST /sale-cases/{sale}/decisions`, scope `sales:approve`; "Sale, negotiation, cancellation".
   * @param sale Sale id. Or the record as it was read or returned: its id, and its `resource_version` as
   * `expected_version`.
   * @param body What to send: `decision`, `bid_id`, `reason`, `terms_version`, `due_at`,
   * `payee_instructions`, `idempotency_key`, `expected_version`, `offer_id`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  decide<Sale extends string | VersionedRecord>(
    sale: Sale,
    body: BodyFor<Sale, SaleCasesDecideBody>,
    options?: MutationOptions,
  ): Promise<SaleRecord> {
    return this.#call<SaleRecord>(saleCases.decide, { path: { sale }, body }, options);
  }

  /**
   * Makes the buyer an offer on a sale that is not decided yet.
   *
   * Offers that were open or accepted before are superseded; one is active at a time. The bid stays as it
   * was, and the sale still has to be decided (A22).
   *
   * What others bid stays hidden from the buyer.
   *
   * API: A24, `POST /sale-cases/{sale}/offers`, scope `offers:write`; "Sale, negotiation, cancellation".
   * @param sale Sale id. Or the record as it was read or returned: its id, and its `resource_version` as
   * `expected_version`.
   * @param body What to send: `amount`, `currency`, `terms_version`, `valid_until`, `reason`,
   * `expected_version`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  offer<Sale extends string | VersionedRecord>(
    sale: Sale,
    body: BodyFor<Sale, SaleCasesOfferBody>,
    options?: MutationOptions,
  ): Promise<OfferRecord> {
    return this.#call<OfferRecord>(saleCases.offer, { path: { sale }, body }, options);
  }

  /**
   * Authorises the release of the vehicle of a sale.
   *
   * The sale must be approved, the buyer have done what is asked of it, the required money be verified, and
   * nothing be on hold.
   *
   * `expected_version` is the sale's; the API leaves that open.
   *
   * API: A52, `POST /sale-cases/{sale}/release-authorizations`, scope `release:approve`; "Release,
   * collection, transfer".
   * @param sale Sale id. Or the record as it was read or returned: its id, and its `resource_version` as
   * `expected_version`.
   * @param body What to send: `recipient`, `yard`, `expires_at`, `collection_date`, `idempotency_key`,
   * `expected_version`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  authorizeRelease<Sale extends string | VersionedRecord>(
    sale: Sale,
    body: BodyFor<Sale, SaleCasesAuthorizeReleaseBody>,
    options?: MutationOptions,
  ): Promise<ReleaseRecord> {
    return this.#call<ReleaseRecord>(saleCases.authorizeRelease, { path: { sale }, body }, options);
  }

  /**
   * Records a milestone of the ownership transfer.
   *
   * The record takes the state that `status` says. It claims nothing about the government registry.
   *
   * Evidence counts only once the scan has found its document clean.
   *
   * `expected_version` is the sale's; the API leaves that open.
   *
   * API: A57, `POST /sale-cases/{sale}/transfer-updates`, scope `transfer:write`; "Release, collection,
   * transfer".
   * @param sale Sale id. Or the record as it was read or returned: its id, and its `resource_version` as
   * `expected_version`.
   * @param body What to send: `status`, `responsible_party`, `reason`, `evidence_id`, `document_checklist`,
   * `occurred_at`, `idempotency_key`, `expected_version`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  updateTransfer<Sale extends string | VersionedRecord>(
    sale: Sale,
    body: BodyFor<Sale, SaleCasesUpdateTransferBody>,
    options?: MutationOptions,
  ): Promise<TransferRecord> {
    return this.#call<TransferRecord>(saleCases.updateTransfer, { path: { sale }, body }, options);
  }
}
