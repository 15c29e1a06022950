import {
  type AuctionEvent,
  BankClient,
  bidSituation,
  type EventLot,
  formatInr,
  NotFoundError,
  nextBids,
  PartnerClient,
  type SaleRecord,
} from 'vehicle-auction-sdk';
import type { Sandbox } from 'vehicle-auction-sdk/sandbox';
import type { Narrator } from './narrator.js';

interface Stage {
  readonly sandbox: Sandbox;
  readonly narrator: Narrator;
  readonly auction: PartnerClient<'direct_dealer'>;
  readonly bank: BankClient;
}

/** A vehicle from discovery to collection, as a dealer and a bank live it. @throws where something does not hold */
export async function tellStory(sandbox: Sandbox, narrator: Narrator): Promise<void> {
  const { baseUrl, credentials } = sandbox;
  const dealerOf = (own: typeof credentials.dealer) =>
    new PartnerClient({
      baseUrl,
      environment: 'sandbox',
      credentials: own,
      partnerType: 'direct_dealer',
      dealerId: own.dealerId,
      logLevel: 'error', // the sandbox's log shows what is lost and sent again
    });
  await using auction = dealerOf(credentials.dealer);
  await using rival = dealerOf(credentials.rival);
  await using bank = new BankClient({ baseUrl, environment: 'sandbox', credentials: credentials.bank });
  const stage = { sandbox, narrator, auction, bank };

  const { event, lot } = await discover(stage);
  await bid(stage, event, lot);
  const sale = await sell(stage, event, lot);
  await pay(stage, sale);
  await handOver(stage, lot, sale);

  narrator.chapter('Nobody else knows', 'await rival.saleCases.get(sale.id)');
  const refusal = await rival.saleCases.get(sale.id).catch((error: unknown) => error);
  narrator.check(refusal instanceof NotFoundError, 'to another dealer, this sale does not exist');
}

async function discover({ narrator, auction }: Stage): Promise<{ event: AuctionEvent; lot: EventLot }> {
  narrator.chapter('Is the client set up as the bank sees it?', 'await auction.verify()');
  const findings = await auction.verify();
  narrator.check(
    findings.every(({ level }) => level === 'ok'),
    `yes: ${findings.map(({ what }) => what).join(', ')}`,
  );

  narrator.chapter('What is live?', "auction.events.list({ status: 'live' })");
  const events = await auction.events.list({ status: 'live' }).toArray();
  for (const { id, name, eligible_lots_count } of events)
    narrator.say(`${id}  ${name}, ${eligible_lots_count} lots`);
  const event = given(
    events.find(({ bid_type, bid_increment }) => bid_type === 'open' && bid_increment !== '0.00'),
  );

  narrator.chapter('Which vehicles are in it, and what do they look like?', 'auction.events.lots(event.id)');
  const lots = await auction.events.lots(event.id).toArray({ limit: 5 });
  for (const { id, year, make, model, starting_price } of lots) {
    narrator.say(`${id}  ${year} ${make} ${model}, from ${formatInr(starting_price)}`);
  }
  const lot = given(lots.find(({ highest_amount, images }) => highest_amount === null && images?.length));
  const photo = await auction.media.download(given(lot.images?.[0]));
  const bytes = Buffer.from(await new Response(photo.stream).arrayBuffer());
  narrator.check(
    bytes.subarray(0, 3).toString('hex') === 'ffd8ff',
    `a ${photo.contentType} of ${bytes.length} bytes`,
  );
  return { event, lot };
}

