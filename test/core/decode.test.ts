import { describe, expect, it } from 'vitest';
import { checkReply } from '../../src/api/check.js';
import { type ToleranceName, tolerances } from '../../src/api/tolerance.js';
import { dealer, loggerOf, rejection } from '../support/clients.js';

const lot = { id: 'lot_1', auction_id: 'auc_1', starting_price: '450000.00' };
const numbers = { current_page: 1, last_page: 1, total: 1 };
const sale = { id: 'sal_1', kind: 'sale', state: 'approved', resource_version: 1, data: { amount: '1.00' } };
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
    const odd = { year: 'soon', make: { of: 'it' }, images: [null] };
    const found = await read({ ...odd, public_fields: { f1: 3.5 } }, { logLevel: 'warn', logger });
    expect(found).toMatchObject(odd);
    expect(warned).toEqual([['data.images.0', 'data.public_fields.f1', 'data.make', 'data.year']]);
  });

  // rule: general.1
  it.each([0.125, 1e21, 2 ** 53, -0.001, 465000.005, 'x', '465,000', '465000.001', true, {}])(
    'never guess at money that is not exact: %s',
    async (amount) => {
      for (const field of ['own_amount', 'highest_amount', 'starting_price']) {
        expect(await rejection(read({ [field]: amount }))).toMatchObject(unusable);
      }
    },
  );

  it('have a defect where the text has an amount and the service writes null', async () => {
    expect(await rejection(read({ starting_price: null }))).toMatchObject(unusable);
  });

  it.each(['\ufeff', '\ufeff\ufeff', '\n\ufeff'])(
    'are read after byte order marks, and before white space and NUL: %j',
    async (before) => {
      const text = `${before}${JSON.stringify({ data: lot })}\r\n\0\0`;
      expect(await readText(text)).toEqual(lot);
      const headers = { 'content-encoding': 'utf-8' };
      const { client } = dealer([{ status: 200, text, headers }]);
      expect(await client.events.lot('auc_1', 'lot_1')).toEqual(lot);
    },
  );

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
  ['"465000.0000"', '465000.00'],
  ['null', null],
  // Not money, but an accepted bid must not fail over it.
  ['0.125', '0.125'],
])('A current_amount of %s arrives as %s', async (sent, amount) => {
  const data = `{"bid_id":"b","status":"accepted","lot_version":1,"current_amount":${sent}}`;
  const { client } = dealer([{ status: 201, text: `{"success":true,"data":${data}}` }]);
  expect((await client.bids.submit('lot_1', { amount: '1' })).current_amount).toBe(amount);
});

