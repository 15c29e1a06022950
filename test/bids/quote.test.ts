import { describe, expect, it } from 'vitest';
import type { AuctionEvent, EventLot } from '../../src/generated/events.js';
import { LOT } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import { BRIEF } from '../support/placed-bids.js';
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

  const { own_amount: _, ...unknown } = lot;
  const closed = { ...event, bid_type: 'closed' };
  const opening = ['450000.00', '455000.00'];
  const FIVE = ['465000.00', '470000.00', '475000.00', '480000.00', '485000.00'];

  it.each<[what: string, request: object, amounts: string[], notes: number]>([
    ['an open auction without a bid', { lot: { ...lot, highest_amount: null } }, opening, 0],
    ['a closed auction, above the own amount', { event: closed }, ['460000.00', '465000.00'], 1],
    ['a closed auction without an own bid', { lot: { ...lot, own_amount: null }, event: closed }, opening, 1],
    ['a closed auction read without the own amount', { lot: unknown, event: closed }, opening, 2],
    ['a legacy auction', { legacy: { previousAmount: '470000.00' } }, ['475000.00', '480000.00'], 0],
    ['a legacy auction without a bid', { legacy: { previousAmount: null } }, ['455000.00', '460000.00'], 0],
    ['five amounts where no count is given', { count: undefined }, FIVE, 0],
    ['a lot without a grid', { event: { ...event, bid_increment: '0.00' } }, ['460000.00'], 0],
  ])('calculates %s', async (_, request, amounts, notes) => {
    const { quote } = await quoted({ lot, event, count: 2, ...request });
    expect([quote.minimum, quote.amounts, quote.notes.length]).toEqual([amounts[0], amounts, notes]);
  });

  const read = (data: object): Step => ({ status: 200, json: { data } });

  const { id, auction_id, starting_price } = lot;
  const summary = { id, auction_id, starting_price, title: 'A car', status: 'live' };
  const legacy = { previousAmount: '460000.00' };
  const [EVENT, READ_LOT] = ['GET /events/auc_1', `GET /events/auc_1/lots/${LOT}`];

  it.each<[what: string, request: object, steps: Step[], lines: string[]]>([
    ['event and lot by their ids', { lot: LOT, event: 'auc_1' }, [read(event), read(lot)], [EVENT, READ_LOT]],
    ['the lot by its id, with its event', { lot: LOT, event }, [read(lot)], [READ_LOT]],
    ['the event of a lot that is given alone', { lot }, [read(event)], [EVENT]],
    ['a lot of the catalogue again', { lot: summary }, [read(event), read(lot)], [EVENT, READ_LOT]],
    ['nothing of a legacy lot of the catalogue', { lot: summary, event, legacy }, [], []],
  ])('reads %s', async (_, request, steps, lines) => {
    const found = await quoted(request, steps);
    expect([found.quote.minimum, found.lines]).toEqual(['465000.00', lines]);
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
    await scene.during(client.bids.place({ lot: LOT, amount: '465000', bidderReference: 'a' }, BRIEF));
    const inDoubt = async (over: object = {}, bidderReference = 'a') => {
      const request = { lot: { ...lot, ...over }, event, bidderReference };
      return (await scene.during(client.bids.quote(request))).inDoubt;
    };
    const unresolved = { idempotencyKey: KEY, operation: 'bids.submit', lot: LOT, amount: '465000' };
    expect(await inDoubt()).toEqual([{ ...unresolved, bidderReference: 'a' }]);
    // Another buyer, and another lot, are no matter of it.
    expect([await inDoubt({}, 'b'), await inDoubt({ id: 'lot_2' })]).toEqual([[], []]);
    await scene.during(client.intents.abandon(KEY, 'x'));
    expect(await inDoubt()).toEqual([]);
  });

  it.each([
    ['nothing', undefined, 'lot'],
    ['no lot', { event }, 'lot'],
    ['a number for a lot', { lot: 7, event }, 'lot'],
    ['the id of a lot without its event', { lot: LOT }, 'event'],
    ['a count of zero', { lot, event, count: 0 }, 'count'],
    ['a count of one and a half', { lot, event, count: 1.5 }, 'count'],
    ['a count of 1001', { lot, event, count: 1001 }, 'count'],
    ['an unknown kind of event', { lot, event: { ...event, bid_type: 'dutch' } }, 'event.bid_type'],
    ['a previous amount that is a number', { lot, event, legacy: { previousAmount: 1 } }, 'previousAmount'],
  ])('refuses %s', async (_, request, path) => {
    expect(await rejection(quoted(request as object))).toMatchObject({
      name: 'InvalidRequestError',
      issues: [{ path }],
    });
  });
});
