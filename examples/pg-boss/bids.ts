import type PgBoss from 'pg-boss';
import type { BidRow, PartnerClient } from 'vehicle-auction-sdk';
import { bidsQueue, createQueue, type JobTimes } from './queue.js';

type Row = BidRow<'aggregator'> & { readonly lot: string };

/** The rows of one lot. They are placed in order, because in an open auction a higher bid excludes lower ones. */
export interface BidsJob {
  readonly batchId: string;
  readonly rows: readonly Row[];
}

/** Enqueues a batch. Safe to repeat: the same rows under the same batch id are the same bids. */
export async function enqueueBids(
  boss: PgBoss,
  { batchId, rows }: BidsJob,
  times: JobTimes = { expireInSeconds: 120, retryDelay: 5 },
): Promise<void> {
  await createQueue(boss, bidsQueue, times);
  const lots = new Map<string, Row[]>();
  for (const row of rows) lots.set(row.lot, [...(lots.get(row.lot) ?? []), row]);
  await boss.insert(
    [...lots.values()].map((ofLot) => ({
      name: bidsQueue,
      data: { batchId, rows: ofLot },
      ...dueFirst(ofLot),
      ...times,
    })),
  );
}

/** Priority in negative minutes to the close, so that the earliest close goes first. */
function dueFirst(rows: readonly Row[]): { readonly priority?: number } {
  const closes = rows.flatMap(({ closesAt }) =>
    closesAt === undefined ? [] : [new Date(closesAt).getTime()],
  );
  return closes.length === 0 ? {} : { priority: -Math.floor(Math.min(...closes) / 60_000) };
}

/**
 * Places bids, a few lots at once. The job of a dead worker runs again elsewhere: settled rows are returned from
 * the store, those in doubt are looked up, and only the rest is sent.
 */
export async function workOnBids(
  boss: PgBoss,
  auction: PartnerClient<'aggregator'>,
  lotsAtOnce = 4,
): Promise<void> {
  for (let worker = 0; worker < lotsAtOnce; worker += 1) {
    await boss.work<BidsJob>(bidsQueue, { pollingIntervalSeconds: 0.5 }, async ([job]) => {
      if (job === undefined) return;
      const { batchId, rows } = job.data;
      const { counts, isComplete, inDoubt } = await auction.bids.placeAll(rows, { batchId }).summary;
      // A thrown error makes pg-boss run the job again later.
      if (!isComplete)
        throw new Error(`${JSON.stringify(counts)}; in doubt: ${inDoubt.join(', ') || 'none'}`);
      return counts;
    });
  }
}
