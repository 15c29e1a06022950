import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RivalLogEntry, type Sandbox, type Strategy, startSandbox } from '../../../src/sandbox/index.js';
import { lotOf } from '../caller.js';

const labels = ['live-open', 'live-closed', 'live-legacy', 'live-no-grid'] as const;
/** Steps in paise, from the table of what is in a sandbox. */
const increments = {
  'live-open': 500_000n,
  'live-closed': 250_000n,
  'live-legacy': 100_000n,
  'live-no-grid': 0n,
};

interface Happening {
  readonly label: (typeof labels)[number];
  readonly index: number;
  /** What somebody else does, or the schedule. */
  readonly what: 'bid' | 'extend' | 'shorten' | 'wait';
  readonly ms: number;
}

interface Following {
  readonly strategy: Strategy;
  readonly seed: number;
  readonly reactAfterMs: number;
  readonly chance: number;
  readonly opens: boolean;
  /** Rupees. */
  readonly limit: number | undefined;
}

const happenings = fc.array(
  fc.record({
    label: fc.constantFrom(...labels),
    index: fc.nat(1),
    what: fc.constantFrom('bid', 'bid', 'bid', 'extend', 'shorten', 'wait'),
    ms: fc.nat(1_200_000),
  }),
  { minLength: 3, maxLength: 14 },
);
const followings = fc.array(
  fc.record({
    strategy: fc.constantFrom<Strategy>('stepwise', 'eager', 'random', 'sniper'),
    seed: fc.integer({ min: -1_000, max: 1_000 }),
    reactAfterMs: fc.nat(900_000),
    chance: fc.constantFrom(0.3, 0.8, 1),
    opens: fc.boolean(),
    limit: fc.option(fc.integer({ min: 20_000, max: 2_000_000 }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 3 },
);

/** Lets rivals follow two lots of each auction while others bid and closes move, until all is over. */
async function played(follows: readonly Following[], happens: readonly Happening[], others = true) {
  const sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z' });
  try {
    const lots = labels.flatMap((label) => [0, 1].map((index) => lotOf(sandbox, label, index).id));
    const logs = follows.map(({ limit, ...options }, place) => {
      const rival = place === 0 ? sandbox.rival : sandbox.rival.as(`number_${place}`);
      return rival.follow({ ...options, lots, ...(limit !== undefined && { limit: `${limit}.00` }) }).log;
    });
    for (const happening of happens) happen(sandbox, happening, others);
    sandbox.clock.advance(24 * 3_600_000);
    return { logs, ledger: sandbox.ledger(), auctions: sandbox.auctions.list() };
  } finally {
    await sandbox.close();
  }
}

function happen(sandbox: Sandbox, { label, index, what, ms }: Happening, others: boolean): void {
  sandbox.clock.advance(ms);
  if (sandbox.auctions.get(label).status !== 'live') return;
  if (what === 'bid' && others) sandbox.rival.as('outsider').bidNext(lotOf(sandbox, label, index).id);
  if (what === 'extend') sandbox.auctions.extend(label, 1 + ms);
  if (what === 'shorten') sandbox.auctions.shorten(label, 1 + ms);
}

const trace = (log: readonly RivalLogEntry[]) => log.map(({ at, lotId, amount }) => [at, lotId, amount]);
const paise = (amount: string) => BigInt(amount.replace('.', ''));

test('the same seeds and events make the same bids', async () => {
  await fc.assert(
    fc.asyncProperty(followings, happenings, async (follows, happens) => {
      const [one, two] = [await played(follows, happens), await played(follows, happens)];
      expect(two.logs.map(trace)).toEqual(one.logs.map(trace));
      expect(two.ledger).toEqual(one.ledger);
    }),
    { numRuns: 15, seed: 7 },
  );
});

test('no bid of a strategy is ever invalid, beyond its limit, late, or against itself', async () => {
  let bids = 0;
  await fc.assert(
    fc.asyncProperty(followings, happenings, async (follows, happens) => {
      const { logs, ledger, auctions } = await played(follows, happens);
      bids += logs.flat().length;
      expect(logs.flatMap((log) => log.flatMap(({ codes }) => codes))).toEqual([]);
      for (const [place, log] of logs.entries()) {
        const limit = BigInt(follows[place]?.limit ?? 5_000_000) * 100n;
        for (const { amount } of log) expect(paise(amount)).toBeLessThanOrEqual(limit);
      }
      for (const auction of auctions.filter(({ label }) => labels.some((each) => each === label))) {
        const step = increments[auction.label as keyof typeof increments];
        for (const lot of auction.lots) {
          const opening = paise(lot.startingPrice);
          const made = ledger.filter(({ lotId, kind }) => lotId === lot.id && kind === 'bid');
          for (const [at, entry] of made.entries()) {
            const amount = paise(entry.amount ?? '');
            expect(amount).toBeGreaterThanOrEqual(opening);
            if (step > 0n) expect((amount - opening) % step).toBe(0n);
            expect(entry.at).toBeLessThan(auction.closesAt);
            const before = made[at - 1];
            if (auction.bidType === 'closed' || before === undefined) continue;
            expect(amount).toBeGreaterThan(paise(before.amount ?? ''));
            if (!entry.clientId.endsWith('outsider')) expect(entry.clientId).not.toBe(before.clientId);
          }
        }
      }
    }),
    { numRuns: 25, seed: 11 },
  );
  expect(bids).toBeGreaterThan(200);
});

test('what is sealed is not known: in a closed auction the bids are the same whatever others bid', async () => {
  let bids = 0;
  await fc.assert(
    fc.asyncProperty(followings, happenings, async (follows, happens) => {
      const closed = happens.map((each) => ({ ...each, label: 'live-closed' as const }));
      const among = sealed(await played(follows, closed));
      const alone = sealed(await played(follows.slice(0, 1), closed, false));
      expect(among).toEqual(alone);
      bids += alone.length;
    }),
    { numRuns: 15, seed: 13 },
  );
  expect(bids).toBeGreaterThan(10);
});

/** What the first rival bid in the closed auction. */
function sealed({ logs, auctions }: Awaited<ReturnType<typeof played>>) {
  const lots = new Set(auctions.find(({ label }) => label === 'live-closed')?.lots.map(({ id }) => id));
  return trace((logs[0] ?? []).filter(({ lotId }) => lots.has(lotId)));
}
