import { lots } from '../../api/lots.js';
import { type Call, type Handler, param } from '../call.js';
import { listedLots, statusAt, visibleAuctions, visibleLot } from '../catalogue.js';
import { cataloguePage, fixedPageSize } from '../pages.js';
import { invalidField, notFound, Refusal, read } from '../replies.js';
import { buyerOf } from '../standings.js';
import { checkedBody, checkedQuery } from '../validation.js';
import { askedBuyer } from './buyers.js';
import { lotStatusView } from './lot-status-view.js';
import { lotSummaryView } from './views.js';

const { operations } = lots;

/** The catalogue of lots, and where they stand. */
export const lotHandlers: Readonly<Record<string, Handler>> = {
  [operations.list.id]: list,
  [operations.status.id]: status,
  [operations.statusBatch.id]: statusBatch,
};

/** The catalogue shows lots as `live`, so it holds those of live auctions (unknowns: `lots-listed`). */
function list(call: Call) {
  const query = checkedQuery(operations.list.query, call.query);
  const { variants } = call.world.settings;
  const held = variants['lots-listed'] === 'live' ? ['live'] : ['live', 'upcoming'];
  const found = visibleAuctions(call.world, call.party)
    .filter((auction) => held.includes(statusAt(auction, call.now())))
    .flatMap((auction) => listedLots(call.world, auction).map((lot) => ({ auction, lot })));
  return cataloguePage(call, found, query.page ?? 1, fixedPageSize, ({ auction, lot }) =>
    lotSummaryView(call, auction, lot, statusAt(auction, call.now())),
  );
}

function status(call: Call) {
  const found = visibleLot(call.world, call.party, param(call, 'lot'));
  if (found === undefined) return notFound();
  return read(call, lotStatusView(call, found.auction, found.lot, buyerOf(call.party, undefined)));
}

function statusBatch(call: Call) {
  const body = checkedBody(operations.statusBatch.body, call.json);
  const isBounded = call.world.settings.variants['status-batch-size'] === '100';
  if (isBounded && body.lot_ids.length > mostLots) {
    throw new Refusal(invalidField('lot_ids', `At most ${mostLots} lots in one batch.`));
  }
  const buyer = askedBuyer(call, body.bidder_reference);
  return read(
    call,
    body.lot_ids.map((id) => {
      const found = visibleLot(call.world, call.party, id);
      return found === undefined
        ? { lot_id: id, status: 404, code: 'NOT_FOUND' }
        : { lot_id: id, status: 200, data: lotStatusView(call, found.auction, found.lot, buyer) };
    }),
  );
}

const mostLots = 100;
