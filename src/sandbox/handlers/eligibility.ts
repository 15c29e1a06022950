import type { Code } from '../../api/codes.js';
import { eligibility } from '../../api/eligibility.js';
import { accessCodes, brokenRules, type Interest } from '../bid-rules.js';
import type { Call, Handler } from '../call.js';
import { visibleLot } from '../catalogue.js';
import { paise, rupees } from '../money.js';
import { notFound, read } from '../replies.js';
import { buyerOf } from '../standings.js';
import { isoInIndia, type Moment, unixMs } from '../times.js';
import { knownUnlessSwitched } from '../unfamiliar.js';
import { checkedQuery } from '../validation.js';
import { unfit } from '../workflow/commands.js';

const { operations } = eligibility;

/** A03: what a bid would meet. */
export const eligibilityHandlers: Readonly<Record<string, Handler>> = {
  [operations.check.id]: check,
};

function check(call: Call) {
  const query = checkedQuery(operations.check.query, call.query);
  const { party, world } = call;
  const { variants } = world.settings;
  if (query.amount === undefined && variants['eligibility-parameters'] === 'lot-and-amount') {
    throw unfit('amount', 'The amount is required.');
  }
  const { facts } = party;
  const found = visibleLot(world, party, query.lot_id);
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
  const outcome = { eligible: errors.length === 0, diagnostic_only: true, errors, lot_id: lot.id };
  const form = variants['eligibility-types'];
  if (form === 'sparse') return read(call, outcome);
  const status = (known: string) => knownUnlessSwitched(world, 'eligibility-status-values', known);
  return read(call, {
    ...outcome,
    dealer_id: facts.dealerId,
    kyc_status: status(facts.kycStatus),
    emd_status: status(facts.emdStatus),
    blocked: facts.blocked,
    buyer_limit: rupees(paise(facts.buyerLimit)),
    limit_until: expiry(facts.limitUntil, form),
    emd_until: expiry(facts.emdUntil, form),
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
    call.world,
    { ...interest, ...(amount !== undefined && { amount: paise(amount) }) },
    call.receivedAt,
  );
}

/** Whether a date or a date-time isn't shown (unknowns: `eligibility-types`). */
function expiry(moment: Moment | null, form: 'date-times' | 'dates'): string | null {
  if (moment === null) return null;
  const time = isoInIndia(unixMs(moment));
  return form === 'dates' ? time.slice(0, 10) : time;
}
