import { decideBid } from '../bidding.js';
import { paise, rupees } from '../money.js';
import { buyerOf } from '../standings.js';
import type { Auction, Lot } from '../store.js';
import type { World } from '../world.js';
import type { SeededParties } from './parties.js';
import type { SeededRandom } from './random.js';
import type { SeedBid } from './seed.js';

/** The bids on a lot that stand when the sandbox starts, oldest first. */
export interface SeededBids {
  readonly lot: Lot;
  readonly bids: readonly SeedBid[];
  /** What the seed calls the list, for messages. */
  readonly name: string;
}

/** Invents what the rival has bid on some lots of an auction: one bid on each, or two. */
export function rivalBids(random: SeededRandom, auction: Auction, lots: readonly Lot[]): SeededBids[] {
  const step = auction.increment > 0n ? auction.increment : paise('500');
  return lots.flatMap((lot) => {
    if (random.int(5) > 1) return [];
    const first = lot.startingPrice + step * BigInt(1 + random.int(3));
    const amounts = random.int(3) === 0 ? [first, first + step * BigInt(1 + random.int(4))] : [first];
    const bids = amounts.map((amount) => ({ by: 'rival' as const, amount: rupees(amount) }));
    return [{ lot, bids, name: `the rival's bids on ${lot.id}` }];
  });
}

/**
 * Places the bids of a seed under the rules of all bids, spread over the time in which their auctions were live. Throws a
 * RangeError for one that would not have been accepted.
 */
export function placeBids(world: World, parties: SeededParties, seeded: SeededBids): void {
  const { lot, bids, name } = seeded;
  const auction = world.store.auctionOf(lot);
  const until = Math.min(auction.endsAt, world.clock.now());
  const wait = Math.max(0, (until - auction.startsAt) / (bids.length + 1));
  for (const [at, bid] of bids.entries()) {
    const party = parties[bid.by];
    const outcome = decideBid(
      world,
      {
        party,
        auction,
        lot,
        dealerId: party.facts.dealerId,
        bidderReference: bid.bidder_reference,
        buyer: buyerOf(party, bid.bidder_reference),
        amount: paise(bid.amount),
      },
      {
        requestId: world.ids.next('req'),
        idempotencyKey: world.ids.uuid(),
        receivedAt: Math.min(until, Math.floor(auction.startsAt + wait * (at + 1))),
        fingerprint: '',
      },
    );
    if (outcome.status !== 'accepted') {
      throw new RangeError(`${name}[${at}] would not have been accepted: ${outcome.codes.join(', ')}`);
    }
  }
}
