import { describe, expect, it } from 'vitest';
import type { Pace } from '../../src/following/pace.js';
import { LotWatch } from '../../src/following/watch.js';
import type { WatchOptions } from '../../src/following/watch-options.js';
import type { LotStatus } from '../../src/generated/lots.js';
import { memoryStore } from '../../src/store/memory.js';
import { signDelivery, webhookReceiver } from '../../src/webhooks/index.js';
import { rejection, thrownBy } from '../support/clients.js';
import { numbersFrom } from '../support/random.js';
import { apiError, brokenLine, collected, Lots, testPace, watchParts } from './support.js';

function started(lots: Lots, ids: Iterable<string> = lots.ids, options = {}, changes: Partial<Pace> = {}) {
  const world = testPace(lots.clock, changes);
  const watch = new LotWatch(watchParts(lots, world.pace), ids, options);
  return { ...world, watch, ...collected(watch) };
}

describe('what a watch yields', () => {
  it('yields where each lot stands, then each change with before, after, fields and allowed actions', async () => {
    const lots = new Lots(2);
    const { changes } = started(lots);
    await lots.clock.advance(1_000);
    expect(changes).toMatchObject([
      { type: 'snapshot', lot: 'lot_0', allowedActions: ['bid'] },
      { type: 'snapshot', lot: 'lot_1' },
    ]);
    lots.change('lot_1', { highest_amount: '500000.00', allowed_actions: ['bid', 'acknowledge'] });
    await lots.clock.advance(40_000);
    const fields = ['resource_version', 'allowed_actions', 'highest_amount'];
    const amounts = { before: { highest_amount: null }, after: { highest_amount: '500000.00' } };
    const change = { type: 'changed', lot: 'lot_1', fields, allowedActions: ['bid', 'acknowledge'] };
    expect(changes.slice(2)).toMatchObject([{ ...change, ...amounts }]);
  });

  it('yields a change that came without a new version, such as a close that time brings', async () => {
    const lots = new Lots(1, 20_000);
    const { changes } = started(lots);
    await lots.clock.advance(20_000);
    lots.change('lot_0', { resource_version: 1, auction_state: 'over' });
    await lots.clock.advance(5_000);
    expect(changes.at(-1)).toMatchObject({ type: 'changed', fields: ['auction_state'] });
  });

  it('drops an older version and keeps what it knows', async () => {
    const lots = new Lots(1, 30_000);
    const { changes, watch } = started(lots);
    lots.change('lot_0', { resource_version: 7, highest_amount: '700.00' });
    await lots.clock.advance(2_000);
    lots.change('lot_0', { resource_version: 6, highest_amount: '600.00' });
    await lots.clock.advance(5_000);
    expect(changes).toHaveLength(1);
    expect(watch.latest('lot_0')?.highest_amount).toBe('700.00');
    lots.change('lot_0', { resource_version: 8, highest_amount: '800.00' });
    await lots.clock.advance(5_000);
    expect(changes.at(-1)).toMatchObject({ before: { resource_version: 7 }, after: { resource_version: 8 } });
  });
});

