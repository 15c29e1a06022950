import { type InputIssue, InvalidRequestError } from '../../errors/local.js';
import { foundUnder } from '../../intents/finding.js';
import { otherAccountReason } from '../../intents/refusals.js';
import { toPaise } from '../../money/paise.js';
import { checkedBid } from '../checked-bid.js';
import { quarantinedBid } from '../outcome-of.js';
import type { BiddingParts } from '../parts.js';
import { preparedBid } from '../prepared-bid.js';
import { bidAtWork, bidOnRecord } from '../reconcile.js';
import type { BidToPlace, PlaceOptions } from '../request.js';
import type { BulkParts, RecordedBid } from './parts.js';

/** What a batch needs, made of what single bids are placed with. */
export function bulkPartsOf(parts: BiddingParts, place: BulkParts['place']): BulkParts {
  const { keeper, lots, dealerId, quota } = parts;
  const { clock, serverClock, log } = keeper.parts;
  /** A client that is closed ends the batch, and one that is closing waits for what the batch is at. */
  const during = <T>(work: () => Promise<T>): Promise<T> => parts.during('bidding.placeAll', work);
  return {
    place,
    check: (bid, options) => issuesOf(parts, bid, options),
    recorded: (key) => during(() => recordedBid(parts, key)),
    clientId: async () => (await during(() => keeper.accountInTime())).clientId,
    dealerId: dealerId === '' ? undefined : dealerId,
    statusBatch: (body, options) => during(() => lots.statusBatch(body, options)),
    quota,
    clock,
    serverClock,
    log,
  };
}

/** What is on record under a key, told as `place` would tell it; nothing is sent or looked up for that. */
async function recordedBid(parts: BiddingParts, key: string): Promise<RecordedBid | undefined> {
  const { keeper } = parts;
  const { own, foreign } = await foundUnder(keeper, key, await keeper.accountInTime());
  const stored = own ?? foreign;
  const bid = stored?.intent.bid;
  if (stored === undefined || bid === undefined) return undefined;
  const { lot: lotId, amount, bidderReference } = bid;
  const content = {
    lotId,
    paise: toPaise(amount),
    bidderReference,
    dealerId: stored.intent.account.dealerId,
  };
  if (own === undefined) return { content, outcome: quarantinedBid(key, otherAccountReason(stored), bid) };
  return { content, outcome: keeper.isBusy(key) ? bidAtWork(parts, own) : bidOnRecord(parts, own) };
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
