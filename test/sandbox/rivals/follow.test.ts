import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FollowOptions, type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import { bid, lotOf, plus } from '../caller.js';
import { command, done } from '../workflow.js';

const start = Date.parse('2026-03-01T10:00:00Z');
const close = Date.parse('2026-03-01T14:00:00Z');
let sandbox: Sandbox;
let lot: string;
let opening: string;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
  ({ id: lot, startingPrice: opening } = lotOf(sandbox, 'live-open'));
});
afterEach(() => sandbox.close());

const dealerBids = async (extra: number, id = lot) => {
  const { status, text } = await bid(sandbox, sandbox.credentials.dealer, id, {
    amount: plus(opening, extra),
  });
  if (status !== 201) throw new Error(text);
};
const follow = (options: Partial<FollowOptions> = {}) =>
  sandbox.rival.follow({ lots: [lot], strategy: 'stepwise', ...options });

describe('a rival that follows', () => {
  it('answers a bid of another after its time, one step above', async () => {
    const { log } = follow({ reactAfterMs: 3_000 });
    sandbox.clock.advance(60_000);
    expect(log).toEqual([]);
    await dealerBids(0);
    sandbox.clock.advance(2_999);
    expect(log).toEqual([]);
    sandbox.clock.advance(1);
    const { bidId } = sandbox.ledger().at(-1) ?? {};
    expect(log).toEqual([{ at: start + 63_000, lotId: lot, amount: plus(opening, 5_000), bidId, codes: [] }]);
    sandbox.clock.advance(3_600_000);
    expect(log).toHaveLength(1);
  });

  it('answers what stands when it starts, and the last of several bids once', async () => {
    await dealerBids(0);
    const { log } = follow();
    sandbox.clock.advance(1_000);
    expect(log).toHaveLength(1);
    await dealerBids(10_000);
    sandbox.clock.advance(500);
    await dealerBids(20_000);
    sandbox.clock.advance(5_000);
    expect(log.map(({ at, amount }) => [at - start, amount])).toEqual([
      [1_000, plus(opening, 5_000)],
      [2_000, plus(opening, 25_000)],
    ]);
  });

  it('makes the first bid when it is told to, and not otherwise', () => {
    expect(bidsAfter(follow())).toEqual([]);
    expect(bidsAfter(follow({ opens: true }))).toEqual([opening]);
  });

  it('never goes beyond its limit, and up to it', async () => {
    const { log } = follow({ limit: plus(opening, 19_999), strategy: 'eager', reactAfterMs: 0 });
    for (let extra = 0; extra <= 10_000; extra += 5_000) {
      sandbox.rival.as('second').bidNext(lot);
      sandbox.clock.advance(1);
    }
    await dealerBids(30_000);
    sandbox.clock.advance(60_000);
    expect(log.at(-1)?.amount).toBe(plus(opening, 15_000));
    expect(log.flatMap(({ codes }) => codes)).toEqual([]);
  });

  it('never goes beyond what the dealer may bid', async () => {
    sandbox.partners.update(sandbox.rival.clientId, { buyerLimit: plus(opening, 5_000) });
    const { log } = follow();
    await dealerBids(0);
    sandbox.clock.advance(1_000);
    await dealerBids(10_000);
    sandbox.clock.advance(60_000);
    expect(log.map(({ amount, codes }) => [amount, codes])).toEqual([[plus(opening, 5_000), []]]);
  });

  it('says why it may not bid, and commits nothing', async () => {
    sandbox.partners.update(sandbox.rival.clientId, { blocked: true });
    const { log } = follow();
    await dealerBids(0);
    sandbox.clock.advance(60_000);
    expect(log).toEqual([
      {
        at: start + 1_000,
        lotId: lot,
        amount: plus(opening, 5_000),
        bidId: null,
        codes: ['DEALER_NOT_ELIGIBLE'],
      },
    ]);
    expect(sandbox.ledger()).toHaveLength(1);
  });

  it('never answers itself: neither its scripts nor its bids by hand', () => {
    const { log } = follow({ reactAfterMs: 0 });
    sandbox.rival.bidNext(lot);
    sandbox.rival.bidNext(lot);
    sandbox.clock.advance(60_000);
    expect(log).toEqual([]);
  });

  it('thinks again when it leads by then, or nobody does', async () => {
    const { log } = follow();
    await dealerBids(0);
    sandbox.rival.bidNext(lot);
    sandbox.clock.advance(60_000);
    expect(log).toEqual([]);
  });

  it.each<[string, () => void]>([
    ['the auction is over by then', () => sandbox.auctions.close('live-open')],
    ['the auction is cancelled', () => sandbox.auctions.cancel('live-open')],
    ['the lot is withdrawn', () => sandbox.auctions.withdraw(lot)],
  ])('bids no more when %s', async (_, ends) => {
    const { log } = follow();
    await dealerBids(0);
    ends();
    sandbox.clock.advance(60_000);
    expect(log).toEqual([]);
    expect(sandbox.ledger().filter(({ kind }) => kind === 'bid')).toHaveLength(1);
  });

  it('bids no more once it is called off, with an answer under way', async () => {
    const following = follow();
    await dealerBids(0);
    following.cancel();
    following.cancel();
    sandbox.clock.advance(60_000);
    await dealerBids(5_000);
    sandbox.clock.advance(60_000);
    expect(following.log).toEqual([]);
  });

  it('minds its own lots only, or all of an auction', async () => {
    const other = lotOf(sandbox, 'live-open', 1);
    const one = follow();
    sandbox.rival.as('second').bidNext(other.id);
    sandbox.clock.advance(60_000);
    expect(one.log).toEqual([]);
    one.cancel();
    const all = sandbox.rival.follow({ auction: 'live-open', strategy: 'stepwise' });
    sandbox.rival.as('second').bidNext(lotOf(sandbox, 'live-closed').id);
    sandbox.clock.advance(60_000);
    expect(all.log.map(({ lotId }) => lotId)).toEqual([other.id]);
  });

  it('starts with the opening of an auction that is upcoming', () => {
    const { log } = sandbox.rival.follow({
      lots: [lotOf(sandbox, 'upcoming').id],
      strategy: 'stepwise',
      opens: true,
    });
    sandbox.clock.advance(60_000);
    expect(log).toEqual([]);
    sandbox.auctions.open('upcoming');
    sandbox.clock.advance(1_000);
    expect(log.map(({ at, codes }) => [at - start, codes])).toEqual([[61_000, []]]);
  });

  it('fights with another one until one of them has enough', () => {
    const first = follow({ limit: plus(opening, 40_000), opens: true });
    const second = sandbox.rival
      .as('second')
      .follow({ lots: [lot], strategy: 'stepwise', limit: plus(opening, 60_000) });
    sandbox.clock.advance(3_600_000);
    expect(amounts(first)).toEqual([0, 10_000, 20_000, 30_000, 40_000].map((extra) => plus(opening, extra)));
    expect(amounts(second)).toEqual(
      [5_000, 15_000, 25_000, 35_000, 45_000].map((extra) => plus(opening, extra)),
    );
  });

  it('takes its chances, by its seed', async () => {
    const lots = sandbox.auctions.get('live-open').lots.map(({ id }) => id);
    for (const id of lots) sandbox.rival.as('second').bidNext(id);
    const answered = (options: Partial<FollowOptions>) => {
      const { log, cancel } = follow({ lots, chance: 0.5, limit: '0.01', ...options });
      sandbox.clock.advance(1_000);
      cancel();
      return log.length;
    };
    expect(answered({ chance: 1 })).toBe(0);
    sandbox.partners.update(sandbox.rival.clientId, { blocked: true });
    const limit = '5000000.00';
    expect(answered({ chance: 0, limit })).toBe(0);
    expect(answered({ chance: 1, limit })).toBe(40);
    const half = answered({ limit });
    expect(half).toBeGreaterThan(8);
    expect(half).toBeLessThan(32);
    expect(answered({ limit })).toBe(half);
  });
});

