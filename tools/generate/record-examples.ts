import { writeFileSync } from 'node:fs';
import { BankClient } from '../../src/client/bank-client.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import { fetchTransport } from '../../src/core/transport/fetch.js';
import { routes } from '../../src/routes/all.js';
import { startSandbox } from '../../src/sandbox/index.js';

/**
 * `npm run examples`: plays a sale in the sandbox, from the bid to the papers, and writes the first success of every
 * operation to examples.json, from where openapi.json has them.
 */

const examples = new Map<string, object>();
const sandbox = await startSandbox({
  listen: false,
  clock: 'manual',
  startAt: '2026-03-01T10:00:00Z',
  origin: 'https://bank.example',
  rateLimit: false,
  variants: { 'webhook-operative': 'on' },
  reply: ({ call, request, status }, json) => {
    if (call !== null && status < 300 && !examples.has(call)) {
      examples.set(call, { ...(request !== null && { request }), reply: shortened(json) });
    }
    return json;
  },
});
let made = 0;
const common = {
  environment: 'sandbox',
  baseUrl: sandbox.baseUrl,
  transport: fetchTransport(sandbox.fetch),
  clock: sandbox.clock,
  randomness: { uuid: nextUuid, nonce: nextUuid, fraction: () => 0 },
  quota: { limit: Number.POSITIVE_INFINITY },
} as const;
const { dealer: dealerKeys, platform: platformKeys, bank: bankKeys } = sandbox.credentials;
const { dealerId } = dealerKeys;
const dealer = new PartnerClient({
  ...common,
  credentials: dealerKeys,
  partnerType: 'direct_dealer',
  dealerId,
});
const bank = new BankClient({ ...common, credentials: bankKeys });
const platform = new PartnerClient({
  ...common,
  credentials: platformKeys,
  partnerType: 'platform',
  dealerId: platformKeys.dealerId,
});

const { id: event, lots } = sandbox.auctions.get('live-open');
const [lot, second] = lots.map((each) => ({ id: each.id, price: each.startingPrice }));
if (lot === undefined || second === undefined) throw new Error('The auction has less than two lots');

// The catalogue, and bids.
await dealer.integration.profile();
await dealer.integration.capabilities();
await dealer.eligibility.check({ lot_id: lot.id, amount: lot.price });
await dealer.events.list().firstPage();
await dealer.events.get(event);
await dealer.events.lots(event).firstPage();
await dealer.events.lot(event, lot.id);
await dealer.vehicles.get(lot.id);
await dealer.lots.list().firstPage();
await dealer.lots.status(lot.id);
await dealer.lots.statusBatch({ lot_ids: [lot.id, second.id] });
const receipt = await dealer.bids.submit(lot.id, { amount: lot.price });
await dealer.bids.list().firstPage();
await dealer.bids.get(receipt.bid_id);
await dealer.bids.lookup(uuidAt(made));
const bid = { amount: second.price, bidder_reference: 'buyer-9' };
const mistake = await platform.bids.submit(second.id, bid);
const explained = { reason_code: 'mistake', explanation: 'A zero too many' };
await platform.bids.requestCancellation(mistake.bid_id, explained);
const [asked] = await bank.bidCancellations.list().toArray();
const agreed = { decision: 'approved', reason: 'Agreed' } as const;
await bank.bidCancellations.decide(known(asked), agreed);
await platform.bids.submit(second.id, bid);

// The sale: an offer, the decision, and what is owed.
sandbox.auctions.close(event);
await dealer.results.list().firstPage();
const sales = await bank.saleCases.list().toArray();
const open = known(sales.find(({ data }) => data?.lot_id === lot.id));
const other = known(sales.find(({ data }) => data?.lot_id === second.id));
const reason = 'Scratches on the left door';
const money = { amount: lot.price, currency: 'INR' } as const;
const terms = { terms_version: 'T3' };
const offer = await bank.saleCases.offer(open, {
  ...money,
  ...terms,
  valid_until: '2026-03-05T18:00:00+05:30',
  reason,
});
await dealer.offers.respond(offer, { decision: 'accepted', ...terms });
const approval = {
  reason: 'Above the reserve',
  ...terms,
  due_at: '2026-03-09T18:00:00+05:30',
  payee_instructions: 'NEFT to account 0042',
};
const approved = await bank.saleCases.decide(await bank.saleCases.get(open.id), {
  decision: 'approved',
  bid_id: receipt.bid_id,
  offer_id: offer.id,
  ...approval,
});
await dealer.saleCases.acknowledge(approved, terms);
const sale_id = approved.id;
await dealer.saleCases.paymentDues(sale_id);
await dealer.winnerUpdates.list().firstPage();
const [message] = await dealer.notifications.list().toArray();
await dealer.notifications.acknowledge(known(message).id, { status: 'read' });

