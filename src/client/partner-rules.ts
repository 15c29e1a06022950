import type { PartnerType, Route } from '../api/operation.js';
import type { InputIssue } from '../errors/local.js';

const onlyPlatforms: InputIssue = {
  path: 'bidder_reference',
  message: 'must be left out: only platforms and aggregators ask for a buyer',
};

/** What a kind of partner must and must not say about buyers (Bids, Bid rules, 8). */
export function partnerRules(partnerType: PartnerType) {
  const direct = partnerType === 'direct_dealer';
  return (route: Route, query: object, body: object): InputIssue[] => {
    if (route.effect === 'bid') {
      const named = isGiven(body);
      if (direct && named) return [issue('must be left out: a direct dealer bids for itself')];
      if (!direct && !named)
        return [
          issue(
            `is required: ${partnerType === 'aggregator' ? 'an' : 'a'} ${partnerType} names the actual buyer on every bid`,
          ),
        ];
    }
    return direct ? noBuyerAskedFor(route, query) : [];
  };
}

/** Only platforms and aggregators ask for a buyer's standing, where the API says so: a direct dealer and a bank don't. */
export function noBuyerAskedFor(route: Route, query: object): InputIssue[] {
  const field = route.query?.shape['bidder_reference'];
  return field?.meta?.()?.platformOnly === true && isGiven(query) ? [onlyPlatforms] : [];
}

function isGiven(input: object): boolean {
  return 'bidder_reference' in input && input.bidder_reference !== undefined;
}

function issue(message: string): InputIssue {
  return { path: 'bidder_reference', message };
}
