import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxCredentials } from '../../src/sandbox/index.js';
import { get, lotOf, onManualClock, send } from './caller.js';
import { told } from './story.js';
import { command, done } from './workflow.js';

let sandbox: Sandbox;
let bank: SandboxCredentials;
beforeEach(async () => {
  sandbox = await onManualClock();
  bank = sandbox.credentials.bank;
});
afterEach(() => sandbox.close());

const vehicles = '/api/v1/bank/inventory/vehicles';
const schemas = '/api/v1/bank/inventory/schemas';
const swift = {
  title: 'Swift VXI 2019',
  external_id: 'LN-90017',
  schema_version: 'vehicles-4',
  values: { fld_1001: 'KA25MB1187', fld_1041: 'Petrol', fld_1042: 48_200 },
};
const create = (change: Record<string, unknown> = {}, who = bank) =>
  command(sandbox, who, vehicles, { ...swift, ...change });
const created = async (change: Record<string, unknown> = {}, who = bank): Promise<string> =>
  (await done(create(change, who))).data.vehicle_id;
/** A PATCH as it travels: a POST that names its method in the body, signed as a PATCH. */
const patch = (vehicle: string, change: Record<string, unknown>, who = bank) =>
  command(sandbox, who, `${vehicles}/${vehicle}`, { _method: 'PATCH', ...change }, {}, { method: 'PATCH' });
const vehicle = (id: string) => {
  const found = sandbox.records('inventory_vehicle').find((each) => each.id === id);
  if (found === undefined) throw new Error(`no vehicle ${id}`);
  return found;
};

const everything = () => [
  ...['inventory_vehicle', 'inventory_command'].map((kind) => sandbox.records(kind)),
  sandbox.ledger(),
];

/** Sends what must be refused, and proves that it changed nothing. */
async function refused(sending: () => ReturnType<typeof command>) {
  const before = everything();
  const got = await sending();
  expect(everything()).toEqual(before);
  return told(got);
}

describe('A59', () => {
  it('finds the id of the bank taken: by a draft, and by a vehicle in an auction', async () => {
    await created();
    const { data } = sandbox.vehicleOf(lotOf(sandbox, 'live-open').id);
    for (const external_id of ['LN-90017', data['external_id']]) {
      expect(await refused(() => create({ external_id, title: 'Another' }))).toEqual([409, ['message']]);
    }
  });

  it('lets another bank use the same id, and keeps the two apart', async () => {
    const { otherBank } = sandbox.credentials;
    const own = await created();
    const theirs = await created({ schema_version: 'stock-1', values: {} }, otherBank);
    expect(theirs).not.toBe(own);
    for (const [id, who] of [
      [own, otherBank],
      [theirs, bank],
    ] as const) {
      expect(await refused(() => patch(id, { title: 'Mine', expected_version: 1 }, who))).toEqual([
        404,
        ['message'],
      ]);
    }
  });
});

