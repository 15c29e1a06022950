import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { responseOf } from '../../src/core/response-info.js';
import { bidChoices } from '../../src/sandbox/variants/bids.js';
import { catalogueChoices } from '../../src/sandbox/variants/catalogue.js';
import { readChoices } from '../../src/sandbox/variants/reads.js';
import { wireChoices } from '../../src/sandbox/variants/wire.js';
import { choices, type Variants } from '../../src/sandbox/variants.js';
import { rejection } from '../support/clients.js';
import { type Stage, stage } from './stage.js';

type Row = keyof Variants;

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
  sandbox.rival.bid(lotId, (Number(amount) + 5_000).toFixed(2));
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

/** The rows whose choices every read, a bid and a sale must live through. */
const rows = Object.keys({ ...wireChoices, ...catalogueChoices, ...bidChoices, ...readChoices }) as Row[];
const others = rows.flatMap((row) => choices[row].slice(1).map((choice) => [row, choice] as const));

/** Rows that a tour meets nothing of: what they are about is refused by the client, or asked for below. */
const unmet: ReadonlySet<Row> = new Set<Row>([
  'query-repeated-names',
  'query-repeated-values',
  'bidder-reference-in-queries',
  'event-status-active',
  'media-url-forms',
  'buyer-of-a-direct-dealer',
  'lots-listed',
  'lookup-unknown-key',
  'bid-cancellation-evidence',
  'bid-cancellation-filters',
  'status-batch-size',
  'legacy-first-bid',
  'buyer-limit-and-emd',
  'winner-update-limit',
  'winner-update-cursor-life',
  'bank-receipt-duplicates',
]);
const met = others.filter(([row]) => !unmet.has(row));

/** The first other choice of every row. */
const allAtOnce: Partial<Variants> = Object.fromEntries(
  others.filter(([row], place) => others.findIndex(([other]) => other === row) === place),
);

const strange = 'unfamiliar_to_all';
const fieldOf = (record: object | undefined, name: string): unknown => Reflect.get(record ?? {}, name);

