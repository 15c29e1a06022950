import type { Code } from '../../api/codes.js';
import { paise } from '../money.js';
import type { Party } from '../parties.js';
import { unixMs } from '../times.js';
import { isAssigned, isListed, statusAt } from './catalogue.js';
import { latestOf, leader } from './standings.js';
import type { Auction, Lot } from './store.js';

/** Who would bid on what, before there is an amount. */
export interface Interest {
  readonly party: Party;
  readonly auction: Auction;
  readonly lot: Lot;
  /** The dealer that a bid names; null where there is none to name. */
  readonly dealerId: string | null;
  readonly bidderReference: string | undefined;
  readonly buyer: string | undefined;
}

/** What is offered, by whom. */
export interface ProposedBid extends Interest {
  /** Integer paise. */
  readonly amount: bigint;
}

/** Codes that keep a caller from bidding here at all: 403, and nothing is recorded. `now`: Unix milliseconds. */
export function accessCodes({ party, auction, dealerId }: Interest, now: number): Code[] {
  const { facts } = party;
  if (auction.bankId !== party.bankId) return ['BANK_ACCESS_DENIED'];
  return failing({
    AUCTION_ACCESS_DENIED: !isAssigned(auction, party),
    BUYER_NOT_ELIGIBLE: dealerId === null || facts.dealerId !== dealerId,
    BUYER_LIMIT_EXPIRED: facts.limitUntil !== null && now >= unixMs(facts.limitUntil),
    EMD_EXPIRED: facts.emdUntil !== null && now >= unixMs(facts.emdUntil),
  });
}

/**
 * Every rule that a bid breaks: 422, and the rejection is recorded. Without an amount, those that a bid of any amount
 * would break. `receivedAt`: Unix milliseconds.
 */
export function brokenRules(
  offer: Interest & Partial<Pick<ProposedBid, 'amount'>>,
  receivedAt: number,
): Code[] {
  const { party, auction, lot, amount } = offer;
  const { facts } = party;
  const isDirect = party.partnerType === 'direct_dealer';
  // A clock that is behind finds an auction live that is over: what is awarded takes no bids, whatever the time.
  const isOpen = !auction.awarded && !auction.cancelled && isListed(lot);
  const live = isOpen && statusAt(auction, receivedAt) === 'live';
  const approved = facts.kycStatus === 'approved' && facts.emdStatus === 'approved' && !facts.blocked;
  return failing({
    BIDDER_REFERENCE_REQUIRED: !isDirect && offer.bidderReference === undefined,
    DIRECT_DEALER_IDENTITY_REQUIRED: isDirect && offer.bidderReference !== undefined,
    DEALER_NOT_FOUND: !facts.dealerExists,
    RESOURCE_NOT_GRANTED: !facts.resourceGranted,
    CHANNEL_NOT_GRANTED: !facts.channelGranted,
    BUYER_NOT_ENTITLED_TO_CLIENT: !facts.buyerEntitled,
    LOT_NOT_LIVE: !live,
    DEALER_NOT_ELIGIBLE: !approved || (amount ?? 0n) > paise(facts.buyerLimit),
    BID_OFF_OPENING_GRID: amount !== undefined && !isOnGrid(auction, lot, amount),
    BID_BELOW_MINIMUM: amount !== undefined && amount < minimum(offer),
  });
}

/** An increment of zero makes no grid. */
function isOnGrid(auction: Auction, lot: Lot, amount: bigint): boolean {
  if (auction.increment === 0n) return true;
  return amount >= lot.startingPrice && (amount - lot.startingPrice) % auction.increment === 0n;
}

/** The lowest amount that what was bid before allows, integer paise; the grid has its own say. */
export function minimum({ auction, lot, buyer }: Interest): bigint {
  const highest = leader(lot)?.amount;
  if (auction.legacy) return (highest ?? lot.startingPrice) + auction.increment;
  const previous = auction.bidType === 'open' ? highest : latestOf(lot, buyer)?.amount;
  if (previous !== undefined) return previous + auction.increment;
  // A first bid below the opening is off the grid and nothing else, where there is a grid.
  return auction.increment === 0n ? lot.startingPrice : 0n;
}

/** The codes of what fails, in the order asked. */
function failing(checks: Partial<Record<Code, boolean>>): Code[] {
  const found: Code[] = [];
  for (const code in checks) if (checks[code as Code]) found.push(code as Code);
  return found;
}
