import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.js';
import { command, done, inventoryOf } from './workflow.js';

let sandbox: Sandbox;
const start = async (variants: SandboxOptions['variants'] = {}) => {
  sandbox = await startSandbox({ clock: 'manual', rateLimit: false, variants });
};
beforeEach(() => start());
afterEach(() => sandbox.close());
const restart = async (variants: SandboxOptions['variants']) => {
  await sandbox.close();
  await start(variants);
};

/** Creates a vehicle with these values; as text where JSON.stringify can't say it. */
const create = (values: unknown, schema_version = 'vehicles-4') =>
  command(sandbox, sandbox.credentials.bank, '/api/v1/bank/inventory/vehicles', {
    title: 'Swift VXI 2019',
    external_id: 'LN-90017',
    schema_version,
    values,
  });
const stored = async (values: unknown, schema?: string) =>
  inventoryOf(sandbox).get((await done(create(values, schema))).data.vehicle_id).values;

describe('a value is held to the type of its field', () => {
  // rule: state.inventory-command
  it.each([
    ['a text', 'fld_1001', ['KA25MB1187', '', ' ', '₹'], [7, true, [], {}]],
    [
      'a whole number',
      'fld_1042',
      [0, -1, 48_200, 9_007_199_254_740_991],
      [1.5, '48200', true, [1], 2 ** 53],
    ],
    ['a choice', 'fld_1041', ['Petrol', 'CNG'], ['petrol', '', 'constructor', 0, ['Petrol']]],
    ['true or false', 'fld_2005', [true, false], ['true', 0, 1, '']],
    [
      'a date',
      'fld_2004',
      ['2026-02-28', '2024-02-29'],
      ['2026-02-29', '2026-2-1', '28-02-2026', 20_260_228],
    ],
    ['an amount', 'fld_2006', ['0', '12500', '12500.5', '12500.50'], [12_500, '12,500', '-1', '1.234', '']],
  ])('%s', async (_, id, good, bad) => {
    for (const value of [...good, null]) {
      await restart({});
      expect(await stored({ [id]: value })).toEqual({ [id]: value });
    }
    for (const value of bad) {
      await restart({});
      const got = await create({ [id]: value });
      expect([value, got.status, got.json]).toEqual([
        value,
        422,
        {
          message: 'The given data was invalid.',
          errors: { [`values.${id}`]: [expect.stringMatching(/^The value must be /)] },
        },
      ]);
      expect([inventoryOf(sandbox).list(), sandbox.ledger()]).toEqual([[], []]);
    }
  });

  it('a number', async () => {
    expect(await stored({ fld_3002: 5.25 }, 'commercial-2')).toEqual({ fld_3002: 5.25 });
    expect((await create({ fld_3002: '5.25' }, 'commercial-2')).status).toBe(422);
  });

  it('says what would be right', async () => {
    const { errors } = (await create({ fld_1041: 'Steam', fld_1042: 'many' })).json;
    expect(errors).toEqual({
      'values.fld_1041': ['The value must be one of Petrol, Diesel, CNG, Electric.'],
      'values.fld_1042': ['The value must be a whole number.'],
    });
  });
});

describe('a field', () => {
  it.each(['fld_3001', 'fld_9001', 'Fuel', '', 'constructor', 'toString', '0'])(
    'that the schema does not have is named: %j',
    async (id) => {
      const got = await create({ [id]: null });
      expect([got.status, got.json.errors]).toEqual([
        422,
        { [`values.${id}`]: ['The schema vehicles-4 has no such field.'] },
      ]);
      expect(inventoryOf(sandbox).list()).toEqual([]);
    },
  );

  it('that is called __proto__ is one like any other, which there isn’t', async () => {
    const values = JSON.parse('{"__proto__": {"fld_1001": "x"}, "fld_1001": "KA25MB1187"}');
    for (const given of [values, [values], [{ id: '__proto__', value: 1 }]]) {
      const got = await create(given);
      expect([got.status, Object.keys(got.json.errors)]).toEqual([422, ['values.__proto__']]);
    }
    expect(inventoryOf(sandbox).list()).toEqual([]);
  });

  it('may be missing, all of them', async () => {
    expect(await stored({})).toEqual({});
  });
});

describe('inventory-values-form', () => {
  const values = { fld_1001: 'KA25MB1187', fld_1042: 48_200 };
  const lists: readonly (readonly [string, unknown])[] = [
    ['pairs by id', Object.entries(values).map(([id, value]) => ({ id, value }))],
    ['pairs by field_id', Object.entries(values).map(([field_id, value]) => ({ field_id, value }))],
    ['an object for each', Object.entries(values).map(([id, value]) => ({ [id]: value }))],
    ['one object', [values]],
  ];

  it('both takes an object, and a list in any form', async () => {
    expect(await stored(values)).toEqual(values);
    for (const [, list] of lists) {
      await restart({});
      expect(await stored(list)).toEqual(values);
    }
    await restart({});
    expect(await stored([])).toEqual({});
  });

  it.each([
    ['a field twice', [{ id: 'fld_1042', value: 1 }, { fld_1042: 2 }], 'values.fld_1042'],
    ['an entry that is a text', ['fld_1042'], 'values'],
    ['an entry that is null', [null], 'values'],
    ['an entry that is a list', [['fld_1042', 1]], 'values'],
    ['an entry with more in it', [{ id: 'fld_1042', value: 1, unit: 'km' }], 'values.id'],
    ['an entry whose id is a number', [{ id: 1042, value: 1 }], 'values.id'],
  ])('both refuses %s', async (_, list, field) => {
    const got = await create(list);
    expect(got.status).toBe(422);
    expect(Object.keys(got.json.errors)).toContain(field);
    expect(inventoryOf(sandbox).list()).toEqual([]);
  });
});
