import { type InputIssue, InvalidRequestError } from '../errors/local.js';
import type { LotStatus, LotStatusResult } from '../generated/lots.js';
import { isForeign } from '../intents/content.js';
import type { Intent } from '../intents/ledger.js';
import { fromPaise, toPaise } from '../money/paise.js';
import type { CallOptions } from '../ports/caller.js';
import type { BidPorts } from './ports.js';

/** Options of `bids.standings`. */
export interface StandingsOptions extends CallOptions {
  /** Buyers to report on every lot, also where they have no bid. Left out: the buyers with a bid in the store. */
  readonly buyers?: Iterable<string> | undefined;
  /** Reads what is uncertain from the service: one request for each such buyer and 100 lots. */
  readonly confirm?: boolean | undefined;
}

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
  /** The service gave no status for the lot. */
  | 'unavailable';

/** The standing of one buyer on one lot: provisional, never a sale. */
export interface Standing {
  /** Public lot id. */
  readonly lot: string;
  /** The platform's buyer; null for a direct dealer. */
  readonly bidderReference: string | null;
  /** Undefined where the service gave no status. */
  readonly standing: 'no_bid' | 'leading' | 'outbid' | (string & {}) | undefined;
  /** The buyer's highest accepted amount, INR decimal string; null without a bid. */
  readonly ownAmount: string | null;
  /** Highest accepted amount on the lot, INR decimal string; undefined where it is hidden. */
  readonly highestAmount: string | null | undefined;
  /**
   * True where it was derived from `highest_amount` and the accepted bids in this store: bids placed elsewhere for the same
   * buyer are not known. False where the service said it.
   */
  readonly derived: boolean;
  /** Empty where it is certain, as far as the bids in this store go. */
  readonly doubts: readonly StandingDoubt[];
}

/** A lot whose status is read, or a status that you have, such as `change.after` of a watch. */
export type LotToStand = string | { readonly id: string } | LotStatus;

const CALL = { call: 'bids.standings', operation: 'A11' };

/** The most that the API proposes (A11), and what one query asks the store for. */
const BATCH = 100;

/** @param ownDealer the id of a direct dealer, whose standing every status has; undefined for platforms */
export async function standings(
  parts: BidPorts,
  ownDealer: string | undefined,
  lots: Iterable<LotToStand>,
  { buyers, confirm = false, ...limits }: StandingsOptions,
): Promise<readonly Standing[]> {
  const wanted = checkedBuyers(buyers, ownDealer);
  const options: CallOptions = { lane: 'poll', ...limits };
  // The statuses first: what the store lacks of them afterwards was accepted later.
  const statuses = await readMissing(parts, checkedLots(lots), options);
  if (ownDealer !== undefined) return [...statuses].map(([lot, status]) => said(lot, null, status));
  const found: Standing[] = [];
  for (const chunk of chunksOf([...statuses])) {
    const bids = await bidsOn(
      parts,
      chunk.map(([lot]) => lot),
    );
    for (const [lot, status] of chunk) found.push(...derive(lot, status, bids.get(lot) ?? [], wanted));
  }
  return readUnderived(parts, found, confirm, options);
}

/** A bid in the store, as far as it concerns a standing. */
interface RecordedBid {
  readonly buyer: string;
  readonly paise: bigint;
  readonly accepted: boolean;
  /** The service said at its acceptance that it leads. */
  readonly led: boolean;
  /** Its acceptance is unknown, or may change. */
  readonly inDoubt: boolean;
  readonly foreign: boolean;
  readonly cancellation: boolean;
}

/** Standings on one lot. Where the highest amount is hidden, `standing` is undefined without a doubt: to be read. */
function derive(
  lot: string,
  status: LotStatus | undefined,
  bids: readonly RecordedBid[],
  wanted: readonly string[] | undefined,
): Standing[] {
  const highestAmount = status?.highest_amount;
  const hasCancellation = bids.some(({ cancellation }) => cancellation);
  const highest = typeof highestAmount === 'string' ? toPaise(highestAmount) : -1n;
  const recorded = bids.filter(({ accepted, foreign }) => accepted && !foreign);
  const differ = recorded.some(({ paise }) => paise > highest);
  return (wanted ?? [...new Set(bids.map(({ buyer }) => buyer))]).map((buyer) => {
    const common = { lot, bidderReference: buyer, highestAmount, derived: true };
    const own = recorded.filter((bid) => bid.buyer === buyer);
    const best = own.reduce<RecordedBid | undefined>(
      (most, bid) => (most === undefined || bid.paise > most.paise ? bid : most),
      undefined,
    );
    const ownAmount = best === undefined ? null : fromPaise(best.paise);
    if (status === undefined) return { ...common, ownAmount, standing: undefined, doubts: ['unavailable'] };
    if (highestAmount === undefined) return { ...common, ownAmount, standing: undefined, doubts: [] };
    const ofBuyer = bids.filter((bid) => bid.buyer === buyer);
    const atTop = best !== undefined && best.paise >= highest;
    const doubts: readonly (StandingDoubt | false)[] = [
      ofBuyer.some(({ inDoubt }) => inDoubt) && 'bid_in_doubt',
      hasCancellation && 'cancellation',
      differ && 'amounts_differ',
      atTop && !own.some(({ paise, led }) => paise === best.paise && led) && 'tie',
      ofBuyer.some(({ foreign }) => foreign) && 'other_client',
    ];
    const held = atTop ? 'leading' : 'outbid';
    return {
      ...common,
      ownAmount,
      standing: best === undefined ? 'no_bid' : held,
      doubts: doubts.filter((doubt) => doubt !== false),
    };
  });
}

