import { describe, expect, it } from 'vitest';
import { Scene } from '../../support/bidders.js';
import { SmallService } from '../../support/small-service.js';
import { row, rows } from './desk.js';

/** `bids.plan` says when the bids of a batch would leave, and sends nothing. */

function planner(limit: number) {
  const scene = new Scene();
  const service = new SmallService(scene.clock);
  const quota = { limit, scope: 'client' } as const;
  const { client } = scene.platform([], { transport: service, quota });
  return { scene, service, client };
}

describe('the plan of a batch', () => {
  it('says how many requests it needs, and when the last has left', async () => {
    const { scene, service, client } = planner(20);
    const plan = await client.bids.plan(rows(90), { batchId: 'b1' });
    expect(plan).toMatchObject({ rows: 90, invalid: 0, settled: 0, requests: 90, late: [] });
    expect([service.arrived, await scene.intents()]).toEqual([[], []]);
    const from = scene.clock.monotonic();
    const run = client.bids.placeAll(rows(90), { batchId: 'b1' });
    await scene.during(run.summary);
    const took = scene.clock.monotonic() - from;
    const planned = (plan.lastAt ?? 0) - plan.now;
    // The reading of server time takes one place, and each reply some of a second.
    expect(took).toBeLessThanOrEqual(planned + 5_000);
    expect(took).toBeGreaterThan(planned - 65_000);
  });

  it('names the rows that are late for their close or placeBy, in the order of the batch', async () => {
    const { scene, client } = planner(20);
    const soon = scene.clock.now() + 30_000;
    const all = [...rows(25), row('last', 'lot_x', '100', { placeBy: soon }), ...closing(soon)];
    const plan = await client.bids.plan(all, { batchId: 'b1' });
    // 21 rows are due soon, and 17 bids leave at once: the other lanes keep three of twenty places.
    expect(plan.late).toHaveLength(4);
    expect(plan.late[0]).toMatchObject({ dueAt: soon });
    expect(plan.late[0]?.lateBy).toBe(Number(plan.late[0]?.leavesAt) - soon);
    expect(plan.late[0]?.leavesAt).toBeGreaterThan(soon);
  });

  it('counts no row that an earlier run has settled, and those that are wrong', async () => {
    const { scene, client } = planner(120);
    await scene.during(client.bids.placeAll(rows(10), { batchId: 'b1' }).summary);
    const wrong = row('wrong', 'lot_y', 'much');
    const plan = await client.bids.plan([...rows(15), wrong], { batchId: 'b1', onInvalid: 'report' });
    expect(plan).toMatchObject({ rows: 16, invalid: 1, settled: 10, requests: 5 });
    expect(plan.recorded).toHaveLength(10);
    const [intent] = await scene.intents();
    expect(plan.recorded.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(plan.recorded.every(({ state }) => state === 'accepted')).toBe(true);
    expect(plan.recorded.map(({ idempotencyKey }) => idempotencyKey)).toContain(intent?.key);
  });

  it('has no last bid where nothing is to be sent', async () => {
    const plan = await planner(120).client.bids.plan([], { batchId: 'b1' });
    expect(plan).toMatchObject({ rows: 0, requests: 0, lastAt: undefined });
  });

  it('refuses options that can not work', async () => {
    const planning = planner(120).client.bids.plan([], { batchId: '' });
    await expect(planning).rejects.toMatchObject({ name: 'InvalidRequestError' });
  });
});

function closing(closesAt: number) {
  return rows(20, { closesAt }).map((one) => ({
    ...one,
    rowId: `closing ${one.rowId}`,
    lot: `c_${one.rowId}`,
  }));
}
