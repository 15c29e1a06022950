import { ConfigurationError } from '../errors/local.js';
import type { Held } from '../intents/recorded-call.js';
import { fromPaise, toPaise } from '../money/paise.js';
import type { BidColumns } from '../store/intents.js';
import type { StoreTransaction } from '../store/store.js';

/**
 * The most that may be at stake, as INR decimal strings. A sum counts the highest open or accepted amount for each buyer
 * and lot, over lots that are not known to be closed. A bid beyond a limit is not sent.
 */
export interface RiskLimits {
  /** For one bid. */
  readonly perBid?: string | undefined;
  /** For one buyer over all lots. */
  readonly perBuyer?: string | undefined;
  /** On one lot over all buyers. */
  readonly perLot?: string | undefined;
}

const names = ['perBid', 'perBuyer', 'perLot'] as const;

/** @throws ConfigurationError for limits that are no INR decimal strings */
export function checkedRiskLimits(given: RiskLimits | undefined): RiskLimits {
  if (given === undefined) return {};
  if (typeof given !== 'object' || given === null)
    throw new ConfigurationError('riskLimits', 'must be an object');
  for (const name of Object.keys(given)) {
    if (!names.some((known) => known === name)) {
      throw new ConfigurationError(`riskLimits.${name}`, `is not a limit; known limits: ${names.join(', ')}`);
    }
  }
  for (const name of names) {
    const value = given[name];
    if (value === undefined) continue;
    try {
      toPaise(value);
    } catch {
      throw new ConfigurationError(`riskLimits.${name}`, 'must be an INR decimal string such as "2500000"');
    }
  }
  return { ...given };
}

/** Why a recorded bid may not leave now; undefined where it may. It counts in the sums, also before its next attempt opens it. */
export async function heldBack(
  tx: StoreTransaction,
  { key, lot, buyer, paise }: Pick<BidColumns, 'lot' | 'buyer' | 'paise'> & { readonly key: string },
  limits: RiskLimits,
  nowMs: number,
): Promise<Held | undefined> {
  const halt = await tx.account.halt();
  if (halt !== undefined) return { reason: 'halted', why: `Bidding is halted (${halt}).` };
  const over = (name: keyof RiskLimits, atStake: bigint, what: string): Held | undefined => {
    const limit = limits[name];
    if (limit === undefined || atStake <= toPaise(limit)) return undefined;
    return { reason: 'risk_limit', why: `${what} would be ${fromPaise(atStake)}, and ${name} is ${limit}.` };
  };
  const bid = over('perBid', paise, 'The bid');
  if (bid !== undefined || (limits.perBuyer === undefined && limits.perLot === undefined)) return bid;
  const exposure = await tx.intents.exposure({ lot, buyer, nowMs, key });
  return (
    over('perBuyer', exposure.buyer, `What is at stake for ${buyer}`) ??
    over('perLot', exposure.lot, `What is at stake on lot ${lot}`)
  );
}
