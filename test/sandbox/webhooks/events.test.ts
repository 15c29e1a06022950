import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccessFacts, Sandbox, SandboxCredentials } from '../../../src/sandbox/index.js';
import { get, onManualClock } from '../caller.js';
import { type ActName, paidFor } from '../commands.js';
import { storyOf } from '../story.js';
import { everyType, Receiver, subscribed } from './receivers.js';

let receiver: Receiver;
let sandbox: Sandbox;
beforeEach(async () => {
  receiver = new Receiver();
  sandbox = await onManualClock({ webhooks: { send: receiver.send } });
});
afterEach(() => sandbox.close());

/** What has come since. */
async function news() {
  await sandbox.webhooks.settled();
  const all = receiver.events.map(({ event }) => event);
  receiver.got.length = 0;
  return all;
}
const types = async () => (await news()).map(({ type }) => type).sort();
const story = (...names: ActName[]) => storyOf(sandbox, {}, ...names);
const everybody = () => {
  const { bank, dealer, platform, aggregator, rival, otherBank } = sandbox.credentials;
  return [bank, dealer, platform, aggregator, rival, otherBank];
};

/** Subscribes clients to a type, and gives those who were told of it. */
async function listeners(type: string, all: SandboxCredentials[]) {
  const who = new Map<string, string>();
  for (const each of all) who.set((await subscribed(sandbox, each, [type])).id, each.clientId);
  const told = () => sandbox.webhooks.deliveries().filter((each) => each.type === type);
  return () => told().map(({ subscriptionId }) => who.get(subscriptionId));
}

describe('an event of a record', () => {
  // rule: event.other
  it.each<[string, string, ActName, ActName[]]>([
    ['sale.acknowledged', 'sale', 'acknowledge', ['approve']],
    ['payment.reported', 'payment_report', 'report', ['approve']],
    ['payment.verified', 'payment_report', 'verify', ['approve', 'report', 'import']],
    ['payment.allocated', 'allocation', 'allocate', ['approve', 'acknowledge', 'import']],
    ['sale.payment_status_changed', 'sale', 'allocate', ['approve', 'acknowledge', 'import']],
    ['release.authorized', 'release', 'release', [...paidFor]],
    ['release.revoked', 'release', 'revoke', [...paidFor, 'release']],
    ['vehicle.collected', 'release', 'collect', [...paidFor, 'release']],
  ])('%s is the %s that %s leaves, told to bank and buyer', async (type, kind, last, before) => {
    const told = await listeners(type, everybody());
    const about = await story(...before);
    expect(await news()).toEqual([]);
    const { bank, dealer } = sandbox.credentials;
    await about.do(last);
    const record = about.newest(kind);
    const { id, resource_version, state } = record;
    const { active_offer: _, ...data } = record.data;
    const [first, second, ...others] = await news();
    expect([told(), others]).toEqual([[bank.clientId, dealer.clientId], []]);
    expect(second).toEqual(first);
    const created_at = new Date(sandbox.clock.now()).toISOString();
    expect(first).toMatchObject({ id: expect.stringMatching(/^evt_/), type, schema_version: 1, created_at });
    const { saleId: sale_id, lotId: lot_id } = about.sold;
    expect(first.data).toMatchObject({ id, kind: expect.any(String), resource_version, state, data });
    expect(first.data).toMatchObject({ resource_id: id, sale_id, lot_id });
    expect(first.data.data).not.toHaveProperty('active_offer');
  });

  // rule: event.other
  it('sale.rejected comes where the bank can say no', async () => {
    await sandbox.close();
    const variants = { 'decision-values': 'rejected-too' } as const;
    sandbox = await onManualClock({ webhooks: { send: receiver.send }, variants });
    await subscribed(sandbox, sandbox.credentials.dealer);
    const about = await story();
    await news();
    await about.do('reject');
    const [{ type, data }, ...others] = await news();
    expect([type, data.state, data.sale_id]).toEqual(['sale.rejected', 'rejected', about.sold.saleId]);
    expect(others).toEqual([]);
  });
});

describe('sale.approved', () => {
  // rule: winner.same-decision, event.shown
  it('tells what the winner updates tell, and the account of the marketplace that won', async () => {
    const { platform } = sandbox.credentials;
    await subscribed(sandbox, platform, ['sale.approved']);
    await storyOf(sandbox, { who: platform, bidder_reference: 'buyer-7' }, 'approve');
    const [event, ...others] = await news();
    const [update] = (await get(sandbox, platform, '/api/v1/winner-updates')).json.data;
    const { id: _, type, created_at, ...told } = update;
    expect(event).toMatchObject({ type, created_at, data: told });
    expect([event.data.sale.bidder_reference, others]).toEqual(['buyer-7', []]);
  });
});

