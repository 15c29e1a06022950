import { randomUUID } from 'node:crypto';
import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storePlaces } from '../support/store-places.js';
import { oneAuction, rounds, schemaVersionOf } from './killing.js';
import { type Line, Worker } from './worker-process.js';

const times = rounds(3, 200);

describe.each(storePlaces())('three processes that race on %s', (_, place) => {
  let sandbox: Sandbox;
  let racers: readonly Worker[];
  let lots: { readonly id: string; readonly startingPrice: string }[];

  beforeAll(async () => {
    // Its clock stands still, so that what is held up stays so until a test lets it go.
    const seed = oneAuction('races', 2 * times);
    sandbox = await startSandbox({ clock: 'manual', rateLimit: false, seed });
    const { dealer, bank } = sandbox.credentials;
    const order = { baseUrl: sandbox.baseUrl, dealer, bank, store: await place() };
    racers = await Promise.all([1, 2, 3].map(() => Worker.start(order, 'racer.mjs')));
    lots = [...sandbox.auctions.get('races').lots];
  });

  afterAll(async () => {
    for (const each of racers) await each.end();
    await sandbox.close();
  });

  /** Its clock follows the machine's from race to race, as the racers expect of it. */
  function catchUp(): void {
    const behindMs = Date.now() - sandbox.clock.now();
    if (behindMs > 0) sandbox.clock.advance(behindMs);
  }

  it('make one bid when they place the same key at the same time', async () => {
    for (const { id: lot, startingPrice: amount } of lots.splice(0, times)) {
      catchUp();
      const key = randomUUID();
      const order = { kind: 'bid', lot, amount, key };
      const reports = await Promise.all(racers.map((each) => each.ask(order)));
      const committed = sandbox.ledger().filter((entry) => entry.idempotencyKey === key);
      expect(committed, JSON.stringify(reports)).toHaveLength(1);
      // One that meets the others in the middle is told that the outcome is not known yet, never that the bid failed.
      const failed = reports.filter(({ status }) => status !== 'accepted' && status !== 'unknown');
      expect(failed).toEqual([]);
      expect(reports.some(({ status }) => status === 'accepted')).toBe(true);
      const later = await Promise.all(racers.map((each) => each.ask(order)));
      expect(later.map(({ status }) => status)).toEqual(['accepted', 'accepted', 'accepted']);
    }
  });

  it('never have two bids of one buyer on one lot on their way at once', async () => {
    for (const { id: lot, startingPrice: amount } of lots.splice(0, times)) {
      catchUp();
      const withdraw = sandbox.inject({ operation: 'bids.submit', fault: 'delay', ms: 1_000 });
      const reports: Line[] = [];
      const racing = racers.map(async (each) => {
        reports.push(await each.ask({ kind: 'bid', lot, amount, key: randomUUID() }));
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

  it('create one vehicle when each of them runs the same command once', async () => {
    const schemaVersion = await schemaVersionOf(sandbox);
    for (let n = 0; n < times; n += 1) {
      catchUp();
      const order = { kind: 'vehicle', name: `vehicle-${n}`, schemaVersion };
      const reports = await Promise.all(racers.map((each) => each.ask(order)));
      const vehicles = sandbox.records('inventory_vehicle');
      const created = vehicles.filter(({ data }) => String(data['external_id']).startsWith(`${order.name}.`));
      expect(created, JSON.stringify(reports)).toHaveLength(1);
      const others = reports.filter(({ id }) => id === undefined);
      expect(others.map(({ name }) => name)).toEqual(others.map(() => 'InDoubtError'));
      const later = await Promise.all(racers.map((each) => each.ask(order)));
      expect(later[0]?.id).toBeTypeOf('string');
      expect(new Set(later.map(({ id }) => id)).size, JSON.stringify(later)).toBe(1);
    }
  });
});
