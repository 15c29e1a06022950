import type { PartnerType } from '../../api/operation.js';
import { type AccessFacts, bankScopes, type Party, partnerScopes } from '../parties.js';
import type { PartnerName, PartyName } from './seed.js';

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
    emdAmount: '100000.00',
    approvalLimit: null,
    limitUntil: lapse,
    emdUntil: lapse,
  };
}
