import * as z from 'zod';
import type { Actor, PartnerType } from '../api/operation.js';
import { type Scope, scopes } from '../api/scopes.js';
import { isAddressOrBlock } from './addresses.js';
import type { Ids } from './ids.js';
import { check, fields, moment, money, word, yesOrNo } from './schema.js';
import type { Moment } from './times.js';

/** Invented credentials of one sandbox party. */
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

/** Facts that decide whether a client has access and can bid. Tests can change them. */
export interface AccessFacts {
  /** Whether the API client is active. */
  active: boolean;
  keyRevoked: boolean;
  /** Expiry of the credentials; null for none. */
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
  /** Whether the client can list results. The scope is required too. */
  resultsEntitled: boolean;
  /** Ids of the auctions assigned to the partner. */
  auctions: readonly string[];
  /** Whether the lots are granted to the client. */
  resourceGranted: boolean;
  /** Whether the lots are listed for the client's channel. */
  channelGranted: boolean;
  /** The linked bidding dealer; null for none. */
  dealerId: string | null;
  /** Whether the linked dealer exists. */
  dealerExists: boolean;
  /** Whether the linked dealer can bid through this client. */
  buyerEntitled: boolean;
  /** `approved`, or any other status. */
  kycStatus: string;
  /** `approved`, or any other status. */
  emdStatus: string;
  blocked: boolean;
  /** Highest amount that the dealer can bid, INR decimal string. */
  buyerLimit: string;
  /** Highest sale amount that a bank credential can approve, INR decimal string; null for no limit. */
  approvalLimit: string | null;
  /** Expiry of the buyer limit; null for none. */
  limitUntil: Moment | null;
  /** Expiry of the deposit; null for none. */
  emdUntil: Moment | null;
}

const names = z.array(z.string(), 'must be a list of texts');
/** Schema of access facts in `partners.update()`, seeds and the control interface. */
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

/** Schema of a change of access facts. */
export const someFacts = accessFacts.partial();

/** A signing key. */
export interface SigningKey {
  readonly keyId: string;
  readonly signingSecret: string;
}

/** One API client of the sandbox. */
export interface Party {
  readonly clientId: string;
  /** Id of the current key. Revoked keys are in `formerKeys`. */
  keyId: string;
  signingSecret: string;
  formerKeys?: readonly SigningKey[];
  readonly actor: Actor;
  readonly partnerType: PartnerType | null;
  readonly partnerId: string | null;
  readonly bankId: string;
  facts: AccessFacts;
}

/** The sandbox's clients with their keys and access facts. */
export class Parties {
  readonly #byClient = new Map<string, Party>();

  constructor(parties: readonly Party[]) {
    for (const party of parties) this.add(party);
  }

  /** Adds a client. Throws a RangeError if the client id is already in use. */
  add(party: Party): void {
    const { clientId } = party;
    if (this.#byClient.has(clientId))
      throw new RangeError(`The client id ${clientId} is already in use. Choose another one.`);
    this.#byClient.set(clientId, party);
  }

  all(): Party[] {
    return [...this.#byClient.values()];
  }

  find(clientId: string): Party | undefined {
    return this.#byClient.get(clientId);
  }

  /** Returns a client. Throws a RangeError if it is unknown. */
  known(clientId: string): Party {
    const party = this.#byClient.get(clientId);
    if (party !== undefined) return party;
    const all = [...this.#byClient.keys()].join(', ');
    throw new RangeError(`No client has the id ${JSON.stringify(clientId)}. Clients: ${all}.`);
  }

  /** All other keys with their owners. */
  others(than: SigningKey): { readonly whose: string; readonly signingSecret: string }[] {
    return this.all().flatMap((party) =>
      [party, ...(party.formerKeys ?? [])]
        .filter(({ keyId }) => keyId !== than.keyId)
        .map(({ keyId, signingSecret }) => ({ whose: `${party.clientId} (${keyId})`, signingSecret })),
    );
  }

  /** Returns a copy of a client's facts. Throws a RangeError for an unknown client. */
  facts(clientId: string): AccessFacts {
    return { ...this.known(clientId).facts };
  }

  /** Changes facts of a client at once. Throws a RangeError for an unknown client or an invalid value. */
  update(clientId: string, change: Partial<AccessFacts>): void {
    const party = this.known(clientId);
    check(someFacts, change, 'facts');
    party.facts = { ...party.facts, ...change };
  }
}

/** Gives a client a new key and revokes the old one. */
export function rotateKey(ids: Ids, party: Party): Party {
  const { keyId, signingSecret, formerKeys = [] } = party;
  party.formerKeys = [...formerKeys, { keyId, signingSecret }];
  party.keyId = ids.next('key');
  party.signingSecret = `sandbox-only-${ids.next('secret')}`;
  return party;
}

/** Finds a key by id, including revoked ones. */
export function signingKeyOf(party: Party, keyId: string): SigningKey | undefined {
  return keyId === party.keyId ? party : party.formerKeys?.find((key) => key.keyId === keyId);
}
