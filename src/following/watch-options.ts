import { zonedTimeMs } from '../clock/reply-time.js';
import { type InputIssue, InvalidRequestError, shownValue } from '../errors/local.js';
import type { LotStatus, LotSummary } from '../generated/lots.js';
import { checkMethodOptions, type KnownOptions } from '../runtime/injected.js';
import { checkedBuyers } from './standing.js';

/** A lot of a reply, or its public id. With a record, the closing time is known and polling starts at the right pace. */
export type LotToWatch =
  | string
  | {
      readonly id: string;
      readonly ends_at?: LotSummary['ends_at'];
      /** Auction of the lot, to match `auction.schedule_changed` events. */
      readonly auction_id?: LotSummary['auction_id'];
    }
  | Pick<LotStatus, 'lot_id' | 'effective_close_at'>;

/** Options of `lots.watch`. */
export interface WatchOptions {
  /** Ends the watch. The loop over it ends without an error. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Your references of buyers: every snapshot and change carries their standings, and a change of a standing is a change of
   * the lot. Platforms and aggregators only.
   */
  readonly buyers?: Iterable<string> | undefined;
  /** Lots per request, 1 to 100; defaults to 100. The watch asks for fewer if the service refuses so many. */
  readonly batchSize?: number | undefined;
  /**
   * How old the status of a live lot may get, ms, from 1,000; defaults to 5,000. It is kept as far as the quota is idle;
   * `state()` says whether it is. Near a close and after changes, lots are read sooner. `Infinity` reads only as often as the time
   * to the close asks for.
   */
  readonly every?: number | undefined;
}

/** Largest batch that the API proposes (A11). */
const MAX_BATCH = 100;
const CONTEXT = { call: 'lots.watch', operation: 'A11' };
const EVERY_MS = 5_000;
const LEAST_EVERY_MS = 1_000;

const watchOptions: KnownOptions<WatchOptions> = {
  signal: true,
  buyers: true,
  batchSize: true,
  every: true,
};

/** What is known of a lot before its first status. */
export interface KnownLot {
  /** Closing time, Unix ms. */
  readonly closesAt: number | undefined;
  readonly auction: string | undefined;
}

/** @throws InvalidRequestError */
export function checkedOptions(options: WatchOptions, isDirect: boolean) {
  checkMethodOptions(CONTEXT.call, options, watchOptions);
  const { buyers } = options;
  return {
    buyers: buyers === undefined ? [] : checkedBuyers(buyers, isDirect, CONTEXT),
    every: everyOf(options),
    batchSize: batchSizeOf(options),
  };
}

function everyOf({ every = EVERY_MS }: WatchOptions): number {
  if (typeof every === 'number' && every >= LEAST_EVERY_MS) return every;
  const message = 'must be a number of milliseconds from 1000, or Infinity';
  throw new InvalidRequestError([{ path: 'options.every', message, ...shownValue('every', every) }], CONTEXT);
}

function batchSizeOf({ batchSize = MAX_BATCH }: WatchOptions): number {
  if (Number.isInteger(batchSize) && batchSize >= 1 && batchSize <= MAX_BATCH) return batchSize;
  const message = `must be a whole number from 1 to ${MAX_BATCH}`;
  throw new InvalidRequestError([{ path: 'options.batchSize', message }], CONTEXT);
}

/** Returns unique ids with their closing times. @throws InvalidRequestError */
export function checkedLots(lots: Iterable<LotToWatch>): Map<string, KnownLot> {
  if (typeof lots === 'string' || typeof lots?.[Symbol.iterator] !== 'function') {
    const message = 'must be a list of lots, or of their public ids';
    throw new InvalidRequestError([{ path: 'lots', message }], CONTEXT);
  }
  const found = new Map<string, KnownLot>();
  const issues: InputIssue[] = [];
  for (const [index, lot] of [...lots].entries()) {
    const fields: { readonly [name: string]: unknown } = typeof lot === 'string' ? { id: lot } : Object(lot);
    const id = fields['lot_id'] ?? fields['id'];
    const close = fields['effective_close_at'] ?? fields['ends_at'];
    const auction = fields['auction_id'];
    if (typeof id === 'string' && id !== '') {
      found.set(id, {
        closesAt: zonedTimeMs(close),
        auction: typeof auction === 'string' ? auction : undefined,
      });
    } else issues.push({ path: `lots.${index}`, message: 'must be a lot, or its public id (lot_…)' });
  }
  if (issues.length > 0) throw new InvalidRequestError(issues, CONTEXT);
  return found;
}
