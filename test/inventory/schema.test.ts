import { describe, expect, it } from 'vitest';
import { checkedValue, readSchemaFields, type SchemaField } from '../../src/inventory/schema.js';

const field = (over: Partial<SchemaField>): SchemaField => ({
  ...{ id: 'f', label: 'F', type: undefined, choices: undefined, required: undefined },
  ...over,
});

describe('the fields of an inventory schema', () => {
  const fuel = { id: 'fld_1', label: 'Fuel', type: 'choice', choices: ['Petrol', 'CNG'], required: true };

  it.each<[string, readonly unknown[] | Readonly<Record<string, unknown>>]>([
    [
      'a list',
      [{ id: 'fld_1', label: 'Fuel', type: 'choice', required: true, enum_values: ['Petrol', 'CNG'] }],
    ],
    [
      'an object by id',
      { fld_1: { label: 'Fuel', type: 'choice', required: true, options: ['Petrol', 'CNG'] } },
    ],
    [
      'other names',
      [{ field_id: 'fld_1', name: 'Fuel', type: 'choice', required: true, enum: ['Petrol', 'CNG'] }],
    ],
  ])('are read from %s', (_, fields) => {
    expect(readSchemaFields({ fields })).toEqual([fuel]);
  });

  it('have what the service sends, and undefined for the rest', () => {
    const fields = [{ id: 'a' }, { id: 'b', label: 7, type: null, required: 'yes', enum_values: [1, 2] }];
    const rest = { label: undefined, type: undefined, choices: undefined, required: undefined };
    expect(readSchemaFields({ fields })).toEqual([
      { id: 'a', ...rest },
      { id: 'b', ...rest },
    ]);
  });

  it.each([[undefined], [[]], [[null, 'text', 7, { label: 'no id' }]]])('are none in %j', (fields) => {
    expect(readSchemaFields(fields === undefined ? {} : { fields })).toEqual([]);
  });
});

describe('a value of a field', () => {
  it.each<[Partial<SchemaField>, unknown, unknown]>([
    [{ type: 'text' }, 'MH12', 'MH12'],
    [{ type: 'text' }, '#1 yard', '#1 yard'],
    [{ type: 'integer' }, '2019', 2019],
    [{ type: 'integer' }, -3, -3],
    [{ type: 'number' }, '4.25', 4.25],
    [{ type: 'amount' }, '465000.50', '465000.50'],
    [{ type: 'boolean' }, 'TRUE', true],
    [{ type: 'boolean' }, false, false],
    [{ type: 'date' }, '2028-02-29', '2028-02-29'],
    [{ type: 'choice', choices: ['CNG'] }, 'CNG', 'CNG'],
    [{ choices: ['CNG'] }, 'CNG', 'CNG'],
    [{ type: 'integer' }, null, null],
    [{ type: 'colour' }, { r: 1 }, { r: 1 }],
    [{}, '7', '7'],
  ])('of %j fits: %j', (of, given, value) => {
    expect(checkedValue(field(of), given)).toEqual({ value });
  });

  it.each<[Partial<SchemaField>, unknown]>([
    [{ type: 'text' }, 7],
    [{ type: 'text' }, '#REF!'],
    [{ type: 'integer' }, '2,019'],
    [{ type: 'integer' }, '2019.5'],
    [{ type: 'integer' }, 2019.5],
    [{ type: 'integer' }, '1e3'],
    [{ type: 'integer' }, '9'.repeat(16)],
    [{ type: 'number' }, '4,25'],
    [{ type: 'number' }, Number.NaN],
    [{ type: 'amount' }, '4,65,000'],
    [{ type: 'amount' }, 465000],
    [{ type: 'boolean' }, 'yes'],
    [{ type: 'boolean' }, 1],
    [{ type: 'date' }, '01/03/2026'],
    [{ type: 'date' }, '2026-02-30'],
    [{ type: 'choice', choices: ['CNG'] }, 'cng'],
    [{ type: 'colour' }, '#N/A'],
  ])('of %j does not fit: %j', (of, given) => {
    const message = expect.stringMatching(/^(?:must be|is a spreadsheet error)/);
    expect(checkedValue(field(of), given)).toEqual({ problem: message });
  });

  it('of a long list of choices names ten of them', () => {
    const choices = Array.from({ length: 12 }, (_, n) => `c${n}`);
    const checked = checkedValue(field({ choices }), 'x');
    expect(checked).toEqual({ problem: expect.stringMatching(/^must be one of "c0", .*"c9", and 2 more$/) });
  });
});
