import { type InputIssue, InvalidRequestError } from '../../errors/local.js';
import { checkedBid } from '../checked-bid.js';
import type { BiddingParts } from '../parts.js';
import { preparedBid } from '../prepared-bid.js';
import type { BidToPlace, PlaceOptions } from '../request.js';
import type { BulkParts } from './parts.js';

/** What a batch needs, made of what single bids are placed with. */
export function bulkPartsOf(parts: BiddingParts, place: BulkParts['place']): BulkParts {
  const { keeper, lots, dealerId, quota } = parts;
  const { clock, serverClock, log, journal } = keeper.parts;
  return {
    place,
    check: (bid, options) => issuesOf(parts, bid, options),
    isAbandoned: async (key) => (await journal.find(key)).some(({ state }) => state === 'abandoned'),
    clientId: async () => (await keeper.accountInTime()).clientId,
    dealerId: dealerId === '' ? undefined : dealerId,
    statusBatch: (body, options) => lots.statusBatch(body, options),
    quota,
    clock,
    serverClock,
    log,
  };
}

/** Prepares a bid as if to place it, and lets it go. */
function issuesOf(parts: BiddingParts, bid: BidToPlace, options: PlaceOptions): readonly InputIssue[] {
  try {
    preparedBid(parts, checkedBid(bid), options);
    return [];
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.issues;
    throw error;
  }
}
