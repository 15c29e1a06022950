import { clientKind, kind } from './kind.js';
import type { Rule } from './rule.js';

const wire = 'test/wire/cases/payments.ts';
const e2e = 'test/e2e/workflow.test.ts';

/** Money, reported, received, allocated and given back. */
export const moneyKinds: readonly Rule[] = [
  kind(
    'payment_report',
    'A36 makes it `reported_pending_verification`, takes no field that could claim more, and credits nothing; the bank makes it `verified` with A38, against the receipt of that very transfer. A second approver, whom a policy may want, is not in the sandbox.',
    {
      'src/api/payment-reports.ts': ['PaymentReportRecord', 'paymentReports.operations'],
      'src/sandbox/handlers/payment-reports.ts': ['create', 'decide', 'receiptFor'],
    },
    {
      [wire]: ['paymentReports.create', 'paymentReports.decide'],
      'test/api/service.test.ts': 'takes the fields that the text shows, and no others',
      'test/sandbox/payment-reports.test.ts': [
        'records what the partner says, literally, and credits nothing',
        'refuses %s, and nothing is there afterwards > a state of its own',
        'verifies a report against a receipt, literally, and credits nothing',
        'refuses %s, and nothing has changed afterwards > no receipt',
        'refuses a receipt of another transfer',
        'A38 > is the bank’s alone',
      ],
      [e2e]: 'evidence goes up, waits for its scan, and comes down as it was',
    },
  ),
  kind(
    'payment',
    'Read with A40; `succeeded` is what is shown. In the sandbox every entry that is imported makes one.',
    {
      'src/api/payments.ts': ['PaymentRecord', 'payments.operations.get'],
      'src/sandbox/handlers/bank-receipts.ts': 'importEntry',
      'src/sandbox/workflow/views.ts': 'paymentView',
    },
    {
      [wire]: 'payments.get',
      'test/sandbox/bank-receipts.test.ts':
        'records an entry, literally, and the payment that it shows; nothing is credited yet',
      'test/sandbox/payments.test.ts': "A40 > is read by the sale's bank and its partner only",
    },
  ),
  kind(
    'bank_receipt',
    'The bank brings it in with A42, as `verified`.',
    {
      'src/api/bank-receipts.ts': ['BankReceiptRecord', 'bankReceipts.operations.import'],
      'src/sandbox/handlers/bank-receipts.ts': 'importEntry',
    },
    {
      [wire]: 'bankReceipts.import',
      'test/sandbox/bank-receipts.test.ts': [
        'records an entry, literally, and the payment that it shows; nothing is credited yet',
        'A42 > is the bank’s alone',
      ],
    },
  ),
  kind(
    'allocation',
    'The bank makes it `allocated` with A45, out of what is left of the money that arrived.',
    {
      'src/api/payments.ts': ['AllocationRecord', 'payments.operations.allocate'],
      'src/sandbox/handlers/payments.ts': 'allocate',
      'src/sandbox/workflow/funds.ts': 'unallocated',
    },
    {
      [wire]: 'payments.allocate',
      'test/sandbox/payments.test.ts': [
        'credits money to a sale, literally, and moves payment, sale and lot',
        'never credits more than the payment has left, to the paisa',
        'A45 > is the bank’s alone',
      ],
    },
  ),
  clientKind(
    'refund_request',
    'A47 makes it `pending`, A48 `approved`, and a refund of its own then follows.',
    {
      'src/api/refund-requests.ts': ['RefundRequestRecord', 'refundRequests.operations.decide'],
      'src/api/payments.ts': 'payments.operations.requestRefund',
    },
    { [wire]: ['payments.requestRefund', 'refundRequests.decide'] },
  ),
  clientKind(
    'refund',
    'It begins as `approved_pending_execution`, which is not yet money moved; how it goes on is not shown, so no state ends it here.',
    { 'src/api/refunds.ts': ['RefundRecord', 'refunds.operations.get'] },
    { [wire]: 'refunds.get' },
  ),
];