describe('lots that fail', () => {
  it.each([
    ['with a status and a code', { status: 404, code: 'NOT_FOUND' }, { status: 404, code: 'NOT_FOUND' }],
    ['by missing from the reply', 'missing' as const, {}],
  ])('tells an item that fails %s once, and a snapshot when it returns', async (_, item, told) => {
    const lots = new Lots(2);
    lots.items.set('lot_1', item);
    const { changes } = started(lots);
    await lots.clock.advance(400_000);
    expect(changes.filter(({ type }) => type === 'unavailable')).toEqual([
      { type: 'unavailable', lot: 'lot_1', ...told },
    ]);
    lots.items.clear();
    await lots.clock.advance(61_000);
    expect(changes.at(-1)).toMatchObject({ type: 'snapshot', lot: 'lot_1' });
    lots.items.set('lot_1', item);
    await lots.clock.advance(61_000);
    expect(changes.at(-1)).toMatchObject({ type: 'unavailable', before: { lot_id: 'lot_1' } });
  });

  it.each([
    ['a status from 500', { status: 503 }],
    ['no data', { status: 200 }],
    ['nothing', 'missing' as const],
  ])('asks again within seconds near the close for a lot with %s', async (_, item) => {
    const lots = new Lots(2, 50_000);
    const { changes } = started(lots);
    await lots.clock.advance(2_000);
    lots.items.set('lot_1', item);
    await lots.clock.advance(2_000);
    expect(changes.at(-1)).toMatchObject({ type: 'unavailable', lot: 'lot_1' });
    lots.items.clear();
    await lots.clock.advance(5_000);
    expect(changes.at(-1)).toMatchObject({ type: 'snapshot', lot: 'lot_1' });
  });

  it('finds the one lot for which a batch is refused, and goes on with full batches', async () => {
    const lots = new Lots(100);
    lots.refuse = (ids) => (ids.includes('lot_70') ? apiError(422) : undefined);
    const { changes } = started(lots);
    await lots.clock.advance(30_000);
    expect(changes.filter(({ type }) => type === 'snapshot')).toHaveLength(99);
    expect(changes.filter(({ type }) => type === 'unavailable')).toMatchObject([
      { lot: 'lot_70', status: 422 },
    ]);
    const sizes = (await lots.during(300_000)).map(({ length }) => length);
    expect(new Set(sizes)).toEqual(new Set([99]));
  });

  it('asks for smaller batches from then on where the service refuses so many', async () => {
    const lots = new Lots(100);
    lots.refuse = (ids) => (ids.length > 30 ? apiError(413) : undefined);
    const { changes } = started(lots);
    await lots.clock.advance(90_000);
    expect(changes).toHaveLength(100);
    const sizes = lots.asked.map(({ lots }) => lots.length);
    expect(sizes.slice(0, 7)).toEqual([100, 50, 25, 25, 50, 25, 25]);
    expect(Math.max(...sizes.slice(7))).toBe(25);
  });

  it('ends with the error where the refusal is of the buyer, not of the lots', async () => {
    const lots = new Lots(3);
    lots.refuse = () => apiError(422, { fieldErrors: { bidder_reference: ['is unknown'] } });
    const { done } = started(lots);
    await lots.clock.advance(1_000);
    expect(await rejection(done)).toMatchObject({ status: 422 });
    expect(lots.asked).toHaveLength(1);
  });
});

describe('outages', () => {
  it('tells an outage once, waits longer each time, and reads every lot again after it', async () => {
    const lots = new Lots(150);
    const { changes, warnings } = started(lots);
    await lots.clock.advance(5_000);
    lots.failures.push(...Array.from({ length: 5 }, brokenLine));
    await lots.clock.advance(25_000);
    const seen = new Set((await lots.during(90_000)).flat());
    expect(changes.slice(150).map(({ type }) => type)).toEqual(['outage', 'resumed']);
    expect(changes[150]).toMatchObject({ error: { message: expect.stringContaining('The line broke') } });
    expect(warnings.length).toBe(5);
    expect(seen.size).toBe(150);
  });

  it('waits as long as a 429 asks', async () => {
    const lots = new Lots(1);
    lots.failures.push(apiError(429, { retryAfter: 45_000 }));
    const { changes } = started(lots);
    await lots.clock.advance(44_000);
    expect(lots.asked).toHaveLength(1);
    await lots.clock.advance(3_000);
    expect(changes).toMatchObject([{ type: 'outage' }, { type: 'resumed' }, { type: 'snapshot' }]);
  });

  it('says nothing of an outage that was over before the consumer looked', async () => {
    const lots = new Lots(1);
    lots.failures.push(brokenLine());
    const { pace } = testPace(lots.clock);
    const iterator = new LotWatch(watchParts(lots, pace), lots.ids)[Symbol.asyncIterator]();
    await lots.clock.advance(10_000);
    expect(await iterator.next()).toMatchObject({ value: { type: 'snapshot' } });
    await iterator.return?.();
  });

  it.each([401, 403])('ends with an error that waiting does not cure (%i)', async (status) => {
    const lots = new Lots(1);
    lots.failures.push(apiError(status));
    const { done } = started(lots);
    await lots.clock.advance(1_000);
    expect(await rejection(done)).toMatchObject({ status });
    await lots.clock.advance(600_000);
    expect(lots.asked).toHaveLength(1);
  });
});

describe('the end of a watch', () => {
  it('ends without an error when its signal fires, and sends nothing after it', async () => {
    const lots = new Lots(5, 30_000);
    const controller = new AbortController();
    const { done, changes } = started(lots, lots.ids, { signal: controller.signal });
    await lots.clock.advance(3_000);
    controller.abort();
    await done;
    await started(lots, lots.ids, { signal: controller.signal }).done;
    expect([await lots.during(60_000), changes.length, lots.clock.pending]).toEqual([[], 5, []]);
  });

  it('ends when the client closes, and when the loop is left', async () => {
    const lots = new Lots(1);
    const { close, done } = started(lots);
    await lots.clock.advance(1_000);
    close();
    await done;
    const other = new LotWatch(watchParts(lots, testPace(lots.clock).pace), lots.ids);
    const looped = (async () => {
      for await (const _ of other) break;
    })();
    await lots.clock.advance(1_000);
    await looped;
    expect(lots.clock.pending).toEqual([]);
  });
});

