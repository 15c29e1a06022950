import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { afterAll, describe, expect, it } from 'vitest';
import { newDatabase } from '../support/postgres/shared.js';
import { type StorePlace, schemaVersionOf } from './killing.js';

const isLong = process.env['TEST_MODE'] === 'damage';
const times = isLong ? 200 : 4;
const racer = fileURLToPath(new URL('racer.mjs', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'vehicle-auction-races-'));
afterAll(() => rmSync(folder, { recursive: true }));

const places: [name: string, place: () => Promise<StorePlace>][] = [
  ['SQLite', async () => ({ file: join(folder, `${randomUUID()}.db`) })],
  ['Postgres', async () => ({ url: await newDatabase() })],
];

describe.each(places)('three processes that race on %s', (_, place) => {
  it('make one bid when they place the same key at the same time', { timeout: 300_000 }, async () => {
    const { sandbox, racers, lots, end } = await atStart(await place());
    for (const { id: lot, startingPrice: amount } of lots.slice(0, times)) {
      const key = randomUUID();
      const order = { kind: 'bid', lot, amount, key };
      const reports = await Promise.all(racers.map((each) => ordered(each, order)));
      const committed = sandbox.ledger().filter((entry) => entry.idempotencyKey === key);
      expect(committed, JSON.stringify(reports)).toHaveLength(1);
      // Who meets the others in the middle is told that the outcome is not known yet, never that the bid failed.
      expect(reports.filter(({ status }) => status !== 'accepted' && status !== 'unknown')).toEqual([]);
      expect(reports.some(({ status }) => status === 'accepted')).toBe(true);
      const later = await Promise.all(racers.map((each) => ordered(each, order)));
      expect(later.map(({ status }) => status)).toEqual(['accepted', 'accepted', 'accepted']);
    }
    await end();
  });

  it('never have two bids of one buyer on one lot on their way at once', { timeout: 300_000 }, async () => {
    const { sandbox, racers, lots, end } = await atStart(await place());
    for (const { id: lot, startingPrice: amount } of lots.slice(0, times)) {
      // The service holds the first one up, so that the others come meanwhile.
      const withdraw = sandbox.inject({ operation: 'bids.submit', fault: 'delay', ms: 150, times: 3 });
      const reports = await Promise.all(
        racers.map((each) => ordered(each, { kind: 'bid', lot, amount, key: randomUUID() })),
      );
      withdraw();
      expect(reports.map(({ status, reason }) => status ?? reason).sort()).toEqual([
        'accepted',
        'unresolved_bid',
        'unresolved_bid',
      ]);
      expect(sandbox.ledger().filter(({ lotId }) => lotId === lot)).toHaveLength(1);
    }
    await end();
  });

  it('create one vehicle when each runs the same command once', { timeout: 300_000 }, async () => {
    const { sandbox, racers, schemaVersion, end } = await atStart(await place());
    for (let n = 0; n < times; n += 1) {
      const order = { kind: 'vehicle', name: `vehicle-${n}`, schemaVersion };
      const reports = await Promise.all(racers.map((each) => ordered(each, order)));
      const created = sandbox.inventory
        .list()
        .filter(({ externalId }) => externalId.startsWith(`${order.name}.`));
      expect(created, JSON.stringify(reports)).toHaveLength(1);
      const others = reports.filter(({ id }) => id === undefined);
      expect(others.map(({ name }) => name)).toEqual(others.map(() => 'InDoubtError'));
      const later = await Promise.all(racers.map((each) => ordered(each, order)));
      expect(new Set(later.map(({ id }) => id)).size, JSON.stringify(later)).toBe(1);
      expect(later[0]?.id).toBeTypeOf('string');
    }
    await end();
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

async function atStart(store: StorePlace) {
  const sandbox = await startSandbox({
    rateLimit: false,
    seed: {
      auctions: [
        {
          label: 'races',
          name: 'Races',
          bid_type: 'closed',
          increment: '5000',
          opens: -10,
          closes: 600,
          lots: times,
        },
      ],
    },
  });
  const { dealer, bank } = sandbox.credentials;
  const order = JSON.stringify({ baseUrl: sandbox.baseUrl, dealer, bank, store });
  const racers = await Promise.all([ready(order), ready(order), ready(order)]);
  return {
    sandbox,
    racers,
    lots: sandbox.auctions.get('races').lots,
    schemaVersion: await schemaVersionOf(sandbox),
    end: async () => {
      for (const each of racers) each.disconnect();
      await sandbox.close();
    },
  };
}

async function ready(order: string): Promise<ChildProcess> {
  const child = fork(racer, [order]);
  await once(child, 'message');
  return child;
}

async function ordered(child: ChildProcess, order: object): Promise<Report> {
  const reply = once(child, 'message');
  child.send(order);
  const [report] = await reply;
  return report as Report;
}
