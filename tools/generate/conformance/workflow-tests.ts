import type { Places } from './rule.js';

const walk = 'every list, walked on a real socket > $operation';
const frozen = 'a retry sends the identical bytes under the identical key > %s';
const workflow = 'test/e2e/workflow.test.ts';
const evidence = 'evidence goes up, waits for its scan, and comes down as it was';
const released = 'a release is revoked, given again, used once, and all of it is told';
const told = 'winner updates go on from a cursor, and the inbox is marked';

/** Further tests of what comes after the bids. */
export const workflowTests: Readonly<Record<string, Places>> = {
  'bidCancellations.list': {
    'test/wire/walks.test.ts': `${walk} > bidCancellations.list`,
    'test/sandbox/bid-cancellations.test.ts': [
      'are listed for the bank and for the partner whose bid it is, newest first',
      'page by 25, and have no filters',
    ],
  },
  'bidCancellations.decide': {
    'test/client/extras.test.ts': 'gives id and version',
    'test/sandbox/bid-cancellations.test.ts': [
      'A09: the decision > approves, literally, and replays',
      'is the bank’s, of a request that exists, and made once',
    ],
    [workflow]: 'a bid is cancelled by the bank, and the one below leads',
  },
  'winnerUpdates.list': {
    'test/core/cursor-pager.test.ts': 'a list along a cursor',
    'test/wire/walks.test.ts': `${walk} > winnerUpdates.list`,
    'test/sandbox/winner-updates.test.ts': [
      'tell of a committed approval as it was, to its buyer and its bank',
      'go on from a cursor, by limit, and say so of a cursor that is none',
    ],
    [workflow]: told,
  },
  'saleCases.list': {
    'test/wire/walks.test.ts': `${walk} > saleCases.list`,
    'test/sandbox/sale-cases.test.ts': 'pages by 25, newest first',
  },
  'saleCases.get': {
    'test/sandbox/sale-cases.test.ts': [
      'opens a sale for the leading bid of every lot, at the moment of the close, and reads literally',
      "shows a sale to its buyer's partner and its bank, and to nobody else",
    ],
    'test/sandbox/offers.test.ts': 'A24, an offer > is made, literally, and replays',
  },
  'saleCases.decide': {
    'test/client/frozen-bytes.test.ts': `${frozen} > a decision on a record`,
    'test/sandbox/sale-cases.test.ts': [
      'A22, the decision > approves, literally, and replays',
      'is the bank’s, and of a sale of its own',
    ],
    'test/sandbox/offers.test.ts': 'A22 where there is an offer > refuses %s',
    [workflow]: 'an offer is made, accepted, and becomes the price',
  },
  'saleCases.acknowledge': {
    'test/sandbox/sale-cases.test.ts': [
      'says when, replays, and is said once',
      'is neither a bid nor an approval nor a payment',
      'waits for the approval, and is the buyer’s own',
    ],
    [workflow]: 'a command whose reply is lost is sent again with its bytes, and committed once',
  },
  'saleCases.offer': {
    'test/sandbox/offers.test.ts': [
      'A24, an offer > is made, literally, and replays',
      'supersedes an earlier one that is %s',
      'A24 tells the buyer nothing of the bids of others',
    ],
    [workflow]: 'an offer is made, accepted, and becomes the price',
  },
  'offers.respond': {
    'test/client/hostile-values.test.ts': 'bodies > $party $name: $field > decision',
    'test/sandbox/offers.test.ts': [
      '%s, literally, and its replay',
      'A25, the answer > is refused with %s, and nothing has changed > an amount of one’s own',
      'comes too late from then on: the offer lapses by itself',
    ],
    [workflow]: 'an offer is made, accepted, and becomes the price',
  },
  'saleCases.paymentDues': {
    'test/sandbox/dues.test.ts': [
      'reads literally, to bank and buyer alike',
      'counts allocated money only, paisa by paisa, and moves with every allocation',
    ],
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
  },
  'saleCases.receipts': {
    'test/sandbox/dues.test.ts':
      'lists the records of the sale as they are read one by one, oldest first, and those of no other',
  },
  'disputes.create': { 'test/client/frozen-bytes.test.ts': `${frozen} > a command whose key is made for it` },
  'inventory.createVehicle': {
    'test/api/inputs.test.ts': 'take inventory values by field id, or as a list',
    'test/client/frozen-bytes.test.ts': `${frozen} > a command with nested values`,
  },
  'inventory.updateVehicle': {
    'test/client/extras.test.ts': 'gives the inventory version of the vehicle, not that of the command',
    'test/client/frozen-bytes.test.ts': `${frozen} > a tunnelled PATCH with a record in place of the id`,
  },
  'saleCases.authorizeRelease': {
    'test/sandbox/releases.test.ts': [
      'is authorised, literally, once under its key',
      'A52, a release > is refused for %s',
      'A52, a release > is the bank’s, on a sale that exists',
    ],
    [workflow]: released,
  },
  'releases.get': { 'test/sandbox/releases.test.ts': 'is authorised, literally, once under its key' },
  'releases.revoke': {
    'test/sandbox/releases.test.ts': [
      'is made, literally, once under its key',
      'of a %s and its counterpart at once, one holds',
      'A54, a revocation > is the bank’s',
    ],
    [workflow]: released,
  },
  'releases.collect': {
    'test/sandbox/releases.test.ts': [
      'is confirmed, literally, once under its key',
      'does not take %s for the vehicle',
      'A56, the collection > is the bank’s',
    ],
    [workflow]: released,
  },
  'documents.upload': {
    'test/client/file-content.test.ts': 'of %i bytes makes the same request as its base64',
    'test/sandbox/documents.test.ts': [
      'records a document, literally, and nothing but it',
      'A72 > is held to its key',
    ],
    [workflow]: evidence,
  },
  'documents.get': {
    'test/sandbox/documents.test.ts': [
      'takes its time and finds the file clean',
      "is the sale's bank and its partner, whoever of them uploaded it",
    ],
    'test/sandbox/router.test.ts': 'without a query: the metadata',
    [workflow]: evidence,
  },
  'documents.download': {
    'test/files/hostile-urls.test.ts': 'URLs of the service are fetched as they are > %s > a document',
    'test/sandbox/documents.test.ts': [
      'gives the bytes back, not to be kept',
      'is refused before the scan with a message',
      'is looked at on every download',
    ],
    'test/sandbox/router.test.ts': '%s: the bytes, with "%s" left to check',
    [workflow]: evidence,
  },
  'notifications.list': {
    'test/wire/walks.test.ts': `${walk} > notifications.list`,
    'test/sandbox/notifications.test.ts': [
      'tells bank and buyer, each in an inbox of its own, newest first',
      'pages by 25',
    ],
  },
  'notifications.acknowledge': {
    'test/sandbox/notifications.test.ts': [
      'acknowledges a message, and nothing but the message',
      'keeps the latest word on a message: delivered, then read',
      'decides, credits and releases nothing, whatever was read',
    ],
    [workflow]: told,
  },
  'webhookSubscriptions.create': {
    'test/wire/codes.test.ts': 'a subscription that is not found says that its operation may not be open',
    'test/api/inputs.test.ts': 'bodies > refuse %j for a webhook',
  },
};
