import { clientKind, kind } from './kind.js';
import type { Rule } from './rule.js';

const wire = 'test/wire/cases/sale.ts';
const e2e = 'test/e2e/workflow.test.ts';
const refused = 'refuses %s, and nothing has changed';

/** From the cancellation of a bid to that of a sale. */
export const saleKinds: readonly Rule[] = [
  kind(
    'cancellation',
    'A07 makes it `pending`, and the bid counts on; the bank makes it `approved` with A09, on its version. With that and at once the bid leaves the standings, and the bids that it superseded go with it. Whose the lot is after the close is not decided by it: a pending sale can not be approved any more, and nobody else is awarded the lot.',
    {
      'src/api/bids.ts': ['CancellationRecord', 'bids.operations.requestCancellation'],
      'src/api/bid-cancellations.ts': 'bidCancellations.operations.decide',
      'src/sandbox/handlers/bid-cancellations.ts': ['request', 'decide', 'takeOut'],
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
      [e2e]: 'a bid is cancelled by the bank, and the one below leads',
    },
  ),
  kind(
    'sale',
    'The award at the close is provisional. The bank says `approved` with A22, on its version, while the bid counts and the vehicle is to be had; where there is an offer, the approval names it, and it must be accepted, unexpired and on the same terms. `sale.approved` is told in the inbox and the winner updates. Limits of a bank and second approvers, which it may have, are not in the sandbox.',
    {
      'src/api/sale-cases.ts': ['SaleRecord', 'saleCases.operations.decide'],
      'src/sandbox/workflow/awards.ts': 'award',
      'src/sandbox/workflow/availability.ts': 'mustStand',
      'src/sandbox/handlers/sale-cases.ts': ['decide', 'agreedOffer'],
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
      'test/sandbox/notifications.test.ts': 'tells bank and buyer, each in an inbox of its own, newest first',
      'test/sandbox/winner-updates.test.ts':
        'tell of a committed approval as it was, to its buyer and its bank',
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
  clientKind(
    'sale_cancellation',
    'A26 makes it `pending`, A27 `approved`.',
    {
      'src/api/sale-cancellations.ts': ['SaleCancellationRecord', 'saleCancellations.operations.decide'],
      'src/api/sale-cases.ts': 'saleCases.operations.requestCancellation',
    },
    { [wire]: ['saleCases.requestCancellation', 'saleCancellations.decide'] },
  ),
];
