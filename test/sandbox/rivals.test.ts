import { describe, expect, it } from 'vitest';
import { type FollowOptions, RivalBidError, type RivalHandle } from '../../src/sandbox/index.js';
import { bid, caught, freshSandbox, get, lotOf, plus, sandbox } from './caller.js';

const hour = 3_600_000;
freshSandbox();

const next = (id: string) => sandbox.actors.rival.bidNext(id).amount;
const dealerBids = async (extra: number, { id, startingPrice } = lotOf(sandbox, 'live-open')) => {
  const { status, text } = await bid(sandbox, sandbox.credentials.dealer, id, {
    amount: plus(startingPrice, extra),
  });
  if (status !== 201) throw new Error(text);
};

describe('the next valid bid of a rival', () => {
  it.each([
    ['live-open', [0], 20_000, [25_000]],
    ['live-closed', [], 100_000, [0, 2_500]],
    ['live-legacy', [1_000], 5_000, [6_000]],
  ])('in %s is at the opening plus %j, and after a bid at %i at %j', async (label, before, dealer, after) => {
    const lot = lotOf(sandbox, label);
    for (const extra of before) expect(next(lot.id)).toBe(plus(lot.startingPrice, extra));
    await dealerBids(dealer, lot);
    for (const extra of after) expect(next(lot.id)).toBe(plus(lot.startingPrice, extra));
  });

  it.each([
    ['102500.00', '103525.00'],
    ['999.99', '1008.99'],
    ['40.00', '41.00'],
  ])(
    'without a grid is one per cent of the opening above, in whole rupees: %s, %s',
    async (starting_price, above) => {
      const times = { opens: 0, closes: 60 };
      const auction = { label: 'cheap', name: 'Odds', bid_type: 'open', increment: '0', ...times } as const;
      const id = sandbox.auctions.add({ ...auction, lots: [{ starting_price }] }).lots[0]?.id ?? '';
      expect([next(id), next(id)]).toEqual([starting_price, above]);
      await bid(sandbox, sandbox.credentials.dealer, id, { amount: plus(above, 777) });
      expect(next(id)).toBe(plus(above, 777 + Number(above) - Number(starting_price)));
    },
  );

  it('is committed like any bid, leads, and is shown to nobody as the rival’s', async () => {
    const { id, startingPrice } = lotOf(sandbox, 'live-open');
    const { bidId, lotVersion } = sandbox.actors.rival.bidNext(id);
    const { dealer, rival } = sandbox.credentials;
    const entry = { kind: 'bid', operation: 'bids.submit', recordId: bidId, amount: startingPrice };
    expect([lotVersion, sandbox.ledger()]).toMatchObject([2, [{ ...entry, clientId: rival.clientId }]]);
    const read = async (who: typeof dealer) => (await get(sandbox, who, `/api/v1/bids/${bidId}`)).status;
    expect([await read(dealer), await read(rival)]).toEqual([404, 200]);
  });

  it('is refused like any bid, with the codes', () => {
    const refused = (label: string) => {
      const { id, startingPrice } = lotOf(sandbox, label);
      for (const bids of [() => next(id), () => sandbox.actors.rival.bid(id, plus(startingPrice, 1))]) {
        expect(bids).toThrow(RivalBidError);
      }
      return caught(() => next(id));
    };
    expect(refused('unassigned')).toMatchObject({ codes: ['AUCTION_ACCESS_DENIED'] });
    sandbox.partners.update(sandbox.actors.rival.clientId, { blocked: true });
    expect(refused('live-open')).toMatchObject({ codes: ['DEALER_NOT_ELIGIBLE'] });
    expect(refused('over')).toMatchObject({ codes: ['LOT_NOT_LIVE', 'DEALER_NOT_ELIGIBLE'] });
    expect(caught(() => next('lot_none'))).toBeInstanceOf(RangeError);
    expect(sandbox.ledger()).toEqual([]);
  });
});

describe('more rivals', () => {
  it('are dealers of their own', () => {
    const all = [sandbox.actors.rival, ...['b', 'c'].map((name) => sandbox.actors.rival.as(name))];
    const dealers = all.map(({ clientId }) => sandbox.partners.get(clientId).dealerId);
    expect(new Set(dealers).size).toBe(3);
    expect(sandbox.actors.rival.as('b')).toBe(all[1]);
  });

  it.each(['', 'two words', 'x'.repeat(31), 'naïve', '../up'])('are not named %j', (name) => {
    expect(() => sandbox.actors.rival.as(name)).toThrow(RangeError);
  });
});

