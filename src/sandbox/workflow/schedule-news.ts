import { API_PREFIX } from '../../api/common.js';
import { isAssigned } from '../catalogue.js';
import type { Auction } from '../store.js';
import { isoInIndia } from '../times.js';
import type { World } from '../world.js';

/**
 * Tells every assigned partner that the close of a published auction has moved; to be called after the move, with its
 * `revision` counted. Both times are Unix milliseconds: the close before this move, and the one first scheduled.
 */
export function announceSchedule(
  world: World,
  auction: Auction,
  previousEndsAt: number,
  scheduledEndAt: number,
): void {
  const { id, endsAt, revision } = auction;
  const { variants } = world.settings;
  const data = {
    auction_id: id,
    resource_version:
      variants['schedule-resource-version'] === 'revision' ? revision : Math.floor(world.clock.now() / 1_000),
    direction: endsAt >= previousEndsAt ? 'extended' : variants['schedule-direction-values'],
    scheduled_end_at: isoInIndia(scheduledEndAt),
    previous_effective_close_at: isoInIndia(previousEndsAt),
    effective_close_at: isoInIndia(endsAt),
    timezone: 'Asia/Kolkata',
    refresh_path: `${API_PREFIX}/events/${id}`,
  };
  world.webhooks.tell('auction.schedule_changed', data, (party) => {
    return party.actor === 'partner' && isAssigned(auction, party);
  });
}