describe('strategies', () => {
  const steps = (log: readonly { amount: string }[], before: number) =>
    (Number(log.at(-1)?.amount) - Number(opening) - before) / 5_000;

  it.each([
    ['stepwise', 1, 1],
    ['eager', 1, 5],
    ['random', 1, 10],
  ] as const)('%s goes %i to %i steps above', async (strategy, least, most) => {
    const { log } = follow({ strategy, reactAfterMs: 0, seed: 3 });
    const seen = new Set<number>();
    let extra = 0;
    for (let round = 0; round < 60; round += 1) {
      await dealerBids(extra);
      sandbox.clock.advance(1);
      seen.add(steps(log, extra));
      extra = Number(log.at(-1)?.amount) - Number(opening) + 5_000;
    }
    expect(Math.min(...seen)).toBe(least);
    expect(Math.max(...seen)).toBe(most);
  });

  it('random takes up to twice its time', async () => {
    const { log } = follow({ strategy: 'random', reactAfterMs: 1_000, seed: 5 });
    const waits: number[] = [];
    for (let round = 0; round < 30; round += 1) {
      sandbox.rival.as('second').bidNext(lot);
      const from = sandbox.clock.now();
      sandbox.clock.advance(2_000);
      waits.push((log.at(-1)?.at ?? 0) - from);
    }
    expect(log).toHaveLength(30);
    expect(new Set(waits).size).toBeGreaterThan(10);
    expect(waits.every((wait) => wait >= 0 && wait <= 2_000)).toBe(true);
  });

  it('a sniper bids once, shortly before the close, if another leads then', async () => {
    const { log } = follow({ strategy: 'sniper', reactAfterMs: 2_500 });
    await dealerBids(0);
    sandbox.clock.advanceTo(close - 2_501);
    expect(log).toEqual([]);
    sandbox.clock.advance(1);
    expect(log.map(({ at, amount }) => [at, amount])).toEqual([[close - 2_500, plus(opening, 5_000)]]);
    await dealerBids(10_000);
    sandbox.clock.advance(60_000);
    expect(log).toHaveLength(1);
  });

  it('a sniper leaves a lot alone that it leads or that nobody wants', () => {
    const { log } = follow({ strategy: 'sniper' });
    sandbox.clock.advanceTo(close);
    expect(log).toEqual([]);
  });

  it.each([
    ['extended', () => sandbox.auctions.extend('live-open', 60_000), close + 60_000],
    ['shortened', () => sandbox.auctions.shorten('live-open', 60_000), close - 60_000],
  ] as const)('a sniper follows a close that is %s', async (_, move, closes) => {
    const { log } = follow({ strategy: 'sniper', reactAfterMs: 2_000 });
    await dealerBids(0);
    sandbox.clock.advance(1_000);
    move();
    sandbox.clock.advanceTo(close + 120_000);
    expect(log.map(({ at }) => at)).toEqual([closes - 2_000]);
  });

  it('a sniper gets another go with another close', async () => {
    const { log } = follow({ strategy: 'sniper', reactAfterMs: 2_000 });
    await dealerBids(0);
    sandbox.clock.advanceTo(close - 1_500);
    await dealerBids(10_000);
    sandbox.auctions.extend('live-open', 60_000);
    sandbox.clock.advanceTo(close + 60_000);
    expect(log.map(({ at, codes }) => [at - close, codes])).toEqual([
      [-2_000, []],
      [58_000, []],
    ]);
  });

  it('a sniper that needs no time is quick enough all the same', async () => {
    const { log } = follow({ strategy: 'sniper', reactAfterMs: 0 });
    await dealerBids(0);
    sandbox.clock.advanceTo(close);
    expect(log.map(({ at, codes }) => [at, codes])).toEqual([[close - 1, []]]);
  });
});

