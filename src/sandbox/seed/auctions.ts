import { interestIn, placeDirectly } from '../auctions/bidding.js';
import { type Ids, SeededRandom } from '../ids.js';
import { type LotMedia, shownFile } from '../media.js';
import { paise, rupees } from '../money.js';
import type { Auction, Lot, Store, Vehicle } from '../records.js';
import { fieldPath } from '../schema.js';
import { unixMs } from '../times.js';
import type { World } from '../world.js';
import vehicles from './built-in/vehicles.json';
import { bankId, otherBankId, type SeededParties } from './parties.js';
import type { PartnerName, SeedBid, SeedLot, SeedPlan } from './seed.js';

export interface SeededAuction {
  readonly auction: Auction;
  /** Bids that exist at the start, by lot. */
  readonly bids: readonly SeededBids[];
  /** True if assigned to all partners of the bank, or the names of the assigned partners. */
  readonly assigned: boolean | readonly PartnerName[];
}

/** Bids on one lot that exist at the start, oldest first. */
interface SeededBids {
  readonly lot: Lot;
  readonly bids: readonly SeedBid[];
  /** Path of the list in the seed, for error messages. */
  readonly name: string;
}

/**
 * Creates the auctions and lots of a plan relative to a start (Unix milliseconds). Throws a RangeError if the seed
 * contradicts itself or an existing id or label.
 */
export function seedAuctions(
  plan: SeedPlan,
  startAt: number,
  ids: Ids,
  there: Pick<Store, 'auctions' | 'lots'> = { auctions: new Map(), lots: new Map() },
): SeededAuction[] {
  const minute = Math.floor(startAt / 60_000) * 60_000;
  const invention = { random: new SeededRandom(plan.random), ids, updatedAt: minute, count: there.lots.size };
  // Rival bids use a separate random sequence, so they do not change the rest of the seed.
  const rivals = new SeededRandom(plan.random ^ 0x62696473);
  const nameAt = (index: number, ...path: readonly (string | number)[]) =>
    fieldPath('seed', ['auctions', index - plan.builtIn, ...path]);
  const taken = new Set([
    ...[...there.auctions.values()].flatMap(({ id, label }) => [`auction ${id}`, `label ${label}`]),
    ...[...there.lots.keys()].map((id) => `lot ${id}`),
  ]);
  /** Registers an id or label. Throws if it is already in use. */
  const only = (kind: string, value: string, name: string): string => {
    if (taken.has(`${kind} ${value}`))
      throw new RangeError(`${name} must be unique: ${JSON.stringify(value)} is already in use`);
    taken.add(`${kind} ${value}`);
    return value;
  };

  return plan.auctions.map((given, index): SeededAuction => {
    const startsAt = seedMoment(given.opens, minute, nameAt(index, 'opens'));
    const endsAt = seedMoment(given.closes, minute, nameAt(index, 'closes'));
    if (startsAt >= endsAt) throw new RangeError(`${nameAt(index)} must open before it closes`);
    const list: readonly SeedLot[] =
      typeof given.lots === 'number' ? Array.from({ length: given.lots }, () => ({})) : given.lots;
    const invented = ids.next('auc');
    const lots: Lot[] = [];
    const auction: Auction = {
      id: only('auction', given.id ?? invented, nameAt(index, 'id')),
      label: only('label', given.label, nameAt(index, 'label')),
      bankId: given.bank === 'otherBank' ? otherBankId : bankId,
      name: given.name,
      reference: `EVT-${String(there.auctions.size + index + 1).padStart(4, '0')}`,
      bidType: given.bid_type,
      legacy: given.legacy ?? false,
      increment: paise(given.increment),
      startsAt,
      endsAt,
      scheduledEndsAt: endsAt,
      cancelled: given.cancelled ?? false,
      // A past auction without bids has nothing to award.
      awarded: endsAt <= startAt && !given.rivals && list.every(({ bids = [] }) => bids.length === 0),
      revision: 1,
      lots,
    };
    lots.push(...list.map((lot, place) => inventLot(invention, auction, place, lot)));
    for (const [place, lot] of lots.entries()) only('lot', lot.id, nameAt(index, 'lots', place, 'id'));
    const bids = lots.map((lot, place) => ({
      lot,
      bids: list[place]?.bids ?? (given.rivals ? rivalBids(rivals, auction, lot) : []),
      name: nameAt(index, 'lots', place, 'bids'),
    }));
    const assigned = given.bank !== 'otherBank' && (given.assigned ?? true);
    return { auction, bids, assigned };
  });
}