// Money: evidence, a report of it, the receipt, and some of it back.
const evidence = await dealer.documents.upload({
  sale_id,
  purpose: 'payment_evidence',
  filename: 'transfer.pdf',
  content_base64: Buffer.from('%PDF-1.4 a transfer').toString('base64'),
});
sandbox.clock.advance(60_000);
await dealer.documents.get(evidence.id);
const { amount } = money;
const report = await dealer.paymentReports.create({
  sale_id,
  ...money,
  method: 'bank_transfer',
  utr: 'UTR0042',
  paid_at: '2026-03-01T15:20:00+05:30',
  evidence_id: evidence.id,
});
await dealer.paymentReports.get(report.id);
const account = { bank_account_reference: 'ACC-1' };
const receive = (utr: string, external_transaction_id: string, amount: string) => {
  const transfer = {
    utr,
    external_transaction_id,
    amount,
    currency: 'INR',
    value_date: '2026-03-01',
  } as const;
  return bank.bankReceipts.import({ sale_id, ...account, ...transfer });
};
const imported = await receive('UTR0042', 'TX-7', amount);
await bank.paymentReports.decide(report, {
  decision: 'verified',
  bank_receipt_id: imported.id,
  ...account,
  received_amount: amount,
  currency: 'INR',
});
const { payments = [] } = await bank.saleCases.receipts(sale_id);
const payment = await bank.payments.get(String(Reflect.get(Object(payments[0]), 'id')));
await bank.payments.allocate(payment, { sale_id, amount });

// The vehicle: released, revoked, released again, collected, transferred.
const release = {
  recipient: 'A. Buyer',
  yard: 'Pune 2',
  expires_at: '2026-03-12T18:00:00+05:30',
  collection_date: '2026-03-11',
} as const;
const first = await bank.saleCases.authorizeRelease(await bank.saleCases.get(sale_id), release);
await bank.releases.revoke(first, { reason: 'Wrong yard' });
const valid = await bank.saleCases.authorizeRelease(await bank.saleCases.get(sale_id), release);
await dealer.releases.get(valid.id);
const { registration_number } = await dealer.events.lot(event, lot.id);
await bank.releases.collect(valid, {
  collector: 'A. Buyer',
  vehicle_identity: registration_number ?? '',
  evidence_id: evidence.id,
});
await dealer.saleCases.transferStatus(sale_id);
await bank.saleCases.updateTransfer(await bank.saleCases.get(sale_id), {
  status: 'submitted',
  responsible_party: 'RTO Pune',
  occurred_at: '2026-03-01T15:30:00+05:30',
});

// What goes wrong: another sale is cancelled, this one disputed, and some of the money goes back.
const { bid_id } = known(other.data);
const cancelled = await bank.saleCases.decide(other, { decision: 'approved', bid_id, ...approval });
const damage = { reason_code: 'damage', explanation: reason };
const cancellation = await platform.saleCases.requestCancellation(cancelled, damage);
await bank.saleCancellations.decide(cancellation, agreed);
await receive('UTR0043', 'TX-8', '1000.00');
const { payments: all = [] } = await bank.saleCases.receipts(sale_id);
const twice = await dealer.payments.get(String(Reflect.get(Object(all.at(-1)), 'id')));
const back = await dealer.payments.requestRefund(twice, { amount: '1000.00', reason: 'Paid twice' });
const refund = await bank.refundRequests.decide(back, agreed);
await dealer.refunds.get(String(Reflect.get(Object(refund.data), 'refund_id')));
const dispute = await dealer.disputes.create({ sale_id, ...damage, evidence_id: evidence.id });
await dealer.disputes.get(dispute.id);

// The bank's stock, and webhooks.
const [form] = await bank.inventory.schemas();
const vehicle = await bank.inventory.createVehicle({
  title: 'Maruti Swift 2020',
  external_id: 'V-42',
  schema_version: known(form).schema_version,
  values: {},
});
await bank.inventory.updateVehicle(vehicle, { title: 'Maruti Swift VXi 2020' });
await dealer.webhookSubscriptions.create({
  name: 'Sales',
  url: 'https://partner.example/webhooks',
  events: ['sale.approved'],
});

await sandbox.close();
const named = routes.map(({ name }) => name);
const entries = named.flatMap((name) => {
  const example = examples.get(name);
  return example === undefined ? [] : [`  ${JSON.stringify(name)}: ${JSON.stringify(example)}`];
});
writeFileSync(new URL('examples.json', import.meta.url), `{\n${entries.join(',\n')}\n}\n`);
const missing = named.filter((name) => !examples.has(name));
console.log(`${entries.length} examples; none of ${missing.join(', ')}.`);

/** One item of a list shows what the others look like; a secret is shown nowhere. */
function shortened(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json), (key, value) => {
    if (key === 'secret') return 'shown-once';
    return Array.isArray(value) && typeof value[0] === 'object' ? value.slice(0, 1) : value;
  });
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The sandbox has not what the example needs');
  return value;
}

function uuidAt(index: number): string {
  return `3f0e6d52-9a41-4d0c-8a0e-${String(index).padStart(12, '0')}`;
}

/** UUIDs that are the same every time. */
function nextUuid(): string {
  made += 1;
  return uuidAt(made);
}