describe('in a closed auction', () => {
  const closes = Date.parse('2026-03-01T12:30:00Z');

  it.each([
    ['stepwise', start + 1_000, start + 1_000],
    ['eager', start + 1_000, start + 1_000],
    ['random', start, closes - 1],
    ['sniper', closes - 1_000, closes - 1_000],
  ] as const)('%s makes one sealed bid on a lot, in its time', (strategy, from, until) => {
    const { log } = sandbox.rival.follow({ auction: 'live-closed', strategy });
    sandbox.clock.advanceTo(closes);
    expect(new Set(log.map(({ lotId }) => lotId)).size).toBe(30);
    expect(log).toHaveLength(30);
    for (const { at, lotId, amount, codes } of log) {
      expect(codes).toEqual([]);
      expect(at).toBeGreaterThanOrEqual(from);
      expect(at).toBeLessThanOrEqual(until);
      const { startingPrice } =
        sandbox.auctions.get('live-closed').lots.find(({ id }) => id === lotId) ?? lotOf(sandbox, 'over');
      const steps = (Number(amount) - Number(startingPrice)) / 2_500;
      expect([Number.isInteger(steps), steps >= 0, steps < 20]).toEqual([true, true, true]);
    }
  });

  it('is not woken by bids that nobody sees', async () => {
    const { rival } = sandbox.credentials;
    const sealed = lotOf(sandbox, 'live-closed');
    const { bidId } = sandbox.rival.bidNext(sealed.id);
    const { log } = sandbox.rival.follow({ lots: [sealed.id], strategy: 'stepwise' });
    const content = { reason_code: 'mistake', explanation: 'Another vehicle was meant' };
    const request = await done(
      command(sandbox, rival, `/api/v1/bids/${bidId}/cancellation-requests`, content),
    );
    sandbox.bank.decideCancellation(request.id);
    sandbox.rival.as('second').bidNext(sealed.id);
    sandbox.clock.advance(60_000);
    expect(log).toEqual([]);
  });

  it('has one go, also where it let that pass and the close moves', () => {
    const { log } = sandbox.rival.follow({ auction: 'live-closed', strategy: 'sniper', chance: 0.5 });
    sandbox.clock.advanceTo(closes - 500);
    const made = log.length;
    expect([made > 0, made < 30]).toEqual([true, true]);
    sandbox.auctions.extend('live-closed', 60_000);
    sandbox.clock.advanceTo(closes + 60_000);
    expect(log).toHaveLength(made);
  });
});

