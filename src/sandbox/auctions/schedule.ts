import { API_PREFIX } from '../../api/common.js';
import type { Party } from '../parties.js';
import { type Auction, touchLot } from '../records.js';
import { isoInIndia } from '../times.js';
import type { World } from '../world.js';
import { isAssigned, isListed, leader } from './catalogue.js';

/** Schedules the opening of an auction. Call it again after a move. */
export function openAtStart(world: World, auction: Auction): void {
  const wait = auction.startsAt - world.clock.now();
  if (wait > 0) world.clock.schedule(wait, () => open(world, auction));
}

function open(world: World, auction: Auction): void {
  if (auction.opened || world.clock.now() < auction.startsAt) return;
  auction.opened = true;
  touchLots(world, auction);
  world.store.notifyWatchers(auction.lots);
}

/** Counts a change of every lot, because lot status shows the schedule. */
function touchLots({ clock }: World, { lots }: Auction): void {
  for (const lot of lots) touchLot(clock, lot);
}

/** Schedules the awards of an auction at its close. Call it again after a move. */
export function awardAtClose(world: World, auction: Auction): void {
  const wait = auction.endsAt - world.clock.now();
  if (wait <= 0) award(world, auction);
  else world.clock.schedule(wait, () => award(world, auction));
}

/**
 * Opens an undecided sale for the leading bid of every lot, once, after the close. Waits for bids in progress,
 * because a delayed bid that arrived before the close counts.
 */
export function award(world: World, auction: Auction): void {
  if (auction.awarded || auction.cancelled || world.clock.now() < auction.endsAt) return;
  if (world.store.isBeingBidIn(auction)) return;
  auction.awarded = true;
  // The close changes the status of every lot, sold or not.
  touchLots(world, auction);
  for (const lot of auction.lots.filter(isListed)) {
    const bid = leader(lot);
    if (bid !== undefined) world.flow.openSale(bid);
  }
}

/** Moves the close of an auction (Unix milliseconds) and announces it to the assigned partners. */
export function moveEnd(world: World, auction: Auction, endsAt: number): void {
  const { id, endsAt: previous, scheduledEndsAt } = auction;
  if (endsAt === previous) return;
  Object.assign(auction, { awarded: false, endsAt, revision: auction.revision + 1 });
  touchLots(world, auction);
  if (!auction.cancelled) {
    const data = {
      auction_id: id,
      resource_version: auction.revision,
      direction: endsAt >= previous ? 'extended' : 'shortened',
      scheduled_end_at: isoInIndia(scheduledEndsAt),
      previous_effective_close_at: isoInIndia(previous),
      effective_close_at: isoInIndia(endsAt),
      timezone: 'Asia/Kolkata',
      refresh_path: `${API_PREFIX}/events/${id}`,
    };
    const isTold = (party: Party) => party.actor === 'partner' && isAssigned(auction, party);
    world.webhooks.publish('auction.schedule_changed', data, isTold);
  }
  awardAtClose(world, auction);
  world.store.notifyWatchers(auction.lots);
}

/** Moves the opening of an unopened auction. Opens it if the time has come. */
export function moveStart(world: World, auction: Auction, startsAt: number): void {
  if (startsAt === auction.startsAt) return;
  auction.startsAt = startsAt;
  auction.revision += 1;
  open(world, auction);
  if (auction.opened) return;
  touchLots(world, auction);
  openAtStart(world, auction);
}

/** Extends the close to two minutes after a late bid, unless `late-bid-extension` is `none`. */
export function extendForLateBid(world: World, auction: Auction): void {
  if (world.settings.variants['late-bid-extension'] === 'none') return;
  const now = world.clock.now();
  const answerable = now + timeToAnswerMs;
  // A bid that was delayed past the close does not reopen the auction.
  if (now < auction.endsAt && auction.endsAt < answerable) moveEnd(world, auction, answerable);
}

const timeToAnswerMs = 120_000;
