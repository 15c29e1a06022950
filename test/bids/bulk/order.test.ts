import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowKey } from '../../../src/bids/bulk/rows.js';
import type { BidRow } from '../../../src/bids/bulk/types.js';
import { loadDeriveKey } from '../../../src/intents/derived-key.js';
import { toPaise } from '../../../src/money/paise.js';
import { type Answer, desk, row, type SentBid } from './desk.js';

const PARAMETERS = { seed: 20261121, numRuns: 40 };

const lots = ['lot_a', 'lot_b', 'lot_c', 'lot_d'] as const;
const buyers = ['buyer-1', 'buyer-2', 'buyer-3'] as const;
const refused: Answer = { status: 422, json: { message: 'Invalid.', errors: { amount: ['No.'] } } };

const spec = fc.record({
  lot: fc.constantFrom(...lots),
  buyer: fc.constantFrom(...buyers),
  amount: fc.integer({ min: 1, max: 50 }),
  takes: fc.integer({ min: 1, max: 400 }),
  answer: fc.oneof(
    { weight: 6, arbitrary: fc.constant<Answer>('accepted') },
    { weight: 2, arbitrary: fc.constantFrom<Answer[]>('rejected', 'cut', refused) },
  ),
});

const batch = fc.record({
  specs: fc.uniqueArray(spec, {
    maxLength: 25,
    selector: ({ lot, buyer, amount }) => `${lot} ${buyer} ${amount}`,
  }),
  /** When lots close, s from the start; unknown where it is missing. */
  closes: fc.record(Object.fromEntries(lots.map((lot) => [lot, fc.integer({ min: 600, max: 900 })])), {
    requiredKeys: [],
  }),
  closed: fc.subarray([...lots]),
  concurrency: fc.integer({ min: 1, max: 6 }),
  isStream: fc.boolean(),
  stopAt: fc.option(fc.nat(1_500), { nil: undefined }),
});

type Plan = typeof batch extends fc.Arbitrary<infer T> ? T : never;

const deriveKey = await loadDeriveKey();

async function play({ specs, closes, closed, concurrency, isStream, stopAt }: Plan) {
  const named = new Map(specs.map((one, index) => [rowKey(deriveKey, 'sandbox', 'b1', `r${index}`), one]));
  const at = desk({
    takes: ({ key }) => named.get(key)?.takes ?? 0,
    answer: ({ key }) => named.get(key)?.answer,
  });
  const start = at.clock.now();
  const given: BidRow<'platform'>[] = specs.map(({ lot, buyer, amount }, index) => {
    const s = closes[lot];
    const closesAt = s === undefined ? undefined : start + s * 1_000;
    const bid_type = closed.includes(lot) ? 'closed' : 'open';
    const event = { bid_increment: '0', bid_type };
    return row(`r${index}`, lot, `${amount}`, { bidderReference: buyer, closesAt, event });
  });
  // One attempt and no time for lookups: what is cut stays unknown.
  const place = { maxAttempts: 1, timeout: 1_000, deadline: 900 };
  const run = at.placeAll(isStream ? given.values() : given, { concurrency, place });
  if (stopAt !== undefined) {
    await at.clock.advance(stopAt);
    run.stop();
  }
  const { results, summary } = await at.end(run);
  return { at, given, results, summary, named };
}

/** The bids of one chain: a lot, or one buyer on a closed one. */
function chainsOf(sent: readonly SentBid[], closed: readonly string[]): SentBid[][] {
  const chains = new Map<string, SentBid[]>();
  for (const bid of sent) {
    const name = closed.includes(bid.lot) ? `${bid.lot} ${bid.buyer}` : bid.lot;
    chains.set(name, [...(chains.get(name) ?? []), bid]);
  }
  return [...chains.values()];
}

