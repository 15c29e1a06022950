import { limits } from '../../api/common.js';
import { events } from '../../api/events.js';
import { lots } from '../../api/lots.js';
import { results } from '../../api/results.js';
import { vehicles } from '../../api/vehicles.js';
import { type Answered, type Call, param } from '../http/call.js';
import { bodyOf, queryOf } from '../http/checks.js';
import { file, invalidField, notFound, ok, paged, Refusal, refusal } from '../http/replies.js';
import { contentsOf, isShown, type LotMedia } from '../media.js';
import { rupees } from '../money.js';
import { isoInIndia } from '../times.js';
import {
  type EventStatus,
  listedLots,
  statusAt,
  visibleAuction,
  visibleAuctions,
  visibleLot,
} from './catalogue.js';
import { lotStatusView } from './lot-status.js';
import { bidderStatus, buyerOf, channelStatus, ownAmount, visibleHighest } from './standings.js';
import type { Auction, Lot } from './store.js';

const event = events.operations;
const lot = lots.operations;

/** Events, lots, their files, vehicles and results. */
export const catalogueOperations: readonly Answered[] = [
  [event.list, listEvents],
  [
    event.get,
    (call) => ok(call, eventView(call, visibleAuction(call.world, call.party, param(call, 'event')))),
  ],
  [event.lots, listEventLots],
  [event.lot, getEventLot],
  [event.media, getMedia],
  [lot.list, listLots],
  [lot.status, getStatus],
  [lot.statusBatch, getStatuses],
  [vehicles.operations.get, getVehicle],
  [results.operations.list, listResults],
];

function listEvents(call: Call) {
  const { status = 'active', per_page = limits.defaultPerPage, page } = queryOf(call, event.list.query);
  const wanted: readonly EventStatus[] = statuses[status];
  const found = visibleAuctions(call.world, call.party).filter((auction) =>
    wanted.includes(statusAt(auction, call.now())),
  );
  return paged(call, found, { page, per_page }, (auction) => eventView(call, auction));
}

/** `scheduled` and `ended` are the legacy aliases. */
const statuses = {
  all: ['upcoming', 'live', 'over'],
  active: ['live'],
  live: ['live'],
  upcoming: ['upcoming'],
  scheduled: ['upcoming'],
  over: ['over'],
  ended: ['over'],
} as const satisfies Record<string, readonly EventStatus[]>;

function listEventLots(call: Call) {
  const query = queryOf(call, event.lots.query);
  const buyer = askedBuyer(call, query.bidder_reference);
  const auction = visibleAuction(call.world, call.party, param(call, 'event'));
  const search = (query.search ?? '').toLowerCase();
  const found = listedLots(call.world, auction).filter(({ vehicle }) =>
    [vehicle.details.registration_number, vehicle.details.make, vehicle.details.model].some((text) =>
      text.toLowerCase().includes(search),
    ),
  );
  const { page, per_page = limits.defaultPerPage } = query;
  return paged(call, found, { page, per_page }, (each) => eventLotView(call, auction, each, buyer));
}

function getEventLot(call: Call) {
  const buyer = askedBuyer(call, queryOf(call, event.lot.query).bidder_reference);
  const found = lotInEvent(call);
  return ok(call, eventLotView(call, found.auction, found.lot, buyer));
}

function getMedia(call: Call) {
  const { lot } = lotInEvent(call);
  const found = lot.media.find(({ id }) => String(id) === param(call, 'media'));
  if (found === undefined || !isShown(found)) return notFound();
  const { kind, contentType, filename } = found;
  return file({ bytes: contentsOf(found), contentType }, kind === 'document' ? filename : undefined);
}

function lotInEvent(call: Call) {
  const found = visibleLot(call.world, call.party, param(call, 'lot'));
  if (found === undefined || found.auction.id !== param(call, 'event')) throw new Refusal(notFound());
  return found;
}

/** The catalogue shows lots as `live`, so it holds those of live auctions. */
function listLots(call: Call) {
  const found = lotsWith(call, 'live');
  return paged(call, found, queryOf(call, lot.list.query), (each) =>
    lotSummaryView(call, each.auction, each.lot),
  );
}

/** The latest close first. A summary doesn't show who bid, how much, and what came of it. */
function listResults(call: Call) {
  const query = queryOf(call, results.operations.list.query);
  if (!call.party.facts.resultsEntitled) {
    const message = 'Refused: the results entitlement is missing.';
    return refusal(call, 403, ['AUCTION_ACCESS_DENIED'], { message });
  }
  const found = lotsWith(call, 'over').sort((a, b) => b.auction.endsAt - a.auction.endsAt);
  return paged(call, found, query, (each) => lotSummaryView(call, each.auction, each.lot));
}

