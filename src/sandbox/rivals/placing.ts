import type { Code } from '../../api/codes.js';
import { accessCodes, brokenRules, type Interest, minimum } from '../bid-rules.js';
import { type BidOutcome, decideBid } from '../bidding.js';
import { paise } from '../money.js';
import type { Party } from '../parties.js';
import { buyerOf, latestOf, leader } from '../standings.js';
import type { Lot } from '../store.js';
import type { World } from '../world.js';

/** A dealer's wish to bid on a lot. */
export function interestIn(world: World, party: Party, lot: Lot): Interest {
  return {
    party,
    auction: world.store.auctionOf(lot),
    lot,
    dealerId: party.facts.dealerId,
    bidderReference: undefined,
    buyer: buyerOf(party, undefined),
  };
}

/** Places a bid as the service would take it from a request that arrives now. */
export function place(world: World, interest: Interest, amount: bigint): BidOutcome {
  const { ids, clock } = world;
  return decideBid(
    world,
    { ...interest, amount },
    {
      requestId: ids.next('req'),
      idempotencyKey: ids.uuid(),
      receivedAt: clock.now(),
      fingerprint: '',
    },
  );
}

/** Why a bid would not be accepted now; nothing is recorded. */
export function objections(world: World, interest: Interest, amount: bigint): Code[] {
  const now = world.clock.now();
  const refused = accessCodes(interest, now);
  return refused.length > 0 ? refused : brokenRules(world, { ...interest, amount }, now);
}

/** The lowest amount that grid and minimum allow, integer paise; without a grid, one step above what it must surpass. */
export function lowestValid({ settings: { variants } }: World, interest: Interest): bigint {
  const { auction, lot } = interest;
  const least = minimum(interest, variants);
  if (auction.increment === 0n) return surpassed(interest) ? least + stepOn(interest) : least;
  const above = least > lot.startingPrice ? least - lot.startingPrice : 0n;
  return lot.startingPrice + roundedUp(above, auction.increment);
}

/** By how much bids rise: the increment; where there is none, one per cent of the opening in whole rupees. */
export function stepOn({ auction, lot }: Interest): bigint {
  if (auction.increment > 0n) return auction.increment;
  const percent = lot.startingPrice / 100n;
  return percent < rupee ? rupee : percent - (percent % rupee);
}

/** Whether there is a bid that the next one has to surpass: anybody's, or in a closed auction the dealer's own. */
function surpassed({ auction, lot, buyer }: Interest): boolean {
  const previous = auction.bidType === 'open' ? leader(lot) : latestOf(lot, buyer);
  return previous !== undefined;
}

function roundedUp(amount: bigint, step: bigint): bigint {
  return ((amount + step - 1n) / step) * step;
}

const rupee = paise('1');
