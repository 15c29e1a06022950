import { describe, expect, it } from 'vitest';
import type { AuctionEvent, EventLot } from '../../src/models/events.js';
import { LOT, NOW } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import { KEYED } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

const event = {
  id: 'auc_1',
  name: 'Cars of March',
  reference: 'R-1',
  distribution_mode: 'syndicated',
  bid_type: 'open',
  status: 'live',
  timezone: 'Asia/Kolkata',
  starts_at: '2026-03-02T09:00:00+05:30',
  ends_at: '2026-03-02T12:30:00+05:30',
  bid_increment: '5000.00',
  eligible_lots_count: 1,
  revision: 1,
} as const satisfies AuctionEvent;

const lot: EventLot = {
  id: LOT,
  auction_id: 'auc_1',
  starting_price: '450000.00',
  vehicle_details: {},
  images: [],
  documents: [],
  public_fields: {},
  highest_amount: '460000.00',
  own_amount: '455000.00',
  bidder_status: 'outbid',
  channel_status: 'no_bid',
  provisional: true,
} as EventLot;

async function quoted(request: object, steps: readonly Step[] = []) {
  const scene = new Scene();
  const { client, transport } = scene.dealer(steps);
  const quote = await scene.during(client.bids.quote(request as Parameters<typeof client.bids.quote>[0]));
  return { quote, lines: transport.lines };
}

