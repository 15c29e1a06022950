import { limits } from '../../api/common.js';
import type { Scope } from '../../api/scopes.js';
import { service } from '../../api/service.js';
import { type Call, type OperationHandler, param } from '../http/call.js';
import { bodyOf, queryOf } from '../http/checks.js';
import { ensureFits, file, notFound, ok, paged, Refusal, type Reply, refusal } from '../http/replies.js';
import { contentsOf, isShown, type LotMedia } from '../media.js';
import { rupees } from '../money.js';
import { type Auction, type Lot, mayHave, type Rec, type Sale } from '../records.js';
import { vehicleOf } from '../seed/inventory.js';
import { isoInIndia, isoTime } from '../times.js';
import { activeOffer, freezeReason } from '../workflow/engine.js';
import { duesOf } from '../workflow/funds.js';
import { duesView } from '../workflow/reads.js';
import type { World } from '../world.js';
import {
  bidderStatus,
  buyerOf,
  channelStatus,
  type EventStatus,
  isListed,
  isVisible,
  ownAmount,
  statusAt,
  visibleAuctions,
  visibleHighest,
  visibleLot,
} from './catalogue.js';

const { events, lots, results, vehicles } = service;

const event = events.operations;
const lotCalls = lots.operations;

/** Events, lots, their files, vehicles and results. */
export const catalogueOperations: readonly OperationHandler[] = [
  [event.list, listEvents],
  [event.get, (call) => ok(call, eventView(call, auctionInPath(call)))],
  [event.lots, listEventLots],
  [
    event.lot,
    (call) => {
      const buyer = askedBuyer(call, queryOf(call, event.lot.query).bidder_reference);
      return ok(call, eventLotView(call, lotInEvent(call), buyer));
    },
  ],
  [event.media, getMedia],
  // The catalogue lists lots of live auctions.
  [
    lotCalls.list,
    (call) =>
      paged(call, lotsWith(call, 'live'), queryOf(call, lotCalls.list.query), (each) =>
        summaryView(call, each),
      ),
  ],
  [
    lotCalls.status,
    (call) => ok(call, lotStatusView(call, lotInPath(call, 'lot'), buyerOf(call.party, undefined))),
  ],
  [lotCalls.statusBatch, getStatuses],
  // A catalogue summary without the bank's custom fields.
  [
    vehicles.operations.get,
    (call) => {
      const found = lotInPath(call, 'vehicle');
      return ok(call, { ...summaryView(call, found), vehicle_details: found.vehicle.details });
    },
  ],
  [results.operations.list, listResults],
];

function listEvents(call: Call): Reply {
  const { status = 'active', per_page = limits.defaultPerPage, page } = queryOf(call, event.list.query);
  const wanted = aliases[status] ?? status;
  const found = visibleAuctions(call.world, call.party).filter(
    (auction) => wanted === 'all' || wanted === statusAt(auction, call.now()),
  );
  return paged(call, found, { page, per_page }, (auction) => eventView(call, auction));
}

/** The default and legacy aliases of `status`. */
const aliases: Partial<Record<string, EventStatus>> = {
  active: 'live',
  scheduled: 'upcoming',
  ended: 'over',
};

function listEventLots(call: Call): Reply {
  const query = queryOf(call, event.lots.query);
  const { page, per_page = limits.defaultPerPage } = query;
  const buyer = askedBuyer(call, query.bidder_reference);
  const auction = auctionInPath(call);
  const search = (query.search ?? '').toLowerCase();
  const found = auction.lots.filter(isListed).filter(({ vehicle }) => {
    const { registration_number, make, model } = vehicle.details;
    return [registration_number, make, model].some((text) => text.toLowerCase().includes(search));
  });
  return paged(call, found, { page, per_page }, (each) => eventLotView(call, each, buyer));
}

function getMedia(call: Call): Reply {
  const found = lotInEvent(call).media.find(({ id }) => String(id) === param(call, 'media'));
  if (found === undefined || !isShown(found)) return notFound();
  const { kind, contentType, filename } = found;
  return file({ bytes: contentsOf(found), contentType }, kind === 'document' ? filename : undefined);
}

