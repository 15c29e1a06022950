import { KEY } from '../../support/clients.js';
import { asks, sends, type WireCase, wire, withExtra } from '../case.js';
import { commandOn, commandReplies, further, readReplies, record, recordReplies } from '../replies.js';

const dues = {
  sale_id: 'sale_5',
  currency: 'INR',
  due_amount: '465000.00',
  verified_credits: '100000.00',
  remaining: '365000.00',
  excess: '0.00',
  state: 'unpaid',
  due_at: '2026-03-05T18:00:00+05:30',
  payee_instructions: { account: '0011' },
  payee_version: 2,
  resource_version: 8,
  ...further,
};
const duesOfNobody = { ...dues, payee_instructions: null, payee_version: null, due_at: null };

const receipts = {
  sale_id: 'sale_5',
  payments: [{ id: 'pay_1', anything: [] }],
  ...further,
};

const reported = {
  sale_id: 'sale_5',
  amount: '465000.00',
  currency: 'INR',
  method: 'bank_transfer',
  utr: 'UTR0001',
  paid_at: '2026-03-03T11:00:00+05:30',
  external_reference: 'inv-17',
  evidence_id: 'doc_3',
};
const { external_reference: _, evidence_id: __, ...barelyReported } = reported;
const report = record('rep_1', 'payment_report', 'reported_pending_verification', reported);

const verification = {
  decision: 'verified',
  reason: 'Found on the statement',
  bank_receipt_id: 'rec_1',
  bank_account_reference: 'acc_1',
  received_amount: '465000.00',
  currency: 'INR',
};
const verified = { ...report, state: 'verified', data: { ...report.data, ...verification } };

const payment = record('pay_1', 'payment', 'succeeded', {
  sale_id: 'sale_5',
  amount: '465000.00',
  currency: 'INR',
  settlement_state: 'bank_received',
});

const entry = {
  sale_id: 'sale_5',
  bank_account_reference: 'acc_1',
  utr: 'UTR0001',
  external_transaction_id: 'ext-1',
  amount: '465000.00',
  currency: 'INR',
  value_date: '2026-03-03',
  evidence_id: 'doc_3',
};

const share = { sale_id: 'sale_5', amount: '465000.00' };
const allocation = record('all_1', 'allocation', 'allocated', {
  ...share,
  payment_id: 'pay_1',
  amount_paise: 46_500_000,
  currency: 'INR',
});

const claim = { amount: '5000.00', reason: 'Paid twice' };
const refundRequest = record('rrq_1', 'refund_request', 'pending', claim);
const confirmation = { decision: 'approved', reason: 'Confirmed' };
const refundDecided = {
  ...refundRequest,
  state: 'approved',
  data: { ...refundRequest.data, ...confirmation, refund_id: 'ref_1' },
};
const refund = record('ref_1', 'refund', 'approved_pending_execution', {
  request_id: 'rrq_1',
  payment_id: 'pay_1',
  amount_paise: 500_000,
  currency: 'INR',
  execution: { of: 'any shape' },
});

const complaint = {
  sale_id: 'sale_5',
  reason_code: 'condition',
  explanation: 'Engine missing',
  evidence_id: 'doc_4',
};
const dispute = record('dis_1', 'dispute', 'open', complaint);
const resolution = { desired_resolution: { refund: 'full' } };

/** Key and version, in the order in which the text has them after the other fields. */
const keyFirst = { idempotency_key: KEY, expected_version: 7 };
const versionFirst = { expected_version: 7, idempotency_key: KEY };

export const payments: readonly WireCase[] = [
  wire(
    'saleCases.paymentDues A34 GET /sale-cases/{sale}/payment-dues payments:read bank,partner',
    ['sale_5'],
    [asks()],
    [...readReplies(dues), ...readReplies(duesOfNobody)],
  ),
  // rule: state.payment-report
  wire(
    'paymentReports.create A36 POST /payment-reports payments:report partner',
    [],
    [
      sends({ ...reported, idempotency_key: KEY }),
      sends({ ...barelyReported, amount: '0.01', paid_at: '2026-03-03T05:30:00Z', idempotency_key: KEY }),
    ],
    commandReplies(report),
  ),
  wire(
    'paymentReports.get A37 GET /payment-reports/{report} payments:read bank,partner',
    ['rep_1'],
    [asks()],
    [...recordReplies(report), ...recordReplies(verified)],
  ),
  // rule: state.payment-report
  commandOn(
    'paymentReports.decide A38 POST /payment-reports/{report}/decisions payments:verify bank',
    report,
    { ...verification, ...keyFirst },
    verified,
  ),
  // rule: state.payment
  wire(
    'payments.get A40 GET /payments/{payment} payments:read bank,partner',
    ['pay_1'],
    [asks()],
    recordReplies(payment),
  ),
  // rule: state.bank-receipt
  wire(
    'bankReceipts.import A42 POST /bank-receipts/imports receipts:import bank',
    [],
    [sends({ ...entry, idempotency_key: KEY })],
    commandReplies(record('rec_1', 'bank_receipt', 'verified', entry)),
  ),
  // rule: state.allocation
  commandOn(
    'payments.allocate A45 POST /payments/{payment}/allocations payments:allocate bank',
    payment,
    { ...share, ...keyFirst },
    allocation,
  ),
  wire(
    'saleCases.receipts A46 GET /sale-cases/{sale}/receipts documents:read bank,partner',
    ['sale_5'],
    [asks()],
    readReplies(receipts),
  ),
  // rule: state.refund-request
  commandOn(
    'payments.requestRefund A47 POST /payments/{payment}/refund-requests refunds:request bank,partner',
    payment,
    { ...claim, ...versionFirst },
    refundRequest,
  ),
  // rule: state.refund-request
  commandOn(
    'refundRequests.decide A48 POST /refund-requests/{request}/decisions refunds:approve bank',
    refundRequest,
    { ...confirmation, ...versionFirst },
    refundDecided,
  ),
  // rule: state.refund
  wire(
    'refunds.get A49 GET /refunds/{refund} refunds:read bank,partner',
    ['ref_1'],
    [asks()],
    [...recordReplies(refund), ...recordReplies({ ...refund, state: 'succeeded' })],
  ),
  // rule: state.dispute
  wire(
    'disputes.create A50 POST /disputes disputes:write bank,partner',
    [],
    [
      sends({ ...complaint, idempotency_key: KEY }),
      // The text describes a resolution, and gives its field no name.
      withExtra(
        { sale_id: 'sale_5', reason_code: 'condition', idempotency_key: KEY, ...resolution },
        resolution,
      ),
    ],
    commandReplies(dispute),
  ),
  // rule: state.dispute
  wire(
    'disputes.get A51 GET /disputes/{dispute} disputes:read bank,partner',
    ['dis_1'],
    [asks()],
    recordReplies(dispute),
  ),
];
