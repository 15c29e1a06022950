import {
  type BulkResult,
  type BulkSummary,
  type CsvRow,
  formatInr,
  openResultsCsv,
  type PartnerClient,
  readBidsCsv,
} from 'vehicle-auction-sdk';

/** What a run needs. */
export interface Run {
  readonly auction: PartnerClient<'aggregator'>;
  readonly batchId: string;
  /** Paths of the bids file and of the result file. */
  readonly bids: string;
  readonly results: string;
  /** Prints a line. */
  readonly say: (line: string) => void;
  /** Once it fires no further bid is sent; those under way are settled. */
  readonly signal: AbortSignal;
  /** Kills this process after so many results, in the middle of whatever it does: to see that nothing comes of it. */
  readonly crashAfter: number;
}

/** How a run ended, as the program's exit code. */
export const exits = {
  /** Every row is accepted or rejected, or was abandoned while it was in doubt. */
  settled: 0,
  /** Some row is in doubt: run the same again. */
  unknown: 1,
  /** No bid was sent: mend what was said, then run again. */
  nothingSent: 2,
  /** Some rows were refused or not sent, and none is in doubt: mend what was said, then run again. */
  incomplete: 3,
} as const;

/** Bids every row of a file once, and tells what came of it. @returns the exit code */
export async function runBatch({ auction, batchId, bids, say, ...run }: Run): Promise<number> {
  const problems = (await auction.verify()).filter(({ level }) => level === 'problem');
  for (const { what, expected, found, nextStep } of problems) {
    say(`${what}: expected ${expected}, found ${found}. ${nextStep}`);
  }
  if (problems.length > 0) return exits.nothingSent;

  // What a crash has left in doubt, in this batch or another: looked for, and never bid again by this.
  for (const { status, idempotencyKey } of await auction.recover()) {
    say(`  left by an earlier run, ${idempotencyKey}: ${shown(status)}`);
  }

  const file = openResultsCsv(run.results, { replace: true });
  const batch = auction.bidding.placeAll(readBidsCsv(bids), {
    batchId,
    signal: run.signal,
    onWarning: ({ what }) => say(`! ${what}`),
  });
  let count = 0;
  try {
    for await (const result of batch) {
      say(told(result));
      await file.write(result);
      count += 1;
      if (count >= run.crashAfter) process.kill(process.pid, 'SIGKILL');
    }
  } finally {
    await file.close();
  }
  return ended(await batch.summary, run.results, say);
}

function told({ row, rowId, line, status, codes, what }: BulkResult<CsvRow>): string {
  const name = rowId ?? `line ${line}`;
  if (status === 'invalid') return `  ${line === undefined ? name : `line ${line}`}: ${what}`;
  const bid = `${formatInr(row.amount)} by ${row.bidderReference} for ${row.lot}`;
  const why = status === 'accepted' ? '' : ` ${codes.join(' ')}\n      ${what}`;
  return `  ${name}: ${bid}: ${shown(status)}${why}`;
}

function ended(
  { counts, stopped, isComplete, inDoubt, abandoned }: BulkSummary,
  results: string,
  say: Run['say'],
): number {
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  say(`${found.map(([status, count]) => `${count} ${shown(status)}`).join(', ')}; see ${results}`);
  if (stopped !== undefined) say(`Stopped early: ${stopped.what}`);
  if (stopped?.by === 'invalid_rows') return exits.nothingSent;
  if (abandoned.length > 0) say(`Abandoned while unknown, so nothing tracks them: ${abandoned.join(', ')}`);
  if (inDoubt.length > 0) {
    say('Unknown is neither success nor failure. Run the same again to settle it: that bids nothing twice.');
    return exits.unknown;
  }
  return isComplete ? exits.settled : exits.incomplete;
}

function shown(status: string): string {
  return status.replace('_', ' ');
}
