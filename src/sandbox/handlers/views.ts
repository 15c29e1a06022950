import type { Call } from '../call.js';
import { listedLots, statusAt } from '../catalogue.js';
import { rupees } from '../money.js';
import { bidderStatus, channelStatus, ownAmount, visibleHighest } from '../standings.js';
import type { Auction, Lot } from '../store.js';
import { isoInIndia, isoTime } from '../times.js';

export function eventView(call: Call, auction: Auction) {
  return {
    id: auction.id,
    name: auction.name,
    reference: auction.reference,
    distribution_mode: 'syndicated',
    bid_type: auction.bidType,
    status: statusAt(auction, call.now()),
    timezone: 'Asia/Kolkata',
    starts_at: isoInIndia(auction.startsAt),
    ends_at: isoInIndia(auction.endsAt),
    bid_increment: rupees(auction.increment),
    eligible_lots_count: listedLots(call.world, auction).length,
    revision: auction.revision,
  };
}

/** A lot inside its event; without a buyer, nothing of anybody's own. */
export function eventLotView(call: Call, auction: Auction, lot: Lot, buyer: string | undefined) {
  const { vehicle } = lot;
  return {
    vehicle_details: vehicleDetails(lot),
    images: [],
    documents: [],
    id: lot.id,
    auction_id: auction.id,
    registration_number: vehicle.registrationNumber,
    make: vehicle.make,
    model: vehicle.model,
    region: vehicle.region,
    vehicle_type: vehicle.vehicleType,
    year: vehicle.year,
    starting_price: rupees(lot.startingPrice),
    public_fields: vehicle.publicFields,
    ...(buyer !== undefined && {
      own_amount: ownAmount(lot, buyer),
      bidder_status: bidderStatus(lot, buyer),
    }),
    channel_status: channelStatus(lot, call.party.clientId),
    provisional: true,
    ...visibleHighest(auction, lot),
  };
}

export function lotSummaryView(auction: Auction, lot: Lot) {
  return {
    vehicle_details: vehicleDetails(lot),
    images: [],
    documents: [],
    id: lot.id,
    auction_id: auction.id,
    title: lot.vehicle.title,
    category: lot.vehicle.category,
    starting_price: rupees(lot.startingPrice),
    status: 'live',
    ends_at: isoInIndia(auction.endsAt),
    public_fields: lot.vehicle.publicFields,
  };
}

export function lotStatusView(call: Call, auction: Auction, lot: Lot, buyer: string | undefined) {
  const state = statusAt(auction, call.now());
  const mayBid = state === 'live' && call.party.facts.scopes.includes('bids:write');
  return {
    lot_id: lot.id,
    auction_state: state,
    inventory_state: 'published',
    resource_version: lot.resourceVersion,
    updated_at: isoTime(lot.updatedAt),
    effective_close_at: isoInIndia(auction.endsAt),
    sale: null,
    payment: null,
    release: null,
    allowed_actions: mayBid ? ['bid'] : [],
    provisional: true,
    ...(buyer !== undefined && { own_standing: bidderStatus(lot, buyer), own_amount: ownAmount(lot, buyer) }),
    ...visibleHighest(auction, lot),
  };
}

/** The bank's labels with the standard keys over them, which win a collision. */
function vehicleDetails({ vehicle }: Lot): Record<string, unknown> {
  return {
    ...vehicle.bankFields,
    registration_number: vehicle.registrationNumber,
    make: vehicle.make,
    model: vehicle.model,
    year: vehicle.year,
    region: vehicle.region,
    vehicle_type: vehicle.vehicleType,
    yard: vehicle.yard,
    title: vehicle.title,
    bank_reference: vehicle.bankReference,
    condition: vehicle.condition,
  };
}
