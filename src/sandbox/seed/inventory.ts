import type { Vehicle } from '../auctions/store.js';
import { bankId, otherBankId } from './parties.js';

/** What a value of a field may be. */
export type FieldType = 'text' | 'integer' | 'number' | 'amount' | 'boolean' | 'date' | 'choice';

/** One field of an inventory schema. Its id stays whatever it is called later. */
export interface InventoryField {
  readonly id: string;
  readonly label: string;
  readonly type: FieldType;
  /** Whether the bank wants it filled in before a vehicle is sold. */
  readonly required: boolean;
  /** Whether only the bank may know it. */
  readonly private: boolean;
  /** What a choice is made of; empty for other types. */
  readonly options: readonly string[];
  /** What it is of a vehicle in an auction; undefined where that tells nothing of it. */
  readonly of: ((vehicle: Vehicle) => unknown) | undefined;
}

/** A bank's form for vehicles of one sort. */
export interface InventoryForm {
  readonly bankId: string;
  /** What A59 names. */
  readonly schemaVersion: string;
  readonly name: string;
  readonly version: number;
  readonly fields: readonly InventoryField[];
}

/** The form that a vehicle in an auction of a bank is kept by. */
export function formFor(bank: string, { category }: Vehicle): InventoryForm {
  const own = inventoryForms.filter((form) => form.bankId === bank);
  const found = own.find((form) => form === commercial && isHeavy(category)) ?? own[0];
  if (found === undefined) throw new Error(`bank ${bank} has no inventory form`);
  return found;
}

function isHeavy(category: string): boolean {
  return category === 'commercial' || category === 'farm';
}

function field(
  id: string,
  label: string,
  type: FieldType,
  of: InventoryField['of'],
  facts: Partial<Pick<InventoryField, 'required' | 'private' | 'options'>> = {},
): InventoryField {
  return { id, label, type, of, required: false, private: false, options: [], ...facts };
}

const saved = (label: string) => (vehicle: Vehicle) => vehicle.bankFields[label];
const shown = (id: string) => (vehicle: Vehicle) => vehicle.publicFields[id]?.value;

const identity: readonly InventoryField[] = [
  field('fld_1001', 'Registration Number', 'text', (vehicle) => vehicle.registrationNumber, {
    required: true,
  }),
  field('fld_1002', 'Make', 'text', (vehicle) => vehicle.make, { required: true }),
  field('fld_1003', 'Model', 'text', (vehicle) => vehicle.model, { required: true }),
  field('fld_1004', 'Year', 'integer', (vehicle) => vehicle.year, { required: true }),
  field('fld_1041', 'Fuel', 'choice', shown('fld_1041'), {
    options: ['Petrol', 'Diesel', 'CNG', 'Electric'],
  }),
  field('fld_1042', 'Odometer (km)', 'integer', shown('fld_1042')),
];

const papers: readonly InventoryField[] = [
  field('fld_2001', 'Chassis Number', 'text', saved('Chassis Number'), { required: true, private: true }),
  field('fld_2002', 'Engine No.', 'text', saved('Engine No.'), { private: true }),
  field('fld_2003', 'Repo Agency', 'text', saved('Repo Agency'), { private: true }),
  field('fld_2004', 'Insurance Valid Till', 'date', saved('Insurance Valid Till')),
  field('fld_2005', 'RC Available?', 'boolean', saved('RC Available?')),
  field('fld_2006', 'Tax / Challan Dues (INR)', 'amount', saved('Tax / Challan Dues (INR)')),
  field('fld_2007', 'Reserve Price (INR)', 'amount', undefined, { private: true }),
];

const vehicles: InventoryForm = {
  bankId,
  schemaVersion: 'vehicles-4',
  name: 'Cars and two-wheelers',
  version: 4,
  fields: [
    ...identity,
    field('fld_1057', 'Owners', 'integer', shown('fld_1057')),
    field('fld_1060', 'Superdari Status', 'text', shown('fld_1060')),
    ...papers,
  ],
};

const commercial: InventoryForm = {
  bankId,
  schemaVersion: 'commercial-2',
  name: 'Commercial and farm vehicles',
  version: 2,
  fields: [
    ...identity,
    field('fld_3001', 'Payload (kg)', 'integer', undefined),
    field('fld_3002', 'Body Length (m)', 'number', undefined),
    field('fld_3003', 'Permit', 'choice', undefined, { options: ['National', 'State', 'None'] }),
    ...papers,
  ],
};

const stock: InventoryForm = {
  bankId: otherBankId,
  schemaVersion: 'stock-1',
  name: 'Vehicles in stock',
  version: 1,
  fields: identity.map((each) => ({ ...each, id: each.id.replace('fld_1', 'fld_9') })),
};

/** Every form of every bank. */
export const inventoryForms: readonly InventoryForm[] = [vehicles, commercial, stock];
