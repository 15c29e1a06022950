import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/api/scopes.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, get, lotOf, plus, send } from './caller.js';
import { paid } from './funds.js';
import {
  acknowledgedLot,
  approval,
  approvedLot,
  command,
  done,
  type SoldLot,
  saleOf,
  wonLot,
} from './workflow.js';

let sandbox: Sandbox;
let sold: SoldLot;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

const status = async (who = sold.who) =>
  (await get(sandbox, who, `/api/v1/lots/${sold.lotId}/status`)).json.data;

/** A11 of the lot in the platform's name, for one of its buyers or for nobody. */
const asked = async (bidder_reference?: string) => {
  const body = { lot_ids: [sold.lotId], ...(bidder_reference !== undefined && { bidder_reference }) };
  const path = '/api/v1/lots/status-batch';
  return (await send(sandbox, sandbox.credentials.platform, { path, body })).json.data[0].data;
};

/** A bank's command on the sale, at its current version. */
async function onSale(what: string, content: Record<string, unknown>) {
  const { resource_version } = await saleOf(sandbox, sold.saleId);
  const url = `/api/v1/sale-cases/${sold.saleId}/${what}`;
  return done(
    command(sandbox, sandbox.credentials.bank, url, { expected_version: resource_version, ...content }),
  );
}
const offer = () =>
  onSale('offers', {
    amount: '300000.00',
    currency: 'INR',
    terms_version: 'T1',
    valid_until: '2026-03-02T10:00:00Z',
  });
async function fund(amount: string) {
  const payment = await paid(sandbox, sold, {
    amount,
    utr: `U-${amount}`,
    external_transaction_id: `E-${amount}`,
  });
  const body = { sale_id: sold.saleId, amount, expected_version: 1 };
  await done(command(sandbox, sandbox.credentials.bank, `/api/v1/payments/${payment.id}/allocations`, body));
}
const release = () =>
  onSale('release-authorizations', {
    recipient: 'R. Iyer',
    yard: 'Unity Vehicle Park',
    expires_at: '2026-03-02T10:00:00Z',
    collection_date: '2026-03-02',
  });
async function collect(id: string) {
  const event = sandbox.auctions.get('live-open').id;
  const { data } = (await get(sandbox, sold.who, `/api/v1/events/${event}/lots/${sold.lotId}`)).json;
  const url = `/api/v1/release-authorizations/${id}/collections`;
  const body = { collector: 'R. Iyer', vehicle_identity: data.registration_number, expected_version: 1 };
  return done(command(sandbox, sandbox.credentials.bank, url, body));
}

