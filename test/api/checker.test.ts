import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { checkInput, checkReply, type Schema } from '../../src/api/check.js';
import { envelopeSchema } from '../../src/api/envelopes.js';
import type { Format } from '../../src/api/formats.js';
import type { Operation, Route } from '../../src/api/operation.js';
import { resources } from '../../src/api/service.js';
import { routes } from '../../src/generated/routes.js';

const PARAMETERS = { seed: 20261123, numRuns: 40 };

/** Texts that are right under a format, and some that look like it. */
const texts: Readonly<
  Record<Exclude<Format, 'integerId' | 'positive' | 'perPage' | 'version'>, readonly string[]>
> = {
  amount: ['465000', '465000.50', '0.01', '999999999999.99', '0', '1.234', '-1', '01'],
  base64: ['aGk=', 'aGkh', 'aGk', ''],
  bidderReference: ['buyer-9', 'b'.repeat(120), 'b'.repeat(121), 'b u'],
  date: ['2026-03-01', '2026-02-30', '2026-3-1'],
  dateTime: ['2026-03-01T10:30:00+05:30', '2026-03-01T10:30Z', '2026-03-01T10:30:00'],
  dealerId: ['D-204', 'D'.repeat(33), ''],
  filled: ['x', '', ' '],
  httpsUrl: ['https://example.com/hooks', 'http://example.com', 'https://'],
  money: ['465000.00', '-1.5', '1.234', '', 'x'],
  pathId: ['lot_1', '..', 'a/b', ' '],
  search: ['Swift', 's'.repeat(101)],
  uuid: ['3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f', '3f0e6d52'],
};

/** Values that fit a schema, mostly. */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if (typeof schema === 'string') return leaf(schema);
  if ('values' in schema) return fc.constantFrom(...schema.values);
  if ('list' in schema) return fc.array(valuesOf(schema.list), { minLength: 1, maxLength: 3 });
  if ('map' in schema) return fc.dictionary(fc.string(), valuesOf(schema.map), { maxKeys: 3 });
  if ('optional' in schema) return valuesOf(schema.optional);
  if ('nullable' in schema) return fc.oneof(fc.constant(null), valuesOf(schema.nullable));
  if ('either' in schema) return fc.oneof(...schema.either.map(valuesOf));
  const entries = Object.entries(schema.fields);
  return fc.record(Object.fromEntries(entries.map(([name, field]) => [name, valuesOf(field)])), {
    requiredKeys: entries.flatMap(([name, field]) =>
      typeof field === 'object' && 'optional' in field ? [] : [name],
    ),
  });
}

function leaf(kind: Extract<Schema, string>): fc.Arbitrary<unknown> {
  switch (kind) {
    case 'string':
      return fc.string();
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'unknown':
      return fc.jsonValue({ maxDepth: 2 });
    case 'numericMoney':
      return fc.oneof(fc.constant('465000.00'), fc.integer());
    case 'int':
    case 'paise':
      return fc.integer();
    case 'integerId':
    case 'positive':
    case 'perPage':
    case 'version':
      return fc.integer({ min: -1, max: 101 });
    default:
      return fc.constantFrom(...texts[kind]);
  }
}

/** What a service or a caller may put where something else is expected. An empty array has a test of its own. */
const odd: unknown[] = [undefined, null, '', 'x', '1.50', -1, 1.5, 2 ** 60, true, {}, { x: 1 }, [1], [null]];

/** A value with some of its parts exchanged, dropped or added. */
function mutated(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const step = fc.tuple(fc.array(fc.nat(20), { maxLength: 5 }), fc.constantFrom(...odd), fc.boolean());
  const steps = fc.array(step, { maxLength: 3 });
  return fc.tuple(values, steps).map(([value, changes]) => {
    const root = { value: structuredClone(value) };
    for (const [path, other, adds] of changes) change(root, [0, ...path], other, adds);
    return root.value;
  });
}

function change(holder: object, path: readonly number[], other: unknown, adds: boolean): void {
  const keys = Object.keys(holder);
  const [step = 0, ...rest] = path;
  const key = keys[step % Math.max(1, keys.length)];
  if (key === undefined) return;
  const inner: unknown = Reflect.get(holder, key);
  if (rest.length > 0 && typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0) {
    change(inner, rest, other, adds);
  } else if (adds && !Array.isArray(holder) && !('value' in holder)) {
    Reflect.set(holder, 'not_a_field', other);
  } else {
    Reflect.set(holder, key, other);
  }
}

