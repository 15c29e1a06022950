import { touchLot } from '../auctions/store.js';
import { announce, moveVehicle } from '../workflow/news.js';
import { moveRefund } from '../workflow/payments.js';
import { type Rec, view, type WireRecord } from '../workflow/records.js';
import type { World } from '../world.js';

/** Where records go that no operation of the API moves: from each state, by kind. */
const moves: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  refund: {
    approved_pending_execution: ['processing', 'succeeded', 'failed'],
    processing: ['succeeded', 'failed'],
  },
  dispute: { open: ['resolved'] },
  inventory_vehicle: {
    draft: ['ready', 'published'],
    ready: ['draft', 'published'],
    published: ['draft', 'ready'],
  },
};

/** Moves a record that no operation moves. Throws a RangeError for a record or a move that there isn't. */
export function setState(world: World, id: string, state: string): WireRecord {
  const record = world.flow.any(id);
  if (record === undefined) throw new RangeError(`the sandbox has no record ${JSON.stringify(id)}`);
  if (record.kind === 'transfer' && state === 'government_verified') {
    confirmTransfer(world, record);
    return view(record);
  }
  const ways = moves[record.kind]?.[record.state] ?? [];
  if (record.kind === 'inventory_vehicle' && record.state === state && ways.length > 0) return view(record);
  if (!ways.includes(state)) {
    const name = record.kind.replaceAll('_', ' ');
    const allowed = ways.length === 0 ? 'nothing' : ways.join(', ');
    throw new RangeError(`${name} ${id} is ${record.state}; it can become ${allowed}`);
  }
  if (record.kind === 'inventory_vehicle') moveInventory(world, record, state);
  else if (record.kind === 'dispute') resolveDispute(world, record);
  else if (state === 'processing' || state === 'succeeded' || state === 'failed') {
    moveRefund(world, record, state);
  }
  return view(record);
}

/** A vehicle that goes back to the inventory takes its lot out of the auction. */
function moveInventory(world: World, vehicle: Rec, state: string): void {
  moveVehicle(world, vehicle, state);
  const { lot } = vehicle;
  if (lot === undefined) return;
  lot.unpublished = state !== 'published';
  world.store.auctionOf(lot).revision += 1;
  touchLot(world.clock, lot);
}

/** What the dispute froze can go on, unless another one is open. */
function resolveDispute(world: World, dispute: Rec): void {
  dispute.state = 'resolved';
  world.flow.touch(dispute);
  announce(world, 'dispute.resolved', dispute, 'is resolved');
}

/** The government registry confirms a milestone; a later one is not, until it is confirmed too. */
function confirmTransfer(world: World, transfer: Rec): void {
  const { data, sale } = transfer;
  if (data['government_verified'] === true)
    throw new RangeError(`transfer ${transfer.id} is confirmed already`);
  Object.assign(data, { verification: 'registry_verified', government_verified: true });
  world.flow.touch(transfer);
  if (sale !== undefined) world.flow.touch(sale);
  announce(world, 'transfer.verified', transfer, `is confirmed by the registry: ${transfer.state}`);
}