/** A bid, a rival, and a bid whose reply is lost. */
async function bid({ sandbox, narrator, auction }: Stage, event: AuctionEvent, lot: EventLot): Promise<void> {
  const grid = bidSituation(event, lot);
  const [opening = ''] = nextBids(grid, 1);
  narrator.chapter(
    `Bid for the ${lot.make} ${lot.model}`,
    `auction.bids.place({ lot, amount: '${opening}' })`,
  );
  const first = await auction.bids.place({ lot, event, amount: opening });
  narrator.check(first.status === 'accepted', 'accepted: a provisional standing, not yet a sale');
  const { amount: highestAmount } = sandbox.actors.rival.bidNext(lot.id);
  const { bidder_status } = await auction.events.lot(event.id, lot.id);
  narrator.check(bidder_status === 'outbid', `a rival bids ${formatInr(highestAmount)}: outbid`);

  const [amount = ''] = nextBids({ ...grid, highestAmount }, 1);
  narrator.chapter('Bid again, and lose the reply', `auction.bids.place({ lot, amount: '${amount}' })`);
  narrator.say('The sandbox records the bid and cuts the connection.');
  sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit' });
  const again = await auction.bids.place({ lot, event, amount });
  const copies = sandbox.attempts().filter(({ idempotencyKey }) => idempotencyKey === again.idempotencyKey);
  const bodies = new Set(copies.map(({ bodySha256 }) => bodySha256));
  const nonces = new Set(copies.map(({ nonce }) => nonce));
  narrator.check(
    copies.length === 2 && bodies.size === 1,
    'the client sent the same bytes again automatically',
  );
  narrator.check(nonces.size === 2, 'with a fresh nonce and signature');
  const { timeline } = await auction.intents.explain(again.idempotencyKey);
  for (const { what } of timeline) narrator.say(what);
  narrator.check(
    again.status === 'accepted' && again.replayed,
    'the first copy had arrived: one bid, accepted',
  );

  narrator.chapter('Place the very same bid once more', 'auction.bids.place(bid, { idempotencyKey })');
  const { idempotencyKey } = again;
  const sent = sandbox.attempts().length;
  const same = await auction.bids.place({ lot, event, amount }, { idempotencyKey });
  narrator.check(
    same.status === 'accepted' && sandbox.attempts().length === sent,
    'the store answers; nothing is sent',
  );
  const ledger = sandbox.ledger().filter(({ lotId }) => lotId === lot.id);
  for (const entry of ledger)
    narrator.say(`${entry.bidId}  ${formatInr(given(entry.amount))} by ${entry.clientId}`);
  narrator.check(ledger.length === 3, 'two requests, one bid: nothing doubled, nothing lost');
}

async function sell(stage: Stage, event: AuctionEvent, lot: EventLot): Promise<SaleRecord> {
  const { sandbox, narrator, auction, bank } = stage;
  narrator.chapter('The auction closes, and the bank decides by its policy', 'bank.approvals.run(policy)');
  sandbox.auctions.close(event.id);
  const run = bank.approvals.run(({ now }) => ({
    action: 'approve',
    reason: 'Highest bid, above the reserve',
    termsVersion: 'T3',
    dueAt: new Date(now + 7 * 86_400_000).toISOString(),
    payeeInstructions: 'NEFT to 000111222333, IFSC EXMP0000001, sale id as the reference',
  }));
  const outcomes = [];
  for await (const outcome of run) outcomes.push(outcome);
  const [approval] = outcomes;
  narrator.check(
    outcomes.length === 1 && approval?.status === 'approved',
    'approved on the version that it saw',
  );
  for await (const { phase, at } of bank.approvals.audit())
    narrator.say(`audit: ${phase} the decision, at ${at}`);

  narrator.chapter(
    'The dealer learns of it, and acknowledges',
    'auction.saleCases.acknowledge(sale, { terms_version })',
  );
  const { items } = await auction.winnerUpdates.list().firstPage();
  narrator.check(
    items.some((update) => update['lot_id'] === lot.id),
    'it is among the winner updates',
  );
  const sale = await auction.saleCases.get(given(approval).sale);
  const acknowledged = await auction.saleCases.acknowledge(sale, {
    terms_version: given(sale.data?.terms_version),
  });
  narrator.check(
    Boolean(acknowledged.data?.acknowledged_at),
    `acknowledged, version ${acknowledged.resource_version}`,
  );
  return acknowledged;
}

