import * as z from 'zod';
import { scopes } from '../../api/scopes.js';
import { type AccessFacts, someFacts } from '../parties.js';
import type { VehicleDetails } from '../records.js';
import { check, fields, money, shaped, textUpTo, whole, word, yesOrNo } from '../schema.js';
import busy from './built-in/busy.json';
import small from './built-in/small.json';

/**
 * Your own initial data for a sandbox, as plain JSON. Field names match those of the API where the API has the
 * field.
 */
export interface SandboxSeed {
  /** JSON Schema address for editors. The sandbox ignores it. */
  readonly $schema?: string;
  /** Built-in seed to add these auctions to. Defaults to `small` without `auctions`, and to none with them. */
  readonly like?: 'small' | 'busy';
  /** Seed of the random generator, a whole number. Defaults to 1. */
  readonly random?: number;
  readonly auctions?: readonly SeedAuction[];
  /** Changes to the invented parties, by name. */
  readonly credentials?: { readonly [Who in PartyName]?: SeedCredentials };
}

/** Names of the parties with invented credentials. */
export type PartyName = PartnerName | 'bank' | 'bankChecker' | 'otherBank';

/** Names of the parties that can bid. */
export type PartnerName = 'dealer' | 'platform' | 'aggregator' | 'rival';

/** An auction of a seed. */
export interface SeedAuction {
  /** Name for use in sandbox methods, as an alternative to the id. */
  readonly label: string;
  /** `auc_…`. Defaults to an invented id. */
  readonly id?: string;
  readonly name: string;
  readonly bid_type: 'open' | 'closed';
  /** Whether the minimum-bid rule of legacy auctions applies. Defaults to false. */
  readonly legacy?: boolean;
  /** INR decimal string. `"0"` disables the increment grid. */
  readonly increment: string;
  /** Opening time, inclusive: minutes from the sandbox start (negative for the past), or ISO 8601 with a zone. */
  readonly opens: number | string;
  /** Closing time, exclusive, in the same form as `opens`. A past auction has already awarded its lots. */
  readonly closes: number | string;
  /** Number of lots to invent, or the lots. */
  readonly lots: number | readonly SeedLot[];
  /** Whether all partners of the bank are assigned, or the assigned partners. Defaults to true. */
  readonly assigned?: boolean | readonly PartnerName[];
  /** Owner of the auction. Defaults to `bank`. */
  readonly bank?: 'bank' | 'otherBank';
  /** Whether the auction exists but is hidden as cancelled. Defaults to false. */
  readonly cancelled?: boolean;
  /** Whether the rival has bid on some lots. Defaults to false. */
  readonly rivals?: boolean;
}

/** A lot of a seed. Omitted fields are invented. */
export interface SeedLot {
  /** `lot_…`. */
  readonly id?: string;
  /** INR decimal string. */
  readonly starting_price?: string;
  readonly vehicle?: SeedVehicle;
  /** The bank's custom fields by label, including private ones. Replaces the invented ones. */
  readonly bank_fields?: Readonly<Record<string, string | number | boolean | null>>;
  /** Public fields by software field id. Replaces the invented ones. */
  readonly public_fields?: Readonly<
    Record<string, { readonly label: string; readonly value: string | number | null }>
  >;
  /** Number of photos. */
  readonly photos?: number;
  /** Number of documents. */
  readonly documents?: number;
  /** Whether the lot exists but is hidden as withdrawn. Defaults to false. */
  readonly withdrawn?: boolean;
  /** Bids that were accepted before the sandbox starts, oldest first. */
  readonly bids?: readonly SeedBid[];
}

/** Standard `vehicle_details` keys and the category of a vehicle in a seed. */
export type SeedVehicle = Partial<VehicleDetails & { readonly category: string }>;

/** A bid that exists when the sandbox starts. It must follow all bidding rules. */
export interface SeedBid {
  readonly by: PartnerName;
  /** INR decimal string. */
  readonly amount: string;
  /** Buyer of a platform or aggregator. Not allowed for direct dealers. */
  readonly bidder_reference?: string;
}

/** Overrides for one party. */
export interface SeedCredentials {
  readonly clientId?: string;
  readonly keyId?: string;
  readonly signingSecret?: string;
  /** The linked bidding dealer, or null for none. Partners only. */
  readonly dealerId?: string | null;
  /** Replaces the default scopes, which are all scopes of the role. */
  readonly scopes?: readonly string[];
  /** Other access facts, as for `sandbox.partners.update()`. `auctions` also accepts labels. */
  readonly facts?: Partial<Omit<AccessFacts, 'dealerId' | 'scopes'>>;
}

const momentRule = 'must be minutes from the start, such as -120, or an ISO 8601 date-time with a zone';
const moment = z.union(
  [z.number(), z.string().regex(/^\d{4}-\d{2}-\d{2}T.+(Z|[+-]\d{2}:?\d{2})$/i, momentRule)],
  momentRule,
);
const scalar = z.union(
  [z.string(), z.number(), z.boolean(), z.null()],
  'must be text, a number, true, false or null',
);

