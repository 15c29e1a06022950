import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RivalBidError, type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, lotOf, plus } from './caller.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

/** Bids as the dealer and tells status and codes. */
async function codes(label: string, extra: number, index = 0): Promise<[number, string[]]> {
  const lot = lotOf(sandbox, label, index);
  const { status, json } = await bid(sandbox, sandbox.credentials.dealer, lot.id, {
    amount: plus(lot.startingPrice, extra),
  });
  return [status, json.errors];
}
const rival = (label: string, extra: number, index = 0) => {
  const lot = lotOf(sandbox, label, index);
  return sandbox.actors.rival.bid(lot.id, plus(lot.startingPrice, extra));
};

describe('rules 1 to 5: opening, grid, minimum (increments 5000, 2500, 1000, 0)', () => {
  const offGrid = [422, ['BID_OFF_OPENING_GRID']];
  const low = [422, ['BID_BELOW_MINIMUM']];
  const both = [422, ['BID_OFF_OPENING_GRID', 'BID_BELOW_MINIMUM']];
  const ok = [201, []];

  // rule: bid.1, bid.2, code.grid
  test.each([
    ['the opening', 0, ok],
    ['a step', 5000, ok],
    ['many steps', 500_000, ok],
    ['a paisa over', 0.01, offGrid],
    ['half a step', 2500, offGrid],
    ['a paisa under', -0.01, offGrid],
    ['a step under', -5000, offGrid],
  ])('open, no bid yet: %s', async (_, extra, expected) => {
    expect(await codes('live-open', extra)).toEqual(expected);
  });

  // rule: bid.3, code.minimum
  test.each([
    ['the highest', 20_000, low],
    ['below the highest', 10_000, low],
    ['a step above', 25_000, ok],
    ['less than a step above', 22_500, both],
    ['off the grid, high enough', 26_000, offGrid],
  ])('open, highest at opening + 20000: %s', async (_, extra, expected) => {
    rival('live-open', 20_000);
    expect(await codes('live-open', extra)).toEqual(expected);
  });

  // rule: bid.3
  test('open: the highest counts, one’s own included', async () => {
    expect(await codes('live-open', 10_000)).toEqual(ok);
    expect(await codes('live-open', 10_000)).toEqual(low);
    expect(await codes('live-open', 15_000)).toEqual(ok);
  });

  // rule: bid.4
  test('closed: one’s own previous counts, the hidden leader doesn’t', async () => {
    rival('live-closed', 100_000);
    expect(await codes('live-closed', 0)).toEqual(ok);
    expect(await codes('live-closed', 0)).toEqual(low);
    expect(await codes('live-closed', 1000)).toEqual(both);
    expect(await codes('live-closed', 3000)).toEqual(offGrid);
    expect(await codes('live-closed', 2500)).toEqual(ok);
    expect(await codes('live-closed', -2500, 1)).toEqual(offGrid);
  });

  // rule: bid.4
  test('closed: every buyer of a platform has a previous of its own', async () => {
    const { platform } = sandbox.credentials;
    const lot = lotOf(sandbox, 'live-closed');
    const by = async (bidder_reference: string, extra: number) =>
      (await bid(sandbox, platform, lot.id, { amount: plus(lot.startingPrice, extra), bidder_reference }))
        .status;
    expect(await by('A', 25_000)).toBe(201);
    expect(await by('B', 0)).toBe(201);
    expect(await by('B', 2500)).toBe(201);
    expect(await by('A', 25_000)).toBe(422);
  });

  // rule: bid.5
  test('legacy: opening or previous, plus increment', async () => {
    expect(await codes('live-legacy', 0)).toEqual(low);
    expect(await codes('live-legacy', 1000)).toEqual(ok);
    expect(await codes('live-legacy', 1000)).toEqual(low);
    rival('live-legacy', 5000);
    expect(await codes('live-legacy', 5000)).toEqual(low);
    expect(await codes('live-legacy', 5500)).toEqual(both);
    expect(await codes('live-legacy', 6000)).toEqual(ok);
  });

  // rule: bid.1
  test('an increment of zero: no grid, the opening and the highest are the floor', async () => {
    expect(await codes('live-no-grid', -0.01)).toEqual(low);
    expect(await codes('live-no-grid', 0.01)).toEqual(ok);
    expect(await codes('live-no-grid', 0)).toEqual(low);
    expect(await codes('live-no-grid', 0.01)).toEqual(ok);
    expect(await codes('live-no-grid', 0.02)).toEqual(ok);
  });

  // rule: general.1
  test('paise are exact where floating point is not', async () => {
    const { dealer } = sandbox.credentials;
    sandbox.partners.update(dealer.clientId, { buyerLimit: '999999999999.99' });
    const lot = lotOf(sandbox, 'live-no-grid', 1);
    const at = async (amount: string) => (await bid(sandbox, dealer, lot.id, { amount })).json;
    expect((await at('999999999999.98')).data.highest_amount).toBe('999999999999.98');
    expect((await at('999999999999.97')).errors).toEqual(['BID_BELOW_MINIMUM']);
    expect((await at('999999999999.99')).data.current_amount).toBe(999999999999.99);
  });
});

