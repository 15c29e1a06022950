import { formatInr, type SaleRecord } from 'vehicle-auction-sdk';
import type { Cast } from './cast.js';
import type { Found } from './discovery.js';
import { given } from './given.js';

/** The auction closes, the bank approves, the buyer learns of it and acknowledges. Returns the acknowledged sale. */
export async function sell(
  cast: Cast,
  found: Found,
  won: { amount: string; bidId: string },
): Promise<SaleRecord> {
  const { sandbox, narrator, buyer, bank } = cast;
  const { client: auction } = buyer;
  const { event, lot } = found;

  narrator.chapter('The auction closes', `await auction.lots.status("${lot.id}")`);
  narrator.aside('In the sandbox, the bank closes it now.');
  sandbox.auctions.close(event.id);
  const closed = await auction.lots.status(lot.id);
  narrator.say(`The auction is ${closed.auction_state}, and our bid leads. That is not a sale yet.`);
  narrator.check(closed.auction_state === 'over', 'no more bids');

  narrator.chapter('The bank looks at its sales, and approves', 'await bank.saleCases.decide(sale, { … })');
  const open = await bank.saleCases.list().toArray();
  narrator.rows(
    open.map(({ id, state, data }) => [
      id,
      state,
      formatInr(given(data?.amount)),
      data?.bidder_reference ?? 'a direct dealer',
    ]),
  );
  const award = given(open.find(({ data }) => data?.lot_id === lot.id));
  narrator.check(
    award.data?.bid_id === won.bidId && award.data.amount === won.amount,
    'the sale rests on our bid and its amount',
  );
  const sale = await bank.saleCases.decide(award, {
    decision: 'approved',
    bid_id: won.bidId,
    reason: 'Highest bid, above the reserve',
    terms_version: 'T3',
    due_at: new Date(sandbox.clock.now() + 7 * 86_400_000).toISOString(),
    payee_instructions: 'NEFT to 000111222333, IFSC EXMP0000001, sale id as the reference',
  });
  narrator.aside(
    `The record stood in for its id, and its version (${award.resource_version}) went along: had it moved, this would be refused.`,
  );
  narrator.check(sale.state === 'approved', `approved, version ${sale.resource_version}`);

  narrator.chapter('The buyer learns of it', 'await auction.winnerUpdates.list({ after }).firstPage()');
  const news = await auction.winnerUpdates.list().firstPage();
  narrator.rows(
    news.items.map((update) => [
      String(update['type']),
      String(update['resource_id']),
      String(update['lot_id']),
    ]),
  );
  narrator.aside(`Store the cursor once these are handled: ${news.nextCursor}`);
  narrator.check(
    news.items.some((update) => update['resource_id'] === sale.id),
    'the approval is among the winner updates',
  );

  narrator.chapter(
    'It acknowledges the terms',
    'await auction.saleCases.acknowledge(sale, { terms_version })',
  );
  const read = await auction.saleCases.get(sale.id);
  const acknowledged = await auction.saleCases.acknowledge(read, {
    terms_version: given(read.data?.terms_version),
  });
  narrator.check(
    Boolean(acknowledged.data?.acknowledged_at),
    `acknowledged at ${acknowledged.data?.acknowledged_at}`,
  );
  const dues = await auction.saleCases.paymentDues(sale.id);
  narrator.say(
    `${dues.state}: ${formatInr(dues.remaining)} of ${formatInr(dues.due_amount)} is left to pay, due ${dues.due_at}.`,
  );
  return acknowledged;
}
