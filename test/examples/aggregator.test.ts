import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exits } from '../../examples/aggregator/batch.js';
import { root } from '../support/sources.js';
import { isThorough } from '../support/thorough.js';
import { bundle, environmentOf } from './program.js';

const source = 'examples/aggregator/main.ts';
/** The program as one file, beside the package as a user has it: it starts in half the time. */
const project = mkdtempSync(join(tmpdir(), 'aggregator-project-'));
const program = join(project, 'main.mjs');
const HEADER = 'row_id,lot_id,amount,bidder_reference\n';

beforeAll(() => bundle(project, [join(root, source)]));
afterAll(() => rmSync(project, { recursive: true }));

interface Result {
  readonly row_id: string;
  readonly status: string;
}

/** A sandbox, a folder, and the program as a process of its own. */
async function office() {
  const sandbox = await startSandbox({ clock: 'manual', rateLimit: false });
  const folder = mkdtempSync(join(tmpdir(), 'aggregator-'));
  const files = { bids: join(folder, 'bids.csv'), results: join(folder, 'bids.b1.results.csv') };
  const variables = environmentOf(sandbox.baseUrl, sandbox.credentials.aggregator);
  const children: ReturnType<typeof start>[] = [];
  return {
    sandbox,
    folder,
    files,
    program: (more: readonly string[] = [], env: NodeJS.ProcessEnv = {}) => {
      const child = start([program, files.bids, '--batch', 'b1', ...more], { ...variables, ...env });
      children.push(child);
      return child;
    },
    /** A bids file: so many rows, each for a lot of its own, at the opening price. */
    write: (count: number, more = '') => {
      const { lots } = sandbox.auctions.get('live-open');
      const rows = lots
        .slice(0, count)
        .map((lot, at) => `r${at + 1},${lot.id},${lot.startingPrice},buyer-${at % 3}\n`);
      writeFileSync(files.bids, `${HEADER}${rows.join('')}${more}`);
    },
    /** A bids file with more rows than leave in a minute: sealed bids of many buyers. */
    writeMany: (count: number) => {
      const { lots } = sandbox.auctions.get('live-closed');
      const rows = Array.from({ length: count }, (_, at) => {
        const lot = lots[at % lots.length];
        return `r${at + 1},${lot?.id},${lot?.startingPrice},buyer-${at}\n`;
      });
      writeFileSync(files.bids, `${HEADER}${rows.join('')}`);
    },
    /** The results file, row by row. */
    results: () => {
      const rows: readonly Result[] = parse(readFileSync(files.results), { columns: true, bom: true });
      return rows.map(({ row_id, status }) => `${row_id} ${status}`).sort();
    },
    sent: () => sandbox.attempts().filter(({ operation }) => operation === 'bids.submit'),
    held: () =>
      sandbox
        .attempts()
        .filter(({ operation, status }) => `${operation} ${status}` === 'bids.submit pending'),
    [Symbol.asyncDispose]: async () => {
      for (const { child } of children) child.kill('SIGKILL');
      await sandbox.close();
      rmSync(folder, { recursive: true });
    },
  };
}

type Office = Awaited<ReturnType<typeof office>>;

function start(args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal)),
  );
  return { child, ended, output: () => output };
}

/** What the service has committed: each key once, each body the same whenever it was sent. */
function expectOnce({ sandbox, sent }: Office, rows: number): void {
  const keys = sandbox.ledger().map(({ idempotencyKey }) => idempotencyKey);
  expect(keys).toHaveLength(rows);
  expect(new Set(keys).size).toBe(rows);
  const bodies = new Set(sent().map(({ idempotencyKey, bodySha256 }) => `${idempotencyKey} ${bodySha256}`));
  expect(bodies.size).toBe(new Set(sent().map(({ idempotencyKey }) => idempotencyKey)).size);
}

const patient = { timeout: 300_000 };

