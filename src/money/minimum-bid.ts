import type { Amount } from '../api/formats.js';
import { InvalidRequestError } from '../errors/local.js';
import type { AuctionEvent, EventLot } from '../generated/events.js';
import { fromPaise, isAmount, toNonNegativePaise } from './paise.js';

/** The facts from which the lowest valid bid on a lot is calculated (Bid rules, 1 to 5). */
export interface BidSituation extends BidGrid {
  /** The event's `bid_type`, or `legacy`. No field marks a legacy auction (unknowns: `legacy-auctions`). */
  readonly bidType: 'open' | 'closed' | 'legacy';
  /** Open auction: the lot's `highest_amount`. `null` or omitted if there is no bid. */
  readonly highestAmount?: Amount | null | undefined;
  /** Closed auction: the bidder's latest accepted `own_amount`. `null` or omitted if there is none. */
  readonly ownAmount?: Amount | null | undefined;
  /** Legacy auction: the previous bid. `null` or omitted if there is none. */
  readonly previousAmount?: Amount | null | undefined;
}

/**
 * Builds the situation for `minimumBid` and `nextBids` from an event and one of its lots. No field marks a legacy
 * auction: if the bank says that it is one, set `bidType: 'legacy'` and `previousAmount` yourself.
 *
 * @throws InvalidRequestError if the event's `bid_type` is neither open nor closed.
 */
export function bidSituation(
  event: Pick<AuctionEvent, 'bid_type' | 'bid_increment'>,
  lot: Pick<EventLot, 'starting_price' | 'highest_amount' | 'own_amount'>,
): BidSituation {
  const bidType = (['open', 'closed'] as const).find((type) => type === event.bid_type);
  if (bidType === undefined) {
    throw new InvalidRequestError([{ path: 'event.bid_type', message: 'must be "open" or "closed"' }]);
  }
  return {
    bidType,
    startingPrice: lot.starting_price,
    increment: event.bid_increment,
    highestAmount: lot.highest_amount,
    ownAmount: lot.own_amount,
  };
}

const LADDER_MAX = 1000;

/**
 * Returns the lowest bid on the grid that the rules allow, as an INR decimal string. It is advice only: a cancelled bid
 * lowers it, a rival's bid raises it, and the service decides by its state when the bid arrives.
 *
 * - open: `highestAmount` plus the increment; the opening price without a bid;
 * - closed: `ownAmount` plus the increment; the opening price without one. It may be below the hidden leader;
 * - legacy: `previousAmount`, or else the opening price, plus the increment (Bid rules, 5).
 *
 * @throws InvalidRequestError for another `bidType`, or a value that is not an amount, or negative.
 */
export function minimumBid(situation: BidSituation): string {
  return fromPaise(minimumPaise(situation));
}

/**
 * Returns the `count` lowest valid bids, ascending, as INR decimal strings: `minimumBid` and the grid steps above it.
 * The list ends before the largest amount that can be sent. Without a grid it holds the minimum only.
 *
 * @param count How many, 0 to 1000.
 * @throws InvalidRequestError as `minimumBid`, and for another `count`.
 */
export function nextBids(situation: BidSituation, count: number): string[] {
  if (!Number.isInteger(count) || count < 0 || count > LADDER_MAX) {
    throw new InvalidRequestError([
      { path: 'count', message: `must be a whole number from 0 to ${LADDER_MAX}` },
    ]);
  }
  const { step } = paiseGrid(situation);
  const length = step === 0n ? Math.min(count, 1) : count;
  const lowest = minimumPaise(situation);
  return Array.from({ length }, (_, rung) => fromPaise(lowest + BigInt(rung) * step)).filter(isAmount);
}

function minimumPaise(situation: BidSituation): bigint {
  const grid = paiseGrid(situation);
  const floor = floorPaise(situation, grid.opening, grid.step);
  // Amounts are positive (Limits), so an opening price of zero can't itself be bid.
  const positive = floor > 0n ? floor : 1n;
  return nextOnPaiseGrid(positive > grid.opening ? positive : grid.opening, grid);
}

