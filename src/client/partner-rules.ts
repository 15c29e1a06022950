import type { Operation, PartnerType } from '../api/operation.js';
import type { InputIssue } from '../errors/local.js';

/** Operations whose `bidder_reference` query is for platforms and aggregators only (Catalogue and events). */
const platformOnlyQueries = new Set(['events.lots', 'events.lot']);

const onlyPlatforms: InputIssue = {
  path: 'bidder_reference',
  message: 'must be left out: only platforms and aggregators ask for a buyer',
};

/** What a kind of partner must and must not say about buyers (Bids, Bid rules, 8). */
export function partnerRules(partnerType: PartnerType) {
  const direct = partnerType === 'direct_dealer';
  return ({ id, effect }: Operation, query: object, body: object): InputIssue[] => {
    if (effect === 'bid') {
      const named = isGiven(body);
      if (direct && named) return [issue('must be left out: a direct dealer bids for itself')];
      if (!direct && !named)
        return [issue(`is required: a ${partnerType} names the actual buyer on every bid`)];
    }
    if (direct && platformOnlyQueries.has(id) && isGiven(query)) {
      return [onlyPlatforms];
    }
    return [];
  };
}

/** A bank asks for no buyer's standing either. */
export function bankRules({ id }: Operation, query: object): InputIssue[] {
  return platformOnlyQueries.has(id) && isGiven(query) ? [onlyPlatforms] : [];
}

function isGiven(input: object): boolean {
  return 'bidder_reference' in input && input.bidder_reference !== undefined;
}

function issue(message: string): InputIssue {
  return { path: 'bidder_reference', message };
}
