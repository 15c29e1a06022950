import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AddedAuction, type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, get, lotOf } from './caller.js';

const start = Date.parse('2026-03-01T10:00:00Z');
const minute = 60_000;
let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

const flash: AddedAuction = {
  label: 'flash',
  name: 'Flash sale',
  bid_type: 'open',
  increment: '2000',
  opens: 5,
  closes: 20,
  lots: 3,
};

describe('an auction that is added', () => {
  it('is like any other: listed, opened, bid in, closed and awarded at its times', async () => {
    const { dealer, bank } = sandbox.credentials;
    sandbox.clock.advance(10 * minute);
    const added = sandbox.auctions.add(flash);
    expect(added).toMatchObject({
      label: 'flash',
      status: 'upcoming',
      increment: '2000.00',
      opensAt: start + 15 * minute,
      closesAt: start + 30 * minute,
      scheduledClosesAt: start + 30 * minute,
    });
    expect(added.lots).toHaveLength(3);
    expect(sandbox.auctions.get('flash')).toEqual(added);
    const { json } = await get(sandbox, dealer, `/api/v1/events/${added.id}`);
    expect(json.data).toMatchObject({
      name: 'Flash sale',
      reference: `EVT-00${sandbox.auctions.list().length}`,
      status: 'upcoming',
      starts_at: '2026-03-01T15:45:00+05:30',
      eligible_lots_count: 3,
    });
    sandbox.clock.advance(5 * minute);
    const { id, startingPrice } = lotOf(sandbox, 'flash', 2);
    expect((await bid(sandbox, dealer, id, { amount: startingPrice })).status).toBe(201);
    expect(sandbox.actors.rival.bidNext(id).amount).toBe((Number(startingPrice) + 2_000).toFixed(2));
    sandbox.clock.advance(15 * minute);
    const sales = (await get(sandbox, bank, '/api/v1/sale-cases')).json.data.items;
    expect(sales).toMatchObject([{ data: { lot_id: id } }]);
  });

  it('has the lots that are given, and others than those that are there', async () => {
    const lots = [
      { id: 'lot_swift1', starting_price: '410000', vehicle: { make: 'Maruti Suzuki', model: 'Swift' } },
      {},
    ];
    const before = new Set(sandbox.auctions.list().flatMap((each) => each.lots.map(({ id }) => id)));
    const first = sandbox.auctions.add({ ...flash, opens: 0, lots });
    const second = sandbox.auctions.add({ ...flash, label: 'flash-2', opens: 0, lots: 2 });
    expect(first.lots[0]).toMatchObject({ id: 'lot_swift1', startingPrice: '410000.00' });
    const ids = [...first.lots, ...second.lots].map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(ids.filter((id) => before.has(id))).toEqual([]);
    const { json } = await get(sandbox, sandbox.credentials.dealer, `/api/v1/vehicles/${ids[0]}`);
    expect(json.data.vehicle_details).toMatchObject({ make: 'Maruti Suzuki', model: 'Swift' });
  });

  it('is assigned to every partner of its bank, rivals of all names included', async () => {
    const second = sandbox.actors.rival.as('second');
    sandbox.auctions.add({ ...flash, opens: 0 });
    const { id } = lotOf(sandbox, 'flash');
    expect(() => second.bidNext(id)).not.toThrow();
    const { dealer, platform, aggregator, otherBank } = sandbox.credentials;
    for (const who of [dealer, platform, aggregator]) {
      expect((await get(sandbox, who, `/api/v1/vehicles/${id}`)).status).toBe(200);
    }
    expect((await get(sandbox, otherBank, `/api/v1/vehicles/${id}`)).status).toBe(404);
  });

  it.each([
    [['platform'], 404, 200],
    [false, 404, 404],
  ] as const)('is assigned to some, or none: %j', async (assigned, toDealer, toPlatform) => {
    const { lots } = sandbox.auctions.add({ ...flash, opens: 0, assigned });
    const seen = async (who: 'dealer' | 'platform') =>
      (await get(sandbox, sandbox.credentials[who], `/api/v1/vehicles/${lots[0]?.id}`)).status;
    expect([await seen('dealer'), await seen('platform')]).toEqual([toDealer, toPlatform]);
  });

  it.each<[string, object]>([
    ['no label', { label: '' }],
    ['a label that is taken', { label: 'live-open' }],
    ['a lot that is there', { lots: [{ id: 'lot_6a66744122c5' }] }],
    ['a field that there is none', { colour: 'red' }],
    ['an increment that is none', { increment: 'two' }],
    ['a close before the opening', { closes: 1 }],
    ['bids on its lots', { lots: [{ bids: [{ by: 'dealer', amount: '1' }] }] }],
  ])('is refused with %s, and nothing is added', (_, change) => {
    const before = sandbox.auctions.list();
    expect(() => sandbox.auctions.add({ ...flash, ...change } as AddedAuction)).toThrow(RangeError);
    expect(sandbox.auctions.list()).toEqual(before);
  });
});
