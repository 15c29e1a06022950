import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DBOSClient } from '@dbos-inc/dbos-sdk';
import pg from 'pg';
import { BankClient, PartnerClient } from 'vehicle-auction-sdk';
import { postgresStore } from 'vehicle-auction-sdk/postgres';
import { type Sandbox, type SandboxCredentials, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { afterAll, beforeAll, describe, expect, it, type TestContext, vi } from 'vitest';
import { enqueueApprovals } from '../../examples/pg-boss/approvals.js';
import { enqueueBids } from '../../examples/pg-boss/bids.js';
import { openQueue } from '../../examples/pg-boss/queue.js';
import { newDatabase } from '../support/postgres/shared.js';
import { root } from '../support/sources.js';
import { isThorough } from '../support/thorough.js';
import { bundle, environmentOf } from './program.js';

/** `npm run test:engines` places 2,000 bids and kills the workflow at three points of each step. */
const isFull = process.env['ENGINES_FULL'] === '1';
const size = isFull ? 2_000 : 60;
const lotCount = isFull ? 25 : 12;

/** Small windows, so that a batch fills several of them. */
const quota = { limit: Math.ceil(size / 3), window: 2_000, margin: 500 };

const times = { expireInSeconds: isFull ? 60 : 2, retryDelay: 1 };
const patience = { timeout: 1_800_000, interval: 50 };

const project = mkdtempSync(join(tmpdir(), 'engines-'));
const programs = ['examples/pg-boss/worker.ts', 'test/examples/sale-process.ts'].map((path) =>
  join(root, path),
);
beforeAll(() => bundle(project, programs, ['@dbos-inc', 'pg', 'pg-boss']));
afterAll(() => rmSync(project, { recursive: true }));

type Cleanup = TestContext['onTestFinished'];

/** A program of these as a process. What it says is told if it ends by itself where it should not. */
function start(cleanup: Cleanup, args: readonly string[], env: NodeJS.ProcessEnv) {
  const [name = '', ...more] = args;
  const child = spawn(process.execPath, [join(project, `${name}.mjs`), ...more], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  cleanup(() => end(child));
  const said = text(child.stderr);
  const ended = once(child, 'exit').then(async ([code, signal]) => ({ code, signal, said: await said }));
  return { child, ended };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function variablesOf({ baseUrl }: Sandbox, credentials: SandboxCredentials, connectionString: string) {
  const more = { DATABASE_URL: connectionString, VEHICLE_AUCTION_QUOTA: JSON.stringify(quota) };
  return { ...environmentOf(baseUrl, credentials), ...more };
}

/** A sandbox, a database with a queue, and workers on both as processes. */
async function office(cleanup: Cleanup, role: 'bids' | 'approvals') {
  const sandbox = await startSandbox({ rateLimit: false, keepAttempts: 100_000 });
  cleanup(() => sandbox.close());
  const connectionString = await newDatabase();
  const boss = await openQueue(connectionString, 1);
  cleanup(() => boss.stop({ graceful: false }));
  const pool = new pg.Pool({ connectionString });
  pool.on('error', () => undefined);
  cleanup(() => pool.end());
  const who = sandbox.credentials[role === 'bids' ? 'aggregator' : 'bank'];
  const env = variablesOf(sandbox, who, connectionString);
  const startWorker = async () => {
    const { child, ended } = start(cleanup, ['worker', role], env);
    const failed = ended.then(({ said }) => Promise.reject(new Error(`A worker ended: ${said}`)));
    await Promise.race([once(child.stdout, 'data'), failed]);
    failed.catch(() => undefined);
    return child;
  };
  /** Waits until so many jobs are done. */
  const jobsDone = (jobs: number) =>
    vi.waitUntil(async () => {
      const { rows } = await pool.query(
        "SELECT count(*)::int AS jobs FROM pgboss.job WHERE name LIKE 'auction-%' AND state = 'completed'",
      );
      return rows[0]?.jobs === jobs;
    }, patience);
  /** Three workers, one of which is killed while a reply to it is held up. @returns the key of that request */
  const workWithOneKilled = async (operation: string) => {
    const held = () =>
      sandbox.attempts().filter((attempt) => attempt.operation === operation && attempt.status === 'pending');
    const withdraw = sandbox.inject({ operation, fault: 'delay_after_commit', ms: 86_400_000, nth: 3 });
    const [doomed] = await Promise.all([startWorker(), vi.waitUntil(() => held().length === 1, patience)]);
    withdraw();
    await Promise.all([startWorker(), startWorker()]);
    await end(doomed);
    return held()[0]?.idempotencyKey;
  };
  /** A client on the workers' store. */
  const options = {
    ...{ baseUrl: sandbox.baseUrl, environment: 'sandbox' as const, credentials: who, account: role },
    ...{ store: postgresStore({ pool }), quota },
  };
  return { sandbox, boss, options, jobsDone, workWithOneKilled };
}

/** The most requests that arrived in any one window. */
function mostInAWindow({ attempts }: Sandbox): number {
  const times = attempts()
    .map(({ at }) => at)
    .sort((one, other) => one - other);
  let first = 0;
  return Math.max(
    ...times.map((time, last) => {
      while ((times[first] ?? time) <= time - quota.window) first += 1;
      return last - first + 1;
    }),
  );
}

/** What the service has on record: each key once, each always with the same bytes. */
function keysOnRecord(sandbox: Sandbox, operation: string): string[] {
  const keys = sandbox
    .ledger()
    .filter((entry) => entry.operation === operation)
    .map(({ idempotencyKey }) => idempotencyKey);
  expect(new Set(keys).size).toBe(keys.length);
  const sent = sandbox.attempts().filter((attempt) => attempt.operation === operation);
  const bodies = new Set(sent.map(({ idempotencyKey, bodySha256 }) => `${idempotencyKey} ${bodySha256}`));
  expect(bodies.size).toBe(keys.length);
  return keys;
}

describe.concurrent('pg-boss, three worker processes on one Postgres', { timeout: patience.timeout }, () => {
  it.runIf(isFull || isThorough)(
    'places a batch of bids once within one quota, and takes over the rows of a killed worker',
    async ({ onTestFinished }) => {
      const at = await office(onTestFinished, 'bids');
      // In a closed auction no bid depends on another buyer's: a job may run twice at once, in any order.
      const { lots } = at.sandbox.auctions.get('live-closed');
      const rows = Array.from({ length: size }, (_, index) => {
        const { id: lot = '', startingPrice: amount = '0' } = lots[index % lotCount] ?? {};
        return { rowId: `r${index}`, lot, amount, bidderReference: `buyer-${index}` };
      });
      await enqueueBids(at.boss, { batchId: 'evening', rows }, times);
      const killedDuring = await at.workWithOneKilled('bids.submit');
      await at.jobsDone(lotCount);

      const keys = keysOnRecord(at.sandbox, 'bids.submit');
      expect(keys).toHaveLength(size);
      expect(keys).toContain(killedDuring);
      const { dealerId } = at.sandbox.credentials.aggregator;
      await using auction = new PartnerClient({ ...at.options, partnerType: 'aggregator', dealerId });
      // What the store knows agrees: the rows again are all answered from it.
      const again = await auction.bids.placeAll(rows, { batchId: 'evening' }).summary;
      expect([again.counts.accepted, keysOnRecord(at.sandbox, 'bids.submit').length]).toEqual([size, size]);
      // What the killed worker had in flight may count from its departure.
      expect(mostInAWindow(at.sandbox)).toBeLessThanOrEqual(quota.limit + 4);
    },
  );

  it.runIf(isFull || isThorough)(
    'decides sales once, audited before and after, and settles what a killed worker left in doubt',
    async ({ onTestFinished }) => {
      const at = await office(onTestFinished, 'approvals');
      const { lots } = at.sandbox.auctions.get('live-open');
      const sold = lots.slice(0, lotCount);
      for (const { id, startingPrice } of sold) at.sandbox.actors.rival.bid(id, startingPrice);
      at.sandbox.auctions.close('live-open');
      await using bank = new BankClient(at.options);
      for (let time = 0; time < 2; time += 1) await enqueueApprovals(at.boss, bank, times);
      const killedDuring = await at.workWithOneKilled('A22');
      await at.jobsDone(2 * sold.length);

      const keys = keysOnRecord(at.sandbox, 'A22');
      expect(keys).toHaveLength(sold.length);
      expect(keys).toContain(killedDuring);
      // What the killed worker had recorded and not sent is audited as such, and decided under another key.
      const audit = new Map<string, unknown[]>();
      for await (const { about, idempotencyKey, phase, content } of bank.approvals.audit()) {
        const decision = `${about} ${idempotencyKey}`;
        audit.set(decision, [...(audit.get(decision) ?? []), phase, content['outcome']]);
      }
      const sent = [...audit].filter(([, entries]) => !entries.includes('not_sent'));
      expect(sent).toHaveLength(sold.length);
      for (const [, entries] of sent) expect(entries).toEqual(['before', undefined, 'after', 'done']);
      const sales = new Set(at.sandbox.records('sale').map(({ id }) => id));
      expect(new Set(sent.map(([decision]) => decision.split(' ')[0]))).toEqual(sales);
    },
  );
});

describe.concurrent('DBOS, a dealer platform on Postgres', { timeout: patience.timeout }, () => {
  const steps = ['acknowledge', 'report', 'verified', 'paid', 'collected'];
  const points = isFull ? ['begun', 'done', 'recorded'] : ['done'];

  it.runIf(isFull || isThorough)(
    'brings a sale from approval to collection once, killed at every step',
    async ({ onTestFinished }) => {
      const sandbox = await startSandbox({ rateLimit: false });
      onTestFinished(() => sandbox.close());
      const { bank } = sandbox.actors;
      const connectionString = await newDatabase();
      const credentials: SandboxCredentials = sandbox.credentials.platform;
      const env = variablesOf(sandbox, credentials, connectionString);
      const run = (crash?: string) => start(onTestFinished, ['sale-process'], { ...env, CRASH_AT: crash });

      const { dealerId = '', ...own } = credentials;
      await using platform = new PartnerClient({
        baseUrl: sandbox.baseUrl,
        environment: 'sandbox',
        partnerType: 'platform',
        dealerId,
        credentials: own,
      });
      const [lot] = sandbox.auctions.get('live-open').lots;
      if (lot === undefined) throw new Error('no lots');
      await platform.bids.place({ lot: lot.id, amount: lot.startingPrice, bidderReference: 'buyer-7' });
      sandbox.auctions.close('live-open');
      const { id: saleId } = bank.approve(lot.id);

      // The buyer pays as soon as the workflow is there, and the bank does its part as soon as it can.
      const workflows = await DBOSClient.create({ systemDatabaseUrl: connectionString });
      onTestFinished(() => workflows.destroy());
      const outcome = (async () => {
        await vi.waitUntil(() => workflows.getWorkflow(saleId).catch(() => undefined), patience);
        await workflows.send(
          saleId,
          { utr: 'EXMPN1', paidAt: new Date().toISOString() },
          'payment',
          'EXMPN1',
        );
        const result = workflows.retrieveWorkflow(saleId).getResult();
        const reported = vi.waitUntil(() => sandbox.records('payment_report').length > 0, patience);
        await Promise.race([reported, result]);
        bank.settle(lot.id);
        bank.release(lot.id);
        bank.collect(lot.id);
        return await result;
      })();

      const early = outcome.then((result) => Promise.reject(new Error(`It ended early: ${result}`)));
      early.catch(() => undefined);
      for (const step of steps) {
        for (const point of points) {
          const { signal, said } = await Promise.race([run(`${step} ${point}`).ended, early]);
          expect(signal, said).toBe('SIGKILL');
        }
      }
      run();
      expect(await outcome).toBe('collected');
      const own23and36 = sandbox.ledger().filter(({ clientId }) => clientId === credentials.clientId);
      expect(own23and36.map(({ operation }) => operation)).toEqual(['bids.submit', 'A23', 'A36']);
      expect((await workflows.listWorkflows({})).map(({ workflowID }) => workflowID)).toEqual([saleId]);
    },
  );
});
