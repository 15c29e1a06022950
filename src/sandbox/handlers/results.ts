import { results } from '../../api/results.js';
import type { Call, Handler } from '../call.js';
import { listedLots, statusAt, visibleAuctions } from '../catalogue.js';
import { resultsPage } from '../pages.js';
import { refusal } from '../replies.js';
import { checkedQuery } from '../validation.js';
import { lotSummaryView } from './views.js';

const { operations } = results;

/** Lots of closed auctions. */
export const resultHandlers: Readonly<Record<string, Handler>> = {
  [operations.list.id]: list,
};

/** The latest close first. Who bid, how much, and what came of it, a summary doesn't tell. */
function list(call: Call) {
  // What is answered without the entitlement isn't shown (unknowns: results-entitlement-code).
  if (!call.party.facts.resultsEntitled) {
    return refusal(call, 403, ['AUCTION_ACCESS_DENIED'], {
      message: 'Refused: the results entitlement is missing.',
    });
  }
  const query = checkedQuery(operations.list.query, call.query);
  const found = visibleAuctions(call.world, call.party)
    .filter((auction) => statusAt(auction, call.now()) === 'over')
    .sort((a, b) => b.endsAt - a.endsAt)
    .flatMap((auction) => listedLots(call.world, auction).map((lot) => ({ auction, lot })));
  return resultsPage(found, query.page ?? 1, ({ auction, lot }) =>
    lotSummaryView(call, auction, lot, 'over'),
  );
}