describe('Forms that PHP writes', () => {
  it.each<[form: ToleranceName, written: object, read: object]>([
    ['money_as_number', { starting_price: 450000.5 }, { starting_price: '450000.50' }],
    ['money_as_number', { own_amount: 0 }, { own_amount: '0.00' }],
    ['money_with_more_zeros', { starting_price: '450000.0000' }, { starting_price: '450000.00' }],
    ['integer_as_text', { year: '2019' }, { year: 2019 }],
    ['text_as_integer', { id: 77 }, { id: '77' }],
    ['list_by_index', { images: { 1: 'b', 3: 'c' } }, { images: ['b', 'c'] }],
    ['list_as_null', { images: null }, { images: [] }],
    ['object_as_list', { vehicle_details: [] }, { vehicle_details: {} }],
    ['object_as_null', { public_fields: null }, { public_fields: {} }],
  ])('%s is read', async (form, written, expected) => {
    const warned: unknown[] = [];
    const logger = loggerOf((message, fields) => warned.push({ message, ...fields }));
    const { client } = dealer(Array(2).fill({ status: 200, json: { data: { ...lot, ...written } } }), {
      logLevel: 'warn',
      logger,
    });
    expect(await client.events.lot('auc_1', 'lot_1')).toEqual({ ...lot, ...expected });
    await client.events.lot('auc_1', 'lot_1');
    const [field = ''] = Object.keys(written);
    const line = { tolerated: form, path: expect.stringContaining(`data.${field}`), call: 'events.lot' };
    // Once for a client, and with what is written.
    expect(warned).toEqual([
      expect.objectContaining({ ...line, message: expect.stringContaining(tolerances[form].written) }),
    ]);
  });

  it.each<[form: ToleranceName, body: object]>([
    ['page_in_meta', { data: [lot], pagination: numbers }],
    ['page_in_data', { data: { data: [lot], ...numbers } }],
    ['page_in_data', { data: { items: [lot], meta: numbers } }],
    ['page_in_data', { data: { items: [lot] }, meta: numbers }],
    ['list_by_id', { data: { [lot.id]: lot }, ...numbers }],
  ])('%s is read of a page that is %o', async (form, json) => {
    const warned: unknown[] = [];
    const logger = loggerOf((_, fields) => warned.push(Reflect.get(fields ?? {}, 'tolerated')));
    const { client } = dealer([{ status: 200, json }], { logLevel: 'warn', logger });
    const page = await client.events.lots('auc_1').firstPage();
    expect(page).toEqual({ items: [lot], page: 1, lastPage: 1, total: 1 });
    expect(warned).toContain(form);
  });

  it.each<[body: object]>([
    [{ data: { items: [sale], meta: numbers } }],
    [{ data: { items: [sale] }, meta: numbers }],
    [{ data: { items: [sale] }, ...numbers }],
    [{ data: [sale], ...numbers }],
    [{ data: { data: [sale], ...numbers } }],
  ])('page_outside_data is read of a page of records that is %o', async (json) => {
    const { client } = dealer([{ status: 200, json }]);
    const page = await client.saleCases.list().firstPage();
    expect(page).toMatchObject({ items: [sale], page: 1, lastPage: 1, total: 1 });
  });

  it.each([null, []])('page_outside_data is read of a page of records whose data is %o', async (data) => {
    const { client } = dealer([{ status: 200, json: { data, ...numbers } }]);
    expect(await client.saleCases.list().toArray()).toEqual([]);
  });

  it.each<[string, object]>([
    ['another key than its id', { other: lot }],
    ['no id', { a: { ...lot, id: undefined } }],
  ])('list_by_id is not read of records with %s', async (_, data) => {
    const { client } = dealer([{ status: 200, json: { data, ...numbers } }], { maxAttempts: 1 });
    expect(await rejection(client.events.lots('auc_1').toArray())).toMatchObject(unusable);
  });

  it('page_in_meta is read, for page numbers and for a cursor, where the page itself has none', async () => {
    const meta = { current_page: 1, last_page: 1, total: 1, from: 1 };
    const { client } = dealer([
      { status: 200, json: { data: [lot], meta } },
      { status: 200, json: { data: [], meta: { next_cursor: 'c2' } } },
      { status: 200, json: { data: [lot], current_page: 1, last_page: 2, total: 2, meta } },
    ]);
    const first = await client.events.lots('auc_1').page(1);
    expect(first).toMatchObject({ items: [{ id: lot.id }], lastPage: 1 });
    expect(await client.winnerUpdates.list().firstPage()).toMatchObject({ items: [], nextCursor: 'c2' });
    expect(await client.events.lots('auc_1').page(1)).toMatchObject({ lastPage: 2 });
  });

  it.each([
    '<br />\n<b>Deprecated</b>:  Return type of X in <b>/var/www/x.php</b> on line <b>3</b><br />\n',
    'PHP Warning:  foreach() argument in x.php on line 3\n\nNotice: y\n',
  ])('php_warnings before a reply are skipped: %j', async (warnings) => {
    const warned: unknown[] = [];
    const logger = loggerOf((_, fields) => warned.push(Reflect.get(fields ?? {}, 'tolerated')));
    const found = await readText(`${warnings}${JSON.stringify({ data: lot })}`, { logLevel: 'warn', logger });
    expect([found, warned]).toEqual([lot, ['php_warnings']]);
  });

  it.each(['Login first\n', 'Warning: cut off\n{"data":', '<br />\n<h1>No</h1>\n'])(
    'other words before JSON make it no reply of the service: %j',
    async (words) => {
      expect(await rejection(readText(`${words}${JSON.stringify({ data: lot })}`))).toMatchObject(unusable);
    },
  );

  it.each([
    [1, true],
    ['1', true],
    ['true', true],
    [0, false],
    ['0', false],
    ['false', false],
  ])('a flag of %o is %s', (written, expected) => {
    expect(checkReply('boolean', written)).toMatchObject({ value: expected, issues: [] });
  });

  it('null for a field that may be left out is as if it were, and for money a defect', () => {
    const schema = { fields: { a: { optional: 'string' }, b: { optional: 'money' } } } as const;
    expect(checkReply(schema, { a: null })).toMatchObject({
      value: {},
      issues: [],
      tolerated: [{ path: ['a'] }],
    });
    expect(checkReply(schema, { a: null }).value).not.toHaveProperty('a');
    expect(checkReply(schema, { b: null }).issues).toMatchObject([{ path: ['b'], tolerable: false }]);
  });

  it.each(['yes', 2, '', null])('a flag of %o is not guessed', (written) => {
    expect(checkReply('boolean', written).issues).toHaveLength(1);
  });

  it.each(['1.0', '01', '9007199254740993', '', ' 1', '0x1'])(
    'an integer of %o is not guessed',
    (written) => {
      expect(checkReply('int', written).issues).toHaveLength(1);
      expect(checkReply('number', written === '1.0' ? '1.0.0' : written).issues).toHaveLength(1);
    },
  );

  it.each([1.5, 2 ** 53, true])('a text of %o is not guessed', (written) => {
    expect(checkReply('string', written).issues).toHaveLength(1);
  });

  it('are read in pages, whole, with every number of the page', async () => {
    const page = {
      data: { 0: lot, 2: { ...lot, starting_price: 7 } },
      current_page: '1',
      last_page: '1',
      total: '2',
    };
    const { client } = dealer([{ status: 200, json: page }]);
    const [first, second, ...others] = await client.events.lots('auc_1').toArray();
    expect([first?.starting_price, second?.starting_price, others]).toEqual(['450000.00', '7.00', []]);
  });

  it('are read in the receipt of a bid', async () => {
    const data = { bid_id: 77, status: 'accepted', lot_version: '3', current_amount: 465000 };
    const { client } = dealer([{ status: 201, json: { success: 1, data, errors: null } }]);
    expect(await client.bids.submit('lot_1', { amount: '465000' })).toMatchObject({
      ...{ bid_id: '77', status: 'accepted', lot_version: 3, current_amount: '465000.00' },
    });
  });

  it('never make a bid accepted that is not', async () => {
    for (const json of [
      { success: 0, data: { status: 'accepted' } },
      { success: 'true', data: { status: 1 } },
    ]) {
      const { client } = dealer([{ status: 201, json }], { maxAttempts: 1 });
      expect(await rejection(client.bids.submit('lot_1', { amount: '1' }))).toMatchObject({
        outcome: 'unknown',
      });
    }
  });
});

