import { bids } from '../../generated/bids.js';
import type { HoldReason } from '../../intents/answers.js';
import { otherUnder } from '../../intents/answers.js';
import { bodyRecord, targetOf } from '../../intents/content.js';
import type { Intent } from '../../intents/ledger.js';
import { unresolvedBefore } from '../../intents/open-bids.js';
import { bidsPerWindow } from '../../quota/lanes.js';
import type { QuotaState } from '../../quota/share.js';
import { isOpen } from '../../store/intents.js';
import type { StoreTransaction } from '../../store/store.js';
import { mayLeave } from '../place.js';
import type { BidPorts } from '../ports.js';
import { overLimits, type PreparedBid, whyHalted } from '../prepare.js';
import { chunksOf } from '../standings.js';
import { type Candidate, RowQueue } from './rows.js';

/** The expected result of placing one row, from the current store and quota. */
export type Forecast =
  /** Answered from its record, or looked up. */
  | { readonly kind: 'recorded'; readonly intent: Intent }
  /** Placing the row would throw. */
  | { readonly kind: 'error'; readonly error: Error }
  /** Held back by a halt or a risk limit. */
  | ({ readonly kind: 'held_back' } & HoldReason)
  /** Would be sent. `leavesAt`: latest departure if nothing else uses the quota, Unix ms in server time. */
  | { readonly kind: 'sent'; readonly leavesAt: number };

/** A row with its forecast. */
export interface ForecastRow<R> {
  readonly row: Candidate<R>;
  readonly forecast: Forecast;
}

/** Rows that are looked up in the store in one transaction. */
const READ_TOGETHER = 100;

/** Forecasts every row, in the order in which they would be placed. Reads the store only. @throws StoreError */
export async function forecastRows<R>(
  parts: BidPorts,
  candidates: readonly Candidate<R>[],
): Promise<readonly ForecastRow<R>[]> {
  const { recording, quota } = parts;
  const { ledger } = recording;
  const now = ledger.now();
  const found: ForecastRow<R>[] = [];
  const queue = new RowQueue<R>();
  for (const some of chunksOf(candidates, READ_TOGETHER)) {
    const intents = await ledger.within(async (tx) => {
      const rows = [];
      for (const { bid } of some) rows.push(ledger.intentOf(await tx.intents.get(bid.key)));
      return rows;
    });
    for (const [index, row] of some.entries()) {
      const forecast = fromRecord(parts, row.bid, intents[index], now);
      if (forecast === undefined) queue.add(row);
      else found.push({ row, forecast });
    }
  }
  const leaves = departures(quota.state(), now);
  const stakes = new PlannedStakes(parts, now);
  // A row that an earlier run of the batch left unresolved is settled before the next one on its lot.
  const ownKeys = new Set(candidates.map(({ bid }) => bid.key));
  let requests = 0;
  for (const some of chunksOf([...placingOrder(queue)], READ_TOGETHER)) {
    const forecasts = await ledger.within(async (tx) => {
      const all: (Forecast | undefined)[] = [];
      await stakes.read(tx, some);
      for (const { bid, dueAt } of some) {
        const error = bid.allowUnresolved
          ? undefined
          : await unresolvedBefore(recording, tx, { ...contextOf(bid), ...bid.columns, ignored: ownKeys });
        const held = error === undefined ? await stakes.add(tx, bid, dueAt) : undefined;
        all.push(error ? { kind: 'error', error } : held && { kind: 'held_back', ...held });
      }
      return all;
    });
    for (const [index, row] of some.entries()) {
      const forecast = forecasts[index];
      found.push({ row, forecast: forecast ?? { kind: 'sent', leavesAt: leaves(requests) } });
      if (forecast === undefined) requests += 1;
    }
  }
  return found;
}

/** The forecast from the record under the row's key; undefined if the row is still to be sent. */
function fromRecord(
  { recording }: BidPorts,
  bid: PreparedBid,
  intent: Intent | undefined,
  now: number,
): Forecast | undefined {
  if (intent === undefined) return undefined;
  const { body } = bid.call;
  // The bytes of a bid are never read from a file.
  if (body === undefined || 'pending' in body) return undefined;
  const given = { target: targetOf(bid.call, body), body: bodyRecord(body) };
  const error = otherUnder(recording, intent, given, contextOf(bid).context);
  if (error !== undefined) return { kind: 'error', error };
  return mayLeave(intent, now) ? undefined : { kind: 'recorded', intent };
}

