import { describe, expect, it } from 'vitest';
import { dealer, rejection } from '../support/clients.js';

const lot = { id: 'lot_1', auction_id: 'auc_1', starting_price: '450000.00' };
const read = async (text: string) => {
  const { client } = dealer([{ status: 200, text }], { maxAttempts: 1 });
  return client.events.lot('auc_1', 'lot_1');
};

describe('replies are open', () => {
  // rule: bid-state.standings
  it('keeps unknown fields and unknown values of known enums', async () => {
    const found = await read(
      JSON.stringify({ data: { ...lot, bidder_status: 'shadowed', brand_new: { x: 1 } } }),
    );
    expect(found).toEqual({ ...lot, bidder_status: 'shadowed', brand_new: { x: 1 } });
  });

  // rule: vehicle.keys, vehicle.values
  it("keeps the bank's labels, whatever they are called, and pollutes nothing", async () => {
    const found = await read(
      `{"data":{"id":"lot_1","auction_id":"auc_1","starting_price":"1.00","vehicle_details":{"make":"Tata","__proto__":{"polluted":1},"constructor":"x","Remarks (2)":null,"":""}}}`,
    );
    const details = found.vehicle_details ?? {};
    expect(Object.keys(details)).toEqual(['make', '__proto__', 'constructor', 'Remarks (2)', '']);
    expect(Object.getOwnPropertyDescriptor(details, '__proto__')?.value).toEqual({ polluted: 1 });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('reads an empty PHP array as an empty object, where an object is due and nowhere else', async () => {
    const found = await read(
      JSON.stringify({ data: { ...lot, vehicle_details: [], public_fields: [], images: [] } }),
    );
    expect(found).toEqual({ ...lot, vehicle_details: {}, public_fields: {}, images: [] });
    await expect(read(JSON.stringify({ data: [] }))).rejects.toMatchObject({
      name: 'UnexpectedResponseError',
    });
    expect(await read(JSON.stringify({ data: { ...lot, vehicle_details: [1] } }))).toEqual({
      ...lot,
      vehicle_details: [1],
    });
  });

  it('needs identity, state, version and money, and little else', async () => {
    expect(await read(JSON.stringify({ data: lot }))).toEqual(lot);
    for (const field of ['id', 'auction_id', 'starting_price']) {
      const error = await rejection(read(JSON.stringify({ data: { ...lot, [field]: undefined } })));
      expect(error).toMatchObject({
        name: 'UnexpectedResponseError',
        status: 200,
        message: expect.stringContaining(`data.${field}`),
      });
    }
  });

  // rule: vehicle.values
  it('lets an odd value of an optional field pass, and says so', async () => {
    const warned: unknown[] = [];
    const log = () => undefined;
    const { client } = dealer(
      [
        {
          status: 200,
          json: { data: { ...lot, year: '2019', make: 7, images: [null], public_fields: { f1: 3 } } },
        },
      ],
      {
        logLevel: 'warn',
        logger: { error: log, warn: (_, fields) => warned.push(fields?.['paths']), info: log, debug: log },
      },
    );
    expect(await client.events.lot('auc_1', 'lot_1')).toMatchObject({
      year: '2019',
      make: 7,
      images: [null],
    });
    expect(warned).toEqual([['data.images.0', 'data.public_fields.f1', 'data.make', 'data.year']]);
  });

  // rule: general.1
  it.each(['own_amount', 'highest_amount', 'starting_price'])(
    'but never guesses at money: %s',
    async (field) => {
      await expect(read(JSON.stringify({ data: { ...lot, [field]: 465000 } }))).rejects.toMatchObject({
        name: 'UnexpectedResponseError',
      });
    },
  );

  it('stops reading past the cap', async () => {
    const { client } = dealer(
      [{ status: 200, text: JSON.stringify({ data: { ...lot, filler: 'x'.repeat(2_000) } }) }],
      { maxAttempts: 1, maxReplyBytes: 1_000 },
    );
    expect(await rejection(client.events.lot('auc_1', 'lot_1'))).toMatchObject({
      name: 'UnexpectedResponseError',
      message: expect.stringContaining('larger than 1000 bytes'),
    });
  });
});

describe('current_amount', () => {
  const bid = async (text: string) => {
    const { client } = dealer([
      {
        status: 201,
        text: `{"success":true,"data":{"bid_id":"b","status":"accepted","lot_version":1,"current_amount":${text}}}`,
      },
    ]);
    return (await client.bids.submit('lot_1', { amount: '1' })).current_amount;
  };

  it.each([
    ['465000', '465000.00'],
    ['4.65e5', '465000.00'],
    ['"465000.00"', '465000.00'],
    ['null', null],
    // Not money, but an accepted bid must not fail over it.
    ['0.125', '0.125'],
  ])('%s arrives as %s', async (sent, read) => {
    expect(await bid(sent)).toBe(read);
  });
});
