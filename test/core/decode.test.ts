import { describe, expect, it } from 'vitest';
import { dealer, rejection } from '../support/clients.js';

const lot = { id: 'lot_1', auction_id: 'auc_1', starting_price: '450000.00' };
const unusable = { name: 'UnexpectedResponseError', status: 200 };
const readText = (text: string, options: Parameters<typeof dealer>[1] = {}) =>
  dealer([{ status: 200, text }], { maxAttempts: 1, ...options }).client.events.lot('auc_1', 'lot_1');
const read = (over: object, options?: Parameters<typeof dealer>[1]) =>
  readText(JSON.stringify({ data: { ...lot, ...over } }), options);

describe('replies are open', () => {
  // rule: bid-state.standings
  it('keeps unknown fields and unknown values of known enums', async () => {
    const unknown = { bidder_status: 'shadowed', brand_new: { x: 1 } };
    expect(await read(unknown)).toEqual({ ...lot, ...unknown });
  });

  // rule: vehicle.keys, vehicle.values
  it("keeps the bank's labels, whatever they are called, and pollutes nothing", async () => {
    const found = await readText(
      `{"data":{"id":"lot_1","auction_id":"auc_1","starting_price":"1.00","vehicle_details":{"make":"Tata","__proto__":{"polluted":1},"constructor":"x","Remarks (2)":null,"":""}}}`,
    );
    const details = found.vehicle_details ?? {};
    expect(Object.keys(details)).toEqual(['make', '__proto__', 'constructor', 'Remarks (2)', '']);
    expect(Object.getOwnPropertyDescriptor(details, '__proto__')?.value).toEqual({ polluted: 1 });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('reads an empty PHP array as an empty object, where an object is due and nowhere else', async () => {
    expect(await read({ vehicle_details: [], public_fields: [], images: [] })).toEqual({
      ...lot,
      ...{ vehicle_details: {}, public_fields: {}, images: [] },
    });
    expect(await rejection(readText('{"data":[]}'))).toMatchObject(unusable);
    expect(await read({ vehicle_details: [1] })).toEqual({ ...lot, vehicle_details: [1] });
  });

  it('needs identity, state, version and money, and little else', async () => {
    expect(await read({})).toEqual(lot);
    for (const field of ['id', 'auction_id', 'starting_price']) {
      const message = expect.stringContaining(`data.${field}`);
      expect(await rejection(read({ [field]: undefined }))).toMatchObject({ ...unusable, message });
    }
  });

  // rule: vehicle.values
  it('lets an odd value of an optional field pass, and says so', async () => {
    const warned: unknown[] = [];
    const log = () => undefined;
    const warn = (_: string, fields?: Readonly<Record<string, unknown>>) =>
      void warned.push(fields?.['paths']);
    const logger = { error: log, warn, info: log, debug: log };
    const odd = { year: '2019', make: 7, images: [null] };
    const found = await read({ ...odd, public_fields: { f1: 3 } }, { logLevel: 'warn', logger });
    expect(found).toMatchObject(odd);
    expect(warned).toEqual([['data.images.0', 'data.public_fields.f1', 'data.make', 'data.year']]);
  });

  // rule: general.1
  it.each(['own_amount', 'highest_amount', 'starting_price'])('never guess at money: %s', async (field) => {
    expect(await rejection(read({ [field]: 465000 }))).toMatchObject(unusable);
  });

  it('are not read past the cap', async () => {
    const message = expect.stringContaining('larger than 1000 bytes');
    const error = await rejection(read({ filler: 'x'.repeat(2_000) }, { maxReplyBytes: 1_000 }));
    expect(error).toMatchObject({ name: 'UnexpectedResponseError', message });
  });
});

it.each([
  ['465000', '465000.00'],
  ['4.65e5', '465000.00'],
  ['"465000.00"', '465000.00'],
  ['null', null],
  // Not money, but an accepted bid must not fail over it.
  ['0.125', '0.125'],
])('A current_amount of %s arrives as %s', async (sent, amount) => {
  const data = `{"bid_id":"b","status":"accepted","lot_version":1,"current_amount":${sent}}`;
  const { client } = dealer([{ status: 201, text: `{"success":true,"data":${data}}` }]);
  expect((await client.bids.submit('lot_1', { amount: '1' })).current_amount).toBe(amount);
});
