import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { responseOf } from '../../src/core/reply/reply.js';
import type { ReplyContext } from '../../src/sandbox/index.js';
import { rejection } from '../support/clients.js';
import { type Stage, stage } from './stage.js';

/** The catalogue, files included, as a dealer reads it. */
async function catalogue({ sandbox, dealer }: Stage) {
  const { id } = sandbox.auctions.get('live-open');
  const events = await dealer.events.list({ status: 'all' }).toArray();
  const event = await dealer.events.get(id);
  const lots = await dealer.events.lots(id, { per_page: 40 }).toArray();
  const [first] = lots;
  if (first === undefined) throw new Error('no lots');
  const lot = await dealer.events.lot(id, first.id);
  const summaries = await dealer.lots.list().toArray({ limit: 30 });
  const vehicle = await dealer.vehicles.get(lot.id);
  const results = await dealer.results.list().toArray();
  const legacy = await dealer.events.get(sandbox.auctions.get('live-legacy').id);
  return { events, event, lots, lot, summaries, vehicle, results, legacy };
}

/** What a client learns of itself and of its chances. */
async function outlook({ dealer }: Stage, lotId: string, amount: string) {
  const profile = await dealer.integration.profile();
  const capabilities = await dealer.integration.capabilities();
  const findings = await dealer.verify();
  const eligibility = await dealer.eligibility.check({ lot_id: lotId, amount });
  return { profile, capabilities, findings, eligibility };
}

/** A bid that is made, outbid, sent again, and read in every way; one in a closed auction, and one that is rejected. */
async function bidding({ sandbox, dealer, forgetful }: Stage, lotId: string, amount: string) {
  const none = await dealer.bids.list().toArray();
  const receipt = await dealer.bids.submit(lotId, { amount });
  const key = responseOf(receipt).idempotencyKey ?? '';
  sandbox.actors.rival.bid(lotId, (Number(amount) + 5_000).toFixed(2));
  const again = await forgetful.bids.submit(lotId, { amount }, { idempotencyKey: key });
  const lookup = await dealer.bids.lookup(key);
  const rejected = await rejection(dealer.bids.submit(lotId, { amount }));
  const [sealed] = sandbox.auctions.get('live-closed').lots;
  const closed = await dealer.bids.submit(sealed?.id ?? '', { amount: sealed?.startingPrice ?? '' });
  const bid = await dealer.bids.get(receipt.bid_id);
  const list = await dealer.bids.list().toArray();
  const status = await dealer.lots.status(lotId);
  const batch = await dealer.lots.statusBatch({ lot_ids: [lotId] });
  const { id } = sandbox.auctions.get('live-open');
  const lot = await dealer.events.lot(id, lotId);
  return { none, receipt, key, again, lookup, rejected, closed, bid, list, status, batch, lot };
}

/** A cancelled bid, and a sale that is decided, acknowledged and paid. */
async function afterwards({ sandbox, dealer, bank }: Stage, bidId: string) {
  const asked = { reason_code: 'SLIP', explanation: 'One zero too many' };
  await dealer.bids.requestCancellation(bidId, asked);
  const [request] = await bank.bidCancellations.list().toArray();
  if (request === undefined) throw new Error('no request');
  await bank.bidCancellations.decide(request, { decision: 'approved', reason: 'A slip' });
  const cancelled = await dealer.bids.get(bidId);

  sandbox.auctions.close('live-closed');
  const [sale] = await bank.saleCases.list().toArray();
  if (sale === undefined) throw new Error('no sale');
  const { bid_id, amount } = sale.data ?? {};
  const decided = await bank.saleCases.decide(sale, {
    decision: 'approved',
    bid_id: bid_id ?? '',
    reason: 'Above the reserve',
    terms_version: 'T3',
    due_at: '2026-03-09T18:00:00+05:30',
    payee_instructions: 'NEFT to account 0042',
  });
  const updates = await dealer.winnerUpdates.list().toArray();
  await dealer.saleCases.acknowledge(decided, { terms_version: 'T3' });
  const evidence = await bank.documents.upload({
    sale_id: sale.id,
    purpose: 'payment_evidence',
    filename: 'slip.pdf',
    content_base64: 'JVBERi0=',
  });
  sandbox.clock.advance(1_000);
  const entry = {
    sale_id: sale.id,
    bank_account_reference: 'ACC-1',
    utr: 'U1',
    external_transaction_id: 'X1',
    amount: amount ?? '',
    currency: 'INR',
    value_date: '2026-03-01',
    evidence_id: evidence.id,
  } as const;
  const entered = await bank.bankReceipts.import(entry);
  const receipts = await dealer.saleCases.receipts(sale.id);
  const dues = await dealer.saleCases.paymentDues(sale.id);
  const inbox = await dealer.notifications.list().toArray();
  return { cancelled, updates, entered, receipts, dues, inbox };
}

