import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { build } from 'esbuild';
import { PartnerClient } from 'vehicle-auction-sdk';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exits } from '../../examples/aggregator/batch.js';
import { root } from '../support/sources.js';

const source = 'examples/aggregator/main.ts';
/** The program as one file, beside the package as a user has it: it starts in half the time. */
const project = mkdtempSync(join(tmpdir(), 'aggregator-project-'));
const program = join(project, 'main.mjs');

beforeAll(async () => {
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(root, join(project, 'node_modules/vehicle-auction-sdk'), 'junction');
  await build({
    entryPoints: [join(root, source)],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
  });
});
afterAll(() => rmSync(project, { recursive: true }));

/** A sandbox, a folder, and the program as a process of its own. */
async function office() {
  const sandbox = await startSandbox({ clock: 'manual', rateLimit: false });
  const folder = mkdtempSync(join(tmpdir(), 'aggregator-'));
  const files = { bids: join(folder, 'bids.csv'), results: join(folder, 'bids.b1.results.csv') };
  const { clientId, keyId, signingSecret, dealerId } = sandbox.credentials.aggregator;
  const variables = {
    VEHICLE_AUCTION_BASE_URL: sandbox.baseUrl,
    VEHICLE_AUCTION_CLIENT_ID: clientId,
    VEHICLE_AUCTION_KEY_ID: keyId,
    VEHICLE_AUCTION_SIGNING_SECRET: signingSecret,
    VEHICLE_AUCTION_DEALER_ID: dealerId,
  };
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
      const rows = sandbox.auctions
        .get('live-open')
        .lots.slice(0, count)
        .map((lot, at) => `r${at + 1},${lot.id},${lot.startingPrice},buyer-${at % 3}\n`);
      writeFileSync(files.bids, `row_id,lot_id,amount,bidder_reference\n${rows.join('')}${more}`);
    },
    /** A bids file with more rows than leave in a minute: sealed bids of many buyers. */
    writeMany: (count: number) => {
      const { lots } = sandbox.auctions.get('live-closed');
      const rows = Array.from({ length: count }, (_, at) => {
        const lot = lots[at % lots.length];
        return `r${at + 1},${lot?.id},${lot?.startingPrice},buyer-${at}\n`;
      });
      writeFileSync(files.bids, `row_id,lot_id,amount,bidder_reference\n${rows.join('')}`);
    },
    /** The results file, row by row. */
    results: () => {
      const rows = parse(readFileSync(files.results), { columns: true, bom: true }) as Record<
        string,
        string
      >[];
      return rows.map(({ row_id, status }) => `${row_id} ${status}`).sort();
    },
    sent: () => sandbox.attempts().filter(({ operation }) => operation === 'bids.submit'),
    held: () =>
      sandbox
        .attempts()
        .filter(({ operation, status }) => operation === 'bids.submit' && status === 'pending'),
    [Symbol.asyncDispose]: async () => {
      for (const { child } of children) child.kill('SIGKILL');
      await sandbox.close();
      rmSync(folder, { recursive: true });
    },
  };
}

type Office = Awaited<ReturnType<typeof office>>;

