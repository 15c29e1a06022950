import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { BatchPlan } from '../../bids/bulk/types.js';
import type { BidToPlace } from '../../bids/types.js';
import { formatInr } from '../../money/paise.js';
import { changing, connected, type Session, withSession } from '../client/session.js';
import type { ConnectionFlags } from '../client/settings.js';
import { endWith } from '../exit.js';
import { given, ifGiven } from '../given.js';
import { countsText } from '../output.js';
import type { Terminal } from '../terminal.js';
import { needReadable, UsageError, wholeNumber } from '../usage-error.js';
import { inCommands } from './next-commands.js';
import { ended } from './on-duty.js';

interface BidFlags extends ConnectionFlags {
  readonly buyer?: string;
  readonly key?: string;
  readonly placeBy?: string;
}

interface QuoteFlags extends ConnectionFlags {
  readonly buyer?: string;
  readonly event?: string;
  readonly count?: string;
}

interface PlaceFlags extends ConnectionFlags {
  readonly batchId: string;
  readonly plan?: boolean;
  readonly dryRun?: boolean;
  readonly results?: string;
}

/** Commands that bid. */
export function addBids(program: Command, terminal: Terminal): void {
  changing(
    program
      .command('bid')
      .argument('<lot>')
      .argument('<amount>', 'in INR, such as 465000')
      .option('--buyer <reference>', 'the buyer, for platforms and aggregators')
      .option('--key <uuid>', 'idempotency key, to repeat an earlier bid')
      .option('--place-by <time>', 'latest time to send it, ISO 8601')
      .description('Place one bid.'),
    'bid lot_4f1c9a 465000 --buyer buyer-9 --store auction.db',
  ).action((lot: string, amount: string, flags: BidFlags) =>
    withSession(flags, terminal, async (session) => {
      const { buyer, key, placeBy } = flags;
      const what = `A bid of ${formatInr(amount)} on ${lot}${buyer === undefined ? '' : ` for ${buyer}`}.`;
      await session.confirm(what);
      if (!session.hasStore)
        session.out.say('Without --store, this bid is on record only until the command ends.');
      const bid = { lot, amount, ...given({ bidderReference: buyer, placeBy }) } as BidToPlace;
      const options = { signal: session.signal, ...given({ idempotencyKey: key }) };
      const { out, flags: common } = session;
      await ended({ out, flags: common }, [await session.partner().bids.place(bid, options)]);
    }),
  );

  connected(
    program
      .command('quote')
      .argument('<lot>')
      .option('--buyer <reference>', 'the buyer, for platforms and aggregators')
      .option('--event <event>', 'event of the lot (default: found among the live lots)')
      .option('--count <count>', 'how many amounts (default: 5)')
      .description('Show the minimum bid and the next valid amounts of a lot.'),
    'quote lot_4f1c9a --buyer buyer-9\nquote lot_4f1c9a --event auc_1 --count 10 --json',
  ).action((lot: string, flags: QuoteFlags) =>
    withSession(flags, terminal, (session) => showQuote(session, lot, flags)),
  );

  const bids = program.command('bids').description('Bids from a file.');
  changing(
    bids
      .command('place')
      .argument('<file>', 'CSV with row_id, lot_id, amount, bidder_reference')
      .requiredOption('--batch-id <id>', 'name of the batch; the same name and rows are the same bids')
      .option('--plan', 'show when the bids would be sent, and send nothing')
      .option('--dry-run', 'show the expected result of each row, and send nothing')
      .option('--results <file>', 'write a result file (CSV)')
      .description('Place every bid of a file, each once. Run it again after an interruption.'),
    'bids place bids.csv --batch-id 2026-11-26-evening --plan\nbids place bids.csv --batch-id 2026-11-26-evening --results results.csv',
  ).action((file: string, flags: PlaceFlags) =>
    withSession(flags, terminal, async (session) => {
      session.needStore(true);
      needReadable(file);
      const { readBids, writeResults } = await import('../../csv/index.js');
      const { out, signal } = session;
      const auction = session.partner();
      const { batchId, results } = flags;
      const overwrite = results !== undefined && existsSync(results);
      if (overwrite && !isResultsOf(results, batchId))
        throw new UsageError(
          `${results} exists, and has no results of the batch "${batchId}". Choose another file.`,
        );
      const plan = await auction.bids.plan(readBids(file), { batchId });
      const seconds = plan.lastAt === undefined ? 0 : Math.ceil((plan.lastAt - plan.now) / 1_000);
      const late =
        plan.late.length === 0 ? '' : ` Too late for their close or place_by: ${plan.late.length}.`;
      const held = plan.heldBack.length === 0 ? '' : ` Held back: ${plan.heldBack.length}.`;
      const wrong =
        plan.invalid === 0
          ? ''
          : ' Nothing is sent before the invalid rows are corrected: --dry-run names them.';
      const summary = `${plan.rows} rows: ${plan.requests} bids to send, the last within ${seconds} s; ${plan.settled} settled, ${plan.invalid} invalid.${late}${held}${wrong}`;
      if (flags.plan) {
        if (flags.json) out.json(plan);
        else {
          await out.list(concerns(plan), ['rowId', 'line', 'concern']);
          out.say(summary);
        }
        return;
      }
      const { dryRun = false } = flags;
      if (!dryRun) await session.confirm(summary);
      let shown = 0;
      const onProgress = ({ settled }: { readonly settled: number }) => {
        if (terminal.isTerminal !== true || Math.floor(settled / 25) === shown) return;
        shown = Math.floor(settled / 25);
        out.say(`${settled} of ${plan.rows} settled`);
      };
      const run = auction.bids.placeAll(readBids(file), { batchId, signal, onProgress, dryRun });
      if (results === undefined) await out.list(run, ['rowId', 'status', 'what']);
      else await writeResults(run, results, { overwrite });
      const ended = await run.summary;
      const causes = ended.causes.map((cause) => ({ ...cause, nextStep: inCommands(cause.nextStep) }));
      if (flags.json) out.json({ ...ended, causes });
      else out.say(countsText(ended.counts));
      for (const { status, reason, count, nextStep } of flags.json ? [] : causes)
        out.say(`${count} ${status} (${reason}): ${nextStep}`);
      if (ended.stopped !== undefined) {
        const { reason, what } = ended.stopped;
        const next = reason === 'invalid_rows' ? 'Correct the invalid rows, then run' : 'Run';
        out.say(`${what} ${next} the same command again to continue.`);
      }
      endWith({
        stopped: signal.aborted,
        inDoubt: !dryRun && ended.inDoubt.length > 0,
        refused: !dryRun && !ended.isComplete,
      });
    }),
  );
}

