import { describe, expect, it } from 'vitest';
import { BankClient } from '../../src/client/bank-client.js';
import { rejection } from '../support/clients.js';
import { stage } from './stage.js';

describe('what a bank can do to a partner, the partner learns in plain words', () => {
  // rule: general.7
  it.each([
    [{ active: false }, 'AuthenticationError', 'API_CLIENT_NOT_ACTIVE'],
    [{ keyRevoked: true }, 'AuthenticationError', 'KEY_REVOKED'],
    [{ kyb: false }, 'PermissionError', 'KYB_REQUIRED'],
    [{ agreement: false }, 'PermissionError', 'AGREEMENT_REQUIRED'],
    [{ bankSubscription: false }, 'PermissionError', 'BANK_UNAVAILABLE'],
    [{ partnerActive: false }, 'PermissionError', 'PARTNER_NOT_ACTIVE'],
    [{ scopes: [] }, 'PermissionError', 'SCOPE_DENIED'],
    [{ allowedIps: ['10.0.0.1'] }, 'PermissionError', 'IP_NOT_ALLOWED'],
    [{ environment: 'production' }, 'PermissionError', 'ENVIRONMENT_DENIED'],
    [{ blocked: true }, 'BidRejectedError', 'DEALER_NOT_ELIGIBLE'],
    [{ dealerId: 'D-999' }, 'PermissionError', 'BUYER_NOT_ELIGIBLE'],
    [{ emdUntil: 0 }, 'PermissionError', 'EMD_EXPIRED'],
  ])('%o', async (change, name, code) => {
    await using world = await stage();
    const { sandbox, dealer } = world;
    // Before a first write the client would ask, and refuse a dealer id that is not its own.
    await dealer.integration.profile();
    sandbox.partners.update(sandbox.credentials.dealer.clientId, change);
    const [lot] = sandbox.auctions.get('live-open').lots;
    const error = await rejection(dealer.bids.submit(lot?.id ?? '', { amount: lot?.startingPrice ?? '' }));
    expect(error).toMatchObject({ name, code });
    expect(sandbox.ledger()).toEqual([]);
  });

  it('a wrong secret is called by its name', async () => {
    await using world = await stage();
    const { sandbox } = world;
    const { dealer } = sandbox.credentials;
    await using stranger = new BankClient({
      environment: 'sandbox',
      baseUrl: sandbox.baseUrl,
      credentials: { ...dealer, signingSecret: 'another secret' },
      clock: sandbox.clock,
    });
    expect(await rejection(stranger.integration.profile())).toMatchObject({
      name: 'AuthenticationError',
      code: 'INVALID_SIGNATURE',
      outcome: 'refused',
    });
  });
});