/** What reaches the caller where it isn't what it was before. */
const arrivals: readonly (readonly [Row, string, (seen: Seen) => unknown, unknown])[] = [
  ['time-precision', 'seconds', timesOf, ['2026-03-01T10:00:00Z', '2026-03-01T19:30:00+05:30']],
  [
    'time-precision',
    'microseconds',
    timesOf,
    ['2026-03-01T10:00:00.000000Z', '2026-03-01T19:30:00+05:30'].map((time) =>
      time.replace(':00+', ':00.000000+'),
    ),
  ],
  ['time-precision', 'offset', timesOf, ['2026-03-01T15:30:00+05:30', '2026-03-01T19:30:00+05:30']],
  ['unlisted-operation-ids', 'unfamiliar', operationsOf, ['X-events-list']],
  ['unlisted-operation-ids', 'absent', operationsOf, []],
  ['unnamed-actors', 'partner', actorsOf, ['partner']],
  ['id-forms', 'punctuated', ({ lot }) => /^lot_\w+\.\w+:\w+~$/.test(lot.id), true],
  ['distribution-mode-values', 'unfamiliar', ({ event }) => event.distribution_mode, strange],
  ['vehicle-details-types', 'mixed', detailsOf, ['string', null, 'object']],
  ['legacy-auctions', 'marked', ({ legacy }) => fieldOf(legacy, 'legacy'), true],
  ['channel-status-values', 'outbid', ({ bids }) => bids.lot.channel_status, 'outbid'],
  ['channel-status-values', 'unfamiliar', ({ bids }) => bids.lot.channel_status, strange],
  [
    'list-order',
    'reversed',
    ({ events }) => [events[0]?.status, events.at(-1)?.status],
    ['upcoming', 'over'],
  ],
  ['bid-created-at-zone', 'india', ({ bids }) => bids.list[0]?.created_at, '2026-03-01 15:30:00'],
  ['lookup-receipt', 'detail', ({ bids }) => bids.lookup.receipt?.['id'] === bids.receipt.bid_id, true],
  ['lookup-receipt', 'unfamiliar', ({ bids }) => bids.lookup.receipt, { outcome: strange }],
  ['cancelled-bid-status', 'cancelled', ({ after }) => after.cancelled.status, 'cancelled'],
  ['replayed-fields', 'as-they-stand', ({ bids }) => bids.again.bidder_status, 'outbid'],
  ['receipt-highest-amount-type', 'number', highestOf, 'a decimal string'],
  ['receipt-highest-when-closed', 'null', ({ bids }) => bids.closed.highest_amount, null],
  ['wire-partner-type', 'unfamiliar', ({ hopes }) => hopes.profile.partner_type, strange],
  ['policy-version-type', 'integer', ({ hopes }) => hopes.capabilities.policy_version, 1],
  ['capability-operations', 'ids', ({ hopes }) => typeof hopes.capabilities.operations?.[0], 'string'],
  ['capability-values', 'unfamiliar', ({ hopes }) => hopes.capabilities.cancellation_mode, strange],
  ['winner-update-list', 'updates', ({ after }) => after.updates.length, 1],
  ['winner-update-list', 'data-updates', ({ after }) => after.updates.length, 1],
  ['winner-update-fields', 'unfamiliar', ({ after }) => after.updates, [{ news: strange }]],
  ['winner-update-ends', 'null', ({ after }) => after.updates.length, 1],
  ['winner-update-ends', 'absent', ({ after }) => after.updates.length, 1],
  ['winner-update-start', 'now', ({ after }) => after.updates, []],
  ['capability-quotas', 'given', quotasOf, { requests_per_minute: 120 }],
  ['eligibility-types', 'dates', ({ hopes }) => hopes.eligibility.limit_until, '2027-03-01'],
  ['eligibility-types', 'sparse', ({ hopes }) => hopes.eligibility.limit_until, undefined],
  ['eligibility-status-values', 'unfamiliar', ({ hopes }) => hopes.eligibility.kyc_status, strange],
  [
    'sale-receipt-items',
    'data',
    ({ after }) => fieldOf(after.receipts.payments?.[0] as object, 'id'),
    undefined,
  ],
  ['sale-receipt-items', 'ids', ({ after }) => typeof after.receipts.payments?.[0], 'string'],
  ['payment-ids', 'bank-receipt', ({ after }) => typeof fieldOf(after.entered.data, 'payment_id'), 'string'],
  ['record-lists', 'in-receipts', ({ after }) => fieldOf(after.receipts, 'payment_reports'), []],
];

function timesOf({ bids }: Seen) {
  return [bids.receipt.server_received_at, bids.receipt.effective_close_at];
}

function operationsOf({ hopes }: Seen) {
  return hopes.profile.operations?.map(({ id }) => id).filter((id) => /events.list/.test(id ?? ''));
}

function actorsOf({ hopes }: Seen) {
  return hopes.profile.operations?.find(({ id }) => id === 'events.list')?.actors;
}

function detailsOf({ lot }: Seen) {
  const { year, bank_reference, condition } = lot.vehicle_details ?? {};
  return [typeof year, bank_reference, typeof condition];
}

function highestOf({ bids, lot }: Seen) {
  const { highest_amount } = bids.receipt;
  const isEqual = Number(highest_amount) === Number(lot.starting_price);
  return typeof highest_amount === 'string' && isEqual ? 'a decimal string' : highest_amount;
}

function quotasOf({ hopes }: Seen) {
  return fieldOf(hopes.capabilities, 'quotas');
}

/** Bids, a cancellation, a sale and a receipt, each committed once. */
const commits = ['bids.submit', 'bids.submit', 'bids.submit', 'A07', 'A09', 'A22', 'A23', 'A72', 'A42'];

