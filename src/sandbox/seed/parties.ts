import type { Actor, PartnerType } from '../../api/operation.js';
import { scopes as allScopes, type Scope } from '../../api/scopes.js';
import { findAuction, type Store } from '../auctions/store.js';
import { actorsOf, allOperations } from '../http/router.js';
import type { AccessFacts, Parties, Party } from '../parties.js';
import { nameOf } from '../schema.js';
import { type PartyName, partyNames, type SandboxSeed, type SeedCredentials } from './seed.js';

export const bankId = 'bank_7c1e04a9';
export const otherBankId = 'bank_2f90d3b6';

/**
 * The invented clients: the `bankChecker` for decisions that two have to make, the `otherBank` with its own auctions, and
 * the `rival`, a second dealer.
 */
export type SeededParties = Readonly<Record<PartyName, Party>>;

/** What the invented clients begin with: each is able to do all that its kind may do. */
export interface Beginnings {
  readonly environment: string;
  readonly allowedIps: readonly string[] | null;
  /** Ids of the auctions that are assigned to a party. */
  auctionsOf(name: PartyName): readonly string[];
  /** When limit and deposit lapse, Unix milliseconds. */
  readonly lapse: number;
}

export function seedParties({ environment, allowedIps, auctionsOf, lapse }: Beginnings): SeededParties {
  const party = (
    name: PartyName,
    own: Pick<Party, 'actor' | 'partnerType' | 'partnerId' | 'bankId'>,
    dealerId: string | null,
  ): Party => {
    const written = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const facts: AccessFacts = {
      active: true,
      keyRevoked: false,
      expiresAt: null,
      environment,
      allowedIps,
      partnerActive: true,
      kyb: true,
      agreement: true,
      bankSubscription: true,
      scopes: scopesOf(own.actor),
      resultsEntitled: true,
      auctions: auctionsOf(own.actor === 'bank' ? 'bank' : name),
      resourceGranted: true,
      channelGranted: true,
      dealerId,
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
    return {
      clientId: `client_sbx_${written}`,
      keyId: `key_sbx_${written}_1`,
      signingSecret: `sandbox-only-secret-of-the-${written}-0123456789`,
      ...own,
      facts,
    };
  };
  const partner = (name: PartyName, partnerType: PartnerType, partnerId: string, dealerId: string) =>
    party(name, { actor: 'partner', partnerType, partnerId, bankId }, dealerId);
  const bank = (name: PartyName, ownId: string) =>
    party(name, { actor: 'bank', partnerType: null, partnerId: null, bankId: ownId }, null);
  return {
    dealer: partner('dealer', 'direct_dealer', 'ptn_4be17c', 'D-204'),
    platform: partner('platform', 'platform', 'ptn_90a2d5', 'D-310'),
    aggregator: partner('aggregator', 'aggregator', 'ptn_c3f86e', 'D-415'),
    rival: partner('rival', 'direct_dealer', 'ptn_17d9b0', 'D-911'),
    bank: bank('bank', bankId),
    bankChecker: bank('bankChecker', bankId),
    otherBank: bank('otherBank', otherBankId),
  };
}

/** Every scope that credentials of such an actor can carry. */
function scopesOf(actor: Actor): readonly Scope[] {
  const own = new Set(
    allOperations.flatMap((operation) => (actorsOf(operation).includes(actor) ? [operation.scope] : [])),
  );
  return allScopes.filter((scope) => own.has(scope));
}

type Changes = NonNullable<SandboxSeed['credentials']>;

/** The parties under the ids, secrets and scopes that a seed gives them. Throws a RangeError where two would be one. */
export function withCredentials(parties: SeededParties, changes: Changes): SeededParties {
  const changed = { ...parties };
  for (const [name, change] of changesOf(changes)) changed[name] = known(parties[name], change, name);
  const seen = new Set<string>();
  // Whose id was changed is the one to complain of, so those come last.
  for (const name of [...partyNames].sort((a, b) => Number(a in changes) - Number(b in changes))) {
    const { clientId } = changed[name];
    if (seen.has(clientId)) {
      const where = nameOf('seed', ['credentials', name, 'clientId']);
      throw new RangeError(`${where} is ${clientId}, which is taken`);
    }
    seen.add(clientId);
  }
  return changed;
}

/** Changes the facts that a seed has something else for. Throws a RangeError for a value that can't be one. */
export function changeFacts(parties: SeededParties, all: Parties, store: Store, changes: Changes): void {
  for (const [name, { facts }] of changesOf(changes)) {
    if (facts === undefined) continue;
    const auctions = facts.auctions?.map((idOrLabel) => {
      const found = findAuction(store, idOrLabel);
      if (found !== undefined) return found.id;
      const where = nameOf('seed', ['credentials', name, 'facts', 'auctions']);
      throw new RangeError(`${where}: there is no auction ${JSON.stringify(idOrLabel)}`);
    });
    all.update(parties[name].clientId, { ...facts, ...(auctions !== undefined && { auctions }) });
  }
}

function known(party: Party, change: SeedCredentials, name: PartyName): Party {
  const { facts: _, dealerId = party.facts.dealerId, scopes: given, ...ids } = change;
  if (change.dealerId !== undefined && party.actor === 'bank') {
    const where = nameOf('seed', ['credentials', name]);
    throw new RangeError(`${where} has no field "dealerId": it is of partners`);
  }
  const scopes =
    given === undefined ? party.facts.scopes : allScopes.filter((scope) => given.includes(scope));
  return { ...party, ...ids, facts: { ...party.facts, dealerId, scopes } };
}

function changesOf(changes: Changes): (readonly [PartyName, SeedCredentials])[] {
  return partyNames.flatMap((name) => {
    const change = changes[name];
    return change === undefined ? [] : [[name, change] as const];
  });
}
