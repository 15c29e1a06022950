import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Board, type BoardRow, remaining } from '../../src/cli/board/board.js';
import { openScreen } from '../../src/cli/board/screen.js';
import { run } from '../../src/cli/run.js';
import { envLinesOf } from '../../src/cli/sandbox/announcement.js';
import type { Screen, Terminal } from '../../src/cli/terminal.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';

let sandbox: Sandbox;
let folder: string;
let event: string;
let lot: string;
beforeEach(async () => {
  sandbox = await startSandbox();
  folder = mkdtempSync(join(tmpdir(), 'auction-board-'));
  for (const who of ['platform', 'dealer'] as const)
    writeFileSync(join(folder, `${who}.env`), `${envLinesOf(sandbox, who).join('\n')}\n`);
  const lots = [{ starting_price: '200000.00', vehicle: { make: 'Evil\u001b[2J' } }, {}];
  const terms = { bid_type: 'open', increment: '5000', opens: -1, closes: 60, lots } as const;
  const auction = sandbox.auctions.add({ label: 'board', name: 'Evening', ...terms });
  event = auction.id;
  lot = auction.lots[0]?.id ?? '';
});
afterEach(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

/** Runs `board` in this process. `onOut` sees all output so far, and can stop the command. */
async function board(
  args: readonly string[],
  onOut: (stdout: string, stop: () => void) => void,
  given: Partial<Terminal> = {},
) {
  let [stdout, stderr, stop] = ['', '', () => {}];
  const code = await run(['board', event, ...args], {
    out: (text) => {
      stdout += text;
      onOut(stdout, stop);
    },
    err: (text) => {
      stderr += text;
    },
    env: {},
    onInterrupt: (interrupt) => {
      stop = interrupt;
      return () => {};
    },
    ...given,
  });
  return { code, stdout, stderr };
}
const as = (who: string) => ['--env', join(folder, `${who}.env`)];

describe('board without a terminal', () => {
  it('prints one line per lot, and ends when every lot is closed', async () => {
    sandbox.actors.rival.bid(lot, '200000');
    const live = await board(as('dealer'), (so, stop) => so.split('\n').length > 2 && stop());
    expect(live.code).toBe(130);
    const cells = (stdout: string) => stdout.split('\n').map((line) => line.split('\t').slice(1));
    const left = expect.stringMatching(/^(1:00:00|59:\d\d)$/);
    expect(cells(live.stdout)).toContainEqual([lot, '200000.00', left, 'live', 'no_bid']);
    sandbox.auctions.close(event);
    const closed = await board(as('dealer'), () => {});
    expect([closed.code, closed.stdout.trim().split('\n').length]).toEqual([0, 2]);
    expect(cells(closed.stdout)).toContainEqual([lot, '200000.00', 'closed', 'over', 'no_bid']);
  });

  it('prints JSON with the standings of the buyers, from the bids in the store', async () => {
    const stored = ['--store', join(folder, 'a.db')];
    const bid = ['bid', lot, '200000', '--buyer', 'buyer-1', ...as('platform'), ...stored, '--yes'];
    expect(await run(bid, { out: () => {}, err: () => {}, env: {} })).toBe(0);
    const args = ['--json', '--buyers', 'buyer-1, buyer-2', ...as('platform')];
    const seen = await board([...args, ...stored], (so, stop) => so.split('\n').length > 2 && stop());
    const rows = seen.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.find((row) => row.lot === lot)).toMatchObject({
      type: 'snapshot',
      highestAmount: '200000.00',
      standings: [
        { bidderReference: 'buyer-1', standing: 'leading', ownAmount: '200000.00', doubts: [] },
        { bidderReference: 'buyer-2', standing: 'no_bid', ownAmount: null, doubts: [] },
      ],
      quota: { limit: 120, used: expect.any(Number) },
    });
    expect((await board(args, () => {})).code).toBe(4);
  });
});

