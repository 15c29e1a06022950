import type { Auction, Lot, Vehicle } from '../auctions/store.js';
import type { Ids, SeededRandom } from '../ids.js';
import { paise } from '../money.js';
import type { SeededMedia } from './media.js';
import type { SeedLot, SeedVehicle } from './seed.js';
import { conditions, models, regions, remarks, yardNames } from './tables.js';

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

/** What lots are invented from: all in one order, so that the same seed gives the same lots. */
export interface Invention {
  readonly ids: Ids;
  readonly random: SeededRandom;
  readonly media: SeededMedia;
  /** When the lots were last changed, Unix milliseconds. */
  readonly updatedAt: number;
}

/**
 * Invents the lot at a place of its auction, but for what is given of it. What is given changes nothing about the lots
 * that come after it.
 */
export function inventLot(
  invention: Invention,
  auction: Auction,
  place: number,
  given: SeedLot = untold,
): Lot {
  const { ids, random, media, updatedAt } = invention;
  const invented = inventVehicle(random);
  const percent = 55 + random.int(30);
  const opening = Math.max(1_000, Math.round((invented.value * percent) / 100 / 500) * 500);
  const id = ids.next('lot');
  const vehicle = given === untold ? invented : knownAs(invented, given);
  const files = media.next(place, vehicle);
  return {
    id: given.id ?? id,
    auctionId: auction.id,
    vehicle,
    startingPrice: paise(given.starting_price ?? String(opening)),
    media: media.counted(files, vehicle, given.photos, given.documents),
    withdrawn: given.withdrawn ?? false,
    unpublished: false,
    version: 1,
    resourceVersion: 1,
    updatedAt,
    accepted: [],
  };
}

const untold: SeedLot = {};

/** A vehicle as it was invented, but for what is given of it. */
function knownAs(invented: Vehicle, { vehicle, bank_fields, public_fields }: SeedLot): Vehicle {
  const fields = withoutUndefined({ bankFields: bank_fields, publicFields: public_fields });
  return { ...invented, ...(vehicle !== undefined && told(invented, vehicle)), ...fields };
}

function told(invented: Vehicle, vehicle: SeedVehicle): Partial<Vehicle> {
  const year = vehicle.year ?? invented.year;
  const make = vehicle.make ?? invented.make;
  const model = vehicle.model ?? invented.model;
  return {
    ...withoutUndefined({
      registrationNumber: vehicle.registration_number,
      region: vehicle.region,
      vehicleType: vehicle.vehicle_type,
      category: vehicle.category,
      yard: vehicle.yard,
      bankReference: vehicle.bank_reference,
      condition: vehicle.condition,
    }),
    year,
    make,
    model,
    title: titleOf(vehicle, invented.title, `${year} ${make} ${model}`),
  };
}

/** The title follows what is told of the vehicle. */
function titleOf({ title, year, make, model }: SeedVehicle, invented: string, described: string): string {
  const isTold = year !== undefined || make !== undefined || model !== undefined;
  return title ?? (isTold ? described : invented);
}

function withoutUndefined<T extends object>(
  fields: T,
): { [Field in keyof T]?: Exclude<T[Field], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [Field in keyof T]?: Exclude<T[Field], undefined> };
}
