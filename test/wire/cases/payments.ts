import { KEY } from '../../support/clients.js';
import { both, type WireCase } from '../case.js';
import { commandReplies, further, readReplies, record, recordReplies } from '../replies.js';

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

const receipts = {
  sale_id: 'sale_5',
  payments: [{ id: 'pay_1', anything: [] }],
  documents: ['doc_3'],
  allocations: [],
  ...further,
};

const report = record({
  id: 'rep_1',
  kind: 'payment_report',
  state: 'reported_pending_verification',
  data: {
    sale_id: 'sale_5',
    amount: '465000.00',
    currency: 'INR',
    method: 'bank_transfer',
    utr: 'UTR0001',
    paid_at: '2026-03-03T11:00:00+05:30',
    external_reference: 'inv-17',
    evidence_id: 'doc_3',
  },
});

const verified = {
  ...report,
  state: 'verified',
  data: {
    ...report.data,
    decision: 'verified',
    reason: 'Found on the statement',
    bank_receipt_id: 'rec_1',
    bank_account_reference: 'acc_1',
    received_amount: '465000.00',
  },
};

const payment = record({
  id: 'pay_1',
  kind: 'payment',
  state: 'succeeded',
  data: { sale_id: 'sale_5', amount: '465000.00', currency: 'INR', settlement_state: 'bank_received' },
});

const receipt = record({
  id: 'rec_1',
  kind: 'bank_receipt',
  state: 'verified',
  data: {
    sale_id: 'sale_5',
    bank_account_reference: 'acc_1',
    utr: 'UTR0001',
    external_transaction_id: 'ext-1',
    amount: '465000.00',
    currency: 'INR',
    value_date: '2026-03-03',
    evidence_id: 'doc_3',
  },
});

const allocation = record({
  id: 'all_1',
  kind: 'allocation',
  state: 'allocated',
  data: {
    sale_id: 'sale_5',
    amount: '465000.00',
    payment_id: 'pay_1',
    amount_paise: 46_500_000,
    currency: 'INR',
  },
});

const refundRequest = record({
  id: 'rrq_1',
  kind: 'refund_request',
  state: 'pending',
  data: { amount: '5000.00', reason: 'Paid twice' },
});

const refundDecided = {
  ...refundRequest,
  state: 'approved',
  data: { ...refundRequest.data, decision: 'approved', reason: 'Confirmed', refund_id: 'ref_1' },
};

const refund = record({
  id: 'ref_1',
  kind: 'refund',
  state: 'approved_pending_execution',
  data: {
    request_id: 'rrq_1',
    payment_id: 'pay_1',
    amount_paise: 500_000,
    currency: 'INR',
    execution: { of: 'any shape' },
  },
});

const dispute = record({
  id: 'dis_1',
  kind: 'dispute',
  state: 'open',
  data: {
    sale_id: 'sale_5',
    reason_code: 'condition',
    explanation: 'Engine missing',
    evidence_id: 'doc_4',
  },
});

const verification = {
  decision: 'verified',
  reason: 'Found on the statement',
  bank_receipt_id: 'rec_1',
  bank_account_reference: 'acc_1',
  received_amount: '465000.00',
  currency: 'INR',
} as const;

const verificationBody = `{"decision":"verified","reason":"Found on the statement","bank_receipt_id":"rec_1","bank_account_reference":"acc_1","received_amount":"465000.00","currency":"INR","idempotency_key":"${KEY}","expected_version":7}`;

