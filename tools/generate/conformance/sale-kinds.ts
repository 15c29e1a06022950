import { kind } from './kind.js';
import type { Rule } from './rule.js';

const wire = 'test/wire/cases/sale.ts';
const e2e = 'test/e2e/workflow.test.ts';
const rejections = 'test/sandbox/rejections.test.ts';
const refused = 'refuses %s, and nothing has changed';

/** From the cancellation of a bid to that of a sale. */
export const saleKinds: readonly Rule[] = [
  kind(
    'cancellation',
    'A07 makes it `pending`, and the bid counts on; the bank makes it `approved` with A09, on its version. With that and at once the bid leaves the standings, and the bids that it superseded go with it. Whose the lot is after the close is not decided by it: a pending sale can not be approved any more, and nobody else is awarded the lot, unless `award-after-cancellation` says so.',
    {
      'src/api/bids.ts': ['CancellationRecord', 'bids.operations.requestCancellation'],
      'src/api/bid-cancellations.ts': 'bidCancellations.operations.decide',
      'src/sandbox/handlers/bid-cancellations.ts': ['request', 'decide', 'takeOut'],
      'src/sandbox/workflow/awards.ts': 'awardAnew',
      'src/sandbox/workflow/availability.ts': 'mustStand',
    },
    {
      'test/wire/cases/integration.ts': ['bids.requestCancellation', 'bidCancellations.decide'],
      'test/sandbox/idempotency.test.ts': 'A07 records a request once',
      'test/sandbox/bid-cancellations.test.ts': [
        'A09: the decision > approves, literally, and replays',
        `A09: the decision > ${refused} > an old version`,
        'is the bank’s, of a request that exists, and made once',
        'fall back to the other buyers’: superseded bids do not revive',
        'move the version of the lot, and its time, with the decision and not with the request',
        'a pending sale stays, and can neither be approved nor negotiated',
        'nobody is awarded the lot instead',
      ],
      [rejections]: [
        'A09: a bid whose cancellation is rejected counts on, and may be asked about again',
        'A09 after the close: with `award-after-cancellation` at next-bid, the next bid gets a sale of its own',
      ],
      [e2e]: 'a bid is cancelled by the bank, and the one below leads',
    },
  ),
  kind(
    'sale',
    'The award at the close is provisional. The bank says `approved` with A22, on its version, while the bid counts and the vehicle is to be had; where there is an offer, the approval names it, and it must be accepted, unexpired and on the same terms. `sale.approved` is told in the inbox, in the winner updates and by webhook. A limit is a fact of a credential of the bank in the sandbox, and a second approver its variant `second-approver-reply`.',
    {
      'src/api/sale-cases.ts': ['SaleRecord', 'saleCases.operations.decide'],
      'src/sandbox/workflow/awards.ts': 'award',
      'src/sandbox/workflow/availability.ts': 'mustStand',
      'src/sandbox/handlers/sale-cases.ts': ['decide', 'agreedOffer', 'mustBeWithinLimit'],
      'src/sandbox/workflow/second-approver.ts': 'mayCommit',
    },
    {
      [wire]: ['saleCases.get', 'saleCases.decide', 'saleCases.acknowledge'],
      'test/sandbox/sale-cases.test.ts': [
        'opens a sale for the leading bid of every lot, at the moment of the close, and reads literally',
        'A22, the decision > approves, literally, and replays',
        `A22, the decision > ${refused} > an old version`,
        'A22, the decision > refuses %s > a withdrawn vehicle',
        'decides once',
      ],
      'test/sandbox/bid-cancellations.test.ts':
        'a pending sale stays, and can neither be approved nor negotiated',
      'test/sandbox/offers.test.ts': [
        'A22 where there is an offer > refuses %s > no offer',
        'A22 where there is an offer > refuses %s > other terms',
        'refuses an accepted offer from the moment it lapses on, until another one is accepted',
      ],
      'test/sandbox/second-approver.test.ts': [
        'A22 with two approvers > is noted first, and shows by the version alone; another credential commits it',
        'A22 with two approvers > is never committed by the one who noted it, nor by a replay',
        'refuses an approval above it, with `approval-limit-reply` at %s',
      ],
      [rejections]: 'A22: a sale that the bank rejects > is over for good',
      'test/sandbox/notifications.test.ts': 'tells bank and buyer, each in an inbox of its own, newest first',
      'test/sandbox/winner-updates.test.ts':
        'tell of a committed approval as it was, to its buyer and its bank',
      'test/sandbox/webhooks/events.test.ts':
        'sale.approved > comes of a commit, once: not of a refusal, not of a replay',
      [e2e]: 'a decision on a record that has moved is a version conflict',
    },
  ),
  kind(
    'offer',
    'A24 makes it `open` and supersedes the one before, open or accepted; the bid stays as it is, and the sale undecided. The buyer makes it `accepted` or `declined` with A25, before it lapses and on its version, which approves nothing yet: its amount counts with A22 alone.',
    {
      'src/api/offers.ts': ['OfferRecord', 'offers.operations.respond'],
      'src/api/sale-cases.ts': 'saleCases.operations.offer',
      'src/sandbox/handlers/offers.ts': ['make', 'respond', 'lapse'],
      'src/sandbox/workflow/offer-moves.ts': 'supersede',
    },
    {
      [wire]: ['saleCases.offer', 'offers.respond'],
      'test/client/hostile-values.test.ts': 'bodies > $party $name: $field > decision',
      'test/sandbox/offers.test.ts': [
        'A24, an offer > is made, literally, and replays',
        'may come without a reason, and leaves the bid as it is',
        'supersedes an earlier one that is %s',
        '%s, literally, and its replay',
        'A25, the answer > is refused with %s, and nothing has changed > an old version',
        'comes in time until the very moment that the offer lapses',
        'comes too late from then on: the offer lapses by itself',
        'makes the negotiated amount the sale’s',
      ],
      [e2e]: 'an offer is made, accepted, and becomes the price',
    },
  ),
  kind(
    'sale_cancellation',
    'A26 makes it `pending`, of a sale that the bank has approved, and the vehicle and the money of the sale stand still. The bank makes it `approved` with A27, unless the vehicle is delivered: a valid release is taken back, and of each payment a refund is asked for what it credits. The sale, its records and its money stay in sight.',
    {
      'src/api/sale-cancellations.ts': ['SaleCancellationRecord', 'saleCancellations.operations.decide'],
      'src/api/sale-cases.ts': 'saleCases.operations.requestCancellation',
      'src/sandbox/handlers/sale-cancellations.ts': ['request', 'decide', 'reverse', 'mustNotBeDelivered'],
      'src/sandbox/workflow/holds.ts': 'mustNotBeHeld',
    },
    {
      [wire]: ['saleCases.requestCancellation', 'saleCancellations.decide'],
      'test/sandbox/sale-cancellations.test.ts': [
        'A26, the request > is made by the %s, literally, once under its key',
        `A26, the request > is refused with %s, and nothing has changed`,
        'A26, the request > is refused for %s',
        'the vehicle and the money stand still',
        'A27, the decision > approves, literally, once under its key',
        'A27, the decision > is the bank’s, of a request of its own, and made once',
        'is refused for a delivered vehicle',
        'takes the release back, and asks for what is credited, payment by payment',
        'is over for good: no command moves it, and money that still arrives is only written down',
      ],
      [rejections]: 'A27: a sale whose cancellation is rejected goes on where it stood',
    },
  ),
];