function start(args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
  });
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
  it('runs by itself in the sandbox: killed in the middle, then to its end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'aggregator-')); // the sample stays, to be looked at
    const { ended, output } = start(['--import', 'tsx', source, '--sandbox'], { TMPDIR: folder });
    expect(await ended, output()).toBe(exits.settled);
    rmSync(folder, { recursive: true });
    for (const told of ['Killed, with', 'left by an earlier run', 'rejected BID_OFF_OPENING_GRID']) {
      expect(output()).toContain(told);
    }
    expect(output()).toContain('8 accepted, 1 rejected');
    expect(output()).toContain('The service has 8 bids on record now, 8 of them different.');
    expect(output()).not.toContain('secret');
  });

  it.each([[['bids.csv', '--batch', 'a/b']], [['--nonsense']]])(
    'prints its usage for wrong arguments: %j',
    async (args) => {
      const { ended, output } = start([program, ...args], {});
      expect(await ended).toBe(exits.nothingSent);
      expect(output()).toMatch(/main\.ts <bids\.csv> --batch <id>|--nonsense/);
    },
  );

  it('names the environment variable that is missing', async () => {
    await using at = await office();
    at.write(2);
    const { ended, output } = at.program([], { VEHICLE_AUCTION_DEALER_ID: '' });
    expect(await ended).toBe(exits.nothingSent);
    expect(output()).toContain('VEHICLE_AUCTION_DEALER_ID must be set');
    expect(at.sandbox.attempts()).toEqual([]);
  });

  it('bids nothing if a row is wrong, and names the line', async () => {
    await using at = await office();
    at.write(2, 'r3,lot_1,"4,65,000",buyer-9\nr4,lot_1,12,no one\n');
    const { ended, output } = at.program();
    expect(await ended, output()).toBe(exits.nothingSent);
    expect(output()).toContain('line 4: amount must be written like');
    expect(output()).toContain('line 5: bidderReference must be');
    expect(output()).toContain('2 not sent, 2 invalid');
    expect(at.sent()).toEqual([]);
  });

  it('bids nothing if the credentials belong to another dealer', async () => {
    await using at = await office();
    at.write(2);
    const { ended, output } = at.program([], { VEHICLE_AUCTION_DEALER_ID: 'D-999' });
    expect(await ended, output()).toBe(exits.nothingSent);
    expect(output()).toContain('dealer_id: expected D-999, found D-415');
    expect(at.sent()).toEqual([]);
  });

  it('run twice bids each row once, takes new rows, and refuses one that was changed', async () => {
    await using at = await office();
    at.write(3);
    const first = at.program();
    expect(await first.ended, first.output()).toBe(exits.settled);
    at.write(5);
    const second = at.program();
    expect(await second.ended, second.output()).toBe(exits.settled);
    expect(second.output()).toContain('5 accepted');
    expect(at.sent()).toHaveLength(5);
    expect(at.results()).toEqual([1, 2, 3, 4, 5].map((row) => `r${row} accepted`));

    const [lot] = at.sandbox.auctions.get('live-open').lots;
    at.write(0, `r1,${lot?.id},${Number(lot?.startingPrice) + 5_000},buyer-0\n`);
    const third = at.program();
    expect(await third.ended, third.output()).toBe(exits.incomplete);
    expect(third.output()).toContain('error IDEMPOTENCY_CONFLICT');
    expectOnce(at, 5);
  });

  it('reports what the service accepted when its store is lost and the same batch runs again', async () => {
    await using at = await office();
    at.write(2);
    const first = at.program();
    expect(await first.ended, first.output()).toBe(exits.settled);
    const second = at.program(['--store', join(at.folder, 'other.db')]);
    expect(await second.ended, second.output()).toBe(exits.settled);
    expect(second.output()).toContain('2 accepted');
    expectOnce(at, 2);
  });

  it('is done with a row that was abandoned', async () => {
    await using at = await office();
    at.write(1);
    at.sandbox.inject({ operation: 'bids.submit', fault: 'delay', ms: 1_000 });
    const first = at.program();
    await vi.waitFor(() => expect(at.held()).toHaveLength(1), patient);
    first.child.kill('SIGKILL');
    await first.ended;
    const { aggregator } = at.sandbox.credentials;
    const auction = new PartnerClient({
      baseUrl: at.sandbox.baseUrl,
      environment: 'sandbox',
      credentials: aggregator,
      partnerType: 'aggregator',
      dealerId: aggregator.dealerId,
      store: sqliteStore(join(at.folder, 'auction.db')),
    });
    const [bid] = await auction.intents.list();
    await auction.intents.abandon(bid?.idempotencyKey ?? '', 'the buyer no longer wants it');
    await auction.close();
    const second = at.program();
    expect(await second.ended, second.output()).toBe(exits.settled);
    expect(second.output()).toContain(`nothing follows them: ${bid?.idempotencyKey}`);
    expect(at.sent()).toHaveLength(1);
  });

  it.each(['delay', 'delay_after_commit'] as const)(
    'killed in the middle (%s) and run again doubles nothing and loses nothing',
    async (fault) => {
      await using at = await office();
      at.write(9);
      at.sandbox.inject({ operation: 'bids.submit', fault, ms: 1_000, nth: 3, times: 4 });
      const first = at.program();
      await vi.waitFor(() => expect(at.held()).toHaveLength(4), patient);
      await vi.waitFor(() => expect(first.output().match(/accepted/g)).toHaveLength(5), patient);
      first.child.kill('SIGKILL');
      expect(await first.ended).toBe('SIGKILL');
      // What had left arrives all the same.
      at.sandbox.clock.advance(1_000);
      await vi.waitFor(() => expect(at.sandbox.ledger()).toHaveLength(9), patient);

      const second = at.program();
      expect(await second.ended, second.output()).toBe(exits.settled);
      expect(second.output().match(/left by an earlier run, \S+: accepted/g)).toHaveLength(4);
      expect(at.results()).toEqual(Array.from({ length: 9 }, (_, row) => `r${row + 1} accepted`));
      expect(at.sent()).toHaveLength(9);
      expectOnce(at, 9);
    },
  );

  it('crashes where it is told to, and goes on the next time', async () => {
    await using at = await office();
    at.write(20);
    expect(await at.program(['--crash-after', '9']).ended).toBe('SIGKILL');
    const { ended, output } = at.program();
    expect(await ended, output()).toBe(exits.settled);
    expect(output()).toContain('20 accepted');
    expectOnce(at, 20);
  });

  it('on Ctrl-C sends nothing that waits for the quota, and awaits what is on the wire', async () => {
    await using at = await office();
    at.writeMany(150);
    at.sandbox.inject({ operation: 'bids.submit', fault: 'delay', ms: 1_000, nth: 3, times: 5 });
    const { child, ended, output } = at.program();
    // 120 requests a minute, less the nine that are kept for the three other lanes.
    await vi.waitFor(() => expect(output().match(/: accepted/g)).toHaveLength(106), patient);
    await vi.waitFor(() => expect(at.held()).toHaveLength(5), patient);
    child.kill('SIGINT');
    await vi.waitFor(() => expect(output()).toContain('Stopping'), patient);
    at.sandbox.clock.advance(1_000);
    expect(await ended, output()).toBe(exits.incomplete);
    expect(output()).toContain('111 accepted, 39 not sent');
    expect(at.results()).toHaveLength(150);
    expectOnce(at, 111);
  });

  it('on a second Ctrl-C prints the counts and ends at once; the next run settles the rest', async () => {
    await using at = await office();
    at.write(9);
    at.sandbox.inject({ operation: 'bids.submit', fault: 'delay', ms: 1_000, nth: 3, times: 4 });
    const first = at.program();
    await vi.waitFor(() => expect(first.output().match(/: accepted/g)).toHaveLength(5), patient);
    await vi.waitFor(() => expect(at.held()).toHaveLength(4), patient);
    first.child.kill('SIGINT');
    await vi.waitFor(() => expect(first.output()).toContain('Stopping'), patient);
    first.child.kill('SIGINT');
    expect(await first.ended, first.output()).toBe(exits.unknown);
    expect(first.output()).toContain('Ended at once: 5 accepted.');
    at.sandbox.clock.advance(1_000);
    await vi.waitFor(() => expect(at.sandbox.ledger()).toHaveLength(9), patient);
    const second = at.program();
    expect(await second.ended, second.output()).toBe(exits.settled);
    expectOnce(at, 9);
  });
});