describe('board on a terminal', () => {
  it('draws the lots, pauses with space, and quits with q', async () => {
    const drawn: string[] = [];
    let press = (_: string) => {};
    let isClosed = false;
    const draw = (lines: readonly string[]) => {
      const text = lines.join('\n');
      drawn.push(text);
      if (text.includes('PAUSED')) press('q');
      else if (text.includes('no_bid')) press(' ');
    };
    const close = () => {
      isClosed = true;
    };
    const screen: Screen = { columns: 120, rows: 10, draw, close };
    const openScreen: Terminal['openScreen'] = (onKey) => {
      press = onKey;
      return screen;
    };
    const { code, stdout } = await board(as('dealer'), () => {}, { openScreen });
    expect([code, stdout, isClosed]).toEqual([0, '', true]);
    press = () => {};
    const stopped = board(as('dealer'), () => {}, {
      openScreen: (onKey) => ({ ...screen, draw: () => onKey('\x03') }),
    });
    expect((await stopped).code).toBe(130);
    expect(drawn[0]).toMatch(/^Evening {2}\d\d:\d\d:\d\d UTC {2}quota \d+\/120 {2}updates: starting\n/);
    expect(drawn.find((text) => text.includes('no_bid'))).toContain(lot);
  });

  it('shows as many lots as fit, those that close first at the top, and counts the others', () => {
    const row = (name: string, closesAt: number | undefined): BoardRow => ({
      ...{ lot: name, vehicle: '', state: 'live', highestAmount: null, standings: [], closesAt },
    });
    const rows = [
      row('lot_closed', 1),
      row('lot_later', 90_000),
      row('lot_soon', 30_000),
      row('lot_x', undefined),
    ];
    const facts = { now: 1_000, quota: { used: 3, limit: 120 }, status: 'kept', paused: false };
    const lines = new Board('Evening', rows).lines(facts, 7);
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      'Evening',
      'lot',
      'lot_soon',
      'lot_later',
      'lot_x',
      '1',
      'space:',
    ]);
    expect([remaining(3_661_000, 0), remaining(59_001, 0), remaining(0, 0), remaining(undefined, 0)]).toEqual(
      ['1:01:01', '01:00', 'closed', '?'],
    );
  });

  it('never passes control characters of the service on, and cuts long lines', () => {
    let written = '';
    const output = {
      write: (text: unknown) => {
        written += text;
        return true;
      },
      columns: 12,
      rows: 2,
    };
    const input = {
      setRawMode() {
        return process.stdin;
      },
      resume() {
        return process.stdin;
      },
      pause() {
        return process.stdin;
      },
      on() {
        return process.stdin;
      },
      off() {
        return process.stdin;
      },
    };
    const screen = openScreen({ input, output }, () => {});
    written = '';
    screen.draw(['a\u001b[2Jb\nc', 'x'.repeat(20), 'third']);
    expect(written).toBe(
      `\u001b[H${'a\\u001b[2Jb c'.slice(0, 12)}\u001b[K\r\n${'x'.repeat(12)}\u001b[K\u001b[J`,
    );
  });

  const hasScript = spawnSync('script', ['--version']).status === 0;
  it.skipIf(!hasScript)('takes over a pseudo-terminal and gives it back on q', async () => {
    const main = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));
    const command = `stty cols 100 rows 20; "${process.execPath}" "${main}" board ${event} --env "${join(folder, 'dealer.env')}"`;
    const { NODE_OPTIONS: _, ...env } = process.env;
    const child = spawn('script', ['-qec', command, '/dev/null'], { env: { ...env, TERM: 'xterm' } });
    let shown = '';
    const keys = [
      { after: 'no_bid', key: ' ' },
      { after: 'PAUSED', key: 'q' },
    ];
    child.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
      if (keys[0] !== undefined && shown.includes(keys[0].after)) child.stdin.write(keys.shift()?.key ?? '');
    });
    const [code] = await once(child, 'close');
    expect([code, shown.startsWith('\u001b[?1049h'), shown.includes('Evil\\u001b[2J')]).toEqual([
      0,
      true,
      true,
    ]);
    expect(shown).toContain('PAUSED');
    expect(shown.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true);
  });
});
