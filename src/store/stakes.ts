import { numberOf, type Row, type Unit } from './schema.js';

// Amounts at stake: the highest open or accepted amount of each buyer on each lot, kept with every save of an intent,
// so that risk limits read a few sums however many bids there are.

export interface ExposureQuery {
  readonly lot: string;
  readonly buyer: string;
  readonly now: number;
  readonly key: string;
}

/** In paise. */
export interface Exposure {
  readonly buyer: bigint;
  readonly lot: bigint;
}

/** Facts of a bid that risk limits depend on. */
export interface Stake {
  readonly lot: string;
  readonly buyer: string;
  /** Amount in paise. */
  readonly paise: bigint;
  /** Latest known close of the lot, Unix ms in server time. */
  readonly closesAt?: number | undefined;
  /** Open or accepted. */
  readonly counts: boolean;
}

export interface StakeTable {
  /** Brings the stakes up to date after a bid was inserted, saved or deleted. */
  follow(before: Stake | undefined, after: Stake | undefined): Promise<void>;
  exposure(query: ExposureQuery): Promise<Exposure>;
}

export function stakeTable(unit: Unit): StakeTable {
  const intents = unit.table('intents');
  const stakes = unit.table('stakes');

  /** The latest known close of a lot; null if no bid on it has one. */
  const closeOf = async (lot: string): Promise<number | null> => {
    const latest = { order: ['closes_at'], descending: true, limit: 1, columns: ['closes_at'] } as const;
    const [row] = await intents.select({ lot, closes_at: { is: 'IS NOT', than: null } }, latest);
    return closeInRow(row) ?? null;
  };

  const restake = async (lot: string, buyer: string): Promise<void> => {
    const closesAt = await closeOf(lot);
    const bids = await intents.select({ lot, buyer }, { columns: ['paise', 'open', 'state'] });
    const [any] = await stakes.select({ lot }, { limit: 1, columns: ['closes_at'] });
    const amounts = bids.filter(isAtStake).map(({ paise }) => BigInt(String(paise)));
    const [highest] = amounts.sort((one, other) => (one < other ? 1 : -1));
    if (highest === undefined) {
      await stakes.delete({ lot, buyer });
    } else {
      const values = { paise: String(highest), closes_at: closesAt };
      const known = await stakes.update({ lot, buyer }, values);
      if (known.length === 0) await stakes.insert({ lot, buyer, ...values });
    }
    // All stakes on a lot have its close.
    const hasMoved = any !== undefined && (closeInRow(any) ?? null) !== closesAt;
    if (hasMoved) await stakes.update({ lot }, { closes_at: closesAt });
  };

  const atStake = async (where: { readonly lot: string } | { readonly buyer: string }, now: number) => {
    const open = await stakes.sum({ ...where, closes_at: { is: '>', than: now } }, 'paise');
    return open + (await stakes.sum({ ...where, closes_at: null }, 'paise'));
  };

  return {
    async follow(before, after) {
      if (stakeText(before) === stakeText(after)) return;
      const isSamePair = before?.lot === after?.lot && before?.buyer === after?.buyer;
      if (before !== undefined && !isSamePair) await restake(before.lot, before.buyer);
      if (after !== undefined) await restake(after.lot, after.buyer);
    },
    async exposure({ lot, buyer, now, key }) {
      const sums = { buyer: await atStake({ buyer }, now), lot: await atStake({ lot }, now) };
      const [own] = await intents.select({ key }, { columns: ['lot', 'buyer', 'paise', 'open', 'state'] });
      if (own === undefined || own.lot === null || isAtStake(own)) return sums;
      const [ownLot, ownBuyer] = [String(own.lot), String(own.buyer)];
      const closesAt = await closeOf(ownLot);
      if (closesAt !== null && closesAt <= now) return sums;
      const counted = await stakes.sum({ lot: ownLot, buyer: ownBuyer }, 'paise');
      const paise = BigInt(String(own.paise));
      const more = paise > counted ? paise - counted : 0n;
      return {
        buyer: sums.buyer + (ownBuyer === buyer ? more : 0n),
        lot: sums.lot + (ownLot === lot ? more : 0n),
      };
    },
  };
}

function isAtStake({ open, state }: Row<'open' | 'state'>): boolean {
  return Number(open) === 1 || state === 'accepted';
}

function closeInRow(row: Row<'closes_at'> | undefined): number | undefined {
  return numberOf(row?.closes_at);
}

/** The facts of a bid that count, as text; an equal text changes no stake. */
function stakeText(stake: Stake | undefined): string {
  if (stake === undefined) return '';
  const { lot, buyer, paise, closesAt, counts } = stake;
  return JSON.stringify([lot, buyer, String(paise), closesAt ?? null, counts]);
}
