import type { PartnerType } from '../../api/operation.js';
import { scopes as allScopes, type Scope } from '../../api/scopes.js';
import type { Store } from '../auctions/store.js';
import { type AccessFacts, bankScopes, type Parties, type Party, partnerScopes } from '../parties.js';
import { nameOf } from '../schema.js';
import {
  type PartnerName,
  type PartyName,
  partyNames,
  type SandboxSeed,
  type SeedCredentials,
} from './seed.js';

export const bankId = 'bank_7c1e04a9';
export const otherBankId = 'bank_2f90d3b6';

export interface SeededParties {
  readonly dealer: Party;
  readonly platform: Party;
  readonly aggregator: Party;
  readonly bank: Party;
  /** A second credential of the same bank, for decisions that two have to make. */
  readonly bankChecker: Party;
  /** A bank with auctions of its own, which the others have nothing to do with. */
  readonly otherBank: Party;
  /** A second dealer, in whose name rival bids are placed. */
  readonly rival: Party;
}

/**
 * The invented clients, each able to do all that its kind may do, until `lapse` (Unix milliseconds). `auctions` tells which
 * are assigned to whom, by id.
 */
export function seedParties(
  environment: string,
  allowedIps: readonly string[] | null,
  auctions: (of: PartyName) => readonly string[],
  lapse: number,
): SeededParties {
  const partner = (
    name: PartnerName,
    partnerType: PartnerType,
    partnerId: string,
    dealerId: string,
  ): Party => ({
    clientId: `client_sbx_${name}`,
    keyId: `key_sbx_${name}_1`,
    signingSecret: `sandbox-only-secret-of-the-${name}-0123456789`,
    actor: 'partner',
    partnerType,
    partnerId,
    bankId,
    facts: { ...open(environment, allowedIps, auctions(name), lapse), scopes: partnerScopes, dealerId },
  });
  const bank = (name: string, ownId: string): Party => ({
    clientId: `client_sbx_${name}`,
    keyId: `key_sbx_${name}_1`,
    signingSecret: `sandbox-only-secret-of-the-${name}-0123456789`,
    actor: 'bank',
    partnerType: null,
    partnerId: null,
    bankId: ownId,
    facts: { ...open(environment, allowedIps, auctions('bank'), lapse), scopes: bankScopes },
  });
  return {
    dealer: partner('dealer', 'direct_dealer', 'ptn_4be17c', 'D-204'),
    platform: partner('platform', 'platform', 'ptn_90a2d5', 'D-310'),
    aggregator: partner('aggregator', 'aggregator', 'ptn_c3f86e', 'D-415'),
    rival: partner('rival', 'direct_dealer', 'ptn_17d9b0', 'D-911'),
    bank: bank('bank', bankId),
    bankChecker: bank('bank_checker', bankId),
    otherBank: bank('other_bank', otherBankId),
  };
}

function open(
  environment: string,
  allowedIps: readonly string[] | null,
  auctions: readonly string[],
  lapse: number,
): AccessFacts {
  return {
    active: true,
    keyRevoked: false,
    expiresAt: null,
    environment,
    allowedIps,
    partnerActive: true,
    kyb: true,
    agreement: true,
    bankSubscription: true,
    scopes: [],
    resultsEntitled: true,
    auctions,
    resourceGranted: true,
    channelGranted: true,
    dealerId: null,
    dealerExists: true,
    buyerEntitled: true,
    kycStatus: 'approved',
    emdStatus: 'approved',
    blocked: false,
    buyerLimit: '5000000.00',
    approvalLimit: null,
    limitUntil: lapse,
    emdUntil: lapse,
  };
}

type Changes = NonNullable<SandboxSeed['credentials']>;

/** The parties under the ids, secrets and scopes that a seed gives them. Throws a RangeError where two would be one. */
export function withCredentials(parties: SeededParties, changes: Changes): SeededParties {
  const changed: SeededParties = { ...parties };
  for (const [name, change] of changesOf(changes)) {
    Object.assign(changed, { [name]: known(parties[name], change, name) });
  }
  const seen = new Set<string>();
  // Whose id was changed is the one to complain of, so those come last.
  const inTurn = Object.entries(changed).sort(
    ([one], [other]) => Number(one in changes) - Number(other in changes),
  );
  for (const [name, { clientId }] of inTurn) {
    if (seen.has(clientId)) {
      throw new RangeError(
        `${nameOf('seed', ['credentials', name, 'clientId'])} is ${clientId}, which is taken`,
      );
    }
    seen.add(clientId);
  }
  return changed;
}

/** Changes the facts that a seed has something else for. Throws a RangeError for a value that can't be one. */
export function changeFacts(parties: SeededParties, all: Parties, store: Store, changes: Changes): void {
  for (const [name, { facts }] of changesOf(changes)) {
    if (facts === undefined) continue;
    const { clientId } = parties[name];
    const where = nameOf('seed', ['credentials', name, 'facts']);
    const auctions = facts.auctions?.map((each) => auctionId(store, each, `${where}.auctions`));
    all.update(clientId, { ...facts, ...(auctions !== undefined && { auctions }) });
  }
}

function known(party: Party, change: SeedCredentials, name: PartyName): Party {
  const { clientId, keyId, signingSecret, dealerId, scopes } = change;
  if (dealerId !== undefined && party.actor === 'bank') {
    throw new RangeError(
      `${nameOf('seed', ['credentials', name])} has no field "dealerId": it is of partners`,
    );
  }
  const isNamed = (scope: Scope) => scopes?.includes(scope);
  return {
    ...party,
    clientId: clientId ?? party.clientId,
    keyId: keyId ?? party.keyId,
    signingSecret: signingSecret ?? party.signingSecret,
    facts: {
      ...party.facts,
      ...(dealerId !== undefined && { dealerId }),
      ...(scopes !== undefined && { scopes: allScopes.filter(isNamed) }),
    },
  };
}

function auctionId(store: Store, idOrLabel: string, where: string): string {
  const found =
    store.auctions.get(idOrLabel) ?? [...store.auctions.values()].find(({ label }) => label === idOrLabel);
  if (found === undefined) throw new RangeError(`${where}: there is no auction ${JSON.stringify(idOrLabel)}`);
  return found.id;
}

function changesOf(changes: Changes): (readonly [PartyName, SeedCredentials])[] {
  return partyNames.flatMap((name) => {
    const change = changes[name];
    return change === undefined ? [] : [[name, change] as const];
  });
}
