import {
  type BatchPlan,
  type BatchSummary,
  formatInr,
  type PartnerClient,
  type RowCounts,
  type RowResult,
} from 'vehicle-auction-sdk';
import { type CsvRow, readBids, writeResults } from 'vehicle-auction-sdk/csv';

/** Options of a run. */
export interface Run {
  readonly auction: PartnerClient<'aggregator'>;
  readonly batchId: string;
  /** Paths of the bids file and of the results file. */
  readonly bids: string;
  readonly results: string;
  /** Ends after the plan. */
  readonly onlyPlan: boolean;
  /** Prints a line. */
  readonly say: (line: string) => void;
  /** Stops sending when it aborts. Requests in flight are awaited. */
  readonly signal: AbortSignal;
  /** Called with the counts after each row settles. */
  readonly onCounts: (counts: RowCounts) => void;
  /** Kills this process after this many results, to demonstrate recovery. */
  readonly crashAfter: number;
}

/** Exit codes of the program. */
export const exits = {
  /** Every row is accepted, rejected or abandoned. */
  settled: 0,
  /** Some row is in doubt: run the same command again. */
  unknown: 1,
  /** No bid was sent: fix the reported problems, then run again. */
  nothingSent: 2,
  /** Some rows were refused or not sent, and none is in doubt: fix the reported problems, then run again. */
  incomplete: 3,
} as const;

/** Bids every row of a file once, and reports the results. @returns the exit code */
export async function runBatch({
  auction,
  batchId,
  bids,
  results,
  onlyPlan,
  say,
  ...run
}: Run): Promise<number> {
  const problems = (await auction.verify()).filter(({ level }) => level === 'problem');
  for (const { what, expected, found, nextStep } of problems) {
    say(`${what}: expected ${expected}, found ${found}. ${nextStep}`);
  }
  if (problems.length > 0) return exits.nothingSent;

  // Look up bids left in doubt by an earlier run of any batch. This never sends a bid.
  for (const { status, idempotencyKey } of await auction.recover()) {
    say(`  left by an earlier run, ${idempotencyKey}: ${shown(status)}`);
  }

  // How long the batch takes, and what would not be sent in time. This sends nothing.
  const plan = await auction.bids.plan(readBids(bids), { batchId });
  for (const line of planLines(plan)) say(line);
  const open = plan.invalid + plan.late.length + plan.heldBack.length;
  if (onlyPlan) return open > 0 ? exits.incomplete : exits.settled;

  const batch = auction.bids.placeAll(readBids(bids), {
    batchId,
    signal: run.signal,
    onProgress({ counts, settled, latest }) {
      run.onCounts(counts);
      if (latest !== undefined) say(lineOf(latest));
      if (settled >= run.crashAfter) process.kill(process.pid, 'SIGKILL');
    },
  });
  await writeResults(batch, results, { overwrite: true });
  return exitOf(await batch.summary, results, say);
}

function* planLines({ rows, invalid, recorded, requests, now, lastAt = now, late, heldBack }: BatchPlan) {
  const counts = `${rows} rows, ${requests} to send, ${recorded.length} on record, ${invalid} invalid`;
  const end = requests > 0 ? `; the last bid leaves within ${Math.ceil((lastAt - now) / 1_000)} s` : '';
  yield `Plan: ${counts}${end}`;
  for (const { rowId, lateBy } of late)
    yield `  ${rowId}: ${Math.ceil(lateBy / 1_000)} s too late for its close`;
  for (const { rowId, why } of heldBack) yield `  ${rowId}: would not be sent. ${why}`;
}

function lineOf({ row, rowId, line, status, codes, what }: RowResult<CsvRow>): string {
  if (status === 'invalid') return `  line ${line}: ${what}`;
  const bid = `${formatInr(row.amount)} by ${row.bidderReference} for ${row.lot}`;
  const why = status === 'accepted' ? '' : ` ${codes.join(' ')}\n      ${what}`;
  return `  ${rowId}: ${bid}: ${shown(status)}${why}`;
}

/** Formats the number of rows by status. */
export function countsLine(counts: RowCounts): string {
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  return found.map(([status, count]) => `${count} ${shown(status)}`).join(', ') || 'no results';
}

function exitOf(
  { counts, stopped, isComplete, inDoubt, abandoned }: BatchSummary,
  results: string,
  say: Run['say'],
): number {
  say(`${countsLine(counts)}; see ${results}`);
  if (stopped !== undefined) say(`Stopped early: ${stopped.what}`);
  if (stopped?.reason === 'invalid_rows') return exits.nothingSent;
  if (abandoned.length > 0) say(`Abandoned while unknown, so nothing follows them: ${abandoned.join(', ')}`);
  if (inDoubt.length > 0) {
    say('Unknown is neither success nor failure. Run the same again to settle it: no bid is doubled.');
    return exits.unknown;
  }
  return isComplete ? exits.settled : exits.incomplete;
}

function shown(status: string): string {
  return status.replace('_', ' ');
}
