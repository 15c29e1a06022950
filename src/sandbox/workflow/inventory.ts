import * as z from 'zod';
import { service } from '../../api/service.js';
import type { Call, OperationHandler } from '../http/call.js';
import { ensure, ensureFits, invalidFields, ok, Refusal } from '../http/replies.js';
import { isObject } from '../http/wire.js';
import type { Data, Rec } from '../records.js';
import { formsOf, type InventoryForm } from '../seed/inventory.js';
import type { World } from '../world.js';
import { command } from './engine.js';

const { createVehicle, updateVehicle, schemas } = service.inventory.operations;

/** A59, A60 and A63: the bank's private inventory. Vehicle ids are private UUIDs, not lot ids. */
export const inventoryOperations: readonly OperationHandler[] = [
  command({
    op: createVehicle,
    // The command creates its target.
    target: (call, { external_id, schema_version, title }) => {
      const { world, party } = call;
      const { bankId } = party;
      const values = readValues(call, schema_version);
      const isFree = !isIdTaken(world, bankId, external_id);
      ensure(isFree, 'The bank already has a vehicle with this external_id. Use another one.');
      return world.flow.make('inventory_vehicle', 'draft', {
        id: world.ids.uuid(),
        owner: { bankId, partnerId: null },
        data: { external_id, schema_version, title, values, lot_id: null },
      });
    },
    to: 'completed',
    data: ({ on }) => commandData(on),
  }),
  command({
    op: updateVehicle,
    target: ({ world, party, params }) =>
      world.flow.find(party, 'inventory_vehicle', params.get('vehicle') ?? ''),
    from: 'draft',
    check: ({ call, on, body, flow }) => {
      const values = readValues(call, on.data['schema_version']);
      on.data['values'] = { ...Object(on.data['values']), ...values };
      on.data['title'] = body.title ?? on.data['title'];
      flow.touch(on);
    },
    to: 'completed',
    data: ({ on }) => commandData(on),
  }),
  [
    schemas,
    (call) => {
      const shown = formsOf(call.party.bankId).map(({ bank: _, categories: __, fields, ...form }) => ({
        ...form,
        fields: fields.map(({ field }) => field),
      }));
      return ok(call, shown);
    },
  ],
];

/** Command data with the resulting vehicle. */
function commandData({ id, state, version, data }: Rec): Data {
  const { external_id, schema_version, title } = data;
  return { vehicle_id: id, inventory_version: version, status: state, external_id, schema_version, title };
}

/** Whether a bank already uses an external id, vehicles in its auctions included. */
function isIdTaken({ flow, store }: World, bankId: string, id: string): boolean {
  const kept = flow.of('inventory_vehicle');
  const sold = [...store.lots.values()].filter(({ vehicle }) => vehicle.details.bank_reference === id);
  return (
    kept.some(({ owner, data }) => owner.bankId === bankId && data['external_id'] === id) ||
    sold.some(({ auction }) => auction.bankId === bankId)
  );
}

/**
 * Reads values by field id from the body: an object keyed by field id, or a list of entries. Refuses with a 422
 * that names every unknown field and invalid value; null is valid for any field. Reads the raw body, because zod
 * drops a field named `__proto__`.
 */
function readValues({ json, party }: Call, schemaVersion: unknown): Data {
  const form = formsOf(party.bankId).find(({ schema_version }) => schema_version === schemaVersion);
  ensureFits(form !== undefined, 'schema_version', 'The inventory schema is unknown. List schemas with A63.');
  const values = new Map<string, unknown>();
  const errors = new Map<string, string[]>();
  for (const [id, value] of entriesOf('object' in json ? json.object['values'] : undefined)) {
    const problem = values.has(id) ? 'The field is repeated. Send it once.' : valueProblem(form, id, value);
    values.set(id, value);
    if (problem !== undefined) errors.set(`values.${id}`, [problem]);
  }
  if (errors.size > 0) throw new Refusal(invalidFields(errors));
  return Object.fromEntries(values);
}

type Entry = readonly [id: string, value: unknown];

function entriesOf(given: unknown): Entry[] {
  if (given === undefined || given === null) return [];
  if (Array.isArray(given)) return given.flatMap(entriesOfItem);
  ensureFits(isObject(given), 'values', 'The values must be a list of entries or an object.');
  return Object.entries(given);
}

/** `{ id, value }`, `{ field_id, value }`, or an object keyed by field id. */
function entriesOfItem(item: unknown): Entry[] {
  const why = 'A list entry must have id and value, or be an object keyed by field id.';
  ensureFits(isObject(item), 'values', why);
  const id = item['field_id'] ?? item['id'];
  const isPair = Object.keys(item).length === 2 && Object.hasOwn(item, 'value') && typeof id === 'string';
  return isPair ? [[id, item['value']]] : Object.entries(item);
}

function valueProblem(form: InventoryForm, id: string, value: unknown): string | undefined {
  const field = form.fields.find((each) => each.field.id === id)?.field;
  if (field === undefined) return `The schema ${form.schema_version} does not have this field.`;
  const { type, enum_values: words = [] } = field;
  const [schema, wanted] = type === 'choice' ? [z.enum(words), `one of ${words.join(', ')}`] : types[type];
  return value === null || schema.safeParse(value).success ? undefined : `The value must be ${wanted}.`;
}

/** Schema of each field type and its description in refusals. */
const types = {
  text: [z.string(), 'a text'],
  integer: [z.int(), 'a whole number'],
  number: [z.number(), 'a number'],
  amount: [z.string().regex(/^\d{1,12}(?:\.\d{1,2})?$/), 'a decimal string in INR such as "465000.50"'],
  boolean: [z.boolean(), 'true or false'],
  date: [z.iso.date(), 'a date such as 2026-03-01'],
} as const;
