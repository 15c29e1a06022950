import * as z from 'zod';
import { scopes } from '../../api/scopes.js';
import { type AccessFacts, someFacts } from '../parties.js';
import type { VehicleDetails } from '../records.js';
import { check, fields, money, shaped, text, whole, word, yesOrNo } from '../schema.js';
import busy from './built-in/busy.json';
import small from './built-in/small.json';

/** A sandbox's beginnings of the user's own, as plain JSON. Fields that the service has too are called as it calls them. */
export interface SandboxSeed {
  /** Where editors find the schema of this file; of no meaning to the sandbox. */
  readonly $schema?: string;
  /** What these auctions are added to; nothing where it is left out and there are auctions, `small` where there are none. */
  readonly like?: 'small' | 'busy';
  /** A whole number that all that is invented is drawn from; 1 when left out. */
  readonly random?: number;
  readonly auctions?: readonly SeedAuction[];
  /** Changes to the invented parties, by who they are. */
  readonly credentials?: { readonly [Who in PartyName]?: SeedCredentials };
}

/** Everybody whom a sandbox invents credentials for. */
export type PartyName = PartnerName | 'bank' | 'bankChecker' | 'otherBank';

/** Those who may bid. */
export type PartnerName = 'dealer' | 'platform' | 'aggregator' | 'rival';

/** An auction of a seed. */
export interface SeedAuction {
  /** Its name in the sandbox's methods, besides its id. */
  readonly label: string;
  /** `auc_…`; invented when left out. */
  readonly id?: string;
  readonly name: string;
  readonly bid_type: 'open' | 'closed';
  /** Whether it goes by the minimum of legacy auctions. False when left out. */
  readonly legacy?: boolean;
  /** INR decimal string; `"0"` makes no grid. */
  readonly increment: string;
  /** Inclusive: minutes from the start of the sandbox, negative before it, or ISO 8601 with a zone. */
  readonly opens: number | string;
  /** Exclusive, as `opens`. An auction that closed with bids on its lots has awarded them. */
  readonly closes: number | string;
  /** How many invented lots, or the lots themselves. */
  readonly lots: number | readonly SeedLot[];
  /** Whether the bank assigned it to its partners, or to which of them. True when left out. */
  readonly assigned?: boolean | readonly PartnerName[];
  /** Whose auction it is. `bank` when left out. */
  readonly bank?: 'bank' | 'otherBank';
  /** Whether it is there and shown to nobody. False when left out. */
  readonly cancelled?: boolean;
  /** Whether the rival has bid on some of its lots. False when left out. */
  readonly rivals?: boolean;
}

/** A lot of a seed. Whatever is left out is invented. */
export interface SeedLot {
  /** `lot_…`. */
  readonly id?: string;
  /** INR decimal string. */
  readonly starting_price?: string;
  readonly vehicle?: SeedVehicle;
  /** The bank's own fields by label, private ones included, in place of the invented ones. */
  readonly bank_fields?: Readonly<Record<string, string | number | boolean | null>>;
  /** Fields shown in the auction by software field id, in place of the invented ones. */
  readonly public_fields?: Readonly<
    Record<string, { readonly label: string; readonly value: string | number | null }>
  >;
  /** How many photos it has. */
  readonly photos?: number;
  /** How many documents it has. */
  readonly documents?: number;
  /** Whether it is there and shown to nobody. False when left out. */
  readonly withdrawn?: boolean;
  /** Bids that were accepted before the sandbox starts, oldest first. */
  readonly bids?: readonly SeedBid[];
}

/** What is known of a vehicle of a seed: the standard keys of `vehicle_details`, and its category. */
export type SeedVehicle = Partial<VehicleDetails & { readonly category: string }>;

/** A bid that exists when the sandbox starts. It must follow all bidding rules. */
export interface SeedBid {
  readonly by: PartnerName;
  /** INR decimal string. */
  readonly amount: string;
  /** The buyer: of platforms and aggregators, and of nobody else. */
  readonly bidder_reference?: string;
}

/** What is different about a party. */
export interface SeedCredentials {
  readonly clientId?: string;
  readonly keyId?: string;
  readonly signingSecret?: string;
  /** The linked bidding dealer; null for none. Partners only. */
  readonly dealerId?: string | null;
  /** In place of all that its kind may have. */
  readonly scopes?: readonly string[];
  /** Any other facts, as `sandbox.partners.update()` takes them; `auctions` takes labels too. */
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
/** Everybody whom a sandbox invents credentials for. */
export const partyNames = [...partners, 'bank', 'bankChecker', 'otherBank'] as const;

const vehicle = fields({
  registration_number: text(40),
  make: text(120),
  model: text(120),
  year: whole(1900, 2200),
  region: text(120),
  vehicle_type: text(120),
  category: text(120),
  yard: text(240).nullable(),
  title: text(240),
  bank_reference: text(120),
  condition: text(240),
}).partial();

const bid = fields({
  by: word(partners),
  amount: money,
  bidder_reference: shaped(/^[A-Za-z0-9_-]{1,120}$/, '1 to 120 letters, digits, "_" and "-"').optional(),
});

const publicField = fields({
  label: text(240),
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
  name: text(240),
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
  dealerId: text(32).nullable(),
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

/** A copy of a seed. Throws a RangeError that names every wrong field, and what it may hold. */
export function checkSeed(value: unknown): SandboxSeed {
  check(seed, value, 'seed');
  // Plain JSON: without fields that are undefined.
  return JSON.parse(JSON.stringify(value));
}

/** The shape of a seed as JSON Schema, for editors. */
export function seedJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(seed, { io: 'input' });
}

/** What a sandbox is to begin with. */
export interface SeedPlan {
  /** What all that is invented is drawn from. */
  readonly random: number;
  readonly auctions: readonly SeedAuction[];
  /** How many of them, the first ones, are the sandbox's own. */
  readonly builtIn: number;
  readonly credentials: NonNullable<SandboxSeed['credentials']>;
}

const builtIns = { small, busy };

/** What the option `seed` asks for. Throws a RangeError when it can't be meant. */
export function planOf(wanted: number | 'small' | 'busy' | SandboxSeed): SeedPlan {
  if (typeof wanted === 'number' && Number.isSafeInteger(wanted)) return planOf({ random: wanted });
  if (wanted === 'small' || wanted === 'busy') return planOf({ like: wanted });
  const { random = 1, auctions: own, credentials = {}, like } = checkSeed(wanted);
  const name = like ?? (own === undefined ? 'small' : undefined);
  const builtIn = name === undefined ? [] : (builtIns[name].auctions as readonly SeedAuction[]);
  return { random, auctions: [...builtIn, ...(own ?? [])], builtIn: builtIn.length, credentials };
}
