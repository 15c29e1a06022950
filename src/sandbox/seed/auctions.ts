import { interestIn, placeDirectly } from '../auctions/bidding.js';
import { type Ids, SeededRandom } from '../ids.js';
import { type LotMedia, shownFile } from '../media.js';
import { paise, rupees } from '../money.js';
import type { Auction, Lot, Store, Vehicle } from '../records.js';
import { nameOf } from '../schema.js';
import { unixMs } from '../times.js';
import type { World } from '../world.js';
import vehicles from './built-in/vehicles.json';
import { bankId, otherBankId, type SeededParties } from './parties.js';
import type { PartnerName, SeedBid, SeedLot, SeedPlan } from './seed.js';

export interface SeededAuction {
  readonly auction: Auction;
  /** The bids that its lots begin with. */
  readonly bids: readonly SeededBids[];
  /** Whether the bank assigned it to its partners, or to which of them. */
  readonly assigned: boolean | readonly PartnerName[];
}

/** The bids on a lot that stand when the sandbox starts, oldest first. */
interface SeededBids {
  readonly lot: Lot;
  readonly bids: readonly SeedBid[];
  /** What the seed calls the list, for messages. */
  readonly name: string;
}

/** Invents the auctions and their lots around a start (Unix milliseconds). Throws a RangeError where a seed contradicts itself, or what there is already. */
export function seedAuctions(
  plan: SeedPlan,
  startAt: number,
  ids: Ids,
  there: Pick<Store, 'auctions' | 'lots'> = { auctions: new Map(), lots: new Map() },
): SeededAuction[] {
  const minute = Math.floor(startAt / 60_000) * 60_000;
  const invention = { random: new SeededRandom(plan.random), ids, updatedAt: minute, count: there.lots.size };
  // Rivals draw from their own numbers, so that their bids change nothing else of a seed.
  const rivals = new SeededRandom(plan.random ^ 0x62696473);
  const nameAt = (index: number, ...path: readonly (string | number)[]) =>
    nameOf('seed', ['auctions', index - plan.builtIn, ...path]);
  const taken = new Set([
    ...[...there.auctions.values()].flatMap(({ id, label }) => [`auction ${id}`, `label ${label}`]),
    ...[...there.lots.keys()].map((id) => `lot ${id}`),
  ]);
  /** A value that nothing else of its kind has. */
  const only = (kind: string, value: string, name: string): string => {
    if (taken.has(`${kind} ${value}`))
      throw new RangeError(`${name} is ${JSON.stringify(value)}, which is taken`);
    taken.add(`${kind} ${value}`);
    return value;
  };

  return plan.auctions.map((given, index): SeededAuction => {
    const startsAt = momentOf(given.opens, minute, nameAt(index, 'opens'));
    const endsAt = momentOf(given.closes, minute, nameAt(index, 'closes'));
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
      // Where nobody has bid in one that is over, there is nothing to award.
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

/** Minutes are counted from the minute of the start. `name`: what the seed calls it, for messages. */
function momentOf(when: number | string, minute: number, name: string): number {
  try {
    return unixMs(typeof when === 'number' ? minute + Math.round(when * 60_000) : when);
  } catch (cause) {
    throw new RangeError(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Invents what the rival has bid on a lot: mostly nothing, else once or twice. */
function rivalBids(random: SeededRandom, { increment }: Auction, lot: Lot): SeedBid[] {
  if (random.int(5) > 1) return [];
  const step = increment > 0n ? increment : paise('500');
  const first = lot.startingPrice + step * BigInt(1 + random.int(3));
  const amounts = random.int(3) === 0 ? [first, first + step * BigInt(1 + random.int(4))] : [first];
  return amounts.map((amount) => ({ by: 'rival', amount: rupees(amount) }));
}

/**
 * Places the bids of a seed under the rules of all bids, spread over the time in which their auctions were live. Throws a
 * RangeError for one that would not have been accepted.
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

/** What lots are invented from, all in one order, so that the same seed gives the same lots. */
interface Invention {
  readonly random: SeededRandom;
  readonly ids: Ids;
  /** When the lots were last changed, Unix milliseconds. */
  readonly updatedAt: number;
  /** How many lots there are so far. */
  count: number;
}

/** The lot at a place of its auction. What is given of it changes nothing about the lots that come after it. */
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

/** The next vehicle, and its price in rupees. */
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
    // Labels are whatever a bank typed: the name of a standard key, of a source field, or of a body builder.
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

/** A vehicle as it was invented, but for what is given of it; an invented title follows make, model and year. */
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

/** In the shape of Indian plates; letters that are never issued are left out. */
function registrationNumber(random: SeededRandom, plate: string): string {
  const district = String(1 + random.int(60)).padStart(2, '0');
  return `${plate}${district}${random.text(2, plateLetters)}${String(1 + random.int(9_999)).padStart(4, '0')}`;
}

const plateLetters = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const chassisCharacters = `${plateLetters}0123456789`;

/**
 * The files of the nth lot of the sandbox: as many photos and documents as a seed gives it, else 1 to 3 photos and mostly a
 * document. Some lots have none at all, others one that nobody is shown.
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

/** Each way in which a file is kept from everybody. */
const hidden = [
  ['photo', { deleted: true }],
  ['photo', { quarantined: true }],
  ['document', { visibility: 'private' }],
  ['document', { deleted: true }],
] as const satisfies readonly (readonly [LotMedia['kind'], Partial<LotMedia>])[];
