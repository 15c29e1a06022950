import { pathId } from '../../../src/api/common.js';
import { type BulkRun, placeAll } from '../../../src/bidding/bulk/bulk-run.js';
import type { PlaceAllOptions } from '../../../src/bidding/bulk/options.js';
import type { BulkParts } from '../../../src/bidding/bulk/parts.js';
import type { BulkRow, RowSource } from '../../../src/bidding/bulk/row.js';
import type { BidOutcome, UnknownBid } from '../../../src/bidding/outcome.js';
import type { BidToPlace } from '../../../src/bidding/request.js';
import type { InputIssue } from '../../../src/errors/local.js';
import type { LotStatusResult } from '../../../src/models/lots.js';
import { isAmount } from '../../../src/money/amount.js';
import { VirtualClock } from '../../support/virtual-clock.js';

/** What `place` was asked, and when. */
export interface Placing {
  readonly rowId: string;
  readonly batchId: string;
  readonly bid: BidToPlace;
  readonly options: Parameters<BulkParts['place']>[1];
  readonly begunAt: number;
  endedAt: number | undefined;
}

type Answer = BidOutcome['status'] | (() => BidOutcome | Promise<BidOutcome>);

export interface DeskSettings {
  /** How long a place takes, ms, by row. */
  readonly takes?: number | ((rowId: string) => number);
  /** What becomes of rows; accepted where nothing is said. */
  readonly answers?: Readonly<Record<string, Answer>>;
  /** When lots close, ms from now, as A11 tells. */
  readonly closes?: Readonly<Record<string, number>>;
  readonly parts?: Partial<BulkParts>;
}

/** A bidding desk in virtual time: bids are answered as they were planned to be. */
export function desk({ takes = 100, answers = {}, closes = {}, parts }: DeskSettings = {}) {
  const clock = new VirtualClock();
  const start = clock.now();
  const placings: Placing[] = [];
  const looks: (readonly string[])[] = [];
  const logged: string[] = [];
  let underWay = 0;
  let mostUnderWay = 0;

  const all: BulkParts = {
    place: async (bid, options) => {
      const { row } = options;
      const placing: Placing = { ...row, bid, options, begunAt: clock.now() - start, endedAt: undefined };
      placings.push(placing);
      underWay += 1;
      mostUnderWay = Math.max(mostUnderWay, underWay);
      await new Promise<void>((resolve) => {
        clock.after(typeof takes === 'number' ? takes : takes(row.rowId), resolve);
      });
      underWay -= 1;
      placing.endedAt = clock.now() - start;
      const answer = answers[row.rowId] ?? 'accepted';
      return typeof answer === 'string' ? outcome(answer, bid.intentId ?? '') : answer();
    },
    check: issuesOf,
    recorded: async () => undefined,
    clientId: async () => 'cl_1',
    dealerId: 'D-1',
    statusBatch: async ({ lot_ids }) => {
      looks.push(lot_ids);
      return lot_ids.map((lot_id) => statusOf(lot_id, closes[lot_id], start));
    },
    quota: { limit: 120, windowMs: 60_000, marginMs: 0 },
    clock,
    serverClock: clock,
    log: { warn: (message) => logged.push(message) },
    ...parts,
  };

  return {
    clock,
    start,
    placings,
    looks,
    logged,
    parts: all,
    get mostUnderWay() {
      return mostUnderWay;
    },
    placeAll: <R extends BulkRow>(rows: RowSource<R>, options: Partial<PlaceAllOptions<R>> = {}) =>
      placeAll<R>(all, rows, { batchId: 'b1', ...options }),
    /** Lets time pass until the batch is over. */
    async end<R>(run: BulkRun<R>) {
      let isOver = false;
      const summary = run.summary.finally(() => {
        isOver = true;
      });
      for (let steps = 0; !isOver; steps += 1) {
        if (steps > 1_000) throw new Error('the batch never ends');
        await clock.advance(1_000);
      }
      return { summary: await summary, results: await run.toArray() };
    },
  };
}

/** A row on a lot, with whatever else it says. */
export function row(rowId: string, lot: string, amount: string, more: Partial<BulkRow> = {}): BulkRow {
  return { rowId, lot, amount, bidderReference: 'buyer-1', ...more };
}

export function outcome(status: BidOutcome['status'], idempotencyKey: string): BidOutcome {
  const codes = status === 'rejected' ? ['BID_BELOW_MINIMUM'] : [];
  const attempts = status === 'not_sent' ? 0 : 1;
  return {
    call: 'bidding.place',
    status,
    idempotencyKey,
    codes,
    replayed: false,
    attempts,
    what: `It is ${status}.`,
    nextStep: 'Go on.',
    ...(status === 'accepted' && { bidId: `bid_${idempotencyKey.slice(0, 8)}` }),
  };
}

/** A bid in doubt, and what is known of that. */
export function unknown(idempotencyKey: string, more: Partial<UnknownBid>): UnknownBid {
  return { ...outcome('not_sent', idempotencyKey), status: 'unknown', ...more };
}

/** What `place` would refuse, in short. */
function issuesOf({ lot, amount, bidderReference }: BidToPlace): InputIssue[] {
  const issues: InputIssue[] = [];
  if (!isAmount(amount)) issues.push({ path: 'amount', message: 'must be a decimal string' });
  if (!pathId.safeParse(typeof lot === 'string' ? lot : 'id').success) {
    issues.push({ path: 'lot', message: 'must be a lot' });
  }
  if (bidderReference === undefined) issues.push({ path: 'bidder_reference', message: 'is required' });
  return issues;
}

function statusOf(lot_id: string, closesIn: number | undefined, start: number): LotStatusResult {
  if (closesIn === undefined) return { lot_id, status: 404, code: 'NOT_FOUND' };
  const effective_close_at = new Date(start + closesIn).toISOString();
  return { lot_id, status: 200, data: { lot_id, resource_version: 1, effective_close_at } };
}