describe('A60', () => {
  let id: string;
  beforeEach(async () => {
    id = await created();
  });

  // rule: state.inventory-command, version.4
  it('merges what is given and keeps the rest; null and an empty text are values', async () => {
    const values = { fld_1001: '', fld_1042: null, fld_1057: 2 };
    await done(patch(id, { values, expected_version: 1 }));
    await done(patch(id, { title: 'Swift, 2019', expected_version: 2 }));
    expect(vehicle(id)).toMatchObject({ resource_version: 3, data: { title: 'Swift, 2019' } });
    expect(vehicle(id).data['values']).toEqual({ ...swift.values, ...values });
    const wrong = { fld_1042: 1, fld_1057: 'two' };
    expect(await refused(() => patch(id, { values: wrong, expected_version: 3 }))).toEqual([
      422,
      ['values.fld_1057'],
    ]);
  });

  // rule: state.inventory-command, code.inventory-conflict
  it.each(['ready', 'published'])('is a conflict on a vehicle that is %s', async (status) => {
    const { resource_version } = sandbox.actors.set(id, status);
    for (const expected_version of [1, resource_version]) {
      const got = await refused(() => patch(id, { title: 'Too late', expected_version }));
      expect(got).toEqual([409, ['message']]);
    }
    expect(sandbox.actors.set(id, 'draft')).toMatchObject({ state: 'draft', resource_version: 3 });
    await done(patch(id, { title: 'In time', expected_version: 3 }));
  });

  // rule: code.inventory-conflict
  it('never changes what is in an auction', async () => {
    const { id: sold } = sandbox.vehicleOf(lotOf(sandbox, 'live-open').id);
    expect(await refused(() => patch(sold, { title: 'x', expected_version: 1 }))).toEqual([409, ['message']]);
  });

  // rule: code.not-found
  it('knows private ids only: a lot, an id of the bank, and what there isn’t are a 404', async () => {
    for (const other of [lotOf(sandbox, 'live-open').id, randomUUID(), 'LN-90017', 'constructor']) {
      const got = await refused(() => patch(other, { title: 'x', expected_version: 1 }));
      expect([other, ...got]).toEqual([other, 404, ['message']]);
    }
  });

  // rule: convention.4
  it('comes as a POST that is signed as a PATCH, and in no other way', async () => {
    const body = { title: 'x', expected_version: 1, idempotency_key: randomUUID() };
    const headers = { 'Idempotency-Key': body.idempotency_key };
    const patched = { ...body, _method: 'PATCH' };
    const sign = { method: 'PATCH' };
    const before = vehicle(id);
    const answers = [
      // Without its method in the body it is a POST, of which there is none here.
      [{ body }, 404],
      [{ body: { ...body, _method: 'patch' } }, 404],
      [{ body: { ...body, _method: 'PUT' }, sign: { method: 'PUT' } }, 404],
      [{ body: patched }, 401],
      [{ method: 'PATCH', body, sign }, 405],
      [{ method: 'PATCH', body: patched, sign }, 405],
    ] as const;
    const path = `${vehicles}/${id}`;
    for (const [sent, status] of answers) {
      expect([sent, (await send(sandbox, bank, { path, headers, ...sent })).status]).toEqual([sent, status]);
    }
    expect(vehicle(id)).toEqual(before);
    expect((await send(sandbox, bank, { path, headers, body: patched, sign })).status).toBe(200);
  });
});

describe('A63', () => {
  // rule: version.2
  it('shows a bank its own schemas, every field with its id, label and type', async () => {
    const { status, json } = await get(sandbox, bank, schemas);
    expect([status, Object.keys(json)]).toEqual([200, ['data', 'server_time']]);
    expect(json.data.map(({ fields, ...schema }: { fields: unknown }) => schema)).toEqual([
      { schema_version: 'vehicles-4', name: 'Cars and two-wheelers', version: 4 },
      { schema_version: 'commercial-2', name: expect.any(String), version: 2 },
    ]);
    expect(json.data[0].fields).toEqual(
      expect.arrayContaining([
        {
          id: 'fld_1041',
          label: 'Fuel',
          type: 'choice',
          required: false,
          private: false,
          enum_values: ['Petrol', 'Diesel', 'CNG', 'Electric'],
        },
        { id: 'fld_2001', label: 'Chassis Number', type: 'text', required: true, private: true },
      ]),
    );
    const other = (await get(sandbox, sandbox.credentials.otherBank, schemas)).json.data;
    expect(other).toMatchObject([{ schema_version: 'stock-1' }]);
  });

  it('uses the field ids that the catalogue shows, and what is in the auctions keeps by it', async () => {
    const [lot] = (await get(sandbox, sandbox.credentials.dealer, '/api/v1/lots')).json.data;
    const { fields } = (await get(sandbox, bank, schemas)).json.data[0];
    for (const [id, { label }] of Object.entries<{ label: string }>(lot.public_fields)) {
      expect(fields).toContainEqual(expect.objectContaining({ id, label, private: false }));
    }
    for (const { id } of sandbox.auctions.get('live-open').lots) {
      const { schema_version, values } = sandbox.vehicleOf(id).data;
      await created({ schema_version, values, external_id: `copy of ${id}` });
    }
  });
});

