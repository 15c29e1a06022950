import { bids } from '../api/bids.js';
import type { Code } from '../api/codes.js';
import { accessCodes, brokenRules, type ProposedBid } from './bid-rules.js';
import { rupees, rupeesNumber } from './money.js';
import { bidderStatus, channelStatus, leader, visibleHighest } from './standings.js';
import type { Bid } from './store.js';
import { isoInIndia, isoTime } from './times.js';
import { touchLot } from './workflow/changes.js';
import type { World } from './world.js';

/** How a bid arrived. */
export interface Arrival {
  readonly requestId: string;
  readonly idempotencyKey: string;
  /** Server time of arrival, Unix milliseconds. */
  readonly receivedAt: number;
  /** Digest of route and bytes, by which a retry is known. */
  readonly fingerprint: string;
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
  const codes = brokenRules(offer, arrival.receivedAt);
  const status = codes.length === 0 ? 'accepted' : 'rejected';
  const bid = keep(world, offer, arrival, status, codes);
  const data = receipt(offer, bid);
  world.store.record(offer.party.clientId, arrival.idempotencyKey, {
    fingerprint: arrival.fingerprint,
    bidStatus: status,
    errors: codes,
    data,
  });
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

function receipt({ auction, lot, party, buyer }: ProposedBid, bid: Bid): Readonly<Record<string, unknown>> {
  const current = bid.status === 'accepted' && auction.bidType === 'open' ? leader(lot) : undefined;
  return {
    request_id: bid.requestId,
    bid_id: bid.id,
    status: bid.status,
    server_received_at: isoTime(bid.receivedAt),
    lot_version: bid.lotVersion,
    effective_close_at: isoInIndia(auction.endsAt),
    replayed: false,
    ...(buyer !== undefined && { bidder_status: bidderStatus(lot, buyer) }),
    channel_status: channelStatus(lot, party.clientId),
    ...visibleHighest(auction, lot),
    ...(current !== undefined && { current_amount: rupeesNumber(current.amount) }),
  };
}
