import { InvalidRequestError } from '../errors/local.js';
import type { LotStatus, LotStatusResult } from '../generated/lots.js';

/** Why a standing may be wrong. */
export type StandingDoubt =
  /** A bid of this buyer on this lot is unresolved, so it may count. */
  | 'bid_in_doubt'
  /** Cancellation of a bid on this lot was requested, which can change every standing. */
  | 'cancellation'
  /** Bids of this store exceed `highest_amount`: the status is older than they are, or one was cancelled elsewhere. */
  | 'amounts_differ'
  /** Others may have bid the same amount, and the service has not said who leads. */
  | 'tie'
  /** A bid of this buyer was recorded for another client. */
  | 'other_client'
  /** Only the service knows it, and a watch has not read it yet, or not since the last bid of this buyer on this lot. */
  | 'not_read'
  /** The service gave no status for the lot. */
  | 'unavailable';

/** The standing of one buyer on one lot: provisional, never a sale. */
export interface Standing {
  /** Public lot id. */
  readonly lot: string;
  /** The platform's buyer; null for a direct dealer. */
  readonly bidderReference: string | null;
  /** Undefined if the service gave no status. */
  readonly standing: 'no_bid' | 'leading' | 'outbid' | (string & {}) | undefined;
  /** The buyer's highest accepted amount, INR decimal string; null without a bid. */
  readonly ownAmount: string | null;
  /** Highest accepted amount on the lot, INR decimal string; undefined if it is hidden. */
  readonly highestAmount: string | null | undefined;
  /**
   * True if it was derived from `highest_amount` and the accepted bids in this store: bids placed elsewhere for the same
   * buyer are not known. False if the service said it.
   */
  readonly derived: boolean;
  /** Empty if it is certain, as far as the bids in this store go. */
  readonly doubts: readonly StandingDoubt[];
}

/** Buyers' standings on one lot, as far as they can be derived. */
export interface LotStandings {
  /** Changes whenever the standings may: with the highest amount of the lot and with each change of a bid on it. */
  readonly basis: string;
  /** One for each buyer, in the order of the buyers. Without a `standing` and without doubts, only the service knows it. */
  readonly standings: readonly Standing[];
}

/** Derives standings from statuses and the client's store; injected, because bids are a layer above. */
export interface StandingsSource {
  /**
   * @param lots statuses, each with what was derived from the one before: it is returned again if its basis is the same
   * @throws StoreError
   */
  derive(
    lots: readonly { readonly status: LotStatus; readonly earlier: LotStandings | undefined }[],
    buyers: readonly string[],
  ): Promise<ReadonlyMap<string, LotStandings>>;
}

/** A standing as the service says it. */
export function statedStanding(
  lot: string,
  bidderReference: string | null,
  status: LotStatus | undefined,
): Standing {
  return {
    lot,
    bidderReference,
    standing: status?.own_standing ?? undefined,
    ownAmount: status?.own_amount ?? null,
    highestAmount: status?.highest_amount,
    derived: false,
    doubts: status?.own_standing == null ? ['unavailable'] : [],
  };
}

/** True if only the service knows the standing. */
export function isHidden({ standing, doubts }: Standing): boolean {
  return standing === undefined && doubts.length === 0;
}

/** Standings that differ from the earlier ones in more than the lot's highest amount. */
export function changedStandings(
  before: readonly Standing[],
  after: readonly Standing[],
): readonly Standing[] {
  if (before === after) return [];
  const earlier = new Map(before.map((each) => [each.bidderReference, each]));
  return after.filter((each) => {
    const old = earlier.get(each.bidderReference);
    return old === undefined || signatureOf(old) !== signatureOf(each);
  });
}

function signatureOf({ standing, ownAmount, derived, doubts }: Standing): string {
  return [standing, ownAmount, derived, ...doubts].join(' ');
}

/** Unique references of buyers. @throws InvalidRequestError */
export function checkedBuyers(
  buyers: Iterable<string>,
  isDirect: boolean,
  context: { readonly call: string; readonly operation: string },
): readonly string[] {
  const isList = typeof buyers !== 'string' && typeof buyers?.[Symbol.iterator] === 'function';
  const list = isList ? [...new Set(buyers)] : [];
  const message = isDirect
    ? 'must be left out: a direct dealer has no buyers'
    : 'must be a list of your references of buyers';
  const isFine = isList && !isDirect && list.every((buyer) => typeof buyer === 'string' && buyer !== '');
  if (!isFine) throw new InvalidRequestError([{ path: 'options.buyers', message }], context);
  return list;
}

/** The status in an item of A11; undefined if the service wrote null, left it out, or wrote that of another lot. */
export function statusIn(result: LotStatusResult | undefined): LotStatus | undefined {
  const status = result?.data ?? undefined;
  return status?.lot_id === result?.lot_id ? status : undefined;
}