function floorPaise(situation: BidSituation, opening: bigint, step: bigint): bigint {
  switch (situation.bidType) {
    case 'open': {
      const highest = optionalPaise(situation.highestAmount, 'highestAmount');
      return highest === undefined ? opening : highest + step;
    }
    case 'closed': {
      const own = optionalPaise(situation.ownAmount, 'ownAmount');
      return own === undefined ? opening : own + step;
    }
    case 'legacy':
      return (optionalPaise(situation.previousAmount, 'previousAmount') ?? opening) + step;
    default:
      throw new InvalidRequestError([{ path: 'bidType', message: 'must be "open", "closed" or "legacy"' }]);
  }
}

function optionalPaise(amount: Amount | null | undefined, field: string): bigint | undefined {
  return amount === null || amount === undefined ? undefined : toNonNegativePaise(amount, field);
}

/** The grid of a lot: its opening price and whole multiples of the increment above it (Bid rules, 1). */
export interface BidGrid {
  /** The lot's `starting_price`. */
  readonly startingPrice: Amount;
  /** The event's `bid_increment`. Zero means that there is no grid. */
  readonly increment: Amount;
}

/** A bid grid in paise. */
export interface PaiseGrid {
  readonly opening: bigint;
  readonly step: bigint;
}

/**
 * Whether an amount is on the lot's grid. The service rejects other amounts with `BID_OFF_OPENING_GRID` (Bid rules, 1).
 * Without a grid (increment zero) every amount is.
 *
 * @throws InvalidRequestError for a value that is not an amount, or negative.
 */
export function isOnGrid(input: BidGrid & { readonly amount: Amount }): boolean {
  const { opening, step } = paiseGrid(input);
  const amount = toNonNegativePaise(input.amount, 'amount');
  return step === 0n || (amount >= opening && (amount - opening) % step === 0n);
}

/**
 * The smallest amount on the lot's grid that is not below `atLeast`, as an INR decimal string (Bid rules, 1).
 * Without a grid (increment zero) that is `atLeast` itself.
 *
 * @throws InvalidRequestError for a value that is not an amount, or negative.
 */
export function nextOnGrid(input: BidGrid & { readonly atLeast: Amount }): string {
  return fromPaise(nextOnPaiseGrid(toNonNegativePaise(input.atLeast, 'atLeast'), paiseGrid(input)));
}

/**
 * The highest amount on the lot's grid that is not above a ceiling, as an INR decimal string. With a `BidSituation` it is
 * also not below `minimumBid`. Without a grid (increment zero) that is the ceiling itself.
 *
 * @param lot The grid of a lot, or its situation from `bidSituation(event, lot)`.
 * @param ceiling The most to bid, such as the result of `bidForBudget`. INR decimal string or `Big`.
 * @returns undefined if the lowest valid bid is already above the ceiling.
 * @throws InvalidRequestError for a value that is not an amount, or negative.
 */
export function highestOnGrid(lot: BidGrid | BidSituation, ceiling: Amount): string | undefined {
  const { opening, step } = paiseGrid(lot);
  const lowest =
    'bidType' in lot ? minimumPaise(lot) : nextOnPaiseGrid(opening > 0n ? opening : 1n, { opening, step });
  const most = toNonNegativePaise(ceiling, 'ceiling');
  const sendable = most < LARGEST_PAISE ? most : LARGEST_PAISE;
  if (sendable < lowest) return undefined;
  return fromPaise(step === 0n ? sendable : sendable - ((sendable - opening) % step));
}

/** The largest amount that can be sent: 12 integer digits and 2 decimals (Limits). */
const LARGEST_PAISE = 99_999_999_999_999n;

/** The grid in paise. @throws InvalidRequestError for a price or increment that is not an amount. */
export function paiseGrid(grid: BidGrid): PaiseGrid {
  return {
    opening: toNonNegativePaise(grid.startingPrice, 'startingPrice'),
    step: toNonNegativePaise(grid.increment, 'increment'),
  };
}

/** `nextOnGrid` in paise. */
export function nextOnPaiseGrid(atLeast: bigint, { opening, step }: PaiseGrid): bigint {
  if (step === 0n) return atLeast;
  if (atLeast <= opening) return opening;
  return atLeast + ((step - ((atLeast - opening) % step)) % step);
}