describe('what nobody has seen before', () => {
  it.each(met)('%s: %s stops no read, no bid and no command, and arrives', async (row, choice) => {
    await using world = await stage('', { [row]: choice });
    const seen = await tour(world);
    const { lots, results, bids, after } = seen;
    expect([lots.length, results.length, bids.none, bids.list.length]).toEqual([40, 25, [], 3]);
    expect([bids.again.replayed, bids.again.bid_id]).toEqual([true, bids.receipt.bid_id]);
    const states = [bids.receipt.status, bids.closed.status, bids.lookup.state];
    expect(states).toEqual(['accepted', 'accepted', 'accepted']);
    expect(bids.rejected).toMatchObject({ name: 'BidRejectedError', codes: ['BID_BELOW_MINIMUM'] });
    expect(after.inbox.length).toBeGreaterThan(1);
    expect(world.sandbox.ledger().map(({ operation }) => operation)).toEqual(commits);
    for (const [, , of, expected] of arrivals.filter(([of, its]) => of === row && its === choice)) {
      expect(of(seen)).toEqual(expected);
    }
  });

  it('is told apart from what is known: no arrival is what comes without a choice', async () => {
    await using world = await stage();
    const seen = await tour(world);
    // The list of updates arrives whole wherever it stands, and however it ends.
    const alike = ['winner-update-list', 'winner-update-ends', 'receipt-highest-amount-type'];
    for (const [row, choice, of, expected] of arrivals) {
      if (!alike.includes(row)) expect(of(seen), `${row}: ${choice}`).not.toEqual(expected);
    }
  });

  it('all of it at once stops nothing either', async () => {
    await using world = await stage('/index.php', allAtOnce);
    expect(Object.keys(allAtOnce)).toEqual(rows);
    const { bids, after } = await tour(world);
    expect([bids.again.replayed, after.cancelled.status]).toEqual([true, 'cancelled']);
    expect(world.sandbox.ledger().map(({ operation }) => operation)).toEqual(commits);
  });

  it('a lookup of a key that was never sent is an error where the service says 404', async () => {
    await using world = await stage('', { 'lookup-unknown-key': 'not-found' });
    const lookup = world.dealer.bids.lookup(randomUUID());
    expect(await rejection(lookup)).toMatchObject({ name: 'NotFoundError' });
  });

  it('lots of auctions that have yet to open come with their status', async () => {
    await using world = await stage('', { 'lots-listed': 'live-and-upcoming' });
    const statuses = (await world.dealer.lots.list().toArray()).map(({ status }) => status);
    expect([...new Set(statuses)].sort()).toEqual(['live', 'upcoming']);
  });

  it('a bank that may not read the catalogue is told so', async () => {
    await using world = await stage('', { 'unnamed-actors': 'partner' });
    const events = world.bank.events.list().toArray();
    expect(await rejection(events)).toMatchObject({ name: 'PermissionError', code: 'SCOPE_DENIED' });
  });

  it('an address without the front-controller segment is signed for nobody, the ids in it are', async () => {
    await using world = await stage('/index.php', { 'media-url-forms': 'without-prefix' });
    const { sandbox, dealer } = world;
    const { id, lots } = sandbox.auctions.get('live-open');
    const lot = await dealer.events.lot(id, lots[0]?.id ?? '');
    const [url = ''] = lot.images ?? [];
    const arrived = sandbox.attempts().length;
    expect(await rejection(dealer.files.download(url))).toMatchObject({ name: 'InvalidRequestError' });
    expect(sandbox.attempts()).toHaveLength(arrived);
    const media = await dealer.events.media(id, lot.id, url.slice(url.lastIndexOf('/') + 1));
    expect(media.contentType).toBe('image/png');
    await media.stream.cancel();
  });

  it('evidence and filters go under the names that the bank gives', async () => {
    const named = {
      'bid-cancellation-evidence': 'evidence-id',
      'bid-cancellation-filters': 'taken',
    } as const;
    await using world = await stage('', named);
    const { sandbox, dealer } = world;
    const [lot] = sandbox.auctions.get('live-open').lots;
    const { bid_id } = await dealer.bids.submit(lot?.id ?? '', { amount: lot?.startingPrice ?? '' });
    const extraBody = { evidence_id: 'doc_none' };
    const asked = dealer.bids.requestCancellation(bid_id, { reason_code: 'SLIP' }, { extraBody });
    expect(await rejection(asked)).toMatchObject({
      name: 'ValidationError',
      fieldErrors: { evidence_id: [expect.any(String)] },
    });
    await dealer.bids.requestCancellation(bid_id, { reason_code: 'SLIP' });
    const counts: number[] = [];
    for (const status of ['pending', 'approved']) {
      const found = await dealer.bidCancellations.list({}, { extraQuery: { status } }).toArray();
      counts.push(found.length);
    }
    expect(counts).toEqual([1, 0]);
  });
});