/** Finds the auction in the path, or refuses with a 404. Does not reveal auctions of others. */
function auctionInPath(call: Call): Auction {
  const found = call.world.store.auctions.get(param(call, 'event'));
  if (found === undefined || !isVisible(found, call.party)) throw new Refusal(notFound());
  return found;
}

/** Finds the lot in the path, or refuses with a 404. */
function lotInPath(call: Call, name: string): Lot {
  const found = visibleLot(call.world, call.party, param(call, name));
  if (found === undefined) throw new Refusal(notFound());
  return found;
}

function lotInEvent(call: Call): Lot {
  const found = lotInPath(call, 'lot');
  if (found.auction.id !== param(call, 'event')) throw new Refusal(notFound());
  return found;
}

/** Lists results, latest close first. Summaries show no bidder, amount or outcome. */
function listResults(call: Call): Reply {
  const query = queryOf(call, results.operations.list.query);
  if (!call.party.facts.resultsEntitled) {
    const message = 'Results cannot be listed: the client has no results entitlement.';
    return refusal(call, 403, ['AUCTION_ACCESS_DENIED'], message);
  }
  const found = lotsWith(call, 'over').sort((a, b) => b.auction.endsAt - a.auction.endsAt);
  return paged(call, found, query, (each) => summaryView(call, each));
}

function lotsWith(call: Call, status: EventStatus): Lot[] {
  return visibleAuctions(call.world, call.party)
    .filter((auction) => statusAt(auction, call.now()) === status)
    .flatMap(({ lots }) => lots.filter(isListed));
}

function getStatuses(call: Call): Reply {
  const body = bodyOf(call, lotCalls.statusBatch.body);
  ensureFits(body.lot_ids.length <= 100, 'lot_ids', 'The batch is too large. Send at most 100 lots.');
  const buyer = askedBuyer(call, body.bidder_reference);
  const statusOf = (id: string) => {
    const found = visibleLot(call.world, call.party, id);
    return found === undefined
      ? { lot_id: id, status: 404, code: 'NOT_FOUND' }
      : { lot_id: id, status: 200, data: lotStatusView(call, found, buyer) };
  };
  return ok(call, body.lot_ids.map(statusOf));
}

/** The buyer whose standing a read returns. Only platforms and aggregators can name one. */
function askedBuyer(call: Call, bidderReference: string | undefined): string | undefined {
  const { partnerType } = call.party;
  const mayName = partnerType === 'platform' || partnerType === 'aggregator';
  const why = 'Only platforms and aggregators can name a buyer. Omit bidder_reference.';
  ensureFits(mayName || bidderReference === undefined, 'bidder_reference', why);
  return buyerOf(call.party, bidderReference);
}

function eventView(call: Call, auction: Auction) {
  const { id, name, reference, bidType, startsAt, endsAt, increment, revision } = auction;
  return {
    id,
    name,
    reference,
    distribution_mode: 'syndicated',
    bid_type: bidType,
    status: statusAt(auction, call.now()),
    timezone: 'Asia/Kolkata',
    starts_at: isoInIndia(startsAt),
    ends_at: isoInIndia(endsAt),
    bid_increment: rupees(increment),
    eligible_lots_count: auction.lots.filter(isListed).length,
    revision,
  };
}

/** Common fields of lot views: vehicle details (standard keys override bank labels) and file URLs. */
function commonView({ world }: Call, { id, auction, media, vehicle, startingPrice }: Lot) {
  const base = `${world.baseUrl}/events/${auction.id}/lots/${id}/media`;
  const urls = (wanted: LotMedia['kind']) =>
    media.filter((each) => each.kind === wanted && isShown(each)).map((each) => `${base}/${each.id}`);
  return {
    vehicle_details: { ...vehicle.bankFields, ...vehicle.details },
    images: urls('photo'),
    documents: urls('document'),
    id,
    auction_id: auction.id,
    starting_price: rupees(startingPrice),
    public_fields: vehicle.publicFields,
  };
}

