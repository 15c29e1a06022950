import { bidSituation, ConnectionError, formatInr, nextBids, responseOf } from 'vehicle-auction-sdk';
import type { Cast } from './cast.js';
import type { Found } from './discovery.js';
import { given } from './given.js';

/** A bid, a rival, a bid whose reply is lost, and the proof that it is one bid. Returns what we lead with. */
export async function bid(cast: Cast, { event, lot }: Found): Promise<{ amount: string; bidId: string }> {
  const { sandbox, narrator, buyer, seen } = cast;
  const { client: auction, query } = buyer;
  const opening = lot.starting_price;
  const grid = bidSituation(event, lot);

  narrator.chapter(
    `Bid the opening price for the ${lot.make} ${lot.model}`,
    `await auction.bids.submit("${lot.id}", ${shown({ amount: opening, ...query })})`,
  );
  const first = await buyer.bid(lot.id, { amount: opening });
  narrator.say(
    `${first.status}: bid ${first.bid_id}, and we are ${first.bidder_status} (provisionally; a sale is the bank's decision).`,
  );
  narrator.check(
    first.status === 'accepted' && responseOf(first).status === 201,
    'accepted for the first time, HTTP 201',
  );

  const rivalAmount = given(nextBids({ ...grid, highestAmount: opening }, 1)[0]);
  narrator.chapter('A rival answers', `await auction.events.lot("${event.id}", "${lot.id}")`);
  narrator.aside(`In the sandbox, a rival bids ${formatInr(rivalAmount)} meanwhile.`);
  sandbox.rival.bid(lot.id, rivalAmount);
  const outbid = await auction.events.lot(event.id, lot.id, query);
  narrator.say(
    `The highest bid is ${formatInr(given(outbid.highest_amount))} now, and it isn't ours: ${outbid.bidder_status}.`,
  );
  narrator.check(
    outbid.bidder_status === 'outbid' && outbid.highest_amount === rivalAmount,
    'outbid by exactly one step',
  );

  const amount = given(nextBids({ ...grid, highestAmount: rivalAmount }, 1)[0]);
  const body = { amount, idempotency_key: crypto.randomUUID() };
  narrator.chapter(
    'Bid again, and lose the reply on the way back',
    `await auction.bids.submit("${lot.id}", body, { maxAttempts: 1 })`,
  );
  narrator.aside(`body = ${shown({ ...body, ...query })}`);
  narrator.aside(
    'The sandbox will cut the socket once it has recorded the bid. The client would resend by itself and',
  );
  narrator.aside('settle it unseen; maxAttempts: 1 holds it back, so that you see what happened.');
  sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit' });
  const lost = await failureOf(buyer.bid(lot.id, body, { maxAttempts: 1 }));
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
  const again = await buyer.bid(lot.id, body);
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
      formatInr(given(entry.amount)),
      entry.bidId ?? '',
    ]),
  );
  const underKey = ledger.filter((entry) => entry.idempotencyKey === body.idempotency_key);
  narrator.check(underKey.length === 1, 'two requests, one bid');
  narrator.check(ledger.length === 3, "ours, the rival's, ours: nothing doubled, nothing lost");
  const own = await auction.bids.list(query).toArray();
  narrator.check(own.length === 2 && own.every((one) => one.status === 'accepted'), 'and GET /bids agrees');
  return { amount, bidId: again.bid_id };
}

function shown(body: object): string {
  return JSON.stringify(body);
}

async function failureOf(call: Promise<unknown>): Promise<ConnectionError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ConnectionError) return error;
  throw new Error('The cut connection should have surfaced as a ConnectionError', { cause: error });
}
