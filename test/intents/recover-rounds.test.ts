import { describe, expect, it } from 'vitest';
import { rows } from '../bids/bulk/desk.js';
import { Scene } from '../support/bidders.js';
import { rejection } from '../support/clients.js';
import { MortalClock } from '../support/mortal-clock.js';
import { DyingTransport, SmallService } from '../support/small-service.js';

/** `recover()` looks many bids up together, at the rate of the quota. */

/** A store with so many bids in doubt, and the next process on it. */
async function inDoubt(count: number, has: boolean, limit = 120) {
  const scene = new Scene();
  const service = new SmallService(scene.clock);
  const clock = new MortalClock(scene.clock);
  const transport = new DyingTransport(service, clock, 1);
  const unlimited = { limit: Number.POSITIVE_INFINITY, scope: 'client' } as const;
  const dead = scene.platform([], { clock, transport, quota: unlimited }).client;
  dead.bids.placeAll(rows(count + 1), { batchId: 'b1', concurrency: count + 1 });
  while (!transport.isDead) await scene.clock.advance(500);
  if (!has) service.bids.clear();
  const quota = { limit, scope: 'client' } as const;
  const { client } = scene.platform([], { transport: service, quota });
  const keys = (await scene.intents()).filter(({ state }) => state === 'sent').map(({ key }) => key);
  expect(keys).toHaveLength(count);
  return { scene, service, client, lookups: () => service.count('GET /bid-requests'), keys };
}

/** Requests that a client of a limit of 120 may use for reads in a minute: a fifth is kept for bids. */
const READS = 96;

describe('recover()', () => {
  it('costs one lookup for each bid at the rate of the quota, and lets a new bid leave at once', async () => {
    const at = await inDoubt(300, true);
    const from = at.scene.clock.monotonic();
    const recovering = at.client.recover();
    await at.scene.clock.advance(30_000);
    const placing = at.client.bids.place({ lot: 'lot_new', amount: '100', bidderReference: 'buyer-2' });
    await at.scene.clock.advance(2_000);
    expect(await placing).toMatchObject({ status: 'accepted' });
    const outcomes = await at.scene.during(recovering);
    expect(outcomes.map(({ status }) => status)).toEqual(Array(300).fill('accepted'));
    expect(at.lookups()).toBe(300);
    expect(at.scene.clock.monotonic() - from).toBeLessThanOrEqual((300 / READS) * 60_000 * 1.1);
  });

  it('takes the second look of all absent bids together, a minute later', async () => {
    const at = await inDoubt(40, false);
    await at.scene.clock.advance(301_000);
    const from = at.scene.clock.monotonic();
    const outcomes = await at.scene.during(at.client.recover());
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['refused']));
    expect(at.lookups()).toBe(80);
    expect(at.scene.clock.monotonic() - from).toBeLessThanOrEqual(62_000);
  });

  it('ends within the time that it is given, names what is left, and goes on with the next call', async () => {
    const at = await inDoubt(60, true, 40);
    const from = at.scene.clock.monotonic();
    const outcomes = await at.scene.during(at.client.recover({ within: 10_000 }));
    expect(at.scene.clock.monotonic() - from).toBeLessThanOrEqual(10_000);
    expect(outcomes).toHaveLength(60);
    const left = outcomes.filter(({ status }) => status === 'unknown');
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(60);
    for (const { nextStep } of left) expect(nextStep).toContain('intents.reconcile(key)');
    const next = await at.scene.during(at.client.recover());
    expect(next.map(({ status }) => status)).toEqual(Array(left.length).fill('accepted'));
    // A request that was cut off is made once more.
    expect(at.lookups()).toBeLessThanOrEqual(61);
  });

  it('ends within its time although the service states no time, and judges nothing', async () => {
    const { scene, keys } = await inDoubt(3, true);
    const outages = [{ from: 0, until: Number.POSITIVE_INFINITY, trouble: 'silence' }] as const;
    const { client } = scene.platform([], { transport: new SmallService(scene.clock, outages) });
    await scene.clock.advance(7_200_000);
    const recovering = client.recover({ within: 500 });
    const declaring = rejection(client.recover({ within: 500, restored: true }));
    await scene.clock.advance(600);
    const outcomes = await recovering;
    expect(outcomes.map(({ idempotencyKey }) => idempotencyKey).sort()).toEqual([...keys].sort());
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['unknown']));
    expect((await scene.intents()).filter(({ state }) => state === 'sent')).toHaveLength(3);
    // A declaration that was not recorded must not be taken for one that was.
    expect(await declaring).toMatchObject({ name: 'TimeoutError', reason: 'deadline' });
  });

  it.each([0, -1, Number.NaN, '5'])('refuses %j as the time that it may take', async (within) => {
    const { client } = new Scene().dealer();
    const recovering = client.recover({ within: within as number });
    await expect(recovering).rejects.toMatchObject({ name: 'InvalidRequestError' });
  });
});