describe('quote', () => {
  it('calculates the amounts of an open auction from the highest amount, on the grid', async () => {
    const { quote, lines } = await quoted({ lot, event, count: 3 });
    expect(quote).toEqual({
      lot: LOT,
      bidType: 'open',
      minimum: '465000.00',
      amounts: ['465000.00', '470000.00', '475000.00'],
      situation: {
        bidType: 'open',
        startingPrice: '450000.00',
        increment: '5000.00',
        highestAmount: '460000.00',
        ownAmount: '455000.00',
      },
      inDoubt: [],
      notes: [],
    });
    expect(lines).toEqual([]);
  });

  it('begins an open auction without a bid at the opening price', async () => {
    const { quote } = await quoted({ lot: { ...lot, highest_amount: null }, event, count: 2 });
    expect(quote.amounts).toEqual(['450000.00', '455000.00']);
  });

  it('calculates a closed auction from the own amount, and notes that the leading amount is hidden', async () => {
    const closed = { ...event, bid_type: 'closed' };
    const { quote } = await quoted({ lot, event: closed, count: 1 });
    expect(quote).toMatchObject({
      bidType: 'closed',
      minimum: '460000.00',
      amounts: ['460000.00'],
      notes: [expect.stringContaining('hidden')],
    });
  });

  it("notes that a closed auction was read without the buyer's own amount", async () => {
    const { own_amount: _, ...unknown } = lot;
    const { quote } = await quoted({ lot: unknown, event: { ...event, bid_type: 'closed' }, count: 1 });
    expect(quote.minimum).toBe('450000.00');
    expect(quote.notes).toHaveLength(2);
    const none = await quoted({ lot: { ...lot, own_amount: null }, event: { ...event, bid_type: 'closed' } });
    expect(none.quote.notes).toHaveLength(1);
  });

  it('calculates a legacy auction from the previous bid or the opening price plus the increment', async () => {
    const { quote } = await quoted({ lot, event, legacy: { previousAmount: '470000.00' }, count: 2 });
    expect(quote).toMatchObject({
      bidType: 'legacy',
      minimum: '475000.00',
      amounts: ['475000.00', '480000.00'],
    });
    expect((await quoted({ lot, event, legacy: { previousAmount: null } })).quote.minimum).toBe('455000.00');
  });

  it('gives the minimum alone for a lot without a grid', async () => {
    const { quote } = await quoted({ lot, event: { ...event, bid_increment: '0.00' } });
    expect(quote).toMatchObject({ minimum: '460000.00', amounts: ['460000.00'] });
  });

  it('gives five amounts where no count is given', async () => {
    expect((await quoted({ lot, event })).quote.amounts).toHaveLength(5);
  });

  const read = (data: object): Step => ({ status: 200, json: { data } });

  it('reads event and lot where both are given by their ids', async () => {
    const { quote, lines } = await quoted({ lot: LOT, event: 'auc_1' }, [read(event), read(lot)]);
    expect(quote.minimum).toBe('465000.00');
    expect(lines).toEqual(['GET /events/auc_1', `GET /events/auc_1/lots/${LOT}`]);
  });

  it('reads the lot where its id and its event are given', async () => {
    const { lines } = await quoted({ lot: LOT, event }, [read(lot)]);
    expect(lines).toEqual([`GET /events/auc_1/lots/${LOT}`]);
  });

  it('reads the event of a lot that is given alone', async () => {
    expect((await quoted({ lot }, [read(event)])).lines).toEqual(['GET /events/auc_1']);
    expect((await quoted({ lot, event: 'auc_2' }, [read(event)])).lines).toEqual(['GET /events/auc_2']);
  });

  it('reads a lot of the catalogue, which has no standing', async () => {
    const { id, auction_id, starting_price } = lot;
    const summary = { id, auction_id, starting_price, title: 'A car', status: 'live' };
    const { quote, lines } = await quoted({ lot: summary }, [read(event), read(lot)]);
    expect(quote.minimum).toBe('465000.00');
    expect(lines).toEqual(['GET /events/auc_1', `GET /events/auc_1/lots/${LOT}`]);
    const legacy = await quoted({ lot: summary, event, legacy: { previousAmount: null } });
    expect([legacy.quote.minimum, legacy.lines]).toEqual(['455000.00', []]);
  });

  it("reads the lot as the platform's buyer sees it", async () => {
    const scene = new Scene();
    const { client, transport } = scene.platform([read(lot)]);
    await scene.during(client.bids.quote({ lot: LOT, event, bidderReference: 'buyer-9' }));
    expect(transport.lines).toEqual([`GET /events/auc_1/lots/${LOT}?bidder_reference=buyer-9`]);
  });

  it('names earlier bids of the buyer on the lot that are unresolved', async () => {
    const scene = new Scene();
    const { client } = scene.platform([{ fail: 'maybe' }]);
    const short = { maxAttempts: 1, deadline: 500 };
    await scene.during(
      client.bids.place({ lot: LOT, amount: '465000', bidderReference: 'a' }, { ...KEYED, ...short }),
    );
    const quote = await scene.during(client.bids.quote({ lot, event, bidderReference: 'a' }));
    expect(quote.inDoubt).toEqual([
      { idempotencyKey: KEY, operation: 'bids.submit', lot: LOT, amount: '465000', bidderReference: 'a' },
    ]);
    expect(quote.notes).toEqual([expect.stringContaining(KEY)]);
    // Another buyer, and another lot, are no matter of it.
    expect((await scene.during(client.bids.quote({ lot, event, bidderReference: 'b' }))).inDoubt).toEqual([]);
    const other = { ...lot, id: 'lot_2' };
    expect(
      (await scene.during(client.bids.quote({ lot: other, event, bidderReference: 'a' }))).inDoubt,
    ).toEqual([]);
    await scene.during(client.intents.abandon(KEY, 'x'));
    expect((await scene.during(client.bids.quote({ lot, event, bidderReference: 'a' }))).inDoubt).toEqual([]);
  });

  it('is bounded by the deadline of the call', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([{ hang: true }]);
    const error = await rejection(scene.during(client.bids.quote({ lot }, { deadline: 1_000 })));
    expect(error).toMatchObject({ name: 'TimeoutError' });
    expect(scene.clock.now()).toBe(NOW + 1_000);
  });

  it.each([
    ['nothing', undefined, 'lot'],
    ['no lot', { event }, 'lot'],
    ['a number for a lot', { lot: 7, event }, 'lot'],
    ['the id of a lot without its event', { lot: LOT }, 'event'],
    ['a count of zero', { lot, event, count: 0 }, 'count'],
    ['a count of one and a half', { lot, event, count: 1.5 }, 'count'],
    ['a count of 1001', { lot, event, count: 1001 }, 'count'],
    [
      'an event that is neither open nor closed',
      { lot, event: { ...event, bid_type: 'dutch' } },
      'event.bid_type',
    ],
    ['a previous amount that is a number', { lot, event, legacy: { previousAmount: 1 } }, 'previousAmount'],
  ])('refuses %s', async (_, request, path) => {
    expect(await rejection(quoted(request as object))).toMatchObject({
      name: 'InvalidRequestError',
      issues: [{ path }],
    });
  });
});
