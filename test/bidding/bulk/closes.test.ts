import { describe, expect, it } from 'vitest';
import type { ClosesOf } from '../../../src/bidding/bulk/closes.js';
import type { BulkRow } from '../../../src/bidding/bulk/row.js';
import { acceptance, iso, LOT, NOW } from '../../support/bid-replies.js';
import { Scene } from '../../support/bidders.js';
import { desk, row } from './desk.js';

const many = Array.from({ length: 40 }, (_, index) => row(`r${index}`, `lot_${index}`, '100'));

/** The same rows, from a source that then has no more of them and never ends. */
async function* endless(): AsyncGenerator<BulkRow> {
  yield* many;
  await new Promise(() => undefined);
}

/** A function of a program without types. */
const untyped =
  (told: unknown): ClosesOf =>
  async () =>
    JSON.parse(JSON.stringify(told));

describe('a function for closes', () => {
  it.each<[what: string, why: string, closes: ClosesOf]>([
    ['gives an object', 'gave no Map', untyped({ lot_1: 5 })],
    ['gives nothing', 'gave no Map', untyped(null)],
    [
      'throws',
      'no table',
      () => {
        throw new Error('no table');
      },
    ],
    ['rejects', 'no table', () => Promise.reject(new Error('no table'))],
  ])('that %s leaves closes unknown, and loses no row', async (_, why, closes) => {
    const warning = { type: 'closes_unknown', lots: 40, what: expect.stringContaining(why) };
    const whole = desk();
    const { summary, results } = await whole.end(whole.placeAll(many, { closes }));
    expect([results.length, summary.counts.accepted, summary.stopped]).toEqual([40, 40, undefined]);
    expect(summary.warnings).toMatchObject([warning]);

    const stream = desk();
    const run = stream.placeAll(endless(), { closes });
    await stream.clock.advance(5_000);
    expect(stream.placings).toHaveLength(40);
    run.stop();
    const ended = await stream.end(run);
    expect([ended.results.length, ended.summary.counts.accepted]).toEqual([40, 40]);
    expect(ended.summary.warnings).toMatchObject([warning]);
  });

  it('that is wrong on some lots is believed on the others', async () => {
    const at = desk();
    const closes = new Map([
      ['lot_2', at.start + 9_000],
      ['lot_3', Number.NaN],
      ['lot_4', Number.MAX_VALUE],
    ]);
    const rows = [1, 2, 3, 4].map((number) => row(`r${number}`, `lot_${number}`, '1'));
    const { summary } = await at.end(at.placeAll(rows, { concurrency: 1, closes: async () => closes }));
    expect(at.placings.map(({ rowId }) => rowId)).toEqual(['r2', 'r1', 'r3', 'r4']);
    expect(summary.warnings).toMatchObject([
      { type: 'closes_unknown', lots: 3, what: expect.stringContaining('lot_3, lot_4') },
    ]);
  });

  it.each<[source: string, rows: () => Iterable<BulkRow> | AsyncIterable<BulkRow>]>([
    ['read to its end', () => many],
    ['without an end', endless],
  ])('that never answers keeps no batch from being stopped: a source %s', async (_, rows) => {
    const at = desk();
    const run = at.placeAll(rows(), { closes: () => new Promise(() => undefined) });
    await at.clock.advance(1_000);
    run.stop();
    const [summary, results] = [await run.summary, await run.toArray()];
    expect(summary).toMatchObject({ rows: 40, stopped: { by: 'signal' }, counts: { not_sent: 40 } });
    expect([results.length, summary.warnings, at.placings]).toEqual([40, [], []]);
    expect(at.clock.pending).toEqual([]);
  });

  it('that never answers loses no row where the batch fails meanwhile', async () => {
    const error = new Error('no randomness');
    const at = desk({
      parts: {
        check: ({ lot }) => {
          if (lot === 'lot_late') throw error;
          return [];
        },
      },
    });
    let push: (late: BulkRow) => void = () => undefined;
    const late = new Promise<BulkRow>((resolve) => {
      push = resolve;
    });
    async function* rows() {
      yield* many;
      yield await late;
    }
    const run = at.placeAll(rows(), { closes: () => new Promise(() => undefined) });
    await at.clock.advance(1_000);
    push(row('r99', 'lot_late', '1'));
    await at.clock.advance(0);
    expect(await run.summary).toMatchObject({
      rows: 40,
      counts: { not_sent: 40 },
      stopped: { by: 'failure', error },
    });
    await expect(run.toArray()).rejects.toBe(error);
  });
});

