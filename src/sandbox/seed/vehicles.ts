import type { SeededRandom } from './random.js';
import { conditions, models, regions, remarks, yardNames } from './tables.js';

/** A vehicle as the bank saved it. */
export interface Vehicle {
  readonly registrationNumber: string;
  readonly make: string;
  readonly model: string;
  readonly year: number;
  readonly region: string;
  readonly vehicleType: string;
  readonly category: string;
  readonly yard: string | null;
  readonly title: string;
  readonly bankReference: string;
  readonly condition: string;
  /** A fair price, rupees: starting prices lie below it. */
  readonly value: number;
  /** The bank's own fields by label, private ones included; values keep their saved types. */
  readonly bankFields: Readonly<Record<string, string | number | boolean | null>>;
  /** Fields shown in the auction, by software field id. */
  readonly publicFields: Readonly<
    Record<string, { readonly label: string; readonly value: string | number | null }>
  >;
}

/** Invents the next vehicle. */
export function inventVehicle(random: SeededRandom): Vehicle {
  const [make, model, vehicleType, category, fuel, value] = random.pick(models);
  const [state, region, cities] = random.pick(regions);
  const city = random.pick<string>(cities);
  const year = 2013 + random.int(11);
  const odometer = 8_000 + random.int(140_000);
  return {
    registrationNumber: plate(random, state),
    make,
    model,
    year,
    region,
    vehicleType,
    category,
    yard: random.int(8) === 0 ? null : `${random.pick(yardNames)}, ${city}`,
    title: `${year} ${make} ${model}`,
    bankReference: `LN${random.text(9, '0123456789')}`,
    condition: random.pick(conditions),
    value,
    bankFields: {
      'Chassis Number': `MA${random.text(15, chassisCharacters)}`,
      'Engine No.': random.text(11, chassisCharacters),
      Fuel: fuel,
      'Odometer (km)': odometer,
      'RC Available?': random.int(3) > 0,
      'Insurance Valid Till': random.int(2) === 0 ? null : `${2024 + random.int(3)}-0${1 + random.int(9)}-15`,
      'Repo Agency': random.pick(['Apex Recovery', 'Sudarshan Associates', '']),
      Remarks: random.pick(remarks),
      'Remarks (2)': random.pick(remarks),
      'Tax / Challan Dues (INR)': String(random.int(40) * 250),
      // Labels are whatever a bank typed: the name of a standard key, of a source field, or of a body builder.
      yard: 'as per remarks',
      media_url: 'https://bank-files.example/vehicle-photos',
      ...(category === 'commercial' && { constructor: 'Cabin chassis, body by local builder' }),
    },
    publicFields: {
      fld_1041: { label: 'Fuel', value: fuel },
      fld_1042: { label: 'Odometer (km)', value: odometer },
      fld_1057: { label: 'Owners', value: 1 + random.int(3) },
      fld_1060: { label: 'Superdari Status', value: random.int(4) === 0 ? null : 'Not applicable' },
    },
  };
}

/** A registration number in the shape of Indian plates; letters that are never issued are left out. */
function plate(random: SeededRandom, state: string): string {
  const district = String(1 + random.int(60)).padStart(2, '0');
  return `${state}${district}${random.text(2, plateLetters)}${String(1 + random.int(9_999)).padStart(4, '0')}`;
}

const plateLetters = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const chassisCharacters = `${plateLetters}0123456789`;
