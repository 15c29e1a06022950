import { kind } from './kind.js';
import type { Rule } from './rule.js';

const wire = 'test/wire/cases/payments.ts';
const e2e = 'test/e2e/workflow.test.ts';

/** Money, reported, received, allocated and given back. */
export const moneyKinds: readonly Rule[] = [
  kind(
    'payment_report',
    'A36 makes it `reported_pending_verification`, takes no field that could claim more, and credits nothing; the bank makes it `verified` with A38, against the receipt of that very transfer. A second approver, whom a policy may want, is the variant `second-approver-reply` of the sandbox; what a rejection does is not shown, and its variant `decision-values` has one.',
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
      'test/sandbox/second-approver.test.ts':
        'A38 with two approvers: noted, then verified by another credential',
      'test/sandbox/rejections.test.ts':
        'A38: a report that the bank rejects > needs no receipt, credits nothing, and is over',
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
    'The bank brings it in with A42, as `verified`; the same entry of the same account is in once, whatever its amount is called.',
    {
      'src/api/bank-receipts.ts': ['BankReceiptRecord', 'bankReceipts.operations.import'],
      'src/sandbox/handlers/bank-receipts.ts': ['importEntry', 'importedBefore'],
    },
    {
      [wire]: 'bankReceipts.import',
      'test/sandbox/bank-receipts.test.ts': [
        'records an entry, literally, and the payment that it shows; nothing is credited yet',
        'is answered with the receipt under any key, makes no second payment and is no second commit',
        'isn’t taken for one %s > of the same amount, with ids of its own',
        'A42 > is the bank’s alone',
      ],
    },
  ),
  kind(
    'allocation',
    'The bank makes it `allocated` with A45, out of what is neither allocated nor asked back of the money that arrived.',
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
      'test/sandbox/refunds.test.ts': [
        'of a payment, nothing can be allocated that is asked back or refunded',
        'a request and an allocation of the same money at once: one holds',
      ],
    },
  ),
  kind(
    'refund_request',
    'A47 makes it `pending`, for no more than what of the payment is neither refunded nor asked back; the bank makes it `approved` with A48, and a refund of its own follows. While it is pending its money is held, and no longer credits a sale from the approval on.',
    {
      'src/api/refund-requests.ts': ['RefundRequestRecord', 'refundRequests.operations.decide'],
      'src/api/payments.ts': 'payments.operations.requestRefund',
      'src/sandbox/handlers/refunds.ts': ['request', 'partsFor', 'decide'],
      'src/sandbox/workflow/refund-parts.ts': 'refundParts',
      'src/sandbox/workflow/funds.ts': 'refundable',
    },
    {
      [wire]: ['payments.requestRefund', 'refundRequests.decide'],
      'test/sandbox/refunds.test.ts': [
        'A47, the request > is made by the %s, literally, once under its key',
        'A47, the request > is refused with %s, and nothing has changed',
        'excludes earlier refunds and pending requests, to the paisa, and not those that came to nothing',
        'approves, literally, once under its key; the refund is to be carried out',
        'A48, the decision > is the bank’s, of a request of its own, and made once',
        'goes back after what is free; its sale loses the credit with the approval, not before',
      ],
      'test/sandbox/rejections.test.ts': 'A48: money of a request that is rejected is where it was',
    },
  ),
  kind(
    'refund',
    'It begins as `approved_pending_execution`, with its money reserved and none moved. How it goes on is not shown, so no state ends it for the client; in the sandbox a hand moves it to `processing`, then to `succeeded` or `failed`.',
    {
      'src/api/refunds.ts': ['RefundRecord', 'refunds.operations.get'],
      'src/sandbox/workflow/refund-moves.ts': ['reserve', 'moveRefund'],
      'src/sandbox/hands/refunds.ts': 'RefundControls.advance',
    },
    {
      [wire]: 'refunds.get',
      'test/sandbox/refunds.test.ts': [
        'approves, literally, once under its key; the refund is to be carried out',
        'is read by its bank and its partner only',
        'moves one: %s',
        'moves none that is at its end, nor back, nor one that is not there',
      ],
    },
  ),
];
