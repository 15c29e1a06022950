import { describe, expect, it } from 'vitest';
import type { PartnerClientOptions } from '../../../src/client/options.js';
import { memoryStore } from '../../../src/store/memory.js';
import type { Store } from '../../../src/store/store.js';
import { Scene } from '../../support/bidders.js';
import { MortalClock } from '../../support/mortal-clock.js';
import { processes } from '../../support/processes.js';
import { DyingTransport, type Outage, SmallService } from '../../support/small-service.js';
import { sampled } from '../../support/thorough.js';
import { rows, statuses } from './desk.js';

/** A batch whose process is killed, or whose service is gone for a while, and which is run again. */

type Options = Partial<PartnerClientOptions<'platform'>>;

function world(limit: number, outages: readonly Outage[] = []) {
  const scene = new Scene();
  const service = new SmallService(scene.clock, outages);
  const quota = { limit, scope: 'client' } as const;
  const programs = processes(scene.store);
  const client = (options: Options = {}) =>
    scene.platform([], { transport: service, quota, store: programs.as('second'), ...options }).client;
  /** Runs a batch in a process that dies after so many replies. */
  const killedAfter = async (replies: number, count: number) => {
    const clock = new MortalClock(scene.clock);
    const transport = new DyingTransport(service, clock, replies);
    client({ clock, transport, store: programs.as('first') }).bids.placeAll(rows(count), { batchId: 'b1' });
    while (!transport.isDead) await scene.clock.advance(500);
    programs.end('first');
  };
  return { scene, service, programs, client, killedAfter };
}

describe('a hundred rows that are killed and run again at once', () => {
  const moments = [
    [1, 120],
    [5, 120],
    [20, 120],
    [60, 120],
    [1, 60],
    [5, 60],
    [20, 60],
    [60, 60],
  ] as const;
  it.each(sampled(moments, 3))(
    'after %i replies, at %i requests a minute, cost one request each',
    async (replies, limit) => {
      const at = world(limit);
      await at.killedAfter(replies, 100);
      const before = at.service.arrived.length;
      const from = at.scene.clock.monotonic();
      const run = at.client().bids.placeAll(rows(100), { batchId: 'b1' });
      const summary = await at.scene.during(run.summary);
      expect(summary).toMatchObject({ isComplete: true, counts: { accepted: 100 } });
      expect(at.service.accepted).toBe(100);
      // A01 and at most one request for each row that was not settled: no lookup, and no lot.
      expect(at.service.arrived.length - before).toBeLessThanOrEqual(101 - replies);
      expect([at.service.count('GET /bid-requests'), at.service.count('GET /lots')]).toEqual([0, 0]);
      expect(at.scene.clock.monotonic() - from).toBeLessThanOrEqual(1.2 * (100 / limit) * 60_000 + 60_000);
    },
  );
});

describe('rows that a process on another host had recorded and not sent when it was killed', () => {
  /** A scene whose store knows processes of other hosts only by their heartbeats. */
  async function killedBeforeTheFirstByte(count: number) {
    const scene = new Scene();
    const store = memoryStore({ now: () => scene.clock.now() });
    const service = new SmallService(scene.clock);
    const client = (options: Options) => scene.platform([], { transport: service, store, ...options }).client;
    const clock = new MortalClock(scene.clock);
    let isDead = false;
    const dying: Store = {
      ...store,
      process: { id: 'another-host/1/1/1/1/aa', isGone: () => false },
      async transaction(account, work) {
        if (isDead) return new Promise(() => undefined);
        const value = await store.transaction(account, work);
        const which = { which: 'all', after: 0, limit: 1 } as const;
        isDead = (await store.transaction(account, (tx) => tx.intents.list(which))).length > 0;
        return isDead ? new Promise(() => clock.die()) : value;
      },
    };
    client({ store: dying, clock }).bids.placeAll(rows(count), { batchId: 'b1' });
    await scene.clock.advance(500);
    const states = await client({}).intents.list().toArray();
    expect(new Set(states.map(({ state }) => state))).toEqual(new Set(['ready']));
    return { scene, service, client, recorded: states.length };
  }

  it('are placed by the same batch once that process counts as ended', async () => {
    const { scene, service, client, recorded } = await killedBeforeTheFirstByte(30);
    expect(recorded).toBeGreaterThan(1);
    const summary = await scene.during(client({}).bids.placeAll(rows(30), { batchId: 'b1' }).summary);
    expect(summary).toMatchObject({ isComplete: true, counts: { accepted: 30 } });
    expect(service.accepted).toBe(30);
    expect(scene.clock.monotonic()).toBeLessThan(30_000);
  });

  it('are unknown where the deadline or the end of the batch comes first', async () => {
    const { scene, service, client, recorded } = await killedBeforeTheFirstByte(30);
    const place = { deadline: 5_000 };
    const run = client({}).bids.placeAll(rows(30), { batchId: 'b1', place });
    const { counts } = await scene.during(run.summary);
    expect(counts).toMatchObject({ accepted: 30 - recorded, unknown: recorded });
    const again = client({}).bids.placeAll(rows(30), { batchId: 'b1' });
    await scene.clock.advance(3_000);
    again.stop();
    expect((await scene.during(again.summary)).counts).toMatchObject({ unknown: recorded });
    expect(service.accepted).toBe(30 - recorded);
  });
});

