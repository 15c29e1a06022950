import type { Code } from '../../api/codes.js';
import { rupees } from '../money.js';

/** One bid that a rival made by script or strategy, or would have made. */
export interface RivalLogEntry {
  /** Server time, Unix milliseconds. */
  readonly at: number;
  readonly lotId: string;
  /** INR decimal string. */
  readonly amount: string;
  /** Id of the accepted bid; null where it was not accepted. */
  readonly bidId: string | null;
  /** Why it was not accepted; empty for one that was. */
  readonly codes: readonly Code[];
}

/** A rival at work. */
export interface RivalHandle {
  /** Ends it: it makes no more bids. What was bid stays. */
  cancel(): void;
  /** What it did so far, oldest first. */
  readonly log: readonly RivalLogEntry[];
}

/** A line of the log. */
export function logged(
  at: number,
  lotId: string,
  amount: bigint,
  outcome: { readonly codes: readonly Code[]; readonly bid?: { readonly id: string } },
): RivalLogEntry {
  const { codes, bid } = outcome;
  const bidId = codes.length === 0 ? (bid?.id ?? null) : null;
  return Object.freeze({ at, lotId, amount: rupees(amount), bidId, codes });
}
