import { rupees } from '../money.js';
import { isoTime } from '../times.js';
import type { World } from '../world.js';
import type { Sale } from './entities.js';

/** Adds a committed approval to the winner updates: what the `sale.approved` event tells, as it is now. */
export function tellWinner(world: World, sale: Sale): void {
  const { cases, ids, clock } = world;
  const id = ids.next('wup');
  const at = clock.now();
  cases.winnerUpdates.push({
    id,
    sale,
    at,
    told: { id, type: 'sale.approved', created_at: isoTime(at), ...approvalData(sale) },
  });
}

/** What the `sale.approved` event says of a sale. */
export function approvalData(sale: Sale): Readonly<Record<string, unknown>> {
  return {
    resource_id: sale.id,
    resource_version: sale.version,
    lot_id: sale.lot.id,
    sale: {
      id: sale.id,
      state: sale.state,
      winner: true,
      bank_decision_final: true,
      bank_confirmation_required: false,
      buyer_acknowledgment_required: true,
      bid_id: sale.bid.id,
      bidder_reference: sale.bid.bidderReference,
      amount: rupees(sale.amount),
      currency: 'INR',
      terms_version: sale.terms?.termsVersion ?? null,
      due_at: sale.terms?.dueAt ?? null,
    },
  };
}
