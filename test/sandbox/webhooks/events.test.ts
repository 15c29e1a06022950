import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../../src/sandbox/index.js';
import { get, onManualClock } from '../caller.js';
import { entryBody, inbox, paid, reportBody } from '../funds.js';
import {
  acknowledgedLot,
  approval,
  approvedLot,
  command,
  done,
  type SoldLot,
  saleOf,
  wonLot,
} from '../workflow.js';
import { everyType, Receiver, subscribed } from './receivers.js';

let receiver: Receiver;
let sandbox: Sandbox;
const start = async (options: SandboxOptions = {}) => {
  receiver = new Receiver();
  sandbox = await onManualClock({ webhooks: { send: receiver.send }, ...options });
};
beforeEach(() => start());
afterEach(() => sandbox.close());

async function restart(options: SandboxOptions) {
  await sandbox.close();
  await start(options);
}

/** What has come since, as type and data. */
async function news(type?: string) {
  await sandbox.webhooks.settled();
  const all = receiver.events.map(({ event }) => event);
  receiver.got.length = 0;
  return type === undefined ? all : all.filter((event) => event.type === type);
}

const types = async () => (await news()).map(({ type }) => type);

const plate = async (sold: SoldLot) => {
  const event = sandbox.auctions.get('live-open').id;
  const { data } = (await get(sandbox, sold.who, `/api/v1/events/${event}/lots/${sold.lotId}`)).json;
  return String(data.registration_number);
};

const byBank = (path: string, body: Record<string, unknown>) =>
  done(command(sandbox, sandbox.credentials.bank, `/api/v1/${path}`, body));

/** Pays a sale in full, without telling what came of it. */
async function settle(sold: SoldLot) {
  const payment = await paid(sandbox, sold);
  return byBank(`payments/${payment.id}/allocations`, {
    sale_id: sold.saleId,
    amount: sold.amount,
    expected_version: payment.resource_version,
  });
}

async function release(sold: SoldLot) {
  return byBank(`sale-cases/${sold.saleId}/release-authorizations`, {
    recipient: 'R. Iyer',
    yard: 'Unity Vehicle Park',
    expires_at: '2026-03-02T10:00:00Z',
    collection_date: '2026-03-02',
    expected_version: (await saleOf(sandbox, sold.saleId)).resource_version,
  });
}

async function report(sold: SoldLot) {
  return done(command(sandbox, sold.who, '/api/v1/payment-reports', reportBody(sold)));
}

/** Everything up to the moment before the event, and then what emits it; returns the record that the event is about. */
const flows: Record<string, () => Promise<[SoldLot, () => Promise<unknown>]>> = {
  'sale.acknowledged': async () => {
    const sold = await approvedLot(sandbox);
    const body = { terms_version: 'T1', expected_version: 2 };
    const path = `/api/v1/sale-cases/${sold.saleId}/acknowledgments`;
    return [sold, () => done(command(sandbox, sold.who, path, body))];
  },
  'payment.reported': async () => {
    const sold = await approvedLot(sandbox);
    return [sold, () => report(sold)];
  },
  'payment.verified': async () => {
    const sold = await approvedLot(sandbox);
    const { id } = await report(sold);
    const receipt = await byBank('bank-receipts/imports', entryBody(sold));
    const body = {
      decision: 'verified',
      bank_receipt_id: receipt.id,
      bank_account_reference: receipt.data.bank_account_reference,
      received_amount: receipt.data.amount,
      currency: 'INR',
      expected_version: 1,
    };
    return [sold, () => byBank(`payment-reports/${id}/decisions`, body)];
  },
  'payment.allocated': async () => {
    const sold = await acknowledgedLot(sandbox);
    return [sold, () => settle(sold)];
  },
  'sale.payment_status_changed': async () => {
    const sold = await acknowledgedLot(sandbox);
    return [sold, () => settle(sold).then(() => saleOf(sandbox, sold.saleId))];
  },
  'release.authorized': async () => {
    const sold = await acknowledgedLot(sandbox);
    await settle(sold);
    return [sold, () => release(sold)];
  },
  'release.revoked': async () => {
    const sold = await acknowledgedLot(sandbox);
    await settle(sold);
    const { id } = await release(sold);
    const body = { reason: 'Another day', expected_version: 1 };
    return [sold, () => byBank(`release-authorizations/${id}/revocations`, body)];
  },
  'vehicle.collected': async () => {
    const sold = await acknowledgedLot(sandbox);
    await settle(sold);
    const { id } = await release(sold);
    const body = { collector: 'R. Iyer', vehicle_identity: await plate(sold), expected_version: 1 };
    return [sold, () => byBank(`release-authorizations/${id}/collections`, body)];
  },
};