/** Resolves a seed time. Numbers are minutes from the start. `name` is the path for error messages. */
function seedMoment(when: number | string, minute: number, name: string): number {
  try {
    return unixMs(typeof when === 'number' ? minute + Math.round(when * 60_000) : when);
  } catch (cause) {
    throw new RangeError(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Invents zero to two rival bids on a lot. */
function rivalBids(random: SeededRandom, { increment }: Auction, lot: Lot): SeedBid[] {
  if (random.int(5) > 1) return [];
  const step = increment > 0n ? increment : paise('500');
  const first = lot.startingPrice + step * BigInt(1 + random.int(3));
  const amounts = random.int(3) === 0 ? [first, first + step * BigInt(1 + random.int(4))] : [first];
  return amounts.map((amount) => ({ by: 'rival', amount: rupees(amount) }));
}

/**
 * Places the bids of a seed under the normal rules, spread over the live time of the auction. Throws a RangeError
 * for a bid that would not have been accepted.
 */
export function placeBids(world: World, parties: SeededParties, { lot, bids, name }: SeededBids): void {
  const { auction } = lot;
  const until = Math.min(auction.endsAt, world.clock.now());
  const wait = Math.max(0, (until - auction.startsAt) / (bids.length + 1));
  for (const [at, bid] of bids.entries()) {
    const interest = interestIn(parties[bid.by], lot, bid.bidder_reference);
    const receivedAt = Math.min(until, Math.floor(auction.startsAt + wait * (at + 1)));
    const outcome = placeDirectly(world, { ...interest, amount: paise(bid.amount) }, receivedAt);
    if (outcome.status !== 'accepted') {
      throw new RangeError(`${name}[${at}] would not have been accepted: ${outcome.codes.join(', ')}`);
    }
  }
}

/** State for inventing lots. Lots draw in a fixed order, so the same seed gives the same lots. */
interface Invention {
  readonly random: SeededRandom;
  readonly ids: Ids;
  /** When the lots were last changed, Unix milliseconds. */
  readonly updatedAt: number;
  /** Number of lots so far. */
  count: number;
}

/** Creates the lot at a position in its auction. Given fields do not affect later lots. */
function inventLot(from: Invention, auction: Auction, place: number, given: SeedLot): Lot {
  const { random, ids, updatedAt } = from;
  const { vehicle: invented, value } = inventedVehicle(random);
  const percent = 55 + random.int(30);
  const opening = Math.max(1_000, Math.round((value * percent) / 100 / 500) * 500);
  const id = ids.next('lot');
  const vehicle = withGiven(invented, given);
  from.count += 1;
  return {
    id: given.id ?? id,
    auction,
    vehicle,
    startingPrice: paise(given.starting_price ?? String(opening)),
    media: filesOf(from.count, place, vehicle.details.registration_number, given),
    withdrawn: given.withdrawn ?? false,
    unpublished: false,
    version: 1,
    resourceVersion: 1,
    updatedAt,
    accepted: [],
  };
}

/** Invents a vehicle and its price in rupees. */
function inventedVehicle(random: SeededRandom): { readonly vehicle: Vehicle; readonly value: number } {
  const { models, regions, yards, conditions, remarks } = vehicles;
  const { make, model, vehicle_type, category, fuel, value } = random.pick(models);
  const { plate, region, cities } = random.pick(regions);
  const city = random.pick(cities);
  const year = 2013 + random.int(11);
  const odometer = 8_000 + random.int(140_000);
  const details = {
    registration_number: registrationNumber(random, plate),
    make,
    model,
    year,
    region,
    vehicle_type,
    yard: random.int(8) === 0 ? null : `${random.pick(yards)}, ${city}`,
    title: `${year} ${make} ${model}`,
    bank_reference: `LN${random.text(9, '0123456789')}`,
    condition: random.pick(conditions),
  };
  const bankFields = {
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
    // Bank labels are free text. They may equal a standard key or an object property such as `constructor`.
    yard: 'as per remarks',
    media_url: 'https://bank-files.example/vehicle-photos',
    ...(category === 'commercial' && { constructor: 'Cabin chassis, body by local builder' }),
  };
  const publicFields = {
    fld_1041: { label: 'Fuel', value: fuel },
    fld_1042: { label: 'Odometer (km)', value: odometer },
    fld_1057: { label: 'Owners', value: 1 + random.int(3) },
    fld_1060: { label: 'Superdari Status', value: random.int(4) === 0 ? null : 'Not applicable' },
  };
  return { vehicle: { details, category, bankFields, publicFields }, value };
}

/** Merges given fields into an invented vehicle. The title defaults to year, make and model. */
function withGiven(invented: Vehicle, { vehicle = {}, bank_fields, public_fields }: SeedLot): Vehicle {
  const { category = invented.category, ...given } = vehicle;
  const details = { ...invented.details, ...given };
  return {
    details: { ...details, title: given.title ?? `${details.year} ${details.make} ${details.model}` },
    category,
    bankFields: bank_fields ?? invented.bankFields,
    publicFields: public_fields ?? invented.publicFields,
  };
}

/** Invents an Indian registration number without letters that are never issued. */
function registrationNumber(random: SeededRandom, plate: string): string {
  const district = String(1 + random.int(60)).padStart(2, '0');
  return `${plate}${district}${random.text(2, plateLetters)}${String(1 + random.int(9_999)).padStart(4, '0')}`;
}

const plateLetters = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const chassisCharacters = `${plateLetters}0123456789`;

/**
 * Files of the nth lot: the photo and document counts of the seed, or an invented mix. Some invented lots have no
 * files; some have a hidden one.
 */
function filesOf(n: number, place: number, name: string, { photos, documents }: SeedLot): LotMedia[] {
  const isBare = place % 12 === 7;
  const photoCount = photos ?? (isBare ? 0 : 1 + (n % 3));
  const documentCount = documents ?? (isBare || place % 5 === 4 ? 0 : 1);
  const files = Array.from({ length: photoCount + documentCount }, (_, at) =>
    at < photoCount
      ? shownFile(n * 1_000 + at, 'photo', `${name}-${at + 1}`)
      : shownFile(n * 1_000 + at, 'document', `${name}-inspection`),
  );
  const isInvented = photos === undefined && documents === undefined;
  if (!isInvented || place % 10 !== 3) return files;
  const [kind, why] = hidden[Math.floor(place / 10) % hidden.length] ?? hidden[0];
  return [...files, { ...shownFile(n * 1_000 + files.length, kind, `${name}-unlisted`), ...why }];
}

/** Each way in which a file can be hidden. */
const hidden = [
  ['photo', { deleted: true }],
  ['photo', { quarantined: true }],
  ['document', { visibility: 'private' }],
  ['document', { deleted: true }],
] as const satisfies readonly (readonly [LotMedia['kind'], Partial<LotMedia>])[];
