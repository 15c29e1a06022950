import type { AccessFacts } from '../parties.js';

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
  /** What it answers to in the sandbox's hands, beside its id. */
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

/** What is known of a vehicle of a seed. */
export interface SeedVehicle {
  readonly registration_number?: string;
  readonly make?: string;
  readonly model?: string;
  readonly year?: number;
  readonly region?: string;
  readonly vehicle_type?: string;
  readonly category?: string;
  readonly yard?: string | null;
  readonly title?: string;
  readonly bank_reference?: string;
  readonly condition?: string;
}

/** A bid that stands when the sandbox starts. It keeps to all rules. */
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
