import { bids } from '../../api/bids.js';
import type { Code } from '../../api/codes.js';
import { rupees, rupeesNumber } from '../money.js';
import { isoInIndia, isoTime } from '../times.js';
import type { World } from '../world.js';
import { accessCodes, brokenRules, type ProposedBid } from './bid-rules.js';
import { extendForLateBid } from './schedule.js';
import { bidderStatus, channelStatus, leader, visibleHighest } from './standings.js';
import { type Bid, touchLot } from './store.js';

/** How a bid arrived. */
export interface Arrival {
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

/** Judges a bid and records what came of it, all at once. Refusals of access are recorded nowhere. */
export function decideBid(world: World, offer: ProposedBid, arrival: Arrival): BidOutcome {
  const refused = accessCodes(offer, world.clock.now());
  if (refused.length > 0) return { status: 'refused', codes: refused };
  const broken = brokenRules(offer, arrival.receivedAt);
  const codes = arrival.imposed === undefined ? broken : [...new Set([...arrival.imposed, ...broken])];
  const status = codes.length === 0 ? 'accepted' : 'rejected';
  const bid = keep(world, offer, arrival, status, codes);
  if (status === 'accepted') extendForLateBid(world, offer.auction);
  const data = receipt(offer, bid);
  world.store.record(offer.party.clientId, arrival.idempotencyKey, {
    fingerprint: arrival.fingerprint,
    bidStatus: status,
    errors: codes,
    data,
  });
  if (status === 'accepted') world.market.tellBid(bid);
  return { status, codes, bid, data };
}

function keep(
  world: World,
  offer: ProposedBid,
  arrival: Arrival,
  status: 'accepted' | 'rejected',
  errors: readonly Code[],
): Bid {
  const { party, lot } = offer;
  const now = world.clock.now();
  if (status === 'accepted') {
    lot.version += 1;
    touchLot(world.clock, lot);
  }
  const bid: Bid = {
    id: world.ids.next('bid'),
    lotId: lot.id,
    clientId: party.clientId,
    partnerId: party.partnerId,
    buyer: offer.buyer,
    bidderReference: offer.bidderReference ?? null,
    amount: offer.amount,
    status,
    errors,
    requestId: arrival.requestId,
    receivedAt: arrival.receivedAt,
    lotVersion: lot.version,
  };
  world.store.bids.set(bid.id, bid);
  if (status === 'accepted') {
    lot.accepted.push(bid);
    world.requests.commit({
      kind: 'bid',
      operation: bids.operations.submit.id,
      recordId: bid.id,
      idempotencyKey: arrival.idempotencyKey,
      clientId: party.clientId,
      lotId: lot.id,
      bidId: bid.id,
      amount: rupees(bid.amount),
      at: now,
    });
  }
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
