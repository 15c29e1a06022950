import { bids } from '../api/bids.js';
import type { Code } from '../api/codes.js';
import { accessCodes, brokenRules, type ProposedBid } from './bid-rules.js';
import { keySpace } from './idempotency.js';
import { rupees, rupeesNumber } from './money.js';
import { bidderStatus, channelStatus, leader, visibleHighest } from './standings.js';
import type { Auction, Bid, Lot, Recorded } from './store.js';
import { isoInIndia, isoTime } from './times.js';
import { touchLot } from './workflow/changes.js';
import { extendForLateBid } from './workflow/schedule.js';
import type { World } from './world.js';

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
  const broken = brokenRules(world, offer, arrival.receivedAt);
  const codes = arrival.imposed === undefined ? broken : [...new Set([...arrival.imposed, ...broken])];
  const status = codes.length === 0 ? 'accepted' : 'rejected';
  const bid = keep(world, offer, arrival, status, codes);
  if (status === 'accepted') extendForLateBid(world, offer.auction);
  const data = receipt(world, offer, bid);
  world.store.record(keySpace(world, offer.party.clientId, 'bid'), arrival.idempotencyKey, {
    fingerprint: arrival.fingerprint,
    bidStatus: status,
    errors: codes,
    data,
  });
  if (status === 'accepted') world.market.tellBid(bid);
  return { status, codes, bid, data };
}

/** The `data` of a bid that is sent again: as it was recorded, or with the standing of now (unknowns: `replayed-fields`). */
export function replayOf(world: World, earlier: Recorded): Readonly<Record<string, unknown>> {
  const again = { ...earlier.data, replayed: true };
  const bid = world.store.bids.get(String(earlier.data['bid_id']));
  const lot = bid && world.store.lots.get(bid.lotId);
  const asRecorded = world.settings.variants['replayed-fields'] === 'as-recorded';
  if (asRecorded || lot === undefined || bid?.status !== 'accepted') return again;
  const auction = world.store.auctionOf(lot);
  return stood({ ...again, effective_close_at: isoInIndia(auction.endsAt) }, world, auction, lot, bid);
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
    touchLot(world, lot);
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
    world.records.commit({
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

function receipt(world: World, { auction, lot }: ProposedBid, bid: Bid): Readonly<Record<string, unknown>> {
  const data = {
    request_id: bid.requestId,
    bid_id: bid.id,
    status: bid.status,
    server_received_at: isoTime(bid.receivedAt),
    lot_version: bid.lotVersion,
    effective_close_at: isoInIndia(auction.endsAt),
    replayed: false,
  };
  return stood(data, world, auction, lot, bid);
}

/** The same object, with where the bid stands: every bid is told, so nothing is copied. */
function stood(
  data: Record<string, unknown>,
  world: World,
  auction: Auction,
  lot: Lot,
  bid: Bid,
): Readonly<Record<string, unknown>> {
  if (bid.buyer !== undefined) data['bidder_status'] = bidderStatus(lot, bid.buyer);
  data['channel_status'] = channelStatus(world, lot, bid.clientId);
  const highest = highestIn(world, auction, lot);
  if (highest !== undefined) data['highest_amount'] = highest;
  const current = bid.status === 'accepted' && auction.bidType === 'open' ? leader(lot) : undefined;
  if (current !== undefined) data['current_amount'] = rupeesNumber(current.amount);
  return data;
}

/** Its type, and what stands in its place in a closed auction, are not shown for receipts; undefined for nothing. */
function highestIn({ settings: { variants } }: World, auction: Auction, lot: Lot) {
  const highest = leader(lot);
  if (auction.bidType === 'closed') {
    return variants['receipt-highest-when-closed'] === 'null' ? null : undefined;
  }
  return highest !== undefined && variants['receipt-highest-amount-type'] === 'number'
    ? rupeesNumber(highest.amount)
    : visibleHighest(auction, lot).highest_amount;
}
