import type { Places } from './rule.js';

const frozen = 'a retry sends the identical bytes under the identical key > %s';
const workflow = 'test/e2e/workflow.test.ts';
const rejections = 'test/sandbox/rejections.test.ts';
const hand = 'test/sandbox/hands/bank.test.ts';
const evidence = 'evidence goes up, waits for its scan, and comes down as it was';

/** Further tests of dues, payments, refunds and disputes. */
export const moneyTests: Readonly<Record<string, Places>> = {
  'saleCases.paymentDues': {
    'test/sandbox/dues.test.ts': [
      'reads literally, to bank and buyer alike',
      'counts allocated money only, paisa by paisa, and moves with every allocation',
    ],
    'test/sandbox/sale-cancellations.test.ts': 'owes nothing, and says so',
  },
  'paymentReports.create': {
    'test/sandbox/payment-reports.test.ts': [
      'records what the partner says, literally, and credits nothing',
      'A36 > is held to its key',
    ],
    [workflow]: evidence,
  },
  'paymentReports.get': {
    'test/sandbox/payment-reports.test.ts': "A37 > is read by the sale's bank and its partner only",
  },
  'paymentReports.decide': {
    'test/sandbox/payment-reports.test.ts': [
      'verifies a report against a receipt, literally, and credits nothing',
      'A38 > is held to its key',
      'A38 > is the bank’s alone',
    ],
    'test/sandbox/second-approver.test.ts':
      'A38 with two approvers: noted, then verified by another credential',
    [rejections]: 'A38: a report that the bank rejects > needs no receipt, credits nothing, and is over',
  },
  'payments.get': {
    'test/sandbox/payments.test.ts': [
      "A40 > is read by the sale's bank and its partner only",
      'a report, a receipt and a payment of one transfer are three records',
    ],
  },
  'bankReceipts.import': {
    'test/sandbox/bank-receipts.test.ts': [
      'records an entry, literally, and the payment that it shows; nothing is credited yet',
      'is answered with the receipt under any key, makes no second payment and is no second commit',
      'isn’t taken for one %s > of the same amount, with ids of its own',
    ],
  },
  'payments.allocate': {
    'test/sandbox/payments.test.ts': [
      'credits money to a sale, literally, and moves payment, sale and lot',
      'never credits more than the payment has left, to the paisa',
      'A45 > is held to its key',
    ],
    'test/sandbox/refunds.test.ts': 'of a payment, nothing can be allocated that is asked back or refunded',
  },
  'payments.requestRefund': {
    'test/sandbox/refunds.test.ts': [
      'A47, the request > is made by the %s, literally, once under its key',
      'A47, the request > is refused with %s, and nothing has changed',
      'is for those whose payment it is',
      'excludes earlier refunds and pending requests, to the paisa, and not those that came to nothing',
    ],
  },
  'refundRequests.decide': {
    'test/sandbox/refunds.test.ts': [
      'approves, literally, once under its key; the refund is to be carried out',
      'A48, the decision > is refused with %s, and nothing has changed',
      'A48, the decision > is the bank’s, of a request of its own, and made once',
      'goes back after what is free; its sale loses the credit with the approval, not before',
    ],
    [rejections]: 'A48: money of a request that is rejected is where it was',
    [hand]: 'of payments, which are refunds, are decided',
  },
  'refunds.get': {
    'test/sandbox/refunds.test.ts': ['is read by its bank and its partner only', 'moves one: %s'],
  },
  'saleCases.receipts': {
    'test/sandbox/dues.test.ts':
      'lists the records of the sale as they are read one by one, oldest first, and those of no other',
  },
  'disputes.create': {
    'test/client/frozen-bytes.test.ts': `${frozen} > a command whose key is made for it`,
    'test/sandbox/disputes.test.ts': [
      'is raised by the %s, literally, once under its key',
      'A50, a dispute > is refused with %s, and nothing has changed',
      'is for those whose sale it is, whatever exists elsewhere',
      'freezes by `dispute-freezes`, at %s',
    ],
  },
  'disputes.get': {
    'test/sandbox/disputes.test.ts': [
      'is raised by the %s, literally, once under its key',
      'is resolved once, and by its id',
    ],
  },
};
