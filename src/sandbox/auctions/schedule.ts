import { API_PREFIX } from '../../api/common.js';
import { isoInIndia } from '../times.js';
import type { World } from '../world.js';
import { isAssigned, listedLots } from './catalogue.js';
import { leader } from './standings.js';
import { type Auction, touchLot } from './store.js';

/** Schedules the opening of an auction, which counts as a change of its lots. To be called again when it moves. */
export function openAtStart(world: World, auction: Auction): void {
  openings.get(auction)?.();
  openings.delete(auction);
  const wait = auction.startsAt - world.clock.now();
  if (wait <= 0) return;
  openings.set(
    auction,
    world.clock.schedule(wait, () => opened(world, auction)),
  );
}

function opened(world: World, auction: Auction): void {
  for (const lot of listedLots(world, auction)) touchLot(world.clock, lot);
  world.market.tellSchedule(auction);
}

const openings = new WeakMap<Auction, () => void>();

/** Schedules the awards of an auction for its close. To be called again when the close moves. */
export function awardAtClose(world: World, auction: Auction): void {
  const wait = auction.endsAt - world.clock.now();
  if (wait <= 0) award(world, auction);
  else world.clock.schedule(wait, () => award(world, auction));
}

/**
 * Opens a sale for the leading bid of every lot, once, when the auction is over and every bid in progress is judged: one
 * that came before the close and is held up counts too. The bank has yet to decide the sales.
 */
export function award(world: World, auction: Auction): void {
  if (auction.awarded || auction.cancelled || world.clock.now() < auction.endsAt) return;
  if (world.store.isBeingBidIn(auction.id)) return;
  auction.awarded = true;
  for (const lot of listedLots(world, auction)) {
    // That it is over is news of every lot, sold or not.
    touchLot(world.clock, lot);
    const bid = leader(lot);
    if (bid !== undefined) world.flow.openSale(auction, lot, bid);
  }
}

/** Moves the close of an auction (Unix milliseconds), and announces it to the assigned partners. */
export function moveEnd(world: World, auction: Auction, endsAt: number): void {
  const previous = auction.endsAt;
  if (endsAt === previous) return;
  auction.awarded = false;
  auction.endsAt = endsAt;
  countMove(world, auction);
  if (!auction.cancelled) announceSchedule(world, auction, previous);
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

/** Gives everybody two minutes to answer a late bid, where `late-bid-extension` says so. */
export function extendForLateBid(world: World, auction: Auction): void {
  if (world.settings.variants['late-bid-extension'] === 'none') return;
  const now = world.clock.now();
  const answerable = now + timeToAnswerMs;
  // A bid that was held up until after the close reopens nothing.
  if (now < auction.endsAt && auction.endsAt < answerable) moveEnd(world, auction, answerable);
}

/** The status of each of its lots shows the schedule. */
function countMove(world: World, auction: Auction): void {
  auction.revision += 1;
  for (const lot of world.store.lotsOf(auction.id)) touchLot(world.clock, lot);
}

function announceSchedule(world: World, auction: Auction, previousEndsAt: number): void {
  const { id, endsAt, revision, scheduledEndsAt } = auction;
  const data = {
    auction_id: id,
    resource_version: revision,
    direction: endsAt >= previousEndsAt ? 'extended' : 'shortened',
    scheduled_end_at: isoInIndia(scheduledEndsAt),
    previous_effective_close_at: isoInIndia(previousEndsAt),
    effective_close_at: isoInIndia(endsAt),
    timezone: 'Asia/Kolkata',
    refresh_path: `${API_PREFIX}/events/${id}`,
  };
  world.webhooks.publish('auction.schedule_changed', data, (party) => {
    return party.actor === 'partner' && isAssigned(auction, party);
  });
}

const timeToAnswerMs = 120_000;