async function bidsOn(
  { recording }: BidPorts,
  lots: readonly string[],
): Promise<Map<string, readonly RecordedBid[]>> {
  const { ledger } = recording;
  const rows = await ledger.within((tx) => tx.intents.bidsOn(lots));
  const found = new Map<string, RecordedBid[]>();
  for (const row of rows) {
    const intent = ledger.intentOf(row);
    if (intent === undefined || row.bid === undefined) continue;
    const bid = recordedBid(intent, row.bid, isForeign(intent.content, recording));
    found.set(row.bid.lot, [...(found.get(row.bid.lot) ?? []), bid]);
  }
  return found;
}

function recordedBid(
  { status, content }: Intent,
  { buyer, paise }: { readonly buyer: string; readonly paise: bigint },
  foreign: boolean,
): RecordedBid {
  const { state, provisional, inDoubt, verdict } = status;
  const accepted = state === 'accepted';
  const isOpenQuestion =
    state === 'sent' || state === 'stuck' || state === 'abandoned' || provisional || inDoubt;
  return {
    buyer,
    paise,
    accepted,
    led: accepted && Object(verdict?.event.record).bidder_status === 'leading',
    inDoubt: !accepted && isOpenQuestion,
    foreign,
    cancellation: content.log.some(({ type }) => type === 'cancellation'),
  };
}

/** Statuses by lot, those that were given as they are; undefined where the service has none. */
async function readMissing(
  { lots }: BidPorts,
  given: ReadonlyMap<string, LotStatus | undefined>,
  options: CallOptions,
): Promise<Map<string, LotStatus | undefined>> {
  const statuses = new Map(given);
  const missing = [...given].flatMap(([lot, status]) => (status === undefined ? [lot] : []));
  for (const lot_ids of chunksOf(missing)) {
    for (const { lot_id, data } of await lots.statusBatch({ lot_ids }, options)) statuses.set(lot_id, data);
  }
  return statuses;
}

/** Asks the service for each buyer whose standing could not be derived, and with `confirm` for each that is uncertain. */
async function readUnderived(
  { lots }: BidPorts,
  found: readonly Standing[],
  confirm: boolean,
  options: CallOptions,
): Promise<readonly Standing[]> {
  const toRead = new Map<string, string[]>();
  const isRead = ({ standing, doubts }: Standing) =>
    doubts.length === 0 ? standing === undefined : confirm && !doubts.includes('unavailable');
  for (const each of found) {
    if (each.bidderReference === null || !isRead(each)) continue;
    toRead.set(each.bidderReference, [...(toRead.get(each.bidderReference) ?? []), each.lot]);
  }
  const replies = new Map<string, LotStatusResult>();
  for (const [buyer, ids] of toRead) {
    for (const lot_ids of chunksOf(ids)) {
      const results = await lots.statusBatch({ lot_ids, bidder_reference: buyer }, options);
      for (const result of results) replies.set(`${buyer} ${result.lot_id}`, result);
    }
  }
  return found.map((each) =>
    isRead(each)
      ? said(each.lot, each.bidderReference, replies.get(`${each.bidderReference} ${each.lot}`)?.data)
      : each,
  );
}

/** A standing as the service says it. */
function said(lot: string, bidderReference: string | null, status: LotStatus | undefined): Standing {
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

function chunksOf<T>(items: readonly T[]): readonly T[][] {
  return Array.from({ length: Math.ceil(items.length / BATCH) }, (_, n) =>
    items.slice(n * BATCH, (n + 1) * BATCH),
  );
}

function checkedLots(lots: Iterable<LotToStand>): Map<string, LotStatus | undefined> {
  if (typeof lots === 'string' || typeof lots?.[Symbol.iterator] !== 'function') {
    throw new InvalidRequestError(
      [{ path: 'lots', message: 'must be a list of lots, ids or statuses' }],
      CALL,
    );
  }
  const found = new Map<string, LotStatus | undefined>();
  const issues: InputIssue[] = [];
  for (const [index, lot] of [...lots].entries()) {
    const isStatus = typeof lot === 'object' && lot !== null && 'lot_id' in lot;
    const id: unknown = isStatus ? lot.lot_id : typeof lot === 'string' ? lot : Object(lot).id;
    if (typeof id === 'string' && id !== '') found.set(id, isStatus ? lot : found.get(id));
    else
      issues.push({ path: `lots.${index}`, message: 'must be a lot, its status, or its public id (lot_…)' });
  }
  if (issues.length > 0) throw new InvalidRequestError(issues, CALL);
  return found;
}

function checkedBuyers(
  buyers: Iterable<string> | undefined,
  ownDealer: string | undefined,
): readonly string[] | undefined {
  if (buyers === undefined) return undefined;
  const isList = typeof buyers !== 'string' && typeof buyers?.[Symbol.iterator] === 'function';
  const list = isList ? [...new Set(buyers)] : [];
  const message =
    ownDealer === undefined
      ? 'must be a list of your references of buyers'
      : 'must be left out: a direct dealer has no buyers';
  const isFine =
    isList && ownDealer === undefined && list.every((buyer) => typeof buyer === 'string' && buyer !== '');
  if (!isFine) throw new InvalidRequestError([{ path: 'options.buyers', message }], CALL);
  return list;
}
