import type { Code } from '../../api/codes.js';
import { eligibility } from '../../api/eligibility.js';
import { accessCodes, brokenRules, type Interest } from '../bid-rules.js';
import type { Call, Handler } from '../call.js';
import { visibleLot } from '../catalogue.js';
import { paise, rupees } from '../money.js';
import { notFound, read } from '../replies.js';
import { buyerOf } from '../standings.js';
import { isoInIndia, type Moment, unixMs } from '../times.js';
import { checkedQuery } from '../validation.js';

const { operations } = eligibility;

/** A03: what a bid would meet. */
export const eligibilityHandlers: Readonly<Record<string, Handler>> = {
  [operations.check.id]: check,
};

function check(call: Call) {
  const query = checkedQuery(operations.check.query, call.query);
  const { party } = call;
  const { facts } = party;
  const found = visibleLot(call.world, party, query.lot_id);
  if (found === undefined) return notFound();
  const { auction, lot } = found;
  const interest: Interest = {
    party,
    auction,
    lot,
    dealerId: facts.dealerId,
    bidderReference: query.bidder_reference,
    buyer: buyerOf(party, query.bidder_reference),
  };
  const errors = obstacles(call, interest, query.amount);
  return read(call, {
    eligible: errors.length === 0,
    diagnostic_only: true,
    errors,
    dealer_id: facts.dealerId,
    kyc_status: facts.kycStatus,
    emd_status: facts.emdStatus,
    blocked: facts.blocked,
    buyer_limit: rupees(paise(facts.buyerLimit)),
    limit_until: lapse(facts.limitUntil),
    emd_until: lapse(facts.emdUntil),
    lot_id: lot.id,
    starting_price: rupees(lot.startingPrice),
    bid_increment: rupees(auction.increment),
    notice: 'A diagnosis of this moment: nothing is reserved, and a bid is checked anew when it arrives.',
  });
}

/** What a bid would be answered now. Whoever may not bid at all doesn't get as far as the rules. */
function obstacles(call: Call, interest: Interest, amount: string | undefined): readonly Code[] {
  if (!interest.party.facts.scopes.includes('bids:write')) return ['SCOPE_DENIED'];
  const refused = accessCodes(interest, call.now());
  if (refused.length > 0) return refused;
  return brokenRules(
    { ...interest, ...(amount !== undefined && { amount: paise(amount) }) },
    call.receivedAt,
  );
}

function lapse(moment: Moment | null): string | null {
  return moment === null ? null : isoInIndia(unixMs(moment));
}
