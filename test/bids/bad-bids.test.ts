import { describe, expect, it } from 'vitest';
import type { PartnerClient } from '../../src/client/partner-client.js';
import type { InvalidRequestError } from '../../src/errors/local.js';
import { acceptance, LOT, NOW } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { rejection } from '../support/clients.js';

/** A bid that is certainly wrong is neither recorded nor sent; one that may be right is. */

type Given = Parameters<PartnerClient<'direct_dealer'>['bids']['place']>;

/** Arguments as they come from plain JavaScript. */
function loose(bid: unknown, options?: unknown): Given {
  return [bid, options] as Given;
}

async function issuesOf(bid: unknown, options?: unknown) {
  const scene = new Scene();
  const { client, transport } = scene.dealer([acceptance()]);
  const error = await rejection(scene.during(client.bids.place(...loose(bid, options))));
  expect(transport.sent).toEqual([]);
  expect(await scene.intents()).toEqual([]);
  expect(error).toMatchObject({
    name: 'InvalidRequestError',
    outcome: 'not_sent',
    call: 'bids.place',
    operation: 'bids.submit',
  });
  return (error as InvalidRequestError).issues;
}

const good = { lot: LOT, amount: '465000' };
const lot = { id: LOT, starting_price: '450000.00' };
const event = { bid_increment: '5000.00', ends_at: '2026-03-02T07:00:00+00:00' };

describe('a bid that is certainly wrong is an InvalidRequestError that names the field of place', () => {
  it.each([
    ['nothing', undefined, 'bid'],
    ['a text', 'lot_1', 'bid'],
    ['no lot', { amount: '1' }, 'lot'],
    ['a lot with a slash', { ...good, lot: 'a/b' }, 'lot'],
    ['a number for a lot', { ...good, lot: 7 }, 'lot'],
    ['a lot without an id', { ...good, lot: { starting_price: '1' } }, 'lot'],
    ['no amount', { lot: LOT }, 'amount'],
    ['a JS number', { ...good, amount: 465000 }, 'amount'],
    ['a dealer of a direct dealer who names a buyer', { ...good, bidderReference: 'b' }, 'bidderReference'],
    ['a dealer id that is too long', { ...good, dealerId: 'D'.repeat(33) }, 'dealerId'],
    ['a time without a zone', { ...good, clientBidTime: '2026-03-02T06:00:00' }, 'clientBidTime'],
    ['a deadline that is no moment', { ...good, placeBy: 'soon' }, 'placeBy'],
    ['a deadline without a zone', { ...good, placeBy: '2026-03-02T06:00:00' }, 'placeBy'],
    ['a deadline in seconds', { ...good, placeBy: NOW / 1_000 + 60 }, 'placeBy'],
    ['a deadline that no Date can hold', { ...good, placeBy: Number.MAX_SAFE_INTEGER }, 'placeBy'],
    ['a field of the wire', { ...good, bidder_reference: 'b' }, 'bidder_reference'],
    ['an option among the fields', { ...good, allowUnresolved: true }, 'allowUnresolved'],
    ['a misspelt field', { ...good, placeby: 1 }, 'placeby'],
    ['an amount below the opening price', { lot, event, amount: '445000' }, 'amount'],
    ['an amount off the grid', { lot, event, amount: '452000' }, 'amount'],
    ['an amount off the grid by a paisa', { lot, event, amount: '455000.01' }, 'amount'],
  ])('%s', async (_, bid, path) => {
    expect((await issuesOf(bid)).map((issue) => issue.path)).toEqual([path]);
  });

  it.each([
    ['null', null, 'options'],
    ['a text', 'fast', 'options'],
    ['a misspelt one', { deadLine: 1 }, 'options.deadLine'],
    ['further fields', { extraBody: { a: 1 } }, 'options.extraBody'],
    ['a key that is no UUID', { idempotencyKey: 'x' }, 'options.idempotencyKey'],
    ['a word for yes or no', { allowUnresolved: 'no' }, 'options.allowUnresolved'],
    ['a number for yes or no', { confirm: 1 }, 'options.confirm'],
  ])('options: %s', async (_, options, path) => {
    expect((await issuesOf(good, options)).map((issue) => issue.path)).toEqual([path]);
  });

  it('everything that is wrong with it is reported at once', async () => {
    const found = await issuesOf({ lot: LOT, amount: 1, clientBidTime: 'now', dealerId: '' });
    expect(found.map(({ path }) => path).sort()).toEqual(['amount', 'clientBidTime', 'dealerId']);
  });

  it('a bid of a platform without a buyer, or with one that is no reference', async () => {
    const scene = new Scene();
    const { client, transport } = scene.platform();
    for (const buyer of [undefined, '', 'a b', 'x'.repeat(121)]) {
      const bid = { ...good, ...(buyer !== undefined && { bidderReference: buyer }) };
      const error = await rejection(
        scene.during(client.bids.place(bid as Parameters<typeof client.bids.place>[0])),
      );
      expect((error as InvalidRequestError).issues.map(({ path }) => path)).toEqual(['bidderReference']);
    }
    expect(transport.sent).toEqual([]);
  });
});

describe('a bid that may be right is sent', () => {
  it.each([
    ['on the grid', { lot, event, amount: '455000' }],
    ['at the opening price', { lot, event, amount: '450000.00' }],
    ['where the increment is zero', { lot, event: { ...event, bid_increment: '0.00' }, amount: '1.01' }],
    ['below the highest amount', { lot: { ...lot, highest_amount: '500000.00' }, event, amount: '455000' }],
    ['without its event, so without a grid', { lot, amount: '452000' }],
    ['by id, with its event', { lot: LOT, event, amount: '452000' }],
    ['without an opening price', { lot: { id: LOT, starting_price: 'ask' }, event, amount: '452000' }],
    ['of a lot status', { lot: { lot_id: LOT }, amount: '1.5' }],
    ['of twelve digits and two decimals', { ...good, amount: '123456789012.34' }],
  ])('%s', async (_, bid) => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()]);
    expect((await scene.during(client.bids.place(...loose(bid)))).status).toBe('accepted');
    expect(transport.lines).toEqual([`POST /lots/${LOT}/bids`]);
    expect(JSON.parse(transport.sent[0]?.body ?? '')).toMatchObject({ amount: bid.amount });
  });

  it('with bytes that the caller can no longer change', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ fail: 'maybe' }, acceptance()]);
    const bid = { lot: LOT, amount: '465000' };
    const placing = client.bids.place(bid);
    bid.amount = '1';
    await scene.during(placing);
    expect(transport.bodies.map((body) => JSON.parse(body ?? '').amount)).toEqual(['465000', '465000']);
    expect((await scene.only()).content.bid?.amount).toBe('465000');
  });
});
