import { type AcceptedBid, type BidOutcome, bidSituation, formatInr, nextBids } from 'vehicle-auction-sdk';
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
    `await auction.bids.place(${shown({ lot: lot.id, amount: opening, ...buyer.named })})`,
  );
  const first = accepted(await buyer.place({ lot, event, amount: opening }));
  narrator.say(
    `${first.status}: bid ${first.bidId}, and we are ${first.receipt?.bidder_status} (provisionally; a sale is the bank's decision).`,
  );
  narrator.check(
    !first.replayed && first.attempts === 1,
    'accepted for the first time, by the first attempt',
  );

  const rivalAmount = given(nextBids({ ...grid, highestAmount: opening }, 1)[0]);
  narrator.chapter('A rival answers', `await auction.events.lot("${event.id}", "${lot.id}")`);
  narrator.aside(`In the sandbox, a rival bids ${formatInr(rivalAmount)} meanwhile.`);
  sandbox.actors.rival.bid(lot.id, rivalAmount);
  const outbid = await auction.events.lot(event.id, lot.id, query);
  narrator.say(
    `The highest bid is ${formatInr(given(outbid.highest_amount))} now, and it isn't ours: ${outbid.bidder_status}.`,
  );
  narrator.check(
    outbid.bidder_status === 'outbid' && outbid.highest_amount === rivalAmount,
    'outbid by exactly one step',
  );

  const amount = given(nextBids({ ...grid, highestAmount: rivalAmount }, 1)[0]);
  const again = { lot, event, amount };
  const key = { idempotencyKey: crypto.randomUUID() };
  narrator.chapter(
    'Bid again, and lose the reply on the way back',
    'await auction.bids.place({ lot, amount }, { idempotencyKey })',
  );
  narrator.aside(
    'The sandbox cuts the connection after it has recorded the bid. The client recorded key and bytes before it',
  );
  narrator.aside('sent them, and never takes a lost reply for a failure.');
  sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit' });
  const outcome = accepted(await buyer.place(again, key));
  const twins = seen.filter((one) => one.method === 'POST').slice(-2);
  narrator.rows([
    ['', 'body SHA-256', 'nonce', 'signature'],
    ...twins.map((one, index) => [
      index === 0 ? 'lost' : 'resent',
      ...[one.bodySha256, one.nonce, one.signature].map((hex) => `${hex.slice(0, 12)}…`),
    ]),
  ]);
  narrator.check(outcome.attempts === 2, 'the reply was lost, so the client sent the bid again by itself');
  narrator.check(
    new Set(twins.map((one) => one.bodySha256)).size === 1,
    'identical bytes, attempt by attempt',
  );
  narrator.check(new Set(twins.map((one) => one.nonce)).size === 2, 'a fresh nonce and signature for each');
  narrator.check(outcome.replayed, 'HTTP 200, replayed: the first copy had arrived, and this is its record');

  narrator.chapter('What the store has on record', `await auction.intents.explain("${key.idempotencyKey}")`);
  const { state, timeline } = await auction.intents.explain(key.idempotencyKey);
  for (const { what } of timeline) narrator.aside(what);
  narrator.aside('It is in memory here. With sqliteStore(path), it survives kill -9.');
  narrator.check(
    state === 'accepted' && timeline.some(({ what }) => what.startsWith('attempt 1: unknown')),
    'a lost reply is neither success nor failure: it is unknown, and recorded as that',
  );

  narrator.chapter(
    'Place the very same bid once more',
    'await auction.bids.place({ lot, amount }, { idempotencyKey })',
  );
  const sent = seen.length;
  const same = accepted(await buyer.place(again, key));
  narrator.say(`${same.status}: bid ${same.bidId}.`);
  narrator.check(
    same.bidId === outcome.bidId && seen.length === sent,
    'one intent, one bid: the store answers, and nothing is sent',
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
  const underKey = ledger.filter((entry) => entry.idempotencyKey === key.idempotencyKey);
  narrator.check(underKey.length === 1, 'two requests, one bid');
  narrator.check(ledger.length === 3, "ours, the rival's, ours: nothing doubled, nothing lost");
  const own = await auction.bids.list(query).toArray();
  narrator.check(own.length === 2 && own.every((one) => one.status === 'accepted'), 'and GET /bids agrees');
  return { amount, bidId: given(outcome.bidId) };
}

function shown(body: object): string {
  return JSON.stringify(body);
}

function accepted(outcome: BidOutcome): AcceptedBid {
  if (outcome.status === 'accepted') return outcome;
  throw new Error(`The bid is ${outcome.status}, not accepted. ${outcome.what} ${outcome.nextStep}`);
}