async function tour(world: Stage) {
  const seen = await catalogue(world);
  const { id, starting_price } = seen.lot;
  const hopes = await outlook(world, id, starting_price);
  const bids = await bidding(world, id, starting_price);
  return { ...seen, hopes, bids, after: await afterwards(world, bids.receipt.bid_id) };
}

type Seen = Awaited<ReturnType<typeof tour>>;

const strange = 'unfamiliar_to_all';

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const dataOf = (json: unknown) => (isObject(json) ? json['data'] : undefined);
const fieldOf = (record: object | undefined, name: string): unknown => Reflect.get(record ?? {}, name);

/** Every object within `value`, outermost first. */
function* objectsOf(value: unknown): Generator<Json> {
  if (Array.isArray(value)) for (const one of value) yield* objectsOf(one);
  if (!isObject(value)) return;
  yield value;
  yield* objectsOf(Object.values(value));
}

/** Changes a field wherever a reply has it. */
const everywhere =
  (name: string, change: (value: unknown) => unknown) => (_call: ReplyContext, json: unknown) => {
    for (const one of objectsOf(json)) if (name in one) one[name] = change(one[name]);
    return json;
  };

/** Changes `data` of one operation's replies. */
const dataIn = (operation: string, change: (data: Json) => void) => (call: ReplyContext, json: unknown) => {
  const data = dataOf(json);
  if (call.operation === operation && isObject(data)) change(data);
  return json;
};

const says = (field: string, value: unknown) => (data: Json) => {
  data[field] = value;
};

type Hook = (call: ReplyContext, json: unknown) => unknown;

/** What a reply may have that no reply of the sandbox has, and what reaches the caller of it. */
const arrivals: readonly (readonly [string, Hook, (seen: Seen) => unknown, unknown])[] = [
  [
    'times of microseconds, with an offset',
    everywhere('server_received_at', (time) => String(time).replace(/Z$/, '000+00:00')),
    ({ bids }) => bids.receipt.server_received_at,
    '2026-03-01T10:00:00.000000+00:00',
  ],
  [
    'a new value of distribution_mode',
    everywhere('distribution_mode', () => strange),
    ({ event }) => event.distribution_mode,
    strange,
  ],
  [
    'other types in vehicle_details',
    everywhere('vehicle_details', (details) => ({
      ...Object(details),
      year: '2019',
      condition: { grade: 3 },
    })),
    ({ lot }) => [typeof lot.vehicle_details?.year, typeof lot.vehicle_details?.condition],
    ['string', 'object'],
  ],
  [
    'a new channel status',
    everywhere('channel_status', () => strange),
    ({ bids }) => bids.lot.channel_status,
    strange,
  ],
  [
    'a field that nobody has named',
    dataIn('events.get', says('legacy', strange)),
    ({ legacy }) => fieldOf(legacy, 'legacy'),
    strange,
  ],
  [
    'the bid in place of the receipt in a look-up',
    dataIn('A06', says('receipt', { outcome: strange })),
    ({ bids }) => bids.lookup.receipt,
    { outcome: strange },
  ],
  [
    'the highest amount as a number',
    dataIn('bids.submit', (data) => {
      data['highest_amount'] = Number(data['highest_amount']);
    }),
    ({ bids, lot }) => bids.receipt.highest_amount === lot.starting_price,
    true,
  ],
  [
    'a new partner type',
    everywhere('partner_type', () => strange),
    ({ hopes }) => hopes.profile.partner_type,
    strange,
  ],
  [
    'a policy version that is a number',
    everywhere('policy_version', () => 1.5),
    ({ hopes }) => hopes.capabilities.policy_version,
    1.5,
  ],
  [
    'operations by id alone',
    dataIn('A02', (data) => {
      const operations = data['operations'];
      data['operations'] = Array.isArray(operations) ? operations.map(({ id }) => id) : operations;
    }),
    ({ hopes }) => typeof hopes.capabilities.operations?.[0],
    'string',
  ],
  [
    'a new cancellation mode',
    dataIn('A02', says('cancellation_mode', strange)),
    ({ hopes }) => hopes.capabilities.cancellation_mode,
    strange,
  ],
  [
    'a new KYC status',
    dataIn('A03', says('kyc_status', strange)),
    ({ hopes }) => hopes.eligibility.kyc_status,
    strange,
  ],
];

