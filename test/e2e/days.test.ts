import { describe, expect, it } from 'vitest';
import { BankClient } from '../../src/client/bank-client.js';
import { responseOf } from '../../src/core/reply/reply.js';
import { rejection } from '../support/clients.js';
import { stage } from './stage.js';

describe.each(['', '/index.php'])('a day behind the prefix "%s"', (prefix) => {
  it('of a dealer: discover, bid, be outbid, look up, cancel', async () => {
    await using world = await stage(prefix);
    const { sandbox, dealer } = world;
    expect((await dealer.integration.profile()).dealer_id).toBe('D-204');
    expect((await dealer.integration.capabilities()).api_versions).toEqual(['v1']);

    const events = await dealer.events.list({ status: 'all', per_page: 2 }).toArray();
    expect(events.length).toBeGreaterThan(4);
    const event = await dealer.events.get(sandbox.auctions.get('live-open').id);
    const lots = await dealer.events.lots(event.id, { per_page: 7 }).toArray();
    expect(lots).toHaveLength(event.eligible_lots_count ?? 0);
    expect((await dealer.lots.list().toArray()).length).toBeGreaterThan(25);

    const [lot] = lots;
    if (lot === undefined) throw new Error('no lots');
    const receipt = await dealer.bids.submit(lot.id, { amount: lot.starting_price });
    expect(receipt).toMatchObject({
      status: 'accepted',
      bidder_status: 'leading',
      current_amount: lot.starting_price,
    });
    const key = responseOf(receipt).idempotencyKey ?? '';
    expect(await dealer.bids.lookup(key)).toMatchObject({ state: 'accepted', idempotency_key: key });
    expect(await dealer.bids.get(receipt.bid_id)).toMatchObject({ lot_id: lot.id, status: 'accepted' });

    const bid = { amount: lot.starting_price };
    const again = await dealer.bids.submit(lot.id, bid, { idempotencyKey: key });
    expect(again).toEqual(receipt);
    expect(responseOf(again).replayed).toBe(true);
    // With its store lost, the service tells it, and A05 that it is this bid.
    const replayed = await world.forgetful.bids.submit(lot.id, bid, { idempotencyKey: key });
    expect([replayed.replayed, replayed.bid_id, sandbox.ledger().length]).toEqual([true, receipt.bid_id, 1]);

    sandbox.actors.rival.bid(lot.id, String(Number(lot.starting_price) + Number(event.bid_increment)));
    expect((await dealer.lots.status(lot.id)).own_standing).toBe('outbid');
    expect(await dealer.lots.statusBatch({ lot_ids: [lot.id, 'lot_none'] })).toMatchObject([
      { status: 200 },
      { status: 404, code: 'NOT_FOUND' },
    ]);

    const low = await rejection(dealer.bids.submit(lot.id, { amount: lot.starting_price }));
    expect(low).toMatchObject({
      name: 'BidRejectedError',
      outcome: 'rejected',
      codes: ['BID_BELOW_MINIMUM'],
      receipt: { status: 'rejected' },
    });

    const cancellation = await dealer.bids.requestCancellation(receipt.bid_id, {
      reason_code: 'mistake',
      explanation: 'One zero too many',
    });
    expect(cancellation).toMatchObject({
      kind: 'cancellation',
      state: 'pending',
      data: { bid_id: receipt.bid_id },
    });
    expect(await rejection(dealer.events.media(event.id, lot.id, 1))).toMatchObject({
      name: 'NotFoundError',
    });
  });

  it('of a platform: two buyers on one lot', async () => {
    await using world = await stage(prefix);
    const { sandbox, platform } = world;
    const { id } = sandbox.auctions.get('live-closed');
    const [lot] = await platform.events.lots(id, { bidder_reference: 'buyer-1' }).toArray({ limit: 1 });
    if (lot === undefined) throw new Error('no lots');
    await platform.bids.submit(lot.id, { amount: lot.starting_price, bidder_reference: 'buyer-1' });
    await platform.bids.submit(lot.id, { amount: lot.starting_price, bidder_reference: 'buyer-2' });
    const seen = await platform.events.lot(id, lot.id, { bidder_reference: 'buyer-1' });
    expect(seen).toMatchObject({ own_amount: lot.starting_price });
    expect(seen).not.toHaveProperty('highest_amount');
    expect(await platform.bids.list({ bidder_reference: 'buyer-2' }).toArray()).toHaveLength(1);
  });

  // rule: general.5
  it('of a bank: it reads, and does not bid', async () => {
    await using world = await stage(prefix);
    const { sandbox, dealer, bank } = world;
    const [lot] = sandbox.auctions.get('live-open').lots;
    const receipt = await dealer.bids.submit(lot?.id ?? '', { amount: lot?.startingPrice ?? '' });
    expect((await bank.integration.profile()).actor_type).toBe('bank');
    expect((await bank.bids.list().toArray()).map((bid) => bid.public_id)).toContain(receipt.bid_id);
    expect((await bank.bids.get(receipt.bid_id)).amount).toBe(lot?.startingPrice);
    expect(() => Reflect.apply(Reflect.get(bank.bids, 'submit'), bank.bids, ['lot_1', {}])).toThrow(
      /PartnerClient/,
    );
  });
});

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
