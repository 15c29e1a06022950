import { fromPaise, toNonNegativePaise } from './paise.js';

/** The grid of a lot: its opening price and whole multiples of the increment above it (Bid rules, 1). */
export interface BidGrid {
  /** The lot's `starting_price`, INR decimal string. */
  readonly startingPrice: string;
  /** The event's `bid_increment`, INR decimal string. Zero means that there is no grid. */
  readonly increment: string;
}

/** The same, in paise. */
export interface PaiseGrid {
  readonly opening: bigint;
  readonly step: bigint;
}

/**
 * Whether an amount is on the lot's grid; off it the service answers `BID_OFF_OPENING_GRID` (Bid rules, 1). Without
 * a grid (increment zero) every amount is.
 *
 * @throws InvalidRequestError for a value that is no INR decimal string, or negative.
 */
export function isOnGrid(input: BidGrid & { readonly amount: string }): boolean {
  const { opening, step } = paiseGrid(input);
  const amount = toNonNegativePaise(input.amount, 'amount');
  return step === 0n || (amount >= opening && (amount - opening) % step === 0n);
}

/**
 * The smallest amount on the lot's grid that is not below `atLeast`, as an INR decimal string (Bid rules, 1).
 * Without a grid (increment zero) that is `atLeast` itself.
 *
 * @throws InvalidRequestError for a value that is no INR decimal string, or negative.
 */
export function nextOnGrid(input: BidGrid & { readonly atLeast: string }): string {
  return fromPaise(nextStep(toNonNegativePaise(input.atLeast, 'atLeast'), paiseGrid(input)));
}

/** The grid in paise. @throws InvalidRequestError for a price or increment that is no INR decimal string. */
export function paiseGrid(grid: BidGrid): PaiseGrid {
  return {
    opening: toNonNegativePaise(grid.startingPrice, 'startingPrice'),
    step: toNonNegativePaise(grid.increment, 'increment'),
  };
}

/** `nextOnGrid` in paise. */
export function nextStep(atLeast: bigint, { opening, step }: PaiseGrid): bigint {
  if (step === 0n) return atLeast;
  if (atLeast <= opening) return opening;
  return atLeast + ((step - ((atLeast - opening) % step)) % step);
}
