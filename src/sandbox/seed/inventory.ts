import type { Lot, Rec, Vehicle } from '../records.js';
import type { World } from '../world.js';
import inventory from './built-in/inventory.json';
import { bankId, otherBankId } from './parties.js';

/** One field of an inventory schema, as A63 shows it. Its id stays whatever it is called later. */
export interface InventoryField {
  readonly id: string;
  readonly label: string;
  readonly type: 'text' | 'integer' | 'number' | 'amount' | 'boolean' | 'date' | 'choice';
  /** Whether the bank wants it filled in before a vehicle is sold. */
  readonly required: boolean;
  /** Whether only the bank may know it. */
  readonly private: boolean;
  /** Of a choice: what it is made of. */
  readonly enum_values?: readonly string[];
}

/** A bank's form for vehicles of one sort. */
export interface InventoryForm {
  readonly bank: 'bank' | 'otherBank';
  /** What A59 names. */
  readonly schema_version: string;
  readonly name: string;
  readonly version: number;
  /** What it is for; the first form of a bank is for all that no other one is for. */
  readonly categories?: readonly string[];
  readonly fields: readonly {
    readonly field: InventoryField;
    /** Where a vehicle in an auction has it. */
    readonly of?: readonly [keyof Vehicle, ...string[]];
  }[];
}

/** The forms of a bank. */
export function formsOf(bank: string): InventoryForm[] {
  const all = inventory as readonly InventoryForm[];
  return all.filter((form) => bank === (form.bank === 'bank' ? bankId : otherBankId));
}

/** The vehicle that a lot sells, in the private inventory of its bank: published, as long as nobody bought it. */
export function vehicleOf({ flow, ids }: World, lot: Lot): Rec {
  const id = ids.uuidOf(`vehicle of ${lot.id}`);
  const known = flow.get('inventory_vehicle', id);
  if (known !== undefined) return known;
  const { vehicle, auction } = lot;
  const forms = formsOf(auction.bankId);
  const form = forms.find(({ categories }) => categories?.includes(vehicle.category)) ?? forms[0];
  const values = (form?.fields ?? []).flatMap(({ field, of }) => {
    const value = of?.reduce<unknown>((inside, name) => Object(inside)[name], vehicle);
    return value === undefined ? [] : [[field.id, value] as const];
  });
  return flow.make('inventory_vehicle', 'published', {
    id,
    owner: { bankId: auction.bankId, partnerId: null },
    data: {
      external_id: vehicle.details.bank_reference,
      schema_version: form?.schema_version ?? null,
      title: vehicle.details.title,
      values: Object.fromEntries(values),
      lot_id: lot.id,
    },
    lot,
  });
}