export const payments: readonly WireCase[] = [
  {
    operation: 'saleCases.paymentDues',
    id: 'A34',
    route: 'GET /sale-cases/{sale}/payment-dues',
    wire: 'GET /api/v1/sale-cases/sale_5/payment-dues',
    effect: 'read',
    calls: [{ name: 'by id', by: both((client) => client.saleCases.paymentDues('sale_5')) }],
    replies: [
      ...readReplies(dues),
      ...readReplies({ ...dues, payee_instructions: null, payee_version: null, due_at: null }),
    ],
  },
  {
    // rule: state.payment-report
    operation: 'paymentReports.create',
    id: 'A36',
    route: 'POST /payment-reports',
    wire: 'POST /api/v1/payment-reports',
    effect: 'command',
    calls: [
      {
        name: 'with every field',
        by: {
          platform: (client, options) =>
            client.paymentReports.create(
              {
                sale_id: 'sale_5',
                amount: '465000.00',
                currency: 'INR',
                method: 'bank_transfer',
                utr: 'UTR0001',
                paid_at: '2026-03-03T11:00:00+05:30',
                external_reference: 'inv-17',
                evidence_id: 'doc_3',
              },
              options,
            ),
        },
        body: `{"sale_id":"sale_5","amount":"465000.00","currency":"INR","method":"bank_transfer","utr":"UTR0001","paid_at":"2026-03-03T11:00:00+05:30","external_reference":"inv-17","evidence_id":"doc_3","idempotency_key":"${KEY}"}`,
      },
      {
        name: 'with what it must have',
        by: {
          platform: (client, options) =>
            client.paymentReports.create(
              {
                sale_id: 'sale_5',
                amount: '0.01',
                currency: 'INR',
                method: 'cheque',
                utr: 'UTR0001',
                paid_at: '2026-03-03T05:30:00Z',
              },
              options,
            ),
        },
        body: `{"sale_id":"sale_5","amount":"0.01","currency":"INR","method":"cheque","utr":"UTR0001","paid_at":"2026-03-03T05:30:00Z","idempotency_key":"${KEY}"}`,
      },
    ],
    replies: commandReplies(report),
  },
  {
    operation: 'paymentReports.get',
    id: 'A37',
    route: 'GET /payment-reports/{report}',
    wire: 'GET /api/v1/payment-reports/rep_1',
    effect: 'read',
    calls: [{ name: 'by id', by: both((client) => client.paymentReports.get('rep_1')) }],
    replies: [...recordReplies(report), ...recordReplies(verified)],
  },
  {
    // rule: state.payment-report
    operation: 'paymentReports.decide',
    id: 'A38',
    route: 'POST /payment-reports/{report}/decisions',
    wire: 'POST /api/v1/payment-reports/rep_1/decisions',
    effect: 'command',
    calls: [
      {
        name: 'by id and version',
        by: {
          bank: (client, options) =>
            client.paymentReports.decide('rep_1', { ...verification, expected_version: 7 }, options),
        },
        body: verificationBody,
      },
      {
        name: 'by the record',
        by: { bank: (client, options) => client.paymentReports.decide(report, verification, options) },
        body: verificationBody,
      },
    ],
    replies: commandReplies(verified),
  },
  {
    // rule: state.payment
    operation: 'payments.get',
    id: 'A40',
    route: 'GET /payments/{payment}',
    wire: 'GET /api/v1/payments/pay_1',
    effect: 'read',
    calls: [{ name: 'by id', by: both((client) => client.payments.get('pay_1')) }],
    replies: recordReplies(payment),
  },
  {
    // rule: state.bank-receipt
    operation: 'bankReceipts.import',
    id: 'A42',
    route: 'POST /bank-receipts/imports',
    wire: 'POST /api/v1/bank-receipts/imports',
    effect: 'command',
    calls: [
      {
        name: 'with every field',
        by: {
          bank: (client, options) =>
            client.bankReceipts.import(
              {
                sale_id: 'sale_5',
                bank_account_reference: 'acc_1',
                utr: 'UTR0001',
                external_transaction_id: 'ext-1',
                amount: '465000.00',
                currency: 'INR',
                value_date: '2026-03-03',
                evidence_id: 'doc_3',
              },
              options,
            ),
        },
        body: `{"sale_id":"sale_5","bank_account_reference":"acc_1","utr":"UTR0001","external_transaction_id":"ext-1","amount":"465000.00","currency":"INR","value_date":"2026-03-03","evidence_id":"doc_3","idempotency_key":"${KEY}"}`,
      },
    ],
    replies: commandReplies(receipt),
  },
  {
    // rule: state.allocation
    operation: 'payments.allocate',
    id: 'A45',
    route: 'POST /payments/{payment}/allocations',
    wire: 'POST /api/v1/payments/pay_1/allocations',
    effect: 'command',
    calls: [
      {
        name: 'by id and version',
        by: {
          bank: (client, options) =>
            client.payments.allocate(
              'pay_1',
              { sale_id: 'sale_5', amount: '465000.00', expected_version: 7 },
              options,
            ),
        },
        body: `{"sale_id":"sale_5","amount":"465000.00","idempotency_key":"${KEY}","expected_version":7}`,
      },
      {
        name: 'by the record',
        by: {
          bank: (client, options) =>
            client.payments.allocate(payment, { sale_id: 'sale_5', amount: '465000.00' }, options),
        },
        body: `{"sale_id":"sale_5","amount":"465000.00","idempotency_key":"${KEY}","expected_version":7}`,
      },
    ],
    replies: commandReplies(allocation),
  },
  {
    operation: 'saleCases.receipts',
    id: 'A46',
    route: 'GET /sale-cases/{sale}/receipts',
    wire: 'GET /api/v1/sale-cases/sale_5/receipts',
    effect: 'read',
    calls: [{ name: 'by id', by: both((client) => client.saleCases.receipts('sale_5')) }],
    replies: readReplies(receipts),
  },
  {
    // rule: state.refund-request
    operation: 'payments.requestRefund',
    id: 'A47',
    route: 'POST /payments/{payment}/refund-requests',
    wire: 'POST /api/v1/payments/pay_1/refund-requests',
    effect: 'command',
    calls: [
      {
        name: 'by id and version',
        by: both((client, options) =>
          client.payments.requestRefund(
            'pay_1',
            { amount: '5000.00', reason: 'Paid twice', expected_version: 7 },
            options,
          ),
        ),
        body: `{"amount":"5000.00","reason":"Paid twice","expected_version":7,"idempotency_key":"${KEY}"}`,
      },
      {
        name: 'by the record',
        by: both((client, options) =>
          client.payments.requestRefund(payment, { amount: '5000.00', reason: 'Paid twice' }, options),
        ),
        body: `{"amount":"5000.00","reason":"Paid twice","expected_version":7,"idempotency_key":"${KEY}"}`,
      },
    ],
    replies: commandReplies(refundRequest),
  },
  {
    // rule: state.refund-request
    operation: 'refundRequests.decide',
    id: 'A48',
    route: 'POST /refund-requests/{request}/decisions',
    wire: 'POST /api/v1/refund-requests/rrq_1/decisions',
    effect: 'command',
    calls: [
      {
        name: 'by id and version',
        by: {
          bank: (client, options) =>
            client.refundRequests.decide(
              'rrq_1',
              { decision: 'approved', reason: 'Confirmed', expected_version: 7 },
              options,
            ),
        },
        body: `{"decision":"approved","reason":"Confirmed","expected_version":7,"idempotency_key":"${KEY}"}`,
      },
      {
        name: 'by the record',
        by: {
          bank: (client, options) =>
            client.refundRequests.decide(
              refundRequest,
              { decision: 'approved', reason: 'Confirmed' },
              options,
            ),
        },
        body: `{"decision":"approved","reason":"Confirmed","expected_version":7,"idempotency_key":"${KEY}"}`,
      },
    ],
    replies: commandReplies(refundDecided),
  },
  {
    // rule: state.refund
    operation: 'refunds.get',
    id: 'A49',
    route: 'GET /refunds/{refund}',
    wire: 'GET /api/v1/refunds/ref_1',
    effect: 'read',
    calls: [{ name: 'by id', by: both((client) => client.refunds.get('ref_1')) }],
    replies: [...recordReplies(refund), ...recordReplies({ ...refund, state: 'succeeded' })],
  },
  {
    // rule: state.dispute
    operation: 'disputes.create',
    id: 'A50',
    route: 'POST /disputes',
    wire: 'POST /api/v1/disputes',
    effect: 'command',
    calls: [
      {
        name: 'with every field',
        by: both((client, options) =>
          client.disputes.create(
            {
              sale_id: 'sale_5',
              reason_code: 'condition',
              explanation: 'Engine missing',
              evidence_id: 'doc_4',
            },
            options,
          ),
        ),
        body: `{"sale_id":"sale_5","reason_code":"condition","explanation":"Engine missing","evidence_id":"doc_4","idempotency_key":"${KEY}"}`,
      },
      {
        name: 'with a resolution under the name that the bank gave',
        by: both((client, options) =>
          client.disputes.create(
            { sale_id: 'sale_5', reason_code: 'condition' },
            { ...options, extraBody: { desired_resolution: { refund: 'full' } } },
          ),
        ),
        body: `{"sale_id":"sale_5","reason_code":"condition","idempotency_key":"${KEY}","desired_resolution":{"refund":"full"}}`,
      },
    ],
    replies: commandReplies(dispute),
  },
  {
    // rule: state.dispute
    operation: 'disputes.get',
    id: 'A51',
    route: 'GET /disputes/{dispute}',
    wire: 'GET /api/v1/disputes/dis_1',
    effect: 'read',
    calls: [{ name: 'by id', by: both((client) => client.disputes.get('dis_1')) }],
    replies: recordReplies(dispute),
  },
];
