import { describe, expect, it } from 'vitest';
import type { RowResult } from '../../../src/index.js';
import { Scene } from '../../support/bidders.js';
import { numbersFrom } from '../../support/random.js';
import { SmallService } from '../../support/small-service.js';
import { thoroughly } from '../../support/thorough.js';
import { desk, row, rows, statuses } from './desk.js';

/** What placing a batch would do: a dry run gives every row a result, and a plan lists what would be held back. */

function limited(riskLimits: object, limit = Number.POSITIVE_INFINITY) {
  const scene = new Scene();
  const service = new SmallService(scene.clock);
  const quota = { limit, scope: 'client' } as const;
  const { client } = scene.platform([], { transport: service, quota, riskLimits });
  return { scene, service, client };
}

const reasons = (results: readonly RowResult<unknown>[]) =>
  Object.fromEntries(
    results.map((each) => [
      each.rowId,
      'outcome' in each && 'reason' in each.outcome ? `${each.status} ${each.outcome.reason}` : each.status,
    ]),
  );

describe('a dry run', () => {
  it('sends and records nothing, and gives each row its key and the time at which it would leave', async () => {
    const { scene, service, client } = limited({}, 20);
    const run = client.bids.placeAll(rows(30), { batchId: 'b1', dryRun: true });
    const summary = await scene.during(run.summary);
    const results = await run.toArray();
    expect([service.arrived, await scene.intents()]).toEqual([[], []]);
    expect(summary).toMatchObject({ rows: 30, counts: { would_send: 30, accepted: 0 }, causes: [] });
    expect(summary).toMatchObject({ isComplete: false, inDoubt: [] });
    const now = scene.clock.now();
    const times = results.map((each) => (each.status === 'would_send' ? each.leavesAt - now : -1));
    expect([Math.min(...times), Math.max(...times)]).toEqual([0, 61_000]);
    await scene.during(client.bids.placeAll(rows(30), { batchId: 'b1' }).summary);
    const keys = (await scene.intents()).map(({ key }) => key).sort();
    expect(results.map((each) => 'idempotencyKey' in each && each.idempotencyKey).sort()).toEqual(keys);
  });

  it('answers rows from the store as a run would, and reports a rowId that is recorded for another bid', async () => {
    const { placeAll, end, sent } = desk({ answer: ({ lot }) => (lot === 'lot_2' ? 'rejected' : undefined) });
    await end(placeAll(rows(3)));
    const again = [...rows(2), row('r3', 'lot_3', '200'), row('r4', 'lot_4', '100')];
    const dry = await end(placeAll(again, { dryRun: true }));
    const real = await end(placeAll(again));
    expect(statuses(dry.results)).toEqual({ r1: 'accepted', r2: 'rejected', r3: 'error', r4: 'would_send' });
    expect(statuses(real.results)).toEqual({ r1: 'accepted', r2: 'rejected', r3: 'error', r4: 'accepted' });
    expect(sent).toHaveLength(4);
    for (const index of [0, 1]) {
      expect(dry.results[index]).toMatchObject({
        idempotencyKey: Object(real.results[index]).idempotencyKey,
        what: real.results[index]?.what,
      });
    }
    expect(dry.results[2]).toMatchObject({ error: { name: 'IdempotencyConflictError' } });
    expect(real.results[2]).toMatchObject({ error: { name: 'IdempotencyConflictError' } });
  });

  it('reports a buyer whose earlier bid on the lot is unresolved', async () => {
    const { placeAll, end } = desk({ answer: () => 'cut', client: { maxAttempts: 1 } });
    await end(placeAll([row('r1', 'lot_1', '100')]));
    const next = [row('n1', 'lot_1', '200'), row('n2', 'lot_1', '200', { bidderReference: 'buyer-2' })];
    const dry = await end(placeAll(next, { batchId: 'b2', dryRun: true }));
    expect(statuses(dry.results)).toEqual({ n1: 'error', n2: 'would_send' });
    expect(dry.results[0]).toMatchObject({ error: { name: 'InDoubtError', reason: 'unresolved_bid' } });
    const allowed = await end(placeAll(next, { batchId: 'b2', dryRun: true, allowUnresolved: true }));
    expect(statuses(allowed.results)).toEqual({ n1: 'would_send', n2: 'would_send' });
    // The rows of the batch that left it unresolved are settled one after the other.
    const own = await end(placeAll([row('r1', 'lot_1', '100'), row('r5', 'lot_1', '300')], { dryRun: true }));
    expect(statuses(own.results)['r5']).toBe('would_send');
  });

  it('stops for a wrong row as a run does, and reports all others if asked to', async () => {
    const { placeAll, end, sent } = desk();
    const mixed = [row('r1', 'lot_1', '100'), row('r2', 'lot_2', 'much')];
    const stopped = await end(placeAll(mixed, { dryRun: true }));
    expect(statuses(stopped.results)).toEqual({ r1: 'not_sent', r2: 'invalid' });
    expect(stopped.summary.stopped?.reason).toBe('invalid_rows');
    const all = await end(placeAll(mixed, { dryRun: true, onInvalid: 'report' }));
    expect(statuses(all.results)).toEqual({ r1: 'would_send', r2: 'invalid' });
    expect(sent).toEqual([]);
  });

  it('names rows whose time is over, and those whose turn comes too late', async () => {
    const { scene, client } = limited({}, 20);
    const now = scene.clock.now();
    const all = [
      ...rows(20),
      row('closed', 'lot_a', '100', { closesAt: now - 1_000 }),
      row('over', 'lot_b', '100', { placeBy: now - 1_000 }),
      row('soon', 'lot_c', '100', { closesAt: now + 30_000 }),
      ...rows(20, { closesAt: now + 30_000 }).map((one) => ({
        ...one,
        rowId: `c${one.rowId}`,
        lot: `c_${one.rowId}`,
      })),
    ];
    const run = client.bids.placeAll(all, { batchId: 'b1', dryRun: true });
    await scene.during(run.summary);
    const results = await run.toArray();
    expect(reasons(results)).toMatchObject({
      closed: 'not_sent closed',
      over: 'not_sent deadline',
      soon: 'would_send',
    });
    const late = results.filter((each) => 'lateBy' in each);
    const { late: planned } = await client.bids.plan(all, { batchId: 'b1' });
    expect(late.map(({ rowId }) => rowId)).toEqual(
      planned.filter(({ dueAt }) => dueAt > now).map(({ rowId }) => rowId),
    );
    expect(late.length).toBeGreaterThan(0);
  });
});