describe('rule 6: the window', () => {
  // rule: event-state.live, bid.6
  test('the start is inclusive', async () => {
    const { opensAt } = sandbox.auctions.get('upcoming');
    sandbox.clock.advance(opensAt - sandbox.clock.now() - 1);
    expect(await codes('upcoming', 0)).toEqual([422, ['LOT_NOT_LIVE']]);
    sandbox.clock.advance(1);
    expect(await codes('upcoming', 0)).toEqual([201, []]);
  });

  // rule: event-state.over, bid.6
  test('the close is exclusive', async () => {
    const { closesAt } = sandbox.auctions.get('live-open');
    sandbox.clock.advance(closesAt - sandbox.clock.now() - 1);
    expect(await codes('live-open', 0)).toEqual([201, []]);
    sandbox.clock.advance(1);
    expect(await codes('live-open', 5000)).toEqual([422, ['LOT_NOT_LIVE']]);
  });

  // rule: event-state.close-moved, bid.6, code.not-live
  test('over, cancelled, withdrawn, closed early, extended', async () => {
    expect(await codes('over', 0)).toEqual([422, ['LOT_NOT_LIVE']]);
    sandbox.auctions.cancel('live-closed');
    expect(await codes('live-closed', 0)).toEqual([422, ['LOT_NOT_LIVE']]);
    sandbox.auctions.withdraw(lotOf(sandbox, 'live-open', 3).id);
    expect(await codes('live-open', 0, 3)).toEqual([422, ['LOT_NOT_LIVE']]);
    sandbox.auctions.close('live-open');
    expect(await codes('live-open', 0)).toEqual([422, ['LOT_NOT_LIVE']]);
    sandbox.auctions.moveClose('live-open', '2026-03-01T16:30:00+05:30');
    const lot = lotOf(sandbox, 'live-open');
    const { dealer } = sandbox.credentials;
    const { status, json } = await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
    expect([status, json.data.effective_close_at]).toEqual([201, '2026-03-01T16:30:00+05:30']);
  });

  // rule: general.2
  test('the buyer’s own clock decides nothing', async () => {
    const lot = lotOf(sandbox, 'over');
    const { json } = await bid(sandbox, sandbox.credentials.dealer, lot.id, {
      amount: lot.startingPrice,
      client_bid_time: '2026-02-26T12:00:00+05:30',
    });
    expect(json.errors).toEqual(['LOT_NOT_LIVE']);
  });
});

// rule: bid-state.rejected
test('every broken rule is listed, the first as the code', async () => {
  const { dealer } = sandbox.credentials;
  sandbox.partners.update(dealer.clientId, { blocked: true });
  rival('live-open', 20_000);
  sandbox.auctions.close('live-open');
  const lot = lotOf(sandbox, 'live-open');
  const { status, json } = await bid(sandbox, dealer, lot.id, {
    amount: plus(lot.startingPrice, 1),
    bidder_reference: 'someone',
  });
  expect(status).toBe(422);
  expect(json.errors).toEqual([
    'DIRECT_DEALER_IDENTITY_REQUIRED',
    'LOT_NOT_LIVE',
    'DEALER_NOT_ELIGIBLE',
    'BID_OFF_OPENING_GRID',
    'BID_BELOW_MINIMUM',
  ]);
  expect([json.code, json.success, json.data.status]).toEqual([
    'DIRECT_DEALER_IDENTITY_REQUIRED',
    false,
    'rejected',
  ]);
});

test('the rival is held to the same rules', () => {
  const lot = lotOf(sandbox, 'live-open');
  expect(() => sandbox.actors.rival.bid(lot.id, plus(lot.startingPrice, 1))).toThrow(RivalBidError);
  try {
    sandbox.actors.rival.bid(lotOf(sandbox, 'unassigned').id, '1.00');
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ codes: ['AUCTION_ACCESS_DENIED'] });
  }
  expect(sandbox.actors.rival.bid(lot.id, lot.startingPrice)).toMatchObject({ lotVersion: 2 });
});
