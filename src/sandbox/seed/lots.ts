import type { Ids } from '../ids.js';
import { paise } from '../money.js';
import type { Auction, Lot } from '../store.js';
import type { SeededMedia } from './media.js';
import type { SeededRandom } from './random.js';
import type { SeedLot, SeedVehicle } from './seed.js';
import { inventVehicle, type Vehicle } from './vehicles.js';

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
function titleOf({ title, year, make, model }: SeedVehicle, invented: string, anew: string): string {
  const isTold = year !== undefined || make !== undefined || model !== undefined;
  return title ?? (isTold ? anew : invented);
}

function withoutUndefined<T extends object>(
  fields: T,
): { [Field in keyof T]?: Exclude<T[Field], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [Field in keyof T]?: Exclude<T[Field], undefined> };
}
