import { rupees } from '../money.js';
import { policyVersion } from '../policy.js';
import { isoTime } from '../times.js';
import type {
  Acknowledgment,
  Allocation,
  BankReceipt,
  Cancellation,
  Decided,
  Entity,
  EvidenceDocument,
  Notice,
  Offer,
  Payment,
  PaymentReport,
  Release,
  Sale,
} from './entities.js';

/** What the wire has of a record, or inside one. */
export type Data = Readonly<Record<string, unknown>>;

export const cancellationView = (cancellation: Cancellation): Data =>
  recordView(cancellation, {
    bid_id: cancellation.bid.id,
    reason_code: cancellation.reasonCode,
    explanation: cancellation.explanation ?? null,
    policy_version: policyVersion,
    ...decided(cancellation.decided),
  });

/** A sale as lists and commands show it. */
export const saleView = (sale: Sale): Data => recordView(sale, saleData(sale));

export const offerView = (offer: Offer): Data =>
  recordView(offer, {
    ...inRupees(offer.amount),
    terms_version: offer.termsVersion,
    valid_until: offer.validUntil,
    reason: offer.reason,
    ...(offer.decision !== undefined && { decision: offer.decision }),
  });

export const documentView = (document: EvidenceDocument): Data =>
  recordView(document, documentData(document));

/** A document whose metadata is read: with the address to download it from, once there is one. */
export const documentDetail = (document: EvidenceDocument, downloadUrl: string | null): Data =>
  recordView(document, { ...documentData(document), download_url: downloadUrl });

export const paymentReportView = (report: PaymentReport): Data =>
  recordView(report, {
    sale_id: report.sale.id,
    ...inRupees(report.amount),
    method: report.method,
    utr: report.utr,
    paid_at: report.paidAt,
    external_reference: report.externalReference,
    evidence_id: report.evidenceId,
    ...decided(report.verification ?? report.rejection),
    ...(report.verification !== undefined && {
      bank_receipt_id: report.verification.receipt.id,
      bank_account_reference: report.verification.receipt.bankAccountReference,
      received_amount: rupees(report.verification.receivedAmount),
    }),
  });

export const bankReceiptView = (receipt: BankReceipt): Data =>
  recordView(receipt, {
    sale_id: receipt.sale.id,
    bank_account_reference: receipt.bankAccountReference,
    utr: receipt.utr,
    external_transaction_id: receipt.externalTransactionId,
    ...inRupees(receipt.amount),
    value_date: receipt.valueDate,
    evidence_id: receipt.evidenceId,
  });

export const paymentView = (payment: Payment): Data =>
  recordView(payment, {
    sale_id: payment.sale.id,
    ...inRupees(payment.amount),
    settlement_state: payment.settlementState,
  });

export const allocationView = (allocation: Allocation): Data =>
  recordView(allocation, {
    sale_id: allocation.sale.id,
    ...inRupees(allocation.amount),
    payment_id: allocation.payment.id,
    amount_paise: Number(allocation.amount),
  });

export const releaseView = (release: Release): Data =>
  recordView(release, {
    recipient: release.recipient,
    yard: release.yard,
    expires_at: release.expiresAt,
    collection_date: release.collectionDate,
    sale_id: release.sale.id,
    ...(release.revocationReason !== undefined && { reason: release.revocationReason }),
    ...(release.collection !== undefined && {
      collector: release.collection.collector,
      vehicle_identity: release.collection.vehicleIdentity,
      evidence_id: release.collection.evidenceId,
    }),
  });

export const acknowledgmentView = (acknowledgment: Acknowledgment): Data =>
  recordView(acknowledgment, {
    status: acknowledgment.state,
    external_reference: acknowledgment.externalReference,
  });

/** A message of the inbox. */
export const noticeView = ({ acknowledgment, ...notice }: Notice): Data => ({
  id: notice.id,
  type: notice.type,
  subject: notice.subject,
  resource_version: notice.resourceVersion,
  created_at: isoTime(notice.createdAt),
  acknowledgment:
    acknowledgment === undefined
      ? null
      : {
          status: acknowledgment.state,
          external_reference: acknowledgment.externalReference,
          acknowledged_at: isoTime(acknowledgment.createdAt),
        },
});

/** The same with a reference in place of the headline, and of the acknowledgment its status. */
export const referringNoticeView = (notice: Notice): Data => ({
  ...noticeView(notice),
  subject: notice.about,
  acknowledgment: notice.acknowledgment?.state ?? null,
});

/** A workflow record around its `data`. */
export function recordView({ id, kind, state, version, createdAt, updatedAt }: Entity, data: Data): Data {
  return {
    id,
    kind,
    state,
    resource_version: version,
    data,
    created_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
  };
}

function saleData(sale: Sale): Data {
  return {
    bid_id: sale.bid.id,
    bidder_reference: sale.bid.bidderReference,
    ...inRupees(sale.amount),
    terms_version: sale.terms?.termsVersion ?? null,
    acknowledged_at: sale.acknowledgedAt === undefined ? null : isoTime(sale.acknowledgedAt),
    lot_id: sale.lot.id,
    due_at: sale.terms?.dueAt ?? null,
    payee_instructions: sale.terms?.payeeInstructions ?? null,
    payee_version: sale.terms?.payeeVersion ?? null,
  };
}

function documentData(document: EvidenceDocument): Data {
  return {
    sale_id: document.sale.id,
    purpose: document.purpose,
    filename: document.filename,
    mime: document.mime,
    bytes: document.content.length,
    digest: document.digest,
  };
}

function inRupees(amount: bigint) {
  return { amount: rupees(amount), currency: 'INR' };
}

/** The fields that a decision adds. */
export function decided(decision: Decided | undefined) {
  return decision === undefined ? {} : { decision: decision.decision, reason: decision.reason };
}