function lotsWith(call: Call, status: EventStatus) {
  return visibleAuctions(call.world, call.party)
    .filter((auction) => statusAt(auction, call.now()) === status)
    .flatMap((auction) => listedLots(call.world, auction).map((each) => ({ auction, lot: each })));
}

function getStatus(call: Call) {
  const found = visibleLot(call.world, call.party, param(call, 'lot'));
  if (found === undefined) return notFound();
  return ok(call, lotStatusView(call, found.auction, found.lot, buyerOf(call.party, undefined)));
}

function getStatuses(call: Call) {
  const body = bodyOf(call, lot.statusBatch.body);
  if (body.lot_ids.length > mostLots) {
    throw new Refusal(invalidField('lot_ids', `At most ${mostLots} lots in one batch.`));
  }
  const buyer = askedBuyer(call, body.bidder_reference);
  const statusOf = (id: string) => {
    const found = visibleLot(call.world, call.party, id);
    return found === undefined
      ? { lot_id: id, status: 404, code: 'NOT_FOUND' }
      : { lot_id: id, status: 200, data: lotStatusView(call, found.auction, found.lot, buyer) };
  };
  return ok(call, body.lot_ids.map(statusOf));
}

/** A summary as in the catalogue, without the bank's own labels. */
function getVehicle(call: Call) {
  const found = visibleLot(call.world, call.party, param(call, 'vehicle'));
  if (found === undefined) return notFound();
  const summary = lotSummaryView(call, found.auction, found.lot);
  return ok(call, { ...summary, vehicle_details: found.lot.vehicle.details });
}

/** Whose standing a read is about; only platforms and aggregators may name a buyer. */
function askedBuyer(call: Call, bidderReference: string | undefined): string | undefined {
  const { partnerType } = call.party;
  if (bidderReference !== undefined && (partnerType === null || partnerType === 'direct_dealer')) {
    throw new Refusal(invalidField('bidder_reference', 'Only platforms and aggregators name a buyer.'));
  }
  return buyerOf(call.party, bidderReference);
}

function eventView(call: Call, auction: Auction) {
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

/** A lot inside its event; the fields of a buyer's own only where one is known. */
function eventLotView(call: Call, auction: Auction, lot: Lot, buyer: string | undefined) {
  const { registration_number, make, model, region, vehicle_type, year } = lot.vehicle.details;
  return {
    vehicle_details: vehicleDetails(lot),
    ...mediaUrls(call, auction, lot),
    id: lot.id,
    auction_id: auction.id,
    registration_number,
    make,
    model,
    region,
    vehicle_type,
    year,
    starting_price: rupees(lot.startingPrice),
    public_fields: lot.vehicle.publicFields,
    ...(buyer !== undefined && {
      own_amount: ownAmount(lot, buyer),
      bidder_status: bidderStatus(lot, buyer),
    }),
    channel_status: channelStatus(lot, call.party.clientId),
    provisional: true,
    ...visibleHighest(auction, lot),
  };
}

function lotSummaryView(call: Call, auction: Auction, lot: Lot) {
  return {
    vehicle_details: vehicleDetails(lot),
    ...mediaUrls(call, auction, lot),
    id: lot.id,
    auction_id: auction.id,
    title: lot.vehicle.details.title,
    category: lot.vehicle.category,
    starting_price: rupees(lot.startingPrice),
    status: statusAt(auction, call.now()),
    ends_at: isoInIndia(auction.endsAt),
    public_fields: lot.vehicle.publicFields,
  };
}

/** Where the files of a lot are fetched, of those that are shown. */
function mediaUrls({ world }: Call, auction: Auction, lot: Lot) {
  const base = `${world.baseUrl}/events/${auction.id}/lots/${lot.id}/media`;
  const urls = (wanted: LotMedia['kind']) =>
    lot.media.filter((media) => media.kind === wanted && isShown(media)).map(({ id }) => `${base}/${id}`);
  return { images: urls('photo'), documents: urls('document') };
}

/** The bank's labels with the standard keys over them, which win a collision. */
function vehicleDetails(lot: Lot): Record<string, unknown> {
  return { ...lot.vehicle.bankFields, ...lot.vehicle.details };
}

const mostLots = 100;
