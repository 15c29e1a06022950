import type { Lot } from '../auctions/store.js';
import { formFor } from '../seed/inventory.js';
import type { World } from '../world.js';
import type { Rec } from './records.js';

/** The vehicle that a lot sells, in the private inventory of its bank: published, as long as nobody bought it. */
export function vehicleOf({ flow, store, ids }: World, lot: Lot): Rec {
  const id = ids.uuidOf(`vehicle of ${lot.id}`);
  const known = flow.get('inventory_vehicle', id);
  if (known !== undefined) return known;
  const { bankId } = store.auctionOf(lot);
  const { fields, schemaVersion } = formFor(bankId, lot.vehicle);
  const values = fields.flatMap(({ id: field, of }) => {
    const value = of?.(lot.vehicle);
    return value === undefined ? [] : [[field, value] as const];
  });
  return flow.make('inventory_vehicle', 'published', {
    id,
    owner: { bankId, partnerId: null },
    data: {
      external_id: lot.vehicle.bankReference,
      schema_version: schemaVersion,
      title: lot.vehicle.title,
      values: Object.fromEntries(values),
      lot_id: lot.id,
    },
    lot,
  });
}
