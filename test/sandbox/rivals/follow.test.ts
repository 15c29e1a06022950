import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type FollowOptions,
  type RivalHandle,
  type Sandbox,
  startSandbox,
} from '../../../src/sandbox/index.js';
import { bid, lotOf, plus } from '../caller.js';

const start = Date.parse('2026-03-01T10:00:00Z');
const hour = 3_600_000;
let sandbox: Sandbox;
let lot: string;
let opening: string;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
  ({ id: lot, startingPrice: opening } = lotOf(sandbox, 'live-open'));
});
afterEach(() => sandbox.close());

const dealerBids = async (extra: number, id = lot, from = opening) => {
  const { status, text } = await bid(sandbox, sandbox.credentials.dealer, id, { amount: plus(from, extra) });
  if (status !== 201) throw new Error(text);
};
const follow = (options: Partial<FollowOptions> = {}) =>
  sandbox.actors.rival.follow({ ...(options.auction === undefined && { lots: [lot] }), ...options });
/** What it bids within an hour. */
const bidsAfter = ({ log }: RivalHandle) => {
  sandbox.clock.advance(hour);
  return log.map(({ amount }) => amount);
};

describe('a rival that follows', () => {
  it('answers a bid of another after its time, one step above, and is in the ledger', async () => {
    const { log } = follow({ answerAfterMs: 3_000 });
    sandbox.clock.advance(60_000);
    expect(log).toEqual([]);
    await dealerBids(0);
    sandbox.clock.advance(2_999);
    expect(log).toEqual([]);
    sandbox.clock.advance(1);
    const { bidId } = sandbox.ledger().at(-1) ?? {};
    expect(log).toEqual([{ at: start + 63_000, lotId: lot, amount: plus(opening, 5_000), bidId, codes: [] }]);
    sandbox.clock.advance(hour);
    expect(log).toHaveLength(1);
  });

  it('answers the bid that leads when it starts, and the last of several bids once', async () => {
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

  it('bids up to its limit, to the paisa, and no further', async () => {
    const handle = follow({ limit: plus(opening, 10_000) });
    await dealerBids(5_000);
    expect(bidsAfter(handle)).toEqual([plus(opening, 10_000)]);
    await dealerBids(15_000);
    expect(bidsAfter(handle)).toHaveLength(1);
  });

  it('bids no more than its dealer may', async () => {
    sandbox.partners.update(sandbox.actors.rival.clientId, { buyerLimit: opening });
    const handle = follow({ limit: plus(opening, 50_000) });
    await dealerBids(0);
    expect(bidsAfter(handle)).toEqual([]);
  });

  it('logs why a bid would not be accepted, and records none', async () => {
    sandbox.partners.update(sandbox.actors.rival.clientId, { kycStatus: 'pending' });
    const { log } = follow();
    await dealerBids(0);
    sandbox.clock.advance(1_000);
    expect(log).toMatchObject([{ bidId: null, codes: ['DEALER_NOT_ELIGIBLE'] }]);
    expect(sandbox.ledger()).toHaveLength(1);
  });

  it('makes one sealed bid on each lot of a closed auction, whatever others bid', async () => {
    const sealed = sandbox.auctions.get('live-closed');
    const { log } = follow({ auction: 'live-closed' });
    sandbox.clock.advance(1_000);
    const [first] = sealed.lots;
    await dealerBids(25_000, first?.id, first?.startingPrice);
    sandbox.clock.advance(hour);
    expect(log.map(({ lotId }) => lotId).sort()).toEqual(sealed.lots.map(({ id }) => id).sort());
    expect(log.every(({ bidId }) => bidId !== null)).toBe(true);
  });

  it('begins when the auction opens, and ends at its close', async () => {
    const upcoming = sandbox.auctions.get('upcoming');
    const { log } = follow({ auction: 'upcoming', opens: true });
    sandbox.clock.advanceTo(upcoming.opensAt + 1_000);
    expect(log).toHaveLength(upcoming.lots.length);
    follow({ answerAfterMs: 1_000 });
    await expect(dealerBids(0)).rejects.toThrow('LOT_NOT_LIVE');
  });

  it('does not bid after the close, though it was outbid before it', async () => {
    const { log } = follow({ answerAfterMs: 5_000 });
    sandbox.clock.advanceTo(sandbox.auctions.get('live-open').closesAt - 1_000);
    await dealerBids(0);
    sandbox.clock.advance(hour);
    expect(log).toEqual([]);
  });

  it('makes no bid once it is cancelled', async () => {
    const handle = follow();
    await dealerBids(0);
    handle.cancel();
    expect(bidsAfter(handle)).toEqual([]);
    await dealerBids(5_000);
    expect(bidsAfter(handle)).toEqual([]);
  });

  it('never bids against itself, and two of them bid each other up to the lower limit', () => {
    const one = follow({ opens: true, limit: plus(opening, 20_000) });
    const two = sandbox.actors.rival.as('second').follow({ lots: [lot], limit: plus(opening, 30_000) });
    sandbox.clock.advance(hour);
    expect(one.log.map(({ amount }) => amount)).toEqual(
      [0, 10_000, 20_000].map((extra) => plus(opening, extra)),
    );
    expect(two.log.map(({ amount }) => amount)).toEqual(
      [5_000, 15_000, 25_000].map((extra) => plus(opening, extra)),
    );
  });

  it.each<[FollowOptions, string]>([
    [{}, 'either lots or an auction'],
    [{ lots: ['lot_x'], auction: 'live-open' }, 'either lots or an auction'],
    [{ lots: ['lot_none'] }, 'lot_none'],
    [{ auction: 'nowhere' }, 'nowhere'],
    [{ auction: 'live-open', limit: 'much' }, 'follow.limit'],
    [{ auction: 'live-open', answerAfterMs: -1 }, 'follow.answerAfterMs'],
    [{ auction: 'live-open', strategy: 'sniper' } as never, 'no field "strategy"'],
  ])('refuses %j', (options, message) => {
    expect(() => sandbox.actors.rival.follow(options)).toThrow(RangeError);
    expect(() => sandbox.actors.rival.follow(options)).toThrow(message);
  });
});