describe('the vehicle of a lot', () => {
  it('goes by one id, the same for the same seed', async () => {
    const lot = lotOf(sandbox, 'live-open').id;
    const first = sandbox.vehicleOf(lot);
    expect(sandbox.vehicleOf(lot)).toEqual(first);
    await using again = await onManualClock();
    again.vehicleOf(lotOf(again, 'live-closed').id);
    expect(again.vehicleOf(lot).id).toBe(first.id);
    expect(() => sandbox.vehicleOf('lot_none')).toThrow(RangeError);
  });
});

const stored = async (values: unknown, schema_version = 'vehicles-4') => {
  const external_id = randomUUID();
  return vehicle(await created({ values, schema_version, external_id })).data['values'];
};

// rule: state.inventory-command
it.each([
  ['a text', 'fld_1001', ['KA25MB1187', '', ' ', '₹'], [7, true, [], {}]],
  ['a whole number', 'fld_1042', [0, -1, 48_200, 9_007_199_254_740_991], [1.5, '48200', true, [1], 2 ** 53]],
  ['a choice', 'fld_1041', ['Petrol', 'CNG'], ['petrol', '', 'constructor', 0, ['Petrol']]],
  ['true or false', 'fld_2005', [true, false], ['true', 0, 1, '']],
  ['a date', 'fld_2004', ['2026-02-28', '2024-02-29'], ['2026-02-29', '2026-2-1', '28-02-2026', 20_260_228]],
  ['an amount', 'fld_2006', ['0', '12500', '12500.5', '12500.50'], [12_500, '12,500', '-1', '1.234', '']],
  ['a number', 'fld_3002', [5.25, -1], ['5.25', true]],
])('a field that is %s takes no other value', async (_, id, good, bad) => {
  const schema_version = id === 'fld_3002' ? 'commercial-2' : 'vehicles-4';
  for (const value of [...good, null]) {
    expect(await stored({ [id]: value }, schema_version)).toEqual({ [id]: value });
  }
  for (const value of bad) {
    const got = await refused(() => create({ schema_version, values: { [id]: value } }));
    expect([value, ...got]).toEqual([value, 422, [`values.${id}`]]);
  }
});

it('a field that the schema does not have is named', async () => {
  for (const id of ['fld_3001', 'fld_9001', 'Fuel', '', 'constructor', 'toString', '0']) {
    const got = await refused(() => create({ values: { [id]: null } }));
    expect(got).toEqual([422, [`values.${id}`]]);
  }
  const values = JSON.parse('{"__proto__": {"fld_1001": "x"}, "fld_1001": "KA25MB1187"}');
  for (const given of [values, [values], [{ id: '__proto__', value: 1 }]]) {
    expect(await refused(() => create({ values: given }))).toEqual([422, ['values.__proto__']]);
  }
});

it('values come as an object or as a list in any form, or not at all', async () => {
  const values = { fld_1001: 'KA25MB1187', fld_1042: 48_200 };
  const entries = Object.entries(values);
  for (const form of [
    values,
    [values],
    entries.map(([id, value]) => ({ id, value })),
    entries.map(([field_id, value]) => ({ field_id, value })),
    entries.map(([id, value]) => ({ [id]: value })),
  ]) {
    expect(await stored(form)).toEqual(values);
  }
  expect([await stored({}), await stored([])]).toEqual([{}, {}]);
});

it.each([
  ['a field twice', [{ id: 'fld_1042', value: 1 }, { fld_1042: 2 }], 'values.fld_1042'],
  ['an entry that is a text', ['fld_1042'], 'values'],
  ['an entry that is null', [null], 'values'],
  ['an entry that is a list', [['fld_1042', 1]], 'values'],
  ['an entry with more in it', [{ id: 'fld_1042', value: 1, unit: 'km' }], 'values.id'],
  ['an entry whose id is a number', [{ id: 1042, value: 1 }], 'values.id'],
])('a list of values with %s is refused', async (_, values, field) => {
  const [status, fields] = await refused(() => create({ values }));
  expect([status, fields]).toEqual([422, expect.arrayContaining([field])]);
});
