import { bids } from '../../api/bids.js';
import type { Code } from '../../api/codes.js';
import { paise, rupees, rupeesNumber } from '../money.js';
import type { Party } from '../parties.js';
import { isoInIndia, isoTime, unixMs } from '../times.js';
import type { World } from '../world.js';
import { isAssigned, isListed, statusAt } from './catalogue.js';
import { extendForLateBid } from './schedule.js';
import { bidderStatus, buyerOf, channelStatus, latestOf, leader, visibleHighest } from './standings.js';
import { type Auction, type Bid, type Lot, touchLot } from './store.js';

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

export function interestIn(
  { store }: World,
  party: Party,
  lot: Lot,
  bidderReference?: string,
  dealerId = party.facts.dealerId,
): Interest {
  const buyer = buyerOf(party, bidderReference);
  return { party, auction: store.auctionOf(lot), lot, dealerId, bidderReference, buyer };
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

/** How a bid arrived. */
interface Arrival {
  readonly requestId: string;
  readonly idempotencyKey: string;
  /** Server time of arrival, Unix milliseconds. */
  readonly receivedAt: number;
  /** Route and digest of the bytes, by which a retry is known. */
  readonly fingerprint: string;
  /** What an injected fault rejects it for. */
  readonly imposed?: readonly Code[] | undefined;
}

export type BidOutcome =
  | { readonly status: 'refused'; readonly codes: readonly Code[] }
  | {
      readonly status: 'accepted' | 'rejected';
      readonly codes: readonly Code[];
      readonly bid: Bid;
      /** The `data` of the reply. */
      readonly data: Readonly<Record<string, unknown>>;
    };

/** Places a bid that no request brings, as the service would take it from one. */
export function placeDirectly(world: World, offer: ProposedBid, receivedAt = world.clock.now()): BidOutcome {
  const { ids } = world;
  const arrival = { requestId: ids.next('req'), idempotencyKey: ids.uuid(), receivedAt, fingerprint: '' };
  return decideBid(world, offer, arrival);
}

/** Judges a bid and records what came of it, all at once. Refusals of access are recorded nowhere. */
export function decideBid(world: World, offer: ProposedBid, arrival: Arrival): BidOutcome {
  const refused = accessCodes(offer, world.clock.now());
  if (refused.length > 0) return { status: 'refused', codes: refused };
  const codes = [...new Set([...(arrival.imposed ?? []), ...brokenRules(offer, arrival.receivedAt)])];
  const status = codes.length === 0 ? 'accepted' : 'rejected';
  const bid = keep(world, offer, arrival, codes);
  if (status === 'accepted') extendForLateBid(world, offer.auction);
  const data = receipt(offer, bid);
  const { fingerprint, idempotencyKey } = arrival;
  const recorded = { fingerprint, bidStatus: status, errors: codes, data } as const;
  world.store.record(offer.party.clientId, idempotencyKey, recorded);
  if (status === 'accepted') world.market.tellBid(bid);
  return { status, codes, bid, data };
}

function keep(world: World, offer: ProposedBid, arrival: Arrival, errors: readonly Code[]): Bid {
  const { party, lot, buyer, amount, bidderReference = null } = offer;
  const { requestId, receivedAt, idempotencyKey } = arrival;
  const { clientId, partnerId } = party;
  const isAccepted = errors.length === 0;
  if (isAccepted) {
    lot.version += 1;
    touchLot(world.clock, lot);
  }
  const bid: Bid = {
    id: world.ids.next('bid'),
    lotId: lot.id,
    clientId,
    partnerId,
    buyer,
    bidderReference,
    amount,
    status: isAccepted ? 'accepted' : 'rejected',
    errors,
    requestId,
    receivedAt,
    lotVersion: lot.version,
  };
  world.store.bids.set(bid.id, bid);
  if (!isAccepted) return bid;
  lot.accepted.push(bid);
  world.requests.commit({
    kind: 'bid',
    operation: bids.operations.submit.id,
    recordId: bid.id,
    idempotencyKey,
    clientId,
    lotId: lot.id,
    bidId: bid.id,
    amount: rupees(amount),
    at: world.clock.now(),
  });
  return bid;
}

/** The `data` of the reply. Without a reference nobody's standing is known, which is that of no bid. */
function receipt({ auction, lot }: ProposedBid, bid: Bid): Readonly<Record<string, unknown>> {
  const leading = leader(lot);
  const isShown = bid.status === 'accepted' && auction.bidType === 'open' && leading !== undefined;
  return {
    request_id: bid.requestId,
    bid_id: bid.id,
    status: bid.status,
    server_received_at: isoTime(bid.receivedAt),
    lot_version: bid.lotVersion,
    effective_close_at: isoInIndia(auction.endsAt),
    replayed: false,
    bidder_status: bid.buyer === undefined ? 'no_bid' : bidderStatus(lot, bid.buyer),
    channel_status: channelStatus(lot, bid.clientId),
    ...visibleHighest(auction, lot),
    ...(isShown && { current_amount: rupeesNumber(leading.amount) }),
  };
}