describe('A10 after the close', () => {
  it('follows the sale to its collection, literally', async () => {
    sold = await wonLot(sandbox);
    const close = await status();
    expect(close).toEqual({
      lot_id: sold.lotId,
      auction_state: 'over',
      inventory_state: 'published',
      resource_version: 4,
      updated_at: '2026-03-01T10:00:00.000Z',
      effective_close_at: '2026-03-01T15:30:00+05:30',
      sale: {
        id: sold.saleId,
        state: 'pending_bank_approval',
        resource_version: 1,
        amount: sold.amount,
        currency: 'INR',
        acknowledged_at: null,
        due_at: null,
      },
      payment: null,
      release: null,
      allowed_actions: [],
      provisional: true,
      own_standing: 'leading',
      own_amount: sold.amount,
      highest_amount: sold.amount,
    });

    const open = await offer();
    expect(await status()).toMatchObject({
      sale: { resource_version: 2 },
      allowed_actions: ['respond_to_offer'],
    });
    const answer = { decision: 'accepted', terms_version: 'T1', expected_version: 1 };
    await done(command(sandbox, sold.who, `/api/v1/offers/${open.id}/responses`, answer));
    expect(await status()).toMatchObject({ sale: { resource_version: 3 }, allowed_actions: [] });

    sandbox.clock.advance(1_000);
    await onSale('decisions', { ...(await approval(sandbox, sold)), offer_id: open.id });
    expect(await status()).toEqual({
      ...close,
      inventory_state: 'sold',
      resource_version: 7,
      updated_at: '2026-03-01T10:00:01.000Z',
      sale: {
        ...close.sale,
        state: 'approved',
        resource_version: 4,
        amount: '300000.00',
        due_at: '2026-03-08T10:00:01.000Z',
      },
      payment: {
        sale_id: sold.saleId,
        state: 'unpaid',
        resource_version: 4,
        due_amount: '300000.00',
        verified_credits: '0.00',
        remaining: '300000.00',
        currency: 'INR',
      },
      allowed_actions: ['acknowledge', 'report_payment'],
    });

    const acknowledgment = { terms_version: 'T1', expected_version: 4 };
    await done(
      command(sandbox, sold.who, `/api/v1/sale-cases/${sold.saleId}/acknowledgments`, acknowledgment),
    );
    expect(await status()).toMatchObject({
      sale: { resource_version: 5, acknowledged_at: '2026-03-01T10:00:01.000Z' },
      allowed_actions: ['report_payment'],
    });
    await fund('100000.00');
    expect(await status()).toMatchObject({
      payment: { state: 'partially_paid', verified_credits: '100000.00', remaining: '200000.00' },
      allowed_actions: ['report_payment'],
    });
    await fund('200000.00');
    expect(await status()).toMatchObject({
      payment: { state: 'paid', verified_credits: '300000.00', remaining: '0.00' },
      allowed_actions: [],
    });

    const { id } = await release();
    const released = await status();
    expect(released).toMatchObject({ inventory_state: 'sold', allowed_actions: [] });
    expect(released.release).toEqual({
      id,
      state: 'valid',
      resource_version: 1,
      expires_at: '2026-03-02T10:00:00Z',
      collection_date: '2026-03-02',
    });
    await collect(id);
    expect(await status()).toMatchObject({
      inventory_state: 'collected',
      resource_version: released.resource_version + 1,
      release: { state: 'used', resource_version: 2 },
    });
  });

  it('counts every step in the version of the lot, what time does included', async () => {
    sold = await wonLot(sandbox);
    const versions = [(await status()).resource_version];
    const step = async (work: () => unknown) => {
      await work();
      versions.push((await status()).resource_version);
    };
    await step(offer);
    await step(() => sandbox.clock.advance(86_400_000));
    await step(async () => onSale('decisions', await approval(sandbox, sold)));
    await step(() =>
      done(
        command(sandbox, sold.who, `/api/v1/sale-cases/${sold.saleId}/acknowledgments`, {
          terms_version: 'T1',
          expected_version: 4,
        }),
      ),
    );
    await step(() => fund(sold.amount));
    const until = '2026-03-03T10:00:00Z';
    const terms = { recipient: 'R', yard: 'Y', expires_at: until, collection_date: '2026-03-03' };
    await step(() => onSale('release-authorizations', terms));
    await step(() => sandbox.clock.advance(86_400_000));
    expect(await status()).toMatchObject({ release: { state: 'expired' }, inventory_state: 'sold' });
    const { id } = await onSale('release-authorizations', { ...terms, expires_at: '2026-03-05T10:00:00Z' });
    versions.push((await status()).resource_version);
    await step(() =>
      done(
        command(sandbox, sandbox.credentials.bank, `/api/v1/release-authorizations/${id}/revocations`, {
          expected_version: 1,
        }),
      ),
    );
    expect((await status()).release).toMatchObject({ id, state: 'revoked' });
    expect(versions).toEqual(versions.map((_, step) => 4 + step));
  });

  // rule: general.3
  it('tells others that the vehicle is sold, and nothing of the sale', async () => {
    const { rival, platform, dealer } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-open');
    sandbox.actors.rival.bid(lot.id, lot.startingPrice);
    sold = await acknowledgedLot(sandbox, { amount: plus(lot.startingPrice, 5_000) });
    expect((await status(dealer)).sale).not.toBeNull();
    for (const who of [rival, platform]) {
      const seen = await status(who);
      expect(seen).toMatchObject({
        inventory_state: 'sold',
        sale: null,
        payment: null,
        release: null,
        allowed_actions: [],
      });
      const text = JSON.stringify(seen);
      for (const secret of [sold.saleId, sold.bidId, dealer.dealerId ?? '?']) {
        expect(text).not.toContain(secret);
      }
    }
    expect(await status(rival)).toMatchObject({ own_standing: 'outbid', own_amount: lot.startingPrice });
  });

  // rule: event-state.over
  it('hides the highest amount of a closed auction still', async () => {
    sandbox.actors.rival.bid(lotOf(sandbox, 'live-closed').id, lotOf(sandbox, 'live-closed').startingPrice);
    const amount = plus(lotOf(sandbox, 'live-closed').startingPrice, 2_500);
    sold = await approvedLot(sandbox, { label: 'live-closed', amount });
    expect(await status(sandbox.credentials.rival)).not.toHaveProperty('highest_amount');
    expect(JSON.stringify(await status(sandbox.credentials.rival))).not.toContain(amount);
    expect(await status()).not.toHaveProperty('highest_amount');
    expect((await status()).sale.amount).toBe(amount);
  });

  it.each<[Scope, string[]]>([
    ['sales:acknowledge', ['report_payment']],
    ['payments:report', ['acknowledge']],
  ])('allows nothing that the scopes do not: without %s', async (missing, left) => {
    sold = await approvedLot(sandbox);
    const { scopes } = sandbox.partners.get(sold.who.clientId);
    sandbox.partners.update(sold.who.clientId, { scopes: scopes.filter((scope) => scope !== missing) });
    expect((await status()).allowed_actions).toEqual(left);
  });

  it('allows no answer to an offer without its scope', async () => {
    sold = await wonLot(sandbox);
    await offer();
    expect((await status()).allowed_actions).toEqual(['respond_to_offer']);
    const { scopes } = sandbox.partners.get(sold.who.clientId);
    sandbox.partners.update(sold.who.clientId, {
      scopes: scopes.filter((scope) => scope !== 'offers:respond'),
    });
    expect((await status()).allowed_actions).toEqual([]);
  });

  it("shows a dealer's sale whatever dealer is linked to it by now", async () => {
    sold = await approvedLot(sandbox);
    sandbox.partners.update(sold.who.clientId, { dealerId: 'D-999' });
    expect(await status()).toMatchObject({ own_standing: 'no_bid', sale: { id: sold.saleId } });
  });
});

describe('A11 after the close', () => {
  it("shows a platform's sale to the buyer who bid, or when nobody is named", async () => {
    const { platform } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-open');
    await bid(sandbox, platform, lot.id, { amount: lot.startingPrice, bidder_reference: 'B' });
    const amount = plus(lot.startingPrice, 5_000);
    sold = await approvedLot(sandbox, { who: platform, bidder_reference: 'A', amount });
    for (const seen of [await asked('A'), await asked(), await status()]) {
      expect(seen).toMatchObject({
        sale: { id: sold.saleId },
        payment: { remaining: amount },
        allowed_actions: ['acknowledge', 'report_payment'],
      });
    }
    for (const other of ['B', 'nobody']) {
      expect(await asked(other)).toMatchObject({
        inventory_state: 'sold',
        sale: null,
        payment: null,
        release: null,
        allowed_actions: [],
      });
    }
  });
});