describe("A record of a list that can't be read", () => {
  const wrong = { ...lot, id: 'lot_2', starting_price: null };
  const page = { data: [lot, wrong, { ...lot, id: 'lot_3' }], current_page: 1, last_page: 1, total: 3 };
  const defect = {
    index: 1,
    id: 'lot_2',
    field: 'starting_price',
    problem: expect.any(String),
    record: wrong,
  };

  it('is left out and kept in skipped, with a warning', async () => {
    const warned: object[] = [];
    const logger = loggerOf((message, fields) => void warned.push({ message, ...fields }));
    const { client } = dealer([{ status: 200, json: page }], { logLevel: 'warn', logger });
    const list = client.events.lots('auc_1');
    expect((await list.toArray()).map(({ id }) => id)).toEqual(['lot_1', 'lot_3']);
    expect(list.skipped).toEqual([defect]);
    expect(warned).toMatchObject([{ call: 'events.lots', count: 1, id: 'lot_2', path: 'starting_price' }]);
  });

  it('is in skipped once, however often the list is read, and as often as it is on the page', async () => {
    const twice = { ...page, data: [lot, wrong, wrong] };
    const { client } = dealer(Array(3).fill({ status: 200, json: twice }));
    const list = client.events.lots('auc_1');
    for (let times = 0; times < 3; times += 1) await list.toArray();
    expect(list.skipped).toEqual([defect, { ...defect, index: 2 }]);
  });

  it('is on its page, and makes the list throw with strict', async () => {
    const { client } = dealer(Array(2).fill({ status: 200, json: page }), { maxAttempts: 1 });
    const first = await client.events.lots('auc_1').firstPage();
    expect([first.items.length, first.skipped]).toEqual([2, [defect]]);
    const strict = client.events.lots('auc_1', {}, { strict: true }).toArray();
    expect(await rejection(strict)).toMatchObject({
      ...unusable,
      message: expect.stringContaining('data.1.starting_price'),
    });
  });

  it('of a page is no reason to take another fault for one', async () => {
    const { client } = dealer([{ status: 200, json: { ...page, current_page: 'first', last_page: null } }], {
      maxAttempts: 1,
    });
    expect(await rejection(client.events.lots('auc_1').toArray())).toMatchObject(unusable);
  });
});