describe('a batch, whatever its rows, replies and end', () => {
  it('gives each row one result that is true, and sends no bid twice nor two of one chain at a time', async () => {
    await fc.assert(
      fc.asyncProperty(batch, async (plan) => {
        const { at, given, results, summary, named } = await play(plan);
        if (plan.stopAt === undefined) expect(summary.rows).toBe(given.length);
        const positions = Array.from({ length: summary.rows }, (_, index) => index + 1);
        expect(results.map(({ position }) => position)).toEqual(positions);
        const counted = Object.values(summary.counts).reduce((sum, count) => sum + count, 0);
        expect(counted).toBe(summary.rows);
        const sent = new Set(at.sent.map(({ key }) => key));
        expect(sent.size).toBe(at.sent.length);
        for (const result of results) {
          if (!('idempotencyKey' in result)) continue;
          const answer = named.get(result.idempotencyKey)?.answer;
          if (!sent.has(result.idempotencyKey)) expect(['not_sent', 'error']).toContain(result.status);
          else if (answer === 'cut') expect(result.status).toBe('unknown');
          else expect(result.status).toBe(answer === refused ? 'refused' : answer);
        }
        expect(at.service.mostInFlight).toBeLessThanOrEqual(plan.concurrency);
        for (const chain of chainsOf(at.sent, plan.closed)) {
          for (const [index, { at: sentAt }] of chain.entries()) {
            const before = chain[index - 1];
            const freeAt = before && before.at + (named.get(before.key)?.takes ?? 0);
            expect(sentAt).toBeGreaterThanOrEqual(freeAt ?? 0);
          }
        }
      }),
      PARAMETERS,
    );
  });

  it('that is read first begins with the lot that closes first, and with the lowest amount of a chain', async () => {
    await fc.assert(
      fc.asyncProperty(batch, async (plan) => {
        const { at } = await play({ ...plan, isStream: false, concurrency: 1, stopAt: undefined });
        const dues = at.sent.map(({ lot }) => plan.closes[lot] ?? Number.POSITIVE_INFINITY);
        expect(dues).toEqual(dues.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0)));
        for (const chain of chainsOf(at.sent, plan.closed)) {
          const amounts = chain.map(({ amount }) => toPaise(amount));
          expect(amounts).toEqual(amounts.toSorted((one, other) => Number(one - other)));
        }
      }),
      PARAMETERS,
    );
  });
});

describe('rows that wait for the quota', () => {
  const QUOTA = { limit: 3, window: 10_000, margin: 0, scope: 'client' } as const;

  it('leave by the close of their lot, and those of one close buyer by buyer in turn', async () => {
    const at = desk({ client: { quota: QUOTA } });
    const soon = at.clock.now() + 100_000;
    const closing = (rowId: string, bidderReference: string, closesAt: number) =>
      row(rowId, `lot_${rowId}`, '100', { bidderReference, closesAt });
    await at.end(
      at.placeAll([
        closing('late1', 'buyer-1', soon + 1_000),
        closing('late2', 'buyer-1', soon + 1_000),
        closing('late3', 'buyer-2', soon + 1_000),
        closing('soon1', 'buyer-1', soon),
        closing('soon2', 'buyer-1', soon),
        closing('soon3', 'buyer-1', soon),
        closing('soon4', 'buyer-2', soon),
      ]),
    );
    expect(at.sent.map(({ lot }) => lot.replace('lot_', ''))).toEqual([
      // Two leave at once; then the lane decides.
      'soon1',
      'soon2',
      'soon3',
      'soon4',
      'late1',
      'late3',
      'late2',
    ]);
  });

  it('are not sent once their lot has closed, as their rows state', async () => {
    const at = desk({ client: { quota: QUOTA } });
    const given = ['1', '2', '3', '4'].map((name) =>
      row(`r${name}`, `lot_${name}`, '100', { closesAt: at.clock.now() + 5_000 }),
    );
    const { results } = await at.end(at.placeAll(given));
    expect(results.map((result) => result.status)).toEqual(['accepted', 'accepted', 'not_sent', 'not_sent']);
    expect(results[3]).toMatchObject({ outcome: { reason: 'closed' } });
  });
});
