import {
  ApiError,
  type BidLookup,
  BidRejectedError,
  IdempotencyConflictError,
  type PartnerClient,
  responseOf,
  toPaise,
  VehicleAuctionError,
} from 'vehicle-auction-sdk';
import type { Bid } from './plan.js';
import type { Status } from './results.js';

/** What became of a bid, and why, in words. */
export interface Answer {
  readonly status: Status;
  readonly codes: readonly string[];
  readonly bidId: string;
  readonly why: string;
}

export interface SettleOptions {
  /** Whether an earlier run may have sent it. */
  readonly inDoubt: boolean;
  /** Waits so many milliseconds. */
  readonly pause: (ms: number) => Promise<unknown>;
}

/**
 * Sends a bid and stays with it until its outcome is known, or patience ends (`unknown`). Once it may have arrived,
 * only an acceptance or the record under its key settles it: a refusal of a later copy says nothing about an earlier
 * one.
 */
export async function settle(
  auction: PartnerClient<'aggregator'>,
  bid: Bid,
  { inDoubt, pause }: SettleOptions,
): Promise<Answer> {
  let isInDoubt = inDoubt;
  let why = 'An earlier run may have sent it, and the service knows nothing of it.';
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round > 0) await pause(1_000 * 2 ** (round - 1));
    if (isInDoubt) {
      const lookup = await answered(auction.bids.lookup(bid.key));
      const known = lookup === undefined ? undefined : await recordOf(auction, bid, lookup);
      if (known !== undefined) return known;
      if (lookup?.state !== 'absent' || !(await isStillOpen(auction, bid.lot, lookup.observed_at))) continue;
    }
    const answer = await submit(auction, bid);
    if (answer.status === 'accepted' || isConflict(answer)) return answer;
    if (answer.status !== 'unknown' && !isInDoubt) return answer;
    isInDoubt = true;
    why = answer.why;
  }
  return { ...nothing, status: 'unknown', why };
}

/** The key stands for another bid: no look-up and no resending can settle this one. */
export function isConflict({ codes }: { readonly codes: readonly string[] }): boolean {
  return codes.includes(CONFLICT);
}

/** With the waits between them, about half a minute; the client's own retries come on top. */
const ROUNDS = 6;
const CONFLICT = 'IDEMPOTENCY_CONFLICT';
const nothing = { codes: [], bidId: '' };

/** The body is made of the row alone, so it is the same each time, byte for byte. */
async function submit(auction: PartnerClient<'aggregator'>, bid: Bid): Promise<Answer> {
  try {
    const receipt = await auction.bids.submit(bid.lot, {
      amount: bid.amount,
      bidder_reference: bid.buyer,
      idempotency_key: bid.key,
    });
    const { attempts, replayed } = responseOf(receipt);
    // What a replay says of the standing may be as old as the bid.
    const found = attempts > 1 ? 'found by resending' : 'recorded earlier';
    const why = replayed ? found : (receipt.bidder_status ?? 'standing not told');
    return { status: 'accepted', codes: [], bidId: receipt.bid_id, why };
  } catch (error) {
    if (!(error instanceof VehicleAuctionError)) throw error;
    const codes = error instanceof ApiError ? error.codes : [];
    const bidId = error instanceof BidRejectedError ? (error.receipt?.bid_id ?? '') : '';
    return {
      status: error.outcome,
      codes: error instanceof IdempotencyConflictError ? [CONFLICT] : codes,
      bidId,
      why: codes.length > 0 ? error.nextStep : error.message,
    };
  }
}

/** The answer that the service has recorded under the key; undefined where it has none yet. */
async function recordOf(
  auction: PartnerClient<'aggregator'>,
  bid: Bid,
  { state, receipt }: BidLookup,
): Promise<Answer | undefined> {
  const status = (['accepted', 'rejected'] as const).find((final) => final === state);
  if (status === undefined) return undefined;
  const bidId = typeof receipt?.['bid_id'] === 'string' ? receipt['bid_id'] : '';
  const detail = bidId === '' ? undefined : await answered(auction.bids.get(bidId));
  const why = 'found by looking it up';
  if (detail === undefined) return { status, codes: [], bidId, why };
  const isThis =
    detail.lot_id === bid.lot &&
    detail.bidder_reference === bid.buyer &&
    toPaise(detail.amount) === toPaise(bid.amount);
  if (isThis) return { status, codes: detail.errors ?? [], bidId, why };
  const used = `Its key stands for another bid, ${bidId}: was the batch id used before?`;
  return { status: 'unknown', codes: [CONFLICT], bidId: '', why: used };
}

/** Whether a lot takes bids at a moment of server time (ISO 8601); false where that can't be told. */
async function isStillOpen(
  auction: PartnerClient<'aggregator'>,
  lot: string,
  at: string | undefined,
): Promise<boolean> {
  const status = await answered(auction.lots.status(lot));
  return Date.parse(at ?? '') < Date.parse(status?.effective_close_at ?? '');
}

/** A reply, or undefined where there was none: a failed read changes nothing about what is known. */
async function answered<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof VehicleAuctionError) return undefined;
    throw error;
  }
}