/** A value that fits a schema, with every field that it may have; of a choice the first. */
function whole(schema: Schema): unknown {
  if (typeof schema === 'string') return fc.sample(leaf(schema), { numRuns: 1, seed: 1 })[0];
  if ('values' in schema) return schema.values[0];
  if ('list' in schema) return [whole(schema.list)];
  if ('map' in schema) return { key: whole(schema.map) };
  if ('optional' in schema) return whole(schema.optional);
  if ('nullable' in schema) return whole(schema.nullable);
  if ('either' in schema) return whole(schema.either[0] ?? 'unknown');
  return Object.fromEntries(Object.entries(schema.fields).map(([name, field]) => [name, whole(field)]));
}

/** The value with each of its parts, however deep, exchanged for each odd one. */
function* withEachPartOdd(value: unknown): Generator<unknown> {
  yield* odd;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    for (const other of withEachPartOdd(inner)) {
      const copy: object = structuredClone(value);
      Reflect.set(copy, key, other);
      yield copy;
    }
  }
}

/** Where zod finds fault; a field that is not known at the path that it would have. */
function zodFaults(schema: z.ZodType, value: unknown): string[] {
  const issues = schema.safeParse(value).error?.issues ?? [];
  return faults(
    issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path],
    ),
  );
}

function faults(paths: readonly (readonly PropertyKey[])[]): string[] {
  return [...new Set(paths.map((path) => path.map(String).join('.')))].sort();
}

const described = new Map<string, Operation>(
  resources.flatMap(({ operations }) => Object.values(operations).map((one) => [one.name, one] as const)),
);

/** The description that a route is generated from. */
function descriptionOf({ name }: Route): Operation {
  const found = described.get(name);
  if (found === undefined) throw new Error(`${name} is not described`);
  return found;
}

const replies = routes.flatMap((route) => {
  const { envelope, reply } = descriptionOf(route);
  if (envelope === 'binary' || envelope === 'whole' || envelope === 'raw') return [];
  if (reply === undefined || route.reply === undefined) throw new Error(`${route.name} has no reply`);
  return [[route.name, route.reply, envelopeSchema(envelope, reply)] as const];
});

const inputs = routes.flatMap((route) =>
  (['query', 'body'] as const).flatMap((part) => {
    const schema = route[part];
    const zod = descriptionOf(route)[part];
    return schema === undefined || zod === undefined ? [] : [[route.name, part, schema, zod] as const];
  }),
);

describe('the generated checks and zod', () => {
  it.each(replies)('find the same faults in replies of %s', (_, schema, zod) => {
    const check = (reply: unknown) => {
      const { issues, tolerated, value } = checkReply(schema, structuredClone(reply));
      const found = faults(issues.map(({ path }) => path));
      // What is tolerated becomes what the description says.
      expect(zodFaults(zod, value)).toEqual(found);
      if (tolerated.length === 0) expect(zodFaults(zod, reply)).toEqual(found);
    };
    for (const reply of withEachPartOdd(whole(schema))) check(reply);
    fc.assert(fc.property(mutated(valuesOf(schema)), check), PARAMETERS);
  });

  it.each(inputs)('find the same faults in what %s takes as its %s', (_, __, schema, zod) => {
    const check = (input: unknown) => {
      const { value, issues } = checkInput(schema, input);
      const { data } = zod.safeParse(input);
      expect(faults(issues.map(({ path }) => path))).toEqual(zodFaults(zod, input));
      if (data !== undefined) expect(value).toEqual(data);
    };
    for (const input of withEachPartOdd(whole(schema))) check(input);
    fc.assert(fc.property(mutated(valuesOf(schema)), check), PARAMETERS);
  });

  it('are there for every operation', () => {
    expect(replies.length).toBeGreaterThan(50);
    expect(inputs.length).toBeGreaterThan(30);
    expect(routes.map(({ name }) => name).sort()).toEqual([...described.keys()].sort());
  });
});

it('An empty PHP array is an empty object exactly where every field may be left out', () => {
  const schema: Schema = {
    fields: { open: { fields: { x: { optional: 'int' } } }, id: { fields: { id: 'string' } } },
  };
  expect(checkReply(schema, { open: [], id: { id: '1' } })).toMatchObject({
    value: { open: {} },
    issues: [],
  });
  expect(checkReply(schema, { open: {}, id: [] }).issues.map(({ path }) => path)).toEqual([['id']]);
});
