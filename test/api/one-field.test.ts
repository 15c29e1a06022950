import { describe, expect, it } from 'vitest';
import type { Schema } from '../../src/api/check.js';
import type { Route } from '../../src/api/operation.js';
import { understand } from '../../src/core/reply/reply.js';
import { routes } from '../../src/generated/routes.js';

// Every reply of the API with one field null, left out, or of another plausible type.

/** A value that fits a schema, with every field; of a choice the first, lists with two items. */
function sample(schema: Schema): unknown {
  if (typeof schema === 'string') return leaves[schema] ?? 'text';
  if ('values' in schema) return schema.values[0];
  if ('list' in schema) return [sample(schema.list), sample(schema.list)];
  if ('map' in schema) return { key: sample(schema.map) };
  if ('optional' in schema) return sample(schema.optional);
  if ('nullable' in schema) return sample(schema.nullable);
  if ('either' in schema) return sample(schema.either[0] ?? 'unknown');
  return Object.fromEntries(Object.entries(schema.fields).map(([name, field]) => [name, sample(field)]));
}

const leaves: Readonly<Record<string, unknown>> = {
  boolean: true,
  int: 1,
  money: '465000.00',
  number: 1,
  numericMoney: '465000.00',
  paise: 46_500_000,
  unknown: { any: 1 },
};

const GONE = Symbol('left out');
const others = [
  GONE,
  null,
  '',
  '1',
  '465000.0000',
  'two',
  2,
  465000,
  0.125,
  true,
  1,
  [],
  {},
  { 0: 'a' },
  [1],
];

/** Each path of a value, and the value with another thing there. */
function* withOneChanged(value: unknown): Generator<readonly [path: string, changed: unknown]> {
  const walk = function* (inner: unknown, at: readonly string[]): Generator<readonly string[]> {
    if (at.length > 0) yield at;
    if (typeof inner !== 'object' || inner === null) return;
    for (const [key, next] of Object.entries(inner)) yield* walk(next, [...at, key]);
  };
  for (const at of walk(value, [])) {
    for (const other of others) {
      const copy = structuredClone(value);
      const holder = at.slice(0, -1).reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), copy);
      const name = at.at(-1) ?? '';
      if (other === GONE) Reflect.deleteProperty(Object(holder), name);
      else Reflect.set(Object(holder), name, structuredClone(other));
      yield [`${at.join('.')} ${String(other)}`, copy];
    }
  }
}

const read = (route: Route, json: unknown) => {
  const reply = { status: route.success[0] ?? 200, headers: {}, json };
  return understand(route, { reply }, 0, false);
};

const described = routes.flatMap((route) =>
  route.reply === undefined ? [] : [[route.name, route, route.reply] as const],
);

describe('One field of a reply that is null, left out, or of another type', () => {
  let cases = 0;

  it.each(described)('of %s is read, or is a defect of its record', (_, route, schema) => {
    const whole = sample(schema);
    if (route.effect === 'bid') Reflect.set(Object(Reflect.get(Object(whole), 'data')), 'status', 'accepted');
    for (const [at, json] of withOneChanged(whole)) {
      cases += 1;
      const { payload, unexpected } = read(route, json);
      expect(payload === undefined, at).toBe(unexpected !== undefined);
      if (unexpected !== undefined)
        expect(['shape', 'contradiction', 'not_json'], at).toContain(unexpected.reason);
      // The other record of a list survives whatever is wrong with the first.
      const isInFirst = /^data\.(?:items\.)?0\b/.test(at);
      if (isInFirst && route.effect === 'read') {
        const { data }: { data?: unknown } = Object(payload?.value ?? {});
        const items = Array.isArray(payload?.value)
          ? payload?.value
          : Array.isArray(data)
            ? data
            : Object(data).items;
        expect(items?.length, at).toBeGreaterThanOrEqual(1);
        expect(items.length + (payload?.skipped?.length ?? 0), at).toBeGreaterThanOrEqual(
          at.endsWith('0 Symbol(left out)') ? 1 : 2,
        );
      }
      if (route.effect === 'bid' && payload !== undefined)
        expect(payload.value, at).toMatchObject({ status: 'accepted' });
    }
  });

  it('was tried in many cases', () => {
    expect(cases).toBeGreaterThan(1_600);
  });
});