describe('events whose payload is not shown', () => {
  // rule: event.other
  it.each(Object.keys(flows))('%s tells the record, and by what to find it', async (type) => {
    const { bank, dealer, rival, platform, otherBank } = sandbox.credentials;
    for (const who of [bank, dealer, rival, platform, otherBank]) await subscribed(sandbox, who, [type]);
    const [sold, emit] = (await flows[type]?.()) ?? [];
    if (sold === undefined || emit === undefined) throw new Error('no flow');
    expect(await news(type)).toEqual([]);
    const record = (await emit()) as { id: string; resource_version: number };
    const told = await news();
    expect(told).toHaveLength(2);
    expect(told[0]).toEqual({
      id: expect.stringMatching(/^evt_/),
      type,
      schema_version: 1,
      created_at: new Date(sandbox.clock.now()).toISOString(),
      data: expect.any(Object),
    });
    expect(told[1]).toEqual(told[0]);
    const { active_offer: _, ...about } = (record as { data?: Record<string, unknown> }).data ?? {};
    expect(told[0].data).toEqual({
      ...record,
      data: about,
      resource_id: record.id,
      sale_id: sold.saleId,
      lot_id: sold.lotId,
    });
    const to = sandbox.webhooks.deliveries().filter((each) => each.type === type);
    const clients = sandbox.webhooks
      .subscriptions()
      .filter(({ id }) => to.some(({ subscriptionId }) => subscriptionId === id))
      .map(({ clientId }) => clientId);
    expect(clients).toEqual([bank.clientId, dealer.clientId]);
  });

  // rule: event.other
  it('sale.rejected, where the bank can say no', async () => {
    await restart({ variants: { 'decision-values': 'rejected-too' } });
    await subscribed(sandbox, sandbox.credentials.dealer);
    const sold = await wonLot(sandbox);
    await news();
    const body = { ...(await approval(sandbox, sold)), decision: 'rejected' };
    const record = await byBank(`sale-cases/${sold.saleId}/decisions`, body);
    expect(record.state).toBe('rejected');
    expect((await news()).map(({ type, data }) => [type, data])).toEqual([
      ['sale.rejected', { ...record, resource_id: sold.saleId, sale_id: sold.saleId, lot_id: sold.lotId }],
    ]);
  });
});

describe('sale.approved', () => {
  // rule: winner.same-decision, event.shown
  it('tells what the winner updates tell, and the account of the marketplace that won', async () => {
    const { platform } = sandbox.credentials;
    await subscribed(sandbox, platform, ['sale.approved']);
    await approvedLot(sandbox, { who: platform, bidder_reference: 'buyer-7' });
    const [event, ...others] = await news();
    expect(others).toEqual([]);
    const { data } = (await get(sandbox, platform, '/api/v1/winner-updates')).json;
    const { id: _, type, created_at, ...told } = data[0];
    expect(event).toMatchObject({ type, created_at, data: told });
    expect(event.data.sale.bidder_reference).toBe('buyer-7');
  });

  it('is what it was, whatever becomes of the sale while it is tried', async () => {
    await subscribed(sandbox, sandbox.credentials.dealer, ['sale.approved']);
    receiver.says = [500, 200];
    const sold = await approvedLot(sandbox);
    const [first] = await news();
    const path = `/api/v1/sale-cases/${sold.saleId}/acknowledgments`;
    await done(command(sandbox, sold.who, path, { terms_version: 'T1', expected_version: 2 }));
    sandbox.clock.advance(10_000);
    expect(await news()).toEqual([first]);
  });

  // rule: state.sale, winner.same-decision
  it('comes of a commit, once: not of a refusal, not of a replay', async () => {
    await subscribed(sandbox, sandbox.credentials.dealer);
    const sold = await wonLot(sandbox);
    await news();
    const path = `/api/v1/sale-cases/${sold.saleId}/decisions`;
    const body = {
      ...(await approval(sandbox, sold)),
      idempotency_key: '6f1c3f6e-1c1f-4b7e-9d7c-0d4a5b6c7d8e',
    };
    const refused = await command(sandbox, sandbox.credentials.bank, path, { ...body, bid_id: 'bid_none' });
    expect(refused.status).toBe(422);
    expect(await types()).toEqual([]);
    await byBank(path.slice('/api/v1/'.length), body);
    expect((await types()).sort()).toEqual(['sale.approved', 'vehicle.status_changed']);
    await byBank(path.slice('/api/v1/'.length), body);
    expect(await types()).toEqual([]);
  });
});

