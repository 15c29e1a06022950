import {
  ConnectionError,
  formatInr,
  nextBids,
  PartnerClient,
  responseOf,
  undiciTransport,
} from 'vehicle-auction-sdk';
import type { Sandbox } from 'vehicle-auction-sdk/sandbox';
import { type Narrator, signedLines, told } from './narrator.js';

/** A dealer's first bid, over real HTTP: verified, placed, outbid, cut off, reconciled. @throws where anything is off. */
export async function tellStory(sandbox: Sandbox, narrator: Narrator): Promise<void> {
  const { transport, seen } = told(undiciTransport(), narrator);
  const { credentials } = sandbox;
  await using connection = { [Symbol.asyncDispose]: () => transport.close() };
  void connection;
  await using auction = new PartnerClient({
    baseUrl: sandbox.baseUrl,
    credentials: credentials.dealer,
    partnerType: 'direct_dealer',
    dealerId: credentials.dealer.dealerId,
    environment: 'sandbox',
    transport,
  });

  narrator.chapter('Are these credentials any good?', 'await auction.integration.profile()');
  const profile = await auction.integration.profile();
  narrator.say(
    `Yes: ${profile.client_id} is dealer ${profile.dealer_id} in ${profile.environment}, with ${profile.scopes?.length} scopes.`,
  );
  narrator.aside('Every request is signed. These six lines were, for this one:');
  const labels = ['method', 'path', 'query', 'timestamp', 'nonce', 'SHA-256 of the body'];
  for (const [index, line] of signedLines(seen[0] ?? missing()).entries()) {
    narrator.aside(`  │ ${(labels[index] ?? '').padEnd(20)}${line === '' ? '(none)' : line}`);
  }
  narrator.aside('And is this client set up as the bank sees us?  await auction.verify()');
  const findings = await auction.verify();
  narrator.check(
    findings.length > 4 && findings.every(({ level }) => level === 'ok'),
    `auction.verify() finds nothing amiss: ${findings.map(({ what }) => what).join(', ')}`,
  );

  narrator.chapter(
    'What is live right now?',
    'for await (const event of auction.events.list({ status: "live" })) …',
  );
  const events = await auction.events.list({ status: 'live' }).toArray();
  narrator.rows(
    events.map((event) => [
      event.id,
      event.name ?? '',
      event.bid_type ?? '',
      `${event.eligible_lots_count} lots`,
      event.bid_increment === '0.00' ? 'any amount' : `steps of ${formatInr(event.bid_increment)}`,
    ]),
  );
  const event = events.find((one) => one.bid_type === 'open' && one.bid_increment !== '0.00') ?? missing();

  narrator.chapter(
    'Which vehicles are in it?',
    `auction.events.lots("${event.id}", { per_page: 5 }).firstPage()`,
  );
  const page = await auction.events.lots(event.id, { per_page: 5 }).firstPage();
  narrator.rows(
    page.items.map((lot) => [
      lot.id,
      `${lot.year} ${lot.make} ${lot.model}`,
      lot.registration_number ?? '',
      `opens at ${formatInr(lot.starting_price)}`,
    ]),
  );
  narrator.aside(`${page.total} lots in all. Lists are walked page by page, as far as you read.`);
  const lot = page.items.find((one) => one.highest_amount === null) ?? missing();
  const grid = {
    bidType: 'open',
    startingPrice: lot.starting_price,
    increment: event.bid_increment,
  } as const;

  const opening = lot.starting_price;
  narrator.chapter(
    `Bid the opening price for the ${lot.make} ${lot.model}`,
    `await auction.bids.submit("${lot.id}", { amount: "${opening}" })`,
  );
  const first = await auction.bids.submit(lot.id, { amount: opening });
  narrator.say(
    `${first.status}: bid ${first.bid_id}, and we are ${first.bidder_status} (provisionally; a sale is the bank's decision).`,
  );
  narrator.check(
    first.status === 'accepted' && responseOf(first).status === 201,
    'accepted for the first time, HTTP 201',
  );

  const [rivalAmount = missing()] = nextBids({ ...grid, highestAmount: opening }, 1);
  narrator.chapter('A rival answers', `await auction.events.lot("${event.id}", "${lot.id}")`);
  narrator.aside(`In the sandbox, a rival bids ${formatInr(rivalAmount)} meanwhile.`);
  sandbox.rival.bid(lot.id, rivalAmount);
  const outbid = await auction.events.lot(event.id, lot.id);
  narrator.say(
    `The highest bid is ${formatInr(outbid.highest_amount ?? missing())} now, and it isn't ours: ${outbid.bidder_status}.`,
  );
  narrator.check(
    outbid.bidder_status === 'outbid' && outbid.highest_amount === rivalAmount,
    'outbid by exactly one step',
  );

  const [amount = missing()] = nextBids({ ...grid, highestAmount: rivalAmount }, 1);
  const body = { amount, idempotency_key: crypto.randomUUID() };
  narrator.chapter(
    'Bid again, and lose the reply on the way back',
    `await auction.bids.submit("${lot.id}", body, { maxAttempts: 1 })`,
  );
  narrator.aside(`body = ${JSON.stringify(body)}`);
  narrator.aside(
    'The sandbox will cut the socket once it has recorded the bid. The client would resend by itself and',
  );
  narrator.aside('settle it unseen; maxAttempts: 1 holds it back, so that you see what happened.');
  sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit' });
  const lost = await failureOf(auction.bids.submit(lot.id, body, { maxAttempts: 1 }));
  narrator.say(`${lost.name}, outcome: ${lost.outcome}. What to do next, says the error:`);
  narrator.aside(`“${lost.nextStep}”`);
  narrator.check(
    lost.outcome === 'unknown',
    'a lost reply is neither success nor failure: it is unknown, and says so',
  );

  narrator.chapter('Look before resending', `await auction.bids.lookup("${body.idempotency_key}")`);
  const lookup = await auction.bids.lookup(body.idempotency_key);
  narrator.say(`The service knows this key: ${lookup.state}, as of ${lookup.observed_at}.`);
  narrator.check(lookup.state === 'accepted', 'the bid had arrived');

  narrator.chapter(
    'Resend the same bytes under the same key',
    `await auction.bids.submit("${lot.id}", body)`,
  );
  const again = await auction.bids.submit(lot.id, body);
  const twins = seen.filter((one) => one.method === 'POST').slice(-2);
  narrator.rows([
    ['', 'body SHA-256', 'nonce', 'signature'],
    ...twins.map((one, index) => [
      index === 0 ? 'lost' : 'resent',
      ...[one.bodySha256, one.nonce, one.signature].map((hex) => `${hex.slice(0, 12)}…`),
    ]),
  ]);
  narrator.check(
    new Set(twins.map((one) => one.bodySha256)).size === 1,
    'identical bytes, attempt by attempt',
  );
  narrator.check(new Set(twins.map((one) => one.nonce)).size === 2, 'a fresh nonce and signature for each');
  narrator.check(
    again.replayed === true && responseOf(again).status === 200,
    'HTTP 200, replayed: the service answers from its record',
  );

  narrator.chapter('How many bids does the ledger hold?', 'sandbox.ledger()');
  const ledger = sandbox.ledger().filter((entry) => entry.lotId === lot.id);
  narrator.rows(
    ledger.map((entry, index) => [
      `${index + 1}.`,
      entry.clientId,
      formatInr(entry.amount ?? missing()),
      entry.bidId ?? '',
    ]),
  );
  const underKey = ledger.filter((entry) => entry.idempotencyKey === body.idempotency_key);
  narrator.check(underKey.length === 1, 'two requests, one bid');
  narrator.check(ledger.length === 3, "ours, the rival's, ours: nothing doubled, nothing lost");
  const own = await auction.bids.list().toArray();
  narrator.check(own.length === 2 && own.every((bid) => bid.status === 'accepted'), 'and GET /bids agrees');
}

async function failureOf(call: Promise<unknown>): Promise<ConnectionError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ConnectionError) return error;
  throw new Error('The cut connection should have surfaced as a ConnectionError', { cause: error });
}

function missing(): never {
  throw new Error('The sandbox lacks something that this story needs');
}