/** A lot in its event. Includes buyer fields only if the buyer is known. */
function eventLotView(call: Call, lot: Lot, buyer: string | undefined) {
  const { registration_number, make, model, region, vehicle_type, year } = lot.vehicle.details;
  return {
    ...commonView(call, lot),
    ...{ registration_number, make, model, region, vehicle_type, year },
    ...(buyer !== undefined && {
      own_amount: ownAmount(lot, buyer),
      bidder_status: bidderStatus(lot, buyer),
    }),
    channel_status: channelStatus(lot, call.party.clientId),
    provisional: true,
    ...visibleHighest(lot),
  };
}

function summaryView(call: Call, lot: Lot) {
  const { auction, vehicle } = lot;
  return {
    ...commonView(call, lot),
    title: vehicle.details.title,
    category: vehicle.category,
    status: statusAt(auction, call.now()),
    ends_at: isoInIndia(auction.endsAt),
  };
}

/** Lot status for one caller. Includes only the caller's own sale, for the named buyer. */
function lotStatusView(call: Call, lot: Lot, buyer: string | undefined) {
  const { world } = call;
  const { auction } = lot;
  const state = statusAt(auction, call.now());
  const sale = ownSale(call, lot, buyer);
  return {
    lot_id: lot.id,
    auction_state: state,
    // The vehicle state does not reveal the buyer.
    inventory_state: vehicleOf(world, lot).state,
    resource_version: lot.resourceVersion,
    updated_at: isoTime(lot.updatedAt),
    effective_close_at: isoInIndia(auction.endsAt),
    ...(sale === undefined ? { sale: null, payment: null, release: null } : summaries(world, sale)),
    allowed_actions: allowedActions(call, state === 'live', sale),
    provisional: true,
    ...(buyer !== undefined && { own_standing: bidderStatus(lot, buyer), own_amount: ownAmount(lot, buyer) }),
    ...visibleHighest(lot),
  };
}

/**
 * The caller's sale of a lot. A direct dealer keeps its sale if its linked dealer changes; a platform's sale
 * belongs to one buyer.
 */
function ownSale({ world, party }: Call, lot: Lot, buyer: string | undefined): Sale | undefined {
  return world.flow
    .salesOf(lot)
    .findLast(
      ({ owner, bid }) =>
        mayHave(party, owner) && (buyer === undefined || bid.bidderReference === null || bid.buyer === buyer),
    );
}

/** Summaries of a sale, its dues and its latest release. */
function summaries({ flow }: World, sale: Sale) {
  const { id, state, version: resource_version } = sale;
  const { amount, currency, acknowledged_at, terms_version } = sale.data;
  const { excess: _, due_at, payee_instructions: __, payee_version: ___, ...payment } = duesView(flow, sale);
  const release = flow.of('release', sale).at(-1);
  return {
    sale: { id, state, resource_version, amount, currency, acknowledged_at, due_at },
    payment: terms_version === null ? null : payment,
    release: release === undefined ? null : releaseView(release),
  };
}

function releaseView({ id, state, version, data: { expires_at, collection_date } }: Rec) {
  return { id, state, resource_version: version, expires_at, collection_date };
}

/** Next actions that state and scopes allow, sorted by name. */
function allowedActions({ world, party }: Call, live: boolean, sale: Sale | undefined): string[] {
  const approved = sale?.state === 'approved';
  const mayReport = approved && freezeReason(world.flow, sale, 'payment_report') === undefined;
  const isOffered = sale !== undefined && activeOffer(world.flow, sale)?.state === 'open';
  const actions: readonly (readonly [action: string, scope: Scope, open: boolean])[] = [
    ['acknowledge', 'sales:acknowledge', approved && sale.data['acknowledged_at'] === null],
    ['bid', 'bids:write', live],
    ['report_payment', 'payments:report', mayReport && duesOf(world.flow, sale).remaining > 0n],
    ['respond_to_offer', 'offers:respond', isOffered],
  ];
  return actions
    .filter(([, scope, open]) => open && party.facts.scopes.includes(scope))
    .map(([action]) => action);
}
