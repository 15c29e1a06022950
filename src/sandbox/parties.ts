import type { Actor, PartnerType } from '../api/operation.js';
import { type Scope, scopes } from '../api/scopes.js';
import { blockList } from './addresses.js';
import type { SigningKey } from './keys.js';
import { paise } from './money.js';
import { type Moment, unixMs } from './times.js';

/** What a caller needs to sign for one of the sandbox's parties. All of it is invented. */
export interface SandboxCredentials {
  readonly clientId: string;
  readonly keyId: string;
  readonly signingSecret: string;
  readonly environment: string;
  /** Absent for the bank. */
  readonly partnerType?: PartnerType;
  /** The bidding dealer id; absent for the bank. */
  readonly dealerId?: string;
}

/** What decides whether a client gets in and may bid; tests change these. */
export interface AccessFacts {
  /** Whether the API client is active. */
  active: boolean;
  keyRevoked: boolean;
  /** When the credentials expire; null never. */
  expiresAt: Moment | null;
  /** The environment that the credentials were issued for. */
  environment: string;
  /** Approved source addresses or CIDR blocks; null approves every address. */
  allowedIps: readonly string[] | null;
  /** Whether the partner account behind the client is active. */
  partnerActive: boolean;
  /** Whether KYB is approved. */
  kyb: boolean;
  /** Whether the agreement is effective. */
  agreement: boolean;
  /** Whether the bank's subscription is active. */
  bankSubscription: boolean;
  scopes: readonly Scope[];
  /** Whether results may be listed, beside the scope for them. */
  resultsEntitled: boolean;
  /** Ids of the auctions assigned to the partner. */
  auctions: readonly string[];
  /** Whether the lots are granted to the client. */
  resourceGranted: boolean;
  /** Whether the lots are listed for the client's channel. */
  channelGranted: boolean;
  /** The linked bidding dealer; null when none is linked. */
  dealerId: string | null;
  /** Whether that dealer exists. */
  dealerExists: boolean;
  /** Whether that dealer may bid through this client. */
  buyerEntitled: boolean;
  /** `approved`, or anything else. */
  kycStatus: string;
  /** `approved`, or anything else. */
  emdStatus: string;
  blocked: boolean;
  /** Highest amount the dealer may bid, INR decimal string. */
  buyerLimit: string;
  /** The deposit, INR decimal string; it adds to the limit where `buyer-limit-and-emd` says so. */
  emdAmount: string;
  /** Of a bank's credential: the highest amount of a sale that it may approve, INR decimal string; null for any. */
  approvalLimit: string | null;
  /** When the approval of the limit lapses; null never. */
  limitUntil: Moment | null;
  /** When the deposit lapses; null never. */
  emdUntil: Moment | null;
}

/** One API client of the sandbox. */
export interface Party {
  readonly clientId: string;
  /** The current key; the former ones stand beside it. */
  keyId: string;
  signingSecret: string;
  formerKeys?: readonly SigningKey[];
  readonly actor: Actor;
  readonly partnerType: PartnerType | null;
  readonly partnerId: string | null;
  readonly bankId: string;
  facts: AccessFacts;
}

/** The sandbox's clients: whom requests are signed for, and what they may do. */
export class Parties {
  readonly #byClient: Map<string, Party>;

  constructor(parties: readonly Party[]) {
    this.#byClient = new Map(parties.map((party) => [party.clientId, party]));
  }

  /** Lets one more in. */
  add(party: Party): void {
    this.#byClient.set(party.clientId, party);
  }

  all(): Party[] {
    return [...this.#byClient.values()];
  }

  find(clientId: string): Party | undefined {
    return this.#byClient.get(clientId);
  }

  /** Every other key there is, and whose it is. */
  others(than: SigningKey): { readonly whose: string; readonly signingSecret: string }[] {
    return this.all().flatMap((party) =>
      [party, ...(party.formerKeys ?? [])]
        .filter(({ keyId }) => keyId !== than.keyId)
        .map(({ keyId, signingSecret }) => ({ whose: `${party.clientId} (${keyId})`, signingSecret })),
    );
  }

  /** A copy of a client's facts; throws for an unknown client. */
  facts(clientId: string): AccessFacts {
    return { ...this.known(clientId).facts };
  }

  /** Changes some facts of a client at once; throws for an unknown client or a value that can't be one. */
  update(clientId: string, change: Partial<AccessFacts>): void {
    const party = this.known(clientId);
    const unknown = Object.keys(change).filter((fact) => !(fact in party.facts));
    if (unknown.length > 0) {
      throw new RangeError(`no fact ${unknown.join(', ')}; facts are ${Object.keys(party.facts).join(', ')}`);
    }
    const facts = { ...party.facts, ...change };
    paise(facts.buyerLimit);
    if (facts.approvalLimit !== null) paise(facts.approvalLimit);
    paise(facts.emdAmount);
    blockList(facts.allowedIps ?? []);
    for (const moment of [facts.limitUntil, facts.emdUntil, facts.expiresAt])
      if (moment !== null) unixMs(moment);
    party.facts = facts;
  }

  /** Throws a RangeError for an unknown client. */
  known(clientId: string): Party {
    const party = this.#byClient.get(clientId);
    if (party === undefined)
      throw new RangeError(
        `the sandbox has no client ${JSON.stringify(clientId)}; it has ${[...this.#byClient.keys()].join(', ')}`,
      );
    return party;
  }
}

/** Every scope that a partner's credentials can carry: all but the bank's own decisions and records. */
export const partnerScopes: readonly Scope[] = scopes.filter((scope) => !bankOnly().has(scope));

/** Every scope that a bank's credentials can carry. */
export const bankScopes: readonly Scope[] = scopes.filter((scope) => !partnerOnly().has(scope));

function bankOnly(): ReadonlySet<Scope> {
  return new Set<Scope>([
    'sales:approve',
    'sales:cancel-approve',
    'bids:cancel-approve',
    'offers:write',
    'payments:verify',
    'payments:allocate',
    'receipts:import',
    'refunds:approve',
    'release:approve',
    'release:revoke',
    'collection:confirm',
    'transfer:write',
    'inventory:write',
    'inventory-schema:read',
  ]);
}

function partnerOnly(): ReadonlySet<Scope> {
  return new Set<Scope>([
    'bids:write',
    'eligibility:read',
    'bids:cancel-request',
    'lot-status:read',
    'sales:acknowledge',
    'offers:respond',
    'payments:report',
    'notifications:acknowledge',
  ]);
}
