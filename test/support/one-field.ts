import type { Schema } from '../../src/api/check.js';

/** Replies with one field null, left out, or of another plausible type. */

/** A value that fits a schema, with every field; of a choice the first, lists with two items. */
export function sample(schema: Schema): unknown {
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
export function* withOneChanged(value: unknown): Generator<readonly [path: string, changed: unknown]> {
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
