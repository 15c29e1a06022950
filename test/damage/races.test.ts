import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDatabase } from '../support/postgres/shared.js';
import { rounds, type StorePlace, schemaVersionOf } from './killing.js';

const times = rounds(3, 200);
const racer = fileURLToPath(new URL('racer.mjs', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'vehicle-auction-races-'));
afterAll(() => rmSync(folder, { recursive: true }));

const auction = {
  label: 'races',
  name: 'Races',
  bid_type: 'closed',
  increment: '5000',
  opens: -10,
  closes: 600,
} as const;

const places: [name: string, place: () => Promise<StorePlace>][] = [
  ['SQLite', async () => ({ file: join(folder, 'races.db') })],
  ['Postgres', async () => ({ url: await newDatabase() })],
];

describe.each(places)('three processes that race on %s', (_, place) => {
  let sandbox: Sandbox;
  let racers: readonly ChildProcess[];
  let lots: { readonly id: string; readonly startingPrice: string }[];

  beforeAll(async () => {
    // Its clock stands still, so that what is held up stays so until a test lets it go.
    sandbox = await startSandbox({
      clock: 'manual',
      rateLimit: false,
      seed: { auctions: [{ ...auction, lots: 2 * times }] },
    });
    const { dealer, bank } = sandbox.credentials;
    const order = JSON.stringify({ baseUrl: sandbox.baseUrl, dealer, bank, store: await place() });
    racers = await Promise.all([ready(order), ready(order), ready(order)]);
    lots = [...sandbox.auctions.get('races').lots];
  });

  afterAll(async () => {
    for (const each of racers) each.disconnect();
    await sandbox.close();
  });

  /** Its clock follows the machine's from race to race, as the racers expect of it. */
  function catchUp(): void {
    const behindMs = Date.now() - sandbox.clock.now();
    if (behindMs > 0) sandbox.clock.advance(behindMs);
  }

  it('make one bid when they place the same key at the same time', { timeout: 300_000 }, async () => {
    for (const { id: lot, startingPrice: amount } of lots.splice(0, times)) {
      catchUp();
      const key = randomUUID();
      const order = { kind: 'bid', lot, amount, key };
      const reports = await Promise.all(racers.map((each) => ordered(each, order)));
      const committed = sandbox.ledger().filter((entry) => entry.idempotencyKey === key);
      expect(committed, JSON.stringify(reports)).toHaveLength(1);
      // One that meets the others in the middle is told that the outcome is not known yet, never that the bid failed.
      const failed = reports.filter(({ status }) => status !== 'accepted' && status !== 'unknown');
      expect(failed).toEqual([]);
      expect(reports.some(({ status }) => status === 'accepted')).toBe(true);
      const later = await Promise.all(racers.map((each) => ordered(each, order)));
      expect(later.map(({ status }) => status)).toEqual(['accepted', 'accepted', 'accepted']);
    }
  });

  it('never have two bids of one buyer on one lot on their way at once', { timeout: 300_000 }, async () => {
    for (const { id: lot, startingPrice: amount } of lots.splice(0, times)) {
      catchUp();
      const withdraw = sandbox.inject({ operation: 'bids.submit', fault: 'delay', ms: 1_000 });
      const reports: Report[] = [];
      const racing = racers.map(async (each) => {
        reports.push(await ordered(each, { kind: 'bid', lot, amount, key: randomUUID() }));
        // The bid that was sent is held up until the others have been told.
        if (reports.length === 2) sandbox.clock.advance(1_000);
      });
      await Promise.all(racing);
      withdraw();
      const told = reports.map(({ status, reason }) => status ?? reason);
      expect(told, JSON.stringify(reports)).toEqual(['unresolved_bid', 'unresolved_bid', 'accepted']);
      expect(sandbox.ledger().filter(({ lotId }) => lotId === lot)).toHaveLength(1);
    }
  });

  it('create one vehicle when each of them runs the same command once', { timeout: 300_000 }, async () => {
    const schemaVersion = await schemaVersionOf(sandbox);
    for (let n = 0; n < times; n += 1) {
      catchUp();
      const order = { kind: 'vehicle', name: `vehicle-${n}`, schemaVersion };
      const reports = await Promise.all(racers.map((each) => ordered(each, order)));
      const vehicles = sandbox.records('inventory_vehicle');
      const created = vehicles.filter(({ data }) => String(data['external_id']).startsWith(`${order.name}.`));
      expect(created, JSON.stringify(reports)).toHaveLength(1);
      const others = reports.filter(({ id }) => id === undefined);
      expect(others.map(({ name }) => name)).toEqual(others.map(() => 'InDoubtError'));
      const later = await Promise.all(racers.map((each) => ordered(each, order)));
      expect(later[0]?.id).toBeTypeOf('string');
      expect(new Set(later.map(({ id }) => id)).size, JSON.stringify(later)).toBe(1);
    }
  });
});

interface Report {
  readonly status?: string;
  readonly name?: string;
  readonly reason?: string;
  readonly message?: string;
  /** Of the record that a command returned. */
  readonly id?: string;
}

async function ready(order: string): Promise<ChildProcess> {
  const child = fork(racer, [order], { execArgv: [] });
  await once(child, 'message');
  return child;
}

async function ordered(child: ChildProcess, order: object): Promise<Report> {
  const reply = once(child, 'message');
  child.send(order);
  const [report] = await reply;
  return report as Report;
}
