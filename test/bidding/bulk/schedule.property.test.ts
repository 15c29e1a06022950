import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bulkKey } from '../../../src/bidding/bulk/key.js';
import type { BulkRow } from '../../../src/bidding/bulk/row.js';
import type { BidOutcome } from '../../../src/bidding/outcome.js';
import { toPaise } from '../../../src/money/paise.js';
import { desk } from './desk.js';

fc.configureGlobal({ seed: 20261121, numRuns: 150 });

const lots = ['lot_a', 'lot_b', 'lot_c', 'lot_d', 'lot_e'] as const;
const buyers = ['b1', 'b2', 'b3'] as const;
const statuses: readonly BidOutcome['status'][] = ['accepted', 'rejected', 'refused', 'not_sent', 'unknown'];

interface Spec {
  readonly lot: (typeof lots)[number];
  readonly buyer: (typeof buyers)[number];
  readonly amount: number;
  readonly takes: number;
  readonly status: BidOutcome['status'] | 'throws';
}

const spec: fc.Arbitrary<Spec> = fc.record({
  lot: fc.constantFrom(...lots),
  buyer: fc.constantFrom(...buyers),
  amount: fc.integer({ min: 1, max: 50 }),
  takes: fc.integer({ min: 1, max: 400 }),
  status: fc.oneof(
    { weight: 6, arbitrary: fc.constant<Spec['status']>('accepted') },
    { weight: 4, arbitrary: fc.constantFrom<Spec['status'][]>(...statuses, 'throws') },
  ),
});

const batch = fc.record({
  /** No two rows bid the same. */
  specs: fc.uniqueArray(spec, {
    maxLength: 30,
    selector: ({ lot, buyer, amount }) => `${lot} ${buyer} ${amount}`,
  }),
  /** When lots close, s; unknown where it is missing. */
  closes: fc.record(Object.fromEntries(lots.map((lot) => [lot, fc.integer({ min: 600, max: 900 })])), {
    requiredKeys: [],
  }),
  closed: fc.subarray([...lots]),
  concurrency: fc.integer({ min: 1, max: 6 }),
  readAhead: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
  stopAt: fc.option(fc.nat(2_000), { nil: undefined }),
  salt: fc.nat(),
});

type Scene = typeof batch extends fc.Arbitrary<infer T> ? T : never;

async function play({ specs, closes, closed, concurrency, readAhead, stopAt }: Scene) {
  const named = new Map(specs.map((one, index) => [`r${index + 1}`, one]));
  const at = desk({
    takes: (rowId) => named.get(rowId)?.takes ?? 0,
    closes: Object.fromEntries(Object.entries(closes).map(([lot, s]) => [lot, Number(s) * 1_000])),
    answers: Object.fromEntries(
      [...named].map(([rowId, { status }]) => [
        rowId,
        status === 'throws' ? () => Promise.reject(new Error('oops')) : status,
      ]),
    ),
    parts: { quota: { limit: Number.POSITIVE_INFINITY, windowMs: 60_000, marginMs: 0 } },
  });
  const rows: BulkRow[] = [...named].map(([rowId, { lot, buyer, amount }]) => ({
    rowId,
    lot,
    amount: String(amount),
    bidderReference: buyer,
    event: { bid_increment: '0', bid_type: closed.includes(lot) ? 'closed' : 'open' },
  }));
  const run = at.placeAll(rows, { concurrency, readAhead });
  if (stopAt !== undefined) {
    await at.clock.advance(stopAt);
    run.stop();
  }
  return { at, rows, named, closed, ...(await at.end(run)) };
}

type Played = Awaited<ReturnType<typeof play>>;

function chainOf({ named, closed }: Played, rowId: string): string {
  const { lot, buyer } = named.get(rowId) ?? { lot: 'lot_a', buyer: '' };
  return closed.includes(lot) ? `${lot} ${buyer}` : lot;
}

