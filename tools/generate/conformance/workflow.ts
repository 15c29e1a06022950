import type { Places, Rule, Section } from './rule.js';

const states = 'are those of the text: %s';

/** How records of one kind move: what the client reads and sends; the sandbox has them later, but for one. */
function kind(name: string, text: string, code: Places, tests: Places): Rule {
  return {
    label: `\`${name}\``,
    text,
    kept: 'client',
    sandboxLater: true,
    code,
    tests: { 'test/core/workflow-states.test.ts': `${states} > ${name}`, ...tests },
  };
}

const payments = 'test/wire/cases/payments.ts';
const sale = 'test/wire/cases/sale.ts';
const release = 'test/wire/cases/release.ts';

export const workflowStates: Section = {
  title: 'Workflow states',
  chapter: 'States and transitions',
  rules: [
    {
      label: '`cancellation`',
      text: 'A07 makes it `pending`, A09 `approved`. The sandbox makes it; deciding it comes later. That the bid stays, and who revives, is for the service.',
      kept: 'client and sandbox',
      code: {
        'src/api/bids.ts': ['CancellationRecord', 'bids.operations.requestCancellation'],
        'src/api/bid-cancellations.ts': 'bidCancellations.operations.decide',
        'src/sandbox/handlers/bids.ts': 'requestCancellation',
      },
      tests: {
        'test/core/workflow-states.test.ts': `${states} > cancellation`,
        'test/wire/cases/integration.ts': ['bids.requestCancellation', 'bidCancellations.decide'],
        'test/sandbox/idempotency.test.ts': 'A07 records a request once',
      },
    },
    kind(
      'sale',
      'A provisional award until A22 says `approved`, with the bid, its version and, where there is one, the accepted offer.',
      { 'src/api/sale-cases.ts': ['SaleRecord', 'saleCases.operations.decide'] },
      { [sale]: ['saleCases.get', 'saleCases.decide', 'saleCases.acknowledge'] },
    ),
    kind(
      'offer',
      'A24 makes it `open`; the buyer makes it `accepted` or `declined` with A25, which approves nothing yet.',
      {
        'src/api/offers.ts': ['OfferRecord', 'offers.operations.respond'],
        'src/api/sale-cases.ts': 'saleCases.operations.offer',
      },
      {
        [sale]: ['saleCases.offer', 'offers.respond'],
        'test/client/hostile-values.test.ts': 'bodies > $party $name: $field > decision',
      },
    ),
    kind(
      'sale_cancellation',
      'A26 makes it `pending`, A27 `approved`.',
      {
        'src/api/sale-cancellations.ts': ['SaleCancellationRecord', 'saleCancellations.operations.decide'],
        'src/api/sale-cases.ts': 'saleCases.operations.requestCancellation',
      },
      { [sale]: ['saleCases.requestCancellation', 'saleCancellations.decide'] },
    ),
    kind(
      'payment_report',
      'A36 makes it `reported_pending_verification`, and takes no field that could claim more; A38 makes it `verified`.',
      { 'src/api/payment-reports.ts': ['PaymentReportRecord', 'paymentReports.operations'] },
      {
        [payments]: ['paymentReports.create', 'paymentReports.decide'],
        'test/api/service.test.ts': 'takes the fields that the text shows, and no others',
      },
    ),
    kind(
      'payment',
      'Read with A40; `succeeded` is what is shown.',
      { 'src/api/payments.ts': ['PaymentRecord', 'payments.operations.get'] },
      { [payments]: 'payments.get' },
    ),
    kind(
      'bank_receipt',
      'A42 brings it in as `verified`.',
      { 'src/api/bank-receipts.ts': ['BankReceiptRecord', 'bankReceipts.operations.import'] },
      { [payments]: 'bankReceipts.import' },
    ),
    kind(
      'allocation',
      'A45 makes it `allocated`.',
      { 'src/api/payments.ts': ['AllocationRecord', 'payments.operations.allocate'] },
      { [payments]: 'payments.allocate' },
    ),
    kind(
      'refund_request',
      'A47 makes it `pending`, A48 `approved`, and a refund of its own then follows.',
      {
        'src/api/refund-requests.ts': ['RefundRequestRecord', 'refundRequests.operations.decide'],
        'src/api/payments.ts': 'payments.operations.requestRefund',
      },
      { [payments]: ['payments.requestRefund', 'refundRequests.decide'] },
    ),
    kind(
      'refund',
      'It begins as `approved_pending_execution`, which is not yet money moved; how it goes on is not shown, so no state ends it here.',
      { 'src/api/refunds.ts': ['RefundRecord', 'refunds.operations.get'] },
      { [payments]: 'refunds.get' },
    ),
    kind(
      'release',
      'A52 makes it `valid`, A54 `revoked`, A56 `used`; how one comes to be `expired` is not shown.',
      {
        'src/api/releases.ts': ['ReleaseRecord', 'releases.operations'],
        'src/api/sale-cases.ts': 'saleCases.operations.authorizeRelease',
      },
      { [release]: ['saleCases.authorizeRelease', 'releases.get', 'releases.revoke', 'releases.collect'] },
    ),
    kind(
      'dispute',
      'A50 makes it `open`; what comes after is not shown.',
      { 'src/api/disputes.ts': ['DisputeRecord', 'disputes.operations.create'] },
      { [payments]: ['disputes.create', 'disputes.get'] },
    ),
    kind(
      'transfer',
      'A57 sets it to the status that was sent, and nothing here takes that for what a registry says.',
      {
        'src/api/sale-cases.ts': [
          'TransferRecord',
          'saleCases.operations.updateTransfer',
          'saleCases.operations.transferStatus',
        ],
      },
      { [release]: ['saleCases.updateTransfer', 'saleCases.transferStatus'] },
    ),
    kind(
      'inventory_command',
      'A59 and A60 are `completed` at once, and the vehicle is a `draft` after the first.',
      { 'src/api/inventory.ts': ['InventoryCommandRecord', 'inventory.operations'] },
      { 'test/wire/cases/inventory.ts': ['inventory.createVehicle', 'inventory.updateVehicle'] },
    ),
    kind(
      'document',
      'A72 makes it `awaiting_scan`; `ready` once the scan is done.',
      { 'src/api/documents.ts': ['DocumentRecord', 'documents.operations.upload'] },
      { 'test/wire/cases/documents.ts': ['documents.upload', 'documents.get'] },
    ),
    {
      label: 'Other states',
      text: 'A state or kind that is not listed passes through as it came, in every record.',
      kept: 'client',
      code: { 'src/api/records.ts': 'workflowRecord', 'src/core/decode.ts': 'decode' },
      tests: {
        'test/core/workflow-states.test.ts': 'bind nothing: another one passes',
        'test/wire/operations-suite.ts': '%s by a %s reads every reply',
      },
    },
  ],
};