const partners = ['dealer', 'platform', 'aggregator', 'rival'] as const;
/** Names of the parties with invented credentials. */
export const partyNames = [...partners, 'bank', 'bankChecker', 'otherBank'] as const;

const vehicle = fields({
  registration_number: textUpTo(40),
  make: textUpTo(120),
  model: textUpTo(120),
  year: whole(1900, 2200),
  region: textUpTo(120),
  vehicle_type: textUpTo(120),
  category: textUpTo(120),
  yard: textUpTo(240).nullable(),
  title: textUpTo(240),
  bank_reference: textUpTo(120),
  condition: textUpTo(240),
}).partial();

const bid = fields({
  by: word(partners),
  amount: money,
  bidder_reference: shaped(/^[A-Za-z0-9_-]{1,120}$/, '1 to 120 letters, digits, "_" and "-"').optional(),
});

const publicField = fields({
  label: textUpTo(240),
  value: z.union([z.string(), z.number(), z.null()], 'must be text, a number or null'),
});
const publicFields = 'must be an object of field ids, each with label and value';
const lot = fields({
  id: shaped(/^lot_[A-Za-z0-9_-]{1,60}$/, 'a lot id such as "lot_swift1"'),
  starting_price: money,
  vehicle,
  bank_fields: z.record(z.string(), scalar, 'must be an object of labels and values'),
  public_fields: z.record(z.string(), publicField, publicFields),
  photos: whole(0, 50),
  documents: whole(0, 50),
  withdrawn: yesOrNo,
  bids: z.array(bid, 'must be a list of bids'),
}).partial();

const auction = fields({
  label: shaped(/^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$/, '1 to 60 letters, digits, ".", "_" and "-"'),
  id: shaped(/^auc_[A-Za-z0-9_-]{1,60}$/, 'an auction id such as "auc_spring"').optional(),
  name: textUpTo(240),
  bid_type: word(['open', 'closed']),
  legacy: yesOrNo.optional(),
  increment: money,
  opens: moment,
  closes: moment,
  lots: z.union(
    [whole(0, 20_000), z.array(lot)],
    'must be a number of lots from 0 to 20000, or a list of lots',
  ),
  assigned: z
    .union(
      [z.boolean(), z.array(word(partners))],
      `must be true, false, or a list out of ${partners.join(', ')}`,
    )
    .optional(),
  bank: word(['bank', 'otherBank']).optional(),
  cancelled: yesOrNo.optional(),
  rivals: yesOrNo.optional(),
});

const identifier = shaped(/^[A-Za-z0-9._-]{1,120}$/, '1 to 120 letters, digits, ".", "_" and "-"');

const credentials = fields({
  clientId: identifier,
  keyId: identifier,
  signingSecret: shaped(/^[\x21-\x7e]{16,256}$/, '16 to 256 ASCII characters without spaces'),
  dealerId: textUpTo(32).nullable(),
  scopes: z.array(word(scopes), 'must be a list of scopes'),
  facts: someFacts.omit({ dealerId: true, scopes: true }),
}).partial();

function credentialsOf(name: PartyName) {
  return partners.some((partner) => partner === name) ? credentials : credentials.omit({ dealerId: true });
}

const seed = fields({
  $schema: z.string('must be text'),
  like: word(['small', 'busy']),
  random: z.int('must be a whole number'),
  auctions: z.array(auction, 'must be a list of auctions'),
  credentials: fields(Object.fromEntries(partyNames.map((name) => [name, credentialsOf(name)]))).partial(),
}).partial();

/** Returns a checked copy of a seed. Throws a RangeError that names every invalid field and its valid values. */
export function checkSeed(value: unknown): SandboxSeed {
  check(seed, value, 'seed');
  // Drops undefined fields.
  return JSON.parse(JSON.stringify(value));
}

/** JSON Schema of a seed, for editors. */
export function seedJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(seed, { io: 'input' });
}

/** Initial data of a sandbox. */
export interface SeedPlan {
  /** Seed of the random generator. */
  readonly random: number;
  readonly auctions: readonly SeedAuction[];
  /** Number of built-in auctions. They come first in `auctions`. */
  readonly builtIn: number;
  readonly credentials: NonNullable<SandboxSeed['credentials']>;
}

const builtIns = { small, busy };

/** Resolves the option `seed`. Throws a RangeError for an invalid seed. */
export function planOf(wanted: number | 'small' | 'busy' | SandboxSeed): SeedPlan {
  if (typeof wanted === 'number' && Number.isSafeInteger(wanted)) return planOf({ random: wanted });
  if (wanted === 'small' || wanted === 'busy') return planOf({ like: wanted });
  const { random = 1, auctions: own, credentials = {}, like } = checkSeed(wanted);
  const name = like ?? (own === undefined ? 'small' : undefined);
  const builtIn = name === undefined ? [] : (builtIns[name].auctions as readonly SeedAuction[]);
  return { random, auctions: [...builtIn, ...(own ?? [])], builtIn: builtIn.length, credentials };
}