/** `YYYY-MM-DD`, the day that people in India have at a moment: until 5:30 it is still the day before in UTC. */
function dayInIndia(moment: string): string {
  return new Date(moment).toLocaleDateString('sv-SE', { timeZone: 'Asia/Kolkata' });
}

async function pay({ sandbox, narrator, auction, bank }: Stage, { id, data }: SaleRecord): Promise<void> {
  const amount = given(data?.amount);
  const utr = 'EXMPN26061234567';
  const paid_at = new Date(sandbox.clock.now()).toISOString();
  narrator.chapter('Pay, with evidence that is scanned', 'auction.paymentReports.create({ … })');
  const evidence = await auction.documents.upload(
    {
      sale_id: id,
      purpose: 'payment_evidence',
      filename: 'transfer-advice.txt',
      content_base64: Buffer.from(`Transfer of INR ${amount}, UTR ${utr}`).toString('base64'),
    },
    { waitUntilReady: true },
  );
  const paid = { sale_id: id, amount, currency: 'INR', method: 'bank_transfer', utr, paid_at } as const;
  const report = await auction.paymentReports.create({ ...paid, evidence_id: evidence.id });
  const unpaid = await auction.saleCases.paymentDues(id);
  narrator.check(unpaid.remaining === amount, `${report.state}: a report is not money`);

  narrator.chapter(
    'The bank finds the transfer, verifies and allocates',
    'bank.paymentReports.decide(report, { … })',
  );
  const account = { bank_account_reference: 'CURRENT-0001', currency: 'INR' } as const;
  const value_date = dayInIndia(paid_at);
  const transfer = { sale_id: id, utr, external_transaction_id: 'STMT-1', amount, value_date };
  const receipt = await bank.bankReceipts.import({ ...account, ...transfer });
  const found = { bank_receipt_id: receipt.id, received_amount: amount, reason: 'Found on the statement' };
  await bank.paymentReports.decide(report, { ...account, ...found, decision: 'verified' });
  const [payment] = sandbox.records('payment');
  await bank.payments.allocate(await bank.payments.get(given(payment).id), { sale_id: id, amount });
  const { remaining, state } = await auction.saleCases.waitUntilPaid(id);
  narrator.check(remaining === '0.00', `nothing remains to be paid: ${state}`);
}

async function handOver(
  { sandbox, narrator, auction, bank }: Stage,
  lot: EventLot,
  sale: SaleRecord,
): Promise<void> {
  narrator.chapter(
    'The bank releases the vehicle, and it is collected',
    'bank.saleCases.authorizeRelease(sale, { … })',
  );
  const expires_at = new Date(sandbox.clock.now() + 2 * 86_400_000).toISOString();
  const release = await bank.saleCases.authorizeRelease(await bank.saleCases.get(sale.id), {
    recipient: 'R. Iyer, with the authority letter',
    yard: 'National Stockyard, Pune',
    expires_at,
    collection_date: dayInIndia(expires_at),
  });
  const seen = await auction.releases.get(release.id);
  narrator.check(seen.state === 'valid', `release ${release.id} is valid, for one collection`);
  const used = await bank.releases.collect(release, {
    collector: 'R. Iyer',
    vehicle_identity: given(lot.registration_number),
  });
  narrator.check(used.state === 'used', 'collected: the release is used');

  narrator.chapter('The dealer reads it all in its inbox', 'auction.notifications.list()');
  const inbox = (await auction.notifications.list().toArray()).reverse();
  for (const { type, subject } of inbox) narrator.say(`${type}: ${String(subject)}`);
  const types = inbox.map(({ type }) => type).filter((type) => type !== 'vehicle.status_changed');
  const ends = types.at(0) === 'sale.approved' && types.at(-1) === 'vehicle.collected';
  narrator.check(ends && new Set(types).size === types.length, 'every step of the sale, once and in order');
}

/** Requires a value that the sandbox must provide. */
function given<T>(value: T): NonNullable<T> {
  if (value === undefined || value === null)
    throw new Error('The sandbox lacks something that this story needs');
  return value;
}
