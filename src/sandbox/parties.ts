import * as z from 'zod';
import type { Actor, PartnerType } from '../api/operation.js';
import { type Scope, scopes } from '../api/scopes.js';
import { isAddressOrBlock } from './addresses.js';
import type { Ids } from './ids.js';
import { check, fields, moment, money, word, yesOrNo } from './schema.js';
import type { Moment } from './times.js';

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
  /** Whether the client's partner account is active. */
  partnerActive: boolean;
  /** Whether KYB is approved. */
  kyb: boolean;
  /** Whether the agreement is effective. */
  agreement: boolean;
  /** Whether the bank's subscription is active. */
  bankSubscription: boolean;
  scopes: readonly Scope[];
  /** Whether results may be listed; the scope is needed as well. */
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
  /** Of a bank's credential: the highest amount of a sale that it may approve, INR decimal string; null for any. */
  approvalLimit: string | null;
  /** When the approval of the limit lapses; null never. */
  limitUntil: Moment | null;
  /** When the deposit lapses; null never. */
  emdUntil: Moment | null;
}

const names = z.array(z.string(), 'must be a list of texts');
/** The one schema of access facts: of `partners.update()`, of seeds and of the control interface. */
export const accessFacts = fields({
  active: yesOrNo,
  keyRevoked: yesOrNo,
  expiresAt: moment.nullable(),
  environment: z.string('must be text'),
  allowedIps: names
    .nullable()
    .refine(
      (list) => list === null || list.every(isAddressOrBlock),
      'must be null or a list of IP addresses and CIDR blocks',
    ),
  partnerActive: yesOrNo,
  kyb: yesOrNo,
  agreement: yesOrNo,
  bankSubscription: yesOrNo,
  scopes: z.array(word(scopes), 'must be a list of scopes'),
  resultsEntitled: yesOrNo,
  auctions: names,
  resourceGranted: yesOrNo,
  channelGranted: yesOrNo,
  dealerId: z.string('must be null or text').nullable(),
  dealerExists: yesOrNo,
  buyerEntitled: yesOrNo,
  kycStatus: z.string('must be text'),
  emdStatus: z.string('must be text'),
  blocked: yesOrNo,
  buyerLimit: money,
  approvalLimit: money.nullable(),
  limitUntil: moment.nullable(),
  emdUntil: moment.nullable(),
} satisfies Record<keyof AccessFacts, z.ZodType>);

/** Some of them. */
export const someFacts = accessFacts.partial();

/** A key that requests are signed with. */
export interface SigningKey {
  readonly keyId: string;
  readonly signingSecret: string;
}

/** One API client of the sandbox. */
export interface Party {
  readonly clientId: string;
  /** The current key; the former ones are in `formerKeys`. */
  keyId: string;
  signingSecret: string;
  formerKeys?: readonly SigningKey[];
  readonly actor: Actor;
  readonly partnerType: PartnerType | null;
  readonly partnerId: string | null;
  readonly bankId: string;
  facts: AccessFacts;
}

/** The sandbox's clients: who signs requests, and what they may do. */
export class Parties {
  readonly #byClient = new Map<string, Party>();

  constructor(parties: readonly Party[]) {
    for (const party of parties) this.add(party);
  }

  /** Throws a RangeError for a client id that another party has. */
  add(party: Party): void {
    const { clientId } = party;
    if (this.#byClient.has(clientId)) throw new RangeError(`the client id ${clientId} is taken`);
    this.#byClient.set(clientId, party);
  }

  all(): Party[] {
    return [...this.#byClient.values()];
  }

  find(clientId: string): Party | undefined {
    return this.#byClient.get(clientId);
  }

  /** Throws a RangeError for an unknown client. */
  known(clientId: string): Party {
    const party = this.#byClient.get(clientId);
    if (party !== undefined) return party;
    const all = [...this.#byClient.keys()].join(', ');
    throw new RangeError(`the sandbox has no client ${JSON.stringify(clientId)}; it has ${all}`);
  }

  /** Every other key, and whose it is. */
  others(than: SigningKey): { readonly whose: string; readonly signingSecret: string }[] {
    return this.all().flatMap((party) =>
      [party, ...(party.formerKeys ?? [])]
        .filter(({ keyId }) => keyId !== than.keyId)
        .map(({ keyId, signingSecret }) => ({ whose: `${party.clientId} (${keyId})`, signingSecret })),
    );
  }

  /** A copy of a client's facts; throws a RangeError for an unknown client. */
  facts(clientId: string): AccessFacts {
    return { ...this.known(clientId).facts };
  }

  /** Changes some facts of a client at once; throws a RangeError for an unknown client or a value that can't be one. */
  update(clientId: string, change: Partial<AccessFacts>): void {
    const party = this.known(clientId);
    check(someFacts, change, 'facts');
    party.facts = { ...party.facts, ...change };
  }
}

/** Gives a client a new key; the old one is revoked at once. */
export function rotateKey(ids: Ids, party: Party): Party {
  const { keyId, signingSecret, formerKeys = [] } = party;
  party.formerKeys = [...formerKeys, { keyId, signingSecret }];
  party.keyId = ids.next('key');
  party.signingSecret = `sandbox-only-${ids.next('secret')}`;
  return party;
}

/** The key that goes by an id, a former one too: those are revoked. */
export function keyOf(party: Party, keyId: string): SigningKey | undefined {
  return keyId === party.keyId ? party : party.formerKeys?.find((key) => key.keyId === keyId);
}