describe.concurrent("the aggregator's program", { timeout: 600_000 }, () => {
  it.runIf(isThorough)(
    'runs by itself in the sandbox, killed in the middle and then to its end',
    async () => {
      const { ended, output } = start(['--import', 'tsx', source, '--sandbox'], { TMPDIR: project });
      expect(await ended, output()).toBe(exits.settled);
      expect(output()).toMatch(/\b8 bids on record now, 8 of them different/);
      expect(output()).not.toContain('secret');
    },
  );

  it('takes no batch id that could not be part of a file name', async () => {
    expect(await start([program, 'bids.csv', '--batch', 'a/b'], {}).ended).toBe(exits.nothingSent);
  });

  it.each<[string, string, NodeJS.ProcessEnv]>([
    ['a row is wrong', 'r3,lot_1,"4,65,000",buyer-9\n', {}],
    ['the dealer is missing', '', { VEHICLE_AUCTION_DEALER_ID: '' }],
    ['the credentials belong to another dealer', '', { VEHICLE_AUCTION_DEALER_ID: 'D-999' }],
  ])('bids nothing where %s', async (_, more, env) => {
    await using at = await office();
    at.write(2, more);
    const { ended, output } = at.program([], env);
    expect(await ended, output()).toBe(exits.nothingSent);
    expect(at.sent()).toEqual([]);
  });

  it('plans before it bids, and with --plan sends nothing', async () => {
    await using at = await office();
    at.writeMany(150);
    const { ended, output } = at.program(['--plan']);
    expect(await ended, output()).toBe(exits.settled);
    // 111 bids leave in a minute.
    expect(output()).toMatch(/150 to send, .*; the last bid leaves within 6\d s/);
    expect(at.sent()).toEqual([]);
    const [lot] = at.sandbox.auctions.get('live-open').lots;
    const row = `late,${lot?.id},${lot?.startingPrice},buyer-1,2026-01-01T00:00:00Z\n`;
    writeFileSync(at.files.bids, HEADER.replace('\n', `,place_by\n${row}`));
    const late = at.program(['--plan']);
    expect(await late.ended, late.output()).toBe(exits.incomplete);
    expect(late.output()).toMatch(/late: \d+ s too late/);
  });

  it('run twice bids each row once, takes new rows, and refuses one that was changed', async () => {
    await using at = await office();
    at.write(3);
    const first = at.program();
    expect(await first.ended).toBe(exits.settled);
    expect(first.output()).toContain('Plan: 3 rows, 3 to send');
    at.write(5);
    expect(await at.program().ended).toBe(exits.settled);
    expect(at.results()).toEqual([1, 2, 3, 4, 5].map((row) => `r${row} accepted`));

    const [lot] = at.sandbox.auctions.get('live-open').lots;
    at.write(0, `r1,${lot?.id},${Number(lot?.startingPrice) + 5_000},buyer-0\n`);
    expect(await at.program().ended).toBe(exits.incomplete);
    expectOnce(at, 5);
  });

  it('killed with bids on the wire and run again doubles nothing and loses nothing', async () => {
    await using at = await office();
    at.write(9);
    at.sandbox.inject({ operation: 'bids.submit', fault: 'delay', ms: 1_000, nth: 3, times: 4 });
    const first = at.program();
    await vi.waitFor(() => expect(at.held()).toHaveLength(4), patient);
    await vi.waitFor(() => expect(at.sandbox.ledger()).toHaveLength(5), patient);
    first.child.kill('SIGKILL');
    expect(await first.ended).toBe('SIGKILL');
    // What had left arrives all the same.
    at.sandbox.clock.advance(1_000);
    await vi.waitFor(() => expect(at.sandbox.ledger()).toHaveLength(9), patient);

    const second = at.program();
    expect(await second.ended, second.output()).toBe(exits.settled);
    expect(at.results()).toEqual(Array.from({ length: 9 }, (_, row) => `r${row + 1} accepted`));
    expect(at.sent()).toHaveLength(9);
    expectOnce(at, 9);
  });

  it.runIf(isThorough)(
    'on Ctrl-C sends nothing that waits for the quota, and awaits what is on the wire',
    async () => {
      await using at = await office();
      at.writeMany(150);
      at.sandbox.inject({ operation: 'bids.submit', fault: 'delay', ms: 1_000, nth: 3, times: 5 });
      const { child, ended, output } = at.program();
      // 120 requests a minute, less the nine that are kept for the three other lanes.
      await vi.waitFor(() => expect(at.sandbox.ledger()).toHaveLength(106), patient);
      await vi.waitFor(() => expect(at.held()).toHaveLength(5), patient);
      child.kill('SIGINT');
      await vi.waitFor(() => expect(output()).toContain('Stopping'), patient);
      at.sandbox.clock.advance(1_000);
      expect(await ended, output()).toBe(exits.incomplete);
      expect(at.results()).toHaveLength(150);
      expectOnce(at, 111);
    },
  );
});
