import type { Call } from '../call.js';
import { type EventStatus, listedLots, statusAt } from '../catalogue.js';
import { isShown, type LotMedia } from '../media/lot-media.js';
import { rupees } from '../money.js';
import { bidderStatus, channelStatus, ownAmount, visibleHighest } from '../standings.js';
import type { Auction, Lot } from '../store.js';
import { isoInIndia } from '../times.js';

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
    ...mediaUrls(call, auction, lot),
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

export function lotSummaryView(call: Call, auction: Auction, lot: Lot, status: EventStatus) {
  return {
    vehicle_details: vehicleDetails(lot),
    ...mediaUrls(call, auction, lot),
    id: lot.id,
    auction_id: auction.id,
    title: lot.vehicle.title,
    category: lot.vehicle.category,
    starting_price: rupees(lot.startingPrice),
    status,
    ends_at: isoInIndia(auction.endsAt),
    public_fields: lot.vehicle.publicFields,
  };
}

/** Where the files of a lot are fetched, of those that are shown. */
function mediaUrls(call: Call, auction: Auction, lot: Lot) {
  const base = `${call.world.baseUrl}/events/${auction.id}/lots/${lot.id}/media`;
  const urls = (wanted: LotMedia['kind']) =>
    lot.media.filter((media) => media.kind === wanted && isShown(media)).map(({ id }) => `${base}/${id}`);
  return { images: urls('photo'), documents: urls('document') };
}

/** The bank's labels with the standard keys over them, which win a collision. */
function vehicleDetails(lot: Lot): Record<string, unknown> {
  return { ...lot.vehicle.bankFields, ...standardDetails(lot) };
}

/** What every vehicle has, whatever its bank saved beside it. */
export function standardDetails({ vehicle }: Lot) {
  return {
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
