import type { Places } from './rule.js';

const walk = 'every list, walked on a real socket > $operation';
const frozen = 'a retry sends the identical bytes under the identical key > %s';
const workflow = 'test/e2e/workflow.test.ts';
const rejections = 'test/sandbox/rejections.test.ts';
const hand = 'test/sandbox/hands/bank.test.ts';
const told = 'winner updates go on from a cursor, and the inbox is marked';

/** Further tests of bid cancellations, winner updates, sales and offers. */
export const saleTests: Readonly<Record<string, Places>> = {
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
    [rejections]: 'A09: a bid whose cancellation is rejected counts on, and may be asked about again',
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
    'test/sandbox/second-approver.test.ts':
      'A22 with two approvers > is noted first, and shows by the version alone; another credential commits it',
    [rejections]: 'A22: a sale that the bank rejects > is over for good',
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
  'saleCases.requestCancellation': {
    'test/sandbox/sale-cancellations.test.ts': [
      'A26, the request > is made by the %s, literally, once under its key',
      'A26, the request > is refused for %s',
      'A26, the request > is for those whose sale it is',
      'the vehicle and the money stand still',
    ],
  },
  'saleCancellations.decide': {
    'test/sandbox/sale-cancellations.test.ts': [
      'A27, the decision > approves, literally, once under its key',
      'A27, the decision > is the bank’s, of a request of its own, and made once',
      'is refused for a delivered vehicle',
      'takes the release back, and asks for what is credited, payment by payment',
    ],
    [rejections]: 'A27: a sale whose cancellation is rejected goes on where it stood',
    [hand]: 'of sales are decided, and the refunds that they bring',
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
};
