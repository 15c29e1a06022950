import { API_PREFIX } from '../../api/common.js';
import type { Call } from '../call.js';
import { type EventStatus, listedLots, statusAt } from '../catalogue.js';
import { isShown, type LotMedia } from '../media/lot-media.js';
import { rupees } from '../money.js';
import { bidderStatus, channelStatus, ownAmount, visibleHighest } from '../standings.js';
import type { Auction, Lot } from '../store.js';
import { isoInIndia } from '../times.js';
import { knownUnlessSwitched } from '../unfamiliar.js';
import type { World } from '../world.js';

export function eventView(call: Call, auction: Auction) {
  const { variants } = call.world.settings;
  return {
    id: auction.id,
    name: auction.name,
    reference: auction.reference,
    distribution_mode: knownUnlessSwitched(call.world, 'distribution-mode-values', 'syndicated'),
    bid_type: auction.bidType,
    status: statusAt(auction, call.now()),
    timezone: 'Asia/Kolkata',
    starts_at: isoInIndia(auction.startsAt),
    ends_at: isoInIndia(auction.endsAt),
    bid_increment: rupees(auction.increment),
    eligible_lots_count: listedLots(call.world, auction).length,
    revision: variants['event-revision'] === 'fixed' ? 1 : auction.revision,
    ...(auction.legacy && variants['legacy-auctions'] === 'marked' && { legacy: true }),
  };
}

/** A lot inside its event; without a buyer, nothing of anybody's own. */
export function eventLotView(call: Call, auction: Auction, lot: Lot, buyer: string | undefined) {
  const { vehicle } = lot;
  return {
    vehicle_details: vehicleDetails(call, lot),
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
    channel_status: channelStatus(call.world, lot, call.party.clientId),
    provisional: true,
    ...visibleHighest(auction, lot),
  };
}

export function lotSummaryView(call: Call, auction: Auction, lot: Lot, status: EventStatus) {
  return {
    vehicle_details: vehicleDetails(call, lot),
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
  const base = `${mediaBase(call.world)}/events/${auction.id}/lots/${lot.id}/media`;
  const urls = (wanted: LotMedia['kind']) =>
    lot.media.filter((media) => media.kind === wanted && isShown(media)).map(({ id }) => `${base}/${id}`);
  return { images: urls('photo'), documents: urls('document') };
}

/** Where the addresses of files begin: as clients reach the service, or without the front-controller segment. */
function mediaBase({ baseUrl, settings }: World): string {
  if (settings.variants['media-url-forms'] === 'with-prefix') return baseUrl;
  return `${new URL(baseUrl).origin}${API_PREFIX}`;
}

/** The bank's labels with the standard keys over them, which win a collision. */
function vehicleDetails({ world }: Call, lot: Lot): Record<string, unknown> {
  return { ...lot.vehicle.bankFields, ...standardDetails(world, lot) };
}

/** What every vehicle has, whatever its bank saved beside it. */
export function standardDetails({ settings }: World, { vehicle }: Lot) {
  const mixed = settings.variants['vehicle-details-types'] === 'mixed';
  return {
    registration_number: vehicle.registrationNumber,
    make: vehicle.make,
    model: vehicle.model,
    year: mixed ? String(vehicle.year) : vehicle.year,
    region: vehicle.region,
    vehicle_type: vehicle.vehicleType,
    yard: vehicle.yard,
    title: vehicle.title,
    bank_reference: mixed ? null : vehicle.bankReference,
    condition: mixed ? { remark: vehicle.condition } : vehicle.condition,
  };
}