describe('risk limits before the first bid', () => {
  it.each([
    [{ perBid: '150' }, { r3: 'The bid would be 200.00, and perBid is 150.' }],
    [{ perBuyer: '300' }, { r3: 'The amount at stake for buyer-1 would be 400.00, and perBuyer is 300.' }],
    [{ perLot: '250' }, { r4: 'The amount at stake on lot lot_1 would be 350.00, and perLot is 250.' }],
  ])('%j: a plan and a dry run name the rows that a run then holds back', async (riskLimits, expected) => {
    const { scene, client } = limited(riskLimits);
    const soon = (ms: number) => ({ closesAt: scene.clock.now() + 600_000 + ms });
    const all = [
      row('r1', 'lot_1', '100', soon(0)),
      row('r2', 'lot_2', '100', soon(1)),
      row('r3', 'lot_3', '200', soon(2)),
      row('r4', 'lot_1', '250', { bidderReference: 'buyer-2', ...soon(0) }),
    ];
    const own = 'perBid' in riskLimits ? all.filter(({ rowId }) => rowId !== 'r4') : all;
    const options = { batchId: 'b1' };
    const plan = await client.bids.plan(own, options);
    const held = Object.fromEntries(plan.heldBack.map(({ rowId, why }) => [rowId, why]));
    expect(held).toEqual(expected);
    expect(plan.heldBack.every(({ reason }) => reason === 'risk_limit')).toBe(true);
    expect(plan).toMatchObject({ rows: own.length, requests: own.length - 1, settled: 0 });
    const dry = client.bids.placeAll(own, { ...options, dryRun: true });
    await scene.during(dry.summary);
    const real = client.bids.placeAll(own, options);
    await scene.during(real.summary);
    const [inDry, inReal] = [reasons(await dry.toArray()), reasons(await real.toArray())];
    const heldIn = (found: object) =>
      Object.entries(found).flatMap(([rowId, reason]) => (reason === 'not_sent risk_limit' ? [rowId] : []));
    expect(heldIn(inDry)).toEqual(Object.keys(expected));
    expect(heldIn(inReal)).toEqual(Object.keys(expected));
  });

  it('count what is at stake in the store, and a higher bid on a lot only by what it adds', async () => {
    const { scene, client } = limited({ perBuyer: '350' });
    await scene.during(client.bids.placeAll([row('a', 'lot_1', '200')], { batchId: 'b0' }).summary);
    const next = [row('r1', 'lot_1', '300'), row('r2', 'lot_2', '50'), row('r3', 'lot_3', '10')];
    const plan = await client.bids.plan(next, { batchId: 'b1' });
    expect(plan.heldBack).toMatchObject([{ rowId: 'r3', position: 3, reason: 'risk_limit' }]);
    const run = client.bids.placeAll(next, { batchId: 'b1', concurrency: 1 });
    await scene.during(run.summary);
    expect(reasons(await run.toArray())).toEqual({
      r1: 'accepted',
      r2: 'accepted',
      r3: 'not_sent risk_limit',
    });
  });

  it('equal those of a run over seeded batches, where every bid is accepted', async () => {
    let held = 0;
    for (let seed = 1; seed <= thoroughly(4, 20); seed += 1) {
      const { scene, client } = limited({ perBuyer: '900', perLot: '1500' });
      const random = numbersFrom(seed);
      const next = (below: number) => Math.floor(random() * below);
      const batch = (name: string) =>
        Array.from({ length: 30 }, (_, n) =>
          row(`${name}${n}`, `lot_${next(6)}`, String(100 + next(5) * 50 + n), {
            bidderReference: `buyer-${next(5)}`,
          }),
        );
      await scene.during(client.bids.placeAll(batch('a'), { batchId: 'a', concurrency: 1 }).summary);
      const rowsOfB = batch('b');
      const options = { batchId: 'b', concurrency: 1 };
      const planned = (await client.bids.plan(rowsOfB, options)).heldBack.map(({ rowId }) => rowId).sort();
      const run = client.bids.placeAll(rowsOfB, options);
      await scene.during(run.summary);
      const actual = Object.entries(reasons(await run.toArray()))
        .flatMap(([rowId, reason]) => (reason === 'not_sent risk_limit' ? [rowId] : []))
        .sort();
      expect(planned).toEqual(actual);
      held += actual.length;
    }
    expect(held).toBeGreaterThan(50);
  });

  it('come after a halt, which holds every row back', async () => {
    const { scene, client } = limited({ perBid: '50' });
    await client.bids.halt('checking');
    const plan = await client.bids.plan(rows(2), { batchId: 'b1' });
    expect(plan.heldBack.map(({ reason, why }) => [reason, why])).toEqual([
      ['halted', 'Bidding is halted (checking).'],
      ['halted', 'Bidding is halted (checking).'],
    ]);
    expect(plan.requests).toBe(0);
    const run = client.bids.placeAll(rows(2), { batchId: 'b1', dryRun: true });
    await scene.during(run.summary);
    expect(reasons(await run.toArray())).toEqual({ r1: 'not_sent halted', r2: 'not_sent halted' });
  });
});