describe('which lots are followed', () => {
  it('sends nothing for no lots, and follows those that are added later, each once', async () => {
    const lots = new Lots(1);
    const { watch, changes } = started(lots, []);
    await lots.clock.advance(300_000);
    expect(lots.asked).toEqual([]);
    watch.add(['lot_0', 'lot_0']);
    await lots.clock.advance(1_000);
    watch.add(['lot_0']);
    await lots.clock.advance(1_000);
    expect(changes).toMatchObject([{ type: 'snapshot', lot: 'lot_0' }]);
  });

  it('forgets lots that are removed', async () => {
    const lots = new Lots(2, 30_000);
    const { watch, changes } = started(lots);
    await lots.clock.advance(1_000);
    watch.remove(['lot_0']);
    lots.change('lot_0', {});
    expect(new Set((await lots.during(10_000)).flat())).toEqual(new Set(['lot_1']));
    expect(changes).toHaveLength(2);
  });

  it('refuses what is no lot before anything is sent, naming it', () => {
    const lots = new Lots(0);
    const { pace } = testPace(lots.clock);
    const wrong: [string, Iterable<string>, object?][] = [
      ['lots.1', ['lot_1', '']],
      ['lots', 'lot_1'],
      ['options.batchSize', [], { batchSize: 101 }],
    ];
    for (const [path, ids, options] of wrong) {
      const error = thrownBy(() => new LotWatch(watchParts(lots, pace), ids, options));
      expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ path }] });
    }
  });

  it('reads the lots of an auction at once when a webhook says that its schedule changed', async () => {
    const lots = new Lots(4, 24 * 3_600_000);
    const { watch, changes } = started(lots, [], { every: Number.POSITIVE_INFINITY });
    watch.add([
      { id: 'lot_0', auction_id: 'auc_1' },
      { id: 'lot_1', auction_id: 'auc_2' },
      'lot_2',
      { id: 'lot_3', auction_id: 'auc_1' },
    ]);
    await using receiver = webhookReceiver({
      secrets: 's',
      store: memoryStore(),
      on: { '*': (event) => watch.notify(event) },
    });
    const tell = async (id: string, type: string, data: object) => {
      const body = { id, type, schema_version: 1, data };
      lots.asked.length = 0;
      await receiver.receive(signDelivery({ secret: 's', body }));
      await receiver.idle();
      await lots.clock.advance(1_000);
      return lots.asked.flatMap((each) => each.lots).sort();
    };
    await lots.clock.advance(70_000);
    lots.change('lot_3', { effective_close_at: '2026-03-09T06:00:00Z' });
    const schedule = { auction_id: 'auc_1', resource_version: 2, effective_close_at: '2026-03-09T06:00:00Z' };
    expect(await tell('e1', 'auction.schedule_changed', schedule)).toEqual(['lot_0', 'lot_2', 'lot_3']);
    expect(changes.at(-1)).toMatchObject({
      lot: 'lot_3',
      fields: ['resource_version', 'effective_close_at'],
    });
    expect(await tell('e2', 'vehicle.status_changed', { lot_id: 'lot_1' })).toEqual(['lot_1']);
    expect(await tell('e3', 'payment.reported', { sale_id: 'sal_1' })).toEqual([]);
    for (const lot of ['lot_0', 'lot_of_others']) watch.notify(lot);
    await lots.clock.advance(1_000);
    expect(lots.asked.map((each) => each.lots)).toEqual([['lot_0']]);
  });
});

