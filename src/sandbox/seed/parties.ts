import type { Actor, PartnerType } from '../../api/operation.js';
import { scopes as allScopes, type Scope } from '../../api/scopes.js';
import { actorsOf, allOperations } from '../http/router.js';
import type { AccessFacts, Party } from '../parties.js';
import { findAuction } from '../records.js';
import { fieldPath } from '../schema.js';
import type { World } from '../world.js';
import { type PartyName, partyNames, type SandboxSeed } from './seed.js';

export const bankId = 'bank_7c1e04a9';
export const otherBankId = 'bank_2f90d3b6';

/**
 * The invented clients. `bankChecker` is the bank's second approver, `otherBank` has separate auctions, and
 * `rival` is a second dealer.
 */
export type SeededParties = Readonly<Record<PartyName, Party>>;

type Changes = NonNullable<SandboxSeed['credentials']>;

/** Identities of the invented clients, without their permissions. */
const invented = {
  dealer: partner('direct_dealer', 'ptn_4be17c', 'D-204'),
  platform: partner('platform', 'ptn_90a2d5', 'D-310'),
  aggregator: partner('aggregator', 'ptn_c3f86e', 'D-415'),
  rival: partner('direct_dealer', 'ptn_17d9b0', 'D-911'),
  bank: bank(bankId),
  bankChecker: bank(bankId),
  otherBank: bank(otherBankId),
};

function partner(partnerType: PartnerType, partnerId: string, dealerId: string) {
  return { actor: 'partner' as const, partnerType, partnerId, bankId, dealerId };
}

function bank(ownId: string) {
  return { actor: 'bank' as const, partnerType: null, partnerId: null, bankId: ownId, dealerId: null };
}

/** Creates the parties with all permissions of their role. The seed can override ids, secrets and scopes. */
export function seedParties(
  common: Pick<AccessFacts, 'environment' | 'allowedIps' | 'limitUntil' | 'emdUntil'>,
  auctionsOf: (name: PartyName) => readonly string[],
  changes: Changes,
): SeededParties {
  const party = (name: PartyName): Party => {
    const { facts: _, dealerId, scopes, ...ids } = changes[name] ?? {};
    const { dealerId: own, ...who } = invented[name];
    const written = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return {
      clientId: `client_sbx_${written}`,
      keyId: `key_sbx_${written}_1`,
      signingSecret: `sandbox-only-secret-of-the-${written}-0123456789`,
      ...who,
      ...ids,
      facts: {
        active: true,
        keyRevoked: false,
        expiresAt: null,
        partnerActive: true,
        kyb: true,
        agreement: true,
        bankSubscription: true,
        scopes: scopesOf(who.actor, scopes),
        resultsEntitled: true,
        auctions: auctionsOf(who.actor === 'bank' ? 'bank' : name),
        resourceGranted: true,
        channelGranted: true,
        dealerId: dealerId === undefined ? own : dealerId,
        dealerExists: true,
        buyerEntitled: true,
        kycStatus: 'approved',
        emdStatus: 'approved',
        blocked: false,
        buyerLimit: '5000000.00',
        approvalLimit: null,
        ...common,
      },
    };
  };
  return Object.fromEntries(partyNames.map((name) => [name, party(name)])) as SeededParties;
}

/** The given scopes, or every scope available to the actor. */
function scopesOf(actor: Actor, given: readonly string[] | undefined): readonly Scope[] {
  const own = allOperations.filter((operation) => actorsOf(operation).includes(actor));
  const wanted = new Set<string>(given ?? own.map(({ scope }) => scope));
  return allScopes.filter((scope) => wanted.has(scope));
}

/** Applies the facts of a seed. Throws a RangeError for an unknown auction or an invalid value. */
export function changeFacts(parties: SeededParties, world: World, changes: Changes): void {
  for (const name of partyNames) {
    const { facts } = changes[name] ?? {};
    if (facts === undefined) continue;
    const auctions = facts.auctions?.map((idOrLabel) => {
      const found = findAuction(world.store, idOrLabel);
      if (found !== undefined) return found.id;
      const where = fieldPath('seed', ['credentials', name, 'facts', 'auctions']);
      throw new RangeError(
        `${where} must list ids or labels of auctions: there is no auction ${JSON.stringify(idOrLabel)}`,
      );
    });
    world.parties.update(parties[name].clientId, { ...facts, ...(auctions !== undefined && { auctions }) });
  }
}
