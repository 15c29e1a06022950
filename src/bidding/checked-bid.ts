import { isFields } from '../core/plain.js';
import { type InputIssue, InvalidRequestError } from '../errors/local.js';
import { isAmount } from '../money/amount.js';
import { isOnGrid } from '../money/grid.js';
import { momentOf } from './moment.js';
import type { BidToPlace, LotOrId } from './request.js';

/** A bid in the terms of the call that it becomes. */
export interface CheckedBid {
  readonly lot: string;
  readonly body: {
    readonly amount: string;
    readonly bidder_reference?: string;
    readonly dealer_id?: string;
    readonly client_bid_time?: string;
  };
  readonly intentId: string | undefined;
  /** Unix ms in server time, as it was given; or the close, where it is known. */
  readonly placeBy: number | undefined;
  readonly closesAt: number | undefined;
}

const fields = [
  'lot',
  'event',
  'amount',
  'bidderReference',
  'dealerId',
  'clientBidTime',
  'intentId',
  'placeBy',
];

/** What is easily taken for a field, and belongs into the options. */
const options = ['overInDoubt', 'idempotencyKey', 'signal', 'timeout', 'deadline', 'maxAttempts', 'lane'];
const AN_OPTION = 'is an option, not a part of the bid: pass it in the second argument of place';

/**
 * Takes a bid apart and refuses what is certainly wrong: its form, and an amount off the grid where the grid is known.
 * Minimum and window are the service's to judge: cancellations lower the one, and the other moves.
 *
 * @throws InvalidRequestError
 */
export function checkedBid(bid: BidToPlace): CheckedBid {
  const issues: InputIssue[] = [];
  if (!isFields(bid)) {
    throw new InvalidRequestError([{ path: 'bid', message: 'must be an object with lot and amount' }], call);
  }
  for (const path of Object.keys(bid).filter((name) => !fields.includes(name))) {
    issues.push({
      path,
      message: options.includes(path) ? AN_OPTION : `is not a field here; known fields: ${fields.join(', ')}`,
    });
  }
  const lot = lotIdOf(bid.lot);
  if (lot === undefined) issues.push({ path: 'lot', message: 'must be a lot, or its public id' });
  const placeBy = deadlineIn(bid.placeBy);
  if (placeBy === 'wrong') {
    issues.push({ path: 'placeBy', message: 'must be a Date, ISO 8601 with zone, or Unix ms (not seconds)' });
  }
  issues.push(...gridIssues(bid));
  if (issues.length > 0) throw new InvalidRequestError(issues, call);
  const { amount, bidderReference, dealerId, clientBidTime, intentId } = bid;
  return {
    lot: lot ?? '',
    body: {
      amount,
      ...(bidderReference !== undefined && { bidder_reference: bidderReference }),
      ...(dealerId !== undefined && { dealer_id: dealerId }),
      ...(clientBidTime !== undefined && { client_bid_time: clientBidTime }),
    },
    intentId,
    placeBy: placeBy === 'wrong' ? undefined : placeBy,
    closesAt: closeOf(bid),
  };
}

const call = { call: 'bidding.place', operation: 'bids.submit' } as const;

/** The public id of a lot or of its status. */
export function lotIdOf(lot: LotOrId): string | undefined {
  if (typeof lot === 'string') return lot;
  if (typeof lot !== 'object' || lot === null) return undefined;
  const id: unknown = 'lot_id' in lot ? lot.lot_id : lot.id;
  return typeof id === 'string' ? id : undefined;
}

function gridIssues({ lot, event, amount }: BidToPlace): InputIssue[] {
  const startingPrice: unknown =
    typeof lot === 'object' && lot !== null && 'starting_price' in lot ? lot.starting_price : undefined;
  const increment: unknown = event?.bid_increment;
  if (!isAmount(amount) || typeof startingPrice !== 'string' || typeof increment !== 'string') return [];
  try {
    if (isOnGrid({ amount, startingPrice, increment })) return [];
  } catch {
    // A price that can't be read is no reason to keep a bid from the service.
    return [];
  }
  const message = `is off the grid of this lot: ${startingPrice} and steps of ${increment} above it`;
  return [{ path: 'amount', message }];
}

/** When the lot closes, as far as the given records say; Unix ms. */
function closeOf({ lot, event }: BidToPlace): number | undefined {
  const record: object = typeof lot === 'object' && lot !== null ? lot : {};
  const texts: unknown[] = [
    Reflect.get(record, 'effective_close_at'),
    Reflect.get(record, 'ends_at'),
    event?.ends_at,
  ];
  const text = texts.find((each) => typeof each === 'string');
  const ms = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** 2001 in ms, and in the distant future in seconds: what lies before it was given in seconds. */
const EARLIEST_MS = 1_000_000_000_000;

/** `wrong` where it is no moment, or one of long ago: seconds, then. */
function deadlineIn(given: unknown): number | undefined | 'wrong' {
  if (given === undefined) return undefined;
  const moment = momentOf(given);
  const isSeconds = typeof given === 'number' && given < EARLIEST_MS;
  return moment === undefined || isSeconds ? 'wrong' : moment;
}