describe('how often it reads', () => {
  it('reads 10,000 lots in 100 requests a sweep, in the poll lane, no faster than the quota spares', async () => {
    const lots = new Lots(10_000);
    const { changes } = started(lots);
    await lots.clock.advance(99_900);
    expect(lots.asked).toHaveLength(100);
    expect(new Set(lots.asked.flatMap(({ lots }) => lots)).size).toBe(10_000);
    expect(lots.asked.every(({ lane }) => lane === 'poll')).toBe(true);
    expect(changes).toHaveLength(10_000);
    await lots.clock.advance(100_000);
    expect(lots.asked).toHaveLength(200);
  });

  it('reads every second before a close, and seldom after it, or long before it if no age is asked for', async () => {
    const requests = async (closesInMs: number, options: WatchOptions = {}) => {
      const lots = new Lots(10, closesInMs);
      started(lots, lots.ids, options);
      await lots.clock.advance(1_000);
      return (await lots.during(60_000)).length;
    };
    expect(await requests(61_000)).toBeGreaterThanOrEqual(59);
    expect(await requests(24 * 3_600_000, { every: Number.POSITIVE_INFINITY })).toBeLessThanOrEqual(1);
    expect(await requests(-24 * 3_600_000)).toBeLessThanOrEqual(1);
  });

  it.each([
    [undefined, 100, 5_000, 12],
    [2_000, 100, 2_000, 30],
    [undefined, 1_000, 12_500, 48],
  ])(
    'keeps live lots as fresh as every (%s ms) and the quota allow: %i lots',
    async (every, count, ms, perMinute) => {
      const lots = new Lots(count, 24 * 3_600_000);
      const { watch } = started(lots, lots.ids, { every });
      expect(watch.state()).toMatchObject({
        lots: count,
        live: count,
        status: 'starting',
        staleness: undefined,
      });
      await lots.clock.advance(60_000);
      const requests = await lots.during(60_000);
      expect(requests.length).toBeGreaterThanOrEqual(perMinute - 1);
      expect(requests.length).toBeLessThanOrEqual(perMinute + 1);
      let oldest = 0;
      for (let second = 0; second < 60; second += 1) {
        await lots.clock.advance(1_000);
        oldest = Math.max(oldest, watch.state().staleness ?? Number.POSITIVE_INFINITY);
      }
      expect(oldest).toBeLessThanOrEqual(ms + 2_000);
      const { status, requestsPerMinute } = watch.state();
      expect([status, Math.abs(requestsPerMinute - perMinute) <= 1]).toEqual([
        ms === (every ?? 5_000) ? 'kept' : 'quota',
        true,
      ]);
    },
  );

  it('sees a change of a rival within every, while the quota is idle', async () => {
    const lots = new Lots(100, 24 * 3_600_000);
    const { changes } = started(lots);
    await lots.clock.advance(10_000);
    const waits: number[] = [];
    for (let round = 0; round < 40; round += 1) {
      const before = changes.length;
      lots.change(`lot_${round}`, { highest_amount: `${round}.00` });
      let waited = 0;
      for (; changes.length === before; waited += 250) await lots.clock.advance(250);
      waits.push(waited);
      await lots.clock.advance(63_000 + round * 130);
    }
    waits.sort((a, b) => a - b);
    expect(waits.at(-1)).toBeLessThanOrEqual(5_250);
    expect(waits[20]).toBeLessThanOrEqual(3_000);
  });

  it('reads less often where others use the quota, and says so', async () => {
    const lots = new Lots(100, 24 * 3_600_000);
    let isIdle = true;
    const { watch } = started(lots, lots.ids, {}, { isIdle: () => isIdle });
    await lots.clock.advance(10_000);
    isIdle = false;
    expect(await lots.during(60_000)).toHaveLength(1);
    await lots.clock.advance(30_000);
    expect(watch.state()).toMatchObject({ status: 'quota' });
    isIdle = true;
    await lots.clock.advance(70_000);
    expect(watch.state()).toMatchObject({ status: 'kept' });
  });

  it('costs no more with ten watches over the same lots, which all get every change', async () => {
    const lots = new Lots(100, 24 * 3_600_000);
    const parts = watchParts(lots, testPace(lots.clock).pace);
    const all = Array.from({ length: 10 }, () => collected(new LotWatch(parts, lots.ids)));
    await lots.clock.advance(60_000);
    expect((await lots.during(60_000)).length).toBeLessThanOrEqual(13);
    lots.change('lot_7', { highest_amount: '7.00' });
    await lots.clock.advance(6_000);
    for (const { changes } of all) {
      expect(changes.filter(({ type }) => type === 'snapshot')).toHaveLength(100);
      expect(changes.at(-1)).toMatchObject({ type: 'changed', lot: 'lot_7' });
    }
  });

  it('costs no more with ten watches over ten lots each than with one over all of them', async () => {
    const lots = new Lots(100, 24 * 3_600_000);
    const parts = watchParts(lots, testPace(lots.clock).pace);
    const all = Array.from({ length: 10 }, (_, n) => {
      const own = lots.ids.slice(n * 10, n * 10 + 10);
      const watch = new LotWatch(parts, own);
      return { own, watch, ...collected(watch) };
    });
    await lots.clock.advance(60_000);
    const requests = await lots.during(60_000);
    expect(requests.length).toBeLessThanOrEqual(13);
    expect(requests.every(({ length }) => length === 100)).toBe(true);
    lots.change('lot_7', { highest_amount: '7.00' });
    await lots.clock.advance(6_000);
    for (const { own, watch, changes } of all) {
      expect(
        changes.filter(({ type }) => type === 'snapshot').map((each) => 'lot' in each && each.lot),
      ).toEqual(own);
      expect(watch.state()).toMatchObject({ status: 'kept', live: 10 });
    }
    expect(all.map(({ changes }) => changes.length)).toEqual([11, ...Array.from({ length: 9 }, () => 10)]);
  });

  it('stays within the polls with two watches over a thousand lots each, and ends an outage of both', async () => {
    const lots = new Lots(2_000, 24 * 3_600_000);
    const parts = watchParts(lots, testPace(lots.clock).pace);
    const halves = [lots.ids.slice(0, 1_000), lots.ids.slice(1_000)];
    const all = halves.map((half) => collected(new LotWatch(parts, half)));
    await lots.clock.advance(60_000);
    expect((await lots.during(60_000)).length).toBeLessThanOrEqual(50);
    lots.failures.push(brokenLine(), brokenLine());
    await lots.clock.advance(60_000);
    for (const { changes } of all) {
      const rest = changes.flatMap(({ type }) => (type === 'snapshot' ? [] : type));
      expect(rest.filter((type) => type === 'outage').length).toBe(
        rest.filter((type) => type === 'resumed').length,
      );
    }
  });

  it.each([0, 999, Number.NaN, '5s'])('refuses an age of %j', (every) => {
    expect(() => started(new Lots(1), ['lot_0'], { every: every as number })).toThrow(
      /options.every must be/,
    );
  });

  it('follows a lot more closely after it changed', async () => {
    const lots = new Lots(1);
    started(lots);
    await lots.clock.advance(1_000);
    lots.change('lot_0', {});
    await lots.clock.advance(30_000);
    expect((await lots.during(30_000)).length).toBeGreaterThanOrEqual(3);
  });

  it('serves lots near their close first where the quota spares little', async () => {
    const lots = new Lots(1_000, 3 * 3_600_000);
    lots.open('lot_near', 230_000);
    const { pace } = testPace(lots.clock, { spare: () => 6 });
    collected(new LotWatch(watchParts(lots, pace), lots.ids));
    await lots.clock.advance(170_000);
    const near = (await lots.during(60_000)).filter((each) => each.includes('lot_near'));
    expect(near.length).toBeGreaterThanOrEqual(5);
  });
});

