import { vehicles } from '../../api/vehicles.js';
import { type Call, type Handler, param } from '../call.js';
import { statusAt, visibleLot } from '../catalogue.js';
import { detail, notFound } from '../replies.js';
import { lotSummaryView, standardDetails } from './views.js';

/** Published vehicles, by public lot id. */
export const vehicleHandlers: Readonly<Record<string, Handler>> = {
  [vehicles.operations.get.id]: get,
};

/** A summary as in the catalogue, less what the bank keeps to its inventory: its own labels. */
function get(call: Call) {
  const found = visibleLot(call.world, call.party, param(call, 'vehicle'));
  if (found === undefined) return notFound();
  const { auction, lot } = found;
  const summary = lotSummaryView(call, auction, lot, statusAt(auction, call.now()));
  return detail({ ...summary, vehicle_details: standardDetails(call.world, lot) });
}
