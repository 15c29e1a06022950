import { rupees } from '../money.js';
import type { Dispute, Refund, RefundRequest, SaleCancellation } from './reversal-entities.js';
import { type Data, decided, recordView } from './views.js';

export const saleCancellationView = (cancellation: SaleCancellation): Data =>
  recordView(cancellation, {
    reason_code: cancellation.reasonCode,
    explanation: cancellation.explanation ?? null,
    ...decided(cancellation.decided),
  });

export const refundRequestView = (request: RefundRequest): Data =>
  recordView(request, {
    amount: rupees(request.amount),
    reason: request.reason,
    ...(request.decision !== undefined && {
      decision: request.decision,
      refund_id: request.refund?.id ?? null,
    }),
  });

export const refundView = (refund: Refund): Data =>
  recordView(refund, {
    request_id: refund.requestId,
    payment_id: refund.request.payment.id,
    amount_paise: Number(refund.request.amount),
    currency: 'INR',
    execution: refund.execution,
  });

export const disputeView = (dispute: Dispute): Data =>
  recordView(dispute, {
    sale_id: dispute.sale.id,
    reason_code: dispute.reasonCode,
    explanation: dispute.explanation ?? null,
    evidence_id: dispute.evidenceId,
  });