describe('auction.schedule_changed', () => {
  const auction = () => sandbox.auctions.get('live-open');

  // rule: event-state.close-moved, event.shown
  it('tells every assigned partner where the close was, is, and was to be', async () => {
    const { bank, dealer, platform, aggregator, rival, otherBank } = sandbox.credentials;
    sandbox.partners.update(aggregator.clientId, { auctions: [] });
    for (const who of [bank, dealer, platform, aggregator, rival, otherBank]) await subscribed(sandbox, who);
    const { id } = auction();
    expect(auction().closesAt).toBe(Date.parse('2026-03-01T14:00:00Z'));
    const before = (await get(sandbox, dealer, `/api/v1/events/${id}`)).json.data.revision;
    sandbox.auctions.moveClose('live-open', '2026-03-01T14:30:00Z');
    const told = await news();
    expect(told.map(({ type, data }) => [type, data])).toEqual(
      [1, 2, 3].map(() => [
        'auction.schedule_changed',
        {
          auction_id: id,
          resource_version: before + 1,
          direction: 'extended',
          scheduled_end_at: '2026-03-01T19:30:00+05:30',
          previous_effective_close_at: '2026-03-01T19:30:00+05:30',
          effective_close_at: '2026-03-01T20:00:00+05:30',
          timezone: 'Asia/Kolkata',
          refresh_path: `/api/v1/events/${id}`,
        },
      ]),
    );
    const to = sandbox.webhooks.deliveries().filter(({ type }) => type === 'auction.schedule_changed');
    const clients = sandbox.webhooks
      .subscriptions()
      .filter((each) => to.some(({ subscriptionId }) => subscriptionId === each.id))
      .map(({ clientId }) => clientId);
    expect(clients).toEqual([dealer.clientId, platform.clientId, rival.clientId]);
    const event = (await get(sandbox, dealer, told[0].data.refresh_path)).json.data;
    expect([event.revision, event.ends_at]).toEqual([before + 1, '2026-03-01T20:00:00+05:30']);
    expect(await inbox(sandbox, dealer)).toEqual([]);
  });

  // rule: event.shown
  it('calls an earlier close shortened', async () => {
    await subscribed(sandbox, sandbox.credentials.dealer);
    sandbox.auctions.moveClose('live-open', '2026-03-01T15:00:00Z');
    sandbox.auctions.moveClose('live-open', '2026-03-01T12:00:00Z');
    const [first, second] = await news();
    expect(first.data.direction).toBe('extended');
    expect(second.data).toMatchObject({
      direction: 'shortened',
      resource_version: first.data.resource_version + 1,
      scheduled_end_at: '2026-03-01T19:30:00+05:30',
      previous_effective_close_at: '2026-03-01T20:30:00+05:30',
      effective_close_at: '2026-03-01T17:30:00+05:30',
    });
  });

  it('is not told where the close stays, nor of an auction that is not to be seen', async () => {
    await subscribed(sandbox, sandbox.credentials.dealer);
    sandbox.auctions.moveClose('live-open', auction().closesAt);
    sandbox.auctions.moveClose('unassigned', '2026-03-09T10:00:00Z');
    sandbox.auctions.moveClose('cancelled', '2026-03-09T10:00:00Z');
    expect(await news()).toEqual([]);
  });
});

describe('who is told', () => {
  it('a type that was subscribed to, and nothing that only the inbox tells', async () => {
    await subscribed(sandbox, sandbox.credentials.dealer, everyType);
    const sold = await wonLot(sandbox);
    await news();
    const offer = {
      amount: '300000.00',
      currency: 'INR',
      terms_version: 'T1',
      valid_until: '2026-03-02T10:00:00Z',
      expected_version: 1,
    };
    await byBank(`sale-cases/${sold.saleId}/offers`, offer);
    expect(await inbox(sandbox, sandbox.credentials.dealer)).toEqual(['offer.made']);
    expect(await types()).toEqual([]);
    const [only] = sandbox.webhooks.subscriptions();
    expect(only?.events).toEqual(everyType);
  });

  // rule: delivery.1
  it('every subscription of a client, with one event id and a secret of its own each', async () => {
    const one = await subscribed(sandbox, sandbox.credentials.dealer, ['sale.approved']);
    const two = await subscribed(
      sandbox,
      sandbox.credentials.dealer,
      ['sale.approved'],
      'https://other.example/',
    );
    expect(one.secret).not.toBe(two.secret);
    await approvedLot(sandbox);
    await sandbox.webhooks.settled();
    const got = receiver.events;
    expect(got.map(({ url }) => url).sort()).toEqual([
      'https://other.example/',
      'https://receiver.example/hooks',
    ]);
    expect(new Set(got.map(({ text }) => text)).size).toBe(1);
    expect(new Set(got.map(({ headers }) => headers.get('service-signature'))).size).toBe(2);
  });

  // rule: delivery.6
  it('nobody before the endpoint is verified', async () => {
    receiver.toChallenge = () => new Response(null, { status: 404 });
    await subscribed(sandbox, sandbox.credentials.dealer);
    await approvedLot(sandbox);
    expect(await types()).toEqual([]);
  });

  it.each([
    { active: false },
    { partnerActive: false },
    { kyb: false },
    { agreement: false },
    { bankSubscription: false },
  ])('nobody whose access has lapsed (%o)', async (change) => {
    const { dealer } = sandbox.credentials;
    await subscribed(sandbox, dealer, ['sale.approved']);
    const sold = await wonLot(sandbox);
    sandbox.partners.update(dealer.clientId, change);
    await byBank(`sale-cases/${sold.saleId}/decisions`, await approval(sandbox, sold));
    expect(await types()).toEqual([]);
  });
});