/** The rows of a plan that would not be sent in time, and why. */
function concerns({ late, heldBack }: BatchPlan): readonly object[] {
  return [
    ...late.map(({ rowId, line, lateBy }) => ({
      ...{ rowId, line },
      concern: `late by ${Math.ceil(lateBy / 1_000)} s for its close or place_by`,
    })),
    ...heldBack.map(({ rowId, line, why }) => ({ rowId, line, concern: why })),
  ];
}

/** Whether a file has results of this batch: running it again may replace them. */
function isResultsOf(path: string, batchId: string): boolean {
  const [header = '', first = ''] = readFileSync(path, 'utf8').split('\n', 2);
  return header.includes(',batch_id,status,') && (first === '' || first.includes(batchId));
}

async function showQuote(session: Session, id: string, flags: QuoteFlags): Promise<void> {
  const { out, signal } = session;
  const { event, buyer, count } = flags;
  const auction = session.partner();
  const lot = event === undefined ? await liveLot(session, id) : id;
  const amountsAsked = ifGiven(count, (text) => wholeNumber('--count', text));
  const quote = await auction.bids.quote(
    { lot, ...given({ event, bidderReference: buyer, count: amountsAsked }) },
    { signal },
  );
  if (flags.json) {
    out.json(quote);
    return;
  }
  const { situation, amounts } = quote;
  out.item({
    lot: quote.lot,
    auction: quote.bidType,
    starting: formatInr(situation.startingPrice),
    minimum: formatInr(quote.minimum),
    amounts: amounts.join('  '),
  });
  for (const note of quote.notes) out.say(note);
}

/** @throws UsageError if the lot is not live */
async function liveLot({ partner, signal }: Session, id: string) {
  for await (const lot of partner().lots.list({}, { signal })) if (lot.id === id) return lot;
  throw new UsageError(`${id} is not among the live lots. Name its event with --event.`);
}