/** Bids, a cancellation, a sale and a receipt, each committed once. */
const commits = ['bids.submit', 'bids.submit', 'bids.submit', 'A07', 'A09', 'A22', 'A23', 'A72', 'A42'];

describe('what nobody has seen before', () => {
  it('stops no read, no bid and no command, and arrives', async () => {
    const reply = (call: ReplyContext, json: unknown) =>
      arrivals.reduce<unknown>((changed, [, hook]) => hook(call, changed), json);
    await using world = await stage('/index.php', { reply });
    const seen = await tour(world);
    const { lots, results, bids, after } = seen;
    expect([lots.length, results.length, bids.none, bids.list.length]).toEqual([40, 25, [], 3]);
    expect([bids.again.replayed, bids.again.bid_id]).toEqual([true, bids.receipt.bid_id]);
    const states = [bids.receipt.status, bids.closed.status, bids.lookup.state];
    expect(states).toEqual(['accepted', 'accepted', 'accepted']);
    expect(bids.rejected).toMatchObject({ name: 'BidRejectedError', codes: ['BID_BELOW_MINIMUM'] });
    expect([after.inbox.length > 1, after.updates.length]).toEqual([true, 1]);
    expect(world.sandbox.ledger().map(({ operation }) => operation)).toEqual(commits);
    for (const [name, , of, expected] of arrivals) expect([name, of(seen)]).toEqual([name, expected]);
  });

  it('is told apart from what is known: no arrival is what comes without a hook', async () => {
    await using world = await stage();
    const seen = await tour(world);
    // A client gives the highest amount as a decimal string however it came.
    for (const [name, , of, expected] of arrivals) {
      if (!name.endsWith('as a number')) expect(of(seen), name).not.toEqual(expected);
    }
  });

  // rule: notification.duplicates
  it('a notification that is listed twice has one id', async () => {
    const twice = (call: ReplyContext, json: unknown) => {
      const data = dataOf(json);
      return call.operation === 'A74' && Array.isArray(data)
        ? { ...Object(json), data: [...data, ...data] }
        : json;
    };
    await using world = await stage('', { reply: twice });
    const { after } = await tour(world);
    expect(new Set(after.inbox.map(({ id }) => id)).size).toBe(after.inbox.length / 2);
  });

  it('a lookup of a key that was never sent is an error where the service says 404', async () => {
    await using world = await stage('', { variants: { 'lookup-unknown-key': 'not-found' } });
    const lookup = world.dealer.bids.lookup(randomUUID());
    expect(await rejection(lookup)).toMatchObject({ name: 'NotFoundError' });
  });

  it('an address without the front-controller segment is fetched through the configured one', async () => {
    const reply = everywhere('images', (urls) =>
      Array.isArray(urls) ? urls.map((url) => String(url).replace('/index.php', '')) : urls,
    );
    await using world = await stage('/index.php', { reply });
    const { sandbox, dealer } = world;
    const { id, lots } = sandbox.auctions.get('live-open');
    const lot = await dealer.events.lot(id, lots[0]?.id ?? '');
    const [url = ''] = lot.images ?? [];
    const media = await dealer.media.download(url);
    expect(sandbox.attempts().at(-1)?.path).toMatch(/^\/index\.php\/api\/v1\/events\//);
    expect(media.contentType).toMatch(/^image\/(?:png|jpeg)$/);
    await media.stream.cancel();
  });
});
