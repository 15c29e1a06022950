import { readFileSync } from 'node:fs';
import { formatInr, type PartnerClient } from 'vehicle-auction-sdk';
import { type Batch, type Bid, chainsOf, readBids } from './plan.js';
import { isSettled, Results, type Status } from './results.js';
import { type Answer, isConflict, settle } from './settle.js';

/** What a run needs. */
export interface Run {
  readonly auction: PartnerClient<'aggregator'>;
  readonly batch: Batch;
  /** Paths of the bids file and of the result file. */
  readonly bids: string;
  readonly results: string;
  /** Prints a line. */
  readonly say: (line: string) => void;
  /** Waits so many milliseconds. */
  readonly pause: (ms: number) => Promise<unknown>;
  /** Once it fires no further bid is sent; those under way are settled. */
  readonly signal: AbortSignal;
}

/** How a run ended, as the program's exit code. */
export const exits = {
  /** Every row is accepted or rejected. */
  settled: 0,
  /** Some row is unknown: run the same again. */
  unknown: 1,
  /** No bid was sent: mend what was said, then run again. */
  nothingSent: 2,
  /** Some rows were refused or not sent, and none is unknown: mend what was said, then run again. */
  incomplete: 3,
} as const;

/** Reads a bids file, bids every row once, and settles it. @returns the exit code */
export async function runBatch(run: Run): Promise<number> {
  const { say, auction } = run;
  const { bids, problems } = readBids(readFileSync(run.bids, 'utf8'), run.batch);
  const results = Results.read(run.results);
  if (problems.length === 0) problems.push(...results.contradictions(bids));
  if (problems.length > 0) {
    say(`Nothing was sent: ${run.bids} has to be mended first.`);
    for (const problem of problems) say(`  ${problem}`);
    return exits.nothingSent;
  }
  const open = bids.filter((bid) => !isSettled(results.of(bid.row)));
  say(`${bids.length} rows, ${open.length} to bid; results go to ${run.results}`);
  if (open.length > 0) {
    const findings = (await auction.verify()).filter(({ level }) => level === 'problem');
    for (const { what, expected, found, nextStep } of findings) {
      say(`  ${what}: expected ${expected}, found ${found}. ${nextStep}`);
    }
    if (findings.length > 0) return exits.nothingSent;
    const chains = chainsOf(open, await closesOf(auction, open));
    results.open();
    try {
      await bidAll(run, chains, results);
    } catch (error) {
      say(`Stopped: ${error instanceof Error ? error.message : error}. Mend it, then run the same again.`);
      return exits.unknown;
    }
  }
  results.finish(bids);
  return summary(bids, results, say);
}

/** So many lots are bid on at once. On each lot one bid follows the other. */
const CONCURRENCY = 4;
/** The service proposes no more lots for one look. */
const LOTS_PER_LOOK = 100;

/** When lots close, Unix milliseconds; extensions included. */
async function closesOf(
  auction: PartnerClient<'aggregator'>,
  bids: readonly Bid[],
): Promise<Map<string, number>> {
  const lots = [...new Set(bids.map(({ lot }) => lot))];
  const closes = new Map<string, number>();
  for (let at = 0; at < lots.length; at += LOTS_PER_LOOK) {
    const statuses = await auction.lots.statusBatch({ lot_ids: lots.slice(at, at + LOTS_PER_LOOK) });
    for (const { lot_id, data } of statuses) {
      const close = Date.parse(data?.effective_close_at ?? '');
      if (!Number.isNaN(close)) closes.set(lot_id, close);
    }
  }
  return closes;
}

/** Works the chains off, a few at once. Where one breaks (a full disk, say) the others finish what is under way. */
async function bidAll(run: Run, chains: Bid[][], results: Results): Promise<void> {
  const next = chains.values();
  const worker = async () => {
    for (const chain of next) await bidChain(run, chain, results);
  };
  const ends = await Promise.allSettled(Array.from({ length: CONCURRENCY }, worker));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** Bids on one lot, one bid after the other. Behind one that stays unknown, none is sent that wasn't before. */
async function bidChain(run: Run, chain: readonly Bid[], results: Results): Promise<void> {
  let held: string | undefined;
  for (const bid of chain) {
    const earlier = results.of(bid.row);
    const inDoubt = earlier?.status === 'unknown';
    const end = (answer: Answer) => {
      results.note({ ...bid, ...answer });
      run.say(told(bid, answer));
    };
    if (earlier !== undefined && isConflict(earlier)) {
      run.say(told(bid, { ...earlier, why: 'Its key stands for another bid, so only you can settle it.' }));
      held = bid.row;
    } else if (run.signal.aborted) {
      if (earlier === undefined) results.note({ ...bid, ...unanswered, status: 'not_sent' });
    } else if (held !== undefined && !inDoubt) {
      end({ ...unanswered, status: 'not_sent', why: `row ${held}, on the same lot, is unknown` });
    } else {
      if (!inDoubt) results.note({ ...bid, ...unanswered, status: 'unknown' });
      const answer = await settle(run.auction, bid, { inDoubt, pause: run.pause });
      end(answer);
      if (answer.status === 'unknown') held = bid.row;
    }
  }
}

const unanswered = { codes: [], bidId: '' };

function told(bid: Bid, { status, codes, bidId, why }: Answer): string {
  const what = `  ${bid.row}: ${formatInr(bid.amount)} by ${bid.buyer} for ${bid.lot}: ${shown(status)}`;
  return status === 'accepted'
    ? `${what} as ${bidId}, ${why}`
    : `${[what, ...codes].join(' ')}\n      ${why}`;
}

function shown(status: Status): string {
  return status.replace('_', ' ');
}

function summary(bids: readonly Bid[], results: Results, say: Run['say']): number {
  const counts = new Map<Status, number>();
  for (const { row } of bids) {
    const status = results.of(row)?.status ?? 'not_sent';
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  say([...counts].map(([status, count]) => `${count} ${shown(status)}`).join(', '));
  if (counts.has('unknown')) {
    say('Unknown is neither success nor failure. Run the same again to settle it: that bids nothing twice.');
    return exits.unknown;
  }
  return counts.has('refused') || counts.has('not_sent') ? exits.incomplete : exits.settled;
}