function contextOf({ key }: PreparedBid) {
  return { key, context: { call: 'bids.place', operation: bids.submit.id, idempotencyKey: key } };
}

function* placingOrder<R>(queue: RowQueue<R>): Generator<Candidate<R>> {
  for (let row = queue.take(); row !== undefined; row = queue.take()) {
    queue.release(row);
    yield row;
  }
}

/** Amounts at stake: those in the store, plus the earlier rows of the batch as if all were accepted. */
class PlannedStakes {
  readonly #parts: BidPorts;
  readonly #now: number;
  /** In paise. */
  readonly #buyers = new Map<string, bigint>();
  readonly #lots = new Map<string, bigint>();
  /** The highest amount of each buyer on each lot. */
  readonly #pairs = new Map<string, bigint>();
  #halt: string | undefined;

  constructor(parts: BidPorts, now: number) {
    this.#parts = parts;
    this.#now = now;
  }

  /** Reads the stakes that the next rows need. */
  async read(tx: StoreTransaction, rows: readonly Candidate<unknown>[]): Promise<void> {
    this.#halt = await tx.account.halt();
    const lots = new Set(rows.map(({ bid }) => bid.columns.lot));
    const unread = [...lots].filter((lot) => !this.#lots.has(lot));
    for (const { bid, state } of await tx.intents.bidsOn(unread)) {
      if (bid === undefined || !(isOpen(state) || state === 'accepted')) continue;
      if (bid.closesAt !== undefined && bid.closesAt <= this.#now) continue;
      const pair = pairOf(bid);
      const highest = this.#pairs.get(pair) ?? 0n;
      if (bid.paise > highest) this.#pairs.set(pair, bid.paise);
    }
  }

  /** Returns why this row would be held back; otherwise counts it for the rows after it. */
  async add(tx: StoreTransaction, { columns }: PreparedBid, dueAt: number): Promise<HoldReason | undefined> {
    if (this.#halt !== undefined) return whyHalted(this.#halt);
    const { lot, buyer, paise } = columns;
    const sums = await this.#sums(tx, lot, buyer);
    const before = this.#pairs.get(pairOf(columns)) ?? 0n;
    const more = paise > before ? paise - before : 0n;
    const exposure = { buyer: sums.buyer + more, lot: sums.lot + more };
    const held = overLimits(columns, this.#parts.riskLimits, exposure);
    // A row that comes too late to bid puts nothing at stake.
    if (held !== undefined || dueAt <= this.#now) return held;
    this.#pairs.set(pairOf(columns), before + more);
    this.#buyers.set(buyer, exposure.buyer);
    this.#lots.set(lot, exposure.lot);
    return undefined;
  }

  async #sums(tx: StoreTransaction, lot: string, buyer: string) {
    const known = { buyer: this.#buyers.get(buyer), lot: this.#lots.get(lot) };
    if (known.buyer !== undefined && known.lot !== undefined) return { buyer: known.buyer, lot: known.lot };
    // No key, so that no bid is counted in addition.
    const read = await tx.intents.exposure({ lot, buyer, now: this.#now, key: '' });
    const sums = { buyer: known.buyer ?? read.buyer, lot: known.lot ?? read.lot };
    this.#buyers.set(buyer, sums.buyer);
    this.#lots.set(lot, sums.lot);
    return sums;
  }
}

function pairOf({ lot, buyer }: { readonly lot: string; readonly buyer: string }): string {
  return `${lot} ${buyer}`;
}

/** Latest departure of the n-th request, from 0, if nothing else uses the quota: Unix ms in server time. */
function departures({ limit, window, available, waiting }: QuotaState, now: number): (n: number) => number {
  if (limit === Number.POSITIVE_INFINITY) return () => now;
  const free = Math.max(0, available.bid - waiting.bid);
  const each = bidsPerWindow(limit);
  return (n) => (n < free ? now : now + Math.ceil((n - free + 1) / each) * window);
}