describe('auction.schedule_changed', () => {
  // rule: event-state.close-moved, event.shown
  it('tells every assigned partner where the close was, is, and was to be', async () => {
    const { dealer, platform, aggregator, rival } = sandbox.credentials;
    sandbox.partners.update(aggregator.clientId, { auctions: [] });
    const told = await listeners('auction.schedule_changed', everybody());
    const { id } = sandbox.auctions.get('live-open');
    const { revision } = (await get(sandbox, dealer, `/api/v1/events/${id}`)).json.data;
    sandbox.auctions.moveClose('live-open', '2026-03-01T14:30:00Z');
    const [first, ...others] = await news();
    expect(told()).toEqual([dealer.clientId, platform.clientId, rival.clientId]);
    expect(others).toEqual([first, first]);
    expect([first.type, first.data]).toEqual([
      'auction.schedule_changed',
      {
        ...{
          auction_id: id,
          resource_version: revision + 1,
          direction: 'extended',
          timezone: 'Asia/Kolkata',
        },
        scheduled_end_at: '2026-03-01T19:30:00+05:30',
        previous_effective_close_at: '2026-03-01T19:30:00+05:30',
        effective_close_at: '2026-03-01T20:00:00+05:30',
        refresh_path: `/api/v1/events/${id}`,
      },
    ]);
    const event = (await get(sandbox, dealer, first.data.refresh_path)).json.data;
    expect([event.revision, event.ends_at]).toEqual([revision + 1, first.data.effective_close_at]);
    expect((await get(sandbox, dealer, '/api/v1/notifications')).json.data).toEqual([]);
  });

  it('is not told of an auction that is not to be seen', async () => {
    await subscribed(sandbox, sandbox.credentials.dealer);
    sandbox.auctions.moveClose('unassigned', '2026-03-09T10:00:00Z');
    sandbox.auctions.moveClose('cancelled', '2026-03-09T10:00:00Z');
    expect(await news()).toEqual([]);
  });
});

describe('who is told', () => {
  it('nobody of what only the inbox tells', async () => {
    await subscribed(sandbox, sandbox.credentials.dealer, everyType);
    const about = await story();
    await news();
    await about.go('offer');
    expect([await about.news(about.sold.who), await types()]).toEqual([['offer.made'], []]);
    expect(sandbox.webhooks.subscriptions()).toMatchObject([{ events: everyType }]);
  });

  // rule: delivery.1
  it('every subscription of a client, with one event id and a secret of its own each', async () => {
    const { dealer } = sandbox.credentials;
    const urls = ['https://other.example/', 'https://receiver.example/hooks'];
    const secrets = [];
    for (const url of urls) secrets.push((await subscribed(sandbox, dealer, ['sale.approved'], url)).secret);
    await story('approve');
    await sandbox.webhooks.settled();
    const got = receiver.events;
    expect(got.map(({ url }) => url).sort()).toEqual(urls);
    const signatures = got.map(({ headers }) => headers.get('service-signature'));
    const sizes = [secrets, signatures, got.map(({ text }) => text)].map((each) => new Set(each).size);
    expect(sizes).toEqual([2, 2, 1]);
  });

  // rule: delivery.6
  it('nobody before the endpoint is verified', async () => {
    receiver.toChallenge = () => new Response(null, { status: 404 });
    await subscribed(sandbox, sandbox.credentials.dealer);
    await story('approve');
    expect(await types()).toEqual([]);
  });

  it.each<Partial<AccessFacts>>([
    { active: false },
    { partnerActive: false },
    { kyb: false },
    { agreement: false },
    { bankSubscription: false },
  ])('nobody whose access has lapsed (%o)', async (change) => {
    await subscribed(sandbox, sandbox.credentials.dealer, ['sale.approved']);
    const about = await story();
    sandbox.partners.update(sandbox.credentials.dealer.clientId, change);
    await about.go('approve');
    expect(await types()).toEqual([]);
  });
});

it('an event is what it was, whatever becomes of the sale while it is tried', async () => {
  await subscribed(sandbox, sandbox.credentials.dealer, ['sale.approved']);
  receiver.says = [500, 200];
  const about = await story('approve');
  const [first] = await news();
  await about.go('acknowledge');
  sandbox.clock.advance(10_000);
  expect(await news()).toEqual([first]);
});

// rule: state.sale, winner.same-decision
it('an event comes of a commit, once: not of a refusal, not of a replay', async () => {
  await subscribed(sandbox, sandbox.credentials.dealer);
  const about = await story();
  await news();
  const body = { ...about.body('approve'), idempotency_key: randomUUID() };
  expect((await about.send('approve', { ...body, bid_id: 'bid_none' })).status).toBe(422);
  expect(await types()).toEqual([]);
  await about.do('approve', body);
  expect(await types()).toEqual(['sale.approved', 'vehicle.status_changed']);
  await about.do('approve', body);
  expect(await types()).toEqual([]);
});
