import { CallSuperseded } from '../core/attempt-journal.js';
import type { RequestBody } from '../core/body.js';
import type { PreparedCall } from '../core/prepare.js';
import { Stopped, type StopSources, Stretch, within } from '../core/stop.js';
import type { IntendedBid } from '../intents/intent.js';
import { OtherAccountError } from '../intents/refusals.js';
import { IntentWork } from '../intents/work.js';
import { type CheckedBid, checkedBid } from './checked-bid.js';
import type { BidOutcome } from './outcome.js';
import { quarantinedBid, unreadBid } from './outcome-of.js';
import type { BiddingParts } from './parts.js';
import { preparedBid } from './prepared-bid.js';
import { Pursuit } from './pursuit.js';
import { bidAtWork } from './reconcile.js';
import type { BidToPlace, PlaceOptions } from './request.js';

/** For how long a bid may be sent where no close is known, ms. */
const PLACE_WITHIN_MS = 120_000;

const MAX_LOOKS = 4;

const STOPPED = 'stopped before it could be sent';

/** Places a bid under an intent of its own; `row` is where it came in a bulk. */
export async function placeBid(
  parts: BiddingParts,
  bid: BidToPlace,
  placeOptions: PlaceOptions,
  row?: IntendedBid['row'],
): Promise<BidOutcome> {
  const checked = checkedBid(bid);
  const { call, body, key, keyGiven, overInDoubt, options, limits } = preparedBid(
    parts,
    checked,
    placeOptions,
  );
  const { clock } = parts.keeper.parts;
  const deadlineAt = clock.monotonic() + limits.deadline;
  const sources: StopSources = { clock, signal: options.signal, deadlineAt };
  const intended = { ...intendedBid(parts, checked), ...(row !== undefined && { row }) };
  const place = async (mayBeKnown: boolean): Promise<BidOutcome> => {
    const work = new IntentWork(parts.keeper, call, key, {
      bid: intended,
      dealerId: checked.body.dealer_id,
      exclusive: !overInDoubt,
      keyGiven: mayBeKnown,
    });
    const { maxAttempts } = limits;
    const pursuit = new Pursuit(parts, work, key, { options, sources, maxAttempts, maxLooks: MAX_LOOKS });
    try {
      if (!(await hasBegun(parts, work, body, sources))) return unbegun(parts, work, pursuit, key);
      const outcome = await pursued(
        work,
        pursuit,
        call,
        { key, placeBy: checked.placeBy, intended },
        sources,
      );
      // Whoever gave the key may have given it to another process, too.
      const isAnybodys = mayBeKnown && work.isUnheard && outcome.status === 'not_sent';
      return isAnybodys ? unreadBid(key, intended) : outcome;
    } catch (error) {
      if (error instanceof OtherAccountError) return quarantinedBid(key, error.reason, intended);
      if (!(error instanceof CallSuperseded)) throw error;
    } finally {
      await work.settle();
      await work.release();
    }
    // Another process was first with this key: now it is one that is known.
    return place(true);
  };
  const begin = () => place(keyGiven);
  try {
    return await parts.keeper.alone(key, begin, (turn) => within(sources, turn));
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return unreadBid(key, intended, 'another call had finished with this bid');
  }
}

async function pursued(
  work: IntentWork,
  pursuit: Pursuit,
  call: PreparedCall,
  {
    key,
    placeBy,
    intended,
  }: { readonly key: string; readonly placeBy: number | undefined; readonly intended: IntendedBid },
  sources: StopSources,
): Promise<BidOutcome> {
  const { state } = pursuit.standing;
  if (['accepted', 'rejected', 'quarantined', 'abandoned'].includes(state)) return pursuit.outcome;
  if (work.isKnown && state !== 'unknown') {
    // Placed anew, because nothing of it is on record at the service: by its own deadline as long as that lasts.
    const own = pursuit.standing.placeBy;
    const lasts = placeBy === undefined && own !== undefined && work.msToDepart() > 0;
    if (!(await inTime(sources, () => work.renew(lasts ? own : intended.placeBy))))
      return work.mayBeElsewhere ? unreadBid(key, intended) : pursuit.outcomeBecause(STOPPED);
  }
  return pursuit.place(call);
}

/** Finds out whether the key is known, and leases it; false where this call's limits ended that. */
async function hasBegun(
  { keeper }: BiddingParts,
  work: IntentWork,
  body: RequestBody,
  sources: StopSources,
): Promise<boolean> {
  if (await inTime(sources, (signal) => work.begin(body, signal))) return true;
  // It may be the function that gives them which hangs: the next call asks it anew.
  keeper.parts.keys.abandon();
  return false;
}

/** False where this call's limits ended the wait for it. */
async function inTime(sources: StopSources, work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
  const stretch = new Stretch(sources);
  try {
    await stretch.race(work(stretch.signal));
    return true;
  } catch (error) {
    if (error instanceof Stopped) return false;
    throw error;
  } finally {
    stretch.end();
  }
}

/** What is known of a bid that this call had no time to begin with. */
function unbegun(parts: BiddingParts, work: IntentWork, pursuit: Pursuit, key: string): BidOutcome {
  const { found } = work;
  if (found === 'new') return pursuit.outcomeBecause(STOPPED);
  return found === 'unread' ? unreadBid(key, work.bid) : bidAtWork(parts, found);
}

function intendedBid(parts: BiddingParts, { lot, body, placeBy, closesAt }: CheckedBid) {
  const { amount, bidder_reference: bidderReference } = body;
  return {
    lot,
    amount,
    ...(bidderReference !== undefined && { bidderReference }),
    placeBy: deadlineOf(parts, placeBy, closesAt),
  };
}

/** A deadline always stands on a bid: the one that was given, or the earlier of the known close and two minutes. */
function deadlineOf(
  { keeper }: BiddingParts,
  placeBy: number | undefined,
  closesAt: number | undefined,
): number {
  const now = keeper.parts.serverClock.now();
  const soon = now + PLACE_WITHIN_MS;
  // Closes move: one that has passed says no more than that the record is old.
  return placeBy ?? (closesAt === undefined || closesAt <= now ? soon : Math.min(closesAt, soon));
}
