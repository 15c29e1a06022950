import type { Auction } from '../store.js';
import type { World } from '../world.js';
import { awardAtClose } from './awards.js';
import { touchLot } from './changes.js';
import { openAtStart, opened } from './openings.js';
import { announceSchedule } from './schedule-news.js';

/** Moves the close of an auction (Unix milliseconds), and tells of it where the auction is to be seen. */
export function moveEnd(world: World, auction: Auction, endsAt: number): void {
  const previous = auction.endsAt;
  if (endsAt === previous) return;
  auction.awarded = false;
  auction.endsAt = endsAt;
  countMove(world, auction);
  if (!auction.cancelled) announceSchedule(world, auction, previous, auction.scheduledEndsAt);
  awardAtClose(world, auction);
  world.market.tellSchedule(auction);
}

/** Moves the opening of an auction that has yet to open; a moment that has come opens it. */
export function moveStart(world: World, auction: Auction, startsAt: number): void {
  if (startsAt === auction.startsAt) return;
  auction.startsAt = startsAt;
  openAtStart(world, auction);
  if (startsAt > world.clock.now()) {
    countMove(world, auction);
  } else {
    auction.revision += 1;
    opened(world, auction);
  }
}

/**
 * Whether a late bid moves the close is not shown (unknowns: `late-bid-extension`): the other choice gives everybody
 * two minutes to answer it.
 */
export function extendForLateBid(world: World, auction: Auction): void {
  if (world.settings.variants['late-bid-extension'] === 'none') return;
  const now = world.clock.now();
  const answerable = now + timeToAnswer;
  // A bid that was held up until after the close opens nothing again.
  if (now < auction.endsAt && auction.endsAt < answerable) moveEnd(world, auction, answerable);
}

/** The status of each of its lots shows the schedule. */
function countMove(world: World, auction: Auction): void {
  auction.revision += 1;
  for (const lot of world.store.lotsOf(auction.id)) touchLot(world, lot);
}

const timeToAnswer = 120_000;
