import type { Lot, Rec, Vehicle } from '../records.js';
import type { World } from '../world.js';
import inventory from './built-in/inventory.json';
import { bankId, otherBankId } from './parties.js';

/** One field of an inventory schema (A63). The id is stable across label changes. */
export interface InventoryField {
  readonly id: string;
  readonly label: string;
  readonly type: 'text' | 'integer' | 'number' | 'amount' | 'boolean' | 'date' | 'choice';
  /** Whether the bank requires a value before a vehicle is sold. */
  readonly required: boolean;
  /** Whether only the bank can see the field. */
  readonly private: boolean;
  /** Allowed values of a `choice` field. */
  readonly enum_values?: readonly string[];
}

/** A bank's inventory form for certain vehicle categories. */
export interface InventoryForm {
  readonly bank: 'bank' | 'otherBank';
  /** The `schema_version` that A59 sends. */
  readonly schema_version: string;
  readonly name: string;
  readonly version: number;
  /** Vehicle categories of the form. The first form of a bank is the default for other categories. */
  readonly categories?: readonly string[];
  readonly fields: readonly {
    readonly field: InventoryField;
    /** Path of the value in a vehicle in an auction. */
    readonly of?: readonly [keyof Vehicle, ...string[]];
  }[];
}

/** The forms of a bank. */
export function formsOf(bank: string): InventoryForm[] {
  const all = inventory as readonly InventoryForm[];
  return all.filter((form) => bank === (form.bank === 'bank' ? bankId : otherBankId));
}

/** The inventory vehicle of a lot, created as `published` on first access. */
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
