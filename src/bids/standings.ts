import { type InputIssue, InvalidRequestError } from '../errors/local.js';
import {
  checkedBuyers,
  isHidden,
  type Standing,
  type StandingDoubt,
  type StandingsSource,
  statedStanding,
  statusIn,
} from '../following/standing.js';
import type { LotStatus, LotStatusResult } from '../generated/lots.js';
import { isForeign } from '../intents/content.js';
import type { Intent } from '../intents/ledger.js';
import { fromPaise, toPaise } from '../money/paise.js';
import type { CallOptions } from '../ports/caller.js';
import type { StoredIntent } from '../store/intents.js';
import type { BidPorts } from './ports.js';

/** Options of `bids.standings`. */
export interface StandingsOptions extends CallOptions {
  /** Buyers to report on every lot, also where they have no bid. Defaults to the buyers with a bid in the store. */
  readonly buyers?: Iterable<string> | undefined;
  /** Reads uncertain standings from the service: one request for each such buyer and 100 lots. */
  readonly confirm?: boolean | undefined;
}

/** A lot, whose status is read, or a status that you have, such as `change.after` of a watch. */
export type LotToStand = string | { readonly id: string } | LotStatus;

const CALL = { call: 'bids.standings', operation: 'A11' };

/** Lots in one query of the store. */
const LOTS_PER_QUERY = 100;

/** @param ownDealer the id of a direct dealer, whose standing every status has; undefined for platforms */
export async function standings(
  parts: BidPorts,
  ownDealer: string | undefined,
  lots: Iterable<LotToStand>,
  { buyers, confirm = false, ...limits }: StandingsOptions,
): Promise<readonly Standing[]> {
  const wanted = buyers === undefined ? undefined : checkedBuyers(buyers, ownDealer !== undefined, CALL);
  const options: CallOptions = { lane: 'poll', ...limits };
  // Read the statuses before the store: a bid that only a status shows was then placed elsewhere.
  const statuses = await readMissing(parts, checkedLots(lots), options);
  if (ownDealer !== undefined) return [...statuses].map(([lot, status]) => statedStanding(lot, null, status));
  const found: Standing[] = [];
  for (const chunk of chunksOf([...statuses], LOTS_PER_QUERY)) {
    const rows = await rowsOn(
      parts,
      chunk.map(([lot]) => lot),
    );
    for (const [lot, status] of chunk) {
      found.push(...derive(lot, status, bidsOf(parts, rows.get(lot)), wanted));
    }
  }
  return readHidden(parts, found, confirm, options);
}

/** Derives the standings that a watch carries. */
export function standingsSource(parts: BidPorts): StandingsSource {
  return {
    derive: (lots, buyers) =>
      parts.during('lots.watch', async () => {
        const rows = await rowsOn(
          parts,
          lots.map(({ status }) => status.lot_id),
        );
        const { clientId } = parts.recording.identity();
        return new Map(
          lots.map(({ status, earlier }) => {
            const { lot_id: lot, highest_amount: highest } = status;
            const bids = rows.get(lot) ?? [];
            // The content of rows is parsed only if a row is new or has changed.
            const basis = [
              clientId,
              String(highest),
              ...bids.map(({ id, version }) => `${id}:${version}`),
            ].join(' ');
            if (earlier?.basis === basis) return [lot, earlier];
            return [lot, { basis, standings: derive(lot, status, bidsOf(parts, bids), buyers) }];
          }),
        );
      }),
  };
}

/** The facts of a stored bid that standings depend on. */
interface RecordedBid {
  readonly buyer: string;
  readonly paise: bigint;
  /** True if it is accepted and this client's. */
  readonly counts: boolean;
  /** True if the service accepted it as leading. */
  readonly led: boolean;
  /** True if its acceptance is unknown or may change. */
  readonly inDoubt: boolean;
  readonly foreign: boolean;
  readonly cancellation: boolean;
}