describe('options that can not be meant', () => {
  it.each<[string, object]>([
    ['no lots', { lots: undefined }],
    ['lots and an auction', { auction: 'live-open' }],
    ['a lot that there is none', { lots: ['lot_none'] }],
    ['an auction that there is none', { lots: undefined, auction: 'nowhere' }],
    ['no strategy', { strategy: 'cautious' }],
    ['a limit that is none', { limit: 'much' }],
    ['half a seed', { seed: 0.5 }],
    ['a negative time', { reactAfterMs: -1 }],
    ['an endless time', { reactAfterMs: Number.POSITIVE_INFINITY }],
    ['too good a chance', { chance: 1.1 }],
    ['no chance', { chance: Number.NaN }],
  ])('%s', async (_, options) => {
    expect(() => follow(options as Partial<FollowOptions>)).toThrow(RangeError);
    await dealerBids(0);
    sandbox.clock.advance(60_000);
    expect(sandbox.ledger()).toHaveLength(1);
  });
});

function amounts({ log }: { readonly log: readonly { readonly amount: string }[] }): string[] {
  return log.map(({ amount }) => amount);
}

function bidsAfter(following: ReturnType<typeof follow>): string[] {
  sandbox.clock.advance(60_000);
  following.cancel();
  return amounts(following);
}
