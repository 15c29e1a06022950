import { limits } from '../../api/common.js';
import { events } from '../../api/events.js';
import { type Call, type Handler, param } from '../call.js';
import {
  type EventStatus,
  listedLots,
  statusAt,
  visibleAuction,
  visibleAuctions,
  visibleLot,
} from '../catalogue.js';
import { contentsOf } from '../media/contents.js';
import { isShown } from '../media/lot-media.js';
import { cataloguePage } from '../pages.js';
import { detail, file, notFound, Refusal } from '../replies.js';
import type { Lot } from '../store.js';
import { checkedQuery } from '../validation.js';
import { unfit } from '../workflow/commands.js';
import { askedBuyer } from './buyers.js';
import { eventLotView, eventView } from './views.js';

const { operations } = events;

/** Events, their lots, and the media of those. */
export const eventHandlers: Readonly<Record<string, Handler>> = {
  [operations.list.id]: list,
  [operations.get.id]: (call) =>
    detail(eventView(call, visibleAuction(call.world, call.party, param(call, 'event')))),
  [operations.lots.id]: lots,
  [operations.lot.id]: lot,
  [operations.media.id]: media,
};

function list(call: Call) {
  const query = checkedQuery(operations.list.query, call.query);
  const wanted = selected(call, query.status);
  const found = visibleAuctions(call.world, call.party).filter((auction) =>
    wanted.includes(statusAt(auction, call.now())),
  );
  return cataloguePage(call, found, query.page ?? 1, query.per_page ?? limits.defaultPerPage, (auction) =>
    eventView(call, auction),
  );
}

function lots(call: Call) {
  const query = checkedQuery(operations.lots.query, call.query);
  const buyer = askedBuyer(call, query.bidder_reference);
  const auction = visibleAuction(call.world, call.party, param(call, 'event'));
  const found = listedLots(call.world, auction).filter((lot) => mentions(lot, query.search ?? ''));
  return cataloguePage(call, found, query.page ?? 1, query.per_page ?? limits.defaultPerPage, (lot) =>
    eventLotView(call, auction, lot, buyer),
  );
}

function lot(call: Call) {
  const query = checkedQuery(operations.lot.query, call.query);
  const buyer = askedBuyer(call, query.bidder_reference);
  const { auction, lot } = lotInEvent(call);
  return detail(eventLotView(call, auction, lot, buyer));
}

function media(call: Call) {
  const { lot } = lotInEvent(call);
  const found = lot.media.find(({ id }) => String(id) === param(call, 'media'));
  if (found === undefined || !isShown(found)) return notFound();
  const { kind, contentType, filename } = found;
  return file(
    { bytes: contentsOf(found, lot.vehicle), contentType },
    kind === 'document' ? filename : undefined,
  );
}

function lotInEvent(call: Call) {
  const found = visibleLot(call.world, call.party, param(call, 'lot'));
  if (found === undefined || found.auction.id !== param(call, 'event')) throw new Refusal(notFound());
  return found;
}

function mentions({ vehicle }: Lot, search: string): boolean {
  const wanted = search.toLowerCase();
  return [vehicle.registrationNumber, vehicle.make, vehicle.model].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

/** What a value of `status` selects (unknowns: `event-status-active`). */
function selected(call: Call, asked: keyof typeof statuses = 'live'): readonly EventStatus[] {
  const variant = call.world.settings.variants['event-status-active'];
  if (asked === 'active' && variant === 'refused') throw unfit('status', 'The status is not a known one.');
  return asked === 'scheduled' && variant === 'scheduled-until-over' ? ['upcoming', 'live'] : statuses[asked];
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