describe('a close that has passed', () => {
  it('says no more than that the record is old: the bid is sent, as place sends it', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance(), acceptance()]);
    const lot = { id: LOT, starting_price: '100', ends_at: iso(NOW - 1_000) };
    const one = await scene.during(client.bidding.place({ lot, amount: '100' }));
    const rows = [{ rowId: 'r1', lot: { ...lot, id: 'lot_2' }, amount: '100' }];
    const run = client.bidding.placeAll(rows, { batchId: 'b' });
    await scene.during(run.summary);
    expect([one.status, (await run.toArray())[0]?.status]).toEqual(['accepted', 'accepted']);
    expect(transport.lines).toEqual([`POST /lots/${LOT}/bids`, 'POST /lots/lot_2/bids']);
  });

  it('while the row waited is no limit of it any more', async () => {
    const at = desk({ takes: 1_000, closes: { lot_1: 2_000, lot_2: 2_000, lot_3: 2_000 } });
    const rows = [1, 2, 3].map((number) => row(`r${number}`, `lot_${number}`, '1'));
    await at.end(at.placeAll(rows, { concurrency: 1 }));
    expect(at.placings.map(({ bid }) => bid.placeBy)).toEqual([
      at.start + 2_000,
      at.start + 2_000,
      undefined,
    ]);
  });

  it("is one thing, and a row's own limit another: that stays", async () => {
    const at = desk();
    const placeBy = at.start - 5_000;
    await at.end(at.placeAll([row('r1', 'lot_1', '1', { placeBy, closesAt: at.start - 1_000 })]));
    expect(at.placings[0]?.bid.placeBy).toBe(placeBy);
  });

  it('while a row waited leaves nothing to do, as far as is known', async () => {
    const answers = { r1: 'not_sent', r2: 'not_sent', r3: 'not_sent' } as const;
    const at = desk({ takes: 1_000, answers });
    const rows = [
      row('r1', 'lot_1', '1', { closesAt: at.start + 500 }),
      row('r2', 'lot_2', '1', { closesAt: at.start + 5_000 }),
      row('r3', 'lot_3', '1'),
    ];
    const { results } = await at.end(at.placeAll(rows, { closes: 'as_given' }));
    const closed =
      'Its lot has closed, as far as is known, so nothing is left to do; were its close moved, run the batch b1 again.';
    expect(results.map(({ nextStep, outcome }) => [nextStep, outcome?.nextStep])).toEqual([
      [closed, closed],
      ['Go on.', 'Go on.'],
      ['Go on.', 'Go on.'],
    ]);
  });

  it('puts a row behind those that can still make it', async () => {
    const at = desk({ takes: 1_000 });
    const rows = [
      row('late', 'lot_1', '1', { closesAt: at.start - 1_000 }),
      row('later', 'lot_2', '1', { closesAt: at.start + 500 }),
      row('own', 'lot_3', '1', { placeBy: at.start - 2_000, closesAt: at.start + 9_000 }),
      row('soon', 'lot_4', '1', { closesAt: at.start + 3_500 }),
      row('unknown', 'lot_5', '1'),
    ];
    const run = at.placeAll(rows, { concurrency: 1, closes: 'as_given' });
    const plan = await run.plan;
    await at.end(run);
    expect(at.placings.map(({ rowId }) => rowId)).toEqual(['own', 'soon', 'unknown', 'late', 'later']);
    expect(plan).toMatchObject({ requests: 5, late: 2 });
  });
});
