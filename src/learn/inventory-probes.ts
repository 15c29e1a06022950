import { answerOf, type Exchange, isRecord, itemsOf, textAt } from './exchange.js';
import type { Inquiry } from './inquiry.js';
import { type Probe, seen } from './probe.js';

type Fields = Readonly<Record<string, unknown>>;

/** Probes that create draft vehicles in the inventory of a sandbox. */
export const inventoryProbes: readonly Probe[] = [
  {
    id: 'inventory-values-form',
    by: 'writing',
    actor: 'bank',
    assumes: { 'an object by field id': ['taken'], 'a list of entries': ['taken'] },
    async *observe(ask) {
      const schema = await schemaOf(ask);
      if (schema === undefined) return;
      const list = Object.entries(schema.values).map(([id, value]) => ({ id, value }));
      for (const [question, values] of [
        ['an object by field id', schema.values],
        ['a list of entries', list],
      ] as const) {
        const reply = await create(ask, schema, values);
        if (isAbout(reply, 'values')) yield seen(question, answerOf(reply), reply);
      }
    },
  },
  {
    id: 'inventory-duplicates',
    by: 'writing',
    actor: 'bank',
    assumes: { 'a second vehicle with an external_id': ['409'] },
    async *observe(ask) {
      const schema = await schemaOf(ask);
      const external_id = `learn-${ask.uuid()}`;
      if (schema === undefined || (await create(ask, schema, schema.values, external_id))?.status !== 200)
        return;
      const reply = await create(ask, schema, schema.values, external_id);
      if (reply !== undefined && [200, 409, 422].includes(reply.status))
        yield seen('a second vehicle with an external_id', answerOf(reply), reply);
    },
  },
  {
    id: 'inventory-required-fields',
    by: 'writing',
    actor: 'bank',
    assumes: { 'a draft without its required fields': ['taken'] },
    async *observe(ask) {
      const schema = await schemaOf(ask);
      if (schema === undefined || schema.required.length === 0) return;
      if ((await create(ask, schema, schema.values))?.status !== 200) return;
      const reply = await create(ask, schema, {});
      if (isAbout(reply, 'values')) yield seen('a draft without its required fields', answerOf(reply), reply);
    },
  },
  {
    id: 'inventory-value-types',
    by: 'writing',
    actor: 'bank',
    assumes: { 'a text for a whole number': ['422'], 'null for a value': ['taken'] },
    async *observe(ask) {
      const schema = await schemaOf(ask);
      if (schema === undefined || (await create(ask, schema, schema.values))?.status !== 200) return;
      const [integer] = Object.keys(schema.values).filter((id) => typeof schema.values[id] === 'number');
      const [any] = Object.keys(schema.values);
      for (const [question, id, value] of [
        ['a text for a whole number', integer, 'many'],
        ['null for a value', any, null],
      ] as const) {
        if (id === undefined) continue;
        const reply = await create(ask, schema, { ...schema.values, [id]: value });
        if (isAbout(reply, 'values')) yield seen(question, answerOf(reply), reply);
      }
    },
  },
];

interface Schema {
  readonly version: unknown;
  readonly required: readonly string[];
  /** A value of the right type for each field. */
  readonly values: Fields;
}

/** The first schema whose fields have types that are known here. */
async function schemaOf(ask: Inquiry): Promise<Schema | undefined> {
  for (const { schema_version, fields } of itemsOf(await ask.get('/bank/inventory/schemas'))) {
    const entries = Array.isArray(fields) ? fields.filter(isRecord) : [];
    const values: Record<string, unknown> = {};
    for (const entry of entries) {
      const [id, value] = [textAt(entry, 'id'), valueFor(entry)];
      if (id !== undefined && value !== undefined) values[id] = value;
    }
    const required = entries.filter((entry) => entry['required'] === true).map(({ id }) => String(id));
    if (Object.keys(values).length > 0 && required.every((id) => id in values))
      return { version: schema_version, required, values };
  }
  return undefined;
}

function valueFor({ type, enum_values: choices }: Fields): unknown {
  if (Array.isArray(choices)) return choices[0];
  if (type === 'integer' || type === 'number') return 2020;
  if (type === 'boolean') return true;
  return type === 'text' || type === 'string' ? 'LEARN 1' : undefined;
}

function create(
  ask: Inquiry,
  { version }: Schema,
  values: unknown,
  external_id = `learn-${ask.uuid()}`,
): Promise<Exchange | undefined> {
  const body = { title: 'A trial of learn', external_id, schema_version: version, values };
  return ask.send({ method: 'POST', path: '/bank/inventory/vehicles', body });
}

/** Whether a command was taken, or refused because of this field or one below it. */
function isAbout(reply: Exchange | undefined, field: string): reply is Exchange {
  const isField = (name: string) => name === field || name.startsWith(`${field}.`);
  return reply?.status === 200 || (reply?.status === 422 && reply.fields.some(isField));
}