describe('a watch over seeded storms', () => {
  it.each([1, 2, 3, 4, 5])(
    'delivers every change or a later one, each against the one before, through outages and lagging replicas (seed %i)',
    async (seed) => {
      const random = numbersFrom(seed);
      const next = (below: number) => Math.floor(random() * below);
      const lots = new Lots(250, 600_000);
      const { pace } = testPace(lots.clock);
      const watch = new LotWatch(watchParts(lots, pace), lots.ids);
      const seen = new Map<string, LotStatus>();
      const broken: unknown[] = [];
      const consuming = (async () => {
        for await (const change of watch) {
          if (change.type === 'changed') {
            const { before, after, fields } = change;
            const isTrue = fields.every(
              (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
            );
            if (before !== seen.get(change.lot) || fields.length === 0 || !isTrue) broken.push(change);
          }
          if (change.type === 'snapshot' || change.type === 'changed') {
            const { resource_version: known = 0 } = seen.get(change.lot) ?? {};
            if (change.after.resource_version < known) broken.push(change);
            seen.set(change.lot, change.after);
          }
          // A consumer that is slower than the lots, at times by far.
          if (next(40) === 0)
            await new Promise<void>((resolve) => void lots.clock.after(next(20_000), resolve));
        }
      })();
      for (let step = 0; step < 400; step += 1) {
        const id = `lot_${next(250)}`;
        const what = next(12);
        if (what === 0) lots.failures.push(...Array.from({ length: 1 + next(3) }, brokenLine));
        else if (what === 1) lots.failures.push(apiError(429, { retryAfter: 5_000 }));
        else if (what === 2) lots.items.set(id, { status: 404, code: 'NOT_FOUND' });
        else if (what === 3) lots.items.clear();
        else if (what === 4) lots.lag(id);
        else lots.change(id, { highest_amount: `${step}.00` });
        if (next(5) === 0) watch.notify(id);
        await lots.clock.advance(next(3_000));
      }
      lots.items.clear();
      lots.failures.length = 0;
      await lots.clock.advance(1_200_000);
      expect(broken).toEqual([]);
      expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(lots.statuses));
      await watch[Symbol.asyncIterator]().return?.();
      await consuming;
    },
  );
});