it('a row is recorded when its turn in the quota has come', async () => {
  const at = world(25);
  const run = at.client().bids.placeAll(rows(60), { batchId: 'b1' });
  await at.scene.clock.advance(2_000);
  expect((await at.scene.intents()).length).toBeLessThanOrEqual(25);
  expect(run).toBeDefined();
  expect((await at.scene.during(run.summary)).counts.accepted).toBe(60);
});

it('a row without a close waits longer than two minutes for its turn', async () => {
  const at = world(20);
  const run = at.client().bids.placeAll(rows(90), { batchId: 'b1' });
  const results = await at.scene.during(run.toArray());
  expect(new Set(Object.values(statuses(results)))).toEqual(new Set(['accepted']));
  expect(at.scene.clock.monotonic()).toBeGreaterThan(240_000);
});

it('a row whose close comes before its turn is not sent, and nothing of it is recorded', async () => {
  const at = world(20);
  const closesAt = at.scene.clock.now() + 90_000;
  const run = at.client().bids.placeAll(rows(50, { closesAt }), { batchId: 'b1' });
  const results = await at.scene.during(run.toArray());
  const unsent = results.filter(({ status }) => status === 'not_sent');
  expect(unsent).toHaveLength(50 - at.service.accepted);
  expect(at.service.accepted).toBeGreaterThan(0);
  expect(unsent[0]).toMatchObject({ outcome: { reason: 'deadline', attempts: 0 } });
  expect(await at.scene.intents()).toHaveLength(at.service.accepted);
});

it('a deadline that is given for the rows includes their wait for the quota', async () => {
  const at = world(20);
  const run = at.client().bids.placeAll(rows(50), { batchId: 'b1', place: { deadline: 30_000 } });
  const { counts } = await at.scene.during(run.summary);
  expect(counts.accepted + counts.not_sent).toBe(50);
  expect(at.scene.clock.monotonic()).toBeLessThanOrEqual(31_000);
});

it('a batch through four seconds without a backend places every row', async () => {
  const at = world(120, [{ from: 500, until: 4_500, trouble: 'bad gateway' }]);
  const run = at.client().bids.placeAll(rows(100), { batchId: 'b1', concurrency: 20 });
  expect((await at.scene.during(run.summary)).counts.accepted).toBe(100);
});

it('a turn in the quota for a row that another program has settled goes to the next row', async () => {
  const at = world(20);
  const runs = ['first', 'second'].map((name) =>
    at.client({ store: at.programs.as(name) }).bids.placeAll(rows(100), { batchId: 'b1', concurrency: 20 }),
  );
  const summaries = await at.scene.during(Promise.all(runs.map(({ summary }) => summary)));
  expect(summaries.map(({ counts }) => counts.accepted)).toEqual([100, 100]);
  expect([at.service.accepted, at.service.count('POST /lots/')]).toEqual([100, 100]);
  // Three windows for both together; each alone would need six.
  expect(at.scene.clock.monotonic()).toBeLessThan(4 * 61_000);
});
