import type { Amount } from '../api/formats.js';
import { type InputIssue, InvalidRequestError } from '../errors/local.js';
import { fromPaise, toNonNegativePaise, toPaise } from './paise.js';
import { isPercentage, PERCENTAGE, percentOf, type RoundingOptions } from './percent.js';

/**
 * A fee or a tax that a buyer pays on top of a bid. The rates are yours: the API has none.
 *
 * A charge has either a `percent` or a fixed `amount`.
 */
export type Charge = PercentCharge | FixedCharge;

/** A charge that is a percentage of the bid, or of earlier charges, or of both. */
export interface PercentCharge extends RoundingOptions {
  /** Your name for it, such as `gst`. Each name occurs once, and `bid` is taken. */
  readonly name: string;
  /** Percentage as a decimal string such as `'18'` or `'2.5'`. */
  readonly percent: Amount;
  readonly amount?: undefined;
  /** The base: `'bid'` and names of charges earlier in the list, added up. Defaults to `['bid']`. */
  readonly of?: readonly string[] | undefined;
  /** Charged only if the base is above this amount, INR decimal string, and then on the whole base. */
  readonly above?: Amount | undefined;
}

/** A charge that does not depend on the bid. */
export interface FixedCharge {
  /** Your name for it, such as `paperwork`. Each name occurs once, and `bid` is taken. */
  readonly name: string;
  /** INR decimal string. */
  readonly amount: Amount;
  readonly percent?: undefined;
}

/** What a bid costs in all. Amounts are INR decimal strings with 2 decimals. */
export interface BidCost {
  readonly bid: string;
  /** The charges, in the order of the list. */
  readonly charges: readonly { readonly name: string; readonly amount: string }[];
  /** The bid and all charges. */
  readonly total: string;
}

const BID = 'bid';

/**
 * Calculates what a bid costs in all, exactly: each charge is rounded once, as its `round` and `to` say.
 *
 * @param bid INR decimal string or `Big`; not negative.
 * @throws InvalidRequestError for a value that is not an amount, or a list of charges that contradicts itself.
 */
export function costOfBid(bid: Amount, charges: readonly Charge[]): BidCost {
  checkCharges(charges);
  const { amounts, total } = costIn(toNonNegativePaise(bid, 'bid'), charges);
  return {
    bid: fromPaise(amounts.get(BID) ?? 0n),
    charges: charges.map(({ name }) => ({ name, amount: fromPaise(amounts.get(name) ?? 0n) })),
    total: fromPaise(total),
  };
}

/**
 * Calculates the highest bid that costs no more than a budget with all its charges, to the paisa. Use
 * `highestOnGrid(lot, result)` for the highest amount that the lot allows.
 *
 * @param budget INR decimal string or `Big`; not negative.
 * @returns INR decimal string with 2 decimals; undefined if the charges leave nothing to bid.
 * @throws InvalidRequestError for a value that is not an amount, or a list of charges that contradicts itself.
 */
export function bidForBudget(budget: Amount, charges: readonly Charge[]): string | undefined {
  checkCharges(charges);
  const most = toNonNegativePaise(budget, 'budget');
  const fits = (bid: bigint) => costIn(bid, charges).total <= most;
  if (!fits(1n)) return undefined;
  // No charge falls when the bid rises, so the bids that fit are those up to a limit.
  let lowest = 1n;
  let highest = most;
  while (lowest < highest) {
    const middle = (lowest + highest + 1n) / 2n;
    if (fits(middle)) lowest = middle;
    else highest = middle - 1n;
  }
  return fromPaise(lowest);
}

/** The bid and its charges by name, in paise. */
function costIn(bid: bigint, charges: readonly Charge[]) {
  const amounts = new Map([[BID, bid]]);
  let total = bid;
  for (const [index, charge] of charges.entries()) {
    const amount = chargeIn(charge, `charges.${index}`, amounts);
    amounts.set(charge.name, amount);
    total += amount;
  }
  return { amounts, total };
}

function chargeIn(charge: Charge, path: string, amounts: ReadonlyMap<string, bigint>): bigint {
  if (charge.percent === undefined) return toNonNegativePaise(charge.amount, `${path}.amount`);
  const { percent, of = [BID], above, round, to } = charge;
  const base = of.reduce((sum, name) => sum + (amounts.get(name) ?? 0n), 0n);
  if (above !== undefined && base <= toNonNegativePaise(above, `${path}.above`)) return 0n;
  return toPaise(percentOf(fromPaise(base), percent, { round, to }));
}

function checkCharges(charges: readonly Charge[]): void {
  if (!Array.isArray(charges))
    throw new InvalidRequestError([{ path: 'charges', message: 'must be a list' }]);
  const issues: InputIssue[] = [];
  const earlier = new Set([BID]);
  for (const [index, charge] of charges.entries()) {
    const issue = (field: string, message: string) =>
      issues.push({ path: `charges.${index}${field}`, message });
    const { name, percent, amount, of } = Object(charge);
    if (typeof name !== 'string' || name === '') issue('.name', 'must be a name');
    else if (earlier.has(name)) issue('.name', `must be unique, and not "${BID}"`);
    if ((percent === undefined) === (amount === undefined)) issue('', 'must have a percent or an amount');
    else if (amount === undefined && !isPercentage(percent)) issue('.percent', PERCENTAGE);
    if (of !== undefined && !(Array.isArray(of) && of.length > 0 && new Set(of).size === of.length)) {
      issue('.of', 'must be a list of names, each once');
    } else {
      const unknown = (of ?? []).find((each: unknown) => typeof each !== 'string' || !earlier.has(each));
      if (unknown !== undefined)
        issue('.of', `must name "${BID}" or earlier charges, and "${unknown}" is neither`);
    }
    earlier.add(name);
  }
  if (issues.length > 0) throw new InvalidRequestError(issues);
}