describe('a rival that follows', () => {
  const opening = () => lotOf(sandbox, 'live-open').startingPrice;
  const follow = (options: Partial<FollowOptions> = {}, who = sandbox.actors.rival) =>
    who.follow({
      ...(options.auction === undefined && { lots: [lotOf(sandbox, 'live-open').id] }),
      ...options,
    });
  /** What it has bid above the opening once an hour has passed. */
  const bidsAfter = ({ log }: RivalHandle) => {
    sandbox.clock.advance(hour);
    return log.map(({ amount }) => Number(amount) - Number(opening()));
  };

  it('answers a bid of another after its time, one step above, and is in the ledger', async () => {
    const { log } = follow({ answerAfter: 3_000 });
    sandbox.clock.advance(60_000);
    await dealerBids(0);
    sandbox.clock.advance(2_999);
    expect(log).toEqual([]);
    sandbox.clock.advance(1);
    const { bidId, at, lotId } = sandbox.ledger().at(-1) ?? {};
    expect(log).toEqual([{ at, lotId, amount: plus(opening(), 5_000), bidId, codes: [] }]);
    expect(at).toBe(Date.parse('2026-03-01T10:01:03Z'));
    sandbox.clock.advance(hour);
    expect(log).toHaveLength(1);
  });

  it('makes the first bid when it is told to, and not otherwise', () => {
    expect(bidsAfter(follow())).toEqual([]);
    expect(bidsAfter(follow({ opens: true }))).toEqual([0]);
  });

  it('bids up to its limit, to the paisa, and no more than its dealer may', async () => {
    const handle = follow({ limit: plus(opening(), 10_000) });
    await dealerBids(5_000);
    expect(bidsAfter(handle)).toEqual([10_000]);
    await dealerBids(15_000);
    expect(bidsAfter(handle)).toEqual([10_000]);
    sandbox.partners.update(sandbox.actors.rival.clientId, { buyerLimit: opening() });
    expect(bidsAfter(follow({ limit: plus(opening(), 50_000) }))).toEqual([]);
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
    const { lots } = sandbox.auctions.get('live-closed');
    const { log } = follow({ auction: 'live-closed' });
    sandbox.clock.advance(1_000);
    await dealerBids(25_000, lots[0]);
    sandbox.clock.advance(hour);
    expect(log.map(({ lotId }) => lotId).sort()).toEqual(lots.map(({ id }) => id).sort());
    expect(log.every(({ bidId }) => bidId !== null)).toBe(true);
  });

  it('begins when the auction opens, and does not bid after the close, though it was outbid before', async () => {
    const { opensAt, lots } = sandbox.auctions.get('upcoming');
    const early = follow({ auction: 'upcoming', opens: true });
    const late = follow({ answerAfter: 5_000 });
    sandbox.clock.advanceTo(sandbox.auctions.get('live-open').closesAt - 1_000);
    await dealerBids(0);
    expect([early.log, bidsAfter(late)]).toEqual([[], []]);
    sandbox.clock.advanceTo(opensAt + 1_000);
    expect(early.log).toHaveLength(lots.length);
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
    const one = follow({ opens: true, limit: plus(opening(), 20_000) });
    const two = follow({ limit: plus(opening(), 30_000) }, sandbox.actors.rival.as('second'));
    expect([bidsAfter(one), bidsAfter(two)]).toEqual([
      [0, 10_000, 20_000],
      [5_000, 15_000, 25_000],
    ]);
  });

  it.each<[FollowOptions, string]>([
    [{}, 'auction'],
    [{ lots: ['lot_x'], auction: 'live-open' }, 'auction'],
    [{ lots: ['lot_none'] }, 'lot_none'],
    [{ auction: 'nowhere' }, 'nowhere'],
    [{ auction: 'live-open', limit: 'much' }, 'follow.limit'],
    [{ auction: 'live-open', answerAfter: -1 }, 'follow.answerAfter'],
    [{ auction: 'live-open', strategy: 'sniper' } as never, 'strategy'],
  ])('has no options %j: %s is named', (options, named) => {
    expect(() => sandbox.actors.rival.follow(options)).toThrow(RangeError);
    expect(() => sandbox.actors.rival.follow(options)).toThrow(named);
  });
});
