import type { Command } from 'commander';
import type { LotChange } from '../../index.js';
import { Board, type BoardRow, remaining, standingText, zonedMs } from '../board/board.js';
import { connected, type Session, withSession } from '../client/session.js';
import type { ConnectionFlags } from '../client/settings.js';
import { Exit, exits } from '../exit.js';
import type { Terminal } from '../terminal.js';
import { UsageError } from '../usage-error.js';

interface BoardFlags extends ConnectionFlags {
  readonly buyers?: string;
}

/** `vehicle-auction-sdk board` */
export function addBoard(program: Command, terminal: Terminal): void {
  connected(
    program
      .command('board')
      .argument('<event>')
      .option('--buyers <references>', 'show the standing of these buyers, separated by commas')
      .description('Follow the lots of an event: highest amounts, standings, time to the close, quota.'),
    'board auc_1\nboard auc_1 --buyers buyer-1,buyer-2 --store auction.db\nboard auc_1 --json | jq .highestAmount',
  ).action((event: string, flags: BoardFlags) =>
    withSession(flags, terminal, (session) => showBoard(session, terminal, event, flags)),
  );
}

async function showBoard(session: Session, terminal: Terminal, id: string, flags: BoardFlags): Promise<void> {
  const auction = session.partner();
  const buyers = flags.buyers?.split(',').map((buyer) => buyer.trim());
  // Standings of buyers are derived from the bids in the store.
  if (buyers !== undefined) session.needStore();
  const { event, rows } = await readEvent(session, id);
  if (rows.length === 0) throw new UsageError(`${id} has no lots.`);
  const unseen = new Set(rows.map(({ lot }) => lot));
  const board = new Board(event.name ?? id, rows);
  const stop = new AbortController();
  let isInterrupted = false;
  const lots = rows.map(({ lot }) => ({ id: lot, auction_id: id, ends_at: event.ends_at }));
  const watch = auction.lots.watch(lots, { signal: AbortSignal.any([session.signal, stop.signal]) });
  const quota = () => auction.quota.state();
  let paused = false;
  const screen = flags.json
    ? undefined
    : terminal.openScreen?.((key) => {
        isInterrupted ||= key === CTRL_C;
        if (key === 'q' || isInterrupted) stop.abort();
        if (key === ' ') paused = !paused;
        draw(true);
      });
  const draw = (always = false) => {
    if (screen === undefined || stop.signal.aborted || (paused && !always)) return;
    const facts = { now: auction.clock.now(), quota: quota(), status: watch.state().status, paused };
    screen.draw(board.lines(facts, screen.rows));
  };
  const timer = screen && setInterval(draw, drawMs);
  const line = (change: LotChange, row: BoardRow | undefined) => {
    if (screen !== undefined) return;
    const at = auction.clock.now();
    if (flags.json) {
      const { used, limit } = quota();
      session.out.json({ at, type: change.type, ...row, quota: { used, limit } });
    } else if (row === undefined)
      session.out.say(change.type === 'outage' ? change.error.message : change.type);
    else terminal.out(`${[new Date(at).toISOString(), ...boardCells(row, at)].join('\t')}\n`);
  };
  try {
    draw();
    for await (const change of watch) {
      if (change.type === 'snapshot' || change.type === 'changed') {
        const options = buyers === undefined ? {} : { buyers };
        const standings =
          buyers === undefined && change.after.own_standing === undefined
            ? []
            : await auction.bids.standings([change.after], options);
        line(change, board.update(change.after, standings));
      } else line(change, change.type === 'unavailable' ? board.lose(change.lot) : undefined);
      if ('lot' in change) unseen.delete(change.lot);
      // A script ends with the event; a person reads the result.
      if (screen === undefined && unseen.size === 0 && watch.state().live === 0) break;
    }
  } finally {
    clearInterval(timer);
    screen?.close();
  }
  if (isInterrupted || session.signal.aborted) throw new Exit(exits.stopped);
}

/** Reads an event with its lots. */
async function readEvent({ partner, signal }: Session, id: string) {
  const { events } = partner();
  const event = await events.get(id, { signal });
  const rows: BoardRow[] = [];
  for await (const lot of events.lots(id, {}, { signal })) {
    const { year, make, model, highest_amount } = lot;
    const vehicle = [year, make, model].filter((part) => part !== null && part !== undefined).join(' ');
    rows.push({
      lot: lot.id,
      vehicle,
      state: '',
      highestAmount: highest_amount ?? null,
      standings: [],
      closesAt: zonedMs(event.ends_at),
    });
  }
  return { event, rows };
}

function boardCells(row: BoardRow, now: number): string[] {
  const { lot, highestAmount, closesAt, state, standings } = row;
  return [lot, highestAmount ?? '-', remaining(closesAt, now), state, standings.map(standingText).join(', ')];
}

const drawMs = 500;
/** No signal while a screen is open. */
const CTRL_C = '\x03';