/** Derives the standings on one lot, except for what only the service knows. */
function derive(
  lot: string,
  status: LotStatus | undefined,
  bids: readonly RecordedBid[],
  wanted: readonly string[] | undefined,
): Standing[] {
  const highestAmount = status?.highest_amount;
  const hasCancellation = bids.some(({ cancellation }) => cancellation);
  const highest = typeof highestAmount === 'string' ? toPaise(highestAmount) : -1n;
  const differ = highestAmount !== undefined && bids.some(({ counts, paise }) => counts && paise > highest);
  const byBuyer = new Map<string, RecordedBid[]>();
  for (const bid of bids) {
    const others = byBuyer.get(bid.buyer);
    if (others === undefined) byBuyer.set(bid.buyer, [bid]);
    else others.push(bid);
  }
  return (wanted ?? [...byBuyer.keys()]).map((buyer) => {
    const common = { lot, bidderReference: buyer, highestAmount, derived: true };
    const ofBuyer = byBuyer.get(buyer) ?? [];
    const own = ofBuyer.filter(({ counts }) => counts);
    const best = own.reduce<RecordedBid | undefined>(
      (most, bid) => (most === undefined || bid.paise > most.paise ? bid : most),
      undefined,
    );
    const ownAmount = best === undefined ? null : fromPaise(best.paise);
    if (status === undefined) return { ...common, ownAmount, standing: undefined, doubts: ['unavailable'] };
    if (highestAmount === undefined && ofBuyer.length > 0) {
      return { ...common, ownAmount, standing: undefined, doubts: [] };
    }
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

/** Bids of the store by lot, at most 100 lots. */
async function rowsOn(
  { recording }: BidPorts,
  lots: readonly string[],
): Promise<Map<string, readonly StoredIntent[]>> {
  const found = new Map<string, StoredIntent[]>();
  for (const row of await recording.ledger.within((tx) => tx.intents.bidsOn(lots))) {
    if (row.bid === undefined) continue;
    const others = found.get(row.bid.lot);
    if (others === undefined) found.set(row.bid.lot, [row]);
    else others.push(row);
  }
  return found;
}

function bidsOf({ recording }: BidPorts, rows: readonly StoredIntent[] = []): readonly RecordedBid[] {
  return rows.flatMap((row) => {
    const intent = recording.ledger.intentOf(row);
    if (intent === undefined || row.bid === undefined) return [];
    return [recordedBid(intent, row.bid, isForeign(intent.content, recording))];
  });
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
    counts: accepted && !foreign,
    led: accepted && Object(verdict?.event.record).bidder_status === 'leading',
    inDoubt: !accepted && isOpenQuestion,
    foreign,
    cancellation: content.log.some(({ type }) => type === 'cancellation'),
  };
}

/** Statuses by lot, including the given ones; undefined if the service has none. */
async function readMissing(
  { lots, statusBatchSize }: BidPorts,
  given: ReadonlyMap<string, LotStatus | undefined>,
  options: CallOptions,
): Promise<Map<string, LotStatus | undefined>> {
  const statuses = new Map(given);
  const missing = [...given].flatMap(([lot, status]) => (status === undefined ? [lot] : []));
  for (const lot_ids of chunksOf(missing, statusBatchSize)) {
    for (const result of await lots.statusBatch({ lot_ids }, options))
      statuses.set(result.lot_id, statusIn(result));
  }
  return statuses;
}

/** Asks the service for each buyer whose standing could not be derived, and with `confirm` for each that is uncertain. */
async function readHidden(
  { lots, statusBatchSize }: BidPorts,
  found: readonly Standing[],
  confirm: boolean,
  options: CallOptions,
): Promise<readonly Standing[]> {
  const toRead = new Map<string, string[]>();
  const isRead = (each: Standing) => isHidden(each) || (confirm && mayDiffer(each));
  for (const each of found) {
    if (each.bidderReference === null || !isRead(each)) continue;
    toRead.set(each.bidderReference, [...(toRead.get(each.bidderReference) ?? []), each.lot]);
  }
  const replies = new Map<string, LotStatusResult>();
  for (const [buyer, ids] of toRead) {
    for (const lot_ids of chunksOf(ids, statusBatchSize)) {
      const results = await lots.statusBatch({ lot_ids, bidder_reference: buyer }, options);
      for (const result of results) replies.set(`${buyer} ${result.lot_id}`, result);
    }
  }
  return found.map((each) =>
    isRead(each)
      ? statedStanding(
          each.lot,
          each.bidderReference,
          statusIn(replies.get(`${each.bidderReference} ${each.lot}`)),
        )
      : each,
  );
}

/**
 * True if the service may know better: for an uncertain standing, and for bids elsewhere on a lot whose highest amount
 * is hidden.
 */
function mayDiffer({ doubts, highestAmount }: Standing): boolean {
  return !doubts.includes('unavailable') && (doubts.length > 0 || highestAmount === undefined);
}

/** Splits a list into parts of at most `size` items. */
export function chunksOf<T>(items: readonly T[], size: number): readonly T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) =>
    items.slice(n * size, (n + 1) * size),
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
