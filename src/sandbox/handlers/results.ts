import { results } from '../../api/results.js';
import type { Call, Handler } from '../call.js';
import { listedLots, statusAt, visibleAuctions } from '../catalogue.js';
import { resultsPage } from '../pages.js';
import { messageOnly, type Reply, refusal } from '../replies.js';
import { checkedQuery } from '../validation.js';
import { lotSummaryView } from './views.js';

const { operations } = results;

/** Lots of closed auctions. */
export const resultHandlers: Readonly<Record<string, Handler>> = {
  [operations.list.id]: list,
};

/** The latest close first. Who bid, how much, and what came of it, a summary doesn't tell. */
function list(call: Call) {
  if (!call.party.facts.resultsEntitled) {
    return unentitled(call);
  }
  const query = checkedQuery(operations.list.query, call.query);
  const found = visibleAuctions(call.world, call.party)
    .filter((auction) => statusAt(auction, call.now()) === 'over')
    .sort((a, b) => b.endsAt - a.endsAt)
    .flatMap((auction) => listedLots(call.world, auction).map((lot) => ({ auction, lot })));
  return resultsPage(call, found, query.page ?? 1, ({ auction, lot }) =>
    lotSummaryView(call, auction, lot, 'over'),
  );
}

/** What is answered without the entitlement isn't shown (unknowns: results-entitlement-code). */
function unentitled(call: Call): Reply {
  const message = 'Refused: the results entitlement is missing.';
  switch (call.world.settings.variants['results-entitlement-code']) {
    case 'scope-denied':
      return refusal(call, 403, ['SCOPE_DENIED'], { message });
    case 'message':
      return messageOnly(403, message);
    default:
      return refusal(call, 403, ['AUCTION_ACCESS_DENIED'], { message });
  }
}
