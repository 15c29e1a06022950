import type { BaseOptions } from '../core/caller.js';
import type { IntentWork } from '../intents/work.js';
import type { BidDetail } from '../models/bids.js';
import { toPaise } from '../money/paise.js';
import type { BiddingParts } from './parts.js';

/** Pages of 25 bids that are read at the most. */
const MAX_PAGES = 10;

/** Bids that are read in full at the most. */
const MAX_DETAILS = 20;

/**
 * Where the look-up by key comes too late: the accepted bids of the same buyer, lot and amount (`/bids`, then A05). They
 * are evidence for a person, for no field ties them to a key.
 */
export async function similarBids(
  { bids, keeper }: BiddingParts,
  work: IntentWork,
  options: BaseOptions,
): Promise<{ readonly bids: readonly BidDetail[]; readonly complete: boolean } | undefined> {
  const { bid } = work;
  if (bid === undefined) return undefined;
  const { lot, amount, bidderReference } = bid;
  const asked = { lane: 'bid', ...options } as const;
  const query = bidderReference === undefined ? {} : { bidder_reference: bidderReference };
  const at = keeper.parts.clock.now();
  try {
    const candidates: string[] = [];
    let pages = 0;
    let complete = true;
    for await (const page of bids.list(query, asked).pages()) {
      for (const item of page.items) {
        const isOne = item.status === 'accepted' && isSameAmount(item.amount, amount);
        if (isOne && candidates.length < MAX_DETAILS) candidates.push(item.public_id);
        else if (isOne) complete = false;
      }
      pages += 1;
      if (pages < MAX_PAGES) continue;
      complete &&= page.lastPage !== undefined && page.page === page.lastPage;
      break;
    }
    const details: BidDetail[] = [];
    for (const id of candidates) {
      const detail = await bids.get(id, asked);
      if (detail.lot_id === lot) details.push(detail);
    }
    const ids = details.map(({ id }) => id);
    const found = details.length === 0 ? 'none' : 'found';
    await work.look({ type: 'look', by: 'bids.list', at, found, record: { bids: ids, complete } });
    return { bids: details, complete };
  } catch {
    await work.look({ type: 'look', by: 'bids.list', at, found: 'failed' });
    return undefined;
  }
}

function isSameAmount(one: string, other: string): boolean {
  try {
    return toPaise(one) === toPaise(other);
  } catch {
    return false;
  }
}