describe('a batch at random', () => {
  it('settles every row that was read exactly once, and invents none', async () => {
    await fc.assert(
      fc.asyncProperty(batch, async (scene) => {
        const { results, summary, named, at } = await play(scene);
        expect(new Set(results.map(({ rowId }) => rowId)).size).toBe(results.length);
        expect(results.length).toBe(summary.rows);
        if (scene.stopAt === undefined) expect(results.length).toBe(named.size);
        const sum = Object.values(summary.counts).reduce((total, count) => total + count, 0);
        expect(sum).toBe(summary.rows);
        // What was placed has the result of its placing, and nothing is placed twice.
        expect(new Set(at.placings.map(({ rowId }) => rowId)).size).toBe(at.placings.length);
        for (const { rowId } of at.placings) {
          const wanted = named.get(rowId)?.status;
          const { status } = results.find((result) => result.rowId === rowId) ?? {};
          expect(status).toBe(wanted === 'throws' ? 'error' : wanted);
        }
      }),
    );
  });

  it('never has two rows of one chain under way, and never too many rows', async () => {
    await fc.assert(
      fc.asyncProperty(batch, async (scene) => {
        const played = await play(scene);
        const { at } = played;
        expect(at.mostUnderWay).toBeLessThanOrEqual(scene.concurrency);
        for (const [index, one] of at.placings.entries()) {
          for (const other of at.placings.slice(index + 1)) {
            if (chainOf(played, one.rowId) !== chainOf(played, other.rowId)) continue;
            expect(other.begunAt).toBeGreaterThanOrEqual(one.endedAt ?? Infinity);
          }
        }
      }),
    );
  });

  it('sends nothing of a chain behind a row in doubt, and holds back nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(batch, async (scene) => {
        const played = await play(scene);
        const { at, named, results } = played;
        const inDoubt = new Map<string, string>();
        for (const { rowId } of at.placings) {
          expect(inDoubt.get(chainOf(played, rowId))).toBeUndefined();
          const status = named.get(rowId)?.status ?? '';
          if (['unknown', 'throws'].includes(status)) inDoubt.set(chainOf(played, rowId), rowId);
        }
        const begun = new Set(at.placings.map(({ rowId }) => rowId));
        for (const { rowId = '', what } of results.filter((result) => !begun.has(result.rowId ?? ''))) {
          const by = inDoubt.get(chainOf(played, rowId));
          if (what.startsWith('Held back')) expect(what).toContain(bulkKey('cl_1', 'b1', by ?? 'none'));
          else expect(scene.stopAt).toBeDefined();
        }
      }),
    );
  });

  it('places by ascending amount in a chain, and chains by their close, when it knows them all', async () => {
    await fc.assert(
      fc.asyncProperty(batch, async (scene) => {
        const played = await play({ ...scene, readAhead: undefined, stopAt: undefined });
        const { at, named } = played;
        const paise = (rowId: string) => toPaise(String(named.get(rowId)?.amount));
        const closeOf = (rowId: string) => Number(scene.closes[named.get(rowId)?.lot ?? ''] ?? Infinity);
        const first = new Map<string, string>();
        const last = new Map<string, string>();
        for (const { rowId } of at.placings) {
          const chain = chainOf(played, rowId);
          const before = last.get(chain);
          if (before !== undefined) expect(paise(rowId) >= paise(before)).toBe(true);
          last.set(chain, rowId);
          if (before === undefined) first.set(chain, rowId);
        }
        const firsts = [...first.values()].map(closeOf);
        expect(firsts).toEqual([...firsts].sort((one, other) => (one === other ? 0 : one - other)));
      }),
    );
  });

  it('gives a row the same key wherever it stands, and no two rows the same', async () => {
    await fc.assert(
      fc.asyncProperty(batch, async (scene) => {
        const { rows } = await play({ ...scene, specs: scene.specs.slice(0, 8) });
        const keysOf = async (some: readonly BulkRow[]) => {
          const at = desk();
          const { results } = await at.end(at.placeAll(some));
          return new Map(results.map(({ rowId, idempotencyKey }) => [rowId, idempotencyKey]));
        };
        const keys = await keysOf(rows);
        const shuffled = await keysOf(
          [...rows].sort((one, other) => hash(one.rowId, scene.salt) - hash(other.rowId, scene.salt)),
        );
        expect(new Map([...shuffled].sort())).toEqual(new Map([...keys].sort()));
        expect(new Set(keys.values()).size).toBe(keys.size);
      }),
      { numRuns: 40 },
    );
  });
});

describe('the key of a row', () => {
  it('is another for every other client, batch and row, however their names are cut', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.string({ unit: 'binary' }), fc.string(), fc.string()), {
          minLength: 2,
          selector: (triple) => JSON.stringify(triple),
        }),
        (triples) => {
          const keys = triples.map(([client, batchId, rowId]) => bulkKey(client, batchId, rowId));
          expect(new Set(keys).size).toBe(triples.length);
        },
      ),
    );
    expect(bulkKey('a', 'b:c', 'd')).not.toBe(bulkKey('a', 'b', 'c:d'));
    expect(bulkKey('a","b', 'c', 'd')).not.toBe(bulkKey('a', 'b","c', 'd'));
  });

  it('stays what it is, release after release: another one would bid every row again', () => {
    expect(bulkKey('cl_1', '2026-11-21-evening', 'r1')).toBe('8b12144d-0d5d-5a6e-8a20-b55ce0ea5886');
  });
});

function hash(text: string, salt: number): number {
  return [...`${text}${salt}`].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 65_521, 7);
}
