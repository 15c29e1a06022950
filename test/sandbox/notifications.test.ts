import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, type SandboxCredentials, startSandbox } from '../../src/sandbox/index.js';
import { bid, get, lotOf } from './caller.js';
import { all, imported, receiptsOf, reportBody } from './funds.js';
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
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

const decisions = (sold: SoldLot) => `/api/v1/sale-cases/${sold.saleId}/decisions`;
const acknowledgments = (sold: SoldLot) => `/api/v1/sale-cases/${sold.saleId}/acknowledgments`;

describe('the inbox', () => {
  // rule: page.inbox, state.sale, notification.inbox
  it('tells bank and buyer, each in an inbox of its own, newest first', async () => {
    const sold = await approvedLot(sandbox);
    sandbox.clock.advance(1_000);
    await command(sandbox, sold.who, acknowledgments(sold), { terms_version: 'T1', expected_version: 2 });
    const inbox = async (who = sold.who) => (await get(sandbox, who, '/api/v1/notifications')).json;
    const own = await inbox();
    expect(own).toEqual({
      data: [
        {
          id: expect.stringMatching(/^ntf_/),
          type: 'sale.acknowledged',
          subject: `Sale ${sold.saleId} is acknowledged by its buyer`,
          resource_version: 3,
          created_at: '2026-03-01T10:00:01.000Z',
          acknowledgment: null,
        },
        expect.objectContaining({ type: 'sale.approved', resource_version: 2 }),
        expect.objectContaining({ type: 'vehicle.status_changed', resource_version: 2 }),
      ],
      current_page: 1,
      last_page: 1,
      total: 3,
    });
    const banks = await inbox(sandbox.credentials.bank);
    expect(banks.data.map(({ type }: { type: string }) => type)).toEqual([
      'sale.acknowledged',
      'sale.approved',
      'vehicle.status_changed',
    ]);
    expect(banks.data[0].id).not.toBe(own.data[0].id);
    expect((await inbox(sandbox.credentials.rival)).data).toEqual([]);
  });

  it('names in every headline the record that it is about', async () => {
    const { bank, dealer } = sandbox.credentials;
    const { id: other, startingPrice } = lotOf(sandbox, 'live-closed');
    const { bid_id } = (await bid(sandbox, dealer, other, { amount: startingPrice })).json.data;
    const told: string[] = [];
    const step = async (who: SandboxCredentials, path: string, content: Record<string, unknown>) => {
      const record = await done(command(sandbox, who, `/api/v1/${path}`, content));
      told.push(record.id);
      return record;
    };
    const request = await step(dealer, `bids/${bid_id}/cancellation-requests`, { reason_code: 'R' });
    const yes = { decision: 'approved', expected_version: 1 };
    await step(bank, `bid-cancellation-requests/${request.id}/decisions`, yes);
    const sold = await acknowledgedLot(sandbox);
    told.push(sold.saleId, sold.saleId, sold.saleId);
    const { id: reportId } = await step(dealer, 'payment-reports', reportBody(sold));
    const receipt = await imported(sandbox, sold);
    await step(bank, `payment-reports/${reportId}/decisions`, {
      decision: 'verified',
      bank_receipt_id: receipt.id,
      bank_account_reference: receipt.data.bank_account_reference,
      received_amount: receipt.data.amount,
      currency: 'INR',
      expected_version: 1,
    });
    const [payment] = (await receiptsOf(sandbox, sold)).payments;
    const paid = { sale_id: sold.saleId, amount: sold.amount, expected_version: 1 };
    await step(bank, `payments/${payment.id}/allocations`, paid);
    told.push(sold.saleId);
    const release = await step(bank, `sale-cases/${sold.saleId}/release-authorizations`, {
      recipient: 'R. Iyer',
      yard: 'Unity Vehicle Park',
      expires_at: '2026-03-02T10:00:00Z',
      collection_date: '2026-03-02',
      expected_version: (await saleOf(sandbox, sold.saleId)).resource_version,
    });
    sandbox.clock.advance(86_400_000);
    told.push(release.id);
    for (const who of [bank, dealer]) {
      const { data } = (await get(sandbox, who, '/api/v1/notifications')).json;
      expect(data.map(({ type }: { type: string }) => type).reverse()).toEqual([
        'bid.cancellation_requested',
        'bid.cancellation_approved',
        'vehicle.status_changed',
        'sale.approved',
        'sale.acknowledged',
        'payment.reported',
        'payment.verified',
        'payment.allocated',
        'sale.payment_status_changed',
        'release.authorized',
        'release.expired',
      ]);
      const subjects: string[] = data.map(({ subject }: { subject: string }) => subject).reverse();
      expect(subjects).toEqual(told.map((id) => expect.stringContaining(id)));
    }
  });

  it('acknowledges a message, and nothing but the message', async () => {
    const sold = await approvedLot(sandbox);
    const [message] = (await get(sandbox, sold.who, '/api/v1/notifications')).json.data;
    const path = `/api/v1/notifications/${message.id}/acknowledgments`;
    const body = { status: 'read', external_reference: 'T-1' };
    const before = await saleOf(sandbox, sold.saleId);
    const got = await command(sandbox, sold.who, path, body);
    expect(got.json.data).toMatchObject({
      kind: 'notification_ack',
      state: 'read',
      resource_version: 1,
      data: { status: 'read', external_reference: 'T-1' },
    });
    const [read] = (await get(sandbox, sold.who, '/api/v1/notifications')).json.data;
    expect(read.acknowledgment).toEqual({
      status: 'read',
      external_reference: 'T-1',
      acknowledged_at: '2026-03-01T10:00:00.000Z',
    });
    expect(await saleOf(sandbox, sold.saleId)).toEqual(before);
  });

  // rule: notification.inbox
  it('keeps the latest word on a message: delivered, then read', async () => {
    const sold = await approvedLot(sandbox);
    const message = async () => (await get(sandbox, sold.who, '/api/v1/notifications')).json.data[0];
    const path = `/api/v1/notifications/${(await message()).id}/acknowledgments`;
    const delivered = await done(command(sandbox, sold.who, path, { status: 'delivered' }));
    expect(delivered).toMatchObject({
      kind: 'notification_ack',
      state: 'delivered',
      data: { status: 'delivered', external_reference: null },
    });
    expect((await message()).acknowledgment.status).toBe('delivered');
    sandbox.clock.advance(1_000);
    await done(command(sandbox, sold.who, path, { status: 'read' }));
    expect((await message()).acknowledgment).toEqual({
      status: 'read',
      external_reference: null,
      acknowledged_at: '2026-03-01T10:00:01.000Z',
    });
  });

  // rule: notification.inbox
  it('decides, credits and releases nothing, whatever was read', async () => {
    const { bank, dealer } = sandbox.credentials;
    const pending = await wonLot(sandbox, { label: 'live-closed' });
    const offer = {
      amount: '300000.00',
      currency: 'INR',
      terms_version: 'T1',
      valid_until: '2026-03-02T10:00:00Z',
      expected_version: 1,
    };
    await done(command(sandbox, bank, `/api/v1/sale-cases/${pending.saleId}/offers`, offer));
    const sold = await acknowledgedLot(sandbox);
    await imported(sandbox, sold);
    const report = await done(command(sandbox, dealer, '/api/v1/payment-reports', reportBody(sold)));
    const paths = [pending, sold].map(({ saleId }) => `/api/v1/sale-cases/${saleId}`);
    const besideTheInbox = async () => {
      const { seen } = await all(
        sandbox,
        [pending, sold],
        [...paths, `/api/v1/payment-reports/${report.id}`, '/api/v1/winner-updates'],
      );
      return seen.filter((told) => !(Array.isArray(told) && told[1] === '/api/v1/notifications'));
    };
    const before = await besideTheInbox();
    const messages = (await get(sandbox, dealer, '/api/v1/notifications')).json.data;
    expect(messages.map(({ type }: { type: string }) => type)).toEqual([
      'payment.reported',
      'sale.acknowledged',
      'sale.approved',
      'vehicle.status_changed',
      'offer.made',
    ]);
    for (const { id } of messages) {
      await done(command(sandbox, dealer, `/api/v1/notifications/${id}/acknowledgments`, { status: 'read' }));
    }
    expect(await besideTheInbox()).toEqual(before);
  });

  // rule: limit.fixed-pages
  it('pages by 25', async () => {
    const { dealer, bank } = sandbox.credentials;
    for (const lot of sandbox.auctions.get('live-open').lots.slice(0, 13)) {
      await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
    }
    sandbox.auctions.close('live-open');
    const { items } = (await get(sandbox, bank, '/api/v1/sale-cases')).json.data;
    for (const sale of items) {
      const sold = {
        saleId: sale.id,
        lotId: sale.data.lot_id,
        bidId: sale.data.bid_id,
        amount: '',
        who: dealer,
      };
      await command(sandbox, bank, decisions(sold), await approval(sandbox, sold));
    }
    // Each approval is two messages: of the sale, and of the vehicle.
    const first = (await get(sandbox, dealer, '/api/v1/notifications')).json;
    expect([first.data.length, first.last_page, first.total]).toEqual([25, 2, 26]);
    expect((await get(sandbox, dealer, '/api/v1/notifications', 'page=2')).json.data).toHaveLength(1);
  });
});
