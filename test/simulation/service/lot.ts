/** A lot and the rules of bidding on it, in paise. */
export interface Lot {
  readonly id: string;
  readonly opening: bigint;
  readonly increment: bigint;
  readonly type: 'open' | 'closed';
  /** Unix ms, exclusive. */
  closeAt: number;
  version: number;
  /** The highest accepted amount. */
  highest: bigint | undefined;
  /** Accepted amounts by buyer, the latest. */
  readonly own: Map<string, bigint>;
}

/** Why a bid that arrives now is turned down; empty where it is valid (Bid rules). */
export function faultsOf(lot: Lot, buyer: string, paise: bigint, arrivedAt: number): string[] {
  const codes: string[] = [];
  if (arrivedAt >= lot.closeAt) codes.push('LOT_NOT_LIVE');
  if (paise < lot.opening || (paise - lot.opening) % lot.increment !== 0n) codes.push('BID_OFF_OPENING_GRID');
  const before = lot.type === 'open' ? lot.highest : lot.own.get(buyer);
  if (before !== undefined && paise < before + lot.increment) codes.push('BID_BELOW_MINIMUM');
  return codes;
}

/** Takes an accepted bid into the standings. */
export function take(lot: Lot, buyer: string, paise: bigint): void {
  lot.version += 1;
  lot.own.set(buyer, paise);
  if (lot.highest === undefined || paise > lot.highest) lot.highest = paise;
}

/** Paise of an INR decimal string; undefined for anything else. */
export function paiseOf(amount: unknown): bigint | undefined {
  const [, rupees, fraction = ''] =
    typeof amount === 'string' ? (/^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(amount) ?? []) : [];
  return rupees === undefined ? undefined : BigInt(rupees) * 100n + BigInt(fraction.padEnd(2, '0'));
}

export function rupees(paise: bigint): string {
  return `${paise / 100n}.${String(paise % 100n).padStart(2, '0')}`;
}
